"""Workers of processes: lease jobs, have functions do them, report, many at a time."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ._backoff import Backoff
from ._crew import Errand
from ._http import Connection, encode
from ._run import Function
from ._shift import CLAIM_MAX, Held, Shift, report
from .client import Client
from .errors import FatalError, RefusedError, RetryableError, WaypostError
from .process import CallbackResult, Job
from .worker import Options, Outcome, Worker, words

if TYPE_CHECKING:
    import asyncio

    from typing_extensions import Unpack

log = logging.getLogger("waypost")

#: How many bytes one request completes. Servers take a mebibyte unless they are told otherwise.
BATCH_BYTES = 512 * 1024
LEASE_MIN, LEASE_MAX = 5, 3600
UNREADABLE = frozenset({400, 413})

F = TypeVar("F", bound=Function)


class Registry:
    """The functions that do jobs, by type of job."""

    def __init__(self) -> None:
        self._functions: dict[str, Function] = {}

    def register(self, job_type: str) -> Callable[[F], F]:
        """Have the decorated function, plain or a coroutine, do the jobs of a type.

        It is given a `Job` and returns variables to set, or nothing. What it raises is a failure:
        `FatalError` for good, anything else until the retries of the step are used up. It may run
        more than once for the same job: make it so that this does no harm, with
        ``job.step_execution_id`` as the key.
        """

        def add(function: F) -> F:
            if job_type in self._functions:
                raise ValueError(f"{job_type} has two functions")
            self._functions[job_type] = function
            return function

        return add

    def function(self, job_type: str) -> Function | None:
        """The function for a type of job."""
        return self._functions.get(job_type)

    @property
    def job_types(self) -> list[str]:
        """The types of jobs there are functions for."""
        return sorted(self._functions)


class JobWorker(Worker[Job]):
    """Does jobs of processes for a server. Leases of jobs are 5 seconds to an hour."""

    def __init__(
        self,
        client: Client | str,
        registry: Registry,
        **options: Unpack[Options],
    ) -> None:
        """Prepare a worker that does the jobs of `registry`; see `Worker` for the options."""
        super().__init__(client, **options)
        if not registry.job_types:
            raise ValueError("a worker needs a function")
        self._registry = registry
        self.lease = float(min(max(int(self.lease), LEASE_MIN), LEASE_MAX))
        self._completed: SimpleQueue[Completion | None] = SimpleQueue()

    def _prepare(self, loop: asyncio.AbstractEventLoop | None) -> Shift[Job]:
        shift = super()._prepare(loop)
        completed = self._completed = SimpleQueue()
        shift.ended.append(lambda: completed.put(None))
        completer = Completer(self, shift, completed)
        threading.Thread(target=completer.run, name="waypost-complete", daemon=True).start()
        return shift

    def claim(self, connection: Connection, n_most: int, wait: float) -> list[Job]:
        """Poll for jobs."""
        return self.client.processes.poll(
            self.name,
            self._registry.job_types,
            max_jobs=n_most,
            lease_seconds=int(self.lease),
            wait=wait,
            connection=connection,
        )

    def renew(self, work: Job, timeout: float) -> None:
        """Send a heartbeat."""
        self.client.processes.heartbeat(work.id, self.name, int(self.lease), timeout)

    def give_back(self, work: Job) -> bool:
        """Jobs cannot be given back; there is room for what was leased, so it is done."""
        del work
        return False

    def _function(self, work: Job) -> Function | None:
        return self._registry.function(work.job_type)

    def _missing(self, work: Job) -> Outcome:
        return FatalError(f"no function for {work.job_type}")

    def _settle(self, shift: Shift[Job], held: Held[Job], outcome: Outcome) -> Errand | None:
        if isinstance(outcome, BaseException):
            return lambda: self.fail(shift, held, outcome)
        if outcome is not None and not isinstance(outcome, Mapping):
            kind = type(outcome).__name__
            failure = FatalError(f"what the function returned is no mapping of variables: {kind}")
            return lambda: self.fail(shift, held, failure)
        try:
            body = encode({"id": held.work.id, "variables": outcome and dict(outcome)})
        except (TypeError, ValueError) as error:
            unsayable = FatalError(f"what the function returned is not JSON: {error}")
            return lambda: self.fail(shift, held, unsayable)
        self._completed.put(Completion(held, body, outcome))
        return None

    def complete(self, shift: Shift[Job], completion: Completion, why: str) -> None:
        """Complete one job alone, because something is wrong with it or its neighbors."""
        held = completion.held
        done = self.client.processes.complete
        try:
            accepted = report(held, lambda: done(held.work.id, self.name, completion.variables))
            if not accepted:
                log.warning("the completion of %s changed nothing: %s", held.work.id, why)
        except WaypostError as error:
            # If it breaks the step's schema the instance has failed with that already.
            if is_unreadable(error):
                self.fail(shift, held, RetryableError(str(error)))
                return
            log.warning("the completion of %s was not taken: %s", held.work.id, error)
        shift.done()

    def fail(self, shift: Shift[Job], held: Held[Job], failure: BaseException) -> None:
        """Say that a job could not be done."""
        job, retryable = held.work, not isinstance(failure, FatalError)
        meant = isinstance(failure, FatalError | RetryableError)
        message = str(failure) if meant else words(failure)
        log.info(
            "%s %s failed: %s", job.job_type, job.id, message, exc_info=None if meant else failure
        )
        fail = self.client.processes.fail
        try:
            if not report(held, lambda: fail(job.id, self.name, message, retryable=retryable)):
                log.warning("the failure of %s came too late", job.id)
        except WaypostError as error:
            log.warning("the failure of %s was not taken: %s", job.id, error)
        shift.done()


class Completion(NamedTuple):
    """A job that is done."""

    held: Held[Job]
    #: Its part of a request, as JSON.
    body: bytes
    variables: Mapping[str, Any] | None


class Completer:
    """Reports what is done: at once if it is alone, and together what has come meanwhile."""

    def __init__(
        self, worker: JobWorker, shift: Shift[Job], completed: SimpleQueue[Completion | None]
    ) -> None:
        self._worker = worker
        self._shift = shift
        self._completed = completed

    def run(self) -> None:
        """Report until there is nothing more to come."""
        while (first := self._completed.get()) is not None:
            batch = self._gather(first)
            try:
                self._send(batch)
            except Exception:
                log.exception("a defect of the worker")
                self._shift.done(len(batch))

    def _gather(self, first: Completion) -> list[Completion]:
        batch, size = [first], len(first.body)
        while len(batch) < CLAIM_MAX and size < BATCH_BYTES:
            try:
                another = self._completed.get_nowait()
            except Empty:
                break
            if another is None:
                self._completed.put(None)
                break
            batch.append(another)
            size += len(another.body)
        return batch

    def _send(self, batch: list[Completion]) -> None:
        backoff, is_again = Backoff(), False
        while batch:
            try:
                results = self._complete(batch)
            except WaypostError as error:
                if not error.retryable:
                    self._alone(batch, str(error))
                    return
                log.info("completions are sent again: %s", error)
                batch, is_again = self._in_time(batch, backoff.next()), True
                continue
            # One that was sent before may have been taken then.
            level = logging.INFO if is_again else logging.WARNING
            refused = self._refused(batch, results, level)
            self._shift.done(len(batch) - len(refused))
            for completion, why in refused:
                self._alone([completion], why)
            return

    def _complete(self, batch: list[Completion]) -> list[CallbackResult]:
        processes, name = self._worker.client.processes, self._worker.name
        if len(batch) > 1:
            return processes.complete_encoded(name, [it.body for it in batch])
        (only,) = batch
        accepted = processes.complete(only.held.work.id, name, only.variables)
        return [CallbackResult(id=only.held.work.id, accepted=accepted)]

    def _refused(
        self, batch: list[Completion], results: list[CallbackResult], level: int
    ) -> list[tuple[Completion, str]]:
        refused = []
        for completion, result in zip(batch, results, strict=True):
            if result.error is not None:
                refused.append((completion, result.error))
            elif not result.accepted:
                log.log(level, "the completion of %s came too late", result.id)
        return refused

    def _alone(self, batch: list[Completion], why: str) -> None:
        """Each by itself, in another thread: who waits there holds up nobody."""
        for completion in batch:
            self._shift.crew.submit(
                lambda it=completion: self._worker.complete(self._shift, it, why)  # type: ignore[misc]
            )

    def _in_time(self, batch: list[Completion], pause: float) -> list[Completion]:
        """Pause, and keep those whose lease lasts that long."""
        until = time.monotonic() + pause
        kept = [it for it in batch if it.held.until > until]
        if len(kept) < len(batch):
            log.warning("%d completions did not arrive in time", len(batch) - len(kept))
            self._shift.done(len(batch) - len(kept))
        time.sleep(pause)
        return kept


def is_unreadable(error: WaypostError) -> bool:
    """Whether what a function returned cannot be sent."""
    return (
        isinstance(error, RefusedError)
        and error.status in UNREADABLE
        and error.code != "SCHEMA_VIOLATED"
    )
