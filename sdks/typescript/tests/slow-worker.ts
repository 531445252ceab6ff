// A program of its own for the test that sends it a signal: one job at a time, each takes as long as is said.

import { setTimeout as sleep } from "node:timers/promises";

import { JobWorker } from "@waypost/worker";

const worker = new JobWorker({ concurrency: 1 });
worker.register("slow", async () => {
  console.log("begun");
  await sleep(Number(process.argv[2]));
  return { slow: true };
});
await worker.run();
console.log("ended");
