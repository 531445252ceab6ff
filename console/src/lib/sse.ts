// Server-sent events, read by hand: the browser's own reader sends no bearer, and does not tell why
// it was refused.

import { bearer, located, unknownTo } from "./api";

export interface Told {
  kind: string;
  id: string;
  data: string;
}

/** Follows a stream until it ends or is given up. Says what the server answered; 0 if nothing. */
export async function listen(path: string, hear: { opened: () => void; told: (it: Told) => void }, cursor: string, signal: AbortSignal): Promise<number> {
  const headers: Record<string, string> = { accept: "text/event-stream" };
  if (cursor !== "") headers["last-event-id"] = cursor;
  const shown = bearer.value;
  if (shown !== null) headers["authorization"] = `Bearer ${shown}`;
  let response: Response;
  try {
    response = await fetch(located(path), { headers, signal, cache: "no-store" });
  } catch {
    return 0;
  }
  if (response.status === 401) unknownTo(shown);
  if (!response.ok || response.body === null) {
    void response.body?.cancel();
    return response.status;
  }
  hear.opened();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) hear.told(told(block));
    }
  } catch {
    // Broken off: whoever listens comes back.
  }
  return response.status;
}

export function told(block: string): Told {
  const found: Told = { kind: "", id: "", data: "" };
  for (const line of block.split("\n")) {
    const at = line.indexOf(":");
    if (at < 1) continue;
    const value = line.slice(line[at + 1] === " " ? at + 2 : at + 1);
    const name = line.slice(0, at);
    if (name === "event") found.kind = value;
    if (name === "id") found.id = value;
    if (name === "data") found.data += found.data === "" ? value : `\n${value}`;
  }
  return found;
}
