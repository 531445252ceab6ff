"""Compute nodes of entities against the real server. Needs gRPC."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import threading
import time
import unittest
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

from fixture import PATIENCE, Served, eventually

from waypost import FatalError, RetryableError

if importlib.util.find_spec("grpc") is None:
    raise unittest.SkipTest("grpcio is not installed")

from waypost._cloudevents import CloudEvent
from waypost._crew import Crew
from waypost._stream import Stream
from waypost.compute import Functions, Node, Question

# No proxy knows better where this machine is.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Compute(Served):
    def ask(self, method: str, path: str, body: Any = None, ticket: str = "") -> tuple[int, str]:
        request = urllib.request.Request(f"{self.server.url}/api{path}", method=method)
        if body is not None:
            request.data = (body if isinstance(body, str) else json.dumps(body)).encode()
        if ticket:
            request.add_header("X-Tx-Token", ticket)
        try:
            with OPENER.open(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def setUp(self) -> None:
        """A model whose entities go where their kind says, past the processor of that name."""
        self.model = self.id().rsplit(".", 1)[-1].replace("_", "")[:60]
        sample = {"kind": "x", "items": 1, "price": 1.5}
        states: dict[str, Any] = {"NEW": {"transitions": []}, "DONE": {}, "LARGE": {}}
        for kind in ("price", "notify", "fail", "retry", "list", "slow", "call", "nobody"):
            states["NEW"]["transitions"].append(self.way(kind))
        large = {"name": "is-large", "config": {"calculationNodesTags": self.model}}
        states["DONE"] = {
            "transitions": [
                {
                    "name": "LARGE",
                    "next": "LARGE",
                    "criterion": {"type": "function", "function": large},
                }
            ]
        }
        workflow = {"version": "1", "name": "w", "initialState": "NEW", "states": states}
        for method, path, body in [
            ("POST", f"/model/import/JSON/SAMPLE_DATA/{self.model}/1", sample),
            ("PUT", f"/model/{self.model}/1/lock", None),
            ("POST", f"/model/{self.model}/1/workflow/import", {"workflows": [workflow]}),
        ]:
            status, said = self.ask(method, path, body)
            self.assertEqual(status, 200, said)

    def way(self, kind: str) -> dict[str, Any]:
        config = {"attachEntity": True, "calculationNodesTags": self.model, "context": "by-air"}
        if kind == "retry":
            config["retryPolicy"] = "FIXED"
        return {
            "name": kind,
            "next": "DONE",
            "criterion": {
                "type": "simple",
                "jsonPath": "$.kind",
                "operatorType": "EQUALS",
                "value": kind,
            },
            "processors": [
                {"type": "EXTERNAL", "name": kind, "executionMode": "SYNC", "config": config}
            ],
        }

    def create(self, kind: str, more: str = "") -> tuple[int, str]:
        body = f'{{"kind": "{kind}", "items": 3{more}}}'
        return self.ask("POST", f"/entity/JSON/{self.model}/1", body)

    def created(self, kind: str, more: str = "") -> str:
        status, said = self.create(kind, more)
        self.assertEqual(status, 200, said)
        (entity_id,) = json.loads(said)[0]["entityIds"]
        return self.ask("GET", f"/entity/{entity_id}")[1]

    def refused(self, kind: str) -> tuple[int, str, str]:
        status, said = self.create(kind)
        problem = json.loads(said)
        return status, problem["properties"]["errorCode"], problem["detail"]

    @contextlib.contextmanager
    def joined(self, functions: Functions, **options: Any) -> Iterator[Node]:
        node = Node(functions, tags=[self.model, "python"], url=self.server.grpc, **options)
        thread = threading.Thread(target=node.run, daemon=True)
        with self.assertLogs("waypost", "INFO") as logged:
            thread.start()
            eventually(lambda: any("has joined" in it for it in logged.output))
        try:
            yield node
        finally:
            node.stop()
            thread.join(PATIENCE)
            self.assertFalse(thread.is_alive(), "the node does not stop")

    def test_functions_work_on_entities_and_decide_about_them(self) -> None:
        functions = Functions()
        asked: list[Question] = []

        @functions.processor("price")
        def price(question: Question) -> dict[str, Any]:
            asked.append(question)
            return {**question.data, "total": question.data["items"] * 450}

        @functions.processor("notify")
        async def notify(question: Question) -> None:
            await asyncio.sleep(0)

        @functions.criterion("is-large")
        async def is_large(question: Question) -> bool:
            return bool(question.data.get("total", 0) > 10_000)

        self.assertEqual(self.refused("price")[:2], (503, "NO_COMPUTE_MEMBER_FOR_TAG"))
        with self.joined(functions):
            # Numbers keep their digits.
            seen = self.created("price", ', "price": 12.50')
            self.assertIn("12.50", seen)
            self.assertIn('"total":1350', seen.replace(" ", ""))
            self.assertEqual(json.loads(seen)["meta"]["state"], "DONE")
            self.assertEqual(json.loads(self.created("notify"))["data"]["items"], 3)
            large = self.created("price", ', "items": 30')
            self.assertEqual(json.loads(large)["meta"]["state"], "LARGE")
        question = asked[0]
        self.assertEqual((question.name, question.transition), ("price", "price"))
        self.assertEqual((question.workflow, question.parameters), ("w", "by-air"))
        self.assertEqual(question.meta["state"], "NEW")
        self.assertEqual(question.entity_id, json.loads(seen)["meta"]["id"])

    def test_what_fails_fails_the_write_and_nothing_is_written(self) -> None:
        functions = Functions()
        attempts: list[str] = []

        @functions.processor("fail")
        def fail(question: Question) -> None:
            raise FatalError("out of stock")

        @functions.processor("retry")
        async def retry(question: Question) -> None:
            attempts.append(question.request_id)
            raise RetryableError("later")

        functions.processor("list")(lambda question: [1])
        functions.criterion("is-large")(lambda question: "perhaps")
        functions.processor("notify")(lambda question: None)
        with self.joined(functions):
            for kind, reason in [
                ("fail", "out of stock"),
                ("list", "an entity is a mapping, not list"),
                ("nobody", "this node has no function 'nobody'"),
                ("notify", "a criterion says true or false, not str"),
            ]:
                with self.subTest(kind=kind):
                    status, code, detail = self.refused(kind)
                    self.assertEqual((status, code), (400, "WORKFLOW_FAILED"))
                    self.assertIn(reason, detail)
            self.refused("retry")
        self.assertEqual(len(set(attempts)), 4)
        self.assertEqual(json.loads(self.ask("GET", f"/entity/{self.model}/1")[1]), [])

    def test_a_function_calls_back_into_the_transaction_that_asks(self) -> None:
        functions = Functions()
        functions.criterion("is-large")(lambda question: False)

        @functions.processor("notify")
        def notify(question: Question) -> None:
            return None

        @functions.processor("call")
        def call(question: Question) -> dict[str, Any]:
            body = {"kind": "other", "items": 1}
            status, said = self.ask(
                "POST", f"/entity/JSON/{self.model}/1", body, ticket=question.ticket
            )
            self.assertEqual(status, 200, said)
            (written,) = json.loads(said)
            self.assertEqual(written["transactionId"], question.transaction_id)
            return {**question.data, "wrote": written["entityIds"][0]}

        with self.joined(functions):
            wrote = json.loads(self.created("call"))["data"]["wrote"]
            self.assertEqual(self.ask("GET", f"/entity/{wrote}")[0], 200)

    def test_a_node_that_is_told_to_stop_answers_what_it_was_asked(self) -> None:
        functions = Functions()
        begun = threading.Event()
        functions.criterion("is-large")(lambda question: False)

        @functions.processor("slow")
        def slow(question: Question) -> dict[str, Any]:
            begun.set()
            time.sleep(0.5)
            return {**question.data, "slow": True}

        said: list[tuple[int, str]] = []
        with self.joined(functions):
            writing = threading.Thread(target=lambda: said.append(self.create("slow")))
            writing.start()
            self.assertTrue(begun.wait(PATIENCE))
        writing.join(PATIENCE)
        # The criterion that comes after the processor was answered, too.
        self.assertEqual(said[0][0], 200, said)

    def test_no_more_is_worked_on_at_a_time_than_was_said(self) -> None:
        functions = Functions()
        functions.criterion("is-large")(lambda question: False)
        now, most = 0, 0

        @functions.processor("slow")
        async def slow(question: Question) -> None:
            nonlocal now, most
            now += 1
            most = max(most, now)
            await asyncio.sleep(0.05)
            now -= 1

        with self.joined(functions, concurrency=2):
            writing = [threading.Thread(target=self.created, args=["slow"]) for _ in range(6)]
            for it in writing:
                it.start()
            for it in writing:
                it.join(PATIENCE)
        self.assertEqual(most, 2)

    def test_a_node_comes_back_when_the_server_does(self) -> None:
        functions = Functions()
        functions.criterion("is-large")(lambda question: False)
        functions.processor("notify")(lambda question: None)
        with self.joined(functions), self.assertLogs("waypost", "INFO") as logged:
            self.created("notify")
            self.server.kill()
            eventually(lambda: any("is not connected" in it for it in logged.output))
            self.server.start()
            eventually(lambda: any("has joined" in it for it in logged.output))
            eventually(lambda: self.create("notify")[0], 200)

    def test_a_server_that_asks_whether_somebody_is_there_is_told(self) -> None:
        stream = Stream(Node(Functions(), tags=[]), Crew(1))
        stream._hear(CloudEvent(id="k-1", type="CalculationMemberKeepAliveEvent", data=b"{}"))
        said = stream._outgoing.get_nowait()
        assert said is not None
        self.assertEqual(said.type, "EventAckResponse")
        self.assertEqual(json.loads(said.data)["sourceEventId"], "k-1")

    def test_what_cannot_work_is_refused_at_once(self) -> None:
        functions = Functions()
        functions.processor("a")(print)
        functions.criterion("a")(print)
        with self.assertRaisesRegex(ValueError, "a has two functions"):
            functions.processor("a")(print)
