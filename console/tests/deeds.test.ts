// What can be done on the screens of one face, done in the browser and looked for on the server.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { Page } from "playwright-core";
import { Drones } from "./drones.js";
import { World } from "./world.js";

let world: World;
let drones: Drones;
before(async () => {
  world = await World.start();
  // One mission stays under way: with the last of them the program ends.
  drones = await Drones.start(4);
});
after(async () => {
  await drones?.stop();
  await world?.stop();
});

const dialog = (page: Page) => page.getByRole("dialog");

it("an operator charges a drone, and sees it fly to its end without looking again", async () => {
  const { page, context, trouble } = await world.open("/console/lifecycles/drone-survey/m-1", { from: drones.url });
  await page.locator("h1", { hasText: "planning" }).waitFor();
  await page.getByRole("button", { name: "Write…" }).click();
  await dialog(page).getByLabel("battery").fill("90");
  await dialog(page).getByLabel("owner_org_id").fill("north");
  await dialog(page).getByRole("button", { name: "Write" }).click();
  await dialog(page).waitFor({ state: "detached" });
  await page.locator("h1", { hasText: "completed" }).waitFor();
  assert.equal((await drones.mission("m-1")).owner_org_id, "north");
  assert.equal(await page.getByRole("button", { name: "Move…" }).count(), 0, "nothing leads out of its end");
  assert.deepEqual(trouble, []);
  await context.close();
});

it("a mission is moved to a phase its own leads to, and only to such", async () => {
  const { page, context } = await world.open("/console/lifecycles/drone-survey/m-2?tab=history", { from: drones.url });
  await page.getByRole("button", { name: "Move…" }).click();
  const options = await dialog(page).getByRole("option").allTextContents();
  assert.deepEqual(options, ["flying", "aborted"]);
  await dialog(page).getByLabel("Phase").selectOption("aborted");
  await dialog(page).getByLabel("Note").fill("a storm");
  await dialog(page).getByRole("button", { name: "Move to aborted" }).click();
  await page.locator("h1", { hasText: "aborted" }).waitFor();
  await page.getByRole("cell", { name: "a storm" }).waitFor();
  assert.equal((await drones.mission("m-2")).phase, "aborted");
  await context.close();
});

it("a list of missions follows what operators do elsewhere", async () => {
  const { page, context } = await world.open("/console/lifecycles/drone-survey", { from: drones.url });
  await page.getByText("watched as it is written").waitFor();
  const row = page.getByRole("row", { name: /m-3/ });
  await row.getByText("planning", { exact: true }).waitFor();
  const answer = await fetch(`${drones.url}/workflows/drone-survey/m-3/transition`, { method: "POST", headers: { "content-type": "application/json" }, body: '{"phase":"aborted"}' });
  assert.equal(answer.status, 200);
  await row.getByText("aborted", { exact: true }).waitFor();
  await context.close();
});

it("a table is tried with the example of a finding, and with values of one's own", async () => {
  const { page, context, trouble } = await world.open("/console/tables");
  const form = page.getByRole("form", { name: "Try Risk tier" });
  await form.getByLabel("score").fill("300");
  await form.getByRole("button", { name: "Try" }).click();
  await page.getByText('It would set tier = HIGH').waitFor();
  await page.getByRole("row", { name: /decides/ }).getByText("score < 500").waitFor();
  await form.getByLabel("score").fill("[");
  await form.getByRole("button", { name: "Try" }).click();
  await page.getByText("The step would fail").waitFor();
  assert.deepEqual(trouble, []);
  await context.close();
});

it("hits are counted where instances came to the table", async () => {
  await world.waiting("H-1");
  const { page, context } = await world.open("/console/tables");
  await page.getByText(/Hits of \d+ visits? by the newest/).waitFor();
  await page.getByRole("row", { name: /otherwise/ }).getByRole("cell", { name: "1", exact: true }).waitFor();
  await context.close();
});

it("entities are looked for by several conditions, and found page by page", async () => {
  for (let at = 0; at < 60; at += 1) await world.invoice(at < 55 ? `P-${at}` : `Q-${at}`);
  const { page, context, trouble } = await world.open("/console/models/Invoice/1");
  await page.getByText("1 to 50 of 60").waitFor();
  await page.getByRole("link", { name: "Next" }).click();
  await page.getByText("51 to 60 of 60").waitFor();
  await page.getByRole("button", { name: "Add a condition" }).click();
  await page.getByLabel("Field").fill("number");
  await page.getByLabel("How").selectOption("STARTS_WITH");
  await page.getByLabel("Value").fill("P-");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByText("55 matches at").waitFor();
  await page.getByRole("button", { name: "Add a condition" }).click();
  await page.getByLabel("Field").nth(1).fill("number");
  await page.getByLabel("Value").nth(1).fill("Q-57");
  await page.getByLabel("Those that meet").selectOption("any");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByText("56 matches at").waitFor();
  await page.getByRole("link", { name: /DRAFT/ }).click();
  await page.waitForURL(/state=DRAFT/);
  await page.getByText("56 matches at").waitFor();
  assert.deepEqual(trouble, []);
  await context.close();
});

it("an entity and its chart follow what others do, and the chart shows the past", async () => {
  const id = await world.invoice("F-1");
  const { page, context } = await world.open(`/console/entities/${id}?tab=chart`);
  await page.getByText("Live", { exact: true }).waitFor();
  await world.call("PUT", `/api/entity/JSON/${id}/SEND`, { number: "F-1", amount: 100.5 });
  await page.locator("h1", { hasText: "SENT" }).waitFor();
  const here = page.locator(".node.is-here");
  await here.getByText("SENT", { exact: true }).waitFor();
  await page.getByRole("slider").fill("0");
  await here.getByText("DRAFT", { exact: true }).waitFor();
  await context.close();
});

it("a chain is shown as it was after a commit", async () => {
  const id = await world.order("Z-1");
  await world.call("POST", `/v1/chains/instances/${id}/cancel`, { reason: "sold out" });
  const { page, context } = await world.open(`/console/chains/${id}?tab=history`);
  await page.locator("h1", { hasText: "Canceled" }).waitFor();
  await page.getByRole("slider").fill("0");
  await page.locator("h1", { hasText: "Running" }).waitFor();
  await page.getByText("Steps at that moment").waitFor();
  assert.equal(await page.getByText("sold out").count(), 0);
  await page.getByRole("button", { name: "Back to now" }).click();
  await page.locator(".reason", { hasText: "sold out" }).waitFor();
  await context.close();
});

it("several chains are canceled together", async () => {
  const found = [await world.order("BC-1"), await world.order("BC-2")];
  const { page, context } = await world.open("/console/instances?face=chain");
  for (const id of found) await page.getByRole("checkbox", { name: `Choose ${id}` }).check();
  await page.getByRole("button", { name: "Cancel 2…" }).click();
  await dialog(page).getByLabel("Reason").fill("out of stock");
  await dialog(page).getByRole("button", { name: "Cancel 2" }).click();
  await dialog(page).getByText("Done").nth(1).waitFor();
  for (const id of found) assert.equal((await world.call<{ status: string }>("GET", `/v1/chains/instances/${id}`)).status, "CANCELED");
  await context.close();
});

it("tasks are found by their step, and their answers are those of the version the instance runs by", async () => {
  await world.waiting("U-1");
  const { page, context } = await world.open("/console/tasks?step=nowhere");
  await page.getByText("Nothing waits for a person.").waitFor();
  await page.getByLabel("Step").fill("review");
  await page.getByLabel("Step").press("Enter");
  await page.getByRole("row", { name: /U-1/ }).waitFor();
  await context.close();
});

it("colors are turned and remembered, and a narrow page has a menu", async () => {
  const { page, context } = await world.open("/", { width: 360 });
  const theme = () => page.evaluate(() => document.documentElement.dataset["theme"]);
  assert.equal(await theme(), "system");
  await page.getByRole("button", { name: "Colors: system" }).click();
  await page.getByRole("button", { name: "Colors: light" }).click();
  assert.equal(await theme(), "dark");
  await page.reload();
  await page.getByRole("button", { name: "Colors: dark" }).waitFor();
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Timers" }).click();
  await page.locator("h1", { hasText: "Timers" }).waitFor();
  await context.close();
});

it("what an error code means can be read", async () => {
  const { page, context } = await world.open("/console/settings");
  const [other] = await Promise.all([context.waitForEvent("page"), page.getByRole("link", { name: "Error codes" }).click()]);
  await other.getByRole("link", { name: "LEASE_LOST" }).click();
  await other.locator("h1", { hasText: "LEASE_LOST" }).waitFor();
  await context.close();
});
