// Takes the pictures of the README and of the guide: `npm run pictures`, with WAYPOST_BIN set.

import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { Dev, type Failed, retry } from "./dev.js";
import { CHROMIUM } from "./world.js";

const FOLDER = resolve(process.env["WAYPOST_PICTURES"] ?? "../docs/guides/console");

/** What fits into a page without making it slow. */
const BYTES_MAX = 150 * 1_024;

const SIZE = { width: 1280, height: 800 };

async function main(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const dev = await Dev.start();
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    // Long enough that curves have a shape and something has gone wrong.
    const failed = await dev.until(async () => stuck(await dev.failed()));
    await overview(dev, browser);
    await repaired(dev, browser, failed);
    await table(dev, browser);
    await dark(dev, browser);
  } finally {
    await browser.close();
    await dev.stop();
  }
}

/** One that says most about why; any other if there is none. */
function stuck(failed: Failed[]): Failed | undefined {
  return failed.find((it) => /not approved/.test(it.failureReason ?? "")) ?? failed[0];
}

async function open(dev: Dev, browser: Browser, path: string, theme: "light" | "dark" = "light"): Promise<Page> {
  const context = await browser.newContext({ viewport: SIZE, colorScheme: theme, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(dev.url + path);
  await page.getByText("Live", { exact: true }).waitFor();
  await page.waitForFunction(() => !document.querySelector("main")?.textContent?.includes("Loading…"));
  return page;
}

async function shoot(page: Page, name: string): Promise<void> {
  for (const scale of [1, 0.85, 0.7]) {
    const picture = await page.screenshot({ type: "png", animations: "disabled", ...(scale === 1 ? {} : { clip: { x: 0, y: 0, width: SIZE.width, height: Math.round(SIZE.height * scale) } }) });
    if (picture.byteLength > BYTES_MAX && scale > 0.7) continue;
    if (picture.byteLength > BYTES_MAX) throw new Error(`${name} has ${picture.byteLength} bytes`);
    await writeFile(join(FOLDER, `${name}.png`), picture);
    console.log(`${name}.png: ${Math.round(picture.byteLength / 1_024)} KB`);
    return;
  }
}

async function overview(dev: Dev, browser: Browser): Promise<void> {
  const page = await open(dev, browser, "/");
  // Rates are told from what is seen: a minute makes a curve.
  await page.waitForTimeout(Number(process.env["WAYPOST_PICTURES_WAIT"] ?? 45_000));
  await shoot(page, "overview");
  await page.context().close();
}

/** Stuck, why, repaired, done. */
async function repaired(dev: Dev, browser: Browser, failed: Failed): Promise<void> {
  const page = await open(dev, browser, "/console/incidents");
  await page.getByRole("main").locator('a[href^="/console/processes/"]').first().waitFor();
  await shoot(page, "stuck");
  await page.goto(`${dev.url}/console/processes/${failed.id}`);
  await page.locator("h1", { hasText: "Failed" }).waitFor();
  await page.locator(".node").first().waitFor();
  await shoot(page, "why");
  await retry(page, failed.failureReason ?? "");
  await shoot(page, "repair");
  await page.getByRole("dialog").locator('button[type="submit"]').click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const end = page.locator("h1", { hasText: /Completed|Failed/ });
  await page.locator("h1", { hasText: /Active|Waiting|Completed/ }).waitFor();
  await end.waitFor();
  await shoot(page, "done");
  await page.context().close();
}

async function table(dev: Dev, browser: Browser): Promise<void> {
  const page = await open(dev, browser, "/console/tables");
  await page.locator(".grid").first().waitFor();
  const form = page.locator("form.try").first();
  await form.getByLabel("creditScore").fill("640");
  await form.getByLabel("fraudScore").fill("0.2");
  await form.getByRole("button", { name: "Try" }).click();
  await page.locator(".grid .is-deciding, .problem").first().waitFor();
  await shoot(page, "table");
  await page.context().close();
}

async function dark(dev: Dev, browser: Browser): Promise<void> {
  const { items } = await dev.get<{ items: { id: string; definitionId: string }[] }>("/v1/instances?status=COMPLETED&pageSize=50");
  const longest = items.find((it) => /application/.test(it.definitionId)) ?? items[0];
  const page = await open(dev, browser, longest === undefined ? "/" : `/console/processes/${longest.id}?tab=timeline`, "dark");
  await page.locator(longest === undefined ? "main" : ".timeline").first().waitFor();
  await shoot(page, "dark");
  await page.context().close();
}

await main();
