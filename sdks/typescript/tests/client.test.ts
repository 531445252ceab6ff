import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";

import { Client, JobWorker, WaypostError } from "@waypost/worker";

import { World } from "./world.js";

const world = new World();

/** What a request that fails is refused with. */
async function refused(request: Promise<unknown>): Promise<WaypostError> {
  const error = await request.then(
    () => assert.fail("it was carried out"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof WaypostError, String(error));
  return error;
}

test("a refusal has the server's code and words", async () => {
  const missing = await refused(world.client.processes.show("01J00000000000000000000000"));
  assert.deepEqual([missing.kind, missing.status, missing.code], ["refused", 404, "INSTANCE_NOT_FOUND"]);
  assert.equal(missing.isRetryable, false);
  const broken = await refused(world.client.processes.upload({ id: "x", name: "X", steps: [] }));
  assert.match(broken.message, /DEFINITION_INVALID: .*steps must not be empty/s);
  const chain = await refused(world.client.chains.start({ workflowType: "nobody-knows" }));
  assert.deepEqual([chain.code, chain.status], ["DEFINITION_NOT_FOUND", 404]);
});

test("a server that is away is told from one that did not answer", async () => {
  // A place where nobody listens, and one where somebody hangs up.
  const mute = createServer((socket: Socket) => socket.once("data", () => socket.destroy()));
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
  const { port } = mute.address() as { port: number };
  const url = `http://ann:secret@127.0.0.1:${port}`;
  const interrupted = await refused(new Client(url).processes.list());
  await new Promise((resolve) => mute.close(resolve));
  const unreachable = await refused(new Client(url).processes.list());
  assert.deepEqual([interrupted.kind, interrupted.isRetryable], ["interrupted", true]);
  assert.deepEqual([unreachable.kind, unreachable.isRetryable], ["unreachable", true]);
  assert.doesNotMatch(interrupted.message + unreachable.message, /secret/);
});

test("a connection that the server has closed meanwhile is replaced, if that does no harm", async () => {
  const seen: string[] = [];
  const server = createServer((socket: Socket) => {
    let requests = 0;
    socket.on("data", (bytes) => {
      seen.push(bytes.toString().split(" ")[0] ?? "");
      requests += 1;
      // Each connection is good for one request, and does not say so.
      if (requests > 1) socket.resetAndDestroy();
      else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const client = new Client(`http://127.0.0.1:${port}`);
  await client.processes.list();
  await client.processes.list();
  await client.processes.start({ definitionId: "x" });
  assert.deepEqual(seen, ["GET", "GET", "GET", "POST", "POST"]);
  // Whether the signal was taken is for the caller to find out.
  const error = await refused(client.processes.signal("i", "s"));
  assert.deepEqual([error.kind, seen.length], ["interrupted", 6]);
  client.close();
  await new Promise((resolve) => server.close(resolve));
});

test("what is no Waypost server is said to be none", async () => {
  const other = createServer((socket: Socket) => {
    socket.once("data", () => socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nhello"));
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as { port: number };
  const error = await refused(new Client(`http://127.0.0.1:${port}`).processes.list());
  await new Promise((resolve) => other.close(resolve));
  assert.deepEqual([error.kind, error.status, error.isRetryable], ["unexpected", 404, false]);
  assert.match(error.message, /hello/);
});

test("starting twice with one key is starting once", async () => {
  await world.deploy("SHOP::order", ["never-done"]);
  const start = { definitionId: "SHOP::order", businessKey: "o 1/ä?", variables: { n: 1 } };
  const first = await world.client.processes.start(start, "key-1");
  assert.equal((await world.client.processes.start(start, "key-1")).id, first.id);
  const duplicate = await refused(world.client.processes.start(start));
  assert.equal(duplicate.code, "DUPLICATE_BIZ_KEY");
  const found = await world.client.processes.list({ businessKey: "o 1/ä?", status: "ACTIVE" });
  assert.deepEqual(found.items.map((it) => it.id), [first.id]);
  const { name } = await world.client.processes.definition("SHOP::order", 1);
  assert.equal(name, "SHOP::order");
  const canceled = await world.client.processes.cancel(first.id, "ordered twice");
  assert.deepEqual([canceled.status, canceled.failureReason], ["CANCELLED", "ordered twice"]);
});

test("a wait is signaled, a task of a person completed, and a failed step tried again", async () => {
  const { processes } = world.client;
  await processes.upload({
    id: "steered",
    name: "Steered",
    steps: [
      { id: "paid", name: "Paid", type: "WAIT", nextStep: "approve" },
      { id: "approve", name: "Approve", type: "USER_TASK", nextStep: "ship" },
      { id: "ship", name: "Ship", type: "SERVICE_TASK", jobType: "steered-ship", nextStep: "end" },
      { id: "end", name: "End", type: "END" },
    ],
  });
  const { id } = await processes.start({ definitionId: "steered" });
  await processes.signal(id, "paid", { by: "card" });
  const early = await refused(processes.signal(id, "paid"));
  assert.equal(early.code, "SIGNAL_NOT_AWAITED");
  const [task] = await processes.userTasks({ definitionId: "steered" });
  assert.deepEqual([task?.instanceId, task?.stepId], [id, "approve"]);
  await processes.completeUserTask(id, "approve", { completedBy: "ann", variables: { ok: true } });
  let hasStreet = false;
  const worker = new JobWorker({ url: world.url, onNotice: () => undefined });
  worker.register<{ street?: string }>("steered-ship", (job) => {
    hasStreet = job.variables.street !== undefined;
    if (!hasStreet) throw new Error("no such street");
  });
  await worker.runOnce();
  const failed = await processes.show(id);
  assert.deepEqual([failed.status, failed.failureReason], ["FAILED", "no such street"]);
  await processes.retry(id, "ship", { street: "Main Street 1" });
  await worker.runOnce();
  const seen = await processes.show(id);
  assert.equal(seen.status, "COMPLETED");
  assert.deepEqual(seen.variables, { by: "card", ok: true, street: "Main Street 1" });
});
