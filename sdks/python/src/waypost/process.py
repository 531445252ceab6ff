"""Processes: deploying, starting, looking, steering, and the routes of workers."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ._http import ANSWER_MAX, Answer, Connection, Transport, encode, path, query
from ._look import paged, until_over
from ._record import Instant, Leased, Member, Record

Variables = Mapping[str, Any]


class Definition(Record):
    """A definition that was deployed."""

    id = Member[str]("id")
    version = Member[int]("version")
    name = Member[str]("name")
    uploaded_at = Instant("uploadedAt")


class Instance(Record):
    """Where an instance stands."""

    id = Member[str]("id")
    definition_id = Member[str]("definitionId")
    definition_version = Member[int]("definitionVersion")
    #: ``ACTIVE``, ``WAITING``, ``COMPLETED``, ``FAILED`` or ``CANCELLED``.
    status = Member[str]("status")
    #: The steps it is at.
    current_step_ids = Member[list[str]]("currentStepIds")
    variables = Member[dict[str, Any]]("variables")
    started_at = Instant("startedAt")
    completed_at = Instant("completedAt")
    failure_reason = Member[str | None]("failureReason")
    business_key = Member[str | None]("businessKey")
    parent_instance_id = Member[str | None]("parentInstanceId")

    @property
    def is_over(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.status in ("COMPLETED", "FAILED", "CANCELLED")


class StepExecution(Record):
    """One visit of a step."""

    id = Member[str]("id")
    step_id = Member[str]("stepId")
    step_name = Member[str]("stepName")
    step_type = Member[str]("stepType")
    attempt_number = Member[int]("attemptNumber")
    #: ``RUNNING``, ``COMPLETED`` or ``FAILED``.
    status = Member[str]("status")
    started_at = Instant("startedAt")
    ended_at = Instant("endedAt")
    input_snapshot = Member[dict[str, Any] | None]("inputSnapshot")
    output_snapshot = Member[dict[str, Any] | None]("outputSnapshot")
    failure_reason = Member[str | None]("failureReason")


class UserTask(Record):
    """A task that waits for a person."""

    id = Member[str]("id")
    instance_id = Member[str]("instanceId")
    definition_id = Member[str]("definitionId")
    business_key = Member[str | None]("businessKey")
    step_id = Member[str]("stepId")
    step_name = Member[str]("stepName")
    job_type = Member[str]("jobType")
    created_at = Instant("createdAt")
    variables = Member[dict[str, Any]]("variables")


class Job(Leased):
    """A job that is leased to a worker: ``job["variables"]`` as it was sent, or typed names."""

    #: Names this delivery; another delivery has another id.
    id = Member[str]("id")
    instance_id = Member[str]("instanceId")
    step_id = Member[str]("stepId")
    #: Names the visit of the step, the same for every delivery: what makes a job idempotent.
    step_execution_id = Member[str]("stepExecutionId")
    job_type = Member[str]("jobType")
    worker_id = Member[str]("workerId")
    locked_at = Instant("lockedAt")
    lock_expires_at = Instant("lockExpiresAt")
    created_at = Instant("createdAt")
    #: How often it may still fail and be offered again.
    retries_remaining = Member[int]("retriesRemaining")
    #: What the instance knew when it came to the step.
    variables = Member[dict[str, Any]]("variables")


class CallbackResult(Record):
    """What became of one of several completions."""

    id = Member[str]("id")
    #: Whether it had an effect. One that comes too late has none.
    accepted = Member[bool]("accepted")
    #: Why it could not be taken at all.
    error = Member[str | None]("error")


class Processes:
    """The processes of a server."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def deploy(self, definition: Mapping[str, Any]) -> Definition:
        """Deploy a definition. The same one again keeps its version."""
        return Definition(self._post(path("v1", "definitions"), definition).json())

    def definition(self, definition_id: str, version: int | None = None) -> dict[str, Any]:
        """One definition; the latest if no version is given."""
        versions = () if version is None else ("versions", str(version))
        shown = self._get(path("v1", "definitions", definition_id, *versions)).json()
        return dict(shown)

    def start(
        self,
        definition_id: str,
        variables: Variables | None = None,
        *,
        business_key: str | None = None,
        version: int | None = None,
        idempotency_key: str | None = None,
    ) -> Instance:
        """Start an instance. All that needs nobody happens at once: it may have ended already.

        With an idempotency key, asking twice is the same as asking once.
        """
        body: dict[str, Any] = {"definitionId": definition_id, "variables": dict(variables or {})}
        if business_key is not None:
            body["businessKey"] = business_key
        if version is not None:
            body["definitionVersion"] = version
        # A connection that breaks must not start two.
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        return Instance(self._post(path("v1", "instances"), body, headers).json())

    def show(self, instance_id: str) -> Instance:
        """One instance."""
        return Instance(self._get(path("v1", "instances", instance_id)).json())

    def wait(self, instance_id: str, timeout: float = 60.0) -> Instance:
        """Look at an instance until it has ended; a `TimeoutError` if that takes too long."""
        return until_over(
            lambda: self.show(instance_id), timeout, lambda it: f"{it.id} is still {it.status}"
        )

    def find(
        self,
        *,
        definition_id: str | None = None,
        business_key: str | None = None,
        status: str | None = None,
        page_size: int = 100,
    ) -> Iterator[Instance]:
        """Instances that match, newest first, page by page as they are read."""

        def read(last: str | None) -> list[dict[str, Any]]:
            wanted = query(
                definitionId=definition_id,
                businessKey=business_key,
                status=status,
                before=last,
                pageSize=page_size,
            )
            return list(self._get(path("v1", "instances") + wanted).json()["items"])

        return map(Instance, paged(read, page_size, "id"))

    def history(self, instance_id: str) -> list[StepExecution]:
        """What happened to an instance, in the order in which steps began."""
        shown = self._get(path("v1", "instances", instance_id, "history")).json()
        return [StepExecution(it) for it in shown["items"]]

    def cancel(self, instance_id: str, reason: str | None = None) -> Instance:
        """Cancel an instance."""
        body = {} if reason is None else {"reason": reason}
        return Instance(self._post(path("v1", "instances", instance_id, "cancel"), body).json())

    def retry(self, instance_id: str, step_id: str, variables: Variables | None = None) -> Instance:
        """Have a failed step tried again, with changed variables."""
        place = path("v1", "instances", instance_id, "steps", step_id, "retry")
        return Instance(self._post(place, {"variables": dict(variables or {})}).json())

    def signal(self, instance_id: str, step_id: str, variables: Variables | None = None) -> None:
        """Tell an instance that what the step waits for has happened. Signals are not kept."""
        place = path("v1", "instances", instance_id, "signals", step_id)
        self._post(place, dict(variables or {}))

    def user_tasks(
        self, *, definition_id: str | None = None, business_key: str | None = None
    ) -> list[UserTask]:
        """Tasks that wait for people, of the newest instances."""
        wanted = query(definitionId=definition_id, businessKey=business_key)
        shown = self._get(path("v1", "user-tasks") + wanted).json()
        return [UserTask(it) for it in shown["items"]]

    def complete_user_task(
        self,
        instance_id: str,
        step_id: str,
        variables: Variables | None = None,
        *,
        completed_by: str | None = None,
    ) -> None:
        """Complete the task of a person at the step."""
        body: dict[str, Any] = {"variables": dict(variables or {})}
        if completed_by is not None:
            body["workerId"] = completed_by
        self._post(path("v1", "instances", instance_id, "user-tasks", step_id, "complete"), body)

    def poll(
        self,
        worker_id: str,
        job_types: Iterable[str],
        *,
        max_jobs: int = 10,
        lease_seconds: int = 30,
        wait: float = 0.0,
        connection: Connection | None = None,
    ) -> list[Job]:
        """Lease jobs, waiting up to `wait` seconds for the first. Take no more than can begin."""
        body = {
            "workerId": worker_id,
            "jobTypes": [*job_types],
            "maxJobs": max_jobs,
            "leaseSeconds": lease_seconds,
            "waitMs": int(wait * 1000),
        }
        asked = connection or self._transport
        place = path("v1", "jobs", "poll")
        answer = asked.ask("POST", place, encode(body), timeout=ANSWER_MAX + wait)
        return [Job(it) for it in answer.json()["jobs"] or ()]

    def complete(self, job_id: str, worker_id: str, variables: Variables | None = None) -> bool:
        """Say that a job is done. False if that came too late and changed nothing."""
        body = {"workerId": worker_id, "variables": dict(variables or {})}
        return _accepted(self._post(path("v1", "jobs", job_id, "complete"), body))

    def complete_several(
        self, worker_id: str, done: Mapping[str, Variables | None]
    ) -> list[CallbackResult]:
        """Say that several jobs are done, by their ids; each is taken on its own."""
        items = [encode({"id": it, "variables": done[it]}) for it in done]
        return self.complete_encoded(worker_id, items)

    def complete_encoded(self, worker_id: str, done: Iterable[bytes]) -> list[CallbackResult]:
        """Like `complete_several`, with ``{"id", "variables"}`` as JSON for each job."""
        body = b'{"workerId":%b,"jobs":[%b]}' % (encode(worker_id), b",".join(done))
        answer = self._transport.ask("POST", path("v1", "jobs", "complete"), body)
        return [CallbackResult(it) for it in answer.json()["results"]]

    def fail(self, job_id: str, worker_id: str, message: str, *, retryable: bool) -> bool:
        """Say that a job could not be done. False if that came too late and changed nothing."""
        body = {"workerId": worker_id, "errorMessage": message, "retryable": retryable}
        return _accepted(self._post(path("v1", "jobs", job_id, "fail"), body))

    def heartbeat(
        self, job_id: str, worker_id: str, lease_seconds: int = 30, timeout: float = ANSWER_MAX
    ) -> None:
        """Prolong the hold on a job; refused with ``LEASE_LOST`` if it is not held any more."""
        body = encode({"workerId": worker_id, "leaseSeconds": lease_seconds})
        place = path("v1", "jobs", job_id, "heartbeat")
        self._transport.ask("POST", place, body, timeout=timeout)

    def _get(self, place: str) -> Answer:
        return self._transport.ask("GET", place)

    def _post(
        self, place: str, body: Mapping[str, Any], headers: dict[str, str] | None = None
    ) -> Answer:
        return self._transport.ask("POST", place, encode(body), headers)


def _accepted(answer: Answer) -> bool:
    return answer.headers.get("Waypost-Callback") != "ignored"
