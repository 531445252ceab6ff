// Programs are told to stop by signals.

/**
 * Runs `work` until it ends; what it is given is aborted when SIGINT or SIGTERM comes. A second
 * signal finds nobody listening, and ends the program at once.
 */
export async function untilSignaled(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const leave = (): void => void process.off("SIGINT", hear).off("SIGTERM", hear);
  const hear = (): void => {
    leave();
    stop.abort();
  };
  process.on("SIGINT", hear).on("SIGTERM", hear);
  try {
    await work(stop.signal);
  } finally {
    leave();
  }
}
