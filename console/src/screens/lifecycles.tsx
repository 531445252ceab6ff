// Types of lifecycles, and their entities as they are written.

import { useLocation, useRoute } from "preact-iso";
import { path, query } from "../lib/api";
import type { LifecycleKind, LifecycleSnapshot } from "../lib/entity";
import { count } from "../lib/text";
import { isMissing, usePolled, useResource, useTitle } from "../lib/use";
import { useWatch } from "../lib/watch";
import { Empty, Head, Loaded } from "../parts/base";
import { Status } from "../parts/status";
import { type Column, Table } from "../parts/table";
import { Tabs, withQuery } from "../parts/tabs";
import { Drawn } from "../parts/drawn";

const TYPES: Column<LifecycleKind>[] = [
  { head: "Lifecycle", cell: (it) => <a class="name" href={path`/console/lifecycles/${it.workflow}`}><strong>{it.workflow}</strong><span class="quiet">bucket {it.kv_bucket}</span></a> },
  { head: "Phases", cell: (it) => <Phases of={it} /> },
  { head: "Operators may write", cell: (it) => it.operator_writable_fields.join(", ") || "nothing", isWide: true },
];

export function Lifecycles() {
  useTitle("Lifecycles");
  const types = usePolled<LifecycleKind[]>("/workflows");
  return (
    <>
      <Head title="Lifecycles" sub="Phases of the structs of programs" />
      {isMissing(types.error) ? (
        <Empty>This server shows no lifecycles. Name their types in a file and start it with <code>WAYPOST_LIFECYCLE_TYPES=FILE</code>.</Empty>
      ) : (
        <Loaded of={types}>{(it) => <Table label="Lifecycles" rows={it} columns={TYPES} rowKey={(row) => row.workflow} empty="No type is known." />}</Loaded>
      )}
    </>
  );
}

function Phases({ of, chosen }: { of: LifecycleKind; chosen?: string }) {
  const here = path`/console/lifecycles/${of.workflow}`;
  if (of.counts_error !== undefined) return <span class="bad">{of.counts_error}</span>;
  // Entities may be in phases that nobody has declared.
  const phases = [...new Set([...of.phases, ...Object.keys(of.counts_by_phase)])];
  return (
    <ul class="chips" aria-label={`Phases of ${of.workflow}`}>
      {phases.map((it) => (
        <li key={it}><a class="chip" aria-current={it === chosen ? "true" : undefined} href={it === chosen ? here : withQuery(here, { phase: it })}>{it}<span class="number">{count(of.counts_by_phase[it] ?? 0)}</span></a></li>
      ))}
    </ul>
  );
}

const PAGE = 100;

export function LifecycleType() {
  const { params } = useRoute();
  const { query: asked, url } = useLocation();
  const type = params["type"] ?? "";
  useTitle(type);
  const types = useResource<LifecycleKind[]>("/workflows");
  const kind = types.data?.find((it) => it.workflow === type);
  const root = path`/workflows/${type}`;
  const offset = Math.max(0, Number(asked["offset"] ?? 0) || 0);
  // One more than is shown tells whether there are more.
  const found = useResource<LifecycleSnapshot[]>(`${root}${query({ phase: asked["phase"], offset, limit: PAGE + 1, snapshot: "true" })}`);
  const isLive = useWatch(type, () => [types, found].forEach((it) => it.reload()));
  const columns: Column<LifecycleSnapshot>[] = [
    { head: "Entity", cell: (it) => <a class="name" href={path`/console/lifecycles/${type}/${it.entity_id}`}><strong>{it.entity_id}</strong>{it.parent ? <span class="quiet">of {it.parent}</span> : null}</a> },
    { head: "Phase", cell: (it) => <Phase of={it} /> },
    { head: "Says", cell: (it) => <code class="clip">{JSON.stringify(it.value)}</code>, isWide: true },
    { head: "Revision", cell: (it) => it.revision, isNumber: true, isWide: true },
  ];
  const list = (it: LifecycleSnapshot[]) => (
    <>
      <Table label="Entities" rows={it.slice(0, PAGE)} columns={columns} rowKey={(row) => row.entity_id} empty="No entity is there." />
      <div class="pager">
        {offset === 0 ? null : <a class="button" href={withQuery(url, { offset: offset > PAGE ? String(offset - PAGE) : undefined })}>Previous</a>}
        {it.length <= PAGE ? null : <a class="button" href={withQuery(url, { offset: String(offset + PAGE) })}>Next</a>}
      </div>
    </>
  );
  return (
    <>
      <Head title={type} sub={<>{kind === undefined ? "" : `bucket ${kind.kv_bucket} · `}{isLive ? "watched as it is written" : "looked at every few seconds"}</>} />
      {kind === undefined ? null : <Phases of={kind} chosen={asked["phase"] ?? ""} />}
      <Tabs
        label="About this lifecycle"
        of={[
          { id: "entities", name: "Entities", body: () => <Loaded of={found}>{list}</Loaded> },
          { id: "diagram", name: "Phases", body: () => <Drawn path={`${root}/diagram.json`} /> },
        ]}
      />
    </>
  );
}

/** Where an entity is; one that is in no declared phase needs somebody. */
export function Phase({ of }: { of: LifecycleSnapshot }) {
  if (of.degraded) return <Status of="WARNING" text={`${of.phase} (not declared)`} />;
  return of.is_terminal ? <Status of="DONE" text={of.phase} /> : <span class="state">{of.phase}</span>;
}
