// What trivial jobs cost.

import { Client, JobWorker } from "@waypost/worker";

/** How fast one worker was. */
export interface Measured {
  /** Instances started in a second, by one program. */
  started: number;
  /** Jobs done in a second. */
  done: number;
  /** How long this process computed for each job, in microseconds. */
  cost: number;
}

/** Starts so many instances of one job each, and has one worker do them. */
export async function measure(url: string, jobs: number, concurrency: number): Promise<Measured> {
  const client = new Client(url);
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
  const started = perSecond(jobs, startedAt);
  client.close();
  const stop = new AbortController();
  let count = 0;
  const worker = new JobWorker({ url, concurrency }).register("bench", () => {
    count += 1;
    if (count === jobs) stop.abort();
    return { done: true };
  });
  const [beganAt, before] = [performance.now(), process.cpuUsage()];
  await worker.run(stop.signal);
  const used = process.cpuUsage(before);
  return { started, done: perSecond(jobs, beganAt), cost: Math.round((used.user + used.system) / jobs) };
}

function perSecond(count: number, since: number): number {
  return Math.round(count / ((performance.now() - since) / 1_000));
}
