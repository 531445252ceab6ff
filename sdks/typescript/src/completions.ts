// Reports of jobs that are done: those that end while another report is under way go together.

import { Backoff, pause } from "./backoff.js";
import { isRetryable } from "./error.js";
import { Written } from "./http.js";
import { report, type Held } from "./lease.js";
import type { Callback, Processes } from "./processes.js";
import type { CallbackResult } from "./wire/process.js";

/** How many jobs one report may have. The server takes twice as many. */
const JOBS_MAX = 500;
/** How long one report may be. The server takes twice as much. */
const BYTES_MAX = 512 << 10;
/** How many reports may be under way. One is written by the server while the next is on its way. */
const UNDER_WAY_MAX = 2;

/** A job that is done, and who waits for its report to be taken. */
interface Done {
  held: Held;
  /** Its variables, in JSON. */
  variables: string;
  settle: (callback: Callback) => void;
  refuse: (error: unknown) => void;
}

/** Reports jobs of one worker. */
export class Completions {
  readonly #processes: Processes;
  readonly #workerId: string;
  #waiting: Done[] = [];
  #isScheduled = false;
  #underWay = 0;

  constructor(processes: Processes, workerId: string) {
    this.#processes = processes;
    this.#workerId = workerId;
  }

  /** Reports a job; says what became of it, or why it could not be taken. */
  complete(held: Held, variables: string, over: AbortSignal): Promise<Callback> {
    return new Promise((settle, refuse) => {
      this.#waiting.push({ held, variables, settle, refuse });
      this.#schedule(over);
    });
  }

  /** Everything that ends in this round of the event loop goes together. */
  #schedule(over: AbortSignal): void {
    if (this.#isScheduled || this.#underWay >= UNDER_WAY_MAX) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#waiting.length > 0 && this.#underWay < UNDER_WAY_MAX) this.#flush(over);
    });
  }

  #flush(over: AbortSignal): void {
    const batch = this.#next();
    this.#underWay += 1;
    const [only] = batch;
    const sending = batch.length === 1 && only ? this.#one(only, over) : this.#several(batch, over);
    void sending.then(() => {
      this.#underWay -= 1;
      if (this.#waiting.length > 0) this.#schedule(over);
    });
  }

  /** As many as fit into one report, but at least one. */
  #next(): Done[] {
    let bytes = 0;
    const end = this.#waiting.findIndex((it, at) => {
      bytes += Buffer.byteLength(it.variables) + it.held.id.length + 32;
      return at > 0 && (at >= JOBS_MAX || bytes > BYTES_MAX);
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  async #one(done: Done, over: AbortSignal): Promise<void> {
    const { held, variables, settle, refuse } = done;
    const send = (): Promise<Callback> =>
      this.#processes.complete(held.id, this.#workerId, new Written(variables));
    await report(held, over, send).then(settle, refuse);
  }

  async #several(batch: Done[], over: AbortSignal): Promise<void> {
    const backoff = new Backoff();
    let left = batch;
    while (left.length > 0) {
      try {
        return await this.#settle(left, await this.#send(left), over);
      } catch (error) {
        // One of them is to blame; alone it is told why, and the others are taken.
        if (!isRetryable(error)) return this.#alone(left, over);
        const wait = backoff.next();
        const again = performance.now() + wait;
        const isLate = (it: Done): boolean => over.aborted || it.held.until <= again;
        for (const done of left.filter(isLate)) done.refuse(error);
        left = left.filter((it) => !isLate(it));
        if (left.length > 0) await pause(wait, over);
      }
    }
  }

  #send(batch: Done[]): Promise<CallbackResult[]> {
    const item = ({ held, variables }: Done): string =>
      `{"id":${JSON.stringify(held.id)},"variables":${variables}}`;
    const items = new Written(`[${batch.map(item).join(",")}]`);
    return this.#processes.completeSeveral(this.#workerId, items);
  }

  /** Among several, a failure has no code: it is asked for alone. */
  async #settle(batch: Done[], results: CallbackResult[], over: AbortSignal): Promise<void> {
    const failed: Done[] = [];
    batch.forEach((done, at) => {
      const result = results[at];
      if (result === undefined || result.error !== undefined) failed.push(done);
      else done.settle(result.accepted ? "accepted" : "ignored");
    });
    await this.#alone(failed, over);
  }

  async #alone(batch: Done[], over: AbortSignal): Promise<void> {
    await Promise.all(batch.map((done) => this.#one(done, over)));
  }
}
