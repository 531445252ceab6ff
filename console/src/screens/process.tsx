// One process: where it is and why, how it got there, and what can be done about it.

import { useRoute } from "preact-iso";
import { useState } from "preact/hooks";
import { path, query } from "../lib/api";
import { jobsAt, lanes, type Moment, moments, visitsAt } from "../lib/past";
import { duration, when, words } from "../lib/text";
import type { Deed, Difference, InstanceJob, Page, ProcessInstance, ProcessSource, Visit } from "../lib/types";
import { type Matters, once, useNow, useResource, useTitle } from "../lib/use";
import { Ago, Card, Copy, Head, Json, Loaded, When } from "../parts/base";
import { Drawn } from "../parts/drawn";
import { Explain } from "../parts/explain";
import { Jobs } from "../parts/jobs";
import { ProcessActions } from "../parts/process-actions";
import { Scrubber } from "../parts/scrubber";
import { Status } from "../parts/status";
import { type Column, Table } from "../parts/table";
import { Tabs } from "../parts/tabs";
import { Timeline } from "../parts/timeline";
import { Variables } from "../parts/variables";

export function ProcessScreen() {
  const { params } = useRoute();
  const id = params["id"] ?? "";
  return <Process key={id} id={id} />;
}

function Process({ id }: { id: string }) {
  const mine: Matters = (it) => it.ids.has(id);
  const root = path`/v1/instances/${id}`;
  const instance = useResource<ProcessInstance>(root, mine);
  const it = instance.data;
  useTitle(it?.businessKey ?? id);
  const source = it === undefined ? null : path`/v1/definitions/${it.definitionId}/versions/${it.definitionVersion}`;
  const definition = useResource<ProcessSource>(source);
  return (
    <Loaded of={instance}>
      {(it) => (
        <>
          <Head title={<>{it.businessKey ?? it.id} <Status of={it.status} /></>} sub={<Origin of={it} />}>
            <ProcessActions of={it} definition={definition.data} />
          </Head>
          <Reason of={it} />
          <Past of={it} root={root} matters={mine} />
        </>
      )}
    </Loaded>
  );
}

function Reason({ of }: { of: ProcessInstance }) {
  if (of.failureReason === undefined) return null;
  return <p class="reason"><strong>{of.status === "FAILED" ? "Failed" : "Ended"}:</strong> {of.failureReason}</p>;
}

function Origin({ of }: { of: ProcessInstance }) {
  const definition = `${path`/console/definitions/process/${of.definitionId}`}?version=${of.definitionVersion}`;
  const parent = of.parentInstanceId;
  return (
    <>
      <a href={definition}>{of.definitionId} v{of.definitionVersion}</a>
      {" · "}started <Ago at={of.startedAt} />
      {of.completedAt === undefined ? null : <> · took {span(of.startedAt, of.completedAt)}</>}
      {parent === undefined ? null : <> · follows <a href={path`/console/processes/${parent}`}>its parent</a></>}
      {" · "}<code>{of.id}</code> <Copy text={of.id} />
    </>
  );
}

interface Subject {
  of: ProcessInstance;
  root: string;
  matters: Matters;
}

/** What there is to know about how it came here. */
interface Story {
  visits: Visit[];
  deeds: Deed[];
  jobs: InstanceJob[];
}

const span = (from: string, to: string): string => duration(Date.parse(to) - Date.parse(from));

function say(it: Deed): string {
  return it.stepId === undefined ? words(it.kind) : `${words(it.kind)} at ${it.stepName ?? it.stepId}`;
}

/** Everything about it, now or at a moment that was chosen. */
function Past({ of, root, matters }: Subject) {
  const history = useResource<Page<Visit>>(`${root}/history`, matters);
  const audit = useResource<Page<Deed>>(`${root}/audit?pageSize=1000`, matters);
  const jobs = useResource<Page<InstanceJob>>(`${root}/jobs?pageSize=1000`, matters);
  const [place, setPlace] = useState<number>();
  const story: Story = {
    visits: history.data?.items ?? [],
    deeds: audit.data?.items ?? [],
    jobs: jobs.data?.items ?? [],
  };
  const times = moments(story.visits, story.deeds, say);
  const chosen = place === undefined ? undefined : times[Math.min(place, times.length - 1)];
  const text = chosen === undefined ? undefined : `${when(chosen.at)}: ${chosen.text}`;
  return (
    <>
      <Scrubber times={times.map((it) => Date.parse(it.at))} place={place} set={setPlace} text={text} />
      <Explain
        path={`${root}/explain${query({ at: chosen?.at })}`}
        matters={chosen === undefined ? matters : once}
        title={chosen === undefined ? "Why is it here?" : "Why was it there?"}
      />
      <Loaded of={history}>
        {() => <About subject={{ of, root, matters }} story={story} times={times} chosen={chosen} />}
      </Loaded>
    </>
  );
}

interface AboutProps {
  subject: Subject;
  story: Story;
  times: Moment[];
  chosen: Moment | undefined;
}

function About({ subject: { of, root, matters }, story, times, chosen }: AboutProps) {
  const now = useNow();
  const at = chosen?.at;
  const then = useResource<ProcessInstance>(at === undefined ? null : `${root}${query({ at })}`);
  const shown = at === undefined ? of : then.data;
  const [visits, jobs] = [visitsAt(story.visits, at), jobsAt(story.jobs, at)];
  const deeds = story.deeds.filter((it) => at === undefined || it.at <= at);
  const drawn = () => lanes(story.visits, story.jobs, story.deeds, say);
  const moment = at === undefined ? undefined : Date.parse(at);
  const live = at === undefined ? matters : once;
  return (
    <Tabs
      label="About this instance"
      of={[
        {
          id: "diagram",
          name: "Diagram",
          body: () => <Drawn path={`${root}/diagram.json${query({ at })}`} matters={live} />,
        },
        {
          id: "timeline",
          name: "Timeline",
          body: () => <Card><Timeline lanes={drawn()} now={now} at={moment} /></Card>,
        },
        { id: "history", name: "History", body: () => <History visits={visits} deeds={deeds} /> },
        {
          id: "variables",
          name: "Variables",
          body: () => <Knowledge root={root} shown={shown} times={times} chosen={chosen} matters={matters} />,
        },
        { id: "jobs", name: "Jobs", body: () => <Jobs of={jobs} /> },
        { id: "raw", name: "Raw", body: () => <Json value={shown} label="The instance as the server tells it" /> },
      ]}
    />
  );
}

interface KnowledgeProps {
  root: string;
  shown: ProcessInstance | undefined;
  times: Moment[];
  chosen: Moment | undefined;
  matters: Matters;
}

/** What it knows, and what of it is other than at another moment. */
function Knowledge({ root, shown, times, chosen, matters }: KnowledgeProps) {
  const [picked, setPicked] = useState<string>();
  const earlier = times.filter((it) => chosen === undefined || it.at < chosen.at);
  const since = earlier.find((it) => it.at === picked) ?? earlier.at(chosen === undefined ? -2 : -1);
  const asked = since === undefined ? null : `${root}/diff${query({ from: since.at, to: chosen?.at })}`;
  const difference = useResource<Difference>(asked, chosen === undefined ? matters : once);
  const changes = difference.data?.changes.filter((it) => it.path.startsWith(VARIABLES));
  const relative = changes?.map((it) => ({ ...it, path: it.path.slice(VARIABLES.length - 1) }));
  return (
    <Card title={chosen === undefined ? "Variables now" : "Variables at that moment"}>
      {since === undefined ? null : (
        <div class="filters">
          <label class="inline">
            <span>Compared with</span>
            <select value={since.at} onChange={(event) => setPicked((event.target as HTMLSelectElement).value)}>
              {earlier.map((it) => <option key={it.at} value={it.at}>{when(it.at)}: {it.text}</option>)}
            </select>
          </label>
        </div>
      )}
      <Variables
        now={shown?.variables ?? {}}
        changes={since === undefined ? undefined : relative}
        since="What is other"
      />
    </Card>
  );
}

/** Where variables are in an instance. */
const VARIABLES = "/variables/";

const VISITS: Column<Visit>[] = [
  {
    head: "Step",
    cell: (it) => (
      <span class="name">
        <strong>{it.stepName || it.stepId}</strong><span class="quiet">{words(it.stepType)}</span>
      </span>
    ),
  },
  { head: "Outcome", cell: (it) => <Status of={it.status} /> },
  { head: "Began", cell: (it) => <When at={it.startedAt} /> },
  { head: "Took", cell: (it) => (it.endedAt === null ? "goes on" : span(it.startedAt, it.endedAt)), isNumber: true },
  { head: "Brought", cell: (it) => <Brought of={it} />, isWide: true },
];

function Brought({ of }: { of: Visit }) {
  if (of.failureReason !== null) return <span class="bad">{of.failureReason}</span>;
  const knew = of.inputSnapshot ?? {};
  const isNew = ([name, value]: [string, unknown]) => JSON.stringify(knew[name]) !== JSON.stringify(value);
  const members = Object.entries(of.outputSnapshot ?? {}).filter(isNew);
  if (members.length === 0) return <span class="quiet">nothing</span>;
  return <code class="clip">{members.map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join(", ")}</code>;
}

const DEEDS: Column<Deed>[] = [
  { head: "When", cell: (it) => <When at={it.at} /> },
  { head: "What", cell: (it) => words(it.kind) },
  { head: "Where", cell: (it) => it.stepName ?? it.stepId ?? "–" },
  { head: "Who", cell: (it) => (it.workerId === undefined ? it.actor : `${it.actor} ${it.workerId}`) },
  { head: "Why", cell: (it) => it.detail ?? "–", isWide: true },
];

function History({ visits, deeds }: { visits: Visit[]; deeds: Deed[] }) {
  return (
    <>
      <Card title="Visits of steps">
        <Table
          label="Visits of steps"
          rows={visits}
          columns={VISITS}
          rowKey={(it) => it.id}
          empty="No step has been visited yet."
        />
      </Card>
      <Card title="Who did what">
        <Table
          label="Who did what"
          rows={deeds}
          columns={DEEDS}
          rowKey={(it) => String(it.sequence)}
          empty="Nobody has done anything yet."
        />
      </Card>
    </>
  );
}
