// One chain: its line of steps, who holds which, what it waits for, and how it got there.

import { useRoute } from "preact-iso";
import { useState } from "preact/hooks";
import { because, path, post } from "../lib/api";
import { chainLanes } from "../lib/chain";
import { duration, when, words } from "../lib/text";
import type { ChainCommit, ChainEvent, ChainInstance, ChainStep, Page } from "../lib/types";
import { type Matters, useNow, useResource, useTitle } from "../lib/use";
import { Ago, Card, Copy, Head, Json, Loaded, When } from "../parts/base";
import { CancelAsk } from "../parts/cancel-ask";
import { Ask, Field, object } from "../parts/dialog";
import { Drawn } from "../parts/drawn";
import { Explain } from "../parts/explain";
import { Do } from "../parts/process-actions";
import { Scrubber } from "../parts/scrubber";
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
  const events = useResource<Page<ChainCommit>>(`${root}/events?pageSize=1000`, mine);
  const commits = events.data?.items ?? [];
  const [place, setPlace] = useState<number>();
  const moment = place === undefined ? undefined : commits[place];
  // At a moment it is as that commit left it.
  const as = moment === undefined ? "" : `?version=${moment.version}`;
  const instance = useResource<ChainInstance>(`${root}${as}`, mine);
  useTitle(instance.data?.bizKey ?? id);
  const text = moment === undefined ? undefined : `${when(moment.at)}: ${moment.events.map((it) => words(it.type)).join(", ")}`;
  return (
    <Loaded of={instance}>
      {(it) => (
        <>
          <Head title={<>{it.bizKey ?? it.instanceId} <Status of={it.status} /></>} sub={<Origin of={it} />}>
            {moment === undefined ? <Actions of={it} /> : undefined}
          </Head>
          {it.cancelReason === null ? null : <p class="reason"><strong>Canceled:</strong> {it.cancelReason}</p>}
          {moment === undefined ? <Explain path={`${root}/explain`} matters={mine} /> : null}
          <Scrubber times={commits.map((commit) => Date.parse(commit.at))} place={place} set={setPlace} text={text} />
          <Card title={moment === undefined ? "Steps" : "Steps at that moment"}><Strip steps={it.steps ?? []} /></Card>
          <Loaded of={events}>{(page) => <About of={it} drawn={`${root}/diagram.json${as}`} commits={page.items} upTo={moment} matters={mine} />}</Loaded>
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

interface AboutProps {
  of: ChainInstance;
  /** Where the picture is. */
  drawn: string;
  commits: ChainCommit[];
  /** The moment that is looked at; now, if absent. */
  upTo: ChainCommit | undefined;
  matters: Matters;
}

function About({ of, drawn, commits, upTo, matters }: AboutProps) {
  const now = useNow();
  const past = upTo === undefined ? commits : commits.filter((it) => it.version <= upTo.version);
  return (
    <Tabs
      label="About this instance"
      of={[
        { id: "timeline", name: "Timeline", body: () => <Card><Timeline lanes={chainLanes(of, past)} now={upTo === undefined ? now : Date.parse(upTo.at)} /></Card> },
        { id: "history", name: "History", body: () => <History commits={past} steps={of.steps ?? []} /> },
        { id: "attempts", name: "Attempts", body: () => <Attempts steps={of.steps ?? []} /> },
        { id: "diagram", name: "Diagram", body: () => <Drawn path={drawn} matters={matters} /> },
        { id: "context", name: "Context", body: () => <Json value={of.context} label="Context" /> },
        { id: "raw", name: "Raw", body: () => <Json value={of} label="The instance as the server tells it" /> },
      ]}
    />
  );
}

const ATTEMPTS: Column<ChainStep>[] = [
  { head: "Step", cell: (it) => it.stepType },
  { head: "Is", cell: (it) => <Status of={it.status} /> },
  { head: "Failed tries", cell: (it) => `${it.attempts} of ${it.maxAttempts}`, isNumber: true },
  { head: "Held by", cell: (it) => it.lockedBy ?? "–" },
  { head: "Lease ends", cell: (it) => (it.lockedUntil === null ? "–" : <Ago at={it.lockedUntil} />) },
  { head: "Waits for", cell: (it) => it.waitingEventType ?? "–" },
  { head: "Deadline", cell: (it) => (it.deadlineAt === null ? "–" : <Ago at={it.deadlineAt} />) },
  { head: "Next try", cell: (it) => (it.nextRunAt === null ? "–" : <Ago at={it.nextRunAt} />), isWide: true },
  { head: "Last error", cell: (it) => (it.lastError === null ? "–" : <span class="bad">{it.lastError}</span>) },
];

/** What was tried, by whom it is held, and until when it waits. */
function Attempts({ steps }: { steps: ChainStep[] }) {
  return <Table label="Attempts" rows={steps} columns={ATTEMPTS} rowKey={(it) => String(it.stepSeq)} empty="It has no steps." />;
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
