// One process: where it is and why, how it got there, and what can be done about it.

import { useRoute } from "preact-iso";
import { useState } from "preact/hooks";
import { path } from "../lib/api";
import { duration, when, words } from "../lib/text";
import type { Deed, Page, Picture, ProcessInstance, ProcessSource, Visit } from "../lib/types";
import { isMissing, type Matters, useNow, useResource, useTitle } from "../lib/use";
import { Ago, Card, Copy, Head, Json, Loaded, When } from "../parts/base";
import { Diagram } from "../parts/diagram";
import { Explain } from "../parts/explain";
import { ProcessActions } from "../parts/process-actions";
import { Scrubber } from "../parts/scrubber";
import { Status } from "../parts/status";
import { type Column, Table } from "../parts/table";
import { Tabs } from "../parts/tabs";
import { Timeline } from "../parts/timeline";
import { Variables } from "../parts/variables";
import { at as moment, lanes, marks, moments } from "../lib/past";

export function ProcessScreen() {
  const { params } = useRoute();
  const id = params["id"] ?? "";
  return <Process key={id} id={id} />;
}

function Process({ id }: { id: string }) {
  const mine: Matters = (it) => it.ids.has(id);
  const root = path`/v1/instances/${id}`;
  const instance = useResource<ProcessInstance>(root, mine);
  const history = useResource<Page<Visit>>(`${root}/history`, mine);
  const it = instance.data;
  useTitle(it?.businessKey ?? id);
  const definition = useResource<ProcessSource>(it === undefined ? null : path`/v1/definitions/${it.definitionId}/versions/${it.definitionVersion}`);
  return (
    <Loaded of={instance}>
      {(it) => (
        <>
          <Head title={<>{it.businessKey ?? it.id} <Status of={it.status} /></>} sub={<Origin of={it} />}>
            <ProcessActions of={it} definition={definition.data} />
          </Head>
          {it.failureReason === undefined ? null : <p class="reason"><strong>{it.status === "FAILED" ? "Failed" : "Ended"}:</strong> {it.failureReason}</p>}
          <Explain path={`${root}/explain`} matters={mine} />
          <Loaded of={history}>{(page) => <Story of={it} root={root} visits={page.items} source={definition.data} matters={mine} />}</Loaded>
        </>
      )}
    </Loaded>
  );
}

function Origin({ of }: { of: ProcessInstance }) {
  return (
    <>
      <a href={`${path`/console/definitions/process/${of.definitionId}`}?version=${of.definitionVersion}`}>{of.definitionId} v{of.definitionVersion}</a>
      {" · "}started <Ago at={of.startedAt} />
      {of.completedAt === undefined ? null : <> · took {duration(Date.parse(of.completedAt) - Date.parse(of.startedAt))}</>}
      {of.parentInstanceId === undefined ? null : <> · follows <a href={path`/console/processes/${of.parentInstanceId}`}>its parent</a></>}
      {" · "}<code>{of.id}</code> <Copy text={of.id} />
    </>
  );
}

interface StoryProps {
  of: ProcessInstance;
  root: string;
  visits: Visit[];
  source: ProcessSource | undefined;
  matters: Matters;
}

/** Everything about it, now or at a moment that was chosen. */
function Story({ of, root, visits, source, matters }: StoryProps) {
  const times = moments(visits);
  const [place, setPlace] = useState<number>();
  const chosen = place === undefined ? undefined : times[Math.min(place, times.length - 1)];
  const now = useNow();
  const then = chosen === undefined ? undefined : moment(visits, chosen);
  const names = new Map((source?.steps ?? []).map((it) => [it.id, it.name ?? it.id]));
  return (
    <>
      <Scrubber times={times} place={place} set={setPlace} text={chosen === undefined ? undefined : `${when(new Date(chosen).toISOString())}: ${(then?.steps ?? []).map((it) => names.get(it) ?? it).join(", ") || "between two steps"}`} />
      <Tabs
        label="About this instance"
        of={[
          { id: "diagram", name: "Diagram", body: () => <Drawn root={root} matters={matters} visits={visits} chosen={chosen} isFailed={of.status === "FAILED"} here={of.currentStepIds} source={source} /> },
          { id: "timeline", name: "Timeline", body: () => <Card><Timeline lanes={lanes(visits)} now={now} at={chosen} /></Card> },
          { id: "history", name: "History", body: () => <History visits={visits} root={root} matters={matters} /> },
          { id: "variables", name: "Variables", body: () => <Card title={chosen === undefined ? "Variables now" : "Variables at that moment"}><Variables now={then?.variables ?? of.variables} before={then === undefined ? lastInput(visits) : then.before} /></Card> },
          { id: "raw", name: "Raw", body: () => <Json value={of} label="The instance as the server tells it" /> },
        ]}
      />
    </>
  );
}

function lastInput(visits: Visit[]): Record<string, unknown> | undefined {
  return visits.findLast((it) => it.endedAt !== null)?.inputSnapshot ?? undefined;
}

function Drawn({ root, matters, visits, chosen, isFailed, here, source }: { root: string; matters: Matters; visits: Visit[]; chosen: number | undefined; isFailed: boolean; here: string[]; source: ProcessSource | undefined }) {
  const picture = useResource<Picture>(`${root}/diagram.json`, matters);
  if (isMissing(picture.error) && picture.data === undefined) {
    return <Card title="Steps"><Steps source={source} visits={visits} here={here} isFailed={isFailed} /></Card>;
  }
  return <Loaded of={picture}>{(it) => <Diagram of={it} marks={chosen === undefined ? undefined : marks(visits, chosen)} />}</Loaded>;
}

/** The steps in the order of the definition, where the server draws nothing. */
function Steps({ source, visits, here, isFailed }: { source: ProcessSource | undefined; visits: Visit[]; here: string[]; isFailed: boolean }) {
  return (
    <ol class="steps">
      {(source?.steps ?? []).map((step) => {
        const count = visits.filter((it) => it.stepId === step.id).length;
        const status = here.includes(step.id) ? (isFailed ? "FAILED" : "RUNNING") : count > 0 ? "DONE" : "PENDING";
        return (
          <li key={step.id} class={here.includes(step.id) ? "is-here" : ""}>
            <Status of={status} text={step.name ?? step.id} />
            <span class="quiet">{words(step.type)}{count > 1 ? `, visited ${count}×` : ""}</span>
          </li>
        );
      })}
    </ol>
  );
}

const VISITS: Column<Visit>[] = [
  { head: "Step", cell: (it) => <span class="name"><strong>{it.stepName || it.stepId}</strong><span class="quiet">{words(it.stepType)}</span></span> },
  { head: "Outcome", cell: (it) => <Status of={it.status} /> },
  { head: "Began", cell: (it) => <When at={it.startedAt} /> },
  { head: "Took", cell: (it) => (it.endedAt === null ? "goes on" : duration(Date.parse(it.endedAt) - Date.parse(it.startedAt))), isNumber: true },
  { head: "Brought", cell: (it) => <Brought of={it} />, isWide: true },
];

function Brought({ of }: { of: Visit }) {
  if (of.failureReason !== null) return <span class="bad">{of.failureReason}</span>;
  const knew = of.inputSnapshot ?? {};
  const members = Object.entries(of.outputSnapshot ?? {}).filter(([name, value]) => JSON.stringify(knew[name]) !== JSON.stringify(value));
  return members.length === 0 ? <span class="quiet">nothing</span> : <code class="clip">{members.map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join(", ")}</code>;
}

const DEEDS: Column<Deed>[] = [
  { head: "When", cell: (it) => <When at={it.at} /> },
  { head: "What", cell: (it) => words(it.kind) },
  { head: "Where", cell: (it) => it.stepName ?? it.stepId ?? "–" },
  { head: "Who", cell: (it) => (it.workerId === undefined ? it.actor : `${it.actor} ${it.workerId}`) },
  { head: "Why", cell: (it) => it.detail ?? "–", isWide: true },
];

function History({ visits, root, matters }: { visits: Visit[]; root: string; matters: Matters }) {
  const audit = useResource<Page<Deed>>(`${root}/audit?pageSize=500`, matters);
  return (
    <>
      <Card title="Visits of steps">
        <Table label="Visits of steps" rows={visits} columns={VISITS} rowKey={(it) => it.id} empty="No step has been visited yet." />
      </Card>
      <Card title="Who did what">
        <Loaded of={audit}>{(page) => <Table label="Who did what" rows={page.items} columns={DEEDS} rowKey={(it) => String(it.sequence)} empty="Nobody has done anything yet." />}</Loaded>
      </Card>
    </>
  );
}
