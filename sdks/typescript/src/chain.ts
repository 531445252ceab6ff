// Workers of chains: claim steps, execute them here, report.

import { asError, FatalError, messageOf, RetryableError, WaypostError } from "./error.js";
import { Held, report } from "./lease.js";
import { Worker, type Context, type WorkerOptions } from "./shift.js";
import { completed, dead, retry, Verdict } from "./verdict.js";
import type { ReportStep, Task } from "./wire/chain.js";

/**
 * Executes a step. Nothing returned means that it is done; see {@link completed}, {@link waiting},
 * {@link retry} and {@link dead}. What it throws has the step tried again, by the server's policy;
 * a {@link FatalError} ends the chain. It may run more than once for the same step: make it so that
 * this does no harm, with `instanceId` and `stepSeq` as the key.
 */
export type StepFunction<C = unknown> = (
  task: Task<C>,
  context: Context,
) => Promise<Verdict | void> | Verdict | void;

/** A step in our hands. */
class HeldStep extends Held {
  constructor(
    readonly task: Task,
    leaseMs: number,
  ) {
    super(leaseMs);
  }

  get id(): string {
    return this.task.leaseToken;
  }
}

/** Executes steps of chains for a server. */
export class ChainWorker extends Worker<HeldStep> {
  /** By workflow type, then by step type. */
  readonly #functions = new Map<string, Map<string, StepFunction>>();

  /** @throws TypeError when an option cannot be. */
  constructor(options: WorkerOptions = {}) {
    super(options);
  }

  /**
   * Adds the function for a step.
   *
   * @throws TypeError when the step has a function already.
   */
  register<C = unknown>(workflowType: string, stepType: string, run: StepFunction<C>): this {
    const steps = this.#functions.get(workflowType) ?? new Map<string, StepFunction>();
    if (steps.has(stepType)) throw new TypeError(`${workflowType}/${stepType} has two functions`);
    this.#functions.set(workflowType, steps.set(stepType, run as StepFunction));
    return this;
  }

  protected override get isIdle(): boolean {
    return this.#functions.size === 0;
  }

  protected override async claim(max: number, waitMs: number, signal: AbortSignal): Promise<HeldStep[]> {
    const { workerId } = this;
    const { leaseMs } = this.options;
    const workflowTypes = [...this.#functions.keys()];
    const stepTypes = [...new Set([...this.#functions.values()].flatMap((it) => [...it.keys()]))];
    const claim = { workerId, workflowTypes, stepTypes, max, leaseMs, waitMs };
    const tasks = await this.client.chains.claim(claim, signal);
    return tasks.map((task) => new HeldStep(task, leaseMs));
  }

  protected override renew(held: HeldStep, signal: AbortSignal): Promise<unknown> {
    return this.client.chains.renew(held.id, this.workerId, this.options.leaseMs, signal);
  }

  protected override async execute(held: HeldStep): Promise<() => Promise<void>> {
    const verdict = await this.#verdict(held);
    return () => this.#report(held, verdict.report(this.workerId));
  }

  protected override async giveBack(held: HeldStep): Promise<boolean> {
    // If it cannot be given back, its lease lapses.
    await this.client.chains.release(held.id, this.workerId).catch(() => undefined);
    return true;
  }

  async #verdict(held: HeldStep): Promise<Verdict> {
    const { task } = held;
    const run = this.#functions.get(task.workflowType)?.get(task.stepType);
    // The claim names types of chains and of steps; not every pair of them has a function.
    if (run === undefined) return retry(`NO_HANDLER: ${task.workflowType}/${task.stepType}`);
    try {
      const said: unknown = (await run(task, held)) ?? completed();
      if (said instanceof Verdict) return said;
      throw new FatalError("what the function returned is no verdict");
    } catch (thrown) {
      if (!held.isLost) this.tell({ kind: "failed", id: held.id, error: asError(thrown) });
      if (thrown instanceof FatalError) return dead(messageOf(thrown));
      const backoffMs = thrown instanceof RetryableError ? thrown.backoffMs : undefined;
      return retry(messageOf(thrown), backoffMs === undefined ? {} : { backoffMs });
    }
  }

  async #report(held: HeldStep, told: ReportStep): Promise<void> {
    const send = (it: ReportStep) =>
      report(held, this.over, () => this.client.chains.report(held.id, it));
    try {
      await send(told);
    } catch (error) {
      const isRefused = error instanceof WaypostError;
      if (isRefused && error.code === "LEASE_LOST") return this.tell({ kind: "stale", id: held.id });
      if (isRefused && error.status !== 422) throw error;
      // What the step said cannot be, or not even be written. That is a failure of the step.
      this.tell({ kind: "refused", id: held.id, error: asError(error) });
      await send(retry(messageOf(error)).report(this.workerId));
    }
  }
}
