"""Pauses that grow while a server is away, and differ so that workers do not come back as one."""

from __future__ import annotations

import random

FIRST = 0.1
MOST = 30.0


class Backoff:
    """The pauses since it last went well."""

    def __init__(self) -> None:
        self._pause = FIRST

    def next(self) -> float:
        """Twice the pause before, a fifth more or less, half a minute at the most."""
        pause = self._pause
        self._pause = min(pause * 2, MOST)
        return min(pause * random.uniform(0.8, 1.2), MOST)  # noqa: S311 - no secret.

    def reset(self) -> None:
        """It went well."""
        self._pause = FIRST
