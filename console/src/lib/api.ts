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

export const get = <T>(path: string, signal?: AbortSignal): Promise<T> => request("GET", path, undefined, signal);
export const post = <T>(path: string, body?: unknown, more?: Headers): Promise<T> => request("POST", path, body, undefined, more);
export const put = <T>(path: string, body?: unknown, more?: Headers): Promise<T> => request("PUT", path, body, undefined, more);

/** Answers that come as one document on each line. */
export async function postForLines<T>(path: string, body: unknown): Promise<T[]> {
  const text = await ask("POST", path, body, undefined, { accept: "application/x-ndjson, application/json" });
  return text.split("\n").filter((it) => it.trim() !== "").map((it) => parse(it) as T);
}

/** Names and values of headers. */
type Headers = Record<string, string>;

async function request<T>(method: string, path: string, body?: unknown, signal?: AbortSignal, more?: Headers): Promise<T> {
  const answer = await ask(method, path, body, signal, more);
  return (answer.trim() === "" ? undefined : parse(answer)) as T;
}

async function ask(method: string, path: string, body?: unknown, signal?: AbortSignal, more?: Headers): Promise<string> {
  const headers: Headers = { accept: "application/json", ...more };
  if (body !== undefined) headers["content-type"] = "application/json";
  const shown = bearer.value;
  if (shown !== null) headers["authorization"] = `Bearer ${shown}`;
  const text = body === undefined ? null : JSON.stringify(body);
  let response: Response;
  try {
    response = await fetch(path, { method, headers, body: text, signal: signal ?? null });
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
