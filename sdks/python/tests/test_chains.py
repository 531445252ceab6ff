"""Workers of chains against the real server."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

from fixture import PATIENCE, Served, eventually, running

from waypost import (
    Chain,
    Completed,
    Event,
    FatalError,
    RefusedError,
    RetryableError,
    StepRegistry,
    StepWorker,
    Task,
    Waiting,
)


class Steps(Served):
    def chain(self, *step_types: str, attempts: int = 3) -> str:
        """Deploy a line of steps named after this test, so that no other has them."""
        name = self.id().rsplit(".", 1)[-1]
        steps = [{"stepType": it, "maxAttempts": attempts} for it in step_types]
        self.client.chains.deploy({"workflowType": name, "workflowVersion": 1, "steps": steps})
        return name

    def ended(self, chain: Chain) -> Chain:
        return self.client.chains.wait(chain.instance_id, PATIENCE)

    def test_a_chain_is_worked_off_and_waits_for_what_it_needs(self) -> None:
        name = self.chain("VALIDATE", "PAY", "REMIND", "SHIP")
        registry = StepRegistry()
        wakes: list[Any] = []

        @registry.register(name, "VALIDATE")
        def validate(task: Task) -> dict[str, Any]:
            return {"valid": task["context"]["amount"] > 0, "draft": None}

        @registry.register(name, "PAY")
        async def pay(task: Task) -> Completed | Waiting:
            if task.wake is None:
                return Waiting("PAID", timeout=3600, patch={"asked": True})
            wakes.append((task.wake.event_id, task.wake.payload))
            return Completed({"paid": True}, (Event("Paid", {"by": task.biz_key}),))

        @registry.register(name, "REMIND")
        def remind(task: Task) -> Completed | Waiting:
            if task.is_timeout:
                return Completed(patch={"reminded": True})
            return Waiting("ANSWERED", timeout=0.05)

        @registry.register(name, "SHIP")
        def ship(task: Task) -> None:
            return None

        with running(StepWorker(self.client, registry)):
            context = {"amount": 12, "draft": True}
            chain = self.client.chains.start(name, context, biz_key="o-1")
            show = self.client.chains.show
            eventually(lambda: show(chain.instance_id).steps[1].waiting_event_type, "PAID")
            signal = self.client.chains.signal
            said = [
                signal(chain.instance_id, "PAID", {"by": "card"}, event_id="e-1") for _ in range(2)
            ]
            seen = self.ended(chain)
        self.assertEqual(said, ["WOKEN", "DUPLICATE"])
        self.assertEqual(wakes, [("e-1", {"by": "card"})])
        self.assertEqual(seen.status, "COMPLETED")
        known = {"amount": 12, "valid": True, "asked": True, "paid": True, "reminded": True}
        self.assertEqual(seen.context, known)
        (found,) = self.client.chains.find(workflow_type=name, biz_key="o-1")
        self.assertEqual(found.instance_id, chain.instance_id)

    def test_what_fails_is_tried_again_or_given_up(self) -> None:
        name = self.chain("DO", attempts=3)
        registry = StepRegistry()
        attempts: list[str] = []
        failures: dict[str, Any] = {
            "often": lambda: RetryableError("the bank is away", after=0.01),
            "fatal": lambda: FatalError("no such street"),
        }

        @registry.register(name, "DO")
        def do(task: Task) -> None:
            attempts.append(task.context["how"])
            raise failures[task.context["how"]]()

        with running(StepWorker(self.client, registry)):
            chains = {how: self.client.chains.start(name, {"how": how}) for how in failures}
            for how, n_attempts, error in [
                ("often", 3, "the bank is away"),
                ("fatal", 1, "no such street"),
            ]:
                seen = self.ended(chains[how])
                self.assertEqual((seen.status, seen.steps[0].last_error), ("FAILED", error))
                self.assertEqual(attempts.count(how), n_attempts)

    def test_what_cannot_be_said_is_a_failure_of_the_step(self) -> None:
        name = self.chain("DO", attempts=1)
        registry = StepRegistry()
        said: dict[str, Any] = {
            "list": [1],
            "unsayable": {"at": object()},
            "nothing": Waiting(""),
        }
        registry.register(name, "DO")(lambda task: said[task.context["how"]])
        with running(StepWorker(self.client, registry)):
            chains = {how: self.client.chains.start(name, {"how": how}) for how in said}
            for how, error in [
                ("list", "a list is neither a mapping nor a result"),
                ("unsayable", "Object of type object is not JSON serializable"),
                ("nothing", "waitingEventType"),
            ]:
                with self.subTest(how=how):
                    self.assertIn(error, self.ended(chains[how]).steps[0].last_error or "")

    def test_a_step_without_a_function_is_left_for_others(self) -> None:
        name = self.chain("DO", attempts=1)
        registry = StepRegistry()
        # The server is asked for types of chains and types of steps, not for pairs.
        registry.register(name, "OTHER")(print)
        registry.register("another", "DO")(print)
        with running(StepWorker(self.client, registry)):
            seen = self.ended(self.client.chains.start(name))
        self.assertEqual(seen.steps[0].last_error, f"NO_HANDLER: {name}/DO")

    def test_long_steps_keep_their_leases(self) -> None:
        name = self.chain("PLAIN", "COROUTINE")
        registry = StepRegistry()
        begun: list[str] = []

        @registry.register(name, "PLAIN")
        def plain(task: Task) -> None:
            begun.append(task.step_type)
            time.sleep(4)

        @registry.register(name, "COROUTINE")
        async def coroutine(task: Task) -> None:
            begun.append(task.step_type)
            await asyncio.sleep(4)

        with running(StepWorker(self.client, registry, lease=3.0)):
            self.assertEqual(self.ended(self.client.chains.start(name)).status, "COMPLETED")
        self.assertEqual(begun, ["PLAIN", "COROUTINE"])

    def test_a_step_that_is_not_ours_any_more_is_dropped(self) -> None:
        name = self.chain("DO")
        registry = StepRegistry()
        begun, dropped = threading.Event(), threading.Event()

        @registry.register(name, "DO")
        async def do(task: Task) -> None:
            begun.set()
            try:
                await asyncio.sleep(PATIENCE)
            finally:
                dropped.set()

        with running(StepWorker(self.client, registry, lease=1.0)):
            chain = self.client.chains.start(name)
            self.assertTrue(begun.wait(PATIENCE))
            self.client.chains.cancel(chain.instance_id, "ordered twice")
            self.assertTrue(dropped.wait(PATIENCE))
        self.assertEqual(self.client.chains.show(chain.instance_id).cancel_reason, "ordered twice")

    def test_a_step_that_was_not_begun_is_given_back(self) -> None:
        name = self.chain("DO")
        registry = StepRegistry()
        registry.register(name, "DO")(print)
        worker = StepWorker(self.client, registry)
        self.client.chains.start(name)
        shift = worker._prepare(None)
        shift._stopping.set()
        connection = self.client.connection()
        self.addCleanup(connection.close)
        claimed = worker.claim(connection, 1, 1.0)
        shift._begin(claimed)
        (again,) = worker.claim(connection, 1, 1.0)
        self.assertEqual((again.step_seq, again.attempts), (0, 0))
        self.assertNotEqual(again.lease_token, claimed[0].lease_token)
        with self.assertRaises(RefusedError) as refused:
            self.client.chains.renew(claimed[0].lease_token, worker.name)
        self.assertEqual(refused.exception.code, "LEASE_LOST")
        self.assertFalse(refused.exception.retryable)
