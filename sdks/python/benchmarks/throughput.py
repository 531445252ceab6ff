"""Measures how many jobs one worker does: throughput.py [--jobs N] [--async] URL.

Starts as many instances of a process with one step as there are jobs, and then has one worker do
them all. The server is somebody else's, for example:

    waypost serve --store sqlite:bench.db --log warn
"""

from __future__ import annotations

import argparse
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from waypost import Client, Job, JobWorker, Registry

DEFINITION: dict[str, Any] = {
    "id": "python-throughput",
    "name": "Throughput",
    "steps": [
        {"id": "do", "name": "Do", "type": "SERVICE_TASK", "jobType": "do", "nextStep": "end"},
        {"id": "end", "name": "End", "type": "END"},
    ],
}


def main() -> None:
    """Measure once."""
    parser = argparse.ArgumentParser()
    parser.add_argument("url", nargs="?", default="http://127.0.0.1:8080")
    parser.add_argument("--jobs", type=int, default=20_000)
    parser.add_argument("--concurrency", type=int, default=128)
    parser.add_argument("--async", dest="is_async", action="store_true")
    given = parser.parse_args()
    client = Client(given.url)
    client.processes.deploy(DEFINITION)
    with ThreadPoolExecutor(32) as starting:
        starts = (client.processes.start for _ in range(given.jobs))
        for _ in starting.map(lambda start: start(DEFINITION["id"], {"n": 1}), starts):
            pass
    done = threading.Semaphore(0)
    registry = Registry()

    def do(job: Job) -> dict[str, int]:
        done.release()
        return {"m": job.variables["n"] + 1}

    async def do_async(job: Job) -> dict[str, int]:
        return do(job)

    registry.register("do")(do_async if given.is_async else do)
    worker = JobWorker(client, registry, concurrency=given.concurrency)
    running = threading.Thread(target=worker.run)
    began_at = time.monotonic()
    running.start()
    for _ in range(given.jobs):
        done.acquire()
    worker.stop()
    running.join()
    took = time.monotonic() - began_at
    n_left = sum(1 for _ in client.processes.find(definition_id=DEFINITION["id"], status="ACTIVE"))
    kind = "coroutines" if given.is_async else "plain functions"
    print(f"{given.jobs / took:.0f} jobs/s, {kind}, {given.concurrency} at a time; {n_left} left")


main()
