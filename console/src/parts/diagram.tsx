// A definition drawn, with what goes on in it. The server has placed everything; here it is given
// shapes and colors, and can be moved and enlarged.

import { useRef, useState } from "preact/hooks";
import type { Mark, Picture, PictureEdge, PictureNode } from "../lib/types";
import { Sign, shape } from "./shapes";

/** Room around the drawing. */
const MARGIN = 14;

const ZOOM_MAX = 6;

/** Higher drawings are made smaller; the lower ones have their own size. */
const HEIGHT_MAX = 1_100;

/** From the top of one line of a text to the next: of names, of details, of labels. */
const [NAME_LINE, DETAIL_LINE, LABEL_LINE] = [17, 14, 14];

export function Diagram({ of, onPick }: { of: Picture; onPick?: (id: string) => void }) {
  const view = useView(of);
  return (
    <figure class="diagram">
      <div class="zoom">
        <button type="button" onClick={() => view.zoom(1.3)} aria-label="Enlarge">+</button>
        <button type="button" onClick={() => view.zoom(1 / 1.3)} aria-label="Reduce">−</button>
        <button type="button" onClick={view.reset} aria-label="Fit everything">Fit</button>
      </div>
      <svg role="img" aria-label={`Diagram of ${of.title}; the same as text is below`} {...view.props}>
        {of.groups.map((it, at) => (
          <g key={at} class="group">
            <rect x={it.x} y={it.y} width={it.w} height={it.h} rx={10} />
            <title>{it.label}</title>
          </g>
        ))}
        {of.edges.map((it, at) => <Line key={at} of={it} />)}
        {of.nodes.map((it) => <Box key={it.id} of={it} onPick={onPick} />)}
        {of.edges.map((it, at) => <Start key={at} of={it} />)}
        {of.edges.map((it, at) => <Label key={at} of={it} />)}
      </svg>
      <Told of={of} />
    </figure>
  );
}

export const isHere = (mark: Mark | undefined): boolean => Number(mark?.here ?? 0) > 0;

function Box({ of, onPick }: { of: PictureNode; onPick: ((id: string) => void) | undefined }) {
  const { mark, labelLines, detailLines } = of;
  const state = mark?.failed ? "is-failed" : isHere(mark) ? "is-here" : (mark?.visits ?? 0) > 0 ? "is-visited" : "";
  const hasSign = !["start", "state", "terminal"].includes(of.kind);
  const left = hasSign ? of.x + 38 : of.x + of.w / 2;
  const top = of.y + (of.h - labelLines.length * NAME_LINE - detailLines.length * DETAIL_LINE) / 2;
  const below = top + labelLines.length * NAME_LINE;
  const anchor = hasSign ? "start" : "middle";
  return (
    <g class={`node ${of.kind} ${state}`} onClick={() => onPick?.(of.id)}>
      <title>{told(of)}</title>
      {shape(of)}
      {hasSign ? <Sign kind={of.kind} x={of.x + 12} y={of.y + (of.h - 16) / 2} /> : null}
      {of.kind === "start" ? null : labelLines.map((text, at) => (
        <text key={at} class="name" x={left} y={top + 13 + at * NAME_LINE} text-anchor={anchor}>{text}</text>
      ))}
      {detailLines.map((text, at) => (
        <text key={at} class="detail" x={left} y={below + 10 + at * DETAIL_LINE} text-anchor={anchor}>{text}</text>
      ))}
      <Badges of={of} />
    </g>
  );
}

function Badges({ of }: { of: PictureNode }) {
  const { mark } = of;
  if (mark === undefined) return null;
  const [here, visits, top] = [Number(mark.here ?? 0), mark.visits ?? 0, of.y - 9];
  const presence = here > 1 ? `here ×${here}` : "here";
  return (
    <>
      {mark.failed ? <Badge kind="bad" x={of.x - 6} y={top} text="failed" /> : null}
      {!mark.failed && here > 0 ? <Badge kind="now" x={of.x - 6} y={top} text={presence} /> : null}
      {visits > 1 ? <Badge kind="often" x={of.x + of.w - 22} y={top} text={`×${visits}`} /> : null}
      {mark.due === undefined ? null : <Badge kind="due" x={of.x - 6} y={of.y + of.h - 8} text={`until ${mark.due}`} />}
    </>
  );
}

function Badge({ kind, x, y, text }: { kind: string; x: number; y: number; text: string }) {
  const width = text.length * 6.2 + 14;
  return (
    <g class={`badge ${kind}`}>
      <rect x={x} y={y} width={width} height={17} rx={8.5} />
      <text x={x + width / 2} y={y + 12.5} text-anchor="middle">{text}</text>
    </g>
  );
}

function Line({ of }: { of: PictureEdge }) {
  const points = of.points.map(([x, y]) => `${x},${y}`).join(" ");
  return (
    <g class={`edge ${of.style} ${of.taken ? "is-taken" : ""} ${of.back ? "is-back" : ""}`}>
      <polyline points={points} />
      <path class="tip" d={tip(of.points)} />
    </g>
  );
}

/** A clock on the border of the node, if time is what starts the edge. */
function Start({ of }: { of: PictureEdge }) {
  const at = of.points[0];
  if (at === undefined || !["timer", "interrupting"].includes(of.style)) return null;
  return (
    <g class={`clock ${of.style}`}>
      <circle cx={at[0]} cy={at[1]} r={8} />
      <path d={`M${at[0]} ${at[1] - 5}v5h3`} />
    </g>
  );
}

/** Above everything: the server has left room for it, and the line makes some. */
function Label({ of }: { of: PictureEdge }) {
  if (of.labelArea === undefined) return null;
  const [x, y, w, h] = of.labelArea;
  return (
    <g class={`label ${of.style}`}>
      <title>{of.label}</title>
      <rect x={x} y={y} width={w} height={h} />
      {of.labelLines.map((text, at) => (
        <text key={at} x={x + w / 2} y={y + (at + 1) * LABEL_LINE - 1} text-anchor="middle">{text}</text>
      ))}
    </g>
  );
}

function tip(points: [number, number][]): string {
  const [end, before] = [points.at(-1), points.at(-2)];
  if (end === undefined || before === undefined) return "";
  const length = Math.hypot(end[0] - before[0], end[1] - before[1]) || 1;
  const [dx, dy] = [(end[0] - before[0]) / length, (end[1] - before[1]) / length];
  const at = (back: number, side: number) => `${end[0] - back * dx - side * dy} ${end[1] - back * dy + side * dx}`;
  return `M${end[0]} ${end[1]}L${at(8, 4)}L${at(8, -4)}z`;
}

function told({ label, kind, detail, mark }: PictureNode): string {
  const parts = [`${label} (${kind})`, detail];
  if (mark?.failed) parts.push("failed here");
  else if (isHere(mark)) parts.push("is here now");
  if ((mark?.visits ?? 0) > 0) parts.push(`visited ${mark?.visits}×`);
  if (mark?.due) parts.push(`until ${mark.due}`);
  return parts.filter((it) => it !== "").join("\n");
}

/** The drawing for those who do not see it. */
function Told({ of }: { of: Picture }) {
  const label = (id: string) => of.nodes.find((it) => it.id === id)?.label || id;
  const way = (it: PictureEdge) => [it.label, it.taken ? "taken" : ""].filter((text) => text !== "").join(", ");
  return (
    <details class="told">
      <summary>The diagram as text</summary>
      <ul>
        {of.nodes.map((node) => (
          <li key={node.id}>
            {told(node).replaceAll("\n", "; ")}
            {of.edges.filter((it) => it.from === node.id).map((it, at) => (
              <span key={at}> → {label(it.to)}{way(it) === "" ? "" : ` (${way(it)})`}</span>
            ))}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** What part of the drawing is shown, and how it is moved. */
function useView(of: Picture) {
  const whole = { x: -MARGIN, y: -MARGIN, w: of.width + 2 * MARGIN, h: of.height + 2 * MARGIN };
  const [view, setView] = useState<typeof whole | null>(null);
  const held = useRef<{ x: number; y: number } | null>(null);
  const shown = view ?? whole;
  const zoom = (by: number) => {
    const w = Math.min(whole.w * 1.5, Math.max(whole.w / ZOOM_MAX, shown.w / by));
    const h = (w / whole.w) * whole.h;
    setView({ x: shown.x + (shown.w - w) / 2, y: shown.y + (shown.h - h) / 2, w, h });
  };
  const move = (event: PointerEvent) => {
    const from = held.current;
    const element = event.currentTarget as SVGSVGElement;
    if (from === null) return;
    const scale = Math.max(shown.w / element.clientWidth, shown.h / element.clientHeight);
    setView({ ...shown, x: shown.x - (event.clientX - from.x) * scale, y: shown.y - (event.clientY - from.y) * scale });
    held.current = { x: event.clientX, y: event.clientY };
  };
  const props = {
    viewBox: `${shown.x} ${shown.y} ${shown.w} ${shown.h}`,
    style: { maxHeight: `${Math.max(180, Math.min(HEIGHT_MAX, whole.h))}px` },
    onPointerDown: (event: PointerEvent) => {
      held.current = { x: event.clientX, y: event.clientY };
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
    },
    onPointerMove: move,
    onPointerUp: () => (held.current = null),
    onPointerCancel: () => (held.current = null),
  };
  return { zoom, reset: () => setView(null), props };
}
