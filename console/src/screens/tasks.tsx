// What waits for people.

import { useState } from "preact/hooks";
import { path } from "../lib/api";
import type { Page, ProcessSource, UserTask } from "../lib/types";
import { useResource, useTitle } from "../lib/use";
import { Ago, Head, Loaded } from "../parts/base";
import { StepAsk } from "../parts/process-actions";
import { type Column, Table } from "../parts/table";
import { Name } from "./instances";

const SHOWN = 4;

export function Tasks() {
  useTitle("User tasks");
  const page = useResource<Page<UserTask>>("/v1/user-tasks?pageSize=200", (it) => it.faces.has("process"));
  const [open, setOpen] = useState<UserTask>();
  const columns: Column<UserTask>[] = [
    { head: "Task", cell: (it) => <span class="name"><strong>{it.stepName}</strong><span class="quiet">{it.definitionId}</span></span> },
    { head: "Instance", cell: (it) => <Name id={it.instanceId} name={it.businessKey} href={path`/console/processes/${it.instanceId}`} /> },
    { head: "Knows", cell: (it) => <Known of={it} />, isWide: true },
    { head: "Waits since", cell: (it) => <Ago at={it.createdAt} />, isNumber: true, isWide: true },
    { head: "Action", cell: (it) => <button type="button" class="primary" onClick={() => setOpen(it)}>Complete…<span class="hidden"> {it.stepName} of {it.businessKey ?? it.instanceId}</span></button> },
  ];
  return (
    <>
      <Head title="User tasks" sub="Steps that wait for a person, newest first" />
      <Loaded of={page}>{(it) => <Table label="User tasks" rows={it.items} columns={columns} rowKey={(row) => row.id} empty="Nothing waits for a person." />}</Loaded>
      {open === undefined ? null : <Complete of={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function Complete({ of, onClose }: { of: UserTask; onClose: () => void }) {
  const definition = useResource<ProcessSource>(path`/v1/definitions/${of.definitionId}`);
  return <StepAsk of={{ id: of.instanceId }} kind="complete" step={of.stepId} definition={definition.data} onClose={onClose} />;
}

function Known({ of }: { of: UserTask }) {
  const members = Object.entries(of.variables).slice(-SHOWN);
  return <code class="clip">{members.map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join(", ")}</code>;
}
