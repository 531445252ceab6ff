// Server-sent events over fetch: the browser's own reader of them cannot say who asks.

import { bearer, unknownTo } from "./api";

export interface StreamEvent {
  type: string;
  data: string;
  /** Where to go on after it; empty if it does not say. */
  lastEventId: string;
}

/** A stream of events until it is closed or breaks. It does not come back by itself. */
export class EventStream {
  onopen: () => void = () => undefined;
  onevent: (event: StreamEvent) => void = () => undefined;
  onerror: () => void = () => undefined;
  readonly #stop = new AbortController();

  constructor(path: string) {
    void this.#read(path).catch(() => undefined).then(() => this.#stop.signal.aborted || this.onerror());
  }

  close(): void {
    this.#stop.abort();
  }

  async #read(path: string): Promise<void> {
    const shown = bearer.value;
    const headers: Record<string, string> = { accept: "text/event-stream" };
    if (shown !== null) headers["authorization"] = `Bearer ${shown}`;
    const response = await fetch(path, { headers, signal: this.#stop.signal, cache: "no-store" });
    if (response.status === 401) unknownTo(shown);
    if (!response.ok || response.body === null) return;
    this.onopen();
    const [reader, decoder] = [response.body.getReader(), new TextDecoder()] as const;
    const parse = parser((event) => this.onevent(event));
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parse(decoder.decode(part.value, { stream: true }));
    }
  }
}

/** Takes text as it comes and tells of events as they are complete. */
export function parser(tell: (event: StreamEvent) => void): (text: string) => void {
  let rest = "";
  let type = "";
  let id = "";
  let data: string[] = [];
  const take = (line: string) => {
    if (line === "") {
      if (data.length > 0 || id !== "") tell({ type: type === "" ? "message" : type, data: data.join("\n"), lastEventId: id });
      type = "";
      id = "";
      data = [];
      return;
    }
    const [name, value] = split(line);
    if (name === "event") type = value;
    if (name === "id") id = value;
    if (name === "data") data.push(value);
  };
  return (text) => {
    const lines = (rest + text).split(/\r\n|\n/);
    rest = lines.pop() ?? "";
    lines.forEach(take);
  };
}

function split(line: string): [string, string] {
  const at = line.indexOf(":");
  return at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1).replace(/^ /, "")];
}
