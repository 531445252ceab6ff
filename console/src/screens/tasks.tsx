// What waits for people.

import { useState } from "preact/hooks";
import { path, query } from "../lib/api";
import type { Page, ProcessDefinition, ProcessInstance, ProcessSource, UserTask } from "../lib/types";
import { useResource, useTitle } from "../lib/use";
import { isViewer } from "../lib/who";
import { Ago, Head, Loaded } from "../parts/base";
import { Filters, ofProcesses, Pager, useWanted } from "../parts/filters";
import { StepAsk } from "../parts/process-actions";
import { type Column, Table } from "../parts/table";
import { Name } from "./instances";

const SHOWN = 4;

const PAGE = 50;

export function Tasks() {
  useTitle("User tasks");
  const wanted = { ...useWanted(), status: "" };
  const filters = { ...ofProcesses(wanted), pageSize: PAGE };
  const page = useResource<Page<UserTask>>(`/v1/user-tasks${query(filters)}`, (it) => it.faces.has("process"));
  const definitions = useResource<Page<ProcessDefinition>>("/v1/definitions?pageSize=1000");
  const [open, setOpen] = useState<UserTask>();
  const action: Column<UserTask> = {
    head: "Action",
    cell: (it) => <button type="button" class="primary" onClick={() => setOpen(it)}>Complete…<span class="hidden"> {it.stepName} of {it.businessKey ?? it.instanceId}</span></button>,
  };
  const columns: Column<UserTask>[] = [
    { head: "Task", cell: (it) => <span class="name"><strong>{it.stepName}</strong><span class="quiet">{it.definitionId}</span></span> },
    { head: "Instance", cell: (it) => <Name id={it.instanceId} name={it.businessKey} href={path`/console/processes/${it.instanceId}`} /> },
    { head: "Knows", cell: (it) => <Known of={it} />, isWide: true },
    { head: "Waits since", cell: (it) => <Ago at={it.createdAt} />, isNumber: true },
    ...(isViewer() ? [] : [action]),
  ];
  return (
    <>
      <Head title="User tasks" sub="Steps that wait for a person, those of the newest instances first" />
      <Filters wanted={wanted} statuses={[]} counts={new Map()} definitions={(definitions.data?.items ?? []).map((it) => [it.id, it.name])} hasStep />
      <Loaded of={page}>
        {(it) => (
          <>
            <Table label="User tasks" rows={it.items} columns={columns} rowKey={(row) => row.id} empty="Nothing waits for a person." />
            <Pager from={wanted.from} next={it.next} />
          </>
        )}
      </Loaded>
      {open === undefined ? null : <Complete of={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

/** The answers that count are those of the version that the instance runs by. */
function Complete({ of, onClose }: { of: UserTask; onClose: () => void }) {
  const instance = useResource<ProcessInstance>(path`/v1/instances/${of.instanceId}`);
  const version = instance.data?.definitionVersion;
  const definition = useResource<ProcessSource>(version === undefined ? null : path`/v1/definitions/${of.definitionId}/versions/${version}`);
  return <StepAsk of={{ id: of.instanceId }} kind="complete" step={of.stepId} definition={definition.data} onClose={onClose} />;
}

function Known({ of }: { of: UserTask }) {
  const members = Object.entries(of.variables).slice(-SHOWN);
  return <code class="clip">{members.map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join(", ")}</code>;
}
