// How the steps of a chain have spent their time, told from its events.

import type { Bar, Lane, Spent } from "../parts/timeline";
import type { ChainCommit, ChainEvent, ChainInstance } from "./types";

/**
 * What a step does from an event on; nothing, once it has ended. That somebody is at work is in no
 * event: it is so while its lease lasts, and told by the instance as it is.
 */
const BEGINS: Record<string, Spent> = {
  STEP_READY: "queue",
  STEP_WOKEN: "queue",
  STEP_LAPSED: "queue",
  STEP_WAITING: "wait",
  STEP_RETRIED: "backoff",
};

const ENDS = ["STEP_DONE", "STEP_DEAD"];

const TEXTS: Record<Spent, string> = {
  queue: "queued, then at work",
  work: "at work",
  wait: "waiting for an event",
  backoff: "waiting before another try",
  failed: "given up",
  lapsed: "lost by its worker",
  done: "done",
};

export function chainLanes(of: ChainInstance, commits: ChainCommit[]): Lane[] {
  const lanes = (of.steps ?? []).map((it): Lane => ({ name: it.stepType, bars: [] }));
  for (const commit of commits) {
    for (const event of commit.events) follow(lanes, event, Date.parse(commit.at));
  }
  atWork(of, lanes);
  const ended = of.completedAt ?? of.failedAt ?? of.canceledAt;
  if (ended !== null) lanes.forEach((it) => close(it, Date.parse(ended)));
  return lanes.filter((it) => it.bars.length > 0);
}

/** What goes on now: with somebody, or waiting for somebody. */
function atWork(of: ChainInstance, lanes: Lane[]): void {
  const step = (of.steps ?? []).find((it) => it.status === "RUNNING" || it.status === "READY");
  const open = step === undefined ? undefined : lanes[step.stepSeq]?.bars.at(-1);
  if (step === undefined || open === undefined || open.to !== undefined || open.spent !== "queue") return;
  if (step.status === "RUNNING") [open.spent, open.text] = ["work", `with ${step.lockedBy ?? "somebody"}`];
  else open.text = "queued: nobody has taken it";
}

function follow(lanes: Lane[], event: ChainEvent, at: number): void {
  const lane = event.stepSeq === undefined ? undefined : lanes[event.stepSeq];
  if (lane === undefined) return;
  const spent = BEGINS[event.type];
  if (spent === undefined && !ENDS.includes(event.type)) return;
  const before = close(lane, at);
  if (event.type === "STEP_DEAD" && before !== undefined) [before.spent, before.text] = ["failed", event.error ?? TEXTS.failed];
  if (event.type === "STEP_DONE" && before?.spent === "queue") [before.spent, before.text] = ["done", `done${event.workerId === undefined ? "" : ` by ${event.workerId}`}`];
  if (spent === undefined) return;
  lane.bars.push({ from: at, to: undefined, spent, text: event.error ?? event.eventType ?? TEXTS[spent] });
  // After the backoff it is tried again without another event.
  if (spent === "backoff" && event.nextRunAt !== undefined && Date.parse(event.nextRunAt) <= Date.now()) {
    close(lane, Date.parse(event.nextRunAt));
    lane.bars.push({ from: Date.parse(event.nextRunAt), to: undefined, spent: "queue", text: TEXTS.queue });
  }
}

/** Ends what goes on. */
function close(lane: Lane, at: number): Bar | undefined {
  const open = lane.bars.at(-1);
  if (open === undefined || open.to !== undefined) return open;
  open.to = at;
  return open;
}
