// What every piece of work needs while it is in our hands: its lease kept alive, and its report
// sent until somebody has taken it.

import { Backoff, pause } from "./backoff.js";
import { isRetryable } from "./error.js";

/** Work in our hands, and until when it certainly is. */
export abstract class Held {
  /** By the clock of this machine that never goes back, in milliseconds. */
  until: number;
  /** Whether the server has given it to somebody else, or may have. */
  isLost = false;
  readonly #leaseMs: number;
  #timer: NodeJS.Timeout | undefined;
  #control: AbortController | undefined;

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
    this.until = performance.now() + leaseMs;
  }

  /** What it is called in notices. */
  abstract readonly id: string;

  /** Aborted when nobody waits for the result any more. */
  get signal(): AbortSignal {
    this.#control ??= new AbortController();
    if (this.isLost) this.#control.abort();
    return this.#control.signal;
  }

  /** Says every third of the lease that we are at it. `lost` is called when we are not any more. */
  keepAlive(renew: (signal: AbortSignal) => Promise<unknown>, lost: () => void): void {
    const beat = async (): Promise<void> => {
      const begunAt = performance.now();
      const limit = AbortSignal.timeout(Math.max(1, Math.ceil(this.until - begunAt)));
      try {
        await renew(limit);
        this.until = begunAt + this.#leaseMs;
      } catch (error) {
        // A server that is away may be back before the lease is over.
        if (!isRetryable(error) || performance.now() >= this.until) return this.drop(lost);
      }
      if (this.#timer !== undefined) next();
    };
    const next = (): void => {
      const left = this.until - performance.now();
      this.#timer = setTimeout(() => void beat(), Math.max(0, Math.min(this.#leaseMs / 3, left)));
    };
    next();
  }

  /** Nobody needs the lease any more. */
  letGo(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** It is not ours any more. */
  drop(lost: () => void): void {
    if (this.#timer === undefined || this.isLost) return;
    this.letGo();
    this.isLost = true;
    this.#control?.abort();
    lost();
  }

  /** Tells the function that nobody waits for it. */
  abandon(): void {
    this.letGo();
    this.isLost = true;
    this.#control?.abort();
  }
}

/** Sends a report until it is answered or the lease is over: the same report again is harmless. */
export async function report<T>(held: Held, over: AbortSignal, send: () => Promise<T>): Promise<T> {
  const backoff = new Backoff();
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const wait = backoff.next();
      if (!isRetryable(error) || over.aborted || performance.now() + wait >= held.until) throw error;
      await pause(wait, over);
    }
  }
}
