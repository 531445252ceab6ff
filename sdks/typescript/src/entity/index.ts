// Compute nodes: programs that work on entities while they move, and decide about them.
//
// A node opens a stream to the server and is asked over it. It comes back when the stream breaks,
// and finishes what it was asked before it goes. Needs the package `@grpc/grpc-js`.

import { randomUUID } from "node:crypto";

import { Backoff, pause } from "../backoff.js";
import { asError, FatalError, messageOf, RetryableError } from "../error.js";
import { telling, type Notice } from "../notice.js";
import { untilSignaled } from "../shutdown.js";
import type { Question, Reply } from "../wire/entity.js";
import { event, type CloudEvent } from "./event.js";
import { attend } from "./session.js";

export { FatalError, RetryableError } from "../error.js";
export type { Notice } from "../notice.js";
export type { Question } from "../wire/entity.js";

/**
 * Works on an entity. What it returns becomes the entity's value as a whole; nothing leaves it as
 * it is. What it throws fails the write that asked; a {@link RetryableError} has it asked again if
 * the definition says so. It may run more than once for the same change: make it so that this does
 * no harm.
 */
export type Processor<E = Record<string, unknown>> = (
  question: Question<E>,
) => Promise<object | void> | object | void;

/** Decides whether a workflow or transition is taken. */
export type Criterion<E = Record<string, unknown>> = (
  question: Question<E>,
) => Promise<boolean> | boolean;

/** How a compute node works. */
export interface NodeOptions {
  /** Where the server speaks gRPC; `WAYPOST_GRPC_URL` or `http://localhost:9090` unless given. */
  url?: string;
  /** What it is chosen by: it is asked if it has all the tags that a definition names. */
  tags?: readonly string[];
  /** What it shows as `Authorization: Bearer …`, if the server asks who comes. */
  bearer?: string;
  /** How many questions it works on at a time (16). Others wait here. */
  concurrency?: number;
  /** How long it may take to finish after it was told to stop (20 seconds). */
  graceMs?: number;
  /** Hears what goes wrong; written to the standard error unless given. */
  onNotice?: (notice: Notice) => void;
}

/** A compute node. */
export class ComputeNode {
  readonly #processors = new Map<string, Processor>();
  readonly #criteria = new Map<string, Criterion>();
  readonly #options: Required<Omit<NodeOptions, "bearer">> & { bearer: string | undefined };
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #emptied: (() => void) | undefined;

  /** @throws TypeError when `url` is not an address. */
  constructor(options: NodeOptions = {}) {
    this.#options = {
      url: options.url ?? process.env["WAYPOST_GRPC_URL"] ?? "http://localhost:9090",
      tags: options.tags ?? [],
      bearer: options.bearer,
      concurrency: Math.max(options.concurrency ?? 16, 1),
      graceMs: options.graceMs ?? 20_000,
      onNotice: telling(options.onNotice),
    };
    if (!/^https?:\/\//.test(this.#options.url) || !URL.canParse(this.#options.url)) {
      throw new TypeError("not an address of a server such as http://localhost:9090");
    }
  }

  /**
   * Adds a processor.
   *
   * @throws TypeError when there is a processor of that name already.
   */
  processor<E = Record<string, unknown>>(name: string, run: Processor<E>): this {
    if (this.#processors.has(name)) throw new TypeError(`${name} has two functions`);
    this.#processors.set(name, run as Processor);
    return this;
  }

  /**
   * Adds a criterion.
   *
   * @throws TypeError when there is a criterion of that name already.
   */
  criterion<E = Record<string, unknown>>(name: string, run: Criterion<E>): this {
    if (this.#criteria.has(name)) throw new TypeError(`${name} has two functions`);
    this.#criteria.set(name, run as Criterion);
    return this;
  }

  /**
   * Answers until `signal` is aborted, or without one until SIGINT or SIGTERM comes; then finishes
   * what it was asked, for a while.
   */
  async run(signal?: AbortSignal): Promise<void> {
    if (signal === undefined) return untilSignaled((told) => this.#answer(told));
    await this.#answer(signal);
  }

  async #answer(signal: AbortSignal): Promise<void> {
    const { onNotice } = this.#options;
    const backoff = new Backoff();
    const left = new AbortController();
    const { signal: leave } = left;
    void this.#finished(signal).then(() => left.abort());
    while (!signal.aborted) {
      const joined = (memberId: string): void => onNotice({ kind: "joined", memberId });
      const answer = (asked: CloudEvent): Promise<CloudEvent | undefined> => this.#hear(asked);
      const ending = await attend(this.#options, { joined, answer, leave });
      if (ending === undefined) return;
      if (ending.hasJoined) backoff.reset();
      const pauseMs = backoff.next();
      onNotice({ kind: "unreachable", error: ending.error, pauseMs });
      await pause(pauseMs, signal);
    }
  }

  /** Resolves when the node was told to stop and has nothing left to answer, or the grace is over. */
  async #finished(signal: AbortSignal): Promise<void> {
    if (!signal.aborted) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    }
    const done = new AbortController();
    const late = pause(this.#options.graceMs, done.signal);
    while (this.#running > 0) {
      const emptied = new Promise<void>((resolve) => (this.#emptied = resolve));
      const isLate = await Promise.race([emptied.then(() => false), late.then(() => true)]);
      if (isLate) break;
    }
    done.abort();
  }

  async #hear(asked: CloudEvent): Promise<CloudEvent | undefined> {
    switch (asked.type) {
      case "EntityProcessorCalculationRequest":
        return this.#ask(asked, "EntityProcessorCalculationResponse");
      case "EntityCriteriaCalculationRequest":
        return this.#ask(asked, "EntityCriteriaCalculationResponse");
      case "CalculationMemberKeepAliveEvent":
        return event("EventAckResponse", { id: randomUUID(), sourceEventId: asked.id, success: true });
      default:
        // What later servers may say besides.
        return undefined;
    }
  }

  async #ask(heard: CloudEvent, type: string): Promise<CloudEvent | undefined> {
    const asked = question(heard);
    if (asked === undefined) {
      const error = new Error("it cannot be read");
      this.#options.onNotice({ kind: "failed", id: heard.id, error });
      return undefined;
    }
    this.#running += 1;
    if (this.#running > this.#options.concurrency) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return event(type, await this.#reply(asked));
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
      // After the answer was sent, which is in the next round.
      if (this.#running === 0) setImmediate(() => this.#emptied?.());
    }
  }

  async #reply(asked: Asked): Promise<Reply> {
    const { requestId, entityId } = asked;
    const reply = { id: requestId, requestId, entityId };
    try {
      return { ...reply, success: true, ...(await this.#said(asked)) };
    } catch (thrown) {
      this.#options.onNotice({ kind: "failed", id: requestId, error: asError(thrown) });
      const retryable = thrown instanceof RetryableError;
      const error = { code: "FAILED", message: messageOf(thrown), retryable } as const;
      return { ...reply, success: false, error };
    }
  }

  async #said(asked: Asked): Promise<Pick<Reply, "payload" | "matches">> {
    const { processorName, criteriaName } = asked;
    const process = this.#processors.get(processorName ?? "");
    const decide = this.#criteria.get(criteriaName ?? "");
    if (processorName !== undefined && process !== undefined) {
      const value = (await process({ ...asked, name: processorName })) ?? undefined;
      return value === undefined ? {} : { payload: { type: "JSON", data: whole(value) } };
    }
    if (criteriaName !== undefined && decide !== undefined) {
      return { matches: Boolean(await decide({ ...asked, name: criteriaName })) };
    }
    throw new FatalError(`this node has no function "${processorName ?? criteriaName ?? ""}"`);
  }
}

/** A question as it travels: whom it is for is said in one of two ways. */
interface Asked extends Question {
  processorName?: string;
  criteriaName?: string;
}

function question(heard: CloudEvent): Asked | undefined {
  const ticket = heard.attributes["cyodatxtoken"] ?? "";
  try {
    return { ...(JSON.parse(heard.text) as Asked), ticket };
  } catch {
    return undefined;
  }
}

/** A value of an entity, which is an object that can be written. */
function whole(value: unknown): unknown {
  if (!JSON.stringify(value)?.startsWith("{")) {
    throw new FatalError("what the function returned is no object");
  }
  return value;
}
