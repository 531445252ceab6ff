// The routes of chains, typed.

import { randomUUID } from "node:crypto";

import type { Connection } from "./http.js";
import type {
  Chain,
  ChainDefinition,
  ChainDetail,
  ChainPage,
  ChainQuery,
  ClaimSteps,
  ReportedStep,
  ReportStep,
  Signal,
  SignalOutcome,
  StartChain,
  Task,
} from "./wire/chain.js";

const ROOT = ["v1", "chains"] as const;

/** The chains of a server. */
export class Chains {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Deploys a definition. The same again is fine; another under the same version is refused. */
  deploy(definition: ChainDefinition): Promise<ChainDefinition & { deployedAt: string }> {
    return this.#post(["definitions"], definition, { isRepeatable: true });
  }

  /** Starts an instance. Asking again with the same `idempotencyKey` is the same as asking once. */
  start<C = unknown>(start: StartChain, idempotencyKey: string = randomUUID()): Promise<Chain<C>> {
    const headers = { "idempotency-key": idempotencyKey };
    return this.#post(["instances"], start, { headers, isRepeatable: true });
  }

  /** One instance with its steps. */
  show<C = unknown>(id: string): Promise<ChainDetail<C>> {
    return this.#connection.ask({ method: "GET", path: [...ROOT, "instances", id] });
  }

  /** Instances that match, newest first. */
  list(query: ChainQuery = {}): Promise<ChainPage> {
    return this.#connection.ask({ method: "GET", path: [...ROOT, "instances"], query });
  }

  /** Tells an instance of an event. */
  async signal(id: string, signal: Signal): Promise<SignalOutcome> {
    const told = await this.#post<{ outcome: SignalOutcome }>(["instances", id, "signals"], signal);
    return told.outcome;
  }

  /** Cancels an instance. One that has ended stays as it is. */
  cancel(id: string, reason?: string): Promise<Chain> {
    return this.#post(["instances", id, "cancel"], { reason }, { isRepeatable: true });
  }

  /** Claims steps. Take no more than you can begin at once. */
  async claim(claim: ClaimSteps, signal?: AbortSignal): Promise<Task[]> {
    const waitMs = claim.waitMs ?? 0;
    return (await this.#post<{ tasks: Task[] }>(["claim"], claim, { waitMs, signal })).tasks;
  }

  /** Reports on a claimed step. The same report again is answered as before. */
  report(leaseToken: string, report: ReportStep): Promise<ReportedStep> {
    return this.#post(["tasks", leaseToken, "result"], report);
  }

  /** Prolongs the hold on a step; says until when. */
  async renew(
    leaseToken: string,
    workerId: string,
    leaseMs: number,
    signal?: AbortSignal,
  ): Promise<string> {
    const path = ["tasks", leaseToken, "renew"];
    const told = await this.#post<{ leasedUntil: string }>(path, { workerId, leaseMs }, { signal });
    return told.leasedUntil;
  }

  /** Gives a step back that was not begun. It costs no attempt. */
  async release(leaseToken: string, workerId: string): Promise<void> {
    const path = [...ROOT, "tasks", leaseToken, "release"];
    await this.#connection.send({ method: "POST", path, body: { workerId } });
  }

  #post<T>(path: string[], body: unknown, more: Partial<Extra> = {}): Promise<T> {
    return this.#connection.ask({ method: "POST", path: [...ROOT, ...path], body, ...more });
  }
}

interface Extra {
  headers: Record<string, string>;
  waitMs: number;
  signal: AbortSignal | undefined;
  isRepeatable: boolean;
}
