// A text with numbered lines; with another one to compare, what was added and what is gone.

interface Line {
  kind: "same" | "added" | "gone";
  text: string;
  /** Counted in the new text. */
  number?: number;
}

interface Props {
  text: string;
  /** What it is compared with. */
  before?: string;
  /** What is said about lines. */
  marks?: Map<number, string>;
}

export function Source({ text, before, marks }: Props) {
  const lines = before === undefined ? plain(text) : compare(before.split("\n"), text.split("\n"));
  const markOf = (line: Line) => (line.number === undefined ? undefined : marks?.get(line.number));
  const isSame = before !== undefined && lines.every((it) => it.kind === "same");
  return (
    <>
      {isSame ? <p class="empty">Nothing but the version.</p> : null}
      <pre class="source" tabIndex={0} role="region" aria-label="Source">
        {lines.map((it, at) => (
          <span key={at} id={idOf(it, at)} class={markOf(it) === undefined ? it.kind : "marked"} title={markOf(it)}>
            <span class="line" aria-hidden="true">{it.number ?? ""}</span>
            <span class="sign" aria-hidden={it.kind === "same"}>{SIGNS[it.kind]}</span>
            {it.text}
            {"\n"}
          </span>
        ))}
      </pre>
    </>
  );
}

/** What links lead to a line by. */
const idOf = (line: Line, at: number): string => (line.number === undefined ? `gone-${at}` : `line-${line.number}`);

const SIGNS: Record<Line["kind"], string> = { same: " ", added: "+", gone: "−" };

function plain(text: string): Line[] {
  return text.split("\n").map((text, at) => ({ kind: "same", text, number: at + 1 }));
}

/** Lines beyond which comparing would take too long. */
const LINES_MAX = 3_000;

/** The lines of both: the longest common ones stay, the others are added or gone. */
export function compare(old: string[], now: string[]): Line[] {
  if (old.length > LINES_MAX || now.length > LINES_MAX) return plain(now.join("\n"));
  const width = now.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  for (let a = old.length - 1; a >= 0; a--) {
    for (let b = now.length - 1; b >= 0; b--) {
      const at = a * width + b;
      common[at] = old[a] === now[b] ? common[at + width + 1]! + 1 : Math.max(common[at + width]!, common[at + 1]!);
    }
  }
  const lines: Line[] = [];
  let [a, b] = [0, 0];
  while (a < old.length || b < now.length) {
    if (a < old.length && b < now.length && old[a] === now[b]) {
      lines.push({ kind: "same", text: now[b]!, number: b + 1 });
      [a, b] = [a + 1, b + 1];
    } else if (b >= now.length || (a < old.length && common[(a + 1) * width + b]! >= common[a * width + b + 1]!)) {
      lines.push({ kind: "gone", text: old[a++]! });
    } else {
      lines.push({ kind: "added", text: now[b]!, number: ++b });
    }
  }
  return lines;
}
