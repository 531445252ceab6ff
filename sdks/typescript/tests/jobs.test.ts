import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { FatalError, JobWorker, type Job } from "@waypost/worker";

import { during, eventually, Gate, Heard, World } from "./world.js";

const world = new World();

test("what a function returns becomes variables, and nothing is fine", async () => {
  await world.deploy("returns", ["returns-some", "returns-none"]);
  const worker = new JobWorker({ url: world.url });
  worker.register<{ items: number }>("returns-some", (job) => ({ total: job.variables.items * 450 }));
  worker.register("returns-none", async () => undefined);
  const start = { definitionId: "returns", variables: { items: 3 }, businessKey: "k-1" };
  const { id } = await world.client.processes.start(start);
  const seen = await during(worker, () => world.ended(id));
  assert.equal(seen.status, "COMPLETED");
  assert.deepEqual(seen.variables, { items: 3, total: 1350 });
  const history = await world.client.processes.history(id);
  assert.deepEqual(
    history.map((it) => it.stepId),
    ["returns-some", "returns-none", "end"],
  );
});

test("a job that fails is offered again, and is the same job", async () => {
  await world.deploy("retried", ["retried"], { retryCount: 2 });
  const heard = new Heard();
  const tries: Job[] = [];
  const worker = new JobWorker({ url: world.url, ...heard }).register("retried", (job) => {
    tries.push(job);
    if (tries.length < 3) throw new Error("the bank is away");
    return { tries: tries.length };
  });
  const { id } = await world.client.processes.start({ definitionId: "retried" });
  const seen = await during(worker, () => world.ended(id));
  assert.deepEqual([seen.status, seen.variables], ["COMPLETED", { tries: 3 }]);
  assert.deepEqual(tries.map((it) => it.retriesRemaining), [2, 1, 0]);
  assert.equal(new Set(tries.map((it) => it.stepExecutionId)).size, 1);
  assert.equal(new Set(tries.map((it) => it.id)).size, 3);
  assert.equal(heard.first("failed")?.error.message, "the bank is away");
});

test("a fatal error fails the process at once", async () => {
  await world.deploy("fatal", ["fatal"], { retryCount: 5 });
  let tries = 0;
  const worker = new JobWorker({ url: world.url, ...new Heard() }).register("fatal", () => {
    tries += 1;
    throw new FatalError("items is missing");
  });
  const { id } = await world.client.processes.start({ definitionId: "fatal" });
  const seen = await during(worker, () => world.ended(id));
  assert.deepEqual([seen.status, seen.failureReason, tries], ["FAILED", "items is missing", 1]);
});

test("what is no object of variables fails the process", async () => {
  await world.deploy("no-object", ["no-object"]);
  const loop: Record<string, unknown> = {};
  loop["loop"] = loop;
  for (const returned of [[1, 2], loop, "text" as unknown as object]) {
    const worker = new JobWorker({ url: world.url, ...new Heard() });
    worker.register("no-object", () => returned);
    const { id } = await world.client.processes.start({ definitionId: "no-object" });
    const seen = await during(worker, () => world.ended(id));
    assert.equal(seen.status, "FAILED");
    assert.match(seen.failureReason ?? "", /what the function returned/);
  }
});

test("a worker that is told to stop finishes what it has begun and begins nothing more", async () => {
  await world.deploy("drained", ["drained"]);
  const [begun, finish] = [new Gate(), new Gate()];
  let runs = 0;
  const worker = new JobWorker({ url: world.url, concurrency: 1 }).register("drained", async () => {
    runs += 1;
    begun.open();
    await finish.opened;
    return { drained: true };
  });
  const first = await world.client.processes.start({ definitionId: "drained" });
  const second = await world.client.processes.start({ definitionId: "drained" });
  const stop = new AbortController();
  const running = worker.run(stop.signal);
  await begun.opened;
  stop.abort();
  finish.open();
  await running;
  const seen = await world.client.processes.show(first.id);
  assert.deepEqual([seen.status, seen.variables], ["COMPLETED", { drained: true }]);
  assert.equal((await world.client.processes.show(second.id)).status, "ACTIVE");
  assert.equal(runs, 1);
  // It may begin again, once, without waiting for more.
  assert.equal(await worker.runOnce(), 1);
  assert.equal((await world.client.processes.show(second.id)).status, "COMPLETED");
  assert.equal(await worker.runOnce(), 0);
});

test("no more jobs are taken than functions may run", async () => {
  await world.deploy("crowd", ["crowd"]);
  const counts = { now: 0, most: 0 };
  const worker = new JobWorker({ url: world.url, concurrency: 2 }).register("crowd", async () => {
    counts.now += 1;
    counts.most = Math.max(counts.most, counts.now);
    await sleep(30);
    counts.now -= 1;
  });
  const starts = Array.from({ length: 9 }, () => world.client.processes.start({ definitionId: "crowd" }));
  const instances = await Promise.all(starts);
  await during(worker, () => Promise.all(instances.map(({ id }) => world.ended(id))));
  assert.equal(counts.most, 2);
});

test("a job that is handed over just as the worker stops is done", async () => {
  await world.deploy("handed", ["handed-first", "handed"]);
  const worker = new JobWorker({ url: world.url });
  worker.register("handed-first", () => {}).register("handed", () => ({ handed: true }));
  const stop = new AbortController();
  const running = worker.run(stop.signal);
  const first = await world.client.processes.start({ definitionId: "handed" });
  await world.ended(first.id);
  // The worker waits for jobs by now.
  stop.abort();
  const { id } = await world.client.processes.start({ definitionId: "handed" });
  await running;
  // On a slow machine it was not handed over; what is held by nobody can be had.
  await worker.runOnce();
  const [step] = await world.client.processes.history(id);
  assert.equal(step?.status, "COMPLETED");
});

test("a worker that waits for jobs stops soon", async () => {
  await world.deploy("idle", ["idle"]);
  const worker = new JobWorker({ url: world.url }).register("idle", () => {});
  const { id } = await world.client.processes.start({ definitionId: "idle" });
  let toldAt = 0;
  await during(worker, async () => {
    await world.ended(id);
    toldAt = performance.now();
  });
  // It would wait for twenty seconds.
  assert.ok(performance.now() - toldAt < 5_000);
});

test("a worker that does not wait for jobs asks now and then", async () => {
  const worker = new JobWorker({ url: world.url, waitMs: 0 }).register("never", () => {});
  const before = await requests("/v1/jobs/poll");
  await during(worker, () => sleep(1_000));
  const polls = (await requests("/v1/jobs/poll")) - before;
  assert.ok(polls >= 1 && polls <= 20, `${polls} polls in a second`);
});

test("a listener that fails does not stop the worker", async (context) => {
  const printed = context.mock.method(console, "error", () => undefined);
  await world.deploy("deaf", ["deaf"], { retryCount: 1 });
  let runs = 0;
  const onNotice = (): void => {
    throw new Error("nobody listens");
  };
  const worker = new JobWorker({ url: world.url, onNotice }).register("deaf", () => {
    runs += 1;
    if (runs === 1) throw new Error("not yet");
  });
  const { id } = await world.client.processes.start({ definitionId: "deaf" });
  const seen = await during(worker, () => world.ended(id));
  assert.deepEqual([seen.status, printed.mock.callCount()], ["COMPLETED", 1]);
});

test("a function that does not end in time is left alone, and told", async () => {
  await world.deploy("late", ["late"]);
  const heard = new Heard();
  const begun = new Gate();
  let told: AbortSignal | undefined;
  const worker = new JobWorker({ url: world.url, graceMs: 50, ...heard });
  worker.register("late", async (_, { signal }) => {
    told = signal;
    begun.open();
    await new Promise(() => undefined);
  });
  const { id } = await world.client.processes.start({ definitionId: "late" });
  await during(worker, () => begun.opened);
  assert.deepEqual(heard.kinds(), ["abandoned"]);
  assert.equal(told?.aborted, true);
  assert.equal((await world.client.processes.show(id)).status, "ACTIVE");
});

test("a lease is kept while a function works, and the job is done once", async () => {
  await world.deploy("long", ["long"]);
  const heard = new Heard();
  let runs = 0;
  // The shortest lease there is. A worker beside it would get the job if the lease lapsed.
  const options = { url: world.url, leaseMs: 5_000, waitMs: 1_000, ...heard };
  const workers = [new JobWorker(options), new JobWorker(options)];
  for (const worker of workers) {
    worker.register("long", async () => {
      runs += 1;
      await sleep(8_000);
      return { long: true };
    });
  }
  const { id } = await world.client.processes.start({ definitionId: "long" });
  const [one, other] = workers as [JobWorker, JobWorker];
  const seen = await during(one, () => during(other, () => world.ended(id)));
  assert.deepEqual([seen.status, runs, heard.kinds()], ["COMPLETED", 1, []]);
});

test("a function is told when its lease is lost, and what it returns is dropped", async () => {
  await world.deploy("lost", ["lost"]);
  const heard = new Heard();
  const begun = new Gate();
  const worker = new JobWorker({ url: world.url, leaseMs: 5_000, ...heard });
  worker.register("lost", async (_, { signal }) => {
    begun.open();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return { lost: true };
  });
  const { id } = await world.client.processes.start({ definitionId: "lost" });
  const seen = await during(worker, async () => {
    await begun.opened;
    await world.client.processes.cancel(id, "not wanted");
    await eventually("the function is told", () => heard.first("lost"));
    return world.ended(id);
  });
  assert.deepEqual([seen.status, seen.variables, heard.kinds()], ["CANCELLED", {}, ["lost"]]);
});

test("a report that comes too late is noticed", async () => {
  await world.deploy("stale", ["stale"]);
  // One is reported alone, three together.
  for (const count of [1, 3]) {
    const heard = new Heard();
    const everybody = new Gate();
    let here = 0;
    const worker = new JobWorker({ url: world.url, ...heard }).register("stale", async (job) => {
      await world.client.processes.cancel(job.instanceId);
      here += 1;
      if (here === count) everybody.open();
      await everybody.opened;
      return { stale: true };
    });
    const starts = Array.from({ length: count }, () => world.client.processes.start({ definitionId: "stale" }));
    const instances = await Promise.all(starts);
    const before = await requests("/v1/jobs/complete");
    assert.equal(await worker.runOnce(), count);
    assert.equal((await requests("/v1/jobs/complete")) - before, count === 1 ? 0 : 1);
    assert.deepEqual(heard.kinds(), instances.map(() => "stale"));
    for (const { id } of instances) {
      assert.deepEqual((await world.client.processes.show(id)).variables, {});
    }
  }
});

test("variables that are too large fail the job, and what is done beside it is taken", async () => {
  await world.deploy("large", ["large"]);
  const heard = new Heard();
  const sizes = [100, 400_000, 2_000_000, 400_000, 100];
  const worker = new JobWorker({ url: world.url, ...heard });
  worker.register<{ size: number }>("large", (job) => ({ text: "x".repeat(job.variables.size) }));
  const ids: string[] = [];
  for (const size of sizes) {
    const start = { definitionId: "large", variables: { size } };
    ids.push((await world.client.processes.start(start)).id);
  }
  assert.equal(await worker.runOnce(), sizes.length);
  const seen = await Promise.all(ids.map((id) => world.client.processes.show(id)));
  const usual = "COMPLETED";
  assert.deepEqual(seen.map((it) => it.status), [usual, usual, "FAILED", usual, usual]);
  assert.match(seen[2]?.failureReason ?? "", /BODY_TOO_LARGE/);
  assert.deepEqual(heard.kinds(), ["refused"]);
});

test("variables that cannot be read fail their job, and not those reported with it", async () => {
  await world.deploy("deep", ["deep"]);
  const worker = new JobWorker({ url: world.url, ...new Heard() });
  worker.register<{ depth: number }>("deep", (job) => {
    let value: object = {};
    for (let at = 0; at < job.variables.depth; at += 1) value = { value };
    return { value };
  });
  const ids: string[] = [];
  for (const depth of [1, 1_000, 2]) {
    const start = { definitionId: "deep", variables: { depth } };
    ids.push((await world.client.processes.start(start)).id);
  }
  await worker.runOnce();
  const seen = await Promise.all(ids.map((id) => world.client.processes.show(id)));
  assert.deepEqual(seen.map((it) => it.status), ["COMPLETED", "FAILED", "COMPLETED"]);
  assert.match(seen[1]?.failureReason ?? "", /JSON_TOO_DEEP/);
});

test("variables that break a schema fail the process, and what is done beside it is taken", async () => {
  const schema = { properties: { total: { type: "number" } }, required: ["total"] };
  await world.deploy("schema", ["schema"], { outputs_schema: schema });
  const worker = new JobWorker({ url: world.url, ...new Heard() });
  worker.register<{ total: unknown }>("schema", (job) => ({ total: job.variables.total }));
  const ids: string[] = [];
  for (const total of [1, "two", 3]) {
    const start = { definitionId: "schema", variables: { total } };
    ids.push((await world.client.processes.start(start)).id);
  }
  await worker.runOnce();
  const seen = await Promise.all(ids.map((id) => world.client.processes.show(id)));
  assert.deepEqual(seen.map((it) => it.status), ["COMPLETED", "FAILED", "COMPLETED"]);
  assert.match(seen[1]?.failureReason ?? "", /field "total" expected number, got string/);
});

test("many jobs are reported together, each once", async () => {
  await world.deploy("many", ["many-1", "many-2"]);
  const count = 300;
  const ids = await Promise.all(
    Array.from({ length: count }, async () => {
      return (await world.client.processes.start({ definitionId: "many" })).id;
    }),
  );
  const done = new Set<string>();
  const worker = new JobWorker({ url: world.url, concurrency: 100 });
  for (const jobType of ["many-1", "many-2"]) {
    worker.register(jobType, (job) => void done.add(job.stepExecutionId));
  }
  const before = await requests("/v1/jobs/complete");
  const alone = await requests("/v1/jobs/{id}/complete");
  await during(worker, async () => {
    for (const id of ids) assert.equal((await world.ended(id)).status, "COMPLETED");
  });
  assert.equal(done.size, 2 * count);
  const together = (await requests("/v1/jobs/complete")) - before;
  const single = (await requests("/v1/jobs/{id}/complete")) - alone;
  assert.ok(together > 0 && together + single <= count / 2, `${together} and ${single} reports`);
});

test("a worker without functions, with two for one type, or with absurd options is refused", async () => {
  await assert.rejects(new JobWorker({ url: world.url }).run(AbortSignal.abort()), /no functions/);
  const worker = new JobWorker({ url: world.url }).register("twice", () => {});
  assert.throws(() => worker.register("twice", () => {}), /twice has two functions/);
  assert.throws(() => new JobWorker({ concurrency: 0 }), /concurrency must be/);
  assert.throws(() => new JobWorker({ graceMs: -1 }), /graceMs must be/);
  assert.throws(() => new JobWorker({ waitMs: 60_000 }), /waitMs must be/);
  assert.throws(() => new JobWorker({ url: "localhost" }), /not an address/);
});

/** How many requests the server has answered on a route. */
async function requests(path: string): Promise<number> {
  const text = await (await fetch(`${world.url}/metrics`)).text();
  const lines = text.split("\n").filter((it) => it.startsWith("http_requests_duration_seconds_count"));
  const fitting = lines.filter((it) => it.includes(`path="${path}"`));
  return fitting.reduce((sum, it) => sum + Number(it.split(" ").at(-1)), 0);
}
