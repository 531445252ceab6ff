// What the server says is what the page shows: names of members that differ show as nothing at all.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { World } from "./world.js";

let world: World;
before(async () => void (world = await World.start()));
after(() => world.stop());

it("a failed step has its badge, and explains who can do what", async () => {
  const id = await world.failed("W-1");
  const { page, context, trouble } = await world.open(`/console/processes/${id}`);
  await page.locator(".node.is-failed .badge.bad", { hasText: "failed" }).waitFor();
  await page.getByRole("heading", { name: "What can happen next" }).waitFor();
  await page.locator(".explain li", { hasText: "by an operator" }).first().waitFor();
  assert.deepEqual(trouble, []);
  await context.close();
});

it("conditions tell what came of them, with the values that decided", async () => {
  const id = await world.waiting("W-2");
  const { page, context } = await world.open(`/console/processes/${id}`);
  const passed = page.locator(".explain li", { hasText: "score < 500" });
  await passed.getByText("false", { exact: true }).waitFor();
  await passed.getByText("score = 700").waitFor();
  await context.close();
});

it("only the way that was gone is marked, not every way between steps that were visited", async () => {
  const id = await world.waiting("W-3");
  await world.call("POST", `/v1/instances/${id}/user-tasks/review/complete`, { variables: { decision: "REJECTED" } });
  const { page, context } = await world.open(`/console/processes/${id}`);
  await page.getByText("The diagram as text").click();
  const route = page.locator(".told li", { hasText: "Route (decision)" });
  const ways = route.locator("span");
  await ways.getByText(/^\s*→ Done \(.*taken\)$/).waitFor();
  assert.equal(await ways.getByText("taken").count(), 1);
  assert.equal(await page.locator(".edge.is-taken").count(), 5);
  await context.close();
});

it("findings lead to the line they are about", async () => {
  const source = await world.call<object>("GET", "/v1/definitions/loose");
  const lines = JSON.stringify(source, null, 2).split("\n");
  const number = 1 + lines.findIndex((it) => it.includes('"1 == 1"'));
  const { page, context, trouble } = await world.open("/console/definitions/process/loose?tab=lint");
  const link = page.locator(".findings a").first();
  const [, found] = (await link.textContent())?.match(/^line (\d+)$/) ?? [];
  assert.ok(Math.abs(Number(found) - number) <= 1, `line ${found}, and the step is at ${number}`);
  await page.locator(`#line-${found}.marked`).waitFor();
  assert.deepEqual(trouble, []);
  await context.close();
});

it("a model shows its workflow", async () => {
  await world.invoice("W-4");
  const { page, context, trouble } = await world.open("/console/models/Invoice/1?tab=workflow");
  await page.locator(".diagram .node.state", { hasText: "DRAFT" }).waitFor();
  await page.locator(".diagram .label", { hasText: "SEND" }).waitFor();
  assert.deepEqual(trouble, []);
  await context.close();
});

it("an old version of a definition has its own diagram", async () => {
  const { page, context } = await world.open("/console/definitions/process/loan?version=1");
  await page.getByRole("img", { name: "Diagram of Loan;" }).waitFor();
  await page.getByRole("link", { name: "v2" }).click();
  await page.getByRole("img", { name: "Diagram of Loan, renamed;" }).waitFor();
  await context.close();
});

it("texts in a diagram are broken as the server has broken them, and stay in the room it left", async () => {
  const id = await world.waiting("W-5");
  const drawn = await world.call<{ edges: { labelLines: string[]; labelArea?: number[] }[] }>("GET", `/v1/instances/${id}/diagram.json`);
  const { page, context } = await world.open(`/console/processes/${id}`);
  await page.locator(".diagram .node").first().waitFor();
  const shown = await page.locator(".diagram .label text").allTextContents();
  assert.deepEqual(shown, drawn.edges.filter((it) => it.labelArea !== undefined).flatMap((it) => it.labelLines));
  await context.close();
});

it("the overview counts what happens by the minute, and what waits", async () => {
  await world.loan("W-6");
  const { page, context, trouble } = await world.open("/");
  await page.getByRole("img", { name: "Started within each of the last 60 minutes" }).waitFor();
  await page.locator(".card", { hasText: "Oldest waiting work" }).getByText("check").waitFor();
  assert.deepEqual(trouble, []);
  await context.close();
});
