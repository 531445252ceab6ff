// One entity of a lifecycle: its phase, how it got there, whom it belongs to, and what operators may
// change.

import { useRoute } from "preact-iso";
import { useState } from "preact/hooks";
import { parse, path, post } from "../lib/api";
import type { LifecycleDefinition, LifecycleMove, LifecycleSnapshot, LifecycleValue } from "../lib/entity";
import type { Picture } from "../lib/types";
import { once, useResource, useTitle } from "../lib/use";
import { useWatch } from "../lib/watch";
import { Card, Head, Json, Loaded, When } from "../parts/base";
import { Diagram } from "../parts/diagram";
import { Ask, Field } from "../parts/dialog";
import { Explain } from "../parts/explain";
import { Do } from "../parts/process-actions";
import { type Column, Table } from "../parts/table";
import { Tabs } from "../parts/tabs";
import { Variables } from "../parts/variables";
import { Phase } from "./lifecycles";

export function LifecycleEntity() {
  const { params } = useRoute();
  const [type, id] = [params["type"] ?? "", params["id"] ?? ""];
  return <One key={`${type} ${id}`} type={type} id={id} />;
}

function One({ type, id }: { type: string; id: string }) {
  useTitle(id);
  const root = path`/workflows/${type}/${id}`;
  const entity = useResource<LifecycleSnapshot>(`${root}?snapshot=true`, once);
  const history = useResource<LifecycleMove[]>(`${root}/history`, once);
  const children = useResource<LifecycleSnapshot[]>(`${root}/children?snapshot=true`, once);
  const definition = useResource<LifecycleDefinition>(`${path`/workflows/${type}`}?definition=true`);
  const [revision, setRevision] = useState(0);
  const look = () => {
    [entity, history, children].forEach((it) => it.reload());
    setRevision((it) => it + 1);
  };
  useWatch(type, look, id);
  return (
    <Loaded of={entity}>
      {(it) => (
        <>
          <Head title={<>{it.entity_id} <Phase of={it} /></>} sub={<Origin of={it} type={type} />}>
            <Actions of={it} definition={definition.data} root={root} />
          </Head>
          <Explain key={it.revision} path={`${root}/explain`} matters={once} />
          <Tabs
            label="About this entity"
            of={[
              { id: "data", name: "Now", body: () => <Card><Variables now={it.value} /></Card> },
              { id: "phases", name: "Phases", body: () => <Drawn key={revision} root={root} /> },
              { id: "history", name: "History", body: () => <Loaded of={history}>{(moves) => <Table label="History" rows={[...moves].reverse()} columns={MOVES} rowKey={(row) => `${row.at} ${row.from} ${row.to}`} empty="Nothing is remembered." />}</Loaded> },
              { id: "children", name: "Children", body: () => <Loaded of={children}>{(found) => <Table label="Children" rows={found} columns={CHILDREN} rowKey={(row) => `${row.workflow} ${row.entity_id}`} empty="Nothing belongs to it." />}</Loaded> },
              { id: "raw", name: "Raw", body: () => <Json value={it} label="The entity as the server tells it" /> },
            ]}
          />
        </>
      )}
    </Loaded>
  );
}

function Origin({ of, type }: { of: LifecycleSnapshot; type: string }) {
  return (
    <>
      <a href={path`/console/lifecycles/${type}`}>{type}</a>
      {of.parent ? <> · belongs to <a href={path`/console/lifecycles/${type}/${of.parent}`}>{of.parent}</a></> : null}
      {" · "}revision {of.revision}
    </>
  );
}

function Drawn({ root }: { root: string }) {
  const picture = useResource<Picture>(`${root}/diagram.json`);
  return <Loaded of={picture}>{(it) => <Diagram of={it} />}</Loaded>;
}

const MOVES: Column<LifecycleMove>[] = [
  { head: "When", cell: (it) => <When at={it.at} /> },
  { head: "From", cell: (it) => (it.from === "" ? "–" : it.from) },
  { head: "To", cell: (it) => <span class="state">{it.to}</span> },
  { head: "By", cell: (it) => it.triggered },
  { head: "Note", cell: (it) => it.note ?? "–" },
];

const CHILDREN: Column<LifecycleSnapshot>[] = [
  { head: "Entity", cell: (it) => <a class="name" href={path`/console/lifecycles/${it.workflow}/${it.entity_id}`}><strong>{it.entity_id}</strong><span class="quiet">{it.workflow}</span></a> },
  { head: "Phase", cell: (it) => <Phase of={it} /> },
  { head: "Says", cell: (it) => <code class="clip">{JSON.stringify(it.value)}</code>, isWide: true },
];

function Actions({ of, definition, root }: { of: LifecycleSnapshot; definition: LifecycleDefinition | undefined; root: string }) {
  const [deed, setDeed] = useState<"move" | "write">();
  if (definition === undefined) return null;
  const close = () => setDeed(undefined);
  const phases = definition.transitions[of.phase] ?? [];
  const fields = definition.operator_writable_fields;
  return (
    <>
      {phases.length === 0 ? null : <Do icon="active" text="Move…" onClick={() => setDeed("move")} />}
      {fields.length === 0 ? null : <Do icon="definitions" text="Write…" onClick={() => setDeed("write")} />}
      {deed === "move" ? <Move of={of} phases={phases} root={root} onClose={close} /> : null}
      {deed === "write" ? <Write of={of.value} fields={fields} root={root} onClose={close} /> : null}
    </>
  );
}

function Move({ of, phases, root, onClose }: { of: LifecycleSnapshot; phases: string[]; root: string; onClose: () => void }) {
  const [phase, setPhase] = useState(phases[0] ?? "");
  const [note, setNote] = useState("");
  return (
    <Ask title={`Move ${of.entity_id} out of ${of.phase}`} verb={`Move to ${phase}`} onClose={onClose} act={() => post(`${root}/transition`, { phase, note })}>
      <label class="field"><span>Phase</span><select value={phase} onChange={(event) => setPhase((event.target as HTMLSelectElement).value)}>{phases.map((it) => <option key={it} value={it}>{it}</option>)}</select></label>
      <Field label="Note" value={note} set={setNote} hint="Kept with the change" />
    </Ask>
  );
}

/** A field of its type: a number, a truth value, a text; anything else is JSON. */
type Entry = string | boolean;

function Write({ of, fields, root, onClose }: { of: LifecycleValue; fields: string[]; root: string; onClose: () => void }) {
  const [entries, setEntries] = useState(() => new Map<string, Entry>(fields.map((it) => [it, entry(of[it])])));
  const act = async () => {
    const changed = [...entries].filter(([name, it]) => it !== entry(of[name]));
    if (changed.length === 0) throw new Error("Nothing is different.");
    await post(`${root}/state`, Object.fromEntries(changed.map(([name, it]) => [name, value(name, of[name], it)])));
  };
  const put = (name: string, it: Entry) => setEntries((before) => new Map(before).set(name, it));
  return (
    <Ask title="Write what operators may" verb="Write" onClose={onClose} act={act}>
      {fields.map((name) => <Input key={name} name={name} was={of[name]} now={entries.get(name) ?? ""} set={(it) => put(name, it)} />)}
    </Ask>
  );
}

function Input({ name, was, now, set }: { name: string; was: unknown; now: Entry; set: (it: Entry) => void }) {
  const text = (event: Event) => (event.target as HTMLInputElement).value;
  if (typeof now === "boolean") return <label class="choice"><input type="checkbox" checked={now} onChange={() => set(!now)} />{name}</label>;
  if (typeof was === "number") return <label class="field"><span>{name}</span><input type="number" step="any" value={now} onInput={(event) => set(text(event))} /></label>;
  if (typeof was === "string") return <Field label={name} value={now} set={set} />;
  return <Field label={name} value={now} set={set} isLong hint="JSON: a text needs quotes" />;
}

function entry(of: unknown): Entry {
  if (typeof of === "boolean" || typeof of === "string") return of;
  return typeof of === "number" ? String(of) : JSON.stringify(of ?? null, null, 2);
}

function value(name: string, was: unknown, now: Entry): unknown {
  if (typeof now === "boolean" || typeof was === "string") return now;
  try {
    return parse(now);
  } catch {
    throw new Error(typeof was === "number" ? `${name} must be a number.` : `${name} must be JSON: a text needs quotes, such as "north".`);
  }
}
