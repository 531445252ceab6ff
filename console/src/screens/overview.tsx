// How it goes: what runs, what waits, what needs somebody. Every number leads to its list.

import { useEffect, useState } from "preact/hooks";
import { path } from "../lib/api";
import type { LifecycleKind, StateCount } from "../lib/entity";
import { count, duration, words } from "../lib/text";
import type { Overview } from "../lib/types";
import { always, useNow, usePolled, useResource, useTitle } from "../lib/use";
import { Ago, Card, Head, Loaded } from "../parts/base";
import { Icon } from "../parts/icon";
import { Sparkline } from "../parts/sparkline";
import { Status, tone } from "../parts/status";

const FACES = { process: "Processes", chain: "Chains" } as const;

export function OverviewScreen() {
  useTitle("");
  const overview = useResource<Overview>("/v1/overview", always);
  return (
    <>
      <Head title="Overview" sub="What runs, what waits, and what needs somebody" />
      <Loaded of={overview}>{(it) => <Numbers of={it} />}</Loaded>
    </>
  );
}

function Numbers({ of }: { of: Overview }) {
  const pace = usePace(of);
  const failed = sum(of, "FAILED");
  return (
    <>
      <div class="tiles">
        <Tile name="Incidents" value={failed} href="/console/incidents" tone={failed > 0 ? "bad" : "plain"} note="instances that have failed" />
        <Tile name="Work ready" value={of.tasks.ready} href="/console/work" note={<Oldest at={of.tasks.oldestReadyAt} />} />
        <Tile name="In work" value={of.tasks.leased} href="/console/work" note="held by workers" />
        <Tile name="Waiting" value={of.tasks.awaiting} href="/console/instances?status=WAITING" note="for a person, a signal or an event" />
        <Tile name="Timers due" value={of.timers.due} href="/console/timers" note={of.timers.nextAt === undefined ? "none is armed" : <>next <Ago at={of.timers.nextAt} /></>} />
        <Tile name="Members" value={of.members} href="/console/settings" note="compute nodes connected" />
      </div>
      <div class="columns">
        {of.faces.map((face) => (
          <Card key={face.face} title={FACES[face.face]} extra={<a href={list(face.face)}>All</a>}>
            <ul class="counts">
              {face.counts.map((it) => (
                <li key={it.status}>
                  <a href={`${list(face.face)}${face.face === "chain" ? "&" : "?"}status=${it.status}`}>
                    <Status of={it.status} />
                    <strong>{count(it.count)}</strong>
                  </a>
                </li>
              ))}
            </ul>
            <Share of={face.counts} />
          </Card>
        ))}
        <Card title="Pace">
          <Sparkline values={pace.commits} label={`Commits per second: ${last(pace.commits)}`} />
          <ul class="counts">
            <li><span>Commits per second</span><strong>{last(pace.commits)}</strong></li>
            <li><span>Started per minute</span><strong>{perMinute(pace.started)}</strong></li>
            <li><span>Completed per minute</span><strong>{perMinute(pace.completed)}</strong></li>
            <li><span>Failed per minute</span><strong>{perMinute(pace.failed)}</strong></li>
          </ul>
          <p class="quiet">since this page was opened; {count(of.commits)} commits since the server was started</p>
        </Card>
        <Entities />
        <Lifecycles />
        <Card title="Messages to the outside">
          <ul class="counts">
            <li><span>Waiting to be sent</span><strong>{count(of.outbox.pending)}</strong></li>
            <li><span>Given up</span><strong class={of.outbox.dead > 0 ? "bad" : ""}>{count(of.outbox.dead)}</strong></li>
          </ul>
          <p class="quiet"><Oldest at={of.outbox.oldestAt} /></p>
        </Card>
      </div>
    </>
  );
}

/** Not shown where nobody uses them, or the server asks who wants to know. */
function Entities() {
  const states = usePolled<StateCount[]>("/api/entity/stats/states");
  const found = states.data ?? [];
  if (found.length === 0) return null;
  const shown = found.toSorted((a, b) => b.count - a.count).slice(0, SHOWN);
  return (
    <Card title="Entities" extra={<a href="/console/entities">All</a>}>
      <ul class="counts">
        {shown.map((it) => (
          <li key={`${it.modelName} ${it.modelVersion} ${it.state}`}>
            <a href={`${path`/console/models/${it.modelName}/${it.modelVersion}`}?state=${encodeURIComponent(it.state)}`}>
              <span>{it.modelName} <span class="state">{it.state}</span></span>
              <strong>{count(it.count)}</strong>
            </a>
          </li>
        ))}
      </ul>
      {found.length > SHOWN ? <p class="quiet">and {found.length - SHOWN} more</p> : null}
    </Card>
  );
}

function Lifecycles() {
  const types = usePolled<LifecycleKind[]>("/workflows");
  const found = (types.data ?? []).flatMap((it) => Object.entries(it.counts_by_phase).map(([phase, number]) => ({ type: it.workflow, phase, number })));
  if (found.length === 0) return null;
  return (
    <Card title="Lifecycles" extra={<a href="/console/lifecycles">All</a>}>
      <ul class="counts">
        {found.slice(0, SHOWN).map((it) => (
          <li key={`${it.type} ${it.phase}`}>
            <a href={`${path`/console/lifecycles/${it.type}`}?phase=${encodeURIComponent(it.phase)}`}>
              <span>{it.type} <span class="state">{it.phase}</span></span>
              <strong>{count(it.number)}</strong>
            </a>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Lines of a card. */
const SHOWN = 6;

const list = (face: string) => `/console/instances${face === "chain" ? "?face=chain" : ""}`;

function sum(of: Overview, status: string): number {
  const counts = of.faces.flatMap((it) => it.counts).filter((it) => it.status === status);
  return counts.reduce((whole, it) => whole + it.count, 0);
}

function Oldest({ at }: { at: string | undefined }) {
  const now = useNow();
  return at === undefined ? <>nothing waits</> : <>the oldest for {duration(now - Date.parse(at))}</>;
}

function Tile({ name, value, href, note, tone = "plain" }: { name: string; value: number; href: string; note: preact.ComponentChildren; tone?: string }) {
  return (
    <a class={`tile ${tone}`} href={href}>
      <span class="tile-name">{tone === "bad" ? <Icon name="failed" /> : null}{name}</span>
      <strong>{count(value)}</strong>
      <span class="quiet">{note}</span>
    </a>
  );
}

/** How the statuses share the whole. The numbers are above: this is for a glance. */
function Share({ of }: { of: { status: string; count: number }[] }) {
  const whole = of.reduce((sum, it) => sum + it.count, 0);
  if (whole === 0) return null;
  return (
    <div class="share" aria-hidden="true">
      {of.filter((it) => it.count > 0).map((it) => (
        <span key={it.status} class={tone(it.status)} style={{ flexGrow: it.count }} title={words(it.status)} />
      ))}
    </div>
  );
}

const KEPT = 60;

/** How much happens, between two looks, per second. */
interface Pace {
  commits: number[];
  started: number[];
  completed: number[];
  failed: number[];
}

interface Seen {
  at: number;
  totals: Record<keyof Pace, number>;
  pace: Pace;
}

function totals(of: Overview): Seen["totals"] {
  const all = of.faces.flatMap((it) => it.counts).reduce((whole, it) => whole + it.count, 0);
  return { commits: of.commits, started: all, completed: sum(of, "COMPLETED"), failed: sum(of, "FAILED") };
}

/** The server tells how much there is; how fast it grows is seen by looking twice. */
function usePace(of: Overview): Pace {
  const nothing: Pace = { commits: [], started: [], completed: [], failed: [] };
  const [seen, setSeen] = useState<Seen>({ at: Date.parse(of.at), totals: totals(of), pace: nothing });
  useEffect(() => {
    setSeen((before) => {
      const [at, now] = [Date.parse(of.at), totals(of)];
      const seconds = (at - before.at) / 1_000;
      if (seconds < 0.5) return before;
      const grow = (name: keyof Pace) => [...before.pace[name], Math.max(0, now[name] - before.totals[name]) / seconds].slice(-KEPT);
      return { at, totals: now, pace: { commits: grow("commits"), started: grow("started"), completed: grow("completed"), failed: grow("failed") } };
    });
  }, [of.at, of.commits]);
  return seen.pace;
}

function last(rates: number[]): string {
  const rate = rates.at(-1);
  return rate === undefined ? "–" : rate < 10 ? rate.toFixed(1) : count(Math.round(rate));
}

function perMinute(rates: number[]): string {
  if (rates.length === 0) return "–";
  const mean = rates.reduce((whole, it) => whole + it, 0) / rates.length;
  return count(Math.round(mean * 60));
}
