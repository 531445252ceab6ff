"""Sending requests and understanding answers, over connections that are kept."""

from __future__ import annotations

import http.client
import json
import select
import socket
import ssl
import threading
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from ._version import __version__
from .errors import NoAnswerError, RefusedError, UnexpectedAnswerError, UnreachableError

#: How long a connection may take to come about, in seconds.
CONNECT_MAX = 5.0
#: How long an answer may take that is not waited for on purpose, in seconds.
ANSWER_MAX = 30.0
#: How many connections are kept while nobody uses them.
IDLE_MAX = 64
#: How much of an answer that is not understood is repeated.
EXCERPT_MAX = 200

BUSY = frozenset({429, 502, 503, 504})
REFUSED_FROM = 400


@dataclass(frozen=True)
class Answer:
    """What the server said."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self) -> Any:  # noqa: ANN401 - whatever was sent.
        """The body, read as JSON."""
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise UnexpectedAnswerError(self.status, f"{error} in {_excerpt(self.body)}") from error


class Connection:
    """One connection, for one request at a time. Connects when it is used, and again if need be."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._http = place.connection()
        self._is_aborted = False

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        timeout: float = ANSWER_MAX,
    ) -> Answer:
        """Send a request; an answer that is a refusal is an error."""
        is_kept = self._http.sock is not None
        try:
            return self._ask(method, path, body, headers, timeout)
        except NoAnswerError as error:
            # The server may have ended a kept connection just then. To look twice does no harm.
            is_over = isinstance(error.__cause__, http.client.RemoteDisconnected | ConnectionError)
            if method != "GET" or not (is_kept and is_over):
                raise
            return self._ask(method, path, body, headers, timeout)

    def _ask(
        self,
        method: str,
        path: str,
        body: bytes | None,
        headers: dict[str, str] | None,
        timeout: float,
    ) -> Answer:
        http_ = self._http
        if http_.sock is not None and _is_over(http_.sock):
            http_.close()
        if http_.sock is None:
            self._connect()
        if self._is_aborted:
            raise NoAnswerError(f"{self._place} is not asked any more")
        try:
            http_.sock.settimeout(timeout)
            http_.request(method, self._place.prefix + path, body, self._place.headers(headers))
            response = http_.getresponse()
            answer = Answer(response.status, response.headers, response.read())
        except (OSError, http.client.HTTPException, AttributeError) as error:
            # A connection that was closed meanwhile has no socket any more.
            http_.close()
            raise NoAnswerError(f"{self._place} did not answer: {_reason(error)}") from error
        except BaseException:
            # Half an answer must not be taken for the next one.
            http_.close()
            raise
        if answer.status >= REFUSED_FROM:
            raise refusal(answer)
        return answer

    def _connect(self) -> None:
        self._http.timeout = CONNECT_MAX
        try:
            self._http.connect()
        except OSError as error:
            self._http.close()
            raise UnreachableError(f"{self._place} cannot be reached: {_reason(error)}") from error

    def abort(self) -> None:
        """End the request that is under way in another thread, and allow no other."""
        self._is_aborted = True
        sock = self._http.sock
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                # It is over already.
                return

    def close(self) -> None:
        """Close it."""
        self._http.close()


class Place:
    """Where a server is, and what is shown to it."""

    def __init__(self, url: str, bearer: str | None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is not an address such as http://127.0.0.1:8080")
        self._host = parts.hostname
        self._port = parts.port
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._shown = f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" * bool(parts.port))
        #: What every path begins with.
        self.prefix = parts.path.rstrip("/")
        self._headers = {"User-Agent": f"waypost-python/{__version__}"}
        if bearer is not None:
            self._headers["Authorization"] = f"Bearer {bearer}"

    def connection(self) -> http.client.HTTPConnection:
        """A connection that is not yet open."""
        if self._tls is not None:
            return http.client.HTTPSConnection(self._host, self._port, context=self._tls)
        return http.client.HTTPConnection(self._host, self._port)

    def headers(self, more: dict[str, str] | None) -> dict[str, str]:
        """What is sent along with every request, and more."""
        return {**self._headers, "Content-Type": "application/json", **(more or {})}

    def __str__(self) -> str:
        return self._shown


class Transport:
    """Connections to one server, for any number of threads."""

    def __init__(self, url: str, bearer: str | None = None) -> None:
        self._place = Place(url, bearer)
        self._lock = threading.Lock()
        self._idle: list[Connection] = []

    def __str__(self) -> str:
        return str(self._place)

    def connection(self) -> Connection:
        """A connection for the caller alone."""
        return Connection(self._place)

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        timeout: float = ANSWER_MAX,
    ) -> Answer:
        """Send a request over a connection that is free."""
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        connection = connection or self.connection()
        try:
            return connection.ask(method, path, body, headers, timeout)
        finally:
            self._give_back(connection)

    def _give_back(self, connection: Connection) -> None:
        with self._lock:
            if len(self._idle) < IDLE_MAX:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        """Close the connections that nobody uses."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


def encode(value: Any) -> bytes:  # noqa: ANN401 - whatever JSON can say.
    """Write JSON; what JSON cannot say is a `TypeError` or a `ValueError`."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


def path(*segments: str) -> str:
    """Make a path; segments may contain anything."""
    return "/" + "/".join(quote(it, safe="") for it in segments)


def query(**members: object) -> str:
    """Make a query string of the members that are given."""
    given = {name: value for name, value in members.items() if value is not None}
    return f"?{urlencode(given)}" if given else ""


def refusal(answer: Answer) -> RefusedError | UnexpectedAnswerError:
    """Understand a refusal. Each family of routes has words of its own."""
    try:
        problem = json.loads(answer.body)
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        return UnexpectedAnswerError(answer.status, _excerpt(answer.body))
    properties = problem.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    code = problem.get("code") or properties.get("errorCode") or problem.get("error")
    if not isinstance(code, str):
        return UnexpectedAnswerError(answer.status, _excerpt(answer.body))
    detail = str(problem.get("detail") or problem.get("reason") or "").removeprefix(f"{code}: ")
    said = problem.get("retryable", properties.get("retryable"))
    # A turn that lost too many races may win the next.
    busy = answer.status in BUSY or code == "CONTENDED"
    retryable = said if isinstance(said, bool) else busy
    return RefusedError(answer.status, code, detail, retryable=retryable, problem=problem)


def _is_over(sock: socket.socket) -> bool:
    """Whether the server has ended a connection that nobody uses: there is something to read."""
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(sock, select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([sock], [], [], 0)[0])


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return str(error) or type(error).__name__


def _excerpt(body: bytes) -> str:
    return body.decode("utf-8", "replace").strip()[:EXCERPT_MAX]
