// What took how long: a line for each step, a bar for each thing it did, a sign for what came to it.

import { duration, when } from "../lib/text";

/** How a stretch of time was spent. */
export type Spent = "queue" | "work" | "wait" | "backoff" | "failed" | "lapsed" | "done";

export interface Bar {
  from: number;
  /** Not over yet, if absent. */
  to?: number | undefined;
  spent: Spent;
  text: string;
}

/** Something that came at a moment. */
export interface Sign {
  at: number;
  kind: "timer" | "signal" | "retry" | "lapse";
  text: string;
}

export interface Lane {
  name: string;
  bars: Bar[];
  signs?: Sign[];
}

const NAMES: Record<Spent, string> = {
  queue: "waiting for a worker",
  work: "at work",
  wait: "waiting for somebody or something",
  backoff: "out of reach, or before another try",
  failed: "failed",
  lapsed: "lost by its worker",
  done: "done",
};

const SIGNS: Record<Sign["kind"], [string, string]> = {
  timer: ["a timer fired", "M0-6L6 0L0 6L-6 0z"],
  signal: ["a signal or an answer came", "M-5 7V-7H6L3-3L6 1H-5"],
  retry: ["tried again", "M-5-6L6 0L-5 6z"],
  lapse: ["a lease ran out", "M-5-5L5 5M5-5L-5 5"],
};

const ROW = 30;
const LEFT = 206;
const WIDTH = 960;

type Scale = (time: number) => number;

export function Timeline({ lanes, now, at }: { lanes: Lane[]; now: number; at?: number | undefined }) {
  const bars = lanes.flatMap((it) => it.bars);
  if (bars.length === 0) return <p class="empty">Nothing has happened yet.</p>;
  const signs = lanes.flatMap((it) => it.signs ?? []);
  const from = Math.min(...bars.map((it) => it.from));
  const isOpen = bars.some((it) => it.to === undefined);
  const to = Math.max(from + 1, isOpen ? now : 0, ...bars.map((it) => it.to ?? it.from), ...signs.map((it) => it.at));
  const x: Scale = (time) => LEFT + ((time - from) / (to - from)) * (WIDTH - LEFT - 12);
  const bottom = lanes.length * ROW;
  const label = `Timeline of ${duration(to - from)}; the history tells the same as a table`;
  return (
    <div class="timeline">
      <div class="scroll" role="region" aria-label="Timeline" tabIndex={0}>
        <svg viewBox={`0 0 ${WIDTH} ${bottom + 34}`} role="img" aria-label={label}>
          <Ticks from={from} to={to} x={x} bottom={bottom} />
          {lanes.map((lane, row) => <Row key={`${row} ${lane.name}`} of={lane} top={row * ROW} x={x} now={now} />)}
          {at === undefined ? null : <line class="moment" x1={x(at)} x2={x(at)} y1={0} y2={bottom} />}
        </svg>
      </div>
      <Legend bars={bars} signs={signs} />
    </div>
  );
}

function Ticks({ from, to, x, bottom }: { from: number; to: number; x: Scale; bottom: number }) {
  return (
    <>
      {[0, 0.25, 0.5, 0.75, 1].map((part) => {
        const time = from + part * (to - from);
        return (
          <g key={part} class="tick">
            <line x1={x(time)} x2={x(time)} y1={0} y2={bottom} />
            <text x={x(time)} y={bottom + 20} text-anchor={part === 1 ? "end" : "middle"}>
              +{duration(time - from)}
            </text>
          </g>
        );
      })}
    </>
  );
}

function Row({ of, top, x, now }: { of: Lane; top: number; x: Scale; now: number }) {
  const place = (sign: Sign) => `translate(${x(sign.at)} ${top + ROW / 2})`;
  return (
    <g>
      <text class="lane" x={0} y={top + 19}>{of.name.length > 27 ? `${of.name.slice(0, 26)}…` : of.name}</text>
      {of.bars.map((bar, index) => {
        const end = bar.to ?? Math.max(now, bar.from);
        const place = { x: x(bar.from), y: top + 6, width: Math.max(3, x(end) - x(bar.from)), height: ROW - 12 };
        return (
          <rect key={index} class={`bar ${bar.spent} ${bar.to === undefined ? "is-open" : ""}`} rx={4} {...place}>
            <title>{`${of.name}: ${bar.text}\n${clock(bar.from)}, ${duration(end - bar.from)}`}</title>
          </rect>
        );
      })}
      {(of.signs ?? []).map((sign, index) => (
        <path key={index} class={`sign ${sign.kind}`} transform={place(sign)} d={SIGNS[sign.kind][1]}>
          <title>{`${of.name}: ${sign.text}\n${clock(sign.at)}`}</title>
        </path>
      ))}
    </g>
  );
}

const clock = (time: number): string => when(new Date(time).toISOString());

function Legend({ bars, signs }: { bars: Bar[]; signs: Sign[] }) {
  const [spent, kinds] = [[...new Set(bars.map((it) => it.spent))], [...new Set(signs.map((it) => it.kind))]];
  return (
    <ul class="legend">
      {spent.map((it) => <li key={it}><span class={`key ${it}`} aria-hidden="true" />{NAMES[it]}</li>)}
      {kinds.map((it) => (
        <li key={it}>
          <svg class="key-sign" viewBox="-8 -8 16 16" aria-hidden="true">
            <path class={`sign ${it}`} d={SIGNS[it][1]} />
          </svg>
          {SIGNS[it][0]}
        </li>
      ))}
    </ul>
  );
}
