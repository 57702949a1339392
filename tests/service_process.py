"""Starts the real service as a process, like a server or the desktop."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import httpx

from shared.system.paths import program_command, program_folder
from tests.fork_server import IS_AVAILABLE, ForkedProcess
from tests.service_app import ADMIN, migrated_file

__all__ = [
    "ADMIN",
    "FRESH",
    "RunningService",
    "ServiceProcess",
    "create_first_admin",
    "running_service",
    "service_process",
    "start_process",
]


FRESH = False
"""For `fork` of `running_service`, in tests of the start itself."""

ServiceProcess = subprocess.Popen[bytes] | ForkedProcess


class RunningService(NamedTuple):
    """A running service: its address, and its process, for tests that kill it."""

    url: str
    process: ServiceProcess


class ReadyService(RunningService):
    """A running service with the line that it printed when it was ready."""

    ready: dict[str, Any]


@contextlib.contextmanager
def service_process(data_dir: Path, fork: bool = True, /, **settings: str) -> Iterator[str]:
    """The address of a running service, see `running_service`."""
    with running_service(data_dir, fork, **settings) as running:
        yield running.url


@contextlib.contextmanager
def running_service(data_dir: Path, fork: bool = True, /, **settings: str) -> Iterator[ReadyService]:
    """A service that runs on `data_dir` until the block ends. It writes its log to service.log.

    `settings` are further `WALKAROUND_` variables, for example ``database_url="..."``. By default the service
    is forked (`tests/fork_server.py`) and finds a migrated database; `FRESH` starts it as a user does.
    """
    environment = {**os.environ, "WALKAROUND_PARENT_PIPE": "1", "WALKAROUND_BCRYPT_COST": "4"}
    environment |= {f"WALKAROUND_{name.upper()}": value for name, value in settings.items()}
    data_dir.mkdir(parents=True, exist_ok=True)
    if fork and "database_url" not in settings and not (data_dir / "walkaround.db").exists():
        shutil.copy(migrated_file(), data_dir)
    with (data_dir / "service.log").open("wb") as log:
        process = start_process(["serve", "--port", "0", "--data-dir", str(data_dir)], environment, log, fork)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            assert line, (data_dir / "service.log").read_text("utf-8")
            ready = json.loads(line)
            service = ReadyService(ready["url"], process)
            service.ready = ready
            yield service
        finally:
            process.stdin.close()
            process.wait(60)
            process.stdout.close()


def start_process(
    arguments: Sequence[str], environment: dict[str, str], stderr: IO[bytes], fork: bool = True
) -> ServiceProcess:
    """Start the command `walkaround` with `arguments`, with pipes to its stdin and stdout."""
    if fork and IS_AVAILABLE:
        return ForkedProcess(arguments, environment, stderr)
    return subprocess.Popen(
        program_command(*arguments),
        cwd=program_folder(),
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
    )


def create_first_admin(url: str) -> str:
    """Create the first administrator of the service at `url`. Returns the access token."""
    body = {"username": ADMIN[0], "password": ADMIN[1], "name": "主任"}
    token: str = httpx.post(f"{url}/api/auth/first-run", json=body).json()["data"]["access_token"]
    return token
