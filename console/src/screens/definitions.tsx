// What instances run by.

import { get, path, postText, query } from "../lib/api";
import { listOf } from "../lib/status";
import { count, plural } from "../lib/text";
import type { ChainDefinition, Counts, Face, Page, ProcessDefinition } from "../lib/types";
import { type Matters, useAnswer, useResource, useTitle } from "../lib/use";
import { Ago, Card, Head, Loaded } from "../parts/base";
import { Status } from "../parts/status";
import { type Column, Table } from "../parts/table";

const PROCESS: Column<ProcessDefinition>[] = [
  {
    head: "Definition",
    cell: (it) => <Name href={path`/console/definitions/process/${it.id}`} name={it.name} note={it.id} />,
  },
  { head: "Version", cell: (it) => it.version, isNumber: true },
  {
    head: "Findings",
    cell: (it) => (
      <Findings
        key={`${it.id} ${it.version}`}
        kind="process"
        source={path`/v1/definitions/${it.id}/versions/${it.version}`}
      />
    ),
  },
  { head: "Under way", cell: (it) => <UnderWay face="process" definition={it.id} />, isNumber: true },
  { head: "Deployed", cell: (it) => <Ago at={it.uploadedAt} />, isNumber: true, isWide: true },
];

const CHAIN: Column<ChainDefinition>[] = [
  {
    head: "Definition",
    cell: (it) => (
      <Name
        href={path`/console/definitions/chain/${it.workflowType}/${it.workflowVersion}`}
        name={it.workflowType}
        note={it.steps.map((step) => step.stepType).join(" → ")}
      />
    ),
  },
  { head: "Version", cell: (it) => it.workflowVersion, isNumber: true },
  {
    head: "Under way",
    cell: (it) => <UnderWay face="chain" definition={it.workflowType} version={it.workflowVersion} />,
    isNumber: true,
  },
  { head: "Deployed", cell: (it) => <Ago at={it.deployedAt} />, isNumber: true, isWide: true },
];

export function Definitions() {
  useTitle("Definitions");
  const processes = useResource<Page<ProcessDefinition>>("/v1/definitions?pageSize=200", (it) => it.all);
  const chains = useResource<Page<ChainDefinition>>("/v1/chains/definitions?pageSize=200", (it) => it.all);
  return (
    <>
      <Head
        title="Definitions"
        sub="What instances run by. Versions never change: a new one stands beside the old ones."
      />
      <Card title="Processes">
        <Loaded of={processes}>
          {(page) => (
            <Table
              label="Process definitions"
              rows={page.items}
              columns={PROCESS}
              rowKey={(it) => it.id}
              empty={<Try file="loan-application" />}
            />
          )}
        </Loaded>
      </Card>
      <Card title="Chains">
        <Loaded of={chains}>
          {(page) => (
            <Table
              label="Chain definitions"
              rows={page.items}
              columns={CHAIN}
              rowKey={(it) => `${it.workflowType} ${it.workflowVersion}`}
              empty={<Try file="order" />}
            />
          )}
        </Loaded>
      </Card>
      <p class="quiet">
        Workflows of entities are with <a href="/console/entities">their models</a>,
        phases with <a href="/console/lifecycles">lifecycles</a>.
      </p>
    </>
  );
}

function Try({ file }: { file: string }) {
  return <>None yet. Try <code>waypost deploy examples/{file}.json</code></>;
}

function Name({ href, name, note }: { href: string; name: string; note: string }) {
  return <a class="name" href={href}><strong>{name}</strong><span class="quiet">{note}</span></a>;
}

/** How much lint has to say. */
function Findings({ kind, source }: { kind: string; source: string }) {
  const report = useAnswer(async () => {
    const text = JSON.stringify(await get<unknown>(source), null, 2);
    return postText<{ errors: number; warnings: number }>(`/v1/lint?kind=${kind}`, text);
  }, source);
  if (report.data === undefined) return <span class="quiet">{report.error === undefined ? "…" : "unknown"}</span>;
  const { errors, warnings } = report.data;
  if (errors > 0) return <Status of="ERROR" text={plural(errors, "error")} />;
  return warnings > 0 ? <Status of="WARNING" text={plural(warnings, "warning")} /> : <Status of="DONE" text="none" />;
}

const OPEN = ["ACTIVE", "WAITING", "RUNNING"];

function UnderWay({ face, definition, version }: { face: Face; definition: string; version?: number }) {
  const matters: Matters = (it) => it.faces.has(face);
  const counted = useResource<Counts>(`/v1/counts${query({ face, definition, version })}`, matters);
  const open = (counted.data?.counts ?? []).filter((it) => OPEN.includes(it.status));
  return (
    <a href={listOf(face, { definition, version })}>
      {counted.data === undefined ? "…" : count(open.reduce((sum, it) => sum + it.count, 0))}
      <span class="hidden"> instances of {definition}</span>
    </a>
  );
}
