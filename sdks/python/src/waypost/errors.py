"""How things can fail: what the server or the way to it says, and what functions say."""

from __future__ import annotations

from typing import Any


class WaypostError(Exception):
    """Why a request was not carried out, or why nobody knows whether it was."""

    #: Whether the same request may succeed later.
    retryable: bool = False


class RefusedError(WaypostError):
    """The server says no, and why."""

    def __init__(
        self, status: int, code: str, detail: str, *, retryable: bool, problem: dict[str, Any]
    ) -> None:
        super().__init__(f"{code}: {detail}")
        #: The HTTP status.
        self.status = status
        #: Stable: match on this. Each has a page at ``/docs/errors/CODE`` of the server.
        self.code = code
        #: What went wrong this time.
        self.detail = detail
        self.retryable = retryable
        #: All the server said.
        self.problem = problem


class UnreachableError(WaypostError):
    """The server cannot be reached. Nothing has happened."""

    retryable = True


class NoAnswerError(WaypostError):
    """The request went out and no answer came back: it may or may not have been carried out."""

    retryable = True


class UnexpectedAnswerError(WaypostError):
    """What answers there is not a Waypost server, or not one of this version."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(f"an answer with status {status} is not understood: {detail}")
        #: The HTTP status.
        self.status = status
        self.retryable = status >= 500  # noqa: PLR2004 - where HTTP draws the line.


class RetryableError(Exception):
    """Raised by a function: trying again may help. Any other error says the same.

    ``after`` is how many seconds a step of a chain is left alone first; without it the server's
    policy decides. Jobs of processes are offered again at once.
    """

    def __init__(self, message: str, *, after: float | None = None) -> None:
        super().__init__(message)
        #: Seconds before the next attempt.
        self.after = after


class FatalError(Exception):
    """Raised by a function: trying again cannot help. The instance fails at once."""
