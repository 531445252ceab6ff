// What instances run by.

import { path } from "../lib/api";
import type { ChainDefinition, Page, ProcessDefinition } from "../lib/types";
import { useResource, useTitle } from "../lib/use";
import { Ago, Card, Head, Loaded } from "../parts/base";
import { type Column, Table } from "../parts/table";

const PROCESS: Column<ProcessDefinition>[] = [
  { head: "Definition", cell: (it) => <a class="name" href={path`/console/definitions/process/${it.id}`}><strong>{it.name}</strong><span class="quiet">{it.id}</span></a> },
  { head: "Version", cell: (it) => it.version, isNumber: true },
  { head: "Uploaded", cell: (it) => <Ago at={it.uploadedAt} />, isNumber: true },
  { head: "Instances", cell: (it) => <a href={`/console/instances?definition=${encodeURIComponent(it.id)}`}>Show<span class="hidden"> instances of {it.name}</span></a> },
];

const CHAIN: Column<ChainDefinition>[] = [
  { head: "Definition", cell: (it) => <a class="name" href={path`/console/definitions/chain/${it.workflowType}/${it.workflowVersion}`}><strong>{it.workflowType}</strong><span class="quiet">{it.steps.map((step) => step.stepType).join(" → ")}</span></a> },
  { head: "Version", cell: (it) => it.workflowVersion, isNumber: true },
  { head: "Deployed", cell: (it) => <Ago at={it.deployedAt} />, isNumber: true },
  { head: "Instances", cell: (it) => <a href={`/console/instances?face=chain&definition=${encodeURIComponent(it.workflowType)}`}>Show<span class="hidden"> instances of {it.workflowType}</span></a> },
];

export function Definitions() {
  useTitle("Definitions");
  const processes = useResource<Page<ProcessDefinition>>("/v1/definitions?pageSize=1000", (it) => it.all);
  const chains = useResource<Page<ChainDefinition>>("/v1/chains/definitions?pageSize=1000", (it) => it.all);
  return (
    <>
      <Head title="Definitions" sub="What instances run by. Versions never change: a new one stands beside the old ones." />
      <Card title="Processes">
        <Loaded of={processes}>{(page) => <Table label="Process definitions" rows={page.items} columns={PROCESS} rowKey={(it) => it.id} empty={<>None yet. Try <code>waypost deploy examples/loan-application.json</code></>} />}</Loaded>
      </Card>
      <Card title="Chains">
        <Loaded of={chains}>{(page) => <Table label="Chain definitions" rows={page.items} columns={CHAIN} rowKey={(it) => `${it.workflowType} ${it.workflowVersion}`} empty={<>None yet. Try <code>waypost deploy examples/order.json</code></>} />}</Loaded>
      </Card>
      <p class="quiet">Workflows of entities are with <a href="/console/entities">their models</a>, phases with <a href="/console/lifecycles">lifecycles</a>.</p>
    </>
  );
}
