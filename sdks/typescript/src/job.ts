// Workers of processes: lease jobs, do them here, report.

import { Completions } from "./completions.js";
import { asError, FatalError, messageOf, WaypostError } from "./error.js";
import { Held, report } from "./lease.js";
import { Worker, type Context, type WorkerOptions } from "./shift.js";
import type { Job, Variables } from "./wire/process.js";

/**
 * Does a job. What it returns becomes variables of the process, objects member by member; nothing
 * is fine. What it throws has the job offered again while the step has retries left; a
 * {@link FatalError} fails the process at once. It may run more than once for the same job: make
 * it so that this does no harm, with `stepExecutionId` as the key.
 */
export type JobFunction<V = Variables, R extends object | void = object | void> = (
  job: Job<V>,
  context: Context,
) => Promise<R> | R;

/** A job in our hands. */
class HeldJob extends Held {
  constructor(
    readonly job: Job,
    leaseMs: number,
  ) {
    super(leaseMs);
  }

  get id(): string {
    return this.job.id;
  }
}

/** Does jobs of processes for a server. Leases of jobs are 5 seconds to an hour. */
export class JobWorker extends Worker<HeldJob> {
  readonly #functions = new Map<string, JobFunction>();
  readonly #completions: Completions;
  readonly #leaseSeconds: number;

  /** @throws TypeError when an option cannot be. */
  constructor(options: WorkerOptions = {}) {
    const seconds = Math.min(Math.max(Math.floor((options.leaseMs ?? 30_000) / 1_000), 5), 3_600);
    super({ ...options, leaseMs: seconds * 1_000 });
    this.#leaseSeconds = seconds;
    this.#completions = new Completions(this.client.processes, this.workerId);
  }

  /**
   * Adds the function for a type of job.
   *
   * @throws TypeError when the type has a function already.
   */
  register<V = Variables, R extends object | void = object | void>(
    jobType: string,
    run: JobFunction<V, R>,
  ): this {
    if (this.#functions.has(jobType)) throw new TypeError(`${jobType} has two functions`);
    this.#functions.set(jobType, run as JobFunction);
    return this;
  }

  protected override get isIdle(): boolean {
    return this.#functions.size === 0;
  }

  protected override async claim(max: number, waitMs: number, signal: AbortSignal): Promise<HeldJob[]> {
    const { workerId } = this;
    const jobTypes = [...this.#functions.keys()];
    const poll = { workerId, jobTypes, maxJobs: max, leaseSeconds: this.#leaseSeconds, waitMs };
    const jobs = await this.client.processes.poll(poll, signal);
    return jobs.map((job) => new HeldJob(job, this.options.leaseMs));
  }

  protected override renew(held: HeldJob, signal: AbortSignal): Promise<unknown> {
    return this.client.processes.heartbeat(held.id, this.workerId, this.#leaseSeconds, signal);
  }

  protected override async execute(held: HeldJob): Promise<() => Promise<void>> {
    const { job } = held;
    try {
      const run = this.#functions.get(job.jobType);
      if (run === undefined) throw new FatalError(`no function for ${job.jobType}`);
      const variables = written(await run(job, held));
      return () => this.#complete(held, variables);
    } catch (thrown) {
      if (!held.isLost) this.tell({ kind: "failed", id: held.id, error: asError(thrown) });
      return () => this.#fail(held, messageOf(thrown), !(thrown instanceof FatalError));
    }
  }

  /** Jobs cannot be given back; there is room for what was leased, so it is done. */
  protected override giveBack(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async #complete(held: HeldJob, variables: string): Promise<void> {
    try {
      const callback = await this.#completions.complete(held, variables, this.over);
      if (callback === "ignored") this.tell({ kind: "stale", id: held.id });
    } catch (error) {
      // Variables that cannot be taken are a failure of the job. If they break the step's schema,
      // the process has failed with that already.
      const isUnusable =
        error instanceof WaypostError &&
        (error.status === 400 || error.status === 413) &&
        error.code !== "SCHEMA_VIOLATED";
      if (!isUnusable) throw error;
      this.tell({ kind: "refused", id: held.id, error });
      await this.#fail(held, error.message, true);
    }
  }

  async #fail(held: HeldJob, message: string, isRetryable: boolean): Promise<void> {
    const { processes } = this.client;
    const send = () => processes.fail(held.id, this.workerId, message, isRetryable);
    const callback = await report(held, this.over, send);
    if (callback === "ignored") this.tell({ kind: "stale", id: held.id });
  }
}

/** What a function returned, in JSON. */
function written(returned: object | void | null): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(returned ?? {});
  } catch (error) {
    throw new FatalError(`what the function returned cannot be written: ${messageOf(error)}`);
  }
  if (!text?.startsWith("{")) {
    throw new FatalError("what the function returned is no object of variables");
  }
  return text;
}
