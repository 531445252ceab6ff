// Whatever happens to the server or the stream, what is on the screen becomes true again.

import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { World } from "./world.js";

let world: World;
before(async () => void (world = await World.start()));
after(() => world.stop());

const STREAM = "**/v1/events/stream";

it("what happened while pages were cut off shows on all of them when they are back", async () => {
  const id = await world.waiting("D-1");
  const { page, context } = await world.open(`/console/processes/${id}`);
  const [list, tasks] = [await context.newPage(), await context.newPage()];
  await list.goto(`${world.server.url}/console/instances`);
  await tasks.goto(`${world.server.url}/console/tasks`);
  await page.locator("h1", { hasText: "Waiting" }).waitFor();
  await list.getByRole("row", { name: /D-1/ }).getByText("Waiting").waitFor();
  await tasks.getByRole("row", { name: /D-1/ }).waitFor();
  for (const it of [page, list, tasks]) await it.getByText("Live", { exact: true }).waitFor();
  // Nobody hears anything until the change is made.
  await context.route(STREAM, (route) => route.abort());
  await world.server.kill();
  for (const it of [page, list, tasks]) await it.getByText("Server lost").waitFor();
  await world.server.again();
  await world.call("POST", `/v1/instances/${id}/user-tasks/review/complete`, { variables: { decision: "REJECTED" } });
  await page.locator("h1", { hasText: "Waiting" }).waitFor();
  await context.unroute(STREAM);
  await page.locator("h1", { hasText: "Completed" }).waitFor();
  await list.getByRole("row", { name: /D-1/ }).getByText("Completed").waitFor();
  await tasks.getByText("Nothing waits for a person.").waitFor();
  for (const it of [page, list, tasks]) {
    await it.getByText("Live", { exact: true }).waitFor();
    assert.equal(await it.getByRole("alert").count(), 0);
  }
  await context.close();
});

it("a page looks by itself where the stream has no seat, and is live once there is one", async () => {
  const { page, context } = await world.open("/console/instances");
  await page.getByText("Live", { exact: true }).waitFor();
  await context.route(STREAM, (route) => route.fulfill({ status: 503, body: "{}" }));
  await page.reload();
  await page.getByText("Every 3 s").waitFor();
  await world.loan("N-1");
  await page.getByRole("link", { name: /N-1/ }).waitFor();
  await context.unroute(STREAM);
  await page.getByText("Live", { exact: true }).waitFor();
  await context.close();
});

it("a server that forgot everything is followed from where it begins", async () => {
  for (const key of ["W-1", "W-2", "W-3", "W-4"]) await world.loan(key);
  const { page, context } = await world.open("/console/instances");
  await page.getByRole("link", { name: /W-4/ }).waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  await world.server.kill();
  for (const end of ["", "-wal", "-shm"]) await rm(join(world.server.folder, `test.db${end}`), { force: true });
  await world.server.again();
  await page.getByText("Live", { exact: true }).waitFor();
  await page.getByRole("link", { name: /W-4/ }).waitFor({ state: "detached" });
  await world.deploy();
  const id = await world.loan("W-5");
  await page.getByRole("link", { name: /W-5/ }).click();
  await page.locator("h1", { hasText: "Active" }).waitFor();
  await world.call("POST", `/v1/instances/${id}/cancel`, {});
  await page.locator("h1", { hasText: "Cancelled" }).waitFor();
  await context.close();
});
