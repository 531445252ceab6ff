// Where the server asks who comes: the form, what is kept, and those who may only look.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { Page } from "playwright-core";
import { violations, World } from "./world.js";

let world: World;
before(async () => void (world = await World.asking()));
after(() => world.stop());

/** Before somebody has signed in, everything is refused; that is the story here. */
const refused = /\/(v1|api)\//;

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

async function signIn(page: Page, id: string, secret: string): Promise<void> {
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.getByLabel("Client id").fill(id);
  await page.getByLabel("Secret").fill(secret);
  await page.locator("main").getByRole("button", { name: "Sign in" }).click();
}

/** A client of the server that may only look: its id and secret. */
async function viewer(): Promise<[string, string]> {
  const made = await world.call<{ clientId: string; clientSecret: string }>("POST", "/api/account/m2m", { tenantId: "default-tenant", userId: "vera", roles: ["ROLE_VIEWER"] });
  return [made.clientId, made.clientSecret];
}

for (const path of ["/", "/console/instances", "/console/entities", "/console/tasks"]) {
  it(`${path} asks who comes`, async () => {
    const { page, context } = await world.open(path);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.deepEqual(await violations(page), []);
    await context.close();
  });
}

it("a wrong secret is told, a right one opens the page, which is live and stays so over a reload", async () => {
  await world.loan("I-1");
  const { page, context, trouble } = await world.open("/console/instances", { refused });
  await signIn(page, "first", "wrong");
  await page.getByRole("alert").waitFor();
  await signIn(page, "first", "s3cret");
  await page.getByRole("link", { name: /I-1/ }).waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  await world.loan("I-2");
  await page.getByRole("link", { name: /I-2/ }).waitFor();
  assert.deepEqual(await context.cookies(), []);
  await page.reload();
  await page.getByRole("link", { name: /I-1/ }).waitFor();
  await button(page, /^Sign out/).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.deepEqual(trouble, []);
  await context.close();
});

it("what is done with a reason is kept with it and with whoever did it", async () => {
  const id = await world.failed("I-3");
  const { page, context } = await world.open(`/console/processes/${id}`);
  await signIn(page, "first", "s3cret");
  await button(page, "Retry…").click();
  await page.getByRole("dialog").getByLabel("Reason").fill("the bank is open again – says Müller");
  await page.getByRole("dialog").getByRole("button", { name: "Try again" }).click();
  await page.locator("h1", { hasText: "Active" }).waitFor();
  const audit = await world.call<{ items: { kind: string; user?: string; detail?: string }[] }>("GET", `/v1/instances/${id}/audit`);
  const retried = audit.items.find((it) => it.kind === "STEP_RETRIED");
  assert.deepEqual([retried?.user, retried?.detail], ["admin", "the bank is open again – says Müller"]);
  await context.close();
});

it("whoever may only look sees everything and has no buttons that change it", async () => {
  const id = await world.waiting("I-4");
  const { page, context, trouble } = await world.open(`/console/processes/${id}`, { refused });
  await signIn(page, ...(await viewer()));
  await page.locator("h1", { hasText: "Waiting" }).waitFor();
  assert.equal(await button(page, "Cancel…").count(), 0);
  assert.equal(await button(page, /^Complete/).count(), 0);
  await page.getByText("Live", { exact: true }).waitFor();
  assert.deepEqual(trouble, []);
  await context.close();
});
