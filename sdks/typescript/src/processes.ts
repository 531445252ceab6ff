// The routes of processes, typed.

import { randomUUID } from "node:crypto";

import { Written, type Answer, type Connection } from "./http.js";
import type {
  CallbackResult,
  Job,
  PollJobs,
  Process,
  ProcessPage,
  ProcessQuery,
  StartProcess,
  StepExecution,
  Uploaded,
  UserTask,
  Variables,
} from "./wire/process.js";

/** What became of a worker's report: ignored ones came too late, and nothing has changed. */
export type Callback = "accepted" | "ignored";

/** The processes of a server. */
export class Processes {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Uploads a definition as the next version of its id; the same content again keeps its version.
   * A text is sent as it is: the order of conditions matters, and numbers may look like names.
   */
  upload(definition: object | string): Promise<Uploaded> {
    const body = typeof definition === "string" ? new Written(definition) : definition;
    const path = ["v1", "definitions"];
    return this.#connection.ask({ method: "POST", path, body, isRepeatable: true });
  }

  /** A definition; the latest if no version is given. */
  definition(id: string, version?: number): Promise<Record<string, unknown>> {
    const which = version === undefined ? [] : ["versions", String(version)];
    return this.#connection.ask({ method: "GET", path: ["v1", "definitions", id, ...which] });
  }

  /**
   * Starts an instance. All that needs nobody happens at once: it may have ended already. Asking
   * again with the same `idempotencyKey` is the same as asking once.
   */
  start<V = Variables>(start: StartProcess, idempotencyKey: string = randomUUID()): Promise<Process<V>> {
    const headers = { "idempotency-key": idempotencyKey };
    const path = ["v1", "instances"];
    return this.#connection.ask({ method: "POST", path, body: start, headers, isRepeatable: true });
  }

  /** One instance. */
  show<V = Variables>(id: string): Promise<Process<V>> {
    return this.#connection.ask({ method: "GET", path: ["v1", "instances", id] });
  }

  /** Instances that match, newest first. */
  list(query: ProcessQuery = {}): Promise<ProcessPage> {
    return this.#connection.ask({ method: "GET", path: ["v1", "instances"], query });
  }

  /** What happened to an instance, in the order in which steps began. */
  async history(id: string): Promise<StepExecution[]> {
    const path = ["v1", "instances", id, "history"];
    return (await this.#connection.ask<{ items: StepExecution[] }>({ method: "GET", path })).items;
  }

  /** Tells an instance that what `stepId` waits for has happened. */
  async signal(id: string, stepId: string, variables: Variables = {}): Promise<void> {
    const path = ["v1", "instances", id, "signals", stepId];
    await this.#connection.send({ method: "POST", path, body: variables });
  }

  /** Has a failed step tried again, with changed variables. */
  retry(id: string, stepId: string, variables: Variables = {}): Promise<Process> {
    const path = ["v1", "instances", id, "steps", stepId, "retry"];
    return this.#connection.ask({ method: "POST", path, body: { variables } });
  }

  /** Cancels an instance. */
  cancel(id: string, reason?: string): Promise<Process> {
    const path = ["v1", "instances", id, "cancel"];
    return this.#connection.ask({ method: "POST", path, body: { reason } });
  }

  /** Tasks that wait for people, of one page of instances. */
  async userTasks(query: ProcessQuery = {}): Promise<UserTask[]> {
    const path = ["v1", "user-tasks"];
    return (await this.#connection.ask<{ items: UserTask[] }>({ method: "GET", path, query })).items;
  }

  /** Completes the task of a person at `stepId`. */
  async completeUserTask(
    id: string,
    stepId: string,
    task: { completedBy?: string; variables?: Variables } = {},
  ): Promise<void> {
    const path = ["v1", "instances", id, "user-tasks", stepId, "complete"];
    await this.#connection.send({ method: "POST", path, body: task });
  }

  /** Leases jobs. Take no more than you can begin at once. */
  async poll(poll: PollJobs, signal?: AbortSignal): Promise<Job[]> {
    const path = ["v1", "jobs", "poll"];
    const waitMs = poll.waitMs ?? 0;
    const request = { method: "POST", path, body: poll, waitMs, signal } as const;
    return (await this.#connection.ask<{ jobs: Job[] | null }>(request)).jobs ?? [];
  }

  /** A job is done. The same again changes nothing. */
  complete(id: string, workerId: string, variables?: Variables | Written): Promise<Callback> {
    const given = variables instanceof Written ? variables.text : JSON.stringify(variables ?? {});
    const body = new Written(`{"workerId":${JSON.stringify(workerId)},"variables":${given}}`);
    return this.#callback(["v1", "jobs", id, "complete"], body);
  }

  /** Several jobs are done; each is taken on its own. At most 1000, and 1 MiB in all. */
  async completeSeveral(
    workerId: string,
    jobs: readonly { id: string; variables?: Variables }[] | Written,
  ): Promise<CallbackResult[]> {
    const items = jobs instanceof Written ? jobs.text : JSON.stringify(jobs);
    const body = new Written(`{"workerId":${JSON.stringify(workerId)},"jobs":${items}}`);
    const request = { method: "POST", path: ["v1", "jobs", "complete"], body } as const;
    return (await this.#connection.ask<{ results: CallbackResult[] }>(request)).results;
  }

  /** A job could not be done. */
  fail(id: string, workerId: string, errorMessage: string, retryable: boolean): Promise<Callback> {
    const body = { workerId, errorMessage, retryable };
    return this.#callback(["v1", "jobs", id, "fail"], body);
  }

  /** Prolongs the hold on a job; says until when. */
  async heartbeat(
    id: string,
    workerId: string,
    leaseSeconds: number,
    signal?: AbortSignal,
  ): Promise<string> {
    const path = ["v1", "jobs", id, "heartbeat"];
    const request = { method: "POST", path, body: { workerId, leaseSeconds }, signal } as const;
    return (await this.#connection.ask<{ lockExpiresAt: string }>(request)).lockExpiresAt;
  }

  async #callback(path: string[], body: unknown): Promise<Callback> {
    const answer: Answer = await this.#connection.send({ method: "POST", path, body });
    return answer.headers["waypost-callback"] === undefined ? "accepted" : "ignored";
  }
}
