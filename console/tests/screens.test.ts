// Every screen, light and dark, narrow and wide: complete, usable by everybody, nothing beside it.

import { after, before } from "node:test";
import { lookAt } from "./looks.js";
import { World } from "./world.js";

let world: World;
const ids = { waiting: "", failed: "", done: "", order: "", invoice: "" };

before(async () => {
  world = await World.start();
  ids.waiting = await world.waiting("L-1");
  ids.failed = await world.failed("L-2");
  ids.done = await world.waiting("L-3");
  await world.call("POST", `/v1/instances/${ids.done}/user-tasks/review/complete`, { variables: { decision: "REJECTED" } });
  await world.loan("L-4");
  ids.order = await world.order("O-1");
  await world.order("O-2");
  await world.call("POST", "/v1/chains/claim", { workerId: "bob", max: 1, leaseMs: 600_000 });
  ids.invoice = await world.invoice("A-1");
});

after(() => world.stop());

/** Names and what must be on them. */
const SCREENS: Record<string, [() => string, string]> = {
  overview: [() => "/", "Incidents"],
  processes: [() => "/console/instances", "L-2"],
  "failed processes": [() => "/console/instances?status=FAILED", "L-2"],
  chains: [() => "/console/instances?face=chain", "O-1"],
  "waiting process": [() => `/console/processes/${ids.waiting}`, "Review by a person"],
  "failed process": [() => `/console/processes/${ids.failed}`, "the bank is closed"],
  timeline: [() => `/console/processes/${ids.done}?tab=timeline`, "Check income"],
  history: [() => `/console/processes/${ids.done}?tab=history`, "User task completed"],
  variables: [() => `/console/processes/${ids.done}?tab=variables`, "decision"],
  jobs: [() => `/console/processes/${ids.failed}?tab=jobs`, "the bank is closed"],
  raw: [() => `/console/processes/${ids.done}?tab=raw`, "definitionVersion"],
  chain: [() => `/console/chains/${ids.order}`, "VALIDATE"],
  "history of a chain": [() => `/console/chains/${ids.order}?tab=history`, "Step ready"],
  "chains of a type": [() => "/console/instances?face=chain&definition=order&version=1", "2 instances"],
  incidents: [() => "/console/incidents", "the bank is closed"],
  tasks: [() => "/console/tasks", "Review by a person"],
  work: [() => "/console/work", "bob"],
  queues: [() => "/console/work", "VALIDATE"],
  timers: [() => "/console/timers", "in 1 d 23 h"],
  definitions: [() => "/console/definitions", "Loan, renamed"],
  definition: [() => "/console/definitions/process/loan", "version 2 of 2"],
  source: [() => "/console/definitions/process/loan?tab=source", '"hitPolicy"'],
  "what changed": [() => "/console/definitions/process/loan?tab=diff", "Loan, renamed"],
  "instances of versions": [() => "/console/definitions/process/loan?tab=instances", "Version 1"],
  findings: [() => "/console/definitions/process/loose?tab=lint", "line "],
  "workflow of a model": [() => "/console/models/Invoice/1?tab=workflow", "The diagram as text"],
  "definition of a chain": [() => "/console/definitions/chain/order/1?tab=source", "VALIDATE"],
  tables: [() => "/console/tables", "score < 500"],
  entities: [() => "/console/entities", "Invoice"],
  model: [() => "/console/models/Invoice/1", "A-1"],
  entity: [() => `/console/entities/${ids.invoice}`, "100.5"],
  audit: [() => `/console/entities/${ids.invoice}?tab=audit`, "Created"],
  lifecycles: [() => "/console/lifecycles", "WAYPOST_LIFECYCLE_TYPES"],
  settings: [() => "/console/settings", "Mock User"],
  nowhere: [() => "/console/nowhere", "There is nothing here"],
};

lookAt(() => world, Object.entries(SCREENS).map(([name, [path, text]]) => ({ name, path, text })));
