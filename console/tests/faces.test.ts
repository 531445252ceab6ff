// What belongs to one face alone, light and dark, narrow and wide: tabs and screens that need more
// than a running instance.

import { after, before } from "node:test";
import { Drones } from "./drones.js";
import { lookAt } from "./looks.js";
import { World } from "./world.js";

/** Rule 2 never decides, and nothing is said about scores from 700 on. */
const RISK = {
  id: "risk",
  name: "Risk",
  steps: [
    {
      id: "tier", name: "Risk by score", type: "DECISION_TABLE", hitPolicy: "F", nextStep: "end",
      decisionTable: { rules: [
        { when: { score: "score < 500" }, outputs: { tier: "HIGH" } },
        { when: { score: "score < 400" }, outputs: { tier: "HIGHER" } },
        { when: { score: "score < 700" }, outputs: { tier: "LOW" } },
      ] },
    },
    { id: "end", name: "Done", type: "END" },
  ],
};

let world: World;
let drones: Drones;
const ids = { order: "", invoice: "" };

before(async () => {
  world = await World.start();
  drones = await Drones.start();
  await world.call("POST", "/v1/definitions", RISK);
  for (const score of [100, 200, 600]) await world.call("POST", "/v1/definitions/risk/instances", { variables: { score } });
  ids.order = await world.order("O-1");
  const claimed = await world.call<{ tasks: { leaseToken: string }[] }>("POST", "/v1/chains/claim", { workerId: "bob", max: 1, leaseMs: 600_000 });
  const wait = { workerId: "bob", result: { kind: "WAITING", waitingEventType: "PAID", timeoutMs: 3_600_000 } };
  await world.call("POST", `/v1/chains/tasks/${claimed.tasks[0]?.leaseToken}/result`, wait);
  ids.invoice = await world.invoice("A-1");
});

after(async () => {
  await drones?.stop();
  await world?.stop();
});

/** Names, where they are, and what must be on them. */
const SCREENS: Record<string, [() => string, string]> = {
  "timeline of a chain": [() => `/console/chains/${ids.order}`, "waiting"],
  "attempts of a chain": [() => `/console/chains/${ids.order}?tab=attempts`, "PAID"],
  "diagram of a chain": [() => `/console/chains/${ids.order}?tab=diagram`, "VALIDATE"],
  "context of a chain": [() => `/console/chains/${ids.order}?tab=context`, "12.5"],
  "chain as it is told": [() => `/console/chains/${ids.order}?tab=raw`, "workflowVersion"],
  "deadline of a chain": [() => "/console/timers", "The wait is over"],
  "table with findings": [() => "/console/tables?table=risk/tier", "never decides"],
  "state chart": [() => `/console/entities/${ids.invoice}?tab=chart`, "DRAFT"],
  transitions: [() => `/console/entities/${ids.invoice}?tab=next`, "SEND"],
  "entity as it is told": [() => `/console/entities/${ids.invoice}?tab=raw`, "transactionId"],
  workflow: [() => "/console/models/Invoice/1?tab=workflow", "SENT"],
  "findings of a workflow": [() => "/console/models/Invoice/1?tab=lint", "Findings"],
  schema: [() => "/console/models/Invoice/1?tab=schema", "number"],
  "search of entities": [() => `/console/models/Invoice/1?q=${encodeURIComponent('{"all":false,"parts":[{"path":"amount","op":"GREATER_THAN","value":"100"},{"all":true,"parts":[{"path":"number","op":"STARTS_WITH","value":"A"}]}]}')}`, "1 match at"],
  settings: [() => "/console/settings", "sqlite:test.db"],
};

/** The same of lifecycles, which another program shows. */
const MISSIONS: Record<string, [string, string]> = {
  lifecycles: ["/console/lifecycles", "drone-survey"],
  lifecycle: ["/console/lifecycles/drone-survey", "m-2"],
  "phases of a lifecycle": ["/console/lifecycles/drone-survey?tab=diagram", "capturing"],
  "entities in a phase": ["/console/lifecycles/drone-survey?phase=planning", "m-2"],
  "entity of a lifecycle": ["/console/lifecycles/drone-survey/m-2", "battery"],
  "phases of an entity": ["/console/lifecycles/drone-survey/m-2?tab=phases", "flying"],
  "history of an entity": ["/console/lifecycles/drone-survey/m-2?tab=history", "planning"],
  "children of an entity": ["/console/lifecycles/drone-survey/m-2?tab=children", "Nothing belongs to it."],
  "entity of a lifecycle as it is told": ["/console/lifecycles/drone-survey/m-2?tab=raw", "is_terminal"],
};

lookAt(() => world, [
  ...Object.entries(SCREENS).map(([name, [path, text]]) => ({ name, path, text })),
  ...Object.entries(MISSIONS).map(([name, [path, text]]) => ({ name, path: () => path, text, from: () => drones.url })),
]);
