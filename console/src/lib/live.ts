// What happens on the server, as it happens: one stream for the whole page. Screens are told which
// instances have changed, at most a few times a second, however much goes on.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { isUnknown } from "./api";
import { EventStream, type StreamEvent } from "./stream";

const STREAM = "/v1/events/stream";

/** How often screens are told at the most. */
const PACE_MS = 700;

/** How often screens look where there is no stream. */
const LOOK_MS = 3_000;

/** How long to wait before a lost stream is tried again. */
const RETRY_MS = 1_500;

/** `polling`: the server has no stream, so screens look again by themselves. */
export type Connection = "connecting" | "live" | "polling" | "lost";

/** What has changed since screens were told last. */
export interface Changes {
  /** Anything may have changed. */
  all: boolean;
  /** Which faces. */
  faces: Set<string>;
  /** Which instances. */
  ids: Set<string>;
}

export const connection = signal<Connection>("connecting");

type Listener = (changes: Changes) => void;

const listeners = new Set<Listener>();
let waiting: Changes = none();
let timer: number | undefined;
let toldAt = 0;
let source: EventStream | undefined;
let cursor = "";

function none(): Changes {
  return { all: false, faces: new Set(), ids: new Set() };
}

/** Begins to follow the server. */
export function follow(): void {
  open();
  document.addEventListener("visibilitychange", () => (document.hidden ? rest() : wake()));
}

/** Nobody sees a hidden page, and browsers have only so many connections to a server. */
function rest(): void {
  source?.close();
  source = undefined;
}

function wake(): void {
  if (source === undefined && connection.value !== "polling") open();
  changed({ all: true });
}

/** Says that something has changed: at once if nothing was said for a while, else soon. */
function changed(what: { all?: boolean; face?: string; id?: string }): void {
  waiting.all ||= what.all ?? false;
  if (what.face !== undefined) waiting.faces.add(what.face);
  if (what.id !== undefined) waiting.ids.add(what.id);
  if (timer !== undefined) return;
  timer = window.setTimeout(tell, Math.max(0, toldAt + PACE_MS - performance.now()));
}

function tell(): void {
  timer = undefined;
  // It looks at everything when it is seen again.
  if (document.hidden) return;
  toldAt = performance.now();
  const changes = waiting;
  waiting = none();
  listeners.forEach((listener) => listener(changes));
}

function open(): void {
  const from = cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`;
  const stream = new EventStream(STREAM + from);
  source = stream;
  stream.onopen = () => {
    const wasLost = connection.value === "lost";
    connection.value = "live";
    // The stream goes on where it was; what is shown may come from before a restart all the same.
    if (wasLost) changed({ all: true });
  };
  stream.onevent = (event) => {
    note(event);
    if (event.type !== "changes") return;
    for (const { face, instanceId } of read(event)) changed({ face, id: instanceId });
  };
  stream.onerror = () => void lost(stream);
}

function note(event: StreamEvent): void {
  if (event.lastEventId !== "") cursor = event.lastEventId;
}

function read(event: StreamEvent): { face: string; instanceId: string }[] {
  try {
    return JSON.parse(event.data);
  } catch {
    changed({ all: true });
    return [];
  }
}

/** A stream does not come back by itself; we do. */
async function lost(stream: EventStream): Promise<void> {
  stream.close();
  if (source !== stream) return;
  const status = await fetch("/readyz").then((it) => it.status, () => 0);
  const isServed = status === 200 && (await hasNoStream());
  connection.value = isServed ? "polling" : isUnknown.value ? "connecting" : "lost";
  if (isServed) window.setInterval(() => changed({ all: true }), LOOK_MS);
  else window.setTimeout(() => source === stream && open(), RETRY_MS);
}

async function hasNoStream(): Promise<boolean> {
  const stop = new AbortController();
  const status = await fetch(STREAM, { signal: stop.signal }).then((it) => it.status, () => 0);
  stop.abort();
  return status === 404;
}

/** Calls `look` when something that `matters` has changed. */
export function useChanges(matters: (changes: Changes) => boolean, look: () => void): void {
  const latest = useRef({ matters, look });
  latest.current = { matters, look };
  useEffect(() => {
    const listener: Listener = (changes) => {
      if (changes.all || latest.current.matters(changes)) latest.current.look();
    };
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
}

/** Everybody looks again: something was done here. */
export function refresh(): void {
  changed({ all: true });
}
