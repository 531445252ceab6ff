"""Compute nodes: programs that work on entities while they move, and decide about them.

Needs gRPC: ``pip install waypost[entity]``.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from ._backoff import Backoff
from ._crew import Crew
from ._functions import Functions, Question
from ._run import Runnable
from ._stream import Stream
from .worker import words

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence

__all__ = ["Functions", "Node", "Question"]

log = logging.getLogger("waypost")


class Node(Runnable):
    """A compute node: opens a stream to a server and answers what it is asked over it.

    It keeps the stream alive, comes back with growing pauses when it breaks, and finishes what it
    was asked before it goes.
    """

    def __init__(
        self,
        functions: Functions,
        *,
        tags: Sequence[str],
        url: str = "http://127.0.0.1:9090",
        bearer: str | None = None,
        concurrency: int = 16,
        grace: float = 20.0,
    ) -> None:
        """Prepare a node; nothing happens before it runs.

        It is asked if it has all the `tags` that a definition names. `url` is where the server
        speaks gRPC, `bearer` what the node shows if the server asks who comes, `concurrency` how
        many questions it works on at a time, `grace` how many seconds it may take to finish after
        it was told to stop.
        """
        super().__init__()
        self.functions = functions
        self.tags = tuple(tags)
        self.url = url
        self.bearer = bearer
        self.concurrency = concurrency
        self.grace = grace

    def _prepare(self, loop: asyncio.AbstractEventLoop | None) -> Membership:
        return Membership(self, loop)


class Membership:
    """One run of a node, over as many streams as it takes."""

    def __init__(self, node: Node, loop: asyncio.AbstractEventLoop | None) -> None:
        self._node = node
        self._crew = Crew(node.concurrency, loop)
        self._stopping = threading.Event()
        self._stream: Stream | None = None
        self._running = threading.Thread(target=self._run, name="waypost-node", daemon=True)

    def start(self) -> None:
        """Begin to join."""
        self._running.start()

    def end(self, grace: float) -> None:
        """Finish what was asked, for a while, and leave."""
        self._stopping.set()
        stream = self._stream
        if stream is not None:
            stream.stop()
        self._running.join(grace)
        if self._running.is_alive():
            log.warning("not everything that was asked is answered in time")
            if stream is not None:
                stream.cancel()
        self._crew.close()

    def _run(self) -> None:
        backoff = Backoff()
        while not self._stopping.is_set():
            try:
                stream = self._stream = Stream(self._node, self._crew)
                if self._stopping.is_set():
                    stream.stop()
                why = stream.attend()
                if stream.has_joined:
                    backoff.reset()
            except Exception as error:  # noqa: BLE001
                # Whatever it is: a node never stops coming back in silence.
                why = words(error)
            if not self._stopping.is_set():
                log.warning("the compute node is not connected: %s", why)
                self._stopping.wait(backoff.next())
