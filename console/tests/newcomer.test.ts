// Somebody who knows nothing starts `waypost dev`, finds a loan that is stuck, sees why, repairs it
// and sees it finish.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { type Browser, chromium, type Page } from "playwright-core";
import { Dev, retry } from "./dev.js";
import { CHROMIUM, PATIENCE } from "./world.js";

let dev: Dev;
let browser: Browser;

before(async () => {
  dev = await Dev.start();
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
});

after(async () => {
  await browser.close();
  await dev.stop();
});

/** How many stuck loans are tried: some need more than a try. */
const TRIES = 5;

it("finds out why a loan is stuck, repairs it and sees it finish", async () => {
  await dev.until(async () => ((await dev.failed()).length > 0 ? true : undefined));
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(PATIENCE);
  await page.goto(dev.url);
  await page.getByText("Live", { exact: true }).waitFor();
  for (let at = 0; at < TRIES; at += 1) if (await mends(page)) return;
  assert.fail(`none of ${TRIES} loans could be repaired`);
});

async function mends(page: Page): Promise<boolean> {
  await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Overview" }).click();
  // The overview says that something is wrong, and leads there.
  await page.getByRole("main").getByRole("link", { name: /incident|failed/i }).first().click();
  await page.getByRole("main").locator('a[href^="/console/processes/"]').first().waitFor();
  const examples = page.getByRole("main").locator('a[href^="/console/processes/"]');
  await examples.nth(Math.floor(Math.random() * (await examples.count()))).click();
  await page.locator("h1", { hasText: "Failed" }).waitFor();
  const why = (await page.locator(".reason").first().textContent()) ?? "";
  assert.notEqual(why.trim(), "", "it says why");
  await retry(page, why);
  await page.getByRole("dialog").locator('button[type="submit"]').click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  // Nobody looks again: it shows by itself.
  const end = page.locator("h1", { hasText: /Completed|Failed/ });
  await page.locator("h1", { hasText: /Active|Waiting|Completed/ }).waitFor();
  await end.waitFor({ timeout: 60_000 });
  return (await end.textContent())?.includes("Completed") ?? false;
}
