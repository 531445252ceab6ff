// What is looked for among instances.

import { useLocation } from "preact-iso";
import { useEffect, useState } from "preact/hooks";
import { count, words } from "../lib/text";
import { Icon } from "./icon";
import { withQuery } from "./tabs";

export interface Wanted {
  status: string;
  definition: string;
  key: string;
  step: string;
  /** The last one of the page before. */
  from: string;
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
  const isNarrowed = wanted.status !== "" || wanted.definition !== "" || wanted.key !== "" || wanted.step !== "";
  return (
    <div class="filters">
      <ul class="chips" aria-label="Status">
        {statuses.map((it) => {
          const isChosen = wanted.status === it;
          const number = counts.get(it);
          return (
            <li key={it}>
              <button type="button" class="chip" aria-pressed={isChosen} onClick={() => set({ status: isChosen ? undefined : it })}>
                {words(it)}
                {number === undefined ? null : <span class="number">{count(number)}</span>}
              </button>
            </li>
          );
        })}
      </ul>
      <label class="inline">
        <span>Definition</span>
        <select value={wanted.definition} onChange={(event) => set({ definition: (event.target as HTMLSelectElement).value })}>
          <option value="">All</option>
          {definitions.map(([id, name]) => <option key={id} value={id}>{name}</option>)}
        </select>
      </label>
      <Typed label="Business key" value={wanted.key} set={(key) => set({ key })} />
      {hasStep ? <Typed label="Step" value={wanted.step} set={(step) => set({ step })} /> : null}
      {isNarrowed ? (
        <button type="button" class="link" onClick={() => set({ status: undefined, definition: undefined, key: undefined, step: undefined })}>
          <Icon name="cancelled" />Clear
        </button>
      ) : null}
    </div>
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
