// Puts conditions together: all or any of them, in groups.

import { arity, type Group, isGroup, OPERATORS, type Part, simple, type Simple } from "../lib/search";
import { Icon } from "./icon";

/** How deep groups may lie. Deeper ones nobody reads. */
const DEPTH = 3;

interface Props {
  of: Group;
  set: (group: Group) => void;
  depth?: number;
  remove?: () => void;
}

export function Conditions({ of, set, depth = 1, remove }: Props) {
  const put = (at: number, part: Part | undefined) => set({ ...of, parts: of.parts.flatMap((it, place) => (place !== at ? [it] : part === undefined ? [] : [part])) });
  const add = (part: Part) => set({ ...of, parts: [...of.parts, part] });
  return (
    <fieldset class="conditions">
      <legend class="hidden">{depth === 1 ? "Conditions" : "Group of conditions"}</legend>
      {of.parts.length < 2 && depth === 1 ? null : (
        <label class="inline">
          <span>Those that meet</span>
          <select value={of.all ? "all" : "any"} onChange={(event) => set({ ...of, all: (event.target as HTMLSelectElement).value === "all" })}>
            <option value="all">all of these</option>
            <option value="any">any of these</option>
          </select>
        </label>
      )}
      {of.parts.map((it, at) =>
        isGroup(it) ? (
          <Conditions key={at} of={it} depth={depth + 1} set={(group) => put(at, group)} remove={() => put(at, undefined)} />
        ) : (
          <One key={at} of={it} set={(part) => put(at, part)} remove={() => put(at, undefined)} />
        ),
      )}
      <div class="actions">
        <button type="button" onClick={() => add(simple())}>Add a condition</button>
        {depth >= DEPTH ? null : <button type="button" onClick={() => add({ all: !of.all, parts: [simple()] })}>Add a group</button>}
        {remove === undefined ? null : <button type="button" class="link" onClick={remove}>Remove the group</button>}
      </div>
    </fieldset>
  );
}

function One({ of, set, remove }: { of: Simple; set: (it: Simple) => void; remove: () => void }) {
  const text = (event: Event) => (event.target as HTMLInputElement).value;
  const values = arity(of.op);
  return (
    <div class="condition">
      <label class="inline"><span>Field</span><input type="text" placeholder="customer.city" value={of.path} onInput={(event) => set({ ...of, path: text(event) })} /></label>
      <label class="inline"><span>How</span><select value={of.op} onChange={(event) => set({ ...of, op: text(event) })}>{OPERATORS.map(([name, label]) => <option key={name} value={name}>{label}</option>)}</select></label>
      {values === 0 ? null : (
        <label class="inline"><span>{values === 2 ? "Low, high" : "Value"}</span><input type="text" placeholder={values === 2 ? "10, 20" : ""} value={of.value} onInput={(event) => set({ ...of, value: text(event) })} /></label>
      )}
      <button type="button" class="plain" onClick={remove}><Icon name="cancelled" /><span class="hidden">Remove the condition on {of.path || "nothing"}</span></button>
    </div>
  );
}
