// Who is at work on what, and what waits for somebody.

import { path } from "../lib/api";
import { count, duration } from "../lib/text";
import type { Hold, Overview, Page } from "../lib/types";
import { always, useNow, useResource, useTitle } from "../lib/use";
import { Ago, Card, Head, Loaded } from "../parts/base";
import { type Column, Table } from "../parts/table";
import { short } from "../lib/text";

interface Worker {
  id: string;
  queues: string[];
  held: number;
  until: string;
}

const WORKERS: Column<Worker>[] = [
  { head: "Worker", cell: (it) => <strong>{it.id}</strong> },
  { head: "Works on", cell: (it) => it.queues.join(", ") },
  { head: "Holds", cell: (it) => count(it.held), isNumber: true },
  { head: "Next lease ends", cell: (it) => <Ago at={it.until} />, isNumber: true },
];

const HELD: Column<Hold>[] = [
  { head: "Work", cell: (it) => <span class="name"><strong>{it.queue}</strong><span class="quiet">{it.definition}</span></span> },
  { head: "Instance", cell: (it) => <a href={it.face === "process" ? path`/console/processes/${it.instanceId}` : path`/console/chains/${it.instanceId}`}>{short(it.instanceId)}</a> },
  { head: "Worker", cell: (it) => it.workerId, isWide: true },
  { head: "Could be claimed", cell: (it) => <Ago at={it.readyAt} />, isNumber: true },
  { head: "Lease ends", cell: (it) => <Ago at={it.leasedUntil} />, isNumber: true },
];

export function WorkScreen() {
  useTitle("Jobs & workers");
  const work = useResource<Page<Hold>>("/v1/work?pageSize=1000", always);
  const overview = useResource<Overview>("/v1/overview", always);
  return (
    <>
      <Head title="Jobs & workers" sub="A worker is somebody who holds something: those with nothing to do are not seen here" />
      <Loaded of={overview}>{(it) => <Waiting of={it} />}</Loaded>
      <Loaded of={work}>
        {(it) => (
          <>
            <Card title="Workers"><Table label="Workers" rows={workers(it.items)} columns={WORKERS} rowKey={(row) => row.id} empty="Nobody is at work." /></Card>
            <Card title="Being worked on"><Table label="Work" rows={it.items} columns={HELD} rowKey={(row) => `${row.instanceId} ${row.queue} ${row.leasedUntil}`} empty="Nothing is being worked on." /></Card>
          </>
        )}
      </Loaded>
    </>
  );
}

function Waiting({ of }: { of: Overview }) {
  const now = useNow();
  const { ready, oldestReadyAt } = of.tasks;
  if (ready === 0) return <p>No work waits for a worker.</p>;
  const age = oldestReadyAt === undefined ? "" : `, the oldest for ${duration(now - Date.parse(oldestReadyAt))}`;
  return <p><strong>{count(ready)}</strong> can be claimed now{age}.</p>;
}

function workers(held: Hold[]): Worker[] {
  const found = new Map<string, Worker>();
  for (const it of held) {
    const known = found.get(it.workerId);
    if (known === undefined) found.set(it.workerId, { id: it.workerId, queues: [it.queue], held: 1, until: it.leasedUntil });
    else {
      known.held++;
      if (!known.queues.includes(it.queue)) known.queues.push(it.queue);
    }
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}
