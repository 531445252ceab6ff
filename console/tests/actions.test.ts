// Everything that can be done, done in the browser and looked for on the server.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { Page } from "playwright-core";
import { violations, World } from "./world.js";

let world: World;
before(async () => void (world = await World.start()));
after(() => world.stop());

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const dialog = (page: Page) => page.getByRole("dialog");

it("a person finds a task, is offered the answers that count, and completes it", async () => {
  const id = await world.waiting("T-1");
  const { page, context, trouble } = await world.open("/console/tasks");
  await button(page, /Complete….*T-1/).click();
  await button(dialog(page) as unknown as Page, "decision = APPROVED").click();
  assert.deepEqual(await violations(page), []);
  await button(dialog(page) as unknown as Page, "Complete it").click();
  await dialog(page).waitFor({ state: "detached" });
  await page.getByText("Nothing waits for a person.").waitFor();
  const { currentStepIds } = await world.call<{ currentStepIds: string[] }>("GET", `/v1/instances/${id}`);
  assert.deepEqual(currentStepIds, ["paid"]);
  assert.deepEqual(trouble, []);
  await context.close();
});

it("a signal that is no JSON is told so, and a good one lets the process end before our eyes", async () => {
  const id = await world.waiting("S-1");
  await world.call("POST", `/v1/instances/${id}/user-tasks/review/complete`, { variables: { decision: "APPROVED" } });
  const { page, context } = await world.open(`/console/processes/${id}`);
  await button(page, "Signal…").click();
  await dialog(page).getByRole("textbox").first().fill("{nothing");
  await dialog(page).getByRole("button", { name: "Send the signal" }).click();
  await dialog(page).getByRole("alert").getByText("The variables are not JSON").waitFor();
  await dialog(page).getByRole("textbox").first().fill('{"paid": true}');
  await dialog(page).getByRole("button", { name: "Send the signal" }).click();
  await page.locator("h1", { hasText: "Completed" }).waitFor();
  assert.equal(await world.status(id), "COMPLETED");
  await context.close();
});

it("a failed process is tried again with other variables", async () => {
  const id = await world.failed("R-1");
  const { page, context } = await world.open(`/console/processes/${id}`);
  await page.locator("h1", { hasText: "Failed" }).waitFor();
  await button(page, "Retry…").click();
  await dialog(page).getByRole("textbox").first().fill('{"income": 4000}');
  await dialog(page).getByRole("button", { name: "Try again" }).click();
  await page.locator("h1", { hasText: "Active" }).waitFor();
  const { variables } = await world.call<{ variables: { income: number } }>("GET", `/v1/instances/${id}`);
  assert.equal(variables.income, 4000);
  await world.check(700, id);
  await page.locator("h1", { hasText: "Waiting" }).waitFor();
  await context.close();
});

it("a process is canceled with a reason that is kept", async () => {
  const id = await world.loan("C-1");
  const { page, context } = await world.open(`/console/processes/${id}`);
  await button(page, "Cancel…").click();
  await dialog(page).getByRole("textbox").first().fill("asked for twice");
  await dialog(page).getByRole("button", { name: "Cancel it" }).click();
  await page.locator(".reason", { hasText: "asked for twice" }).waitFor();
  assert.equal(await world.status(id), "CANCELLED");
  await context.close();
});

it("what the server refuses is shown with its code", async () => {
  const id = await world.waiting("X-1");
  const { page, context } = await world.open("/console/tasks");
  await button(page, /Complete….*X-1/).click();
  await world.call("POST", `/v1/instances/${id}/cancel`, { reason: "too late" });
  await dialog(page).getByRole("button", { name: "Complete it" }).click();
  await dialog(page).getByRole("alert").getByRole("link", { name: /^[A-Z_]+$/ }).waitFor();
  await context.close();
});

it("failures with one cause are tried again together, after a look at them", async () => {
  const found = [await world.failed("G-1"), await world.failed("G-2"), await world.failed("G-3")];
  const { page, context } = await world.open("/console/incidents");
  await button(page, /^Retry 3…$/).click();
  await dialog(page).getByText("G-2").waitFor();
  await dialog(page).getByRole("button", { name: "Retry 3" }).click();
  await dialog(page).getByText("Done").nth(2).waitFor();
  for (const id of found) assert.equal(await world.status(id), "ACTIVE");
  await dialog(page).getByRole("button", { name: "Close" }).click();
  await page.getByText("No process has failed.").waitFor();
  for (const id of found) await world.call("POST", `/v1/instances/${id}/cancel`, {});
  await context.close();
});

it("several instances are chosen and canceled; those that have ended stay", async () => {
  const under = await world.loan("B-1");
  const over = await world.loan("B-2");
  await world.call("POST", `/v1/instances/${over}/cancel`, { reason: "before" });
  const { page, context } = await world.open("/console/instances");
  await page.getByRole("checkbox", { name: `Choose ${under}` }).check();
  await page.getByRole("checkbox", { name: `Choose ${over}` }).check();
  await button(page, "Cancel 1…").click();
  await dialog(page).getByText("1 other cannot be").waitFor();
  await dialog(page).getByRole("button", { name: "Cancel 1" }).click();
  await dialog(page).getByText("Done").waitFor();
  assert.equal(await world.status(under), "CANCELLED");
  await context.close();
});

it("a chain is signaled and canceled", async () => {
  const id = await world.order("K-1");
  const { page, context } = await world.open(`/console/chains/${id}?tab=history`);
  await button(page, "Signal…").click();
  await dialog(page).getByLabel("Event").fill("PAID");
  await dialog(page).getByRole("button", { name: "Send the signal" }).click();
  await page.getByText("Signal buffered").waitFor();
  await button(page, "Cancel…").click();
  await dialog(page).getByRole("textbox").first().fill("sold out");
  await dialog(page).getByRole("button", { name: "Cancel it" }).click();
  await page.locator(".reason", { hasText: "sold out" }).waitFor();
  await context.close();
});

it("an entity takes a transition, and what it was can be looked at", async () => {
  const id = await world.invoice("E-1");
  const { page, context } = await world.open(`/console/entities/${id}`);
  await button(page, "SEND…").click();
  await dialog(page).getByRole("button", { name: "SEND" }).click();
  await page.locator("h1", { hasText: "SENT" }).waitFor();
  await button(page, "PAY…").waitFor();
  await page.getByRole("button", { name: "A moment earlier" }).click();
  await page.getByRole("button", { name: "A moment earlier" }).click();
  await page.locator("h1", { hasText: "DRAFT" }).waitFor();
  assert.equal(await button(page, "PAY…").count(), 0);
  await context.close();
});

it("a process is shown as it was at a moment, on every tab", async () => {
  const id = await world.failed("P-1");
  await world.call("POST", `/v1/instances/${id}/steps/check/retry`, { variables: { income: 1 } });
  await world.check(700, id);
  const { page, context, trouble } = await world.open(`/console/processes/${id}?tab=variables`);
  await page.getByText("Variables now").waitFor();
  await page.getByRole("rowheader", { name: "income" }).waitFor();
  await page.getByRole("slider").fill("1");
  await page.getByText("Variables at that moment").waitFor();
  await page.getByText("It knows nothing.").waitFor();
  await page.getByText("It failed at").waitFor();
  await page.getByRole("link", { name: "Diagram", exact: true }).click();
  await page.locator(".node.is-failed .name", { hasText: "Check income" }).waitFor();
  await page.getByRole("link", { name: "Jobs", exact: true }).click();
  assert.equal(await page.locator("tbody tr").count(), 1);
  await page.getByRole("button", { name: "A moment later" }).click();
  await page.getByRole("link", { name: "Variables", exact: true }).click();
  await page.locator("tr.new", { hasText: "income" }).waitFor();
  assert.equal(await page.getByRole("rowheader", { name: "score" }).count(), 0, "that came later");
  await button(page, "Back to now").click();
  await page.getByRole("rowheader", { name: "score" }).waitFor();
  assert.deepEqual(trouble, []);
  await context.close();
});

it("variables are compared between any two moments", async () => {
  const id = await world.failed("P-2");
  await world.call("POST", `/v1/instances/${id}/steps/check/retry`, { variables: { income: 1 } });
  await world.check(700, id);
  const { page, context } = await world.open(`/console/processes/${id}?tab=variables`);
  await page.locator("tr.new", { hasText: "score" }).waitFor();
  assert.equal(await page.locator("tr.new", { hasText: "income" }).count(), 0, "that was there before");
  await page.getByLabel("Compared with").selectOption({ index: 0 });
  await page.locator("tr.new", { hasText: "income" }).waitFor();
  await context.close();
});

it("two versions of a definition are compared", async () => {
  const { page, context } = await world.open("/console/definitions/process/loan?version=1&tab=diff");
  await page.getByLabel("Compared with").waitFor();
  await page.locator(".source .gone", { hasText: "Loan, renamed" }).waitFor();
  await page.locator(".source .added", { hasText: '"Loan"' }).waitFor();
  await context.close();
});

it("keys lead everywhere, and an instance is found by its business key", async () => {
  const id = await world.loan("Q-1");
  const { page, context, trouble } = await world.open("/", { refused: /instances\/[^/]+$/ });
  await page.keyboard.press("?");
  await dialog(page).getByText("Next row").waitFor();
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press("Escape");
  await dialog(page).waitFor({ state: "detached" });
  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await page.getByRole("link", { name: /Q-1/ }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.locator("h1", { hasText: "Q-1" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type(id);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/console/processes/${id}`);
  await page.keyboard.press("/");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("Q-1");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/console/instances?key=Q-1");
  await page.getByText("1 instance", { exact: true }).waitFor();
  assert.deepEqual(trouble, []);
  await context.close();
});
