// Keys that work everywhere, except while somebody writes.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ALL } from "./nav";

/** Whether the list of keys is shown. */
export const help = signal(false);

/** How long after `g` the next key may come. */
const CHORD_MS = 1_200;

export const KEYS: [string, string][] = [
  ["/", "Find an instance by id or business key"],
  ["j", "Next row"],
  ["k", "Previous row"],
  ["Enter", "Open the row"],
  ...ALL.map((it): [string, string] => [`g ${it.key}`, it.name]),
  ["?", "This list"],
  ["Esc", "Close"],
];

export function useKeys(go: (href: string) => void): void {
  useEffect(() => {
    let since = -CHORD_MS;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      const isChord = performance.now() - since < CHORD_MS;
      since = event.key === "g" && !isChord ? performance.now() : -CHORD_MS;
      if (isChord) {
        const place = ALL.find((it) => it.key === event.key);
        if (place === undefined) return;
        event.preventDefault();
        go(place.href);
        return;
      }
      const action = ACTIONS[event.key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [go]);
}

const ACTIONS: Record<string, () => void> = {
  "/": () => document.querySelector<HTMLInputElement>("#find")?.focus(),
  "?": () => (help.value = !help.value),
  j: () => row(1),
  k: () => row(-1),
};

function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest("input, textarea, select, dialog") !== null;
}

function row(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  if (rows.length === 0) return;
  const at = rows.findIndex((it) => it.contains(document.activeElement));
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step));
  const inside = rows[next]?.querySelector<HTMLElement>("a, button");
  inside?.focus();
  inside?.scrollIntoView({ block: "nearest" });
}
