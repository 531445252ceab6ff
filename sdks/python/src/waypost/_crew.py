"""Where functions run: plain ones on threads of their own, coroutines on a loop."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from functools import partial
from queue import SimpleQueue
from typing import Any

log = logging.getLogger("waypost")

Errand = Callable[[], None]


class Crew:
    """Up to `size` threads, begun when they are needed, and a loop.

    The threads do not keep a program alive: one that hangs must not hold up its end.
    """

    def __init__(self, size: int, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._size = size
        self._errands: SimpleQueue[Errand | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._n_threads = 0
        self._n_open = 0
        self._loop = loop
        self._owns_loop = loop is None
        self._coming: deque[tuple[Coroutine[Any, Any, None], list[asyncio.Task[None]]]] = deque()
        self._is_woken = False
        self._tasks: set[asyncio.Task[None]] = set()

    def submit(self, errand: Errand) -> None:
        """Have a thread do it."""
        with self._lock:
            self._n_open += 1
            is_short = self._n_open > self._n_threads and self._n_threads < self._size
            self._n_threads += is_short
        self._errands.put(errand)
        if is_short:
            threading.Thread(target=self._work, name="waypost-crew", daemon=True).start()

    def _work(self) -> None:
        while (errand := self._errands.get()) is not None:
            try:
                errand()
            except Exception:
                # Whatever it is: a thread that dies in silence would never be missed.
                log.exception("a defect of the worker")
            with self._lock:
                self._n_open -= 1

    def start(self, coroutine: Coroutine[Any, Any, None]) -> Errand:
        """Begin a coroutine on the loop; the answer cancels it."""
        loop = self._running_loop()
        begun: list[asyncio.Task[None]] = []

        def end() -> None:
            # What is called in order is done in order, so it has begun by now.
            begun[0].cancel()

        def cancel() -> None:
            loop.call_soon_threadsafe(end)

        self._coming.append((coroutine, begun))
        if not self._is_woken:
            # To wake the loop is dear, so it is done once for all that come meanwhile.
            self._is_woken = True
            loop.call_soon_threadsafe(self._begin, loop)
        return cancel

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        self._is_woken = False
        while self._coming:
            coroutine, begun = self._coming.popleft()
            task = loop.create_task(coroutine)
            begun.append(task)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                run = partial(_run_loop, self._loop)
                threading.Thread(target=run, name="waypost-loop", daemon=True).start()
            return self._loop

    def close(self) -> None:
        """Send the threads home, and cancel coroutines that have not ended."""
        with self._lock:
            loop, n_threads = self._loop, self._n_threads
            self._size = 0
        for _ in range(n_threads):
            self._errands.put(None)
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._end_loop, loop)

    def _end_loop(self, loop: asyncio.AbstractEventLoop) -> None:
        for task in self._tasks:
            task.cancel()
        if self._owns_loop:
            # After they had a chance to hear of it.
            loop.call_later(0.1, loop.stop)


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()
