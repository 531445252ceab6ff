import assert from "node:assert/strict";
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { measure } from "./measure.js";
import { waypost } from "./server.js";
import { World } from "./world.js";

const world = new World();

/** The folder of the package; built files lie two folders deeper. */
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

test("a program that gets SIGTERM finishes what it has begun and ends well", async () => {
  await world.deploy("slow", ["slow"]);
  const first = await world.client.processes.start({ definitionId: "slow" });
  const second = await world.client.processes.start({ definitionId: "slow" });
  const { program, lines } = await begun(300);
  program.kill("SIGTERM");
  const [code] = (await once(program, "exit")) as [number];
  assert.deepEqual([code, lines], [0, ["begun", "ended"]]);
  assert.equal((await world.client.processes.show(first.id)).status, "COMPLETED");
  assert.equal((await world.client.processes.show(second.id)).status, "ACTIVE");
});

test("a program that gets a second signal ends at once", async () => {
  await world.deploy("slow", ["slow"]);
  await world.client.processes.start({ definitionId: "slow" });
  const { program } = await begun(60_000);
  const ended = once(program, "exit");
  const toldAt = performance.now();
  // One signal may swallow another that comes too soon after it.
  const sending = setInterval(() => program.kill("SIGTERM"), 100);
  const [code, signal] = (await ended) as [number | null, string | null];
  clearInterval(sending);
  assert.deepEqual([code, signal], [null, "SIGTERM"]);
  // After twenty seconds it would have given up by itself.
  assert.ok(performance.now() - toldAt < 15_000);
});

/** A worker of its own that has begun a job, which takes so long; and what it says. */
async function begun(milliseconds: number): Promise<{ program: ChildProcess; lines: string[] }> {
  const file = fileURLToPath(new URL("slow-worker.js", import.meta.url));
  const program = spawn(process.execPath, [file, String(milliseconds)], {
    env: { ...process.env, WAYPOST_SERVER: world.url },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  const said = createInterface(program.stdout).on("line", (line) => lines.push(line));
  await once(said, "line");
  return { program, lines };
}

test("a worker has the time for four thousand jobs a second", async (context) => {
  const { done, cost } = await measure(world.url, 2_000, 64);
  context.diagnostic(`${done} jobs/s, ${cost} µs for each`);
  // How fast it goes is up to the server, and whoever else uses the machine; what it costs is ours.
  assert.ok(cost <= 250, `${cost} µs`);
});

test("what the README says to type does what it says", async () => {
  const text = await readFile(join(ROOT, "README.md"), "utf8");
  const blocks = [...text.matchAll(/^```(sh|js)\n(.*?)^```$/gms)].map(([, language, block = ""]) => {
    const name = /^\/\/ (\S+\.mjs)$/m.exec(block)?.[1];
    return language === "sh" ? block : `cat > ${name} <<'SCRIPT'\n${block}SCRIPT\n`;
  });
  assert.equal(blocks.length, 9);
  const folder = await mkdtemp(join(tmpdir(), "waypost-readme-"));
  try {
    for (const [place, target] of [
      ["bin/waypost", waypost()],
      ["node_modules/@waypost/worker", ROOT],
    ] as const) {
      await mkdir(join(folder, place, ".."), { recursive: true });
      await symlink(target, join(folder, place));
    }
    // However it ends, nothing of it goes on.
    const script = ["trap 'kill $(jobs -p) 2>/dev/null || true' EXIT", ...blocks].join("\n");
    const shell = ["120", "bash", "-euo", "pipefail", "-c", script];
    const { stdout } = await promisify(execFile)("timeout", shell, {
      cwd: folder,
      env: {
        PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
        NO_COLOR: "1",
        WAYPOST_SERVER: world.url,
        WAYPOST_GRPC_URL: world.grpc,
      },
    });
    for (const told of ["total", "1350", "paidBy", "BUFFERED", "RESERVED"]) {
      assert.ok(stdout.includes(told), `${told} is not in\n${stdout}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
