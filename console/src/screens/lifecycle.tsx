// One entity of a lifecycle: its phase, how it got there, and what operators may change.

import { useRoute } from "preact-iso";
import { useState } from "preact/hooks";
import { parse, path, post } from "../lib/api";
import type { LifecycleKind, LifecycleValue } from "../lib/entity";
import { usePolled, useResource, useTitle } from "../lib/use";
import { Card, Head, Json, Loaded, Value } from "../parts/base";
import { Ask, Field } from "../parts/dialog";
import { Explain } from "../parts/explain";
import { Do } from "../parts/process-actions";
import { Variables } from "../parts/variables";

type Event = Record<string, unknown>;

export function LifecycleEntity() {
  const { params } = useRoute();
  const [type, id] = [params["type"] ?? "", params["id"] ?? ""];
  useTitle(id);
  const root = path`/workflows/${type}/${id}`;
  const value = usePolled<LifecycleValue>(root);
  const history = usePolled<Event[]>(`${root}/history`);
  const types = useResource<LifecycleKind[]>("/workflows");
  const kind = types.data?.find((it) => it.workflow === type);
  return (
    <Loaded of={value}>
      {(it) => (
        <>
          <Head title={<>{id} <span class="state">{String(it["phase"] ?? "?")}</span></>} sub={<a href={path`/console/lifecycles/${type}`}>{type}</a>}>
            <Actions of={it} kind={kind} root={root} />
          </Head>
          <Explain path={`${root}/explain`} matters={(changes) => changes.all} />
          <Card title="Now"><Variables now={it} /></Card>
          <Card title="How it got there"><Loaded of={history}>{(events) => <History of={events} />}</Loaded></Card>
        </>
      )}
    </Loaded>
  );
}

function History({ of }: { of: Event[] }) {
  if (of.length === 0) return <p class="empty">Nothing is remembered.</p>;
  return (
    <ol class="events">
      {of.map((it, at) => (
        <li key={at}>
          {Object.entries(it).filter(([, value]) => typeof value !== "object" || value === null).map(([name, value]) => <span key={name}><span class="quiet">{name}</span> <Value value={value} /> </span>)}
          <details><summary>All of it</summary><Json value={it} label="Event" /></details>
        </li>
      ))}
    </ol>
  );
}

function Actions({ of, kind, root }: { of: LifecycleValue; kind: LifecycleKind | undefined; root: string }) {
  const [deed, setDeed] = useState<"move" | "write">();
  if (kind === undefined) return null;
  const phase = String(of["phase"] ?? "");
  return (
    <>
      {kind.terminal_phases.includes(phase) ? null : <Do icon="active" text="Move…" onClick={() => setDeed("move")} />}
      {kind.operator_writable_fields.length === 0 ? null : <Do icon="definitions" text="Write…" onClick={() => setDeed("write")} />}
      {deed === "move" ? <Move phases={kind.phases.filter((it) => it !== phase)} root={root} onClose={() => setDeed(undefined)} /> : null}
      {deed === "write" ? <Write of={of} fields={kind.operator_writable_fields} root={root} onClose={() => setDeed(undefined)} /> : null}
    </>
  );
}

function Move({ phases, root, onClose }: { phases: string[]; root: string; onClose: () => void }) {
  const [phase, setPhase] = useState(phases[0] ?? "");
  const [note, setNote] = useState("");
  return (
    <Ask title="Move to another phase" verb={`Move to ${phase}`} onClose={onClose} act={() => post(`${root}/transition`, { phase, note })}>
      <label class="field"><span>Phase</span><select value={phase} onChange={(event) => setPhase((event.target as HTMLSelectElement).value)}>{phases.map((it) => <option key={it} value={it}>{it}</option>)}</select></label>
      <Field label="Note" value={note} set={setNote} hint="Kept with the change" />
    </Ask>
  );
}

function Write({ of, fields, root, onClose }: { of: LifecycleValue; fields: string[]; root: string; onClose: () => void }) {
  const [texts, setTexts] = useState(() => new Map(fields.map((it) => [it, JSON.stringify(of[it] ?? null)])));
  const act = () => {
    const changed = [...texts].filter(([name, text]) => text !== JSON.stringify(of[name] ?? null));
    return post(`${root}/state`, Object.fromEntries(changed.map(([name, text]) => [name, literal(name, text)])));
  };
  return (
    <Ask title="Write what operators may" verb="Write" onClose={onClose} act={act}>
      {fields.map((it) => <Field key={it} label={it} value={texts.get(it) ?? ""} set={(text) => setTexts((before) => new Map(before).set(it, text))} />)}
    </Ask>
  );
}

function literal(name: string, text: string): unknown {
  try {
    return parse(text);
  } catch {
    throw new Error(`${name} must be JSON: a text needs quotes, such as "north".`);
  }
}
