// Instances, newest first. What is looked for is in the address, so that it can be sent to others.

import { useLocation } from "preact-iso";
import { useState } from "preact/hooks";
import { path, query } from "../lib/api";
import { count, plural, short } from "../lib/text";
import type { ChainDefinition, ChainInstance, Overview, Page, ProcessDefinition, ProcessInstance } from "../lib/types";
import { always, useResource, useTitle } from "../lib/use";
import { Ago, Head, Loaded } from "../parts/base";
import { type Target, Bulk } from "../parts/bulk";
import { Filters, type Wanted } from "../parts/filters";
import { Status } from "../parts/status";
import { type Column, Table } from "../parts/table";
import { withQuery } from "../parts/tabs";

const PAGE = 50;

const STATUSES = {
  process: ["ACTIVE", "WAITING", "FAILED", "COMPLETED", "CANCELLED"],
  chain: ["RUNNING", "FAILED", "COMPLETED", "CANCELED"],
};

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

function useWanted(): Wanted {
  const { query: params } = useLocation();
  return { status: params["status"] ?? "", definition: params["definition"] ?? "", key: params["key"] ?? "", step: params["step"] ?? "", from: params["from"] ?? "" };
}

function useCounts(face: string): Map<string, number> {
  const overview = useResource<Overview>("/v1/overview", always);
  const found = overview.data?.faces.find((it) => it.face === face)?.counts ?? [];
  return new Map(found.map((it) => [it.status, it.count]));
}

const PROCESS: Column<ProcessInstance>[] = [
  { head: "Instance", cell: (it) => <Name id={it.id} name={it.businessKey} href={path`/console/processes/${it.id}`} /> },
  { head: "Status", cell: (it) => <Status of={it.status} /> },
  { head: "At", cell: (it) => <span class="clip" title={it.failureReason ?? ""}>{it.currentStepIds.join(", ") || "–"}</span> },
  { head: "Definition", cell: (it) => <a href={`${path`/console/definitions/process/${it.definitionId}`}?version=${it.definitionVersion}`}>{it.definitionId} v{it.definitionVersion}</a>, isWide: true },
  { head: "Started", cell: (it) => <Ago at={it.startedAt} />, isNumber: true },
];

function Processes() {
  const wanted = useWanted();
  const [chosen, setChosen] = useState(new Set<string>());
  const definitions = useResource<Page<ProcessDefinition>>("/v1/definitions?pageSize=1000");
  const asked = query({ status: wanted.status, definitionId: wanted.definition, businessKey: wanted.key, stepId: wanted.step, before: wanted.from, pageSize: PAGE });
  const page = useResource<Page<ProcessInstance>>(`/v1/instances${asked}`, (it) => wanted.from === "" && it.faces.has("process"));
  const rows = page.data?.items ?? [];
  const targets = rows.filter((it) => chosen.has(it.id)).map((it): Target => ({ face: "process", id: it.id, name: it.businessKey ?? short(it.id), status: it.status, steps: it.currentStepIds }));
  return (
    <>
      <Filters wanted={wanted} statuses={STATUSES.process} counts={useCounts("process")} definitions={(definitions.data?.items ?? []).map((it) => [it.id, it.name])} hasStep />
      <Bulk targets={targets} clear={() => setChosen(new Set())} />
      <Loaded of={page}>
        {(it) => (
          <>
            <p class="quiet" role="status">{plural(it.total ?? 0, "instance")}</p>
            <Table label="Processes" rows={it.items} columns={PROCESS} rowKey={(row) => row.id} empty="No process is like that." chosen={{ keys: chosen, set: setChosen }} />
            <Pager isMore={it.items.length === PAGE} last={it.items.at(-1)?.id} isFirst={wanted.from === ""} />
          </>
        )}
      </Loaded>
    </>
  );
}

const CHAIN: Column<ChainInstance>[] = [
  { head: "Instance", cell: (it) => <Name id={it.instanceId} name={it.bizKey ?? undefined} href={path`/console/chains/${it.instanceId}`} /> },
  { head: "Status", cell: (it) => <Status of={it.status} /> },
  { head: "At", cell: (it) => <span class="clip">{it.currentStepType} <span class="quiet">(step {count(it.currentStepSeq + 1)})</span></span> },
  { head: "Definition", cell: (it) => <a href={path`/console/definitions/chain/${it.workflowType}/${it.workflowVersion}`}>{it.workflowType} v{it.workflowVersion}</a>, isWide: true },
  { head: "Started", cell: (it) => <Ago at={it.startedAt} />, isNumber: true },
];

function Chains() {
  const wanted = useWanted();
  const [chosen, setChosen] = useState(new Set<string>());
  const definitions = useResource<Page<ChainDefinition>>("/v1/chains/definitions?pageSize=1000");
  const asked = query({ status: wanted.status, workflowType: wanted.definition, bizKey: wanted.key, after: wanted.from, pageSize: PAGE });
  const page = useResource<Page<ChainInstance>>(`/v1/chains/instances${asked}`, (it) => wanted.from === "" && it.faces.has("chain"));
  const types = [...new Set((definitions.data?.items ?? []).map((it) => it.workflowType))];
  const rows = page.data?.items ?? [];
  const targets = rows.filter((it) => chosen.has(it.instanceId)).map((it): Target => ({ face: "chain", id: it.instanceId, name: it.bizKey ?? short(it.instanceId), status: it.status, steps: [it.currentStepType] }));
  return (
    <>
      <Filters wanted={wanted} statuses={STATUSES.chain} counts={useCounts("chain")} definitions={types.map((it) => [it, it])} />
      <Bulk targets={targets} clear={() => setChosen(new Set())} />
      <Loaded of={page}>
        {(it) => (
          <>
            <Table label="Chains" rows={it.items} columns={CHAIN} rowKey={(row) => row.instanceId} empty="No chain is like that." chosen={{ keys: chosen, set: setChosen }} />
            <Pager isMore={it.hasMore ?? false} last={it.items.at(-1)?.instanceId} isFirst={wanted.from === ""} />
          </>
        )}
      </Loaded>
    </>
  );
}

export function Name({ id, name, href }: { id: string; name: string | undefined; href: string }) {
  return (
    <a class="name" href={href}>
      <strong>{name ?? short(id)}</strong>
      {name === undefined ? null : <span class="quiet">{short(id)}</span>}
    </a>
  );
}

function Pager({ isMore, last, isFirst }: { isMore: boolean; last: string | undefined; isFirst: boolean }) {
  const { url } = useLocation();
  if (isFirst && !isMore) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {isFirst ? null : <a class="button" href={withQuery(url, { from: undefined })}>Newest</a>}
      {isMore ? <a class="button" href={withQuery(url, { from: last })}>Older</a> : null}
    </nav>
  );
}
