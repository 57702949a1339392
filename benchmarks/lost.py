"""Kills and disturbs a service under write load, and counts the acknowledged changes that it lost.

    python -m benchmarks.lost [--databases NAME ...] [--kills N] [--threads N] [--away SECONDS]
        [--scenarios NAME ...]

Threads create records and items, upload files and give verdicts without pauses (`benchmarks/acknowledged.py`)
during one of these scenarios, on SQLite and, if its server programs are installed, on PostgreSQL:

- `kills`: the service is repeatedly killed (kill -9) and started on the same data.
- `full`: its disk, a small tmpfs, becomes full and has space again (as root on Linux).
- `away`: the database does not answer, because every process of PostgreSQL is stopped or another program has
  locked the SQLite file.
- `restarts`: PostgreSQL ends as after a crash, and starts again.

Prints one JSON line per figure (`benchmarks/figures.py`): the acknowledged changes; those missing afterwards
in the database, the files or the audit log; the answers that were neither a success nor a refusal with a
sentence; the seconds until the slowest refusal, and until the first change is acknowledged again. PostgreSQL
writes through to the disk, as in production.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx

from benchmarks.acknowledged import Losses, Writers, find_losses
from benchmarks.figures import ROOT, percentile, print_figure, print_skipped
from service.settings import Settings
from shared.system.paths import program_command
from tests import postgresql

DATABASES = ("sqlite", "postgresql")
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
        self._process: subprocess.Popen[str] | None = None

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
            self._process = subprocess.Popen(
                program_command("serve", "--port", str(settings.port)),
                cwd=ROOT,
                env={**os.environ, **variables},
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self._process.stdout is not None
        line = json.loads(self._process.stdout.readline() or "{}")
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

    def _end(self, end: Callable[[subprocess.Popen[str]], None]) -> None:
        process, self._process = self._process, None
        if process is not None:
            end(process)
            process.wait(30)
            assert process.stdout is not None
            process.stdout.close()

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


# Scenarios


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


# Figures


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the scenarios of the command line and print the figures. Returns 1 if a change was lost."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.lost", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--databases", nargs="+", choices=DATABASES, default=DATABASES)
    parser.add_argument("--scenarios", nargs="+", choices=_SCENARIOS, default=list(_SCENARIOS))
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--threads", type=int, default=12)
    parser.add_argument("--away", type=float, default=30.0, help="seconds that the database does not answer")
    options = parser.parse_args(arguments)
    passed = True
    for database in options.databases:
        for name in options.scenarios:
            with ExitStack() as stack:
                outcome = _SCENARIOS[name](database, options, stack)
                if outcome is not None:
                    passed = _print_result(database, name, outcome) and passed
    return 0 if passed else 1


def _print_result(database: str, name: str, outcome: ScenarioResult) -> bool:
    prefix = f"{database}: {name}"
    losses = outcome.losses
    print_figure(f"{prefix}, acknowledged", outcome.acknowledged, "changes", times=len(outcome.recoveries))
    for kind, examples in (
        ("changes", losses.changes),
        ("audit entries", losses.entries),
        ("audit log", losses.log),
    ):
        print_figure(f"{prefix}, {kind} lost", len(examples), "lost", goal=0, examples=examples[:5])
    print_figure(
        f"{prefix}, neither success nor refusal",
        len(outcome.others),
        "answers",
        goal=0,
        examples=outcome.others[:5],
    )
    print_figure(
        f"{prefix}, refused",
        sum(outcome.refused.values()),
        "answers",
        sentences=outcome.refused,
        unanswered=outcome.unanswered,
    )
    print_figure(f"{prefix}, slowest refusal", outcome.longest, "s", goal=STATEMENT_SECONDS + 30.0)
    if outcome.recoveries:
        longest = max(outcome.recoveries)
        print_figure(
            f"{prefix}, recovery", percentile(outcome.recoveries, 0.5), "s", longest=round(longest, 2)
        )
    return losses.is_empty and not outcome.others


def _create_folder(stack: ExitStack) -> Path:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="walkaround-lost-")))
    # PostgreSQL can run as another user, which must be able to enter the folder.
    folder.chmod(0o711)
    return folder


def _start_server(stack: ExitStack, figure: str) -> postgresql.Server | None:
    place = postgresql.find_binaries()
    if place is None:
        print_skipped(figure, "no PostgreSQL server binary on this machine")
        return None
    server = postgresql.Server(place, fsync="on")
    stack.callback(server.stop)
    return server


def create_settings(folder: Path, database_url: str) -> Settings:
    """Return the settings of a service with its data in `folder`."""
    return Settings(
        data_dir=folder / "data",
        database_url=database_url,
        port=postgresql.free_port(),
        statement_seconds=STATEMENT_SECONDS,
    )


def _prepare_database(
    database: str, name: str, stack: ExitStack, folder: Path | None = None
) -> tuple[Settings, postgresql.Server | None] | None:
    """Return settings with an empty database, and its server; None if PostgreSQL is not installed."""
    folder = folder or _create_folder(stack)
    if database == "sqlite":
        return create_settings(folder, ""), None
    server = _start_server(stack, f"{database}: {name}")
    if server is None:
        return None
    server.execute("CREATE DATABASE lost")
    return create_settings(folder, server.url("lost")), server


def _run_kills(database: str, options: argparse.Namespace, stack: ExitStack) -> ScenarioResult | None:
    prepared = _prepare_database(database, "kills", stack)
    return prepared and run_scenario(prepared[0], options.threads, kill_repeatedly(options.kills))


def _run_full(database: str, options: argparse.Namespace, stack: ExitStack) -> ScenarioResult | None:
    folder = _create_folder(stack)
    try:
        disk = stack.enter_context(mount_small_disk(folder / "disk"))
    except (subprocess.CalledProcessError, OSError):
        print_skipped(f"{database}: full", "this user may mount no tmpfs")
        return None
    prepared = _prepare_database(database, "full", stack, disk if database == "sqlite" else folder)
    if prepared is None:
        return None
    settings, server = prepared
    if server is not None:
        # Only the tables are on the small disk. Without space for its write-ahead log, the server would end.
        space = disk / "space"
        space.mkdir()
        server.allow_writing(space)
        server.execute(f"CREATE TABLESPACE small LOCATION '{space}'")
        server.execute("CREATE DATABASE small TABLESPACE small")
        settings = settings.model_copy(update={"database_url": server.url("small")})
    return run_scenario(settings, options.threads, fill_disk(disk))


def _run_away(database: str, options: argparse.Namespace, stack: ExitStack) -> ScenarioResult | None:
    prepared = _prepare_database(database, "away", stack)
    if prepared is None:
        return None
    settings, server = prepared
    path = settings.data_dir / "walkaround.db"
    block = (lambda: lock_database(path)) if server is None else server.pause
    return run_scenario(settings, options.threads, block_database(block, options.away))


def _run_restarts(database: str, options: argparse.Namespace, stack: ExitStack) -> ScenarioResult | None:
    if database == "sqlite":
        return None
    prepared = _prepare_database(database, "restarts", stack)
    if prepared is None or prepared[1] is None:
        return None
    return run_scenario(prepared[0], options.threads, restart_repeatedly(prepared[1], 5))


_SCENARIOS: dict[str, Callable[[str, argparse.Namespace, ExitStack], ScenarioResult | None]] = {
    "kills": _run_kills,
    "full": _run_full,
    "away": _run_away,
    "restarts": _run_restarts,
}

if __name__ == "__main__":
    raise SystemExit(main())
