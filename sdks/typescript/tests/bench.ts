// How many trivial jobs one worker does in a second: `npm run bench [JOBS] [CONCURRENCY]`.

import { measure } from "./measure.js";
import { Server } from "./server.js";

const [jobs, concurrency] = [Number(process.argv[2] ?? 20_000), Number(process.argv[3] ?? 64)];
const server = await Server.start();
try {
  const { started, done, cost } = await measure(server.url, jobs, concurrency);
  console.log(`${started} instances/s were started`);
  console.log(`${done} jobs/s were done, each for ${cost} µs of the worker's processor`);
} finally {
  await server.remove();
}
