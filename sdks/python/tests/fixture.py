"""The real server, and workers that run beside a test."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from collections.abc import Callable, Iterator
from typing import Any

from waypost import Client, Worker

#: How long anything may take that has to happen, in seconds.
PATIENCE = 60.0

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"


def free_port() -> int:
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        port: int = it.getsockname()[1]
        return port


def environment() -> dict[str, str]:
    """What the caller's environment says about servers is not meant for this one."""
    ours = ("WAYPOST_", "WE_", "CYODA_")
    return {name: it for name, it in os.environ.items() if not name.startswith(ours)}


class Server:
    """A server on a port of its own, which it keeps when it is started again."""

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp()
        self._http, self._grpc = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self._http}"
        self.grpc = f"http://127.0.0.1:{self._grpc}"
        self.start()

    def start(self) -> None:
        program = os.environ.get("WAYPOST_BIN", "waypost")
        addresses = ["--http", f"127.0.0.1:{self._http}", "--grpc", f"127.0.0.1:{self._grpc}"]
        self._process = subprocess.Popen(
            [program, "serve", "--json", "--store", "sqlite:w.db", "--log", "error", *addresses],
            cwd=self._folder,
            env=environment(),
            stdout=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        assert json.loads(said)["http"] == self.url, said

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)


class Served(unittest.TestCase):
    """Tests beside one server."""

    server: Server
    client: Client

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server()
        cls.addClassCleanup(cls.server.close)
        cls.client = Client(cls.server.url)
        cls.addClassCleanup(cls.client.close)

    def process(self, *steps: dict[str, Any], **members: Any) -> str:
        """Deploy a line of service tasks named after this test, so that no other has its jobs."""
        name = self.id().rsplit(".", 1)[-1]
        following = [*(it["id"] for it in steps[1:]), "end"]
        line = [
            {
                "name": it["id"],
                "type": "SERVICE_TASK",
                "jobType": f"{name}-{it['id']}",
                "nextStep": after,
                **it,
            }
            for it, after in zip(steps, following, strict=True)
        ]
        end = {"id": "end", "name": "End", "type": "END"}
        definition = {"id": name, "name": name, "steps": [*line, end], **members}
        return self.client.processes.deploy(definition).id


@contextlib.contextmanager
def running(*workers: Worker[Any]) -> Iterator[None]:
    """Have workers work in threads, and stop them in good order."""
    threads = [threading.Thread(target=it.run, daemon=True) for it in workers]
    for it in threads:
        it.start()
    try:
        yield
    finally:
        for worker, thread in zip(workers, threads, strict=True):
            worker.stop()
            thread.join(PATIENCE)
            assert not thread.is_alive(), "the worker does not stop"


def eventually(what: Callable[[], Any], wanted: object = True) -> None:
    """Look until it is so: nobody tells when a server that runs beside has come that far."""
    until = time.monotonic() + PATIENCE
    while (seen := what()) != wanted:
        assert time.monotonic() < until, f"{seen!r} is not {wanted!r}"
        time.sleep(0.02)
