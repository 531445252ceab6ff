// How a process came to be where it is, or was at a moment, told from what the server keeps. Times
// are compared as they are written: all of them have the same form, and more digits than dates here.

import type { Lane, Sign, Spent } from "../parts/timeline";
import type { Deed, InstanceJob, Visit } from "./types";

/** A moment at which something changed. */
export interface Moment {
  at: string;
  /** What happened, for people. */
  text: string;
}

/** Every moment at which something changed, in order. */
export function moments(visits: Visit[], deeds: Deed[], say: (deed: Deed) => string): Moment[] {
  const found = new Map<string, string>();
  for (const it of visits) {
    found.set(it.startedAt, `came to ${it.stepName || it.stepId}`);
    if (it.endedAt !== null && !found.has(it.endedAt)) found.set(it.endedAt, `left ${it.stepName || it.stepId}`);
  }
  const said = new Map<string, string[]>();
  for (const it of deeds) said.set(it.at, [...(said.get(it.at) ?? []), say(it)]);
  for (const [at, texts] of said) found.set(at, texts.join(", "));
  return [...found].map(([at, text]) => ({ at, text })).sort((a, b) => (a.at < b.at ? -1 : 1));
}

/** The visits as they were then; as they are without a moment. */
export function visitsAt(visits: Visit[], at: string | undefined): Visit[] {
  if (at === undefined) return visits;
  const then = (it: Visit): Visit =>
    it.endedAt !== null && it.endedAt > at
      ? { ...it, endedAt: null, status: "RUNNING", outputSnapshot: null, failureReason: null }
      : it;
  return visits.filter((it) => it.startedAt <= at).map(then);
}

/** The jobs as they were then. Who held them is not kept. */
export function jobsAt(jobs: InstanceJob[], at: string | undefined): InstanceJob[] {
  if (at === undefined) return jobs;
  const then = (it: InstanceJob): InstanceJob => {
    if (it.endedAt !== undefined && it.endedAt <= at) return it;
    const { endedAt: _, workerId: __, lockExpiresAt: ___, errorMessage: ____, ...rest } = it;
    return { ...rest, status: "OPEN" };
  };
  return jobs.filter((it) => it.createdAt <= at).map(then);
}

const WAITS = ["USER_TASK", "WAIT", "JOIN_GATEWAY"];

const SIGNS: Record<string, Sign["kind"]> = {
  TIMER_FIRED: "timer",
  SIGNAL_RECEIVED: "signal",
  USER_TASK_COMPLETED: "signal",
  STEP_RETRIED: "retry",
  JOB_LEASE_EXPIRED: "lapse",
};

/** A line for each step, in the order of their first visits. */
export function lanes(visits: Visit[], jobs: InstanceJob[], deeds: Deed[], say: (deed: Deed) => string): Lane[] {
  const found = new Map<string, Lane>();
  for (const visit of visits) {
    const lane = found.get(visit.stepId) ?? { name: visit.stepName || visit.stepId, bars: [], signs: [] };
    found.set(visit.stepId, lane);
    // What jobs are about is told by them.
    if (visit.stepType !== "SERVICE_TASK") lane.bars.push(barOf(visit));
  }
  for (const job of jobs) found.get(job.stepId)?.bars.push(barOfJob(job));
  for (const deed of deeds) {
    const kind = SIGNS[deed.kind];
    const lane = deed.stepId === undefined ? undefined : found.get(deed.stepId);
    if (kind !== undefined) lane?.signs?.push({ at: Date.parse(deed.at), kind, text: say(deed) });
  }
  return [...found.values()];
}

const time = (at: string | null | undefined): number | undefined => (at ? Date.parse(at) : undefined);

function barOf(visit: Visit): Lane["bars"][number] {
  const isOver = visit.endedAt !== null;
  const other: Spent = WAITS.includes(visit.stepType) ? "wait" : isOver ? "done" : "work";
  const spent = visit.status === "FAILED" ? "failed" : other;
  const text = `${visit.status.toLowerCase()}, visit ${visit.attemptNumber}`;
  return { from: Date.parse(visit.startedAt), to: time(visit.endedAt), spent, text };
}

const JOBS: Record<string, [Spent, string]> = {
  AVAILABLE: ["queue", "waits for a worker"],
  LOCKED: ["work", "held by"],
  SUSPENDED: ["backoff", "out of reach until the instance is tried again"],
  COMPLETED: ["done", "queued and done by"],
  FAILED: ["failed", "failed at"],
  LEASE_EXPIRED: ["lapsed", "lost by its worker"],
  WITHDRAWN: ["backoff", "not needed any more"],
};

function barOfJob(job: InstanceJob): Lane["bars"][number] {
  const [spent, text] = JOBS[job.status] ?? ["work", "queued or at work"];
  const who = job.workerId === undefined ? "" : ` ${job.workerId}`;
  const why = job.errorMessage === undefined ? "" : `: ${job.errorMessage}`;
  const told = `try ${job.attemptNumber}, ${text}${who}${why}`;
  return { from: Date.parse(job.createdAt), to: time(job.endedAt), spent, text: told };
}
