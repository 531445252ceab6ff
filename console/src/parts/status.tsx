// Where something stands: a color, a drawing, and the word for it.

import { words } from "../lib/text";
import { Icon } from "./icon";

/** What a status means to whoever looks for trouble. */
export type Tone = "go" | "wait" | "done" | "bad" | "off" | "plain";

const TONES: Record<string, [Tone, string]> = {
  ACTIVE: ["go", "active"],
  RUNNING: ["go", "active"],
  READY: ["go", "active"],
  WAITING: ["wait", "waiting"],
  COMPLETED: ["done", "completed"],
  DONE: ["done", "completed"],
  FAILED: ["bad", "failed"],
  DEAD: ["bad", "failed"],
  CANCELLED: ["off", "cancelled"],
  CANCELED: ["off", "cancelled"],
  PENDING: ["plain", "pending"],
  LOCKED: ["done", "completed"],
  UNLOCKED: ["wait", "waiting"],
  ERROR: ["bad", "failed"],
  WARNING: ["wait", "failed"],
  INFO: ["plain", "pending"],
};

export function tone(status: string): Tone {
  return TONES[status.toUpperCase()]?.[0] ?? "plain";
}

export function Status({ of, text }: { of: string; text?: string }) {
  const [color, icon] = TONES[of.toUpperCase()] ?? ["plain", "pending"];
  return (
    <span class={`status ${color}`}>
      <Icon name={icon} />
      {text ?? words(of)}
    </span>
  );
}
