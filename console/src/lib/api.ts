// Requests to the server, and what it says no with.

import { effect, signal } from "@preact/signals";

/** A no of the server. Each face has its own form; here they are one. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    /** What programs act on; has a page at `/docs/errors/CODE` if it is ours. */
    readonly code: string,
    message: string,
    readonly requestId: string,
  ) {
    super(message);
  }
}

/** The server cannot be reached. */
export class Unreachable extends Error {}

const KEPT = "waypost.token";

/** What proves who somebody is, where the server asks for it. Kept with the tab, and gone with it. */
export const bearer = signal<string | null>(sessionStorage.getItem(KEPT));

effect(() => (bearer.value === null ? sessionStorage.removeItem(KEPT) : sessionStorage.setItem(KEPT, bearer.value)));

/** Whether the server wants to know who asks. */
export const isUnknown = signal(false);

/** Nobody is known by what was shown; it may have been replaced since. */
export function unknownTo(shown: string | null): void {
  if (bearer.value === shown) isUnknown.value = true;
}

/** Says why something is asked for: that is kept with what was done. */
export function because(reason: string): Headers {
  return reason.trim() === "" ? {} : { "waypost-reason": encodeURIComponent(reason.trim()) };
}

/** A number whose digits would not survive being a number here. */
export class Exact {
  constructor(readonly text: string) {}

  toJSON(): unknown {
    const raw = (JSON as { rawJSON?: (text: string) => unknown }).rawJSON;
    return raw === undefined ? Number(this.text) : raw(this.text);
  }
}

/** Reads JSON without losing digits, where the browser tells the source. */
export function parse(text: string): unknown {
  const keep = (_: string, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    const differs = typeof value === "number" && source !== undefined && String(value) !== source;
    return differs ? new Exact(source) : value;
  };
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown);
}

/** Where the server has what can lie elsewhere; a part that it does not serve is absent. */
interface Roots {
  entities: string;
  lifecycles?: string;
}

let roots: Roots = { entities: "/api", lifecycles: "/workflows" };

/** Asks the server where it has everything. One that does not tell has it at the usual places. */
export async function locate(): Promise<void> {
  roots = await get<Roots>("/v1/console").catch(() => roots);
}

/** Here paths are written as they are unless the server is told otherwise; this is where they are. */
export function located(path: string): string {
  const entities = below("/api", path);
  if (entities !== undefined) return roots.entities + entities;
  const lifecycles = below("/workflows", path);
  if (lifecycles === undefined) return path;
  if (roots.lifecycles === undefined) throw new Refused(404, "ROUTE_NOT_FOUND", "The server has no lifecycles.", "");
  return roots.lifecycles + lifecycles;
}

/** What of a path lies below another one, if it does. */
function below(root: string, path: string): string | undefined {
  const rest = path.slice(root.length);
  return path.startsWith(root) && /^($|[/?])/.test(rest) ? rest : undefined;
}

export const get = <T>(path: string, signal?: AbortSignal): Promise<T> => request("GET", path, undefined, signal);
export const post = <T>(path: string, body?: unknown, more?: Headers): Promise<T> =>
  request("POST", path, body, undefined, more);
export const put = <T>(path: string, body?: unknown, more?: Headers): Promise<T> =>
  request("PUT", path, body, undefined, more);

/** Sends a text as it is written: places in it mean something to people. */
export async function postText<T>(path: string, text: string): Promise<T> {
  return parse(await send("POST", path, text)) as T;
}

/** Answers that come as one document on each line. */
export async function postForLines<T>(path: string, body: unknown): Promise<T[]> {
  const text = await ask("POST", path, body, undefined, { accept: "application/x-ndjson, application/json" });
  return text.split("\n").filter((it) => it.trim() !== "").map((it) => parse(it) as T);
}

/** Names and values of headers. */
type Headers = Record<string, string>;

type Asked = [method: string, path: string, body?: unknown, signal?: AbortSignal, more?: Headers];

async function request<T>(...asked: Asked): Promise<T> {
  const answer = await ask(...asked);
  return (answer.trim() === "" ? undefined : parse(answer)) as T;
}

function ask(...[method, path, body, signal, more]: Asked): Promise<string> {
  return send(method, path, body === undefined ? null : JSON.stringify(body), signal, more);
}

type Sent = [method: string, path: string, text: string | null, signal?: AbortSignal, more?: Headers];

async function send(...[method, path, text, signal, more]: Sent): Promise<string> {
  const place = located(path);
  const headers: Headers = { accept: "application/json", ...more };
  if (text !== null) headers["content-type"] = "application/json";
  const shown = bearer.value;
  if (shown !== null) headers["authorization"] = `Bearer ${shown}`;
  let response: Response;
  try {
    response = await fetch(place, { method, headers, body: text, signal: signal ?? null });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Unreachable("The server does not answer.");
  }
  const answer = await response.text();
  if (response.status === 401) unknownTo(shown);
  if (!response.ok) throw refused(response, answer);
  return answer;
}

function refused(response: Response, text: string): Refused {
  const told = object(text);
  const properties = typeof told["properties"] === "object" ? (told["properties"] as Members) : {};
  const code = first(told["code"], properties["errorCode"], told["error_code"], `HTTP_${response.status}`);
  const message = first(told["detail"], told["reason"], told["message"], told["error"], response.statusText);
  const id = response.headers.get("x-request-id") ?? "";
  return new Refused(response.status, code, message, id);
}

type Members = Record<string, unknown>;

function object(text: string): Members {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Members) : {};
  } catch {
    return {};
  }
}

function first(...texts: unknown[]): string {
  return texts.find((it): it is string => typeof it === "string" && it !== "") ?? "";
}

/** A path with its parts encoded. */
export function path(parts: TemplateStringsArray, ...values: (string | number)[]): string {
  return parts.reduce((whole, part, at) => {
    const value = values[at];
    return whole + part + (value === undefined ? "" : encodeURIComponent(value));
  }, "");
}

/** A query string of what is given. */
export function query(values: Record<string, string | number | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
  const params = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length === 0 ? "" : `?${params}`;
}
