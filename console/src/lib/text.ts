// Times, numbers and names as people read them.

const UNITS: [number, string][] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
];

/** `2 h 5 min`: the two largest units. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  let rest = Math.floor(ms / 1_000);
  const parts: string[] = [];
  for (const [size, name] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}

/** `3 min ago`, `in 2 h`. */
export function away(at: string, now: number): string {
  const ms = Date.parse(at) - now;
  if (Math.abs(ms) < 1_500) return "now";
  const seconds = Math.round(Math.abs(ms) / 1_000);
  const text = seconds < 60 ? `${seconds} s` : seconds < 3_600 ? `${Math.floor(seconds / 60)} min` : duration(seconds * 1_000);
  return ms < 0 ? `${text} ago` : `in ${text}`;
}

const DAY = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" });
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });

/** The time of day; with the date unless that is today. */
export function when(at: string): string {
  const date = new Date(at);
  const isToday = DAY.format(date) === DAY.format(new Date());
  return isToday ? CLOCK.format(date) : `${DAY.format(date)}, ${CLOCK.format(date)}`;
}

const NUMBER = new Intl.NumberFormat();

export const count = (value: number): string => NUMBER.format(value);

/** Where the server stops to count what is pending. */
const COUNTED_MAX = 10_000;

/** A number that the server counts so far and no further. */
export const atLeast = (value: number): string => (value >= COUNTED_MAX ? `${count(COUNTED_MAX)}+` : count(value));

/** `1 instance`, `2 instances`. */
export const plural = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

/** `STEP_DONE` as `Step done`. */
export function words(code: string): string {
  const text = code.replaceAll(/[_-]+/g, " ").toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Ids of processes end in this: the instance itself, before the tasks it gives out. */
const ITSELF = "00000";

/** Enough of an id to tell it from its neighbors. */
export function short(id: string): string {
  if (id.length <= 14) return id;
  const whole = id.endsWith(ITSELF) ? id.slice(0, -ITSELF.length) : id;
  return `…${whole.slice(-9)}`;
}
