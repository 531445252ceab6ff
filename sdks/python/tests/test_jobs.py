"""Workers of processes against the real server."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from typing import Any

from fixture import PATIENCE, Served, eventually, running

from waypost import (
    CallbackResult,
    FatalError,
    Instance,
    Job,
    JobWorker,
    Registry,
    RetryableError,
)


class Jobs(Served):
    def start(self, name: str, **variables: Any) -> str:
        return self.client.processes.start(name, variables).id

    def ended(self, instance_id: str) -> Instance:
        return self.client.processes.wait(instance_id, PATIENCE)

    def test_plain_functions_and_coroutines_do_the_jobs_of_a_process(self) -> None:
        name = self.process({"id": "price"}, {"id": "ship"})
        registry = Registry()
        seen: list[Job] = []

        @registry.register(f"{name}-price")
        def price(ctx: Job) -> dict[str, Any]:
            seen.append(ctx)
            return {"total": ctx["variables"]["items"] * 450, "by": {"price": True}}

        @registry.register(f"{name}-ship")
        async def ship(ctx: Job) -> dict[str, Any]:
            await asyncio.sleep(0)
            return {"by": {"ship": ctx.variables["total"]}}

        with running(JobWorker(self.client, registry, name="w-1")):
            instance = self.ended(self.start(name, items=3))
        self.assertEqual(instance.status, "COMPLETED")
        by = {"price": True, "ship": 1350}
        self.assertEqual(instance.variables, {"items": 3, "total": 1350, "by": by})
        (job,) = seen
        self.assertEqual((job.instance_id, job.step_id), (instance.id, "price"))
        self.assertEqual((job.worker_id, job.retries_remaining), ("w-1", 0))
        self.assertEqual(job["stepExecutionId"], job.step_execution_id)
        assert job.lock_expires_at is not None and job.locked_at is not None
        held = (job.lock_expires_at - job.locked_at).total_seconds()
        self.assertAlmostEqual(held, 30, delta=1)

    def test_a_function_that_fails_is_tried_again_until_it_does_not(self) -> None:
        name = self.process({"id": "charge", "retryCount": 2})
        registry = Registry()
        left: list[int] = []
        visits: set[str] = set()

        @registry.register(f"{name}-charge")
        def charge(job: Job) -> None:
            left.append(job.retries_remaining)
            visits.add(job.step_execution_id)
            if len(left) == 1:
                raise RetryableError("the bank is away")
            if len(left) == 2:
                raise SystemExit(3)

        with running(JobWorker(self.client, registry)):
            self.assertEqual(self.ended(self.start(name)).status, "COMPLETED")
        self.assertEqual(left, [2, 1, 0])
        self.assertEqual(len(visits), 1)

    def test_what_fails_too_often_or_for_good_fails_the_instance(self) -> None:
        name = self.process({"id": "do", "retryCount": 3})
        attempts: list[str] = []
        failures: dict[str, Any] = {
            "often": ValueError("no such street"),
            "fatal": FatalError("items is missing"),
            "list": [1],
            "unsayable": {"at": object()},
            "nan": {"x": float("nan")},
            "half": {"x": "\ud800"},
        }

        def do(job: Job) -> Any:
            attempts.append(job.variables["how"])
            how = failures[job.variables["how"]]
            if isinstance(how, Exception):
                raise how
            return how

        async def do_async(job: Job) -> Any:
            return do(job)

        expected = {
            "often": (4, "ValueError: no such street"),
            "fatal": (1, "items is missing"),
            "list": (1, "what the function returned is no mapping of variables: list"),
            "unsayable": (1, "is not JSON: Object of type object"),
            "nan": (1, "is not JSON: Out of range float"),
            # JSON can say it, but no server reads it.
            "half": (4, "BODY_INVALID"),
        }
        for kind in (do, do_async):
            registry = Registry()
            registry.register(f"{name}-do")(kind)
            attempts.clear()
            with running(JobWorker(self.client, registry)):
                ids = {how: self.start(name, how=how) for how in failures}
                for how, (n_attempts, reason) in expected.items():
                    with self.subTest(how=how, kind=kind.__name__):
                        instance = self.ended(ids[how])
                        self.assertEqual(instance.status, "FAILED")
                        self.assertIn(reason, instance.failure_reason or "")
                        self.assertEqual(attempts.count(how), n_attempts)

    def test_a_job_that_nobody_can_do_fails_and_says_so(self) -> None:
        name = self.process({"id": "do", "retryCount": 3})

        class Forgetful(Registry):
            def function(self, job_type: str) -> None:
                return None

        registry = Forgetful()
        registry.register(f"{name}-do")(print)
        with running(JobWorker(self.client, registry)):
            instance = self.ended(self.start(name))
        self.assertEqual(instance.failure_reason, f"no function for {name}-do")

    def test_no_more_runs_at_a_time_than_was_said(self) -> None:
        name = self.process({"id": "do"})
        registry = Registry()
        now, most = 0, 0

        @registry.register(f"{name}-do")
        async def do(job: Job) -> None:
            nonlocal now, most
            now += 1
            most = max(most, now)
            await asyncio.sleep(job.variables["n"] % 5 * 0.02)
            now -= 1

        ids = [self.start(name, n=n) for n in range(40)]
        with running(JobWorker(self.client, registry, concurrency=5)):
            for it in ids:
                self.assertEqual(self.ended(it).status, "COMPLETED")
        self.assertEqual(most, 5)

    def test_what_is_done_at_the_same_time_is_reported_together(self) -> None:
        name = self.process(
            {"id": "do", "outputs_schema": {"properties": {"n": {"type": "number"}}}}
        )
        registry = Registry()
        together = threading.Barrier(20)

        @registry.register(f"{name}-do")
        def do(job: Job) -> dict[str, Any]:
            together.wait(PATIENCE)
            return {"n": job.variables["n"]}

        worker = JobWorker(self.client, registry, concurrency=20)
        sizes: list[int] = []
        complete = self.client.processes.complete_encoded

        def counted(worker_id: str, done: list[bytes]) -> list[CallbackResult]:
            sizes.append(len(done))
            # One of them meets a server that is busy just then, and is sent again.
            unlucky = json.loads(done[-1])["id"]
            busy = CallbackResult(id=unlucky, accepted=False, error="somebody was faster")
            return [*complete(worker_id, done[:-1]), busy]

        self.client.processes.complete_encoded = counted  # type: ignore[method-assign, assignment]
        self.addCleanup(self.client.processes.__dict__.pop, "complete_encoded")
        ids = [self.start(name, n=n) for n in range(38)]
        # What is wrong with some is no harm to their neighbors.
        wrong = [self.start(name, n="many"), self.start(name, n="\\ud800")]
        with running(worker):
            self.assertEqual({self.ended(it).status for it in ids}, {"COMPLETED"})
            for it in wrong:
                self.assertIn("schema violation", self.ended(it).failure_reason or "")
        self.assertGreater(max(sizes), 1)

    def test_a_request_that_is_refused_as_a_whole_is_sent_in_parts(self) -> None:
        name = self.process({"id": "do", "retryCount": 1})
        registry = Registry()
        together = threading.Barrier(20)

        @registry.register(f"{name}-do")
        def do(job: Job) -> dict[str, Any]:
            if job.retries_remaining:
                together.wait(PATIENCE)
            return {"text": job.variables.get("text", "\ud800")}

        ids = [self.start(name, text="x") for _ in range(18)]
        wrong = [self.start(name), self.start(name)]
        with running(JobWorker(self.client, registry, concurrency=20)):
            self.assertEqual({self.ended(it).status for it in ids}, {"COMPLETED"})
            for it in wrong:
                self.assertIn("BODY_INVALID", self.ended(it).failure_reason or "")

    def test_long_functions_keep_their_leases(self) -> None:
        name = self.process({"id": "plain"})
        other = self.process({"id": "coroutine"}, id=f"{name}-2")
        registry = Registry()
        begun: list[str] = []

        @registry.register(f"{name}-plain")
        def plain(job: Job) -> None:
            begun.append(job.step_id)
            time.sleep(6)

        @registry.register(f"{name}-coroutine")
        async def coroutine(job: Job) -> None:
            begun.append(job.step_id)
            # It holds up its own loop; leases are kept elsewhere.
            time.sleep(6)

        with running(JobWorker(self.client, registry, lease=5)):
            ids = [self.start(name), self.start(other)]
            self.assertEqual([self.ended(it).status for it in ids], ["COMPLETED"] * 2)
        self.assertEqual(sorted(begun), ["coroutine", "plain"])

    def test_what_is_not_ours_any_more_is_dropped(self) -> None:
        name = self.process({"id": "plain"})
        registry = Registry()
        heard: list[str] = []
        begun = threading.Semaphore(0)

        @registry.register(f"{name}-plain")
        async def coroutine(job: Job) -> None:
            begun.release()
            try:
                await asyncio.sleep(PATIENCE)
            except asyncio.CancelledError:
                heard.append("coroutine")
                raise

        plain = Registry()

        @plain.register(f"{name}-plain")
        def function(job: Job) -> dict[str, Any]:
            begun.release()
            eventually(lambda: job.is_lost)
            heard.append("plain")
            return {"too": "late"}

        for functions in (registry, plain):
            instance = self.start(name)
            with running(JobWorker(self.client, functions, lease=5)):
                begun.acquire(timeout=PATIENCE)
                self.client.processes.cancel(instance)
                with self.assertLogs("waypost", "WARNING") as logged:
                    eventually(lambda: len(heard), 1 if functions is registry else 2)
            self.assertIn("LEASE_LOST", logged.output[0])
            self.assertEqual(self.client.processes.show(instance).variables, {})
        self.assertEqual(heard, ["coroutine", "plain"])

    def test_a_report_that_comes_too_late_is_noticed(self) -> None:
        name = self.process({"id": "do"})
        registry = Registry()

        @registry.register(f"{name}-do")
        def do(job: Job) -> dict[str, Any]:
            processes = self.client.processes
            self.assertTrue(processes.complete(job.id, job.worker_id, {"first": True}))
            self.assertFalse(processes.complete(job.id, job.worker_id, {"second": True}))
            self.assertFalse(processes.fail(job.id, job.worker_id, "third", retryable=True))
            return {"fourth": True}

        with self.assertLogs("waypost", "WARNING") as logged:
            instance = self.start(name)
            self.assertEqual(JobWorker(self.client, registry).run_once(), 1)
        self.assertIn("came too late", logged.output[0])
        self.assertEqual(self.client.processes.show(instance).variables, {"first": True})

    def test_a_worker_that_looks_once_says_how_much_there_was(self) -> None:
        name = self.process({"id": "do"})
        registry = Registry()
        registry.register(f"{name}-do")(lambda job: {"done": True})
        worker = JobWorker(self.client, registry, concurrency=2)
        ids = [self.start(name) for _ in range(3)]
        self.assertEqual([worker.run_once() for _ in range(3)], [2, 1, 0])
        self.assertEqual({self.ended(it).status for it in ids}, {"COMPLETED"})

    def test_a_worker_on_a_loop_runs_coroutines_there_and_ends_when_it_is_canceled(self) -> None:
        name = self.process({"id": "plain"}, {"id": "coroutine"})
        registry = Registry()
        begun = threading.Event()
        loops: list[object] = []

        @registry.register(f"{name}-plain")
        def plain(job: Job) -> None:
            return None

        @registry.register(f"{name}-coroutine")
        async def coroutine(job: Job) -> dict[str, Any]:
            loops.append(asyncio.get_running_loop())
            begun.set()
            await asyncio.sleep(0.3)
            return {"finished": True}

        instance = self.start(name)

        async def main() -> None:
            working = asyncio.create_task(JobWorker(self.client, registry).run_async())
            await asyncio.to_thread(begun.wait, PATIENCE)
            self.assertIs(loops[0], asyncio.get_running_loop())
            working.cancel()
            await asyncio.wait([working])
            self.assertTrue(working.cancelled())

        asyncio.run(main())
        seen = self.client.processes.show(instance)
        self.assertEqual((seen.status, seen.variables), ("COMPLETED", {"finished": True}))

    def test_a_worker_on_a_loop_can_be_told_to_stop(self) -> None:
        name = self.process({"id": "do"})
        registry = Registry()

        @registry.register(f"{name}-do")
        async def do(job: Job) -> dict[str, Any]:
            stopping.stop()
            return {"done": True}

        stopping = JobWorker(self.client, registry)
        instance = self.start(name)
        asyncio.run(asyncio.wait_for(stopping.run_async(), PATIENCE))
        self.assertEqual(self.client.processes.show(instance).status, "COMPLETED")

    def test_what_cannot_work_is_refused_at_once(self) -> None:
        registry = Registry()
        with self.assertRaisesRegex(ValueError, "needs a function"):
            JobWorker(self.client, registry)
        registry.register("a")(print)
        with self.assertRaisesRegex(ValueError, "a has two functions"):
            registry.register("a")(print)
        with self.assertRaisesRegex(ValueError, "concurrency must be at least 1"):
            JobWorker(self.client, registry, concurrency=0)
        with self.assertRaisesRegex(TypeError, "no option concurency, waite"):
            JobWorker(self.client, registry, concurency=1, waite=1)  # type: ignore[call-arg]
        with self.assertRaisesRegex(ValueError, "is not an address"):
            JobWorker("localhost:8080", registry)
        self.assertEqual(JobWorker(self.client, registry, lease=1).lease, 5)
        self.assertEqual(JobWorker(self.client, registry, lease=90_000).lease, 3600)
