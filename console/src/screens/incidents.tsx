// What has failed, by cause: one line for each definition, step and error.

import { useState } from "preact/hooks";
import { path } from "../lib/api";
import { count, short } from "../lib/text";
import type { ChainInstance, Page, ProcessInstance } from "../lib/types";
import { useResource, useTitle } from "../lib/use";
import { Ago, Card, Head, Loaded } from "../parts/base";
import { type Target, Together } from "../parts/bulk";
import { Icon } from "../parts/icon";
import { type Column, Table } from "../parts/table";

/** How many failed instances are looked at. */
const LOOKED_AT = 500;

interface Group {
  key: string;
  definition: string;
  step: string;
  error: string;
  latest: string;
  sample: Target;
  targets: Target[];
}

export function Incidents() {
  useTitle("Incidents");
  const processes = useResource<Page<ProcessInstance>>(`/v1/instances?status=FAILED&pageSize=${LOOKED_AT}`, (it) => it.faces.has("process"));
  const chains = useResource<Page<ChainInstance>>(`/v1/chains/instances?status=FAILED&pageSize=${LOOKED_AT}`, (it) => it.faces.has("chain"));
  const [open, setOpen] = useState<Group>();
  const isCut = (processes.data?.total ?? 0) > LOOKED_AT || chains.data?.hasMore === true;
  return (
    <>
      <Head title="Incidents" sub={`Instances that have failed, by cause${isCut ? `; the newest ${count(LOOKED_AT)} of each face` : ""}`} />
      <Card title="Processes">
        <Loaded of={processes}>{(it) => <Table label="Failed processes" rows={processGroups(it.items)} columns={columns(setOpen)} rowKey={(row) => row.key} empty="No process has failed." />}</Loaded>
      </Card>
      <Card title="Chains">
        <Loaded of={chains}>{(it) => <Table label="Failed chains" rows={chainGroups(it.items)} columns={columns()} rowKey={(row) => row.key} empty="No chain has failed." />}</Loaded>
        <p class="quiet">A chain that has failed has ended. Start it anew once the cause is mended.</p>
      </Card>
      {open === undefined ? null : <Together deed="retry" targets={open.targets} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function columns(retry?: (group: Group) => void): Column<Group>[] {
  const shown: Column<Group>[] = [
    { head: "Cause", cell: (it) => <span class="name"><strong class="bad"><Icon name="failed" />{it.error}</strong><span class="quiet">{it.definition} at {it.step}</span>{it.sample.face === "chain" ? <LastError of={it.sample} /> : null}</span> },
    { head: "Instances", cell: (it) => <strong>{count(it.targets.length)}</strong>, isNumber: true },
    { head: "Latest", cell: (it) => <Ago at={it.latest} />, isNumber: true, isWide: true },
    { head: "For example", cell: (it) => <a href={it.sample.face === "process" ? path`/console/processes/${it.sample.id}` : path`/console/chains/${it.sample.id}`}>{it.sample.name}</a>, isWide: retry !== undefined },
  ];
  if (retry === undefined) return shown;
  return [...shown, { head: "Action", cell: (it) => <button type="button" class="primary" onClick={() => retry(it)}><Icon name="retry" />Retry {count(it.targets.length)}…</button> }];
}

/** Lists of chains do not tell errors; the latest one stands for the others. */
function LastError({ of }: { of: Target }) {
  const chain = useResource<ChainInstance>(path`/v1/chains/instances/${of.id}`);
  const error = chain.data?.steps?.findLast((it) => it.lastError !== null)?.lastError;
  return error === undefined ? null : <span class="quiet">{of.name}: {error}</span>;
}

/** Errors that differ only in numbers and quoted names have one cause. */
export function fingerprint(error: string): string {
  return error.replaceAll(/"[^"]*"/g, '"…"').replaceAll(/\d+/g, "#");
}

interface Failed {
  definition: string;
  error: string;
  at: string;
  target: Target;
}

function processGroups(items: ProcessInstance[]): Group[] {
  return group(items.map((it) => ({
    definition: `${it.definitionId} v${it.definitionVersion}`,
    error: it.failureReason ?? "no reason was given",
    at: it.completedAt ?? it.startedAt,
    target: { face: "process", id: it.id, name: it.businessKey ?? short(it.id), status: it.status, steps: it.currentStepIds },
  })));
}

function chainGroups(items: ChainInstance[]): Group[] {
  return group(items.map((it) => ({
    definition: `${it.workflowType} v${it.workflowVersion}`,
    error: `${it.currentStepType} was given up`,
    at: it.failedAt ?? it.startedAt,
    target: { face: "chain", id: it.instanceId, name: it.bizKey ?? short(it.instanceId), status: it.status, steps: [it.currentStepType] },
  })));
}

/** The most frequent first. */
function group(failed: Failed[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { definition, error, at, target } of failed) {
    const step = target.steps.join(", ");
    const key = [definition, step, fingerprint(error)].join("\n");
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { key, definition, step, error, latest: at, sample: target, targets: [target] });
    else {
      known.targets.push(target);
      if (at > known.latest) known.latest = at;
    }
  }
  return [...groups.values()].sort((a, b) => b.targets.length - a.targets.length);
}
