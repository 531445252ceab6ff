// What waits for somebody, who is there, and who is at work on what.

import { listOf, placeOf } from "../lib/status";
import { atLeast, count, duration, short } from "../lib/text";
import type { Hold, Member, Page, Queue, Worker, Workers } from "../lib/types";
import { always, useNow, useResource, useTitle } from "../lib/use";
import { Ago, Card, Head, Loaded } from "../parts/base";
import { Status } from "../parts/status";
import { type Column, Table } from "../parts/table";

const QUEUES: Column<Queue>[] = [
  { head: "Kind of work", cell: (it) => <strong>{it.queue}</strong> },
  {
    head: "Of",
    cell: (it) => <a href={listOf(it.face, { definition: it.definition })}>{it.definition}</a>,
    isWide: true,
  },
  { head: "Ready", cell: (it) => atLeast(it.ready), isNumber: true },
  { head: "Oldest", cell: (it) => <First of={it} />, isNumber: true },
];

const WORKERS: Column<Worker>[] = [
  { head: "Worker", cell: (it) => <strong>{it.workerId}</strong> },
  { head: "Works on", cell: (it) => it.queues.join(", ") || "everything" },
  {
    head: "Asked last",
    cell: (it) => (it.askedAt === undefined ? "elsewhere" : <Ago at={it.askedAt} />),
    isNumber: true,
  },
  { head: "Holds", cell: (it) => count(it.held), isNumber: true },
  {
    head: "Next lease ends",
    cell: (it) => (it.leasedUntil === undefined ? "–" : <Ago at={it.leasedUntil} />),
    isNumber: true,
    isWide: true,
  },
];

const MEMBERS: Column<Member>[] = [
  { head: "Member", cell: (it) => <code>{it.id}</code> },
  { head: "Tags", cell: (it) => it.tags.join(", ") || "none" },
  { head: "Under way", cell: (it) => count(it.pending), isNumber: true },
  { head: "Heard of", cell: (it) => `${duration(it.seenMsAgo)} ago`, isNumber: true },
];

const HELD: Column<Hold>[] = [
  {
    head: "Work",
    cell: (it) => <span class="name"><strong>{it.queue}</strong><span class="quiet">{it.definition}</span></span>,
  },
  { head: "Instance", cell: (it) => <Instance of={it} /> },
  { head: "Worker", cell: (it) => it.workerId, isWide: true },
  { head: "Could be claimed", cell: (it) => <Ago at={it.readyAt} />, isNumber: true, isWide: true },
  { head: "Lease ends", cell: (it) => <Ago at={it.leasedUntil} />, isNumber: true },
];

export function WorkScreen() {
  useTitle("Jobs & workers");
  const queues = useResource<Page<Queue>>("/v1/queues", always);
  const workers = useResource<Workers>("/v1/workers", always);
  const work = useResource<Page<Hold>>("/v1/work?pageSize=200", always);
  return (
    <>
      <Head title="Jobs & workers" sub="Workers hold something, or have asked this node for work since its start" />
      <Card title="Waiting for a worker">
        <Loaded of={queues}>
          {(it) => (
            <Table label="Queues" rows={it.items} columns={QUEUES} rowKey={keyOf} empty="No work waits for a worker." />
          )}
        </Loaded>
      </Card>
      <Loaded of={workers}>
        {(it) => (
          <>
            <Card title="Workers" id="workers">
              <Table
                label="Workers"
                rows={it.workers}
                columns={WORKERS}
                rowKey={(row) => `${row.face} ${row.workerId}`}
                empty="Nobody has asked for work."
              />
            </Card>
            <Card title="Compute members" id="members">
              <Table
                label="Members"
                rows={it.members}
                columns={MEMBERS}
                rowKey={(row) => row.id}
                empty="No program for entities is connected to this node."
              />
            </Card>
          </>
        )}
      </Loaded>
      <Card title="Being worked on" id="held">
        <Loaded of={work}>
          {(it) => (
            <>
              <Table label="Work" rows={it.items} columns={HELD} rowKey={holdKey} empty="Nothing is being worked on." />
              {it.hasMore ? <p class="quiet">Those whose lease ends first; there are more.</p> : null}
            </>
          )}
        </Loaded>
      </Card>
    </>
  );
}

const keyOf = (it: Queue) => `${it.face} ${it.queue} ${it.definition}`;
const holdKey = (it: Hold) => `${it.instanceId} ${it.queue} ${it.leasedUntil}`;

function First({ of }: { of: Queue }) {
  const now = useNow();
  const age = now - Date.parse(of.firstAt);
  return of.ready === 0 ? <Status of="WAITING" text={`in ${duration(-age)}`} /> : <>{duration(age)}</>;
}

function Instance({ of }: { of: Hold }) {
  return <a href={placeOf(of.face, of.instanceId)}>{short(of.instanceId)}</a>;
}
