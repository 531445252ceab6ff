// What the tests share: a server, a client, workers that stop, and things that come true.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { Client, type Notice, type Process } from "@waypost/worker";

import { Server } from "./server.js";

/** How long something may take to come true. Machines that build at the same time are slow. */
const PATIENCE = 60_000;

/** A server and a client of it, for all tests of a file. */
export class World {
  server!: Server;
  client!: Client;

  constructor() {
    before(async () => {
      this.server = await Server.start();
      this.client = new Client(this.server.url);
    });
    after(async () => {
      this.client.close();
      await this.server.remove();
    });
  }

  get url(): string {
    return this.server.url;
  }

  /** Where the server speaks gRPC. */
  get grpc(): string {
    return `http://${this.server.grpc.replace(/^.*\/\//, "")}`;
  }

  /** Waits until an instance has ended, and shows it. */
  async ended(id: string): Promise<Process> {
    return eventually(`${id} ends`, async () => {
      const seen = await this.client.processes.show(id);
      return ["COMPLETED", "FAILED", "CANCELLED"].includes(seen.status) ? seen : undefined;
    });
  }

  /** Deploys a process of jobs in a line, one for each type, and an end. */
  async deploy(id: string, jobTypes: string[], more: object = {}): Promise<void> {
    const steps = jobTypes.map((jobType, at) => {
      const nextStep = jobTypes[at + 1] ?? "end";
      return { id: jobType, name: jobType, type: "SERVICE_TASK", jobType, nextStep, ...more };
    });
    const end = { id: "end", name: "End", type: "END" };
    await this.client.processes.upload({ id, name: id, steps: [...steps, end] });
  }
}

/** Asks again and again until there is an answer. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const deadline = performance.now() + PATIENCE;
  while (performance.now() < deadline) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    await sleep(20);
  }
  return assert.fail(`it does not come true: ${what}`);
}

/** Runs a worker beside `body`, and has it stop afterwards. */
export async function during<T>(
  worker: { run(signal: AbortSignal): Promise<void> },
  body: () => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const running = worker.run(stop.signal);
  try {
    return await body();
  } finally {
    stop.abort();
    await running;
  }
}

/** Keeps notices instead of printing them. */
export class Heard {
  readonly notices: Notice[] = [];
  readonly onNotice = (notice: Notice): void => void this.notices.push(notice);

  kinds(): string[] {
    return this.notices.map((it) => it.kind);
  }

  first<K extends Notice["kind"]>(kind: K): Extract<Notice, { kind: K }> | undefined {
    return this.notices.find((it): it is Extract<Notice, { kind: K }> => it.kind === kind);
  }
}

/** A promise, and the way to fulfil it. */
export class Gate {
  open!: () => void;
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
}
