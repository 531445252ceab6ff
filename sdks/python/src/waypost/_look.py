"""Looking at instances: until they have ended, and page by page."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

#: How long is waited between two looks at an instance, in seconds.
LOOK_PAUSE = 0.1


class Ending(Protocol):
    """What ends at some time."""

    @property
    def is_over(self) -> bool:
        """Whether it has ended, in whatever way."""


E = TypeVar("E", bound=Ending)


def until_over(show: Callable[[], E], timeout: float, where: Callable[[E], str]) -> E:
    """Look until it has ended; a `TimeoutError` that says where it is if that takes too long."""
    until = time.monotonic() + timeout
    while not (shown := show()).is_over:
        if time.monotonic() >= until:
            raise TimeoutError(where(shown))
        time.sleep(LOOK_PAUSE)
    return shown


def paged(
    read: Callable[[str | None], list[dict[str, Any]]], page_size: int, key: str
) -> Iterator[dict[str, Any]]:
    """Items page by page as they are read; `key` is the member the next page goes on from."""
    last: str | None = None
    while True:
        items = read(last)
        yield from items
        if len(items) < page_size:
            return
        last = items[-1][key]
