// What travels between clients of chains and a server.

/** A definition to deploy. */
export interface ChainDefinition {
  workflowType: string;
  /** Counted from 1. */
  workflowVersion: number;
  /** In the order they are executed. */
  steps: { stepType: string; maxAttempts?: number }[];
}

/** Asks for a new instance. */
export interface StartChain {
  workflowType: string;
  /** The highest if absent. */
  workflowVersion?: number;
  /** One instance of a type runs under it at a time. */
  bizKey?: string;
  context?: unknown;
}

/** The status of an instance. */
export type ChainStatus = "RUNNING" | "COMPLETED" | "FAILED" | "CANCELED";

/** The status of a step. */
export type StepStatus = "PENDING" | "READY" | "RUNNING" | "WAITING" | "DONE" | "DEAD";

/** Where an instance stands. */
export interface Chain<C = unknown> {
  instanceId: string;
  /** How many commits it has seen. */
  version: number;
  workflowType: string;
  workflowVersion: number;
  bizKey: string | null;
  status: ChainStatus;
  currentStepSeq: number;
  currentStepType: string;
  context: C | null;
  startedAt: string;
  completedAt: string | null;
  failedAt: string | null;
  canceledAt: string | null;
  cancelReason: string | null;
}

/** One step of an instance. */
export interface ChainStep {
  /** Counted from 0. */
  stepSeq: number;
  stepType: string;
  status: StepStatus;
  /** Failed executions so far. */
  attempts: number;
  maxAttempts: number;
  nextRunAt: string | null;
  waitingEventType: string | null;
  deadlineAt: string | null;
  lockedBy: string | null;
  lockedUntil: string | null;
  lastError: string | null;
}

/** An instance with its steps. */
export interface ChainDetail<C = unknown> extends Chain<C> {
  steps: ChainStep[];
}

/** Which instances to list, newest first. */
export interface ChainQuery {
  status?: ChainStatus;
  workflowType?: string;
  bizKey?: string;
  /** Only those that wait for this event. */
  awaits?: string;
  page?: number;
  pageSize?: number;
  /** Go on after the instance of this id, the last one seen. */
  after?: string;
}

/** One page of instances. */
export interface ChainPage {
  items: Chain[];
  page: number;
  pageSize: number;
  hasMore: boolean;
}

/** Tells an instance of an event. */
export interface Signal {
  eventType: string;
  /** Names the event, so that a repeat is recognized. */
  eventId?: string;
  payload?: unknown;
}

/** What became of an event: it ended a wait, is kept until a step waits, or had come before. */
export type SignalOutcome = "WOKEN" | "BUFFERED" | "DUPLICATE";

/** A step in the hands of a worker. */
export interface Task<C = unknown> {
  /** With `stepSeq`, what to be idempotent by. */
  instanceId: string;
  stepSeq: number;
  stepType: string;
  workflowType: string;
  workflowVersion: number;
  bizKey: string | null;
  /** `WAITING_TIMEOUT`: the event it waited for did not come in time. */
  taskType: "READY_STEP" | "WAITING_TIMEOUT";
  /** Failed executions so far. */
  attempts: number;
  maxAttempts: number;
  leaseToken: string;
  leasedUntil: string;
  context: C;
  /** The event that ended the latest wait of the step. */
  wake?: { eventType: string; eventId: string | null; payload: unknown };
}

/** A worker asks for steps. */
export interface ClaimSteps {
  workerId: string;
  workflowTypes?: readonly string[];
  stepTypes?: readonly string[];
  /** At most 1000. */
  max?: number;
  /** 100 milliseconds to a day. */
  leaseMs?: number;
  /** At most 30 seconds. */
  waitMs?: number;
}

/** How an execution ended. */
export type TaskResult =
  | { kind: "COMPLETED" }
  | { kind: "WAITING"; waitingEventType: string; timeoutMs?: number; discardBuffered?: boolean }
  | { kind: "RETRY"; error: string; backoffMs?: number }
  | { kind: "DEAD"; error: string };

/** A notice to be sent to the outside. */
export interface OutboundEvent {
  eventType: string;
  /** A UUID of version 7; made if absent. */
  eventId?: string;
  /** Now if absent. */
  occurredAt?: string;
  payload?: unknown;
  headers?: Record<string, string>;
}

/** A worker's report on the step it holds. */
export interface ReportStep {
  workerId: string;
  result: TaskResult;
  contextPatch?: unknown;
  outboundEvents?: OutboundEvent[];
}

/** What a report came to. */
export interface ReportedStep {
  instanceId: string;
  stepSeq: number;
  stepStatus: StepStatus;
  instanceStatus: ChainStatus;
  currentStepSeq: number;
  currentStepType: string;
}
