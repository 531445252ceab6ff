// The jobs of one process: who holds which, and what became of those before.

import { duration, words } from "../lib/text";
import type { InstanceJob } from "../lib/types";
import { Ago, When } from "./base";
import { Status } from "./status";
import { type Column, Table } from "./table";

const TONES: Record<string, string> = {
  AVAILABLE: "READY",
  LOCKED: "RUNNING",
  OPEN: "RUNNING",
  SUSPENDED: "PENDING",
  LEASE_EXPIRED: "WARNING",
  WITHDRAWN: "CANCELED",
};

const JOBS: Column<InstanceJob>[] = [
  {
    head: "Job",
    cell: (it) => (
      <span class="name"><strong>{it.jobType}</strong><span class="quiet">{it.stepName || it.stepId}</span></span>
    ),
  },
  { head: "Try", cell: (it) => it.attemptNumber, isNumber: true },
  { head: "Outcome", cell: (it) => <Status of={TONES[it.status] ?? it.status} text={words(it.status)} /> },
  { head: "Worker", cell: (it) => <Worker of={it} /> },
  { head: "Offered", cell: (it) => <When at={it.createdAt} />, isWide: true },
  { head: "Took", cell: (it) => took(it), isNumber: true, isWide: true },
  { head: "Retries left", cell: (it) => it.retriesRemaining, isNumber: true, isWide: true },
  { head: "Error", cell: (it) => (it.errorMessage === undefined ? "–" : <span class="bad">{it.errorMessage}</span>) },
];

export function Jobs({ of }: { of: InstanceJob[] }) {
  return <Table label="Jobs" rows={of} columns={JOBS} rowKey={(it) => it.id} empty="No job has been offered." />;
}

function Worker({ of }: { of: InstanceJob }) {
  if (of.workerId === undefined) return <>–</>;
  return (
    <>
      {of.workerId}
      {of.lockExpiresAt === undefined ? null : (
        <span class="quiet"> until <When at={of.lockExpiresAt} />, <Ago at={of.lockExpiresAt} /></span>
      )}
    </>
  );
}

function took(of: InstanceJob): string {
  return of.endedAt === undefined ? "goes on" : duration(Date.parse(of.endedAt) - Date.parse(of.createdAt));
}
