// Sending requests and reading answers. Everything that knows HTTP is here.

import { Agent, request as requestPlain, type IncomingMessage } from "node:http";
import { Agent as SecureAgent, request as requestSecure } from "node:https";

import { refusal, WaypostError } from "./error.js";

/** How long an answer may take that is not waited for on purpose. */
const ANSWER_MAX = 30_000;

/** Where a server is, unless it is said. */
const HERE = "http://localhost:8080";

/** One request. */
export interface Request {
  method: "GET" | "POST";
  /** Parts of the path; each is encoded. */
  path: readonly string[];
  query?: object;
  /** Written as JSON; a `Written` is sent as it is. */
  body?: unknown;
  headers?: Record<string, string>;
  /** How long the server may wait before it answers. */
  waitMs?: number;
  signal?: AbortSignal | undefined;
  /** Whether sending it twice is the same as sending it once. */
  isRepeatable?: boolean;
}

/** JSON that is written already. */
export class Written {
  constructor(readonly text: string) {}
}

/** The answer to a request that was carried out. */
export interface Answer {
  status: number;
  headers: IncomingMessage["headers"];
  text: string;
}

/** Connections to one server. They stay open between requests. */
export class Connection {
  /** The address as it may be shown: it may contain a password. */
  readonly shown: string;
  readonly #base: URL;
  readonly #agent: Agent;

  /** @throws TypeError when `url` is not an address. */
  constructor(url: string = process.env["WAYPOST_SERVER"] ?? HERE) {
    const base = URL.canParse(url) ? new URL(url) : undefined;
    if (base === undefined || !["http:", "https:"].includes(base.protocol)) {
      throw new TypeError(`not an address of a server such as ${HERE}`);
    }
    this.#base = base;
    this.shown = `${base.protocol}//${base.host}`;
    const options = { keepAlive: true, scheduling: "lifo" } as const;
    this.#agent = base.protocol === "https:" ? new SecureAgent(options) : new Agent(options);
  }

  /** Sends a request and reads the answer as a `T`. */
  async ask<T>(request: Request): Promise<T> {
    const { status, text } = await this.send(request);
    try {
      return JSON.parse(text) as T;
    } catch {
      throw refusal(status, text, this.shown);
    }
  }

  /** Sends a request; an answer that is a refusal is an error. */
  async send(request: Request): Promise<Answer> {
    let answer: Answer;
    try {
      answer = await this.#exchange(request);
    } catch (error) {
      if (!(error instanceof Cut) || !(request.isRepeatable ?? request.method === "GET")) {
        throw error instanceof Cut ? error.told : error;
      }
      answer = await this.#exchange(request).catch((again: unknown) => {
        throw again instanceof Cut ? again.told : again;
      });
    }
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw refusal(answer.status, answer.text, this.shown);
  }

  /** Closes connections that nobody uses. */
  close(): void {
    this.#agent.destroy();
  }

  #exchange(request: Request): Promise<Answer> {
    const { method, waitMs = 0, signal } = request;
    const body = written(request.body);
    const headers: Record<string, string | number> = { ...request.headers };
    if (body !== undefined) {
      headers["content-type"] = "application/json";
      headers["content-length"] = Buffer.byteLength(body);
    }
    const options = { ...this.#place(request), method, headers, agent: this.#agent };
    const open = this.#base.protocol === "https:" ? requestSecure : requestPlain;
    return new Promise((resolve, reject) => {
      const sent = open(options, (response) => {
        read(response).then(resolve, fail);
      });
      let hasConnected = sent.reusedSocket;
      const stop = (): void => void sent.destroy(new Error("it was not waited for"));
      const timer = setTimeout(() => sent.destroy(new Error("no answer in time")), ANSWER_MAX + waitMs);
      const fail = (error: Error): void => {
        const kind = hasConnected ? "interrupted" : "unreachable";
        const words = hasConnected ? "did not answer" : "cannot be reached";
        const facts = { kind, isRetryable: true, cause: error } as const;
        const told = new WaypostError(`${this.shown} ${words}: ${reason(error)}`, facts);
        // The server may close a connection just as it is used again.
        reject(sent.reusedSocket && code(error) === "ECONNRESET" ? new Cut(told) : told);
      };
      sent.on("socket", (socket) => {
        if (socket.connecting) socket.once("connect", () => (hasConnected = true));
        else hasConnected = true;
      });
      sent.on("error", fail);
      sent.on("close", () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
      });
      if (signal?.aborted) stop();
      else signal?.addEventListener("abort", stop, { once: true });
      sent.end(body);
    });
  }

  #place({ path, query }: Request): { hostname: string; port: string; path: string; auth?: string } {
    const { hostname, port, pathname, username, password } = this.#base;
    const base = pathname.replace(/\/+$/, "");
    const asked = new URLSearchParams();
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined) asked.set(name, String(value));
    }
    const text = asked.size > 0 ? `?${asked.toString()}` : "";
    const auth = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return {
      hostname: hostname.replace(/^\[|\]$/g, ""),
      port,
      path: `${base}/${path.map(encodeURIComponent).join("/")}${text}`,
      ...(auth === ":" ? {} : { auth }),
    };
  }
}

/** A connection that was used again was closed before an answer came. */
class Cut extends Error {
  constructor(readonly told: WaypostError) {
    super(told.message);
  }
}

function written(body: unknown): string | undefined {
  if (body === undefined) return undefined;
  return body instanceof Written ? body.text : JSON.stringify(body);
}

function read(response: IncomingMessage): Promise<Answer> {
  const { statusCode: status = 0, headers } = response;
  const pieces: Buffer[] = [];
  return new Promise((resolve, reject) => {
    response.on("data", (piece: Buffer) => pieces.push(piece));
    response.on("end", () => resolve({ status, headers, text: Buffer.concat(pieces).toString() }));
    response.on("error", reject);
  });
}

function code(error: Error): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

function reason(error: Error): string {
  // An attempt on several addresses of a host has one error for each, and no words of its own.
  return error.message || (code(error) ?? error.name);
}
