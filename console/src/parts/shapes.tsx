// How the kinds of nodes look. The same as in the drawings that `waypost diagram` makes.

import type { Picture } from "../lib/types";

type Node = Picture["nodes"][number];

export function shape({ kind, x, y, w, h }: Node) {
  const [right, bottom, half] = [x + w, y + h, h / 2];
  const rect = (radius: number) => <rect class="shape" x={x} y={y} width={w} height={h} rx={radius} />;
  switch (kind) {
    case "start":
      return <circle class="shape" cx={x + w / 2} cy={y + h / 2} r={w / 2} />;
    case "decision": {
      const cut = Math.min(half, 12);
      return <path class="shape" d={`M${x + cut} ${y}H${right - cut}L${right} ${y + half}L${right - cut} ${bottom}H${x + cut}L${x} ${y + half}z`} />;
    }
    case "table":
      return rect(2);
    case "wait":
    case "end":
      return rect(Math.min(half, 20));
    case "state":
      return rect(Math.min(half, 16));
    case "gateway":
      return <>{rect(2)}<path class="bar" d={`M${x} ${bottom}H${right}`} /></>;
    case "join":
      return <>{rect(2)}<path class="bar" d={`M${x} ${y}H${right}`} /></>;
    case "terminal":
      return (
        <>
          {rect(Math.min(half, 16))}
          <rect class="inner" x={x + 3} y={y + 3} width={w - 6} height={h - 6} rx={Math.min(half, 16) - 3} />
        </>
      );
    default:
      return rect(6);
  }
}

const SIGNS: Record<string, string> = {
  task: "M8 5a3 3 0 1 0 0 6a3 3 0 1 0 0-6M8 1v2.500M8 12.500v2.500M1 8h2.500M12.500 8h2.500M3 3l1.800 1.800M11.200 11.200l1.800 1.800M3 13l1.800-1.800M11.200 4.800l1.800-1.800",
  person: "M8 1.500a3 3 0 1 0 0 6a3 3 0 1 0 0-6M2 15c0-7 12-7 12 0",
  decision: "M8 1l7 7l-7 7l-7-7zM6 6.500c0-3 4-3 4-.5c0 1.500-2 1.500-2 3M8 11v.5",
  table: "M1.500 3h13v10h-13zM1.500 6.500h13M6.500 3v10",
  assignment: "M1.500 2.500h13v11h-13zM5 6.500h6M5 9.500h6",
  wait: "M4 1.500h8M4 14.500h8M5 1.500c0 6.500 6 6.500 6 13M11 1.500c0 6.500-6 6.500-6 13",
  gateway: "M8 1v5M3 14v-5q0-3 3-3h4q3 0 3 3v5M1 12l2 2l2-2M11 12l2 2l2-2",
  join: "M3 1v4q0 3 3 3h4q3 0 3-3v-4M8 8v6.500M6 12.500l2 2l2-2",
  end: "M8 1.500a6.500 6.500 0 1 0 0 13a6.500 6.500 0 1 0 0-13M5.500 5.500h5v5h-5z",
  missing: "M8 2v8M8 13v1",
};

export function Sign({ kind, x, y }: { kind: string; x: number; y: number }) {
  return <path class="sign" transform={`translate(${x} ${y})`} d={SIGNS[kind] ?? ""} />;
}
