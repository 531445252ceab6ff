// Lists that are longer than a page: looked through, narrowed, and dealt with as a whole.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { Page } from "playwright-core";
import { violations, World } from "./world.js";

let world: World;
before(async () => void (world = await World.start()));
after(() => world.stop());

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const dialog = (page: Page) => page.getByRole("dialog");

it("all that match are tried again, whatever page they are on", async () => {
  const found = await Promise.all(Array.from({ length: 60 }, (_, at) => world.loan(`A-${at}`, { batch: "A" })));
  for (const id of found) await world.check("the line is dead", id);
  const { page, context, trouble } = await world.open("/console/instances?status=FAILED&step=check");
  await page.getByText("60 instances", { exact: true }).waitFor();
  assert.equal(await page.locator("tbody tr").count(), 50);
  await page.getByRole("checkbox", { name: "Choose all rows of this page" }).check();
  await button(page, "Choose all 60 that match").click();
  await button(page, "Retry all that can be…").click();
  await dialog(page).getByText("and 10 more").waitFor();
  assert.deepEqual(await violations(page), []);
  await dialog(page).getByRole("button", { name: "Retry 60" }).click();
  await dialog(page).getByText("60 of 60, 0 refused").waitFor();
  await dialog(page).getByRole("button", { name: "Close" }).click();
  await page.getByText("0 instances", { exact: true }).waitFor();
  for (const id of found) assert.equal(await world.status(id), "ACTIVE");
  assert.deepEqual(trouble, []);
  await context.close();
});

it("older instances are on the next page, and the way back leads to the newest", async () => {
  for (let at = 0; at < 60; at += 1) await world.loan(`O-${at}`);
  const { page, context, trouble } = await world.open("/console/instances?status=ACTIVE");
  // Ages in other columns change by themselves.
  const shown = () => page.locator("tbody .name strong").allTextContents();
  const first = page.locator("tbody tr").first();
  await first.getByRole("link", { name: /^O-59/ }).waitFor();
  const newest = await shown();
  assert.deepEqual(newest, Array.from({ length: 50 }, (_, at) => `O-${59 - at}`));
  await page.getByRole("link", { name: "Older" }).click();
  await page.waitForURL("**from=*");
  await page.getByRole("link", { name: "Newest" }).waitFor();
  await first.getByRole("link", { name: /^O-9/ }).waitFor();
  await page.getByRole("link", { name: "Newest" }).click();
  await first.getByRole("link", { name: /^O-59/ }).waitFor();
  assert.deepEqual(await shown(), newest);
  assert.deepEqual(trouble, []);
  await context.close();
});

it("instances are looked for by definition, version, key, step and time, and counted", async () => {
  await world.loan("F-1");
  const { page, context, trouble } = await world.open("/console/instances");
  await page.getByLabel("Definition").selectOption("loan");
  await page.getByLabel("Version").fill("1");
  await page.getByLabel("Version").press("Enter");
  await page.getByText("0 instances", { exact: true }).waitFor();
  await page.getByText("No process is like that.").waitFor();
  await page.getByLabel("Version").fill("2");
  await page.getByLabel("Version").press("Enter");
  await page.getByLabel("Business key", { exact: true }).fill("F-1");
  await page.getByLabel("Business key", { exact: true }).press("Enter");
  await page.getByText("1 instance", { exact: true }).waitFor();
  await page.getByRole("button", { name: /^Active\s*1$/ }).waitFor();
  await page.getByLabel("Step").fill("review");
  await page.getByLabel("Step").press("Enter");
  await page.getByText("0 instances", { exact: true }).waitFor();
  await button(page, "Clear").click();
  await page.getByLabel("Started before").fill("2020-01-01T00:00");
  await page.getByLabel("Started before").press("Enter");
  await page.getByText("0 instances", { exact: true }).waitFor();
  assert.deepEqual(trouble, []);
  await context.close();
});
