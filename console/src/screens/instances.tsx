// Instances, newest first. What is looked for is in the address, so that it can be sent to others.

import { useLocation } from "preact-iso";
import { useState } from "preact/hooks";
import { get, path, query } from "../lib/api";
import { STATUSES } from "../lib/status";
import { count, plural, short } from "../lib/text";
import type { ChainDefinition, ChainInstance, ProcessDefinition, ProcessInstance } from "../lib/types";
import type { Counts, Face, Page } from "../lib/types";
import { useResource, useTitle } from "../lib/use";
import { Ago, Head, Loaded } from "../parts/base";
import { Bulk, type Target, TOGETHER_MAX, type Walk } from "../parts/bulk";
import { Filters, ofProcesses, Pager, useWanted, type Wanted } from "../parts/filters";
import { Status } from "../parts/status";
import { type Column, Table } from "../parts/table";

/** Rows of a page; and instances that are fetched at a time to do something with all of them. */
const [PAGE, WALKED] = [50, 500];

export function Instances() {
  const { query: params } = useLocation();
  const face = params["face"] === "chain" ? "chain" : "process";
  useTitle(face === "chain" ? "Chains" : "Processes");
  return (
    <>
      <Head title="Instances" />
      <nav class="tabs" aria-label="Faces">
        <a href="/console/instances" aria-current={face === "process" ? "page" : undefined}>Processes</a>
        <a href="/console/instances?face=chain" aria-current={face === "chain" ? "page" : undefined}>Chains</a>
        <a href="/console/entities">Entities</a>
        <a href="/console/lifecycles">Lifecycles</a>
      </nav>
      {face === "process" ? <Processes /> : <Chains />}
    </>
  );
}

/** What the lists of both faces differ in. */
interface Kind<T> {
  face: Face;
  label: string;
  columns: Column<T>[];
  /** Where a page of those is that are looked for. */
  page: (wanted: Wanted, size: number) => string;
  target: (row: T) => Target;
  empty: string;
}

const PROCESS: Kind<ProcessInstance> = {
  face: "process",
  label: "Processes",
  empty: "No process is like that.",
  columns: [
    {
      head: "Instance",
      cell: (it) => <Name id={it.id} name={it.businessKey} href={path`/console/processes/${it.id}`} />,
    },
    { head: "Status", cell: (it) => <Status of={it.status} /> },
    {
      head: "At",
      cell: (it) => <span class="clip" title={it.failureReason ?? ""}>{it.currentStepIds.join(", ") || "–"}</span>,
    },
    { head: "Definition", cell: (it) => <ProcessDefinitionLink of={it} />, isWide: true },
    { head: "Started", cell: (it) => <Ago at={it.startedAt} />, isNumber: true },
  ],
  page: (wanted, size) => `/v1/instances${query({ ...ofProcesses(wanted), pageSize: size })}`,
  target: (it) => ({
    face: "process",
    id: it.id,
    name: it.businessKey ?? short(it.id),
    status: it.status,
    steps: it.currentStepIds,
  }),
};

const CHAIN: Kind<ChainInstance> = {
  face: "chain",
  label: "Chains",
  empty: "No chain is like that.",
  columns: [
    {
      head: "Instance",
      cell: (it) => (
        <Name id={it.instanceId} name={it.bizKey ?? undefined} href={path`/console/chains/${it.instanceId}`} />
      ),
    },
    { head: "Status", cell: (it) => <Status of={it.status} /> },
    {
      head: "At",
      cell: (it) => (
        <span class="clip">{it.currentStepType} <span class="quiet">(step {count(it.currentStepSeq + 1)})</span></span>
      ),
    },
    { head: "Definition", cell: (it) => <ChainDefinitionLink of={it} />, isWide: true },
    { head: "Started", cell: (it) => <Ago at={it.startedAt} />, isNumber: true },
  ],
  page: (wanted, size) =>
    `/v1/chains/instances${query({
      status: wanted.status,
      workflowType: wanted.definition,
      workflowVersion: wanted.version,
      bizKey: wanted.key,
      startedAfter: wanted.after,
      startedBefore: wanted.before,
      after: wanted.from,
      pageSize: size,
    })}`,
  target: (it) => ({
    face: "chain",
    id: it.instanceId,
    name: it.bizKey ?? short(it.instanceId),
    status: it.status,
    steps: [it.currentStepType],
  }),
};

function Processes() {
  const definitions = useResource<Page<ProcessDefinition>>("/v1/definitions?pageSize=1000");
  return <Listing kind={PROCESS} definitions={(definitions.data?.items ?? []).map((it) => [it.id, it.name])} />;
}

function Chains() {
  const definitions = useResource<Page<ChainDefinition>>("/v1/chains/definitions?pageSize=1000");
  const types = [...new Set((definitions.data?.items ?? []).map((it) => it.workflowType))];
  return <Listing kind={CHAIN} definitions={types.map((it) => [it, it])} />;
}

function Listing<T>({ kind, definitions }: { kind: Kind<T>; definitions: [string, string][] }) {
  const wanted = useWanted();
  const [chosen, setChosen] = useState(new Set<string>());
  const page = useResource<Page<T>>(kind.page(wanted, PAGE), (it) => wanted.from === "" && it.faces.has(kind.face));
  const counts = useCounts(kind.face, wanted);
  const all = STATUSES[kind.face].filter((it) => wanted.status === "" || it === wanted.status);
  const total = all.reduce((sum, it) => sum + (counts.get(it) ?? 0), 0);
  const targets = (page.data?.items ?? []).map(kind.target).filter((it) => chosen.has(it.id));
  const keyOf = (row: T) => kind.target(row).id;
  return (
    <>
      <Filters
        wanted={wanted}
        statuses={STATUSES[kind.face]}
        counts={counts}
        definitions={definitions}
        hasStep={kind.face === "process"}
      />
      <Bulk targets={targets} total={total} walk={walkOf(kind, wanted)} clear={() => setChosen(new Set())} />
      <p class="quiet total" role="status">{plural(total, "instance")}</p>
      <Loaded of={page}>
        {(it) => (
          <>
            <Table
              label={kind.label}
              rows={it.items}
              columns={kind.columns}
              rowKey={keyOf}
              empty={kind.empty}
              chosen={{ keys: chosen, set: setChosen }}
            />
            <Pager from={wanted.from} next={it.items.length === PAGE ? it.items.map(keyOf).at(-1) : undefined} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** How many there are of each status that are like this otherwise. */
function useCounts(face: Face, { definition, version, key, step, after, before }: Wanted): Map<string, number> {
  const narrowed = { face, definition, version, businessKey: key, step, startedAfter: after, startedBefore: before };
  const counted = useResource<Counts>(`/v1/counts${query(narrowed)}`, (it) => it.faces.has(face));
  return new Map((counted.data?.counts ?? []).map((it) => [it.status, it.count]));
}

/** All that match, from the newest on, page by page. */
function walkOf<T>(kind: Kind<T>, wanted: Wanted): Walk {
  return async function* () {
    let from = "";
    for (let seen = 0; seen < TOGETHER_MAX; seen += WALKED) {
      const { items } = await get<Page<T>>(kind.page({ ...wanted, from }, WALKED));
      const targets = items.map(kind.target);
      yield targets;
      from = targets.at(-1)?.id ?? "";
      if (items.length < WALKED) return;
    }
  };
}

export function Name({ id, name, href }: { id: string; name: string | undefined; href: string }) {
  return (
    <a class="name" href={href}>
      <strong>{name ?? short(id)}</strong>
      {name === undefined ? null : <span class="quiet">{short(id)}</span>}
    </a>
  );
}

function ProcessDefinitionLink({ of }: { of: ProcessInstance }) {
  const href = `${path`/console/definitions/process/${of.definitionId}`}?version=${of.definitionVersion}`;
  return <a href={href}>{of.definitionId} v{of.definitionVersion}</a>;
}

function ChainDefinitionLink({ of }: { of: ChainInstance }) {
  const href = path`/console/definitions/chain/${of.workflowType}/${of.workflowVersion}`;
  return <a href={href}>{of.workflowType} v{of.workflowVersion}</a>;
}
