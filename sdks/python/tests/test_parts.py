"""The parts that need no server, or one that is made up."""

from __future__ import annotations

import http.server
import json
import math
import pickle
import threading
import time
import unittest
from datetime import datetime, timezone
from typing import Any, NamedTuple

from fixture import PATIENCE, free_port

from waypost import (
    Client,
    Completed,
    Event,
    FatalError,
    Instance,
    NoAnswerError,
    RefusedError,
    RetryableError,
    UnexpectedAnswerError,
    UnreachableError,
    Waiting,
    worker_id,
)
from waypost import _cloudevents as cloudevents
from waypost._backoff import FIRST, MOST, Backoff
from waypost._crew import Crew
from waypost._exact import dumps, loads
from waypost._look import paged, until_over
from waypost.steps import said, uuid7


class Parts(unittest.TestCase):
    def test_pauses_double_within_a_fifth_up_to_half_a_minute(self) -> None:
        backoff = Backoff()
        for n_before in range(20):
            plain = min(FIRST * 2**n_before, MOST)
            pause = backoff.next()
            self.assertTrue(plain * 0.8 <= pause <= min(plain * 1.2, MOST), (n_before, pause))
        backoff.reset()
        self.assertLess(backoff.next(), FIRST * 1.3)
        self.assertGreater(len({Backoff().next() for _ in range(50)}), 10)

    def test_a_worker_has_a_name_that_no_other_has(self) -> None:
        first, second = worker_id(" My App/1 "), worker_id(" My App/1 ")
        self.assertRegex(first, r"^my-app-1:[a-z0-9_.-]+:\d+:[0-9a-f]{8}$")
        self.assertNotEqual(first, second)

    def test_a_record_is_what_was_sent_and_typed_names(self) -> None:
        sent = {"id": "i-1", "startedAt": "2026-11-16T14:00:00.250000Z", "new": 1}
        instance = Instance(sent)
        self.assertEqual(instance, sent)
        self.assertEqual(instance.id, instance["id"])
        at = datetime(2026, 11, 16, 14, 0, 0, 250_000, timezone.utc)
        self.assertEqual(instance.started_at, at)
        self.assertIsNone(instance.completed_at)
        self.assertIsNone(instance.business_key)

    def test_numbers_keep_their_digits(self) -> None:
        text = '{"a":12.50,"b":[1e400,-0.0,12345678901234567890],"c":"é\\ud83d\\ude00","d":null}'
        value = loads(text)
        self.assertEqual(dumps(value), text.replace("é", "\\u00e9"))
        self.assertEqual(value["a"] + 1, 13.5)
        self.assertEqual(dumps(value["a"] * 2), "25.0")
        self.assertEqual(dumps(pickle.loads(pickle.dumps(value))["a"]), "12.50")
        for unsayable in ({1: 2}, {"x": object()}, [math.nan], {"x": math.inf}):
            with self.assertRaises((TypeError, ValueError)):
                dumps(unsayable)

    def test_an_event_is_written_as_protocol_buffers_do(self) -> None:
        event = cloudevents.CloudEvent("1", "s", type="T", attributes={"k": "v"}, data=b"{}")
        written = bytes.fromhex("0a0131 120173 1a03312e30 220154 2a080a016b12031a0176 3a027b7d")
        self.assertEqual(cloudevents.encode(event), written)
        self.assertEqual(cloudevents.decode(written), event)
        # Fields nobody knows, attributes that are no text, and data that is bytes.
        more = bytes.fromhex("7801 7d00000000 7900000000000000 00 820100".replace(" ", ""))
        other = bytes.fromhex("2a070a016e12021005 32027b7d")
        read = cloudevents.decode(written.replace(b":\x02{}", b"") + other + more)
        self.assertEqual(read, event)
        long = cloudevents.CloudEvent("x" * 300, data=b"y" * 70_000)
        self.assertEqual(cloudevents.decode(cloudevents.encode(long)), long)
        for cut in range(1, len(written)):
            try:
                cloudevents.decode(written[:cut])
            except ValueError:
                continue
        with self.assertRaises(ValueError):
            cloudevents.decode(b"\x0b")

    def test_what_steps_say_is_sent_as_the_server_reads_it(self) -> None:
        done = {"kind": "COMPLETED"}
        self.assertEqual(said(None), {"result": done})
        self.assertEqual(said({"a": 1}), {"result": done, "contextPatch": {"a": 1}})
        at = datetime(2026, 11, 16, tzinfo=timezone.utc)
        event = Event("Paid", {"by": "card"}, {"h": "1"}, "id", at)
        self.assertEqual(
            said(Completed(events=(event,)))["outboundEvents"],
            [
                {
                    "eventType": "Paid",
                    "eventId": "id",
                    "occurredAt": "2026-11-16T00:00:00+00:00",
                    "payload": {"by": "card"},
                    "headers": {"h": "1"},
                }
            ],
        )
        waiting = {"kind": "WAITING", "waitingEventType": "PAID"}
        self.assertEqual(said(Waiting("PAID")), {"result": waiting})
        told = said(Waiting("PAID", 1.5, discard_buffered=True, patch={}))
        self.assertEqual(told["contextPatch"], {})
        self.assertEqual(told["result"], {**waiting, "timeoutMs": 1500, "discardBuffered": True})
        for error, result in [
            (FatalError("no"), {"kind": "DEAD", "error": "no"}),
            (RetryableError("later"), {"kind": "RETRY", "error": "later"}),
            (RetryableError("l", after=2), {"kind": "RETRY", "error": "l", "backoffMs": 2000}),
            (ValueError("x"), {"kind": "RETRY", "error": "ValueError: x"}),
            (ValueError(), {"kind": "RETRY", "error": "ValueError"}),
        ]:
            self.assertEqual(said(error), {"result": result})
        self.assertRegex(uuid7(), r"^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-")

    def test_a_crew_survives_what_its_errands_raise(self) -> None:
        crew = Crew(1)
        done = threading.Event()

        def broken() -> None:
            raise RuntimeError("a defect")

        with self.assertLogs("waypost", "ERROR"):
            crew.submit(broken)
            crew.submit(done.set)
            self.assertTrue(done.wait(PATIENCE))
        crew.close()


class Said(http.server.BaseHTTPRequestHandler):
    """Says what the test wants; what it wants is the path."""

    protocol_version = "HTTP/1.1"
    connections: set[Any]
    is_tired = False

    def do_GET(self) -> None:
        type(self).connections.add(self.client_address)
        kind = self.path.rsplit("/", 1)[-1]
        if kind == "silence" or self.is_tired:
            self.close_connection = True
            return
        self.is_tired = kind == "tired"
        answers: dict[str, tuple[int, Any]] = {
            "fine": (200, {"id": "fine"}),
            "last": (200, {"id": "last"}),
            "tired": (200, {"id": "tired"}),
            "chain": (409, {"code": "LEASE_LOST", "detail": "gone", "retryable": False}),
            "busy": (503, {"code": "OVERLOADED", "detail": "later", "retryable": True}),
            "process": (404, {"error": "not-found", "reason": "none", "code": "TASK_NOT_FOUND"}),
            "contended": (409, {"error": "conflict", "reason": "no", "code": "CONTENDED"}),
            "entity": (
                503,
                {"detail": "X: y", "properties": {"errorCode": "X", "retryable": False}},
            ),
            "list": (400, [1]),
        }
        status, body = answers.get(kind, (502, None))
        text = b"<html>bad gateway</html>" if body is None else json.dumps(body).encode()
        if kind == "broken":
            status, text = 200, b"{"
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
        # The last word on this connection: nobody was told.
        self.close_connection = kind == "last"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.path = "/fine"
        self.do_GET()

    def log_message(self, *_: object) -> None:
        return


class Answers(unittest.TestCase):
    def setUp(self) -> None:
        Said.connections = set()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Said)
        self.addCleanup(self.server.server_close)
        thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        thread.start()
        self.addCleanup(self.server.shutdown)
        self.client = Client(f"http://127.0.0.1:{self.server.server_port}/below/")
        self.addCleanup(self.client.close)

    def test_a_refusal_is_understood_whatever_its_words(self) -> None:
        for kind, code, detail, retryable in [
            ("chain", "LEASE_LOST", "gone", False),
            ("busy", "OVERLOADED", "later", True),
            ("process", "TASK_NOT_FOUND", "none", False),
            ("contended", "CONTENDED", "no", True),
            ("entity", "X", "y", False),
        ]:
            with self.subTest(kind=kind), self.assertRaises(RefusedError) as refused:
                self.client.processes.show(kind)
            error = refused.exception
            self.assertEqual((error.code, error.detail), (code, detail))
            self.assertEqual(error.retryable, retryable)
            self.assertEqual(str(error), f"{code}: {detail}")

    def test_what_is_no_answer_of_a_server_is_not_understood(self) -> None:
        for kind, retryable in [("gateway", True), ("broken", False), ("list", False)]:
            with self.subTest(kind=kind), self.assertRaises(UnexpectedAnswerError) as error:
                self.client.processes.show(kind)
            self.assertEqual(error.exception.retryable, retryable)

    def test_a_connection_is_kept_and_replaced_when_the_server_has_ended_it(self) -> None:
        for _ in range(5):
            self.assertEqual(self.client.processes.show("fine").id, "fine")
        self.assertEqual(len(Said.connections), 1)
        self.assertEqual(self.client.processes.show("last").id, "last")
        time.sleep(0.2)
        self.assertEqual(self.client.processes.cancel("fine").id, "fine")
        self.assertEqual(len(Said.connections), 2)

    def test_what_only_looks_is_asked_again_when_a_kept_connection_fails(self) -> None:
        for _ in range(2):
            self.assertEqual(self.client.processes.show("tired").id, "tired")
        self.assertEqual(len(Said.connections), 2)
        with self.assertRaises(NoAnswerError):
            self.client.processes.cancel("fine")

    def test_whether_something_may_have_happened_is_told_apart(self) -> None:
        with self.assertRaises(NoAnswerError):
            self.client.processes.show("silence")
        with self.assertRaises(UnreachableError) as error:
            Client(f"http://127.0.0.1:{free_port()}").processes.show("fine")
        self.assertTrue(error.exception.retryable)
        self.assertEqual(self.client.processes.show("fine").id, "fine")


class Look(unittest.TestCase):
    def test_pages_are_read_as_far_as_somebody_reads(self) -> None:
        everything = [{"id": str(number)} for number in range(5)]
        asked: list[str | None] = []

        def read(last: str | None) -> list[dict[str, str]]:
            asked.append(last)
            at = 0 if last is None else int(last) + 1
            return everything[at : at + 2]

        items = paged(read, 2, "id")
        self.assertEqual([next(items), next(items)], everything[:2])
        self.assertEqual(asked, [None])
        self.assertEqual([*items], everything[2:])
        self.assertEqual(asked, [None, "1", "3"])

    def test_looking_ends_with_the_instance_or_says_where_it_is(self) -> None:
        ended = iter([Standing(is_over=False), Standing(is_over=True)])
        self.assertTrue(until_over(lambda: next(ended), 60.0, str).is_over)
        with self.assertRaisesRegex(TimeoutError, "still there"):
            until_over(lambda: Standing(is_over=False), 0.0, lambda _: "still there")


class Standing(NamedTuple):
    is_over: bool
