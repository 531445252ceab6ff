// What travels between clients of processes and a server.

/** What an instance knows. */
export type Variables = Record<string, unknown>;

/** A definition that is stored. */
export interface Uploaded {
  id: string;
  /** Counted from 1. */
  version: number;
  name: string;
  uploadedAt: string;
}

/** Asks for a new instance. */
export interface StartProcess {
  definitionId: string;
  /** The latest if absent. */
  definitionVersion?: number;
  variables?: Variables;
  /** One instance of a definition is under way with it at a time. */
  businessKey?: string;
}

/** How far an instance is. */
export type ProcessStatus = "ACTIVE" | "WAITING" | "COMPLETED" | "FAILED" | "CANCELLED";

/** Where an instance stands. */
export interface Process<V = Variables> {
  id: string;
  definitionId: string;
  definitionVersion: number;
  status: ProcessStatus;
  currentStepIds: string[];
  variables: V;
  startedAt: string;
  completedAt?: string;
  /** Why it failed or was canceled. */
  failureReason?: string;
  businessKey?: string;
  /** The instance whose end has started this one. */
  parentInstanceId?: string;
}

/** Which instances to list, newest first. */
export interface ProcessQuery {
  definitionId?: string;
  status?: ProcessStatus;
  businessKey?: string;
  /** Counted from 0. */
  page?: number;
  pageSize?: number;
}

/** One page of instances, newest first. */
export interface ProcessPage {
  items: Process[];
  total: number;
  page: number;
  pageSize: number;
}

/** One visit of a step. */
export interface StepExecution {
  id: string;
  instanceId: string;
  stepId: string;
  stepName: string;
  stepType: string;
  /** Which visit of the step this is, counted from 1. */
  attemptNumber: number;
  status: "RUNNING" | "COMPLETED" | "FAILED";
  startedAt: string;
  endedAt: string | null;
  inputSnapshot: Variables | null;
  outputSnapshot: Variables | null;
  failureReason: string | null;
}

/** A task that waits for a person. */
export interface UserTask {
  id: string;
  instanceId: string;
  definitionId: string;
  businessKey?: string;
  /** Names the task within the instance. */
  stepId: string;
  stepName: string;
  jobType: string;
  createdAt: string;
  variables: Variables;
}

/** A job that is leased to a worker. */
export interface Job<V = Variables> {
  /** Names this delivery; another delivery has another id. */
  id: string;
  instanceId: string;
  stepId: string;
  /** The same for every delivery: what to be idempotent by. */
  stepExecutionId: string;
  jobType: string;
  status: "LOCKED";
  workerId: string;
  lockedAt: string;
  lockExpiresAt: string;
  createdAt: string;
  /** How often it may still fail and be offered again. */
  retriesRemaining: number;
  /** What the instance knew when it came to the step. */
  variables: V;
}

/** A worker asks for jobs. */
export interface PollJobs {
  workerId: string;
  jobTypes: readonly string[];
  /** At most 1000. */
  maxJobs?: number;
  /** 5 to 3600. */
  leaseSeconds?: number;
  /** How long to wait for the first job, at most 30 seconds. */
  waitMs?: number;
}

/** What became of one of several reports. */
export interface CallbackResult {
  id: string;
  /** Late reports have no effect. */
  accepted: boolean;
  /** Why it could not be taken at all. */
  error?: string;
}
