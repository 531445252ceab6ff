// What a process was like at a moment, told from the visits of its steps.

import type { Lane } from "../parts/timeline";
import type { Mark, Variables, Visit } from "./types";

/** When something began or ended, in order. */
export function moments(visits: Visit[]): number[] {
  const times = visits.flatMap((it) => (it.endedAt === null ? [it.startedAt] : [it.startedAt, it.endedAt]));
  return [...new Set(times.map((it) => Date.parse(it)))].sort((a, b) => a - b);
}

export interface Then {
  /** Where it was. */
  steps: string[];
  variables: Variables;
  /** What it knew when the step began that ended last. */
  before: Variables | undefined;
}

export function at(visits: Visit[], time: number): Then {
  const begun = visits.filter((it) => Date.parse(it.startedAt) <= time);
  const over = begun.filter((it) => it.endedAt !== null && Date.parse(it.endedAt) <= time);
  const steps = begun.filter((it) => !over.includes(it)).map((it) => it.stepId);
  const latest = begun.at(-1)?.inputSnapshot ?? {};
  const brought = over.filter((it) => it.status === "COMPLETED").map((it) => it.outputSnapshot ?? {});
  return { steps, variables: Object.assign({}, latest, ...brought), before: over.at(-1)?.inputSnapshot ?? undefined };
}

export function marks(visits: Visit[], time: number): Map<string, Mark> {
  const found = new Map<string, Mark>();
  for (const visit of visits) {
    if (Date.parse(visit.startedAt) > time) continue;
    const before = found.get(visit.stepId);
    const isOver = visit.endedAt !== null && Date.parse(visit.endedAt) <= time;
    const isFailed = isOver && visit.status === "FAILED";
    found.set(visit.stepId, { visits: (before?.visits ?? 0) + 1, here: Number(before?.here ?? 0) + (isOver ? 0 : 1), isFailed });
  }
  return found;
}

const WAITS = ["USER_TASK", "WAIT", "JOIN_GATEWAY"];

/** A line for each step, in the order of their first visits. */
export function lanes(visits: Visit[]): Lane[] {
  const found = new Map<string, Lane>();
  for (const visit of visits) {
    const lane = found.get(visit.stepId) ?? { name: visit.stepName || visit.stepId, bars: [] };
    found.set(visit.stepId, lane);
    const spent = visit.status === "FAILED" ? "failed" : WAITS.includes(visit.stepType) ? "wait" : visit.endedAt === null ? "work" : "done";
    const to = visit.endedAt === null ? undefined : Date.parse(visit.endedAt);
    lane.bars.push({ from: Date.parse(visit.startedAt), to, spent, text: `${visit.status.toLowerCase()}, visit ${visit.attemptNumber}` });
  }
  return [...found.values()];
}
