// What is due later: timers of processes, and until when chains wait.

import { useState } from "preact/hooks";
import { path } from "../lib/api";
import { short } from "../lib/text";
import type { ArmedTimer, Page } from "../lib/types";
import { useResource, useTitle } from "../lib/use";
import { Ago, Head, Loaded, When } from "../parts/base";
import { Status } from "../parts/status";
import { type Column, Table } from "../parts/table";
import { Name } from "./instances";

const TIMERS: Column<ArmedTimer>[] = [
  { head: "Instance", cell: (it) => <Name id={it.instanceId} name={it.businessKey} href={it.face === "chain" ? path`/console/chains/${it.instanceId}` : path`/console/processes/${it.instanceId}`} /> },
  { head: "At", cell: (it) => it.stepName ?? it.stepId ?? "–" },
  { head: "What happens", cell: (it) => <Purpose of={it} /> },
  { head: "Due", cell: (it) => (it.isOverdue ? <Status of="WARNING" text="overdue" /> : <Ago at={it.dueAt} />) },
  { head: "Time", cell: (it) => <When at={it.dueAt} />, isNumber: true, isWide: true },
];

function Purpose({ of }: { of: ArmedTimer }) {
  if (of.kind === "deadline") return <>The wait is over</>;
  if (of.kind === "next") return <>Starts {of.leadsTo ?? "the next process"}</>;
  return of.leadsTo === undefined ? <>Timer {short(of.name)}</> : <>Goes to {of.leadsTo}</>;
}

const FIRST = 100;

/** More than the server tells at a time. */
const MOST = 1_000;

export function Timers() {
  useTitle("Timers");
  const [size, setSize] = useState(FIRST);
  const page = useResource<Page<ArmedTimer>>(`/v1/timers?pageSize=${size}`, (it) => it.faces.has("process") || it.faces.has("chain"));
  return (
    <>
      <Head title="Timers" sub="What is due later, the next first: timers of processes, and deadlines of chains that wait" />
      <Loaded of={page}>
        {(it) => (
          <>
            <Table label="Timers" rows={it.items} columns={TIMERS} rowKey={(row) => `${row.instanceId} ${row.name}`} empty="Nothing is due later." />
            {it.hasMore && size < MOST ? <div class="pager"><button type="button" onClick={() => setSize(Math.min(MOST, size * 4))}>Show more</button></div> : null}
            {it.hasMore && size >= MOST ? <p class="quiet">There are more.</p> : null}
          </>
        )}
      </Loaded>
    </>
  );
}
