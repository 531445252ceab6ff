"""What every worker does: claim no more than can begin, begin it, keep it, end in good order."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from ._backoff import Backoff
from ._crew import Crew
from ._http import ANSWER_MAX, Connection
from ._record import Leased
from .errors import WaypostError

log = logging.getLogger("waypost")

#: How long a claim that is under way may take once the worker was told to stop, in seconds. After
#: that the server sees the connection close and takes back what it handed out.
CLAIM_LINGER = 0.5
#: How much the server hands out at a time.
CLAIM_MAX = 1000
#: How often in a lease is looked whether one is to be renewed.
LOOKS = 12

W = TypeVar("W", bound=Leased)


class Held(Generic[W]):
    """Work in our hands, and until when it certainly is."""

    __slots__ = ("cancel", "renew_at", "until", "work")

    def __init__(self, work: W, lease: float) -> None:
        now = time.monotonic()
        self.work = work
        self.until = now + lease
        self.renew_at = now + lease / 3
        self.cancel: Callable[[], None] | None = None


class Trade(Protocol[W]):
    """What a worker works on: steps of chains, or jobs of processes."""

    lease: float
    wait: float

    def claim(self, connection: Connection, n_most: int, wait: float) -> list[W]:
        """Take work, waiting for it."""

    def renew(self, work: W, timeout: float) -> None:
        """Say that it is still in our hands."""

    def give_back(self, work: W) -> bool:
        """Give back what was not begun. False if that cannot be, and it is to be done."""

    def begin(self, shift: Shift[W], held: Held[W]) -> None:
        """Have it done, and end it with `Shift.done` in whatever way."""


class Slots:
    """How much can begin at once."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._free = size
        self._is_closed = False
        self._changed = threading.Condition()

    def free(self) -> int:
        """Wait until something can begin; say how much. Nothing once it is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._free > 0 or self._is_closed)
            return 0 if self._is_closed else self._free

    def take(self, number: int) -> None:
        """Occupy as many as were claimed."""
        with self._changed:
            self._free -= number

    def give(self, number: int) -> None:
        """Something has ended."""
        with self._changed:
            self._free += number
            self._changed.notify_all()

    def close(self) -> None:
        """Nothing more may begin."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def wait(self, timeout: float) -> int:
        """Wait until everything has ended; say how much has not."""
        with self._changed:
            self._changed.wait_for(lambda: self._free >= self._size, timeout)
            return self._size - self._free


class Shift(Generic[W]):
    """One run of a worker."""

    def __init__(
        self,
        trade: Trade[W],
        concurrency: int,
        connection: Connection,
        loop: asyncio.AbstractEventLoop | None,
    ) -> None:
        self._trade = trade
        self._connection = connection
        self._slots = Slots(concurrency)
        self._held: set[Held[W]] = set()
        self._stopping = threading.Event()
        self._ended = threading.Event()
        self._claiming = threading.Thread(target=self._claim, name="waypost-claim", daemon=True)
        self._keeping = threading.Thread(target=self._keep, name="waypost-keep", daemon=True)
        #: Where functions run.
        self.crew = Crew(concurrency, loop)
        #: What is to be done when it has ended.
        self.ended: list[Callable[[], None]] = []

    def start(self) -> None:
        """Begin to claim."""
        self._keeping.start()
        self._claiming.start()

    def once(self, concurrency: int) -> int:
        """Claim once, do it, and say how much that was."""
        self._keeping.start()
        try:
            works = self._trade.claim(self._connection, min(concurrency, CLAIM_MAX), 0)
            self._begin(works)
            self._slots.wait(threading.TIMEOUT_MAX)
            return len(works)
        finally:
            self._end()

    def end(self, grace: float) -> None:
        """Claim no more, and let what runs finish, for a while."""
        until = time.monotonic() + grace
        self._stopping.set()
        self._slots.close()
        self._claiming.join(CLAIM_LINGER)
        if self._claiming.is_alive():
            self._connection.abort()
            self._claiming.join(max(until - time.monotonic(), 0))
        left = self._slots.wait(max(until - time.monotonic(), 0))
        if left:
            log.warning("%d did not end in time; their leases will lapse", left)
        self._end()

    def _end(self) -> None:
        self._ended.set()
        self._connection.close()
        self.crew.close()
        for tell in self.ended:
            tell()

    def _claim(self) -> None:
        backoff = Backoff()
        while n_free := self._slots.free():
            try:
                most = min(n_free, CLAIM_MAX)
                self._begin(self._trade.claim(self._connection, most, self._trade.wait))
                backoff.reset()
            except Exception as error:
                if self._stopping.is_set():
                    return
                # Whatever it is: a worker never stops asking in silence.
                is_defect = not isinstance(error, WaypostError)
                log.warning("no work could be claimed: %s", error, exc_info=is_defect)
                self._stopping.wait(backoff.next())

    def _begin(self, works: list[W]) -> None:
        self._slots.take(len(works))
        for work in works:
            if self._stopping.is_set() and self._trade.give_back(work):
                self._slots.give(1)
                continue
            held = Held(work, self._trade.lease)
            self._held.add(held)
            self._trade.begin(self, held)

    def finished(self, held: Held[W]) -> bool:
        """The function has ended: the lease need not be renewed. False if nobody waits for it."""
        self._held.discard(held)
        if held.work.is_lost or self._ended.is_set():
            self.done()
            return False
        return True

    def done(self, number: int = 1) -> None:
        """What was begun has ended, and was reported."""
        self._slots.give(number)

    def _keep(self) -> None:
        while not self._ended.wait(self._trade.lease / LOOKS):
            now = time.monotonic()
            for held in self._held.copy():
                if held.renew_at <= now:
                    self._renew(held)

    def _renew(self, held: Held[W]) -> None:
        lease, now = self._trade.lease, time.monotonic()
        left = held.until - now
        try:
            if left <= 0:
                self._lose(held, "the server did not answer until its end")
                return
            self._trade.renew(held.work, min(left, ANSWER_MAX))
            held.until, held.renew_at = now + lease, now + lease / 3
        except WaypostError as error:
            if not error.retryable:
                self._lose(held, str(error))
                return
            log.warning("a lease could not be renewed: %s", error)
            held.renew_at = time.monotonic() + lease / LOOKS
        except Exception:
            log.exception("a defect of the worker")

    def _lose(self, held: Held[W], why: str) -> None:
        if held not in self._held:
            # It has ended meanwhile, and says so itself.
            return
        self._held.discard(held)
        held.work.is_lost = True
        log.warning("a lease is lost, and what was begun under it is dropped: %s", why)
        if held.cancel is not None:
            held.cancel()


def report(held: Held[W], send: Callable[[], bool]) -> bool:
    """Send a report until it is answered or the lease is over: the same again is harmless."""
    backoff = Backoff()
    while True:
        try:
            return send()
        except WaypostError as error:
            pause = backoff.next()
            if not error.retryable or time.monotonic() + pause >= held.until:
                raise
            log.info("a report is sent again: %s", error)
            time.sleep(pause)
