import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import {
  ChainWorker,
  completed,
  dead,
  FatalError,
  retry,
  RetryableError,
  waiting,
  type ChainDetail,
  type StepFunction,
  type Task,
} from "@waypost/worker";

import { during, eventually, Gate, Heard, World } from "./world.js";

const world = new World();

async function deploy(workflowType: string, stepTypes: string[]): Promise<void> {
  const steps = stepTypes.map((stepType) => ({ stepType, maxAttempts: 3 }));
  await world.client.chains.deploy({ workflowType, workflowVersion: 1, steps });
}

async function ended(id: string): Promise<ChainDetail> {
  return eventually(`${id} ends`, async () => {
    const seen = await world.client.chains.show(id);
    return seen.status === "RUNNING" ? undefined : seen;
  });
}

/** Runs a chain of one step with `run`. */
async function alone(workflowType: string, run: StepFunction): Promise<ChainDetail> {
  await deploy(workflowType, ["ONLY"]);
  const worker = new ChainWorker({ url: world.url, ...new Heard() });
  worker.register(workflowType, "ONLY", run);
  const { instanceId } = await world.client.chains.start({ workflowType, context: { n: 1 } });
  return during(worker, () => ended(instanceId));
}

test("steps follow each other, and what they say is in the context", async () => {
  await deploy("order", ["VALIDATE", "PAY", "SHIP"]);
  const seen: Task[] = [];
  const worker = new ChainWorker({ url: world.url })
    .register<{ amount: number }>("order", "VALIDATE", async (task) => {
      return completed({ contextPatch: { amount: task.context.amount * 2 } });
    })
    .register("order", "PAY", (task) => {
      seen.push(task);
      if (task.wake === undefined) return waiting("PAID", { contextPatch: { asked: true } });
      const outboundEvents = [{ eventType: "PAYMENT_TAKEN", payload: task.wake.payload }];
      return completed({ contextPatch: { by: task.wake.payload }, outboundEvents });
    })
    .register("order", "SHIP", () => {});
  const { chains } = world.client;
  const context = { amount: 5, note: "gift" };
  const { instanceId } = await chains.start({ workflowType: "order", bizKey: "o-1", context });
  const shown = await during(worker, async () => {
    await eventually("it waits", async () => {
      return (await chains.list({ awaits: "PAID", bizKey: "o-1" })).items[0];
    });
    const signal = { eventType: "PAID", eventId: "e-1", payload: { card: "visa" } };
    assert.equal(await chains.signal(instanceId, signal), "WOKEN");
    assert.equal(await chains.signal(instanceId, signal), "DUPLICATE");
    return ended(instanceId);
  });
  const expected = { amount: 10, note: "gift", asked: true, by: { card: "visa" } };
  assert.deepEqual([shown.status, shown.context], ["COMPLETED", expected]);
  assert.deepEqual(seen.map((it) => it.wake?.eventType), [undefined, "PAID"]);
});

test("a wait that is over has the step executed as a time-out", async () => {
  const types: string[] = [];
  const shown = await alone("overdue", (task) => {
    types.push(task.taskType);
    return task.taskType === "READY_STEP" ? waiting("PAID", { timeoutMs: 50 }) : undefined;
  });
  assert.equal(shown.status, "COMPLETED");
  assert.deepEqual(types, ["READY_STEP", "WAITING_TIMEOUT"]);
});

test("a step that fails is tried again", async () => {
  const errors: (string | null | undefined)[] = [];
  let tries = 0;
  const shown = await alone("again", async (task) => {
    tries += 1;
    const [step] = (await world.client.chains.show(task.instanceId)).steps;
    errors.push(step?.lastError);
    if (tries === 1) return retry("not yet", { backoffMs: 1 });
    if (tries === 2) throw new RetryableError("still not", { backoffMs: 1 });
    return undefined;
  });
  assert.equal(shown.status, "COMPLETED");
  assert.deepEqual(errors, [null, "not yet", "still not"]);
  assert.equal(shown.steps[0]?.attempts, 2);
});

test("a step says how long to wait before it is tried again", async () => {
  await deploy("patient", ["SAYS"]);
  const worker = new ChainWorker({ url: world.url, ...new Heard() });
  worker.register("patient", "SAYS", () => retry("later", { backoffMs: 3_600_000 }));
  worker.register("thrown", "ONLY", () => {
    throw new RetryableError("later", { backoffMs: 3_600_000 });
  });
  await deploy("thrown", ["ONLY"]);
  for (const workflowType of ["patient", "thrown"]) {
    const { instanceId } = await world.client.chains.start({ workflowType });
    await worker.runOnce();
    const [step] = (await world.client.chains.show(instanceId)).steps;
    assert.deepEqual([step?.status, step?.attempts, step?.lastError], ["READY", 1, "later"]);
    assert.ok(Date.parse(step?.nextRunAt ?? "") > Date.now() + 3_000_000, step?.nextRunAt ?? "");
  }
});

test("a step that can never succeed ends the chain", async () => {
  let tries = 0;
  const fatal = await alone("fatal", () => {
    tries += 1;
    throw new FatalError("no such street");
  });
  const said = await alone("dead", () => dead("no such town"));
  const absurd = await alone("absurd", (() => ({ kind: "COMPLETED" })) as unknown as StepFunction);
  const of = (shown: ChainDetail) => [shown.status, shown.steps[0]?.status, shown.steps[0]?.lastError];
  assert.deepEqual(of(fatal), ["FAILED", "DEAD", "no such street"]);
  assert.equal(tries, 1);
  assert.deepEqual(of(said), ["FAILED", "DEAD", "no such town"]);
  assert.deepEqual(of(absurd), ["FAILED", "DEAD", "what the function returned is no verdict"]);
});

test("what a step says that cannot be is a failure of the step", async () => {
  let tries = 0;
  const loop: Record<string, unknown> = {};
  loop["loop"] = loop;
  const shown = await alone("impossible", async (task) => {
    tries += 1;
    if (tries === 1) return completed({ contextPatch: loop });
    if (tries === 2) {
      const outboundEvents = [{ eventType: "X", eventId: "not a UUID" }];
      return completed({ outboundEvents });
    }
    const [step] = (await world.client.chains.show(task.instanceId)).steps;
    return dead(`at last, after ${step?.lastError}`);
  });
  assert.equal(tries, 3);
  assert.match(shown.steps[0]?.lastError ?? "", /EVENT_ID_NOT_UUIDV7/);
});

test("a lease is kept while a step is executed", async () => {
  await deploy("long", ["LONG"]);
  const heard = new Heard();
  let runs = 0;
  const worker = new ChainWorker({ url: world.url, leaseMs: 5_000, ...heard });
  worker.register("long", "LONG", async () => {
    runs += 1;
    await sleep(6_000);
  });
  const { instanceId } = await world.client.chains.start({ workflowType: "long" });
  const shown = await during(worker, () => ended(instanceId));
  assert.deepEqual([shown.status, runs, heard.kinds()], ["COMPLETED", 1, []]);
});

test("a step is told when its chain is canceled", async () => {
  await deploy("canceled", ["LONG"]);
  const heard = new Heard();
  const begun = new Gate();
  const worker = new ChainWorker({ url: world.url, leaseMs: 3_000, ...heard });
  worker.register("canceled", "LONG", async (_, { signal }) => {
    begun.open();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  const { instanceId } = await world.client.chains.start({ workflowType: "canceled" });
  await during(worker, async () => {
    await begun.opened;
    await world.client.chains.cancel(instanceId, "ordered twice");
    await eventually("the step is told", () => heard.first("lost"));
  });
  assert.deepEqual(heard.kinds(), ["lost"]);
});

test("a report that comes too late is noticed", async () => {
  await deploy("stale", ["STALE"]);
  const heard = new Heard();
  const worker = new ChainWorker({ url: world.url, leaseMs: 1_000, ...heard });
  let runs = 0;
  worker.register("stale", "STALE", () => {
    runs += 1;
    if (runs > 1) return;
    // Nothing else runs meanwhile, so that nobody keeps the lease.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_000);
  });
  const { instanceId } = await world.client.chains.start({ workflowType: "stale" });
  const shown = await during(worker, () => ended(instanceId));
  assert.deepEqual([shown.status, runs, heard.kinds()], ["COMPLETED", 2, ["stale"]]);
});

test("a worker that is told to stop finishes what it has begun", async () => {
  await deploy("drained", ["DRAINED"]);
  const [begun, finish] = [new Gate(), new Gate()];
  const worker = new ChainWorker({ url: world.url, concurrency: 1 });
  worker.register("drained", "DRAINED", async () => {
    begun.open();
    await finish.opened;
  });
  const first = await world.client.chains.start({ workflowType: "drained" });
  const second = await world.client.chains.start({ workflowType: "drained" });
  await during(worker, async () => {
    await begun.opened;
    setTimeout(finish.open, 100);
  });
  assert.equal((await world.client.chains.show(first.instanceId)).status, "COMPLETED");
  assert.equal((await world.client.chains.show(second.instanceId)).status, "RUNNING");
  assert.equal(await worker.runOnce(), 1);
  assert.equal((await world.client.chains.show(second.instanceId)).status, "COMPLETED");
});

test("a step that is handed over just as the worker stops is given back", async () => {
  await deploy("handed", ["ONLY"]);
  let runs = 0;
  const worker = new ChainWorker({ url: world.url }).register("handed", "ONLY", () => {
    runs += 1;
  });
  const stop = new AbortController();
  const running = worker.run(stop.signal);
  const first = await world.client.chains.start({ workflowType: "handed" });
  await ended(first.instanceId);
  // The worker waits for steps by now.
  stop.abort();
  const { instanceId } = await world.client.chains.start({ workflowType: "handed" });
  await running;
  assert.equal(runs, 1);
  const [step] = (await world.client.chains.show(instanceId)).steps;
  assert.deepEqual([step?.status, step?.attempts], ["READY", 0]);
});

test("two functions for one step are refused", () => {
  const worker = new ChainWorker({ url: world.url }).register("twice", "X", () => {});
  worker.register("twice", "Y", () => {});
  assert.throws(() => worker.register("twice", "X", () => {}), /twice\/X has two functions/);
});
