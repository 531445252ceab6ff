// How many trivial jobs one worker does in a second: `npm run bench [JOBS] [CONCURRENCY]`.

import { Client, JobWorker } from "@waypost/worker";

import { Server } from "./server.js";

const [jobs, concurrency] = [Number(process.argv[2] ?? 20_000), Number(process.argv[3] ?? 256)];
const server = await Server.start();
try {
  const client = new Client(server.url);
  await client.processes.upload({
    id: "bench",
    name: "Bench",
    steps: [
      { id: "do", name: "Do", type: "SERVICE_TASK", jobType: "bench", nextStep: "end" },
      { id: "end", name: "End", type: "END" },
    ],
  });
  let left = jobs;
  const starter = async (): Promise<void> => {
    while (left-- > 0) await client.processes.start({ definitionId: "bench", variables: { n: left } });
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: 64 }, starter));
  console.log(`started ${perSecond(jobs, startedAt)} instances/s`);
  const stop = new AbortController();
  let done = 0;
  const worker = new JobWorker({ url: server.url, concurrency });
  worker.register("bench", () => {
    if (++done === jobs) stop.abort();
    return { done: true };
  });
  const [beganAt, before] = [performance.now(), process.cpuUsage()];
  await worker.run(stop.signal);
  const used = process.cpuUsage(before);
  const each = Math.round((used.user + used.system) / jobs);
  console.log(`completed ${perSecond(jobs, beganAt)} jobs/s, ${each} µs of this process for each`);
  client.close();
} finally {
  await server.remove();
}

function perSecond(count: number, since: number): string {
  return Math.round(count / ((performance.now() - since) / 1_000)).toString();
}
