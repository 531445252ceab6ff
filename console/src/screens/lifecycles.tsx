// Types of lifecycles, and their entities.

import { useLocation, useRoute } from "preact-iso";
import { path, query } from "../lib/api";
import type { LifecycleKind, LifecycleValue } from "../lib/entity";
import { count } from "../lib/text";
import { isMissing, usePolled, useTitle } from "../lib/use";
import { Empty, Head, Loaded } from "../parts/base";
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
  return (
    <ul class="chips">
      {of.phases.map((it) => (
        <li key={it}><a class="chip" aria-current={it === chosen ? "true" : undefined} href={it === chosen ? here : withQuery(here, { phase: it })}>{it}<span class="number">{count(of.counts_by_phase[it] ?? 0)}</span></a></li>
      ))}
    </ul>
  );
}

const PAGE = 100;

export function LifecycleType() {
  const { params } = useRoute();
  const { query: asked } = useLocation();
  const type = params["type"] ?? "";
  useTitle(type);
  const types = usePolled<LifecycleKind[]>("/workflows");
  const kind = types.data?.find((it) => it.workflow === type);
  const root = path`/workflows/${type}`;
  const found = usePolled<LifecycleValue[]>(`${root}${query({ phase: asked["phase"], limit: PAGE })}`);
  const columns: Column<LifecycleValue>[] = [
    { head: "Entity", cell: (it) => <a href={path`/console/lifecycles/${type}/${name(it)}`}><strong>{name(it)}</strong></a> },
    { head: "Phase", cell: (it) => <span class="state">{String(it["phase"] ?? "?")}</span> },
    { head: "Says", cell: (it) => <code class="clip">{JSON.stringify(it)}</code>, isWide: true },
  ];
  return (
    <>
      <Head title={type} sub={kind === undefined ? undefined : `bucket ${kind.kv_bucket}`} />
      {kind === undefined ? null : <Phases of={kind} chosen={asked["phase"] ?? ""} />}
      <Tabs
        label="About this lifecycle"
        of={[
          { id: "entities", name: "Entities", body: () => <Loaded of={found}>{(it) => <Table label="Entities" rows={it} columns={columns} rowKey={name} empty="No entity is there." />}</Loaded> },
          { id: "diagram", name: "Phases", body: () => <Drawn path={`${root}/diagram.json`} /> },
        ]}
      />
    </>
  );
}

/** What an entity is called: types may name the member as they like. */
export function name(of: LifecycleValue): string {
  const known = of["entity_id"] ?? of["id"] ?? Object.entries(of).find(([key]) => key.endsWith("id"))?.[1];
  return String(known ?? "?");
}
