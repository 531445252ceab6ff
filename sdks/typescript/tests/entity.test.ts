import assert from "node:assert/strict";
import { test } from "node:test";

import { ComputeNode, RetryableError } from "@waypost/worker/entity";

import { during, eventually, Gate, Heard, World } from "./world.js";

const world = new World();

interface Order {
  items: number;
  kind: string;
}

interface Answer {
  status: number;
  body: unknown;
}

async function send(method: string, path: string, body?: unknown, ticket?: string): Promise<Answer> {
  const answer = await fetch(`${world.url}/api${path}`, {
    method,
    headers: ticket === undefined ? {} : { "x-tx-token": ticket },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
}

/** What becomes of an order depends on its kind: each has a processor of its name. */
async function prepare(model: string, kinds: string[], isDecided = true): Promise<void> {
  const config = { attachEntity: true, calculationNodesTags: "stock", retryPolicy: "FIXED" };
  const way = (kind: string) => ({
    name: kind,
    next: "TAKEN",
    criterion: { type: "simple", jsonPath: "$.kind", operatorType: "EQUALS", value: kind },
    processors: [{ type: "EXTERNAL", name: kind, executionMode: "SYNC", config }],
  });
  const large = { type: "function", function: { name: "is-large", config } };
  const states = {
    NEW: { transitions: kinds.map(way) },
    TAKEN: { transitions: isDecided ? [{ name: "LARGE", next: "LARGE", criterion: large }] : [] },
    LARGE: {},
  };
  const workflows = [{ version: "1", name: model, initialState: "NEW", states }];
  const sample = { items: 1, kind: "x", reservation: "x" };
  for (const [method, path, body] of [
    ["POST", `/model/import/JSON/SAMPLE_DATA/${model}/1`, sample],
    ["PUT", `/model/${model}/1/lock`],
    ["POST", `/model/${model}/1/workflow/import`, { workflows }],
  ] as const) {
    const { status, body: said } = await send(method, path, body);
    assert.equal(status, 200, JSON.stringify(said));
  }
}

async function create(model: string, order: Order): Promise<Answer> {
  return send("POST", `/entity/JSON/${model}/1`, order);
}

async function shown(created: Answer): Promise<{ data: Record<string, unknown>; meta: { state: string } }> {
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const [{ entityIds }] = created.body as [{ entityIds: [string] }];
  return (await send("GET", `/entity/${entityIds[0]}`)).body as Awaited<ReturnType<typeof shown>>;
}

function node(heard: Heard): ComputeNode {
  const it = new ComputeNode({ url: world.grpc, tags: ["stock", "typescript"], ...heard });
  return it.criterion<Order>("is-large", ({ payload }) => (payload?.data.items ?? 0) > 100);
}

/** Runs a node beside `body`, from when it has joined. */
async function joined<T>(it: ComputeNode, heard: Heard, body: () => Promise<T>): Promise<T> {
  return during(it, async () => {
    await eventually("the node joins", () => heard.first("joined"));
    return body();
  });
}

test("a node works on entities and decides about them", async () => {
  await prepare("order", ["reserve", "look"]);
  const nobody = await create("order", { items: 3, kind: "reserve" });
  assert.equal(nobody.status, 503);
  const heard = new Heard();
  const seen: string[] = [];
  const it = node(heard)
    .processor<Order>("reserve", async (question) => {
      const { entityId, workflow, transition, payload } = question;
      seen.push(`${workflow.name} ${transition?.stateFrom} ${payload?.meta.state}`);
      return { ...payload?.data, reservation: `r-${entityId}` };
    })
    .processor("look", () => {});
  await joined(it, heard, async () => {
    const small = await shown(await create("order", { items: 3, kind: "reserve" }));
    assert.equal(small.meta.state, "TAKEN");
    assert.match(String(small.data["reservation"]), /^r-/);
    const large = await shown(await create("order", { items: 300, kind: "look" }));
    assert.deepEqual([large.meta.state, large.data], ["LARGE", { items: 300, kind: "look" }]);
  });
  assert.deepEqual(seen, ["order NEW NEW"]);
  assert.deepEqual(heard.kinds(), ["joined"]);
});

test("what a function throws fails the write, with its words", async () => {
  await prepare("failing", ["fail", "absurd", "unknown", "busy"]);
  const heard = new Heard();
  const asked = { fail: 0, busy: 0 };
  const it = node(heard)
    .processor("fail", () => {
      asked.fail += 1;
      throw new Error("out of stock");
    })
    .processor("absurd", () => [1])
    .processor<Order>("busy", () => {
      asked.busy += 1;
      throw new RetryableError("try later");
    });
  await joined(it, heard, async () => {
    for (const [kind, words] of [
      ["fail", /out of stock/],
      ["absurd", /no object/],
      ["unknown", /no function "unknown"/],
      ["busy", /try later/],
    ] as const) {
      const { status, body } = await create("failing", { items: 1, kind });
      assert.equal(status, 400, JSON.stringify(body));
      assert.match(JSON.stringify(body).replaceAll("\\", ""), words);
    }
  });
  assert.equal(asked.fail, 1);
  assert.ok(asked.busy > 1, "the policy of the definition has it asked again");
  assert.ok(heard.kinds().slice(1).every((kind) => kind === "failed"));
});

test("a call back with the ticket takes part in the transaction", async () => {
  await prepare("asking", ["ask"]);
  const heard = new Heard();
  const found: number[] = [];
  const it = node(heard).processor("ask", async ({ ticket }) => {
    const other = { items: 1, kind: "nothing" };
    const { body } = await send("POST", "/entity/JSON/asking/1", other, ticket);
    const [{ entityIds }] = body as [{ entityIds: [string] }];
    found.push((await send("GET", `/entity/${entityIds[0]}`, undefined, ticket)).status);
    found.push((await send("GET", `/entity/${entityIds[0]}`)).status);
  });
  await joined(it, heard, async () => {
    assert.equal((await create("asking", { items: 1, kind: "ask" })).status, 200);
  });
  assert.deepEqual(found, [200, 404]);
});

test("a node that is told to stop answers what it was asked", async () => {
  await prepare("drained", ["slow"], false);
  const heard = new Heard();
  const [begun, finish] = [new Gate(), new Gate()];
  const it = node(heard).processor("slow", async () => {
    begun.open();
    await finish.opened;
  });
  const creating = joined(it, heard, async () => {
    const created = create("drained", { items: 1, kind: "slow" });
    await begun.opened;
    setTimeout(finish.open, 200);
    return { created };
  });
  const { created } = await creating;
  assert.equal((await created).status, 200);
  const after = await create("drained", { items: 1, kind: "slow" });
  assert.equal(after.status, 503);
});

test("a node works on so many questions at a time, and on the others afterwards", async () => {
  await prepare("crowd", ["count"]);
  const heard = new Heard();
  const counts = { now: 0, most: 0 };
  const it = new ComputeNode({ url: world.grpc, tags: ["stock"], concurrency: 2, ...heard })
    .criterion("is-large", () => false)
    .processor("count", async () => {
      counts.now += 1;
      counts.most = Math.max(counts.most, counts.now);
      await new Promise((resolve) => setTimeout(resolve, 50));
      counts.now -= 1;
    });
  await joined(it, heard, async () => {
    const orders = Array.from({ length: 8 }, () => create("crowd", { items: 1, kind: "count" }));
    for (const { status } of await Promise.all(orders)) assert.equal(status, 200);
  });
  assert.equal(counts.most, 2);
});

test("a node joins again after the server was killed", async () => {
  await prepare("returning", ["reserve"]);
  const heard = new Heard();
  const it = node(heard).processor("reserve", () => {});
  await joined(it, heard, async () => {
    await world.server.kill();
    await eventually("the node notices", () => heard.first("unreachable"));
    await world.server.again();
    await eventually("the node joins again", () => {
      return heard.kinds().filter((kind) => kind === "joined").length === 2 || undefined;
    });
    assert.equal((await create("returning", { items: 1, kind: "reserve" })).status, 200);
  });
});

test("two functions of one name, and what is no address, are refused", () => {
  const it = new ComputeNode().processor("x", () => {}).criterion("x", () => true);
  assert.throws(() => it.processor("x", () => {}), /x has two functions/);
  assert.throws(() => it.criterion("x", () => true), /x has two functions/);
  assert.throws(() => new ComputeNode({ url: "localhost:9090" }), /not an address/);
});
