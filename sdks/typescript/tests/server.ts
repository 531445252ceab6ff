// The `waypost` program as its users have it: served from, killed, started again.

import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

/** Kills the server when our end of the pipe closes, which it does however we end. */
const GUARD = '"$@" & server=$!; exec >&- 2>/dev/null; cat >/dev/null; kill -KILL $server; wait $server';

/** A server with a store of its own, which stays when it is killed. */
export class Server {
  url = "";
  grpc = "";
  #child: ChildProcess | undefined;

  private constructor(readonly folder: string) {}

  /** Starts one that is set as `config` says, the text of a `waypost.toml`. */
  static async start(config = ""): Promise<Server> {
    const server = new Server(await mkdtemp(join(tmpdir(), "waypost-ts-")));
    if (config !== "") await writeFile(join(server.folder, "waypost.toml"), config);
    await server.again();
    return server;
  }

  /** Starts it, on the ports it had before if it has run before. */
  async again(): Promise<void> {
    const program = waypost();
    const places = [place("--http", this.url), place("--grpc", this.grpc)].flat();
    const settings = ["serve", "--json", "--log", "error", "--store", "sqlite:test.db"];
    const isForeign = (name: string): boolean => /^(WAYPOST|WE|CYODA)_/.test(name);
    const kept = Object.entries(process.env).filter(([name]) => !isForeign(name));
    this.#child = spawn("sh", ["-c", GUARD, "sh", program, ...settings, ...places], {
      cwd: this.folder,
      env: Object.fromEntries(kept),
      stdio: ["pipe", "pipe", "inherit"],
    });
    assert.ok(this.#child.stdout);
    const lines = createInterface(this.#child.stdout);
    const line = await new Promise<string>((resolve) => {
      lines.once("line", resolve).once("close", () => resolve(""));
    });
    assert.notEqual(line, "", "the server does not start");
    const said = JSON.parse(line) as { http: string; grpc: string };
    this.url = said.http;
    this.grpc = said.grpc;
  }

  /** Ends it at once, as a power failure would. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.stdin?.end();
    await ended;
  }

  /** Ends it and forgets what it knew. */
  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The path of the program. */
export function waypost(): string {
  const program = process.env["WAYPOST_BIN"];
  assert.ok(program, "WAYPOST_BIN names no program");
  return resolve(program);
}

function place(option: string, url: string): string[] {
  return [option, url === "" ? "127.0.0.1:0" : url.replace(/^.*\/\//, "")];
}
