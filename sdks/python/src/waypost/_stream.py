"""One stream of a compute node, from joining to leaving."""

from __future__ import annotations

import logging
import time
import uuid
from collections import deque
from collections.abc import Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

try:
    import grpc
except ImportError as error:
    raise ImportError("compute nodes need gRPC: pip install 'waypost[entity]'") from error

from . import _cloudevents
from ._cloudevents import CloudEvent
from ._exact import dumps, loads
from ._functions import Question, answer
from ._run import Function, is_coroutine
from .errors import FatalError

if TYPE_CHECKING:
    from ._crew import Crew
    from .compute import Node

log = logging.getLogger("waypost")

METHOD = "/org.cyoda.cloud.api.grpc.CloudEventsService/startStreaming"
JOIN = "CalculationMemberJoinEvent"
GREET = "CalculationMemberGreetEvent"
KEEP_ALIVE = "CalculationMemberKeepAliveEvent"
ACK = "EventAckResponse"
REQUESTS = ("EntityProcessorCalculationRequest", "EntityCriteriaCalculationRequest")
TICKET = "cyodatxtoken"

#: How long a connection may take to come about, and the server to greet, in seconds.
JOIN_MAX = 10.0
#: How long the server may be silent, in seconds. It says every ten seconds that it is there.
SILENCE_MAX = 60.0
#: How long nothing must have been asked before it leaves, in seconds. The write that has just been
#: answered may ask again.
QUIET = 0.2
#: How long the server may take to hear the last answers, in seconds.
LEAVE_MAX = 5.0


class Ended:
    """The stream has ended, and why."""

    def __init__(self, why: str) -> None:
        self.why = why


class Answered:
    """A question is answered: there is room for another."""


class Stopped:
    """The node is to leave."""


class Stream:
    """Where questions come in and answers go out."""

    def __init__(self, node: Node, crew: Crew) -> None:
        self._node = node
        self._crew = crew
        self._outgoing: SimpleQueue[CloudEvent | None] = SimpleQueue()
        self._heard: SimpleQueue[CloudEvent | Ended | Answered | Stopped] = SimpleQueue()
        self._waiting: deque[tuple[Question, str]] = deque()
        self._n_running = 0
        self._is_stopping = False
        self._call: Any = None
        #: Whether the server has greeted.
        self.has_joined = False

    def stop(self) -> None:
        """Have it leave when everything is answered. For any thread."""
        self._heard.put(Stopped())

    def cancel(self) -> None:
        """Have it leave at once."""
        if self._call is not None:
            self._call.cancel()

    def attend(self) -> str:
        """Join, and answer until the stream ends; say why it did."""
        channel = open_channel(self._node.url)
        try:
            ask = channel.stream_stream(
                METHOD,
                request_serializer=_cloudevents.encode,
                response_deserializer=_cloudevents.decode,
            )
            bearer = self._node.bearer
            metadata = (("authorization", f"Bearer {bearer}"),) if bearer else ()
            self._send(JOIN, {"tags": [*self._node.tags]})
            self._call = ask(self._leaving(), metadata=metadata)
            Thread(target=self._listen, name="waypost-listen", daemon=True).start()
            return self._serve()
        finally:
            self._outgoing.put(None)
            channel.close()

    def _leaving(self) -> Iterator[CloudEvent]:
        while (event := self._outgoing.get()) is not None:
            yield event

    def _listen(self) -> None:
        try:
            for event in self._call:
                self._heard.put(event)
            self._heard.put(Ended("the server has ended the stream"))
        except grpc.RpcError as error:
            self._heard.put(Ended(f"{error.code().name}: {error.details()}"))
        except Exception as error:  # noqa: BLE001 - whatever it is, the stream has ended.
            self._heard.put(Ended(str(error)))

    def _serve(self) -> str:
        silent_at = time.monotonic() + JOIN_MAX
        while True:
            is_idle = self._is_stopping and self._n_running == 0
            left = QUIET if is_idle else max(silent_at - time.monotonic(), 0)
            try:
                heard = self._heard.get(timeout=left)
            except Empty:
                if is_idle:
                    break
                return "the server is silent"
            if isinstance(heard, Ended):
                return heard.why
            if isinstance(heard, CloudEvent):
                silent_at = time.monotonic() + SILENCE_MAX
                self._hear(heard)
            elif isinstance(heard, Stopped):
                self._is_stopping = True
            else:
                self._n_running -= 1
            self._begin()
        self._leave()
        return "it was told to stop"

    def _leave(self) -> None:
        """Say goodbye; the server ends the stream when it has heard everything."""
        self._outgoing.put(None)
        until = time.monotonic() + LEAVE_MAX
        while self.has_joined and time.monotonic() < until:
            try:
                if isinstance(self._heard.get(timeout=LEAVE_MAX), Ended):
                    return
            except Empty:
                return

    def _hear(self, event: CloudEvent) -> None:
        # What later servers may say besides is left alone.
        if event.type == GREET:
            self.has_joined = True
            log.info("the compute node has joined: %s", loads(event.data).get("memberId"))
        elif event.type == KEEP_ALIVE:
            self._send(ACK, {"sourceEventId": event.id, "success": True})
        elif event.type in REQUESTS:
            self._ask(event)

    def _ask(self, event: CloudEvent) -> None:
        try:
            question = Question(loads(event.data))
        except (TypeError, ValueError) as error:
            log.warning("a question cannot be read; it is left alone: %s", error)
            return
        question.ticket = event.attributes.get(TICKET, "")
        self._waiting.append((question, event.type.replace("Request", "Response")))

    def _begin(self) -> None:
        while self._waiting and self._n_running < self._node.concurrency:
            question, kind = self._waiting.popleft()
            self._n_running += 1
            function = self._node.functions.function(question)
            if function is not None and is_coroutine(function):
                self._crew.start(self._attend(function, question, kind))
            else:
                self._crew.submit(lambda it=(function, question, kind): self._do(*it))  # type: ignore[misc]

    def _do(self, function: Function | None, question: Question, kind: str) -> None:
        outcome: object
        try:
            missing = FatalError(f"this node has no function {question.name!r}")
            outcome = function(question) if function else missing
        except BaseException as error:  # noqa: BLE001 - even one that exits has failed.
            outcome = error
        self._answer(question, kind, outcome)

    async def _attend(self, function: Function, question: Question, kind: str) -> None:
        outcome: object
        try:
            outcome = await function(question)
        except BaseException as error:  # noqa: BLE001 - even one that is canceled has.
            outcome = error
        self._answer(question, kind, outcome)

    def _answer(self, question: Question, kind: str, outcome: object) -> None:
        text = answer(question, outcome)
        event = CloudEvent(str(uuid.uuid4()), "waypost-python", type=kind, data=text.encode())
        self._outgoing.put(event)
        self._heard.put(Answered())

    def _send(self, kind: str, payload: dict[str, Any]) -> None:
        named = str(uuid.uuid4())
        text = dumps({"id": named, **payload})
        self._outgoing.put(CloudEvent(named, "waypost-python", type=kind, data=text.encode()))


def open_channel(url: str) -> grpc.Channel:
    """Open a channel to ``http://host:port``, ``https://host:port`` or ``host:port``."""
    parts = urlsplit(url if "//" in url else f"//{url}")
    if parts.scheme not in ("", "http", "https") or not parts.hostname:
        raise ValueError(f"{url!r} is not an address such as http://127.0.0.1:9090")
    options: list[tuple[str, int]] = [("grpc.max_receive_message_length", -1)]
    if parts.hostname in ("localhost", "127.0.0.1", "::1"):
        # No proxy knows better where this machine is.
        options.append(("grpc.enable_http_proxy", 0))
    if parts.scheme == "https":
        return grpc.secure_channel(parts.netloc, grpc.ssl_channel_credentials(), options=options)
    return grpc.insecure_channel(parts.netloc, options=options)
