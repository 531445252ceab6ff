// What a worker wants people to know. Nothing of it stops the worker.

/** Something that happened to a worker or compute node. */
export type Notice =
  /** The server does not answer; the worker tries again after a pause. */
  | { kind: "unreachable"; error: Error; pauseMs: number }
  /** A compute node has joined. */
  | { kind: "joined"; memberId: string }
  /** A function threw. The server was told. */
  | { kind: "failed"; id: string; error: Error }
  /** The lease was lost while the function worked; what it returns is dropped. */
  | { kind: "lost"; id: string }
  /** A report came too late; nothing has changed. */
  | { kind: "stale"; id: string }
  /** A report was not taken. */
  | { kind: "refused"; id: string; error: Error }
  /** Functions were still at work when the grace was over; their leases will lapse. */
  | { kind: "abandoned"; ids: string[] };

/** Writes what went wrong to the standard error, one line each. */
export function warn(notice: Notice): void {
  if (notice.kind !== "joined") console.warn(`waypost: ${inWords(notice)}`);
}

/** Tells `listener`, whose mistakes must not stop the worker. */
export function telling(listener: (notice: Notice) => void = warn): (notice: Notice) => void {
  return (notice) => {
    try {
      listener(notice);
    } catch (error) {
      console.error("waypost: a notice could not be told", error);
    }
  };
}

/** A notice as a sentence. */
export function inWords(notice: Notice): string {
  switch (notice.kind) {
    case "unreachable":
      return `${notice.error.message}; trying again in ${Math.round(notice.pauseMs)} ms`;
    case "joined":
      return `the compute node has joined as ${notice.memberId}`;
    case "failed":
      return `${notice.id} failed: ${notice.error.message}`;
    case "lost":
      return `the lease of ${notice.id} is lost; what comes of it is dropped`;
    case "stale":
      return `the report on ${notice.id} came too late; nothing has changed`;
    case "refused":
      return `the report on ${notice.id} was not taken: ${notice.error.message}`;
    case "abandoned":
      return `${notice.ids.length} did not end in time; their leases will lapse`;
  }
}
