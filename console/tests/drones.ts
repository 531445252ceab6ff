// The drone survey of the examples: a program with lifecycles, which shows them to operators itself.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export class Drones {
  private constructor(
    readonly url: string,
    readonly folder: string,
    private readonly child: ChildProcess,
  ) {}

  /** Missions that wait until somebody has charged their drones. When all are over, so is the program. */
  static async start(missions = 3): Promise<Drones> {
    const program = process.env["WAYPOST_DRONES"];
    assert.ok(program, "WAYPOST_DRONES names no program");
    const folder = await mkdtemp(join(tmpdir(), "waypost-drones-"));
    const settings = ["--store", join(folder, "survey.db"), "--http", "127.0.0.1:0", "--missions", String(missions), "--pace", "50"];
    const child = spawn(program, settings, { stdio: ["ignore", "pipe", "inherit"] });
    const lines = createInterface(child.stdout);
    const url = await new Promise<string>((resolve) => {
      lines.on("line", (line) => line.startsWith("http://") && resolve(line)).once("close", () => resolve(""));
    });
    assert.notEqual(url, "", "the drones do not start");
    return new Drones(url, folder, child);
  }

  async stop(): Promise<void> {
    const isOver = this.child.exitCode !== null || this.child.signalCode !== null;
    const ended = isOver ? undefined : once(this.child, "exit");
    this.child.kill("SIGKILL");
    await ended;
    await rm(this.folder, { recursive: true, force: true });
  }

  /** What operators are told of a mission. */
  async mission(id: string): Promise<{ phase: string; battery: number; owner_org_id: string }> {
    const response = await fetch(`${this.url}/workflows/drone-survey/${id}`);
    return (await response.json()) as { phase: string; battery: number; owner_org_id: string };
  }
}
