import assert from "node:assert/strict";
import { test } from "node:test";

import { ChainWorker, JobWorker } from "@waypost/worker";

import { during, eventually, Gate, Heard, World } from "./world.js";

const world = new World();

test("jobs go on where they were after the server was killed", async () => {
  await world.deploy("killed", ["killed-1", "killed-2", "killed-3"]);
  const count = 60;
  const ids = await Promise.all(
    Array.from({ length: count }, async () => {
      return (await world.client.processes.start({ definitionId: "killed" })).id;
    }),
  );
  const heard = new Heard();
  const [halfway, back] = [new Gate(), new Gate()];
  let runs = 0;
  const worker = new JobWorker({ url: world.url, concurrency: 8, ...heard });
  for (const jobType of ["killed-1", "killed-2", "killed-3"]) {
    worker.register(jobType, async () => {
      runs += 1;
      // From here on functions end only when the server is away: their reports must wait for it.
      if (runs === count) halfway.open();
      if (runs >= count) await back.opened;
      return { [jobType]: true };
    });
  }
  await during(worker, async () => {
    await halfway.opened;
    await world.server.kill();
    back.open();
    await eventually("the worker notices", () => heard.first("unreachable"));
    await world.server.again();
    for (const id of ids) {
      const seen = await world.ended(id);
      assert.equal(seen.status, "COMPLETED");
      assert.deepEqual(Object.keys(seen.variables).sort(), ["killed-1", "killed-2", "killed-3"]);
    }
  });
  // Leases outlive the server: what was held was reported, and not done again.
  assert.equal(runs, 3 * count);
  // The answer to a report may be lost with the server; said again, it comes too late.
  const usual = heard.kinds().filter((it) => it === "unreachable" || it === "stale");
  assert.deepEqual(heard.kinds(), usual);
});

test("steps of chains go on where they were after the server was killed", async () => {
  await world.client.chains.deploy({
    workflowType: "killed",
    workflowVersion: 1,
    steps: [{ stepType: "ONE" }, { stepType: "TWO" }],
  });
  const heard = new Heard();
  const [begun, back] = [new Gate(), new Gate()];
  const runs: string[] = [];
  const worker = new ChainWorker({ url: world.url, ...heard });
  for (const stepType of ["ONE", "TWO"]) {
    worker.register("killed", stepType, async () => {
      runs.push(stepType);
      begun.open();
      await back.opened;
    });
  }
  const { instanceId } = await world.client.chains.start({ workflowType: "killed" });
  await during(worker, async () => {
    await begun.opened;
    await world.server.kill();
    back.open();
    await eventually("the worker notices", () => heard.first("unreachable"));
    await world.server.again();
    await eventually("the chain ends", async () => {
      return (await world.client.chains.show(instanceId)).status === "COMPLETED" || undefined;
    });
  });
  assert.deepEqual(runs, ["ONE", "TWO"]);
});
