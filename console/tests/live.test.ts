// What happens shows by itself, also after the server was gone.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { World } from "./world.js";

let world: World;
before(async () => void (world = await World.start()));
after(() => world.stop());

it("a list and an instance follow what others do", async () => {
  const { page, context } = await world.open("/console/instances");
  await page.getByText("Live", { exact: true }).waitFor();
  const id = await world.loan("V-1");
  await page.getByRole("link", { name: /V-1/ }).click();
  await page.locator("h1", { hasText: "Active" }).waitFor();
  await world.check(700, id);
  await page.locator("h1", { hasText: "Waiting" }).waitFor();
  await world.call("POST", `/v1/instances/${id}/user-tasks/review/complete`, { variables: { decision: "REJECTED" } });
  await page.locator("h1", { hasText: "Completed" }).waitFor();
  await context.close();
});

it("a server that is killed takes nothing from the screen, and what it did meanwhile shows when it is back", async () => {
  const id = await world.waiting("D-1");
  const { page, context } = await world.open(`/console/processes/${id}`);
  await page.locator("h1", { hasText: "Waiting" }).waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  await world.server.kill();
  await page.getByText("Server lost").waitFor();
  await page.locator("h1", { hasText: "D-1" }).waitFor();
  await world.server.again();
  await world.call("POST", `/v1/instances/${id}/user-tasks/review/complete`, { variables: { decision: "REJECTED" } });
  await page.locator("h1", { hasText: "Completed" }).waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
  await context.close();
});

it("many changes at once are shown together, not one by one", async () => {
  const { page, context } = await world.open("/console/instances");
  await page.getByText("Live", { exact: true }).waitFor();
  let asked = 0;
  page.on("request", (request) => (asked += request.url().includes("/v1/instances?") ? 1 : 0));
  const began = Date.now();
  await Promise.all(Array.from({ length: 200 }, (_, at) => world.loan(`M-${at}`)));
  await page.getByText("202 instances").waitFor();
  // Less than two looks a second, and never one for each change.
  const most = 3 + (2 * (Date.now() - began)) / 1_000;
  assert.ok(asked <= most, `${asked} looks, at most ${most} would do`);
  await context.close();
});
