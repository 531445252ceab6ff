// What is due later.

import { path } from "../lib/api";
import { short } from "../lib/text";
import type { ArmedTimer, Page } from "../lib/types";
import { useResource, useTitle } from "../lib/use";
import { Ago, Head, Loaded, When } from "../parts/base";
import { Status } from "../parts/status";
import { type Column, Table } from "../parts/table";

const TIMERS: Column<ArmedTimer>[] = [
  { head: "Instance", cell: (it) => <a href={path`/console/processes/${it.instanceId}`}>{short(it.instanceId)}</a> },
  { head: "Timer", cell: (it) => (it.name === "next" ? "Starts the next process" : `Of visit ${it.name}`) },
  { head: "Due", cell: (it) => (it.isOverdue ? <Status of="WARNING" text="overdue" /> : <Ago at={it.dueAt} />) },
  { head: "At", cell: (it) => <When at={it.dueAt} />, isNumber: true },
];

export function Timers() {
  useTitle("Timers");
  const page = useResource<Page<ArmedTimer>>("/v1/timers?pageSize=200", (it) => it.faces.has("process"));
  return (
    <>
      <Head title="Timers" sub="What is due later, the next first. Deadlines of chains are with their steps." />
      <Loaded of={page}>
        {(it) => (
          <>
            <Table label="Timers" rows={it.items} columns={TIMERS} rowKey={(row) => `${row.instanceId} ${row.name}`} empty="No timer is armed." />
            {it.hasMore ? <p class="quiet">There are more.</p> : null}
          </>
        )}
      </Loaded>
    </>
  );
}
