// What happens on the server, as it happens: one stream for the whole page. Screens are told which
// instances have changed, at most a few times a second, however much goes on. Entities are among
// them for those who may see them; lifecycles have streams of their own.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { bearer } from "./api";
import { listen, type Told } from "./sse";

const STREAM = "/v1/events/stream";

/** How often screens are told at the most. */
const PACE_MS = 700;

/** How often screens look where there is no stream. */
const LOOK_MS = 3_000;

/** How long to wait before a lost stream is tried again. */
const RETRY_MS = 1_500;

/** How long until a stream is asked for again that the server has no seat for. */
const SEAT_MS = 10_000;

/** `polling`: the server has no stream for us, so screens look again by themselves. */
export type Connection = "connecting" | "live" | "polling" | "lost" | "unknown";

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
/** What ends the stream that is followed. */
let source: AbortController | undefined;
let looking: number | undefined;
let cursor = "";

function none(): Changes {
  return { all: false, faces: new Set(), ids: new Set() };
}

/** Begins to follow the server. */
export function follow(): void {
  void open();
  document.addEventListener("visibilitychange", () => (document.hidden ? rest() : wake()));
  let before = bearer.value;
  bearer.subscribe((now) => {
    if (now === before) return;
    before = now;
    // Who is known sees more.
    rest();
    if (!document.hidden) wake();
  });
}

/** Nobody sees a hidden page, and browsers have only so many connections to a server. */
function rest(): void {
  source?.abort();
  source = undefined;
}

function wake(): void {
  if (source === undefined) void open();
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

async function open(): Promise<void> {
  const mine = new AbortController();
  source = mine;
  const status = await listen(STREAM, { opened, told }, cursor, mine.signal);
  if (source !== mine) return;
  const [state, pause] = after(status);
  if (state !== undefined) connection.value = state;
  poll(state === "polling");
  window.setTimeout(() => source === mine && void open(), pause);
}

function opened(): void {
  const isBack = connection.value !== "connecting";
  connection.value = "live";
  poll(false);
  // The stream goes on where it was; what is shown may come from before a restart all the same.
  if (isBack) changed({ all: true });
}

/** What it means that the server has answered so, and when to ask again. */
function after(status: number): [Connection | undefined, number] {
  // It has ended: the server stops, or wants to know again who asks.
  if (status === 200) return [undefined, 100];
  if (status === 0) return ["lost", RETRY_MS];
  if (status === 401 || status === 403) return ["unknown", LOOK_MS];
  // It serves, but has no stream, or no seat left: look now and then, and ask for one again.
  return ["polling", SEAT_MS];
}

function poll(isWanted: boolean): void {
  if (isWanted === (looking !== undefined)) return;
  window.clearInterval(looking);
  looking = isWanted ? window.setInterval(() => changed({ all: true }), LOOK_MS) : undefined;
}

function told(it: Told): void {
  if (it.id !== "") cursor = it.id;
  // The place was none of this store's: nothing that was read before can be relied on.
  if (it.kind === "reset") changed({ all: true });
  if (it.kind !== "changes") return;
  for (const { face, instanceId } of read(it.data)) changed({ face, id: instanceId });
}

function read(text: string): { face: string; instanceId: string }[] {
  try {
    return JSON.parse(text);
  } catch {
    changed({ all: true });
    return [];
  }
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
