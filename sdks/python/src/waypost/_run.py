"""Running until told to stop: in a thread, beside others on a loop, and under signals."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Any, Protocol

SIGNALS = (signal.SIGTERM, signal.SIGINT)

#: What a user's function is called with and says is known to the registry it is in.
Function = Callable[[Any], Any]


class Run(Protocol):
    """What runs."""

    def start(self) -> None:
        """Begin, and come back at once."""

    def end(self, grace: float) -> None:
        """Begin nothing more, and let what runs finish, for a while."""


class Runnable(ABC):
    """Something that runs until it is told to stop."""

    #: How many seconds what runs may go on after it was told to stop.
    grace: float

    def __init__(self) -> None:
        self._wishes: SimpleQueue[None] = SimpleQueue()
        self._told: Callable[[], None] | None = None

    @abstractmethod
    def _prepare(self, loop: asyncio.AbstractEventLoop | None) -> Run:
        """Prepare one run, with the loop on which coroutines run or one of its own."""

    def run(self) -> None:
        """Run until `stop` is called, or SIGTERM or SIGINT arrives in the main thread.

        Then what was begun is finished, for a while. A second signal ends the program at once.
        """
        running = self._prepare(None)
        with _signals(self.stop):
            running.start()
            self._wishes.get()
        running.end(self.grace)

    async def run_async(self) -> None:
        """Like `run`, beside others on the running loop, on which coroutines run then.

        A task that is canceled finishes what was begun before it ends.
        """
        loop = asyncio.get_running_loop()
        told = asyncio.Event()

        def tell() -> None:
            loop.call_soon_threadsafe(told.set)

        running = self._prepare(loop)
        self._told = tell
        running.start()
        try:
            with _signals_of(loop, told.set):
                if self._wishes.empty():
                    await told.wait()
        finally:
            self._told = None
            await asyncio.shield(asyncio.to_thread(running.end, self.grace))

    def stop(self) -> None:
        """Have it finish what was begun and end. For any thread, and for signals."""
        # A queue is all that may be touched while a signal interrupts who knows what.
        self._wishes.put(None)
        told = self._told
        if told is not None:
            told()


def is_coroutine(function: Function) -> bool:
    """Whether it is to be awaited."""
    called = getattr(function, "__call__", None)  # noqa: B004 - what it is matters, not whether.
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)


@contextlib.contextmanager
def _signals(stop: Callable[[], None]) -> Iterator[None]:
    """Have signals stop what runs, once. Only the main thread may ask for them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {it: signal.signal(it, lambda *_: stop()) for it in SIGNALS}
    try:
        yield
    finally:
        for number, action in before.items():
            signal.signal(number, action)


@contextlib.contextmanager
def _signals_of(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> Iterator[None]:
    try:
        for number in SIGNALS:
            loop.add_signal_handler(number, stop)
    except (RuntimeError, ValueError, NotImplementedError):
        # Not the main thread, or a system without them.
        yield
        return
    try:
        yield
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)
