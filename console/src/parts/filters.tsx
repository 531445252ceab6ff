// What is looked for among instances.

import { useLocation } from "preact-iso";
import { useEffect, useState } from "preact/hooks";
import { count, words } from "../lib/text";
import { Icon } from "./icon";
import { withQuery } from "./tabs";

/** What is looked for; empty where it does not matter. */
export interface Wanted {
  status: string;
  definition: string;
  version: string;
  key: string;
  step: string;
  /** Started at or after this, and before that, as RFC 3339. */
  after: string;
  before: string;
  /** The last one of the page before. */
  from: string;
}

const NARROWING = ["status", "definition", "version", "key", "step", "after", "before"] as const;

/** What the address says. */
export function useWanted(): Wanted {
  const { query } = useLocation();
  const of = (name: string) => query[name] ?? "";
  return {
    status: of("status"),
    definition: of("definition"),
    version: of("version"),
    key: of("key"),
    step: of("step"),
    after: of("after"),
    before: of("before"),
    from: of("from"),
  };
}

/** The same as processes and their tasks are asked for. */
export function ofProcesses(wanted: Wanted) {
  return {
    status: wanted.status,
    definitionId: wanted.definition,
    definitionVersion: wanted.version,
    businessKey: wanted.key,
    stepId: wanted.step,
    startedAfter: wanted.after,
    startedBefore: wanted.before,
    before: wanted.from,
  };
}

/** Leads on, if there are more, and back to the newest. */
export function Pager({ from, next }: { from: string; next: string | undefined }) {
  const { url } = useLocation();
  if (from === "" && next === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {from === "" ? null : <a class="button" href={withQuery(url, { from: undefined })}>Newest</a>}
      {next === undefined ? null : <a class="button" href={withQuery(url, { from: next })}>Older</a>}
    </nav>
  );
}

interface Props {
  wanted: Wanted;
  statuses: string[];
  counts: Map<string, number>;
  /** Ids and names. */
  definitions: [string, string][];
  hasStep?: boolean;
}

export function Filters({ wanted, statuses, counts, definitions, hasStep }: Props) {
  const { url, route } = useLocation();
  const set = (changes: Record<string, string | undefined>) => route(withQuery(url, { ...changes, from: undefined }));
  const clear = () => set(Object.fromEntries(NARROWING.map((it) => [it, undefined])));
  const isNarrowed = NARROWING.some((it) => wanted[it] !== "");
  const choose = (event: Event) => set({ definition: (event.target as HTMLSelectElement).value, version: undefined });
  return (
    <div class="filters">
      <Chips chosen={wanted.status} statuses={statuses} counts={counts} set={(status) => set({ status })} />
      <label class="inline">
        <span>Definition</span>
        <select value={wanted.definition} onChange={choose}>
          <option value="">All</option>
          {definitions.map(([id, name]) => <option key={id} value={id}>{name}</option>)}
        </select>
      </label>
      {wanted.definition === "" ? null : (
        <Typed label="Version" value={wanted.version} set={(version) => set({ version })} />
      )}
      <Typed label="Business key" value={wanted.key} set={(key) => set({ key })} />
      {hasStep ? <Typed label="Step" value={wanted.step} set={(step) => set({ step })} /> : null}
      <Moment label="Started from" value={wanted.after} set={(after) => set({ after })} />
      <Moment label="Started before" value={wanted.before} set={(before) => set({ before })} />
      {isNarrowed ? (
        <button type="button" class="link" onClick={clear}>
          <Icon name="cancelled" />Clear
        </button>
      ) : null}
    </div>
  );
}

interface ChipsProps {
  chosen: string;
  statuses: string[];
  counts: Map<string, number>;
  set: (status: string | undefined) => void;
}

function Chips({ chosen, statuses, counts, set }: ChipsProps) {
  if (statuses.length === 0) return null;
  return (
    <ul class="chips" aria-label="Status">
      {statuses.map((it) => {
        const [number, next] = [counts.get(it), chosen === it ? undefined : it];
        return (
          <li key={it}>
            <button type="button" class="chip" aria-pressed={chosen === it} onClick={() => set(next)}>
              {words(it)}
              {number === undefined ? null : <span class="number">{count(number)}</span>}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** Looked for when it is entered, not at every letter. */
function Typed({ label, value, set }: { label: string; value: string; set: (value: string) => void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <label class="inline">
      <span>{label}</span>
      <input
        type="text"
        value={text}
        onInput={(event) => setText((event.target as HTMLInputElement).value)}
        onChange={() => set(text.trim())}
      />
    </label>
  );
}

/** A time of day here; in the address it is the same time everywhere. */
function Moment({ label, value, set }: { label: string; value: string; set: (value: string | undefined) => void }) {
  const change = (event: Event) => {
    const text = (event.target as HTMLInputElement).value;
    set(text === "" ? undefined : new Date(text).toISOString());
  };
  return (
    <label class="inline">
      <span>{label}</span>
      <input type="datetime-local" value={local(value)} onChange={change} />
    </label>
  );
}

/** `2026-11-17T09:30`, as such fields want it. */
function local(at: string): string {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return "";
  const zone = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - zone).toISOString().slice(0, 16);
}
