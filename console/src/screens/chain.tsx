// One chain: its line of steps, who holds which, what it waits for, and how it got there.

import { useRoute } from "preact-iso";
import { useState } from "preact/hooks";
import { because, path, post } from "../lib/api";
import { chainLanes } from "../lib/chain";
import { duration, words } from "../lib/text";
import type { ChainCommit, ChainEvent, ChainInstance, ChainStep, Page } from "../lib/types";
import { type Matters, useNow, useResource, useTitle } from "../lib/use";
import { Ago, Card, Copy, Head, Json, Loaded, When } from "../parts/base";
import { CancelAsk } from "../parts/cancel-ask";
import { Ask, Field, object } from "../parts/dialog";
import { Drawn } from "../parts/drawn";
import { Explain } from "../parts/explain";
import { Do } from "../parts/process-actions";
import { Status } from "../parts/status";
import { type Column, Table } from "../parts/table";
import { Tabs } from "../parts/tabs";
import { Timeline } from "../parts/timeline";

export function ChainScreen() {
  const { params } = useRoute();
  const id = params["id"] ?? "";
  return <Chain key={id} id={id} />;
}

function Chain({ id }: { id: string }) {
  const mine: Matters = (it) => it.ids.has(id);
  const root = path`/v1/chains/instances/${id}`;
  const instance = useResource<ChainInstance>(root, mine);
  const events = useResource<Page<ChainCommit>>(`${root}/events?pageSize=1000`, mine);
  useTitle(instance.data?.bizKey ?? id);
  return (
    <Loaded of={instance}>
      {(it) => (
        <>
          <Head title={<>{it.bizKey ?? it.instanceId} <Status of={it.status} /></>} sub={<Origin of={it} />}>
            <Actions of={it} />
          </Head>
          {it.cancelReason === null ? null : <p class="reason"><strong>Canceled:</strong> {it.cancelReason}</p>}
          <Explain path={`${root}/explain`} matters={mine} />
          <Card title="Steps"><Strip steps={it.steps ?? []} /></Card>
          <Loaded of={events}>{(page) => <About of={it} root={root} commits={page.items} matters={mine} />}</Loaded>
        </>
      )}
    </Loaded>
  );
}

function Origin({ of }: { of: ChainInstance }) {
  const ended = of.completedAt ?? of.failedAt ?? of.canceledAt;
  return (
    <>
      <a href={path`/console/definitions/chain/${of.workflowType}/${of.workflowVersion}`}>{of.workflowType} v{of.workflowVersion}</a>
      {" · "}started <Ago at={of.startedAt} />
      {ended === null ? null : <> · took {duration(Date.parse(ended) - Date.parse(of.startedAt))}</>}
      {" · "}<code>{of.instanceId}</code> <Copy text={of.instanceId} />
    </>
  );
}

function About({ of, root, commits, matters }: { of: ChainInstance; root: string; commits: ChainCommit[]; matters: Matters }) {
  const now = useNow();
  return (
    <Tabs
      label="About this instance"
      of={[
        { id: "timeline", name: "Timeline", body: () => <Card><Timeline lanes={chainLanes(of, commits)} now={now} /></Card> },
        { id: "history", name: "History", body: () => <History commits={commits} steps={of.steps ?? []} /> },
        { id: "diagram", name: "Diagram", body: () => <Drawn path={`${root}/diagram.json`} matters={matters} /> },
        { id: "context", name: "Context", body: () => <Json value={of.context} label="Context" /> },
        { id: "raw", name: "Raw", body: () => <Json value={of} label="The instance as the server tells it" /> },
      ]}
    />
  );
}

function Strip({ steps }: { steps: ChainStep[] }) {
  return (
    <ol class="strip">
      {steps.map((it) => (
        <li key={it.stepSeq} class={it.status.toLowerCase()}>
          <strong>{it.stepType}</strong>
          <Status of={it.status} />
          <Detail of={it} />
        </li>
      ))}
    </ol>
  );
}

function Detail({ of }: { of: ChainStep }) {
  return (
    <ul class="quiet">
      {of.attempts > 0 ? <li>{of.attempts} of {of.maxAttempts} tries failed</li> : null}
      {of.lockedBy === null ? null : <li>with {of.lockedBy}</li>}
      {of.lockedUntil === null ? null : <li>lease ends <Ago at={of.lockedUntil} /></li>}
      {of.waitingEventType === null || of.status !== "WAITING" ? null : <li>for {of.waitingEventType}</li>}
      {of.deadlineAt === null || of.status !== "WAITING" ? null : <li>gives up <Ago at={of.deadlineAt} /></li>}
      {of.status === "READY" && of.nextRunAt !== null && Date.parse(of.nextRunAt) > Date.now() ? <li>next try <Ago at={of.nextRunAt} /></li> : null}
      {of.lastError === null ? null : <li class="bad">{of.lastError}</li>}
    </ul>
  );
}

interface Row {
  key: string;
  at: string;
  version: number;
  event: ChainEvent;
}

function History({ commits, steps }: { commits: ChainCommit[]; steps: ChainStep[] }) {
  const rows = commits.flatMap((it) => it.events.map((event, at): Row => ({ key: `${it.version}.${at}`, at: it.at, version: it.version, event })));
  const columns: Column<Row>[] = [
    { head: "When", cell: (it) => <When at={it.at} /> },
    { head: "What", cell: (it) => words(it.event.type) },
    { head: "Step", cell: (it) => (it.event.stepSeq === undefined ? "–" : (steps[it.event.stepSeq]?.stepType ?? String(it.event.stepSeq))) },
    { head: "Who", cell: (it) => it.event.workerId ?? "–", isWide: true },
    { head: "Detail", cell: (it) => <Remark of={it.event} /> },
    { head: "Commit", cell: (it) => it.version, isNumber: true },
  ];
  return <Table label="History" rows={rows} columns={columns} rowKey={(it) => it.key} empty="Nothing has happened yet." />;
}

function Remark({ of }: { of: ChainEvent }) {
  if (of.error !== undefined) return <span class="bad">{of.error}</span>;
  if (of.reason !== undefined) return <>{of.reason}</>;
  if (of.eventType !== undefined) return <>{of.eventType}</>;
  const rest = of["patch"] ?? of["context"] ?? of["payload"];
  return rest === undefined || rest === null ? <>–</> : <code class="clip">{JSON.stringify(rest)}</code>;
}

function Actions({ of }: { of: ChainInstance }) {
  const [deed, setDeed] = useState<"signal" | "cancel">();
  if (of.status !== "RUNNING") return null;
  const waits = of.steps?.find((it) => it.status === "WAITING")?.waitingEventType ?? "";
  const [name, close] = [of.bizKey ?? of.instanceId, () => setDeed(undefined)];
  return (
    <>
      <Do icon="signal" text="Signal…" isFirst={waits !== ""} onClick={() => setDeed("signal")} />
      <Do icon="cancelled" text="Cancel…" onClick={() => setDeed("cancel")} />
      {deed === "signal" ? <SignalAsk of={of} waits={waits} onClose={() => setDeed(undefined)} /> : null}
      {deed === "cancel" ? <CancelAsk name={name} path={path`/v1/chains/instances/${of.instanceId}/cancel`} onClose={close} /> : null}
    </>
  );
}

function SignalAsk({ of, waits, onClose }: { of: ChainInstance; waits: string; onClose: () => void }) {
  const [event, setEvent] = useState(waits);
  const [payload, setPayload] = useState("");
  const [reason, setReason] = useState("");
  const act = () => post(path`/v1/chains/instances/${of.instanceId}/signals`, { eventType: event.trim(), payload: object(payload) }, because(reason));
  return (
    <Ask title={`Signal ${of.bizKey ?? of.instanceId}`} verb="Send the signal" onClose={onClose} act={act}>
      <p>{waits === "" ? "No step waits now: the event is kept until one does." : `It waits for ${waits}.`}</p>
      <Field label="Event" value={event} set={setEvent} />
      <Field label="What there is to know" value={payload} set={setPayload} isLong placeholder="{}" hint="A JSON object; the worker sees it" />
      <Field label="Reason" value={reason} set={setReason} hint="Kept in the history, for whoever asks later" />
    </Ask>
  );
}
