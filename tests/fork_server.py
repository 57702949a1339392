"""Starts processes of the service by fork from one that has imported it and served a first request.

Starting one takes 0.35 s of processor time instead of 1.5 s, and the tests start a hundred. A forked service
is a process with its own environment, streams and exit status like any other; its own child processes start
afresh. Only on Linux.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import IO, NoReturn

from shared.system.paths import program_folder
from tests.deadlines import CHILD_SECONDS

IS_AVAILABLE = sys.platform == "linux"

_used_seconds = 0.0


def forked_seconds() -> float:
    """The processor time in s of the forked processes that have ended, which `os.times` does not count."""
    return _used_seconds


class ForkedProcess:
    """A process of the program with the part of `subprocess.Popen` that tests use.

    `arguments` are those of the command `walkaround`. Output streams are bytes.
    """

    def __init__(self, arguments: Sequence[str], environment: dict[str, str], stderr: IO[bytes]) -> None:
        self.returncode: int | None = None
        stdin_read, stdin_write = os.pipe()
        stdout_read, stdout_write = os.pipe()
        self._answers, answers = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        request = json.dumps([list(arguments), environment]).encode()
        given = [stdin_read, stdout_write, stderr.fileno(), answers.fileno()]
        socket.send_fds(_server(), [request], given)
        os.close(stdin_read)
        os.close(stdout_write)
        answers.close()
        self.stdin: IO[bytes] = open(stdin_write, "wb", buffering=0)  # noqa: PTH123, SIM115
        self.stdout: IO[bytes] = open(stdout_read, "rb")  # noqa: PTH123, SIM115
        self._answers.settimeout(CHILD_SECONDS)
        self.pid = int(self._answers.recv(1000))

    def poll(self) -> int | None:
        """The exit status, negative for a signal; None while the process runs."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end and return the exit status. Raises TimeoutExpired after `timeout` s."""
        global _used_seconds
        if self.returncode is None:
            seconds = CHILD_SECONDS if timeout is None else timeout
            self._answers.settimeout(seconds)
            try:
                status, used = json.loads(self._answers.recv(1000))
            except (TimeoutError, BlockingIOError):
                raise subprocess.TimeoutExpired(f"process {self.pid}", seconds) from None
            self._answers.close()
            self.returncode = int(status)
            _used_seconds += used
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


@cache
def _server() -> socket.socket:
    """The connection to the process that forks. It ends when this one ends and the connection with it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        command = f"from tests.fork_server import serve; serve({theirs.fileno()})"
        process = subprocess.Popen(
            [sys.executable, "-c", command], cwd=program_folder(), pass_fds=[theirs.fileno()]
        )
    # It lives as long as the tests, so nothing waits for it.
    process.returncode = 0
    atexit.register(ours.close)
    return ours


def serve(descriptor: int) -> None:
    """Fork a process for each request of the connection `descriptor`, until that is closed."""
    connection = socket.socket(fileno=descriptor)
    for module in ("service.command_line", "service.running", "alembic.command", "mako.template"):
        importlib.import_module(module)
    _serve_a_request()
    gc.freeze()
    assert threading.active_count() == 1, "a fork copies only one thread"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        request, descriptors, _, _ = socket.recv_fds(connection, 1_000_000, 4)
        if not request:
            return
        if os.fork() == 0:
            connection.close()
            _start_and_watch(json.loads(request), descriptors)
        for given in descriptors:
            os.close(given)


def _serve_a_request() -> None:
    """Fill the caches of the libraries: the classes of generic models, and compiled statements."""
    from starlette.testclient import TestClient

    from service.app import create_app
    from service.settings import Settings

    with (
        tempfile.TemporaryDirectory() as folder,
        TestClient(create_app(Settings(data_dir=Path(folder), bcrypt_cost=4)), "http://localhost") as client,
    ):
        body = {"username": "first", "password": "correct-horse-battery", "name": "first"}
        client.post("/api/auth/first-run", json=body)


def _start_and_watch(request: tuple[list[str], dict[str, str]], descriptors: list[int]) -> NoReturn:
    """Fork the process, and answer with its ID and, when it ends, with its exit status and processor time."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *streams, answers = descriptors
    pid = os.fork()
    if pid == 0:
        os.close(answers)
        _run(*request, streams)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for stream in streams:
        os.close(stream)
    connection = socket.socket(fileno=answers)
    connection.send(str(pid).encode())
    _, status, usage = os.wait4(pid, 0)
    connection.send(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime]).encode())
    os._exit(0)


def _run(arguments: list[str], environment: dict[str, str], streams: list[int]) -> NoReturn:
    """Become the process, and run the command."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # Those of the server remember whether its own files, which pytest replaced, could be sought.
    sys.stdout, sys.stderr = (open(number, "w", 1, closefd=False) for number in (1, 2))  # noqa: SIM115
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    sys.argv = ["walkaround", *arguments]
    command_line = importlib.import_module("shared.command_line")
    command_line.main(arguments)
    raise AssertionError("the command line exits")
