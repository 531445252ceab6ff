"""A client of one server."""

from __future__ import annotations

from types import TracebackType

from ._http import Connection, Transport
from .chain import Chains
from .process import Processes


class Client:
    """The processes and chains of the server at `url`. Connects when it is used.

    It may be used by any number of threads; each request waits for its answer.
    """

    def __init__(self, url: str = "http://127.0.0.1:8080", *, bearer: str | None = None) -> None:
        self._transport = Transport(url, bearer)
        #: Graphs of steps.
        self.processes = Processes(self._transport)
        #: Lines of steps.
        self.chains = Chains(self._transport)

    def connection(self) -> Connection:
        """A connection for the caller alone, such as a claim that waits."""
        return self._transport.connection()

    def close(self) -> None:
        """Close the connections that nobody uses."""
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({str(self._transport)!r})"
