"""Workers of chains: claim steps, have functions do them, report."""

from __future__ import annotations

import logging
import secrets
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, TypeVar

from ._crew import Errand
from ._http import Connection, encode
from ._run import Function
from ._shift import Held, Shift, report
from .chain import Task
from .client import Client
from .errors import FatalError, RefusedError, RetryableError, WaypostError
from .worker import Options, Outcome, Worker, words

if TYPE_CHECKING:
    from typing_extensions import Unpack

log = logging.getLogger("waypost")

UNPROCESSABLE = frozenset({400, 413, 422})

F = TypeVar("F", bound=Function)


def uuid7() -> str:
    """Make an id that sorts by the time it was made at; Python has them from 3.14 on."""
    millis = time.time_ns() // 1_000_000
    number = millis << 80 | 7 << 76 | secrets.randbits(12) << 64 | 2 << 62 | secrets.randbits(62)
    return str(uuid.UUID(int=number))


@dataclass(frozen=True)
class Event:
    """A message that leaves after the commit."""

    event_type: str
    payload: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    #: What receivers know repeats by: a UUID of version 7.
    event_id: str = field(default_factory=uuid7)
    occurred_at: datetime = field(default_factory=lambda: datetime.now(timezone.utc))

    def body(self) -> dict[str, Any]:
        """As it is sent."""
        body: dict[str, Any] = {"eventType": self.event_type, "eventId": self.event_id}
        body["occurredAt"] = self.occurred_at.isoformat()
        given = {"payload": self.payload, "headers": dict(self.headers) or None}
        body.update((name, it) for name, it in given.items() if it is not None)
        return body


@dataclass(frozen=True)
class Completed:
    """The step is done: on to the next. A mapping or nothing at all says the same."""

    #: Merged into the context: members replace, ``None`` removes.
    patch: Mapping[str, Any] | None = None
    #: Sent after the commit.
    events: tuple[Event, ...] = ()

    def result(self) -> dict[str, Any]:
        """As it is sent."""
        return {"kind": "COMPLETED"}


@dataclass(frozen=True)
class Waiting:
    """The step waits for an event; its function is called again with it as ``task.wake``."""

    event_type: str
    #: Seconds after which it is called all the same, with ``task.is_timeout``; for ever if absent.
    timeout: float | None = None
    #: Ignore events that came earlier.
    discard_buffered: bool = False
    #: Merged into the context: members replace, ``None`` removes.
    patch: Mapping[str, Any] | None = None
    #: Sent after the commit.
    events: tuple[Event, ...] = ()

    def result(self) -> dict[str, Any]:
        """As it is sent."""
        result: dict[str, Any] = {"kind": "WAITING", "waitingEventType": self.event_type}
        if self.timeout is not None:
            result["timeoutMs"] = int(self.timeout * 1000)
        if self.discard_buffered:
            result["discardBuffered"] = True
        return result


class StepRegistry:
    """The functions that do steps, by type of chain and type of step."""

    def __init__(self) -> None:
        self._functions: dict[tuple[str, str], Function] = {}

    def register(self, workflow_type: str, step_type: str) -> Callable[[F], F]:
        """Have the decorated function, plain or a coroutine, do a step.

        It is given a `Task` and returns a mapping to merge into the context, nothing, `Completed`
        or `Waiting`. What it raises is a failure: `FatalError` for good, anything else until the
        attempts of the step are used up. It may run more than once for the same step: make it so
        that this does no harm, with ``task.instance_id`` and ``task.step_seq`` as the key.
        """

        def add(function: F) -> F:
            if (workflow_type, step_type) in self._functions:
                raise ValueError(f"{workflow_type}/{step_type} has two functions")
            self._functions[workflow_type, step_type] = function
            return function

        return add

    def function(self, workflow_type: str, step_type: str) -> Function | None:
        """The function for a step."""
        return self._functions.get((workflow_type, step_type))

    @property
    def workflow_types(self) -> list[str]:
        """The types of chains there are functions for."""
        return sorted({it for it, _ in self._functions})

    @property
    def step_types(self) -> list[str]:
        """The types of steps there are functions for."""
        return sorted({it for _, it in self._functions})


class StepWorker(Worker[Task]):
    """Does steps of chains for a server."""

    def __init__(
        self,
        client: Client | str,
        registry: StepRegistry,
        **options: Unpack[Options],
    ) -> None:
        """Prepare a worker that does the steps of `registry`; see `Worker` for the options."""
        super().__init__(client, **options)
        if not registry.step_types:
            raise ValueError("a worker needs a function")
        self._registry = registry

    def claim(self, connection: Connection, n_most: int, wait: float) -> list[Task]:
        """Claim steps."""
        return self.client.chains.claim(
            self.name,
            workflow_types=self._registry.workflow_types,
            step_types=self._registry.step_types,
            max_tasks=n_most,
            lease=self.lease,
            wait=wait,
            connection=connection,
        )

    def renew(self, work: Task, timeout: float) -> None:
        """Prolong the hold on a step."""
        self.client.chains.renew(work.lease_token, self.name, self.lease, timeout)

    def give_back(self, work: Task) -> bool:
        """Give back a step that was not begun. It costs no attempt."""
        try:
            self.client.chains.release(work.lease_token, self.name)
        except WaypostError as error:
            log.info("a step could not be given back; its lease will lapse: %s", error)
        return True

    def _function(self, work: Task) -> Function | None:
        return self._registry.function(work.workflow_type, work.step_type)

    def _missing(self, work: Task) -> Outcome:
        # Another worker may have one.
        return RetryableError(f"NO_HANDLER: {work.workflow_type}/{work.step_type}")

    def _settle(self, shift: Shift[Task], held: Held[Task], outcome: Outcome) -> Errand | None:
        try:
            body = encode({"workerId": self.name, **said(outcome)})
        except (TypeError, ValueError) as error:
            body = self._retry(f"what the function returned is not JSON: {error}")
        return lambda: self._report(shift, held, body)

    def _report(self, shift: Shift[Task], held: Held[Task], body: bytes) -> None:
        token = held.work.lease_token
        try:
            report(held, lambda: self._send(token, body))
        except WaypostError as error:
            log.warning("the report on %s was not taken: %s", token, error)
        shift.done()

    def _send(self, token: str, body: bytes) -> bool:
        chains = self.client.chains
        try:
            chains.report(token, body)
        except RefusedError as error:
            if error.status not in UNPROCESSABLE:
                raise
            # What the function said cannot be. That is a failure of the step.
            log.warning("the report on %s cannot be: %s", token, error)
            chains.report(token, self._retry(str(error)))
        return True

    def _retry(self, why: str) -> bytes:
        return encode({"workerId": self.name, **said(RetryableError(why))})


def said(outcome: Outcome) -> dict[str, Any]:
    """What a function returned or raised, as it is reported."""
    if isinstance(outcome, BaseException):
        return {"result": _failed(outcome)}
    if outcome is None:
        return {"result": Completed().result()}
    if isinstance(outcome, Completed | Waiting):
        body: dict[str, Any] = {"result": outcome.result()}
        if outcome.patch is not None:
            body["contextPatch"] = dict(outcome.patch)
        if outcome.events:
            body["outboundEvents"] = [it.body() for it in outcome.events]
        return body
    if isinstance(outcome, Mapping):
        return {"result": Completed().result(), "contextPatch": dict(outcome)}
    raise TypeError(f"a {type(outcome).__name__} is neither a mapping nor a result")


def _failed(error: BaseException) -> dict[str, Any]:
    if isinstance(error, FatalError):
        return {"kind": "DEAD", "error": str(error)}
    if not isinstance(error, RetryableError):
        return {"kind": "RETRY", "error": words(error)}
    result: dict[str, Any] = {"kind": "RETRY", "error": str(error)}
    if error.after is not None:
        result["backoffMs"] = int(error.after * 1000)
    return result
