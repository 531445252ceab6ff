// What has failed, by cause: one line for each definition, step and error.

import { useState } from "preact/hooks";
import { get, path } from "../lib/api";
import { listOf, placeOf } from "../lib/status";
import { count, short } from "../lib/text";
import type { Face, FailedInstance, Incident, Page } from "../lib/types";
import { always, useSettling, useTitle } from "../lib/use";
import { Ago, Card, Head, Loaded } from "../parts/base";
import { type Target, Together, type Walk } from "../parts/bulk";
import { Icon } from "../parts/icon";
import { Do } from "../parts/process-actions";
import { type Column, Table } from "../parts/table";

interface Incidents extends Page<Incident> {
  isCut: boolean;
}

export function Incidents() {
  useTitle("Incidents");
  const incidents = useSettling<Incidents>("/v1/incidents", always);
  const [open, setOpen] = useState<Incident>();
  return (
    <>
      <Head title="Incidents" sub="Instances that have failed, by cause" />
      <Loaded of={incidents}>{(it) => <Causes of={it} retry={setOpen} />}</Loaded>
      {open === undefined ? null : (
        <Together deed="retry" targets={failedOf(open)} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}

function Causes({ of, retry }: { of: Incidents; retry: (incident: Incident) => void }) {
  const ofFace = (face: Face) => of.items.filter((it) => it.face === face);
  const action: Column<Incident> = {
    head: "Action",
    cell: (it) => <Do icon="retry" text={`Retry ${count(it.count)}…`} isFirst onClick={() => retry(it)} />,
  };
  return (
    <>
      {of.isCut ? <p class="quiet">Of each face the newest ten thousand that have failed.</p> : null}
      <Card title="Processes">
        <Table
          label="Failed processes"
          rows={ofFace("process")}
          columns={[...COLUMNS, action]}
          rowKey={(row) => row.id}
          empty="No process has failed."
        />
      </Card>
      <Card title="Chains">
        <Table
          label="Failed chains"
          rows={ofFace("chain")}
          columns={COLUMNS}
          rowKey={(row) => row.id}
          empty="No chain has failed."
        />
        <p class="quiet">A chain that has failed has ended. Start it anew once the cause is mended.</p>
      </Card>
    </>
  );
}

const COLUMNS: Column<Incident>[] = [
  { head: "Cause", cell: (it) => <Cause of={it} /> },
  { head: "Instances", cell: (it) => <a href={failedList(it)}><strong>{count(it.count)}</strong></a>, isNumber: true },
  { head: "First", cell: (it) => <Ago at={it.firstAt} />, isNumber: true, isWide: true },
  { head: "Latest", cell: (it) => <Ago at={it.lastAt} />, isNumber: true, isWide: true },
  { head: "For example", cell: (it) => <Sample of={it} />, isWide: true },
];

function Cause({ of }: { of: Incident }) {
  return (
    <span class="name">
      <strong class="bad"><Icon name="failed" />{of.error || "no reason was given"}</strong>
      <span class="quiet">{of.definition} v{of.definitionVersion} at {of.step || "no step"}</span>
    </span>
  );
}

function failedList(of: Incident): string {
  const step = of.face === "process" ? of.step : undefined;
  return listOf(of.face, { status: "FAILED", definition: of.definition, version: of.definitionVersion, step });
}

function Sample({ of: { face, sample } }: { of: Incident }) {
  return <a href={placeOf(face, sample.instanceId)}>{sample.businessKey ?? short(sample.instanceId)}</a>;
}

/** Those of one cause, as the server knows them now. */
function failedOf({ id, step }: Incident): Walk {
  const target = (it: FailedInstance): Target => ({
    face: "process",
    id: it.instanceId,
    name: it.businessKey ?? short(it.instanceId),
    status: "FAILED",
    steps: step === "" ? [] : [step],
  });
  return async function* () {
    const { items } = await get<Page<FailedInstance>>(path`/v1/incidents/${id}`);
    yield items.map(target);
  };
}
