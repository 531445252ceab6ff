"""What workers of processes and of chains have in common."""

from __future__ import annotations

import os
import re
import socket
import uuid
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar

from ._crew import Errand
from ._http import Connection
from ._record import Leased
from ._run import Function, Runnable, is_coroutine
from ._shift import Held, Shift
from .client import Client

if TYPE_CHECKING:
    import asyncio

    from typing_extensions import Unpack

W = TypeVar("W", bound=Leased)

#: What the server lets a claim wait for, in seconds.
WAIT_MAX = 30.0

Outcome = Any


def worker_id(application: str = "waypost") -> str:
    """Make a readable name that no other worker has: application, host, process, chance."""
    names = (application, socket.gethostname(), str(os.getpid()), uuid.uuid4().hex[:8])
    clean = (re.sub(r"[^a-z0-9_.-]", "-", it.strip().lower()) or "unknown" for it in names)
    return ":".join(clean)


class Options(TypedDict, total=False):
    """How a worker works. Times are in seconds."""

    #: Who it is. Two workers must never share a name; one is made up if none is given.
    name: str
    #: How much it does at a time: 16.
    concurrency: int
    #: How long it holds work without saying so again: 30.
    lease: float
    #: How long the server lets a claim wait for work: 20, at most 30.
    wait: float
    #: How long work may go on after it was told to stop: 20.
    grace: float


class Worker(Runnable, Generic[W]):
    """Claims work, has functions do it, and reports.

    It never holds more than it can begin at once, keeps leases alive while functions run, comes
    back with growing pauses when the server was away, and finishes what it has begun when it is
    told to stop.
    """

    def __init__(self, client: Client | str, **options: Unpack[Options]) -> None:
        """Prepare a worker; nothing is asked for before it runs.

        `client` is a client or the address of a server.
        """
        super().__init__()
        unknown = options.keys() - Options.__annotations__.keys()
        if unknown:
            raise TypeError(f"a worker has no option {', '.join(sorted(unknown))}")
        self._owns_client = isinstance(client, str)
        self.client = Client(client) if isinstance(client, str) else client
        self.name = options.get("name") or worker_id()
        self.concurrency = options.get("concurrency", 16)
        self.lease = options.get("lease", 30.0)
        self.wait = min(options.get("wait", 20.0), WAIT_MAX)
        self.grace = options.get("grace", 20.0)
        if self.concurrency < 1:
            raise ValueError(f"concurrency must be at least 1, is {self.concurrency}")

    def run_once(self) -> int:
        """Claim once without waiting, do what was claimed, and say how much that was."""
        return self._prepare(None).once(self.concurrency)

    def _prepare(self, loop: asyncio.AbstractEventLoop | None) -> Shift[W]:
        shift = Shift(self, self.concurrency, self.client.connection(), loop)
        if self._owns_client:
            shift.ended.append(self.client.close)
        return shift

    @abstractmethod
    def claim(self, connection: Connection, n_most: int, wait: float) -> list[W]:
        """Take work, waiting for it."""

    @abstractmethod
    def renew(self, work: W, timeout: float) -> None:
        """Say that it is still in our hands."""

    @abstractmethod
    def give_back(self, work: W) -> bool:
        """Give back what was not begun. False if that cannot be, and it is to be done."""

    @abstractmethod
    def _function(self, work: W) -> Function | None: ...

    @abstractmethod
    def _missing(self, work: W) -> Outcome:
        """What is said about work that there is no function for."""

    @abstractmethod
    def _settle(self, shift: Shift[W], held: Held[W], outcome: Outcome) -> Errand | None:
        """Report what a function returned or raised. What takes its time is left to be done."""

    def begin(self, shift: Shift[W], held: Held[W]) -> None:
        """Have it done where it belongs: on a thread, or on the loop."""
        function = self._function(held.work)
        if function is not None and is_coroutine(function):
            held.cancel = shift.crew.start(self._attend(shift, held, function))
        else:
            shift.crew.submit(lambda: self._do(shift, held, function))

    def _do(self, shift: Shift[W], held: Held[W], function: Function | None) -> None:
        outcome: Outcome
        try:
            outcome = function(held.work) if function else self._missing(held.work)
        except BaseException as error:  # noqa: BLE001 - even one that exits has failed.
            outcome = error
        if shift.finished(held) and (errand := self._settle(shift, held, outcome)):
            errand()

    async def _attend(
        self, shift: Shift[W], held: Held[W], function: Callable[[W], Awaitable[Any]]
    ) -> None:
        outcome: Outcome
        try:
            outcome = await function(held.work)
        except BaseException as error:  # noqa: BLE001 - even one that is canceled has.
            outcome = error
        if shift.finished(held) and (errand := self._settle(shift, held, outcome)):
            # Nothing may hold up the loop.
            shift.crew.submit(errand)


def words(error: BaseException) -> str:
    """Say what was raised."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
