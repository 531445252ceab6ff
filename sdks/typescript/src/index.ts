// Workers and a client for Waypost.

export { JobWorker, type JobFunction } from "./job.js";
export { ChainWorker, type StepFunction } from "./chain.js";
export { completed, dead, retry, waiting, type Besides, type Verdict } from "./verdict.js";
export type { Context, WorkerOptions } from "./shift.js";
export { FatalError, RetryableError, WaypostError } from "./error.js";
export { Client } from "./client.js";
export type { Callback, Processes } from "./processes.js";
export type { Chains } from "./chains.js";
export { inWords, warn, type Notice } from "./notice.js";
export { workerId } from "./identity.js";
export type * from "./wire/process.js";
export type * from "./wire/chain.js";
