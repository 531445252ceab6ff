// `waypost dev`, as a newcomer starts it.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Page } from "playwright-core";
import { waypost } from "../../sdks/typescript/tests/server.js";

/** Kills the server when our end of the pipe closes, which it does however we end. */
const GUARD = '"$@" & server=$!; exec >&- 2>/dev/null; cat >/dev/null; kill -KILL $server; wait $server';

export class Dev {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(): Promise<Dev> {
    const settings = ["dev", "--json", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"];
    const child = spawn("sh", ["-c", GUARD, "sh", waypost(), ...settings], { stdio: ["pipe", "pipe", "inherit"] });
    const line = await new Promise<string>((resolve) => {
      createInterface(child.stdout).once("line", resolve).once("close", () => resolve(""));
    });
    assert.notEqual(line, "", "the server does not start");
    return new Dev((JSON.parse(line) as { http: string }).http, child);
  }

  async stop(): Promise<void> {
    const ended = once(this.child, "exit");
    this.child.stdin?.end();
    await ended;
  }

  async get<T>(path: string): Promise<T> {
    return (await (await fetch(this.url + path)).json()) as T;
  }

  /** Waits until something is so. */
  async until<T>(look: () => Promise<T | undefined>, patience = 120_000): Promise<T> {
    for (const end = Date.now() + patience; Date.now() < end; ) {
      const found = await look();
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    throw new Error(`not so within ${patience} ms`);
  }

  /** Processes that have failed, newest first. */
  async failed(): Promise<Failed[]> {
    return (await this.get<{ items: Failed[] }>("/v1/instances?status=FAILED&pageSize=50")).items;
  }
}

export interface Failed {
  id: string;
  definitionId: string;
  failureReason?: string;
  currentStepIds: string[];
}

/** What mends a failure, by what it says; nothing has to be changed for the others. */
const REPAIRS: [RegExp, object][] = [[/account/, { account: "DE89370400440532013000" }]];

export function repair(reason: string): string {
  const found = REPAIRS.find(([says]) => says.test(reason));
  return found === undefined ? "" : JSON.stringify(found[1], null, 2);
}

/** Presses what tries a failed process again, and enters what mends it. */
export async function retry(page: Page, reason: string): Promise<void> {
  await page.getByRole("button", { name: /^Retry/ }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: /^Variables/ }).fill(repair(reason));
}
