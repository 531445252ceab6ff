// What a step of a chain says at its end.

import { eventId } from "./identity.js";
import type { OutboundEvent, ReportStep, TaskResult } from "./wire/chain.js";

/** What a step may say besides how it went. */
export interface Besides {
  /** Merged into the context: members replace, null removes, objects merge. */
  contextPatch?: object;
  /** Sent after the commit, whatever the result. */
  outboundEvents?: OutboundEvent[];
}

/** What a step says: made by {@link completed}, {@link waiting}, {@link retry} and {@link dead}. */
export class Verdict {
  constructor(
    readonly result: TaskResult,
    readonly besides: Besides = {},
  ) {}

  /** The report of it. Events get their ids here, once: a report that is repeated has the same. */
  report(workerId: string): ReportStep {
    const { contextPatch, outboundEvents } = this.besides;
    const now = new Date().toISOString();
    const sent = (event: OutboundEvent): OutboundEvent => ({
      eventId: eventId(),
      occurredAt: now,
      ...event,
    });
    return {
      workerId,
      result: this.result,
      ...(contextPatch === undefined ? {} : { contextPatch }),
      ...(outboundEvents === undefined ? {} : { outboundEvents: outboundEvents.map(sent) }),
    };
  }
}

/** The step is done. */
export function completed(besides?: Besides): Verdict {
  return new Verdict({ kind: "COMPLETED" }, besides);
}

/** The step goes on when an event comes, or after `timeoutMs`. */
export function waiting(
  eventType: string,
  options: Besides & { timeoutMs?: number; discardBuffered?: boolean } = {},
): Verdict {
  const { timeoutMs, discardBuffered, ...besides } = options;
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  const discard = discardBuffered === undefined ? {} : { discardBuffered };
  return new Verdict({ kind: "WAITING", waitingEventType: eventType, ...limit, ...discard }, besides);
}

/** The step failed and is to be tried again. */
export function retry(error: string, options: Besides & { backoffMs?: number } = {}): Verdict {
  const { backoffMs, ...besides } = options;
  const after = backoffMs === undefined ? {} : { backoffMs };
  return new Verdict({ kind: "RETRY", error, ...after }, besides);
}

/** The step can never succeed. */
export function dead(error: string, besides?: Besides): Verdict {
  return new Verdict({ kind: "DEAD", error }, besides);
}
