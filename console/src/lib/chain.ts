// How the steps of a chain have spent their time, told from its events.

import type { Bar, Lane, Spent } from "../parts/timeline";
import type { ChainCommit, ChainEvent, ChainInstance } from "./types";

/** What a step does from an event on; nothing, once it has ended. */
const BEGINS: Record<string, Spent> = {
  STEP_READY: "work",
  STEP_WOKEN: "work",
  STEP_LAPSED: "work",
  STEP_WAITING: "wait",
  STEP_RETRIED: "backoff",
};

const ENDS = ["STEP_DONE", "STEP_DEAD"];

const TEXTS: Record<Spent, string> = {
  work: "queued or at work",
  queue: "waiting for a worker",
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
  const ended = of.completedAt ?? of.failedAt ?? of.canceledAt;
  if (ended !== null) lanes.forEach((it) => close(it, Date.parse(ended)));
  return lanes.filter((it) => it.bars.length > 0);
}

function follow(lanes: Lane[], event: ChainEvent, at: number): void {
  const lane = event.stepSeq === undefined ? undefined : lanes[event.stepSeq];
  if (lane === undefined) return;
  const spent = BEGINS[event.type];
  if (spent === undefined && !ENDS.includes(event.type)) return;
  const before = close(lane, at);
  if (event.type === "STEP_DEAD" && before !== undefined) [before.spent, before.text] = ["failed", event.error ?? TEXTS.failed];
  if (event.type === "STEP_DONE" && before?.spent === "work") before.spent = "done";
  if (spent === undefined) return;
  lane.bars.push({ from: at, to: undefined, spent, text: event.error ?? event.eventType ?? TEXTS[spent] });
  // After the backoff it is tried again without another event.
  if (spent === "backoff" && event.nextRunAt !== undefined && Date.parse(event.nextRunAt) <= Date.now()) {
    close(lane, Date.parse(event.nextRunAt));
    lane.bars.push({ from: Date.parse(event.nextRunAt), to: undefined, spent: "work", text: TEXTS.work });
  }
}

/** Ends what goes on. */
function close(lane: Lane, at: number): Bar | undefined {
  const open = lane.bars.at(-1);
  if (open === undefined || open.to !== undefined) return open;
  open.to = at;
  return open;
}
