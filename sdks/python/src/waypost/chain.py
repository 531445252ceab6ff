"""Chains: deploying, starting, looking, signaling, and the routes of workers."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ._http import ANSWER_MAX, Answer, Connection, Transport, encode, path, query
from ._look import paged, until_over
from ._record import Instant, Leased, Member, Record


class Chain(Record):
    """Where a chain stands."""

    instance_id = Member[str]("instanceId")
    #: How often it has changed.
    version = Member[int]("version")
    workflow_type = Member[str]("workflowType")
    workflow_version = Member[int]("workflowVersion")
    biz_key = Member[str | None]("bizKey")
    #: ``RUNNING``, ``COMPLETED``, ``FAILED`` or ``CANCELED``.
    status = Member[str]("status")
    current_step_seq = Member[int]("currentStepSeq")
    current_step_type = Member[str]("currentStepType")
    context = Member[Any]("context")
    started_at = Instant("startedAt")
    completed_at = Instant("completedAt")
    failed_at = Instant("failedAt")
    canceled_at = Instant("canceledAt")
    cancel_reason = Member[str | None]("cancelReason")

    @property
    def is_over(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.status != "RUNNING"

    @property
    def steps(self) -> list[Step]:
        """Its steps, if one chain was asked for and not a list."""
        return [Step(it) for it in self.get("steps", ())]


class Step(Record):
    """Where a step of a chain stands."""

    step_seq = Member[int]("stepSeq")
    step_type = Member[str]("stepType")
    #: ``PENDING``, ``READY``, ``RUNNING``, ``WAITING``, ``DONE`` or ``DEAD``.
    status = Member[str]("status")
    #: How often it has failed.
    attempts = Member[int]("attempts")
    max_attempts = Member[int]("maxAttempts")
    waiting_event_type = Member[str | None]("waitingEventType")
    locked_by = Member[str | None]("lockedBy")
    last_error = Member[str | None]("lastError")


class Wake(Record):
    """The event that has ended a wait."""

    event_type = Member[str]("eventType")
    event_id = Member[str | None]("eventId")
    payload = Member[Any]("payload")


class Task(Leased):
    """A step that is leased to a worker."""

    instance_id = Member[str]("instanceId")
    #: With `instance_id`, names the step: what makes it idempotent.
    step_seq = Member[int]("stepSeq")
    step_type = Member[str]("stepType")
    workflow_type = Member[str]("workflowType")
    workflow_version = Member[int]("workflowVersion")
    biz_key = Member[str | None]("bizKey")
    #: ``READY_STEP``, or ``WAITING_TIMEOUT`` when what it waited for did not come in time.
    task_type = Member[str]("taskType")
    #: How often it has failed.
    attempts = Member[int]("attempts")
    max_attempts = Member[int]("maxAttempts")
    #: Proves that it is in our hands.
    lease_token = Member[str]("leaseToken")
    leased_until = Instant("leasedUntil")
    #: What the chain knows.
    context = Member[Any]("context")

    @property
    def wake(self) -> Wake | None:
        """The event that has ended its wait, if it waited."""
        wake = self.get("wake")
        return None if wake is None else Wake(wake)

    @property
    def is_timeout(self) -> bool:
        """Whether what it waited for did not come in time."""
        return self.task_type == "WAITING_TIMEOUT"


class Chains:
    """The chains of a server."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def deploy(self, definition: Mapping[str, Any]) -> None:
        """Deploy a definition. The same one again changes nothing."""
        self._post(path("v1", "chains", "definitions"), definition)

    def start(
        self,
        workflow_type: str,
        context: Mapping[str, Any] | None = None,
        *,
        biz_key: str | None = None,
        version: int | None = None,
        idempotency_key: str | None = None,
    ) -> Chain:
        """Start a chain. With an idempotency key, asking twice is the same as asking once."""
        body: dict[str, Any] = {"workflowType": workflow_type}
        given = {"context": context, "bizKey": biz_key, "workflowVersion": version}
        body.update((name, it) for name, it in given.items() if it is not None)
        # A connection that breaks must not start two.
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        return Chain(self._post(path("v1", "chains", "instances"), body, headers).json())

    def show(self, instance_id: str) -> Chain:
        """One chain with its steps."""
        return Chain(self._get(path("v1", "chains", "instances", instance_id)).json())

    def wait(self, instance_id: str, timeout: float = 60.0) -> Chain:
        """Look at a chain until it has ended; a `TimeoutError` if that takes too long."""
        return until_over(
            lambda: self.show(instance_id),
            timeout,
            lambda it: f"{it.instance_id} is still at {it.current_step_type}",
        )

    def find(
        self,
        *,
        status: str | None = None,
        workflow_type: str | None = None,
        biz_key: str | None = None,
        awaits: str | None = None,
        page_size: int = 100,
    ) -> Iterator[Chain]:
        """Chains that match, newest first, page by page as they are read."""

        def read(last: str | None) -> list[dict[str, Any]]:
            wanted = query(
                status=status,
                workflowType=workflow_type,
                bizKey=biz_key,
                awaits=awaits,
                after=last,
                pageSize=page_size,
            )
            return list(self._get(path("v1", "chains", "instances") + wanted).json()["items"])

        return map(Chain, paged(read, page_size, "instanceId"))

    def signal(
        self,
        instance_id: str,
        event_type: str,
        payload: object = None,
        *,
        event_id: str | None = None,
    ) -> str:
        """Tell a chain of an event: ``WOKEN``, ``BUFFERED`` or ``DUPLICATE``."""
        body: dict[str, Any] = {"eventType": event_type}
        given = {"payload": payload, "eventId": event_id}
        body.update((name, it) for name, it in given.items() if it is not None)
        place = path("v1", "chains", "instances", instance_id, "signals")
        return str(self._post(place, body).json()["outcome"])

    def cancel(self, instance_id: str, reason: str | None = None) -> Chain:
        """Cancel a chain. One that has ended stays as it is."""
        body = {} if reason is None else {"reason": reason}
        place = path("v1", "chains", "instances", instance_id, "cancel")
        return Chain(self._post(place, body).json())

    def claim(
        self,
        worker_id: str,
        *,
        workflow_types: Iterable[str] | None = None,
        step_types: Iterable[str] | None = None,
        max_tasks: int = 10,
        lease: float = 30.0,
        wait: float = 0.0,
        connection: Connection | None = None,
    ) -> list[Task]:
        """Claim steps, waiting up to `wait` seconds for the first. Take no more than can begin."""
        body: dict[str, Any] = {
            "workerId": worker_id,
            "max": max_tasks,
            "leaseMs": int(lease * 1000),
            "waitMs": int(wait * 1000),
        }
        if workflow_types is not None:
            body["workflowTypes"] = [*workflow_types]
        if step_types is not None:
            body["stepTypes"] = [*step_types]
        asked = connection or self._transport
        place = path("v1", "chains", "claim")
        answer = asked.ask("POST", place, encode(body), timeout=ANSWER_MAX + wait)
        return [Task(it) for it in answer.json()["tasks"]]

    def report(self, lease_token: str, body: bytes) -> None:
        """Report on a step, in JSON. The same report again is answered as before."""
        self._transport.ask("POST", path("v1", "chains", "tasks", lease_token, "result"), body)

    def renew(
        self, lease_token: str, worker_id: str, lease: float = 30.0, timeout: float = ANSWER_MAX
    ) -> None:
        """Prolong the hold on a step; refused with ``LEASE_LOST`` if it is not held any more."""
        body = encode({"workerId": worker_id, "leaseMs": int(lease * 1000)})
        place = path("v1", "chains", "tasks", lease_token, "renew")
        self._transport.ask("POST", place, body, timeout=timeout)

    def release(self, lease_token: str, worker_id: str) -> None:
        """Give a step back that was not begun. It costs no attempt."""
        place = path("v1", "chains", "tasks", lease_token, "release")
        self._post(place, {"workerId": worker_id})

    def _get(self, place: str) -> Answer:
        return self._transport.ask("GET", place)

    def _post(
        self, place: str, body: Mapping[str, Any], headers: dict[str, str] | None = None
    ) -> Answer:
        return self._transport.ask("POST", place, encode(body), headers)
