// A definition drawn, with what goes on in it. The server has placed everything; here it is given
// shapes and colors, and can be moved and enlarged.

import { useRef, useState } from "preact/hooks";
import type { Mark, Picture } from "../lib/types";
import { Sign, shape, wrap } from "./shapes";

type Node = Picture["nodes"][number];
type Edge = Picture["edges"][number];

/** Room around the drawing. */
const MARGIN = 14;

const ZOOM_MAX = 6;

/** Higher drawings are made smaller; the lower ones have their own size. */
const HEIGHT_MAX = 1_100;

interface Props {
  of: Picture;
  /** What goes on, instead of what the picture says: for a moment in the past. */
  marks?: Map<string, Mark> | undefined;
  onPick?: (id: string) => void;
}

export function Diagram({ of, marks, onPick }: Props) {
  const view = useView(of);
  const markOf = (node: Node) => (marks === undefined ? node.mark : marks.get(node.id));
  return (
    <figure class="diagram">
      <div class="zoom">
        <button type="button" onClick={() => view.zoom(1.3)} aria-label="Enlarge">+</button>
        <button type="button" onClick={() => view.zoom(1 / 1.3)} aria-label="Reduce">−</button>
        <button type="button" onClick={view.reset} aria-label="Show everything">Fit</button>
      </div>
      <svg role="img" aria-label={`Diagram of ${of.title}; the same as text is below`} {...view.props}>
        {of.groups.map((it, at) => (
          <g key={at} class="group">
            <rect x={it.x} y={it.y} width={it.w} height={it.h} rx={8} />
            <text x={it.x + 10} y={it.y + 16}>{it.label}</text>
          </g>
        ))}
        {of.edges.map((it, at) => <Line key={at} of={it} isTaken={isTaken(of, it, markOf)} />)}
        {of.nodes.map((it) => <Box key={it.id} of={it} mark={markOf(it)} onPick={onPick} />)}
      </svg>
      <Told of={of} markOf={markOf} />
    </figure>
  );
}

/** Both ends were visited. The line between them may still not be the one that was taken. */
function isTaken(of: Picture, edge: Edge, markOf: (node: Node) => Mark | undefined): boolean {
  const seen = (id: string) => {
    const node = of.nodes.find((it) => it.id === id);
    const mark = node === undefined ? undefined : markOf(node);
    return mark !== undefined && ((mark.visits ?? 0) > 0 || isHere(mark));
  };
  return seen(edge.from) && seen(edge.to);
}

export const isHere = (mark: Mark | undefined): boolean => mark?.here !== undefined && Number(mark.here) > 0;

function Box({ of, mark, onPick }: { of: Node; mark: Mark | undefined; onPick: ((id: string) => void) | undefined }) {
  const state = mark?.isFailed ? "is-failed" : isHere(mark) ? "is-here" : (mark?.visits ?? 0) > 0 ? "is-visited" : "";
  const labels = wrap(of.label, 24, 3);
  const details = wrap(of.detail, 36, 2);
  const hasSign = !["start", "state", "terminal"].includes(of.kind);
  const left = hasSign ? of.x + 38 : of.x + of.w / 2;
  const top = of.y + (of.h - labels.length * 17 - details.length * 14) / 2;
  const anchor = hasSign ? "start" : "middle";
  return (
    <g class={`node ${of.kind} ${state}`} onClick={() => onPick?.(of.id)}>
      <title>{told(of, mark)}</title>
      {shape(of)}
      {hasSign ? <Sign kind={of.kind} x={of.x + 12} y={of.y + (of.h - 16) / 2} /> : null}
      {of.kind === "start" ? null : labels.map((text, at) => (
        <text key={at} class="name" x={left} y={top + 13 + at * 17} text-anchor={anchor}>{text}</text>
      ))}
      {details.map((text, at) => (
        <text key={at} class="detail" x={left} y={top + labels.length * 17 + 10 + at * 14} text-anchor={anchor}>{text}</text>
      ))}
      <Badges of={of} mark={mark} />
    </g>
  );
}

function Badges({ of, mark }: { of: Node; mark: Mark | undefined }) {
  if (mark === undefined) return null;
  const visits = mark.visits ?? 0;
  return (
    <>
      {mark.isFailed ? <Badge kind="bad" x={of.x - 6} y={of.y - 9} text="failed" /> : null}
      {!mark.isFailed && isHere(mark) ? <Badge kind="now" x={of.x - 6} y={of.y - 9} text={Number(mark.here) > 1 ? `here ×${Number(mark.here)}` : "here"} /> : null}
      {visits > 1 ? <Badge kind="often" x={of.x + of.w - 22} y={of.y - 9} text={`×${visits}`} /> : null}
      {mark.due === undefined || mark.due === null ? null : <Badge kind="due" x={of.x - 6} y={of.y + of.h - 8} text={`until ${mark.due}`} />}
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

function Line({ of, isTaken }: { of: Edge; isTaken: boolean }) {
  const points = of.points.map(([x, y]) => `${x},${y}`).join(" ");
  const place = middle(of.points);
  return (
    <g class={`edge ${of.style} ${isTaken ? "is-taken" : ""}`}>
      <polyline points={points} />
      <path class="tip" d={tip(of.points)} />
      {wrap(of.label, 30, 4).map((text, at, all) => (
        <text key={at} x={place[0]} y={place[1] + 4 + (at - (all.length - 1) / 2) * 14} text-anchor="middle">{text}</text>
      ))}
    </g>
  );
}

/** The middle of the longest part. */
function middle(points: [number, number][]): [number, number] {
  let [best, longest]: [[number, number], number] = [points[0] ?? [0, 0], -1];
  for (let at = 1; at < points.length; at++) {
    const [x1, y1] = points[at - 1]!;
    const [x2, y2] = points[at]!;
    const length = Math.abs(x1 - x2) + Math.abs(y1 - y2);
    if (length > longest) [best, longest] = [[(x1 + x2) / 2, (y1 + y2) / 2], length];
  }
  return best;
}

function tip(points: [number, number][]): string {
  const [end, before] = [points.at(-1), points.at(-2)];
  if (end === undefined || before === undefined) return "";
  const length = Math.hypot(end[0] - before[0], end[1] - before[1]) || 1;
  const [dx, dy] = [(end[0] - before[0]) / length, (end[1] - before[1]) / length];
  const at = (back: number, side: number) => `${end[0] - back * dx - side * dy} ${end[1] - back * dy + side * dx}`;
  return `M${end[0]} ${end[1]}L${at(8, 4)}L${at(8, -4)}z`;
}

function told(node: Node, mark: Mark | undefined): string {
  const parts = [`${node.label} (${node.kind})`, node.detail];
  if (mark?.isFailed) parts.push("failed here");
  else if (isHere(mark)) parts.push("is here now");
  if ((mark?.visits ?? 0) > 0) parts.push(`visited ${mark?.visits}×`);
  if (mark?.due) parts.push(`until ${mark.due}`);
  return parts.filter((it) => it !== "").join("\n");
}

/** The drawing for those who do not see it. */
function Told({ of, markOf }: { of: Picture; markOf: (node: Node) => Mark | undefined }) {
  const label = (id: string) => of.nodes.find((it) => it.id === id)?.label || id;
  return (
    <details class="told">
      <summary>The diagram as text</summary>
      <ul>
        {of.nodes.map((node) => (
          <li key={node.id}>
            {told(node, markOf(node)).replaceAll("\n", "; ")}
            {of.edges.filter((it) => it.from === node.id).map((it, at) => (
              <span key={at}> → {label(it.to)}{it.label === "" ? "" : ` (${it.label})`}</span>
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
