// How it goes: what runs, what waits, what needs somebody. Every number leads to what it counts.

import type { ComponentChildren } from "preact";
import { path } from "../lib/api";
import type { LifecycleKind, StateCount } from "../lib/entity";
import { listOf } from "../lib/status";
import { atLeast, count, duration, plural, words } from "../lib/text";
import type { Face, Overview, Rate, Workers } from "../lib/types";
import { always, useNow, usePolled, useResource, useSettling, useTitle } from "../lib/use";
import { Ago, Card, Head, Loaded } from "../parts/base";
import { Icon } from "../parts/icon";
import { Sparkline } from "../parts/sparkline";
import { Status, tone } from "../parts/status";

const FACES: Record<Face, string> = { process: "Processes", chain: "Chains" };

/** Lines of a card. */
const SHOWN = 6;

export function OverviewScreen() {
  useTitle("");
  const overview = useSettling<Overview>("/v1/overview", always);
  return (
    <>
      <Head title="Overview" sub="What runs, what waits, and what needs somebody" />
      <Loaded of={overview}>{(it) => <Numbers of={it} />}</Loaded>
    </>
  );
}

function Numbers({ of }: { of: Overview }) {
  return (
    <>
      <Tiles of={of} />
      <div class="columns">
        {of.faces.map((face) => <Instances key={face.face} of={face} />)}
        <Pace of={of.rates} now={Date.parse(of.at)} />
        <Queues of={of} />
        <Entities />
        <Lifecycles />
        <Messages of={of.outbox} />
      </div>
    </>
  );
}

function Tiles({ of }: { of: Overview }) {
  const failed = of.faces.flatMap((it) => it.counts).filter((it) => it.status === "FAILED");
  const n_failed = failed.reduce((whole, it) => whole + it.count, 0);
  const { tasks, timers } = of;
  const next = timers.nextAt === undefined ? "none is armed" : <>next <Ago at={timers.nextAt} /></>;
  return (
    <div class="tiles">
      <Tile
        name="Incidents"
        value={count(n_failed)}
        href="/console/incidents"
        isBad={n_failed > 0}
        note="instances that have failed"
      />
      <Tile
        name="Work ready"
        value={atLeast(tasks.ready)}
        href="/console/work"
        note={<Oldest at={tasks.oldestReadyAt} />}
      />
      <Tile name="In work" value={atLeast(tasks.leased)} href="/console/work#held" note="held by workers" />
      <Tile
        name="Waiting"
        value={atLeast(tasks.awaiting)}
        href={listOf("process", { status: "WAITING" })}
        note="for a person, a signal or an event"
      />
      <Tile name="Timers due" value={atLeast(timers.due)} href="/console/timers" note={next} />
      <Crew members={of.members} />
    </div>
  );
}

/** Who is there to do the work. */
function Crew({ members }: { members: number }) {
  const crew = useResource<Workers>("/v1/workers", always);
  const workers = crew.data?.workers.length ?? 0;
  return (
    <Tile
      name="Workers"
      value={count(workers)}
      href="/console/work#workers"
      note={`and ${plural(members, "compute member")}`}
    />
  );
}

interface TileProps {
  name: string;
  value: string;
  href: string;
  note: ComponentChildren;
  isBad?: boolean;
}

function Tile({ name, value, href, note, isBad }: TileProps) {
  return (
    <a class={isBad ? "tile bad" : "tile"} href={href}>
      <span class="tile-name">{isBad ? <Icon name="failed" /> : null}{name}</span>
      <strong>{value}</strong>
      <span class="quiet">{note}</span>
    </a>
  );
}

function Oldest({ at }: { at: string | undefined }) {
  const now = useNow();
  return at === undefined ? <>nothing waits</> : <>the oldest for {duration(now - Date.parse(at))}</>;
}

function Instances({ of: { face, counts } }: { of: Overview["faces"][number] }) {
  return (
    <Card title={FACES[face]} extra={<a href={listOf(face)}>All</a>}>
      <ul class="counts">
        {counts.map((it) => (
          <li key={it.status}>
            <a href={listOf(face, { status: it.status })}>
              <Status of={it.status} />
              <strong>{count(it.count)}</strong>
            </a>
          </li>
        ))}
      </ul>
      <Share of={counts} />
    </Card>
  );
}

/** How the statuses share the whole. The numbers are above: this is for a glance. */
function Share({ of }: { of: { status: string; count: number }[] }) {
  if (of.every((it) => it.count === 0)) return null;
  return (
    <div class="share" aria-hidden="true">
      {of.filter((it) => it.count > 0).map((it) => (
        <span key={it.status} class={tone(it.status)} style={{ flexGrow: it.count }} title={words(it.status)} />
      ))}
    </div>
  );
}

const MINUTE = 60_000;

/** How many minutes are drawn, and over how many of them the number is taken. */
const [DRAWN, TAKEN] = [60, 5];

type Happening = "started" | "completed" | "failed";

const HAPPENINGS: [Happening, string, string][] = [
  ["started", "Started", "/console/instances"],
  ["completed", "Completed", "/console/instances?status=COMPLETED"],
  ["failed", "Failed", "/console/incidents"],
];

function Pace({ of, now }: { of: Rate[]; now: number }) {
  return (
    <Card title="Per minute">
      <ul class="counts">
        {HAPPENINGS.map(([what, name, href]) => {
          const minutes = byMinute(of, what, now);
          return (
            <li key={what}>
              <a href={href}>
                <span>{name}</span>
                <Sparkline values={minutes} label={`${name} within each of the last ${DRAWN} minutes`} />
                <strong>{mean(minutes.slice(-TAKEN - 1, -1))}</strong>
              </a>
            </li>
          );
        })}
      </ul>
      <p class="quiet">Numbers over {TAKEN} minutes, lines over an hour, as far as this node did it since its start</p>
    </Card>
  );
}

/** The last minute, which is not over yet, is at the end. */
function byMinute(rates: Rate[], what: Happening, now: number): number[] {
  const last = Math.floor(now / MINUTE);
  const minutes = new Array<number>(DRAWN).fill(0);
  for (const it of rates) {
    const place = DRAWN - 1 - (last - Math.floor(Date.parse(it.from) / MINUTE));
    if (minutes[place] !== undefined) minutes[place] += it[what];
  }
  return minutes;
}

function mean(values: number[]): string {
  const sum = values.reduce((whole, it) => whole + it, 0) / Math.max(1, values.length);
  return sum > 0 && sum < 10 ? sum.toFixed(1) : count(Math.round(sum));
}

/** What waits longest, by kind of work. */
function Queues({ of }: { of: Overview }) {
  const now = useNow();
  const ready = of.queues.filter((it) => it.ready > 0).toSorted((a, b) => (a.firstAt < b.firstAt ? -1 : 1));
  return (
    <Card title="Oldest waiting work" extra={<a href="/console/work">All</a>}>
      {ready.length === 0 ? <p class="quiet">No work waits for a worker.</p> : (
        <ul class="counts">
          {ready.slice(0, SHOWN).map((it) => (
            <li key={`${it.face} ${it.queue} ${it.definition}`}>
              <a href="/console/work">
                <span>{it.queue} <span class="quiet">for {duration(now - Date.parse(it.firstAt))}</span></span>
                <strong>{atLeast(it.ready)}</strong>
              </a>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** Not shown where nobody uses them, or the server asks who wants to know. */
function Entities() {
  const states = usePolled<StateCount[]>("/api/entity/stats/states");
  const found = (states.data ?? []).toSorted((a, b) => b.count - a.count).map((it) => ({
    name: it.modelName,
    state: it.state,
    number: it.count,
    href: `${path`/console/models/${it.modelName}/${it.modelVersion}`}?state=${encodeURIComponent(it.state)}`,
  }));
  return <States title="Entities" all="/console/entities" of={found} />;
}

function Lifecycles() {
  const types = usePolled<LifecycleKind[]>("/workflows");
  const phases = (it: LifecycleKind) => Object.entries(it.counts_by_phase).map(([phase, number]) => ({
    name: it.workflow,
    state: phase,
    number,
    href: `${path`/console/lifecycles/${it.workflow}`}?phase=${encodeURIComponent(phase)}`,
  }));
  return <States title="Lifecycles" all="/console/lifecycles" of={(types.data ?? []).flatMap(phases)} />;
}

interface InState {
  name: string;
  state: string;
  number: number;
  href: string;
}

function States({ title, all, of }: { title: string; all: string; of: InState[] }) {
  if (of.length === 0) return null;
  return (
    <Card title={title} extra={<a href={all}>All</a>}>
      <ul class="counts">
        {of.slice(0, SHOWN).map((it) => (
          <li key={it.href}>
            <a href={it.href}>
              <span>{it.name} <span class="state">{it.state}</span></span>
              <strong>{count(it.number)}</strong>
            </a>
          </li>
        ))}
      </ul>
      {of.length > SHOWN ? <p class="quiet">and {of.length - SHOWN} more</p> : null}
    </Card>
  );
}

function Messages({ of }: { of: Overview["outbox"] }) {
  return (
    <Card title="Messages to the outside">
      <ul class="counts">
        <li><span>Waiting to be sent</span><strong>{atLeast(of.pending)}</strong></li>
        <li><span>Given up</span><strong class={of.dead > 0 ? "bad" : ""}>{atLeast(of.dead)}</strong></li>
      </ul>
      <p class="quiet"><Oldest at={of.oldestAt} /></p>
    </Card>
  );
}
