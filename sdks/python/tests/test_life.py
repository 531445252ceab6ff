"""Beginning and ending: signals, servers that go away, time that runs out."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

from fixture import PATIENCE, Served, environment, eventually, running

from waypost import FatalError, Job, JobWorker, Registry, StepRegistry, StepWorker, Task

PROGRAM = """
import asyncio, pathlib, sys, time
from waypost import JobWorker, Registry

url, job_type, kind, begun, go = sys.argv[1:]
registry = Registry()

def slow(job):
    pathlib.Path(begun).touch()
    while not pathlib.Path(go).exists():
        time.sleep(0.01)
    return {"finished": True}

async def slow_async(job):
    pathlib.Path(begun).touch()
    while not pathlib.Path(go).exists():
        await asyncio.sleep(0.01)
    return {"finished": True}

registry.register(job_type)(slow if kind == "run" else slow_async)
worker = JobWorker(url, registry, concurrency=1)
worker.run() if kind == "run" else asyncio.run(worker.run_async())
print("ended in good order", flush=True)
"""


class Life(Served):
    def program(self, name: str, kind: str, folder: str) -> subprocess.Popen[bytes]:
        paths = [f"{folder}/begun", f"{folder}/go"]
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, self.server.url, f"{name}-do", kind, *paths],
            stdout=subprocess.PIPE,
            env={**environment(), "PYTHONPATH": os.pathsep.join(sys.path)},
        )

    def test_a_program_that_is_asked_to_end_finishes_what_it_has_begun(self) -> None:
        name = self.process({"id": "do"})
        for kind in ("run", "run_async"):
            with self.subTest(kind=kind), tempfile.TemporaryDirectory() as folder:
                first, second = (self.client.processes.start(name).id for _ in range(2))
                program = self.program(name, kind, folder)
                eventually(lambda: pathlib.Path(folder, "begun").exists())
                program.send_signal(signal.SIGTERM)
                # It is still at it, and takes nothing more.
                with self.assertRaises(subprocess.TimeoutExpired):
                    program.wait(1)
                pathlib.Path(folder, "go").touch()
                said, _ = program.communicate(timeout=PATIENCE)
                self.assertEqual((program.returncode, said), (0, b"ended in good order\n"))
                seen = self.client.processes.show(first)
                self.assertEqual((seen.status, seen.variables), ("COMPLETED", {"finished": True}))
                (job,) = self.client.processes.poll("other", [f"{name}-do"])
                self.assertEqual(job.instance_id, second)
                self.client.processes.complete(job.id, "other")

    def test_a_program_that_is_asked_twice_ends_at_once(self) -> None:
        name = self.process({"id": "do"})
        with tempfile.TemporaryDirectory() as folder:
            instance = self.client.processes.start(name).id
            program = self.program(name, "run", folder)
            eventually(lambda: pathlib.Path(folder, "begun").exists())
            until = time.monotonic() + PATIENCE
            while program.poll() is None and time.monotonic() < until:
                program.send_signal(signal.SIGTERM)
                time.sleep(0.1)
            self.assertEqual(program.returncode, -signal.SIGTERM)
            program.communicate()
            self.assertEqual(self.client.processes.show(instance).status, "ACTIVE")

    def test_a_worker_without_work_ends_soon_and_takes_nothing_with_it(self) -> None:
        name = self.process({"id": "do"})
        registry = Registry()
        registry.register(f"{name}-do")(lambda job: None)
        worker = JobWorker(self.client, registry, wait=30)
        thread = threading.Thread(target=worker.run)
        thread.start()
        # A job that was done shows that it has begun to ask, and asks again.
        self.client.processes.wait(self.client.processes.start(name).id)
        began_at = time.monotonic()
        worker.stop()
        thread.join(PATIENCE)
        self.assertLess(time.monotonic() - began_at, 5)
        instance = self.client.processes.start(name).id
        (job,) = self.client.processes.poll("other", [f"{name}-do"], wait=5)
        self.assertEqual(job.instance_id, instance)

    def test_what_does_not_end_in_time_is_left_and_not_failed(self) -> None:
        name = self.process({"id": "do"})
        registry, go = Registry(), threading.Event()
        begun = threading.Event()

        @registry.register(f"{name}-do")
        def slow(job: Job) -> None:
            begun.set()
            go.wait(PATIENCE)

        instance = self.client.processes.start(name).id
        worker = JobWorker(self.client, registry, grace=0.2)
        thread = threading.Thread(target=worker.run)
        with self.assertLogs("waypost", "WARNING") as logged:
            thread.start()
            self.assertTrue(begun.wait(PATIENCE))
            worker.stop()
            thread.join(PATIENCE)
        go.set()
        self.assertIn("1 did not end in time", logged.output[0])
        self.assertEqual(self.client.processes.show(instance).status, "ACTIVE")

    def test_a_server_that_is_killed_in_the_middle_is_waited_for(self) -> None:
        name = self.process({"id": "one"}, {"id": "two"})
        self.client.chains.deploy(
            {"workflowType": name, "workflowVersion": 1, "steps": [{"stepType": "ONE"}] * 2}
        )
        registry, steps = Registry(), StepRegistry()
        n_done = 0

        @registry.register(f"{name}-one")
        def one(job: Job) -> dict[str, int]:
            nonlocal n_done
            time.sleep(0.005)
            n_done += 1
            return {"one": job.variables["n"]}

        @registry.register(f"{name}-two")
        async def two(job: Job) -> dict[str, int]:
            return {"two": job.variables["one"] + 1}

        @steps.register(name, "ONE")
        def step(task: Task) -> dict[str, int]:
            time.sleep(0.005)
            return {f"seen{task.step_seq}": task.context["n"]}

        processes, chains = self.client.processes, self.client.chains
        ids = [processes.start(name, {"n": n}).id for n in range(200)]
        others = [chains.start(name, {"n": n}).instance_id for n in range(50)]
        with running(
            JobWorker(self.server.url, registry, lease=5),
            StepWorker(self.server.url, steps, lease=2),
        ):
            for n_before in (20, 100):
                until, n_first = time.monotonic() + PATIENCE, n_before
                while n_done < n_first and time.monotonic() < until:
                    time.sleep(0.005)
                self.server.kill()
                time.sleep(0.3)
                self.server.start()
            for n, it in enumerate(ids):
                seen = processes.wait(it, PATIENCE)
                self.assertEqual(seen.status, "COMPLETED")
                self.assertEqual(seen.variables, {"n": n, "one": n, "two": n + 1})
            for n, it in enumerate(others):
                chain = chains.wait(it, PATIENCE)
                self.assertEqual(chain.context, {"n": n, "seen0": n, "seen1": n})

    def test_what_was_done_while_the_server_was_away_is_reported_when_it_is_back(self) -> None:
        name = self.process({"id": "do"})
        steps = [{"stepType": "DO"}]
        self.client.chains.deploy({"workflowType": name, "workflowVersion": 1, "steps": steps})
        registry, others = Registry(), StepRegistry()
        begun, go = threading.Semaphore(0), threading.Event()
        ran: list[str] = []

        def do(work: Job | Task) -> dict[str, bool]:
            ran.append(work["instanceId"])
            begun.release()
            go.wait(PATIENCE)
            if work.get("variables") == {"fail": True}:
                raise FatalError("no such street")
            return {"done": True}

        registry.register(f"{name}-do")(do)
        others.register(name, "DO")(do)
        processes, chains = self.client.processes, self.client.chains
        with running(JobWorker(self.server.url, registry), StepWorker(self.server.url, others)):
            ids = [processes.start(name).id for _ in range(3)]
            failing = processes.start(name, {"fail": True}).id
            chain = chains.start(name).instance_id
            for _ in range(5):
                self.assertTrue(begun.acquire(timeout=PATIENCE))
            self.server.kill()
            go.set()
            time.sleep(0.5)
            self.server.start()
            for it in ids:
                self.assertEqual(processes.wait(it, PATIENCE).variables, {"done": True})
            self.assertEqual(processes.wait(failing, PATIENCE).failure_reason, "no such street")
            self.assertEqual(chains.wait(chain, PATIENCE).context, {"done": True})
        self.assertEqual(sorted(ran), sorted([*ids, failing, chain]))

    def test_a_lease_outlives_a_server_that_is_away_for_a_moment(self) -> None:
        name = self.id().rsplit(".", 1)[-1]
        steps = [{"stepType": "DO"}]
        self.client.chains.deploy({"workflowType": name, "workflowVersion": 1, "steps": steps})
        registry = StepRegistry()
        begun, go = threading.Event(), threading.Event()
        ran: list[str] = []

        @registry.register(name, "DO")
        def do(task: Task) -> None:
            ran.append(task.lease_token)
            begun.set()
            go.wait(PATIENCE)

        with running(StepWorker(self.server.url, registry, lease=3.0)):
            chain = self.client.chains.start(name).instance_id
            self.assertTrue(begun.wait(PATIENCE))
            self.server.kill()
            time.sleep(1.5)
            self.server.start()
            # Longer than what was left of the lease.
            time.sleep(3)
            go.set()
            self.assertEqual(self.client.chains.wait(chain, PATIENCE).status, "COMPLETED")
        self.assertEqual(len(ran), 1)
