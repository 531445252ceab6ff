// The loop every worker runs: claim no more than can begin, begin it, and end in good order.

import { setImmediate as tick } from "node:timers/promises";

import { Backoff, pause } from "./backoff.js";
import { Client } from "./client.js";
import { asError } from "./error.js";
import { workerId } from "./identity.js";
import type { Held } from "./lease.js";
import { telling, type Notice } from "./notice.js";
import { untilSignaled } from "./shutdown.js";

/** How many pieces of work one claim may take. */
const CLAIM_MAX = 1_000;

/**
 * How long a claim that is under way may take once the worker was told to stop. After that the
 * server sees the connection close and takes back what it handed out.
 */
const CLAIM_LINGER = 500;

/**
 * How many reports may be under way for each function that may run. New work is claimed while what
 * is done is reported, but not without end when reports are slow.
 */
const REPORTS_MAX = 2;

/** How long to pause if there was nothing to do and the server did not wait for it. */
const IDLE = 100;

/** How a worker works. */
export interface WorkerOptions {
  /** The server; `WAYPOST_SERVER` of the environment or `http://localhost:8080` unless given. */
  url?: string;
  /** Who it is. Two workers must never share a name; one is made up unless given. */
  workerId?: string;
  /** How many functions it runs at a time (64). */
  concurrency?: number;
  /** How long it holds work without saying so again (30 seconds). */
  leaseMs?: number;
  /** How long the server lets a claim wait for work (20 seconds, at most 30). */
  waitMs?: number;
  /** How long functions may go on after it was told to stop (20 seconds). */
  graceMs?: number;
  /** Hears what goes wrong; written to the standard error unless given. */
  onNotice?: (notice: Notice) => void;
}

/** What a function gets beside its work. */
export interface Context {
  /** Aborted when nobody waits for the result any more: the lease is lost, or the grace is over. */
  readonly signal: AbortSignal;
}

/** What all workers have. */
export abstract class Worker<H extends Held> {
  /** Who it is. */
  readonly workerId: string;
  protected readonly client: Client;
  protected readonly options: Required<Omit<WorkerOptions, "url" | "workerId" | "onNotice">>;
  protected readonly tell: (notice: Notice) => void;
  /** Aborted when not even reports are waited for any more. */
  protected over: AbortSignal = AbortSignal.abort();
  readonly #running = new Set<H>();
  readonly #reports = new Set<Promise<void>>();
  #waiting: (() => void)[] = [];

  /** @throws TypeError when an option cannot be. */
  constructor(options: WorkerOptions) {
    this.client = new Client(options.url);
    this.workerId = options.workerId ?? workerId();
    this.tell = telling(options.onNotice);
    this.options = {
      concurrency: options.concurrency ?? 64,
      leaseMs: options.leaseMs ?? 30_000,
      waitMs: options.waitMs ?? 20_000,
      graceMs: options.graceMs ?? 20_000,
    };
    within("concurrency", this.options.concurrency, 1, Infinity);
    within("leaseMs", this.options.leaseMs, 100, 86_400_000);
    within("waitMs", this.options.waitMs, 0, 30_000);
    within("graceMs", this.options.graceMs, 0, 86_400_000);
  }

  /** Whether there is anything to ask for. */
  protected abstract readonly isIdle: boolean;
  /** Claims work. */
  protected abstract claim(max: number, waitMs: number, signal: AbortSignal): Promise<H[]>;
  /** Prolongs a lease. */
  protected abstract renew(held: H, signal: AbortSignal): Promise<unknown>;
  /** Runs the function and gives back how to report what it said. Never throws. */
  protected abstract execute(held: H): Promise<() => Promise<void>>;
  /** Gives back what was not begun; false if that is not possible, so that it must be done. */
  protected abstract giveBack(held: H): Promise<boolean>;

  /**
   * Works until `signal` is aborted, or without one until SIGINT or SIGTERM comes; then lets what
   * runs finish, for a while. Nothing fails because the worker stops.
   */
  async run(signal?: AbortSignal): Promise<void> {
    if (signal === undefined) return untilSignaled((told) => this.#work(told));
    await this.#work(signal);
  }

  /** Claims once without waiting, and does what it got; says how much that was. */
  async runOnce(): Promise<number> {
    const end = this.#begin();
    try {
      const max = Math.min(this.options.concurrency, CLAIM_MAX);
      const taken = await this.claim(max, 0, end.signal);
      for (const held of taken) this.#start(held);
      await this.#quiet();
      return taken.length;
    } finally {
      this.#end(end);
    }
  }

  async #work(signal: AbortSignal): Promise<void> {
    const end = this.#begin();
    const wake = (): void => this.#wake();
    signal.addEventListener("abort", wake);
    try {
      await this.#serve(signal);
      await Promise.race([this.#quiet(), pause(this.options.graceMs, end.signal)]);
      this.#abandon();
    } finally {
      signal.removeEventListener("abort", wake);
      this.#end(end);
    }
  }

  #begin(): AbortController {
    if (this.isIdle) throw new TypeError("the worker has no functions");
    if (!this.over.aborted) throw new TypeError("the worker is at work already");
    const end = new AbortController();
    this.over = end.signal;
    return end;
  }

  #end(end: AbortController): void {
    end.abort();
    this.client.close();
  }

  async #serve(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff();
    while (!signal.aborted) {
      await this.#room(signal);
      if (signal.aborted) return;
      try {
        const askedAt = performance.now();
        const taken = await this.#claimUntil(signal);
        backoff.reset();
        const isHasty = taken.length === 0 && performance.now() - askedAt < IDLE;
        if (isHasty) await pause(IDLE, signal);
        for (const held of taken) {
          if (!signal.aborted || !(await this.giveBack(held))) this.#start(held);
        }
      } catch (error) {
        if (signal.aborted) return;
        const pauseMs = backoff.next();
        this.tell({ kind: "unreachable", error: asError(error), pauseMs });
        await pause(pauseMs, signal);
      }
    }
  }

  /** Waits until there is room: neither too many functions nor too many reports are under way. */
  async #room(signal: AbortSignal): Promise<void> {
    const { concurrency } = this.options;
    const isFull = (): boolean =>
      this.#running.size >= concurrency || this.#reports.size >= REPORTS_MAX * concurrency;
    // What ends together frees its places together: one claim for all of them.
    if (this.#running.size > 0) await tick();
    while (isFull() && !signal.aborted) {
      await this.#change();
      await tick();
    }
  }

  async #claimUntil(signal: AbortSignal): Promise<H[]> {
    const leave = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const linger = (): void => {
      timer = setTimeout(() => leave.abort(), CLAIM_LINGER);
    };
    signal.addEventListener("abort", linger);
    try {
      const free = this.options.concurrency - this.#running.size;
      return await this.claim(Math.min(free, CLAIM_MAX), this.options.waitMs, leave.signal);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", linger);
    }
  }

  #start(held: H): void {
    this.#running.add(held);
    const lost = (): void => this.tell({ kind: "lost", id: held.id });
    held.keepAlive((signal) => this.renew(held, signal), lost);
    void this.execute(held).then((send) => {
      held.letGo();
      this.#running.delete(held);
      if (!held.isLost) this.#report(held, send);
      this.#wake();
    });
  }

  #report(held: H, send: () => Promise<void>): void {
    const sending = Promise.resolve()
      .then(send)
      .catch((error: unknown) => this.tell({ kind: "refused", id: held.id, error: asError(error) }))
      .then(() => {
        this.#reports.delete(sending);
        this.#wake();
      });
    this.#reports.add(sending);
  }

  /** Resolves when nothing runs and everything is reported. */
  async #quiet(): Promise<void> {
    while (this.#running.size > 0 || this.#reports.size > 0) {
      await this.#change();
    }
  }

  /** Resolves when something has ended, or the worker is told to stop. */
  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #abandon(): void {
    if (this.#running.size === 0) return;
    this.tell({ kind: "abandoned", ids: [...this.#running].map((it) => it.id) });
    for (const held of this.#running) held.abandon();
    this.#running.clear();
  }
}

function within(option: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new TypeError(`${option} must be an integer from ${least} to ${most}, is ${value}`);
}
