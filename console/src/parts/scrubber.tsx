// Moves everything on the screen to a moment in the past.

interface Props {
  times: number[];
  /** Which of them; the present, if absent. */
  place: number | undefined;
  set: (place: number | undefined) => void;
  /** What is said about the moment. */
  text: string | undefined;
}

export function Scrubber({ times, place, set, text }: Props) {
  if (times.length < 2) return null;
  const end = times.length;
  const pick = (value: number) => set(value >= end ? undefined : Math.max(0, value));
  const at = place ?? end;
  return (
    <div class={place === undefined ? "scrubber" : "scrubber is-past"}>
      <button type="button" onClick={() => pick(at - 1)} disabled={at === 0} aria-label="A moment earlier">◀</button>
      <label>
        <span class="hidden">Moment</span>
        <input type="range" min={0} max={end} value={at} onInput={(event) => pick(Number((event.target as HTMLInputElement).value))} aria-valuetext={text ?? "now"} />
      </label>
      <button type="button" onClick={() => pick(at + 1)} disabled={place === undefined} aria-label="A moment later">▶</button>
      <output>{text ?? "Now"}</output>
      {place === undefined ? null : <button type="button" onClick={() => set(undefined)}>Back to now</button>}
    </div>
  );
}
