// What is known, and what of it is other than before.

import type { ComponentChildren } from "preact";
import type { Difference } from "../lib/types";
import { Value } from "./base";

type Known = Record<string, unknown>;
type Changes = Difference["changes"];

interface Props {
  now: Known;
  /** What was known before, to find out what is other. */
  before?: Known | undefined;
  /** What is other, if the server has found out. */
  changes?: Changes | undefined;
  /** Since when. */
  since?: string;
}

export function Variables({ now, before, changes, since }: Props) {
  const found = changes ?? (before === undefined ? undefined : compared(before, now));
  const gone = (found ?? []).map((it) => nameOf(it.path));
  const ofName = (name: string) => found?.filter((it) => nameOf(it.path) === name);
  const names = [...new Set([...Object.keys(now), ...gone])].sort();
  if (names.length === 0) return <p class="empty">It knows nothing.</p>;
  return (
    <div class="scroll" role="region" aria-label="Variables" tabIndex={0}>
      <table class="variables">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Value</th>
            {found === undefined ? null : <th scope="col">{since ?? "Since before"}</th>}
          </tr>
        </thead>
        <tbody>
          {names.map((name) => <Row key={name} name={name} now={now} changes={ofName(name)} />)}
        </tbody>
      </table>
    </div>
  );
}

function Row({ name, now, changes }: { name: string; now: Known; changes: Changes | undefined }) {
  const whole = changes?.find((it) => insideOf(it.path) === "");
  const state = changes === undefined || changes.length === 0 ? "" : (STATES[whole?.op ?? "replace"] ?? "changed");
  return (
    <tr class={state}>
      <th scope="row"><code>{name}</code></th>
      <td>{name in now ? <Value value={now[name]} /> : "–"}</td>
      {changes === undefined ? null : <td>{changes.map((it) => <Change key={it.path} of={it} />)}</td>}
    </tr>
  );
}

const STATES: Record<string, string> = { add: "new", remove: "gone", replace: "changed" };

function Change({ of }: { of: Changes[number] }): ComponentChildren {
  const inside = insideOf(of.path);
  return (
    <div>
      {inside === "" ? null : <><code>{inside}</code> </>}
      {of.op === "add" ? "new" : <>{of.op === "remove" ? "gone, " : ""}was <Value value={of.from} /></>}
    </div>
  );
}

/** Differences by whole members, where the server was not asked. */
function compared(before: Known, now: Known): Changes {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const other = names.filter((it) => JSON.stringify(before[it]) !== JSON.stringify(now[it]));
  const op = (name: string) => (!(name in before) ? "add" : name in now ? "replace" : "remove");
  const pointer = (name: string) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return other.map((it) => ({ op: op(it), path: pointer(it), from: before[it], to: now[it] }));
}

/** The first part of a JSON pointer. */
function nameOf(pointer: string): string {
  const first = pointer.split("/")[1] ?? "";
  return first.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** What follows the first part. */
const insideOf = (pointer: string): string => pointer.split("/").slice(2).join("/");
