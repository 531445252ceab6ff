// What took how long: a line for each step, a bar for each thing it did.

import { duration, when } from "../lib/text";

/** How a stretch of time was spent. */
export type Spent = "queued" | "work" | "wait" | "backoff" | "failed" | "done";

export interface Bar {
  from: number;
  /** Not over yet, if absent. */
  to?: number | undefined;
  spent: Spent;
  text: string;
}

export interface Lane {
  name: string;
  bars: Bar[];
}

const NAMES: Record<Spent, string> = {
  queued: "queued",
  work: "at work",
  wait: "waiting",
  backoff: "before another try",
  failed: "failed",
  done: "done",
};

const ROW = 30;
const LEFT = 190;
const WIDTH = 960;

export function Timeline({ lanes, now, at }: { lanes: Lane[]; now: number; at?: number | undefined }) {
  const bars = lanes.flatMap((it) => it.bars);
  if (bars.length === 0) return <p class="empty">Nothing has happened yet.</p>;
  const from = Math.min(...bars.map((it) => it.from));
  const isOpen = bars.some((it) => it.to === undefined);
  const to = Math.max(from + 1, isOpen ? now : 0, ...bars.map((it) => it.to ?? it.from));
  const x = (time: number) => LEFT + ((time - from) / (to - from)) * (WIDTH - LEFT - 10);
  const height = lanes.length * ROW + 34;
  const used = [...new Set(bars.map((it) => it.spent))];
  return (
    <div class="timeline">
      <div class="scroll" role="region" aria-label="Timeline" tabIndex={0}>
        <svg viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={`Timeline of ${duration(to - from)}; the history tells the same as a table`}>
          {[0, 0.25, 0.5, 0.75, 1].map((part) => {
            const time = from + part * (to - from);
            return (
              <g key={part} class="tick">
                <line x1={x(time)} x2={x(time)} y1={0} y2={lanes.length * ROW} />
                <text x={x(time)} y={lanes.length * ROW + 20} text-anchor={part === 1 ? "end" : "middle"}>+{duration(time - from)}</text>
              </g>
            );
          })}
          {lanes.map((lane, row) => (
            <g key={`${row} ${lane.name}`}>
              <text class="lane" x={0} y={row * ROW + 19}>{lane.name.length > 27 ? `${lane.name.slice(0, 26)}…` : lane.name}</text>
              {lane.bars.map((bar, index) => {
                const end = bar.to ?? now;
                const width = Math.max(3, x(end) - x(bar.from));
                return (
                  <rect key={index} class={`bar ${bar.spent} ${bar.to === undefined ? "is-open" : ""}`} x={x(bar.from)} y={row * ROW + 6} width={width} height={ROW - 12} rx={4}>
                    <title>{`${lane.name}: ${bar.text}\n${when(new Date(bar.from).toISOString())}, ${duration(end - bar.from)}`}</title>
                  </rect>
                );
              })}
            </g>
          ))}
          {at === undefined ? null : <line class="moment" x1={x(at)} x2={x(at)} y1={0} y2={lanes.length * ROW} />}
        </svg>
      </div>
      <ul class="legend">
        {used.map((it) => (
          <li key={it}><span class={`key ${it}`} aria-hidden="true" />{NAMES[it]}</li>
        ))}
      </ul>
    </div>
  );
}
