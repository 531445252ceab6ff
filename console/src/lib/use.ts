// What a screen shows: asked for when it opens, and again when something has changed.

import { signal } from "@preact/signals";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { get, Refused } from "./api";
import { type Changes, connection, useChanges } from "./live";

export interface Resource<T> {
  /** The latest answer. Stays while the next one is awaited. */
  data: T | undefined;
  /** Why there is no newer one. */
  error: Error | undefined;
  isLoading: boolean;
  reload: () => void;
}

export type Matters = (changes: Changes) => boolean;

/** Never looks again by itself. */
export const once: Matters = () => false;

/** Looks again whenever anything happens. */
export const always: Matters = () => true;

/** The answer to a path; nothing is asked while there is none. */
export function useResource<T>(path: string | null, matters: Matters = once): Resource<T> {
  const [answer, setAnswer] = useState<{ data?: T; error?: Error; path: string | null }>({ path: null });
  const running = useRef<AbortController | null>(null);
  const again = useRef(false);

  const load = useCallback(
    (isFirst: boolean) => {
      if (path === null) return;
      if (!isFirst && running.current !== null) {
        again.current = true;
        return;
      }
      const control = new AbortController();
      running.current = control;
      const done = (next: { data?: T; error?: Error }) => {
        if (control.signal.aborted) return;
        running.current = null;
        setAnswer((before) => ({ ...(next.error === undefined ? {} : kept(before, path)), ...next, path }));
        if (!again.current) return;
        again.current = false;
        load(false);
      };
      get<T>(path, control.signal).then(
        (data) => done({ data }),
        (error: Error) => done({ error }),
      );
    },
    [path],
  );

  useEffect(() => {
    load(true);
    return () => {
      running.current?.abort();
      running.current = null;
      again.current = false;
    };
  }, [load]);
  useChanges(matters, () => load(false));
  const isLoading = path !== null && answer.path !== path;
  const isOther = isMissing(answer.error) && isLoading;
  return { data: answer.data, error: isOther ? undefined : answer.error, isLoading, reload: () => load(false) };
}

/** An error leaves on the screen what was there, unless it was about something else or is gone. */
function kept<T>(before: { data?: T; path: string | null }, path: string): { data?: T } {
  return before.path === path && before.data !== undefined ? { data: before.data } : {};
}

/** Whether there is no such thing. */
export function isMissing(error: Error | undefined): boolean {
  return error instanceof Refused && error.status === 404;
}

/** How long after a change an answer is new for sure: the server may give the same for a second. */
const SETTLED_MS = 1_500;

/** Like {@link useResource}, for what the server finds out once a second at the most. */
export function useSettling<T>(path: string, matters: Matters): Resource<T> {
  const resource = useResource<T>(path, matters);
  const [reload, timer] = [useRef(resource.reload), useRef<number>()];
  reload.current = resource.reload;
  useChanges(matters, () => {
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => reload.current(), SETTLED_MS);
  });
  useEffect(() => () => window.clearTimeout(timer.current), []);
  return resource;
}

/** The answer to something that is asked once; again when `key` is another. */
export function useAnswer<T>(ask: () => Promise<T>, key: string): Resource<T> {
  const [answer, setAnswer] = useState<{ data?: T; error?: Error; key?: string }>({});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isGone = false;
    const done = (next: { data?: T; error?: Error }) => void (isGone || setAnswer({ ...next, key }));
    ask().then((data) => done({ data }), (error: Error) => done({ error }));
    return () => void (isGone = true);
  }, [key, turn]);
  const { data, error } = answer;
  return { data, error, isLoading: answer.key !== key, reload: () => setTurn((it) => it + 1) };
}

/** How often what is not in the stream is looked at again. */
const LOOK_MS = 5_000;

/** Like {@link useResource}, for what the stream does not tell of: models, and lifecycles without a stream of theirs. */
export function usePolled<T>(path: string | null): Resource<T> {
  const resource = useResource<T>(path, (it) => it.all);
  const reload = useRef(resource.reload);
  reload.current = resource.reload;
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (!document.hidden && connection.value !== "lost") reload.current();
    }, LOOK_MS);
    return () => window.clearInterval(timer);
  }, []);
  return resource;
}

/** Looks again when an entity has changed: this one, or any. */
export const entityMatters = (id?: string): Matters => (it) => (id === undefined ? it.faces.has("entity") : it.ids.has(id));

/** One clock for the whole page: hundreds of ages change together. */
const clock = signal(Date.now());
window.setInterval(() => {
  if (!document.hidden) clock.value = Date.now();
}, 1_000);

/** The present, once a second: for ages and countdowns. */
export function useNow(): number {
  return clock.value;
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "Waypost" : `${title} – Waypost`;
  }, [title]);
}
