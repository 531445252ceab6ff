// Pauses that grow while a server is away, and differ so that workers do not come back as one.

import { setTimeout as sleep } from "node:timers/promises";

const FIRST = 100;
const MOST = 30_000;

/** The pauses since it last went well, in milliseconds. */
export class Backoff {
  #pause = FIRST;

  /** The next pause: twice the one before, a fifth more or less, half a minute at the most. */
  next(): number {
    const pause = this.#pause;
    this.#pause = Math.min(pause * 2, MOST);
    return Math.min(pause * (0.8 + Math.random() * 0.4), MOST);
  }

  /** It went well. */
  reset(): void {
    this.#pause = FIRST;
  }
}

/** Waits, or until `signal` is aborted. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch {
    // It was told to stop; whoever waits looks at the signal.
  }
}
