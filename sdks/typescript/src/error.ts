// How a request can fail, and how a function says what kind of failure it met.

/** Why a request was not carried out, or why nobody knows whether it was. */
export class WaypostError extends Error {
  override readonly name = "WaypostError";
  /**
   * `refused`: the server says no. `unreachable`: nothing has happened. `interrupted`: the request
   * went out and no answer came back, so it may or may not have been carried out. `unexpected`:
   * what answers there is not a Waypost server.
   */
  readonly kind: "refused" | "unreachable" | "interrupted" | "unexpected";
  /** The stable code of a refusal, such as `LEASE_LOST`; every code has a page. */
  readonly code: string | undefined;
  /** The HTTP status, if there was an answer. */
  readonly status: number | undefined;
  /** Whether the same request may succeed later. */
  readonly isRetryable: boolean;
  /** What the server said, as it said it. */
  readonly problem: Readonly<Record<string, unknown>> | undefined;

  constructor(message: string, facts: Facts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.kind = facts.kind;
    this.code = facts.code;
    this.status = facts.status;
    this.isRetryable = facts.isRetryable;
    this.problem = facts.problem;
  }
}

interface Facts {
  kind: WaypostError["kind"];
  isRetryable: boolean;
  code?: string | undefined;
  status?: number;
  problem?: Record<string, unknown>;
  cause?: unknown;
}

/** Thrown by a function: trying again cannot help. */
export class FatalError extends Error {
  override readonly name = "FatalError";
}

/** Thrown by a function: trying again may help. */
export class RetryableError extends Error {
  override readonly name = "RetryableError";
  /** Of a step of a chain: after how long; the server's policy decides if absent. */
  readonly backoffMs: number | undefined;

  constructor(message: string, options?: ErrorOptions & { backoffMs?: number }) {
    super(message, options);
    this.backoffMs = options?.backoffMs;
  }
}

/** Whether the same request may succeed later. */
export function isRetryable(error: unknown): boolean {
  return error instanceof WaypostError && error.isRetryable;
}

/** The words of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.message === "" ? thrown.name : thrown.message;
}

/** Whatever was thrown, as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Reads a refusal. Processes and chains have different words for the same. */
export function refusal(status: number, text: string, url: string): WaypostError {
  const problem = object(text);
  const code = word(problem, "code") ?? word(problem, "error");
  if (problem === undefined || code === undefined) {
    const detail = `${url} answered with ${status}, which is not understood: ${text.slice(0, 200)}`;
    return new WaypostError(detail, { kind: "unexpected", status, isRetryable: status >= 500 });
  }
  // Routes of processes do not say whether asking again helps.
  const isBusy = status === 429 || (status >= 502 && status <= 504) || code === "CONTENDED";
  const said = problem["retryable"];
  const isRetryable = typeof said === "boolean" ? said : isBusy;
  const reason = word(problem, "detail") ?? word(problem, "reason") ?? "";
  return new WaypostError(`${code}: ${reason}`, { kind: "refused", code, status, isRetryable, problem });
}

function object(text: string): Record<string, unknown> | undefined {
  try {
    const read: unknown = JSON.parse(text);
    const isObject = typeof read === "object" && read !== null && !Array.isArray(read);
    return isObject ? (read as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function word(problem: Record<string, unknown> | undefined, name: string): string | undefined {
  const value = problem?.[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
