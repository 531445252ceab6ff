// Entities of a lifecycle as they are written: each type has a stream of its own.

import { useEffect, useRef, useState } from "preact/hooks";
import { path } from "./api";
import { listen, type Told } from "./sse";

/** How often whoever watches is told at the most. */
const PACE_MS = 500;

/** How long until a stream is asked for again that was lost or refused. */
const RETRY_MS = 3_000;

/** How often to look where there is no stream. */
const LOOK_MS = 5_000;

/** Calls `look` when an entity of the type was written, or `id` alone. Says whether it follows a stream. */
export function useWatch(type: string, look: () => void, id?: string): boolean {
  const [isLive, setLive] = useState(false);
  const latest = useRef(look);
  latest.current = look;
  useEffect(() => {
    const stop = new AbortController();
    let timer: number | undefined;
    const changed = () => {
      timer ??= window.setTimeout(() => {
        timer = undefined;
        if (!document.hidden) latest.current();
      }, PACE_MS);
    };
    // What was there before is told first. It is on the screen, but for what was written since then.
    let isCaughtUp = false;
    const told = (it: Told) => {
      const isLast = it.kind === "bootstrap_complete";
      isCaughtUp ||= isLast;
      if (isCaughtUp && (isLast || id === undefined || entity(it) === id)) changed();
    };
    const opened = () => {
      isCaughtUp = false;
      setLive(true);
    };
    const follow = async () => {
      while (!stop.signal.aborted) {
        await listen(`${path`/workflows/${type}`}?stream=true&snapshot=true&bootstrap=true`, { opened, told }, "", stop.signal);
        if (stop.signal.aborted) return;
        setLive(false);
        await new Promise((resolve) => window.setTimeout(resolve, RETRY_MS));
        changed();
      }
    };
    void follow();
    // While nobody sees the page, nothing is looked at.
    document.addEventListener("visibilitychange", changed);
    return () => {
      document.removeEventListener("visibilitychange", changed);
      stop.abort();
      window.clearTimeout(timer);
    };
  }, [type, id]);
  useEffect(() => {
    if (isLive) return;
    const timer = window.setInterval(() => document.hidden || latest.current(), LOOK_MS);
    return () => window.clearInterval(timer);
  }, [isLive]);
  return isLive;
}

function entity(it: Told): unknown {
  try {
    return (JSON.parse(it.data) as { entity_id?: unknown }).entity_id;
  } catch {
    return undefined;
  }
}
