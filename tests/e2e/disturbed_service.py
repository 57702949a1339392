"""Disturbs a service under write load and searches the changes that it acknowledged.

Threads create records and items, upload files and give verdicts without pauses (`acknowledged_changes.py`)
during a scenario: the service is repeatedly killed (kill -9), its disk becomes full and has space again, its
database does not answer, or PostgreSQL ends as after a crash.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx

from service.settings import Settings
from tests import postgresql
from tests.e2e.acknowledged_changes import Losses, Writers, find_losses
from tests.service_process import ServiceProcess, start_process

TIMEOUT_SECONDS = 180.0
STATEMENT_SECONDS = 5
"""Time limit of a statement, so that a refusal comes within ten seconds."""
_CHANGES_PER_THREAD = 10
"""Changes of each thread that are acknowledged before the scenario, and after it."""
_DISK_MB = 64
_BLOCK_BYTES = 2**16
_ADMIN = {"username": "chief", "password": "correct-horse-battery"}


class Service:
    """A service process on one address, which can be killed and restarted."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.url = f"http://127.0.0.1:{settings.port}"
        self._process: ServiceProcess | None = None

    def start(self) -> None:
        """Start the service and wait until it accepts requests."""
        settings = self.settings
        variables = {
            "WALKAROUND_DATA_DIR": str(settings.data_dir),
            "WALKAROUND_DATABASE_URL": settings.database_url,
            "WALKAROUND_STATEMENT_SECONDS": str(settings.statement_seconds),
            "WALKAROUND_BCRYPT_COST": "4",
            "WALKAROUND_LOG_LEVEL": "ERROR",
            # Without a reserve, uploads can fill the disk, which otherwise are refused before it is full.
            "WALKAROUND_DISK_RESERVE_BYTES": "0",
            "WALKAROUND_ACCESS_TOKEN_SECONDS": "86400",
        }
        with (settings.data_dir.parent / "service.log").open("ab") as log:
            self._process = start_process(
                ["serve", "--port", str(settings.port)], {**os.environ, **variables}, log
            )
        assert self._process.stdout is not None
        line = json.loads(self._process.stdout.readline() or b"{}")
        if line.get("event") != "ready":
            raise RuntimeError(
                f"the service does not start: {line}; see {settings.data_dir.parent}/service.log"
            )

    def kill(self) -> None:
        """Kill the service (kill -9)."""
        self._end(lambda process: process.kill())

    def stop(self) -> None:
        """Terminate the service."""
        self._end(lambda process: process.terminate())

    def _end(self, end: Callable[[ServiceProcess], None]) -> None:
        process, self._process = self._process, None
        if process is not None:
            end(process)
            process.wait(30)
            for pipe in (process.stdin, process.stdout):
                assert pipe is not None
                pipe.close()

    def create_first_admin(self) -> str:
        """Create the first administrator and return the access token."""
        body = {**_ADMIN, "name": "主任"}
        answer = httpx.post(f"{self.url}/api/auth/first-run", json=body, timeout=60).raise_for_status()
        token: str = answer.json()["data"]["access_token"]
        return token


class ScenarioResult(NamedTuple):
    """The result of a scenario. `recoveries` are the seconds until a change was acknowledged again."""

    acknowledged: int
    losses: Losses
    refused: dict[str, int]
    unanswered: int
    others: list[str]
    longest: float
    recoveries: list[float]


def run_scenario(
    settings: Settings, threads: int, scenario: Callable[[Service, Writers], list[float]]
) -> ScenarioResult:
    """Run a scenario on a service with an empty database, then search the acknowledged changes."""
    settings.prepare()
    service = Service(settings)
    service.start()
    try:
        writers = Writers(service.url, service.create_first_admin(), threads)
        with writers.run():
            writers.wait_for(_CHANGES_PER_THREAD * threads, TIMEOUT_SECONDS)
            recoveries = scenario(service, writers)
            writers.wait_for(_CHANGES_PER_THREAD * threads, TIMEOUT_SECONDS)
    finally:
        service.stop()
    failed = writers.failures
    return ScenarioResult(
        len(writers.acknowledged),
        find_losses(writers.acknowledged, settings),
        dict(failed.refused),
        failed.unanswered,
        failed.others,
        failed.longest,
        recoveries,
    )


def kill_repeatedly(times: int) -> Callable[[Service, Writers], list[float]]:
    """Kill the service `times` times at random moments, each time after acknowledged changes."""
    draw = random.Random(5)

    def play(service: Service, writers: Writers) -> list[float]:
        recoveries = []
        for _ in range(times):
            writers.wait_for(draw.randint(1, 60), TIMEOUT_SECONDS)
            time.sleep(draw.uniform(0, 0.02))
            service.kill()
            start = time.monotonic()
            service.start()
            writers.wait_for(1, TIMEOUT_SECONDS)
            recoveries.append(time.monotonic() - start)
        return recoveries

    return play


def fill_disk(disk: Path) -> Callable[[Service, Writers], list[float]]:
    """Fill `disk` until changes are refused, and free the space again."""

    def play(_service: Service, writers: Writers) -> list[float]:
        ballast = disk / "ballast"
        # The writers fill the disk at the same time.
        with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(_BLOCK_BYTES))
        writers.wait_for_refusals(100, TIMEOUT_SECONDS)
        ballast.unlink()
        return [writers.wait_for(1, TIMEOUT_SECONDS)]

    return play


def block_database(
    block: Callable[[], contextlib.AbstractContextManager[None]], seconds: float
) -> Callable[[Service, Writers], list[float]]:
    """Block the database for `seconds`, and until the first refusal."""

    def play(_service: Service, writers: Writers) -> list[float]:
        with block():
            time.sleep(seconds)
            writers.wait_for_refusals(1, TIMEOUT_SECONDS)
        return [writers.wait_for(1, TIMEOUT_SECONDS)]

    return play


def restart_repeatedly(server: postgresql.Server, times: int) -> Callable[[Service, Writers], list[float]]:
    """End PostgreSQL `times` times as a crash would, and restart it."""

    def play(_service: Service, writers: Writers) -> list[float]:
        recoveries = []
        for _ in range(times):
            writers.wait_for(20, TIMEOUT_SECONDS)
            start = time.monotonic()
            server.restart()
            writers.wait_for(1, TIMEOUT_SECONDS)
            recoveries.append(time.monotonic() - start)
        return recoveries

    return play


@contextmanager
def lock_database(path: Path) -> Iterator[None]:
    """Lock a SQLite file during the block, as another program could."""
    with contextlib.closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.rollback()


@contextmanager
def mount_small_disk(folder: Path) -> Iterator[Path]:
    """Mount a tmpfs of `_DISK_MB` MB at `folder`. Raises CalledProcessError if this user cannot."""
    folder.mkdir()
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={_DISK_MB}m,mode=777", "tmpfs", str(folder)],
        check=True,
        capture_output=True,
    )
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def create_settings(folder: Path, database_url: str) -> Settings:
    """Return the settings of a service with its data in `folder`."""
    return Settings(
        data_dir=folder / "data",
        database_url=database_url,
        port=postgresql.free_port(),
        statement_seconds=STATEMENT_SECONDS,
    )
