"""Kills and starves a service under write load, and counts what it acknowledged and then lost.

    python -m benchmarks.lost [--databases NAME ...] [--kills N] [--threads N] [--away SECONDS]
        [--scenarios NAME ...]

Threads create records and items, upload files and give verdicts as fast as they are answered
(`benchmarks/acknowledged.py`), while one of these happens to the service, on SQLite and, where its server
programs are installed, on PostgreSQL:

- `kills`: kill -9, again and again, and a new start on the same data.
- `full`: its disk, a small tmpfs, gets full, and has room again (for root on Linux).
- `away`: the database does not answer: every process of PostgreSQL stands still, or another program holds the
  lock of the SQLite file.
- `restarts`: PostgreSQL is ended as by a crash, and started again.

Prints one JSON line per figure (`benchmarks/figures.py`): what was acknowledged, what of that is missing
afterwards in the database, the files or the audit log, the answers that were neither a success nor a refusal
with a sentence, the seconds until the slowest refusal, and those until the first change is acknowledged
again. PostgreSQL flushes to the disk, as it does in use.
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

from benchmarks.acknowledged import Missing, Writers, missing
from benchmarks.figures import ROOT, percentile, print_figure, print_skipped
from service.settings import Settings
from shared.paths import program_command
from tests import postgresql

DATABASES = ("sqlite", "postgresql")
PATIENCE_SECONDS = 180.0
STATEMENT_SECONDS = 5
"""A statement may take so long here, so that a refusal comes within ten seconds."""
_BEFORE_AND_AFTER = 10
"""So many changes of each thread are acknowledged before anything happens, and after it."""
_DISK_MB = 64
_PIECE = 2**16
_ADMIN = {"username": "chief", "password": "correct-horse-battery"}


class Service:
    """A service process on one address, which can be killed and started again."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.url = f"http://127.0.0.1:{settings.port}"
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it, and return when it accepts requests."""
        settings = self.settings
        variables = {
            "WALKAROUND_DATA_DIR": str(settings.data_dir),
            "WALKAROUND_DATABASE_URL": settings.database_url,
            "WALKAROUND_STATEMENT_SECONDS": str(settings.statement_seconds),
            "WALKAROUND_BCRYPT_COST": "4",
            "WALKAROUND_LOG_LEVEL": "ERROR",
            # Uploads may fill the disk too: what is refused in time never meets a full one.
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
        """Kill -9."""
        self._end(lambda process: process.kill())

    def stop(self) -> None:
        """End it in order."""
        self._end(lambda process: process.terminate())

    def _end(self, how: Callable[[subprocess.Popen[str]], None]) -> None:
        process, self._process = self._process, None
        if process is not None:
            how(process)
            process.wait(30)
            assert process.stdout is not None
            process.stdout.close()

    def first_admin(self) -> str:
        """Create the first administrator; gives the access token."""
        body = {**_ADMIN, "name": "主任"}
        answer = httpx.post(f"{self.url}/api/auth/first-run", json=body, timeout=60).raise_for_status()
        token: str = answer.json()["data"]["access_token"]
        return token


class Played(NamedTuple):
    """What came of a scenario. `recoveries` are seconds until something was acknowledged again."""

    acknowledged: int
    missing: Missing
    refused: dict[str, int]
    unanswered: int
    others: list[str]
    longest: float
    recoveries: list[float]


def played(settings: Settings, threads: int, scenario: Callable[[Service, Writers], list[float]]) -> Played:
    """Play a scenario on a service with an empty database, and look for what was acknowledged."""
    settings.prepare()
    service = Service(settings)
    service.start()
    try:
        writers = Writers(service.url, service.first_admin(), threads)
        with writers.running():
            writers.wait_for(_BEFORE_AND_AFTER * threads, PATIENCE_SECONDS)
            recoveries = scenario(service, writers)
            writers.wait_for(_BEFORE_AND_AFTER * threads, PATIENCE_SECONDS)
    finally:
        service.stop()
    failed = writers.failed
    return Played(
        len(writers.done),
        missing(writers.done, settings),
        dict(failed.refused),
        failed.unanswered,
        failed.others,
        failed.longest,
        recoveries,
    )


# Scenarios


def kills(times: int) -> Callable[[Service, Writers], list[float]]:
    """Kill the service so often, each time after it has acknowledged something, at a moment of chance."""
    draw = random.Random(5)

    def play(service: Service, writers: Writers) -> list[float]:
        recoveries = []
        for _ in range(times):
            writers.wait_for(draw.randint(1, 60), PATIENCE_SECONDS)
            time.sleep(draw.uniform(0, 0.02))
            service.kill()
            start = time.monotonic()
            service.start()
            writers.wait_for(1, PATIENCE_SECONDS)
            recoveries.append(time.monotonic() - start)
        return recoveries

    return play


def full_disk(disk: Path) -> Callable[[Service, Writers], list[float]]:
    """Fill `disk` until changes are refused, and make room again."""

    def play(_service: Service, writers: Writers) -> list[float]:
        ballast = disk / "ballast"
        # The writers take what is left at the same time.
        with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(_PIECE))
        writers.wait_for_refusals(100, PATIENCE_SECONDS)
        ballast.unlink()
        return [writers.wait_for(1, PATIENCE_SECONDS)]

    return play


def away(
    holding: Callable[[], contextlib.AbstractContextManager[None]], seconds: float
) -> Callable[[Service, Writers], list[float]]:
    """Keep the database from answering for so long, and until it was noticed."""

    def play(_service: Service, writers: Writers) -> list[float]:
        with holding():
            time.sleep(seconds)
            writers.wait_for_refusals(1, PATIENCE_SECONDS)
        return [writers.wait_for(1, PATIENCE_SECONDS)]

    return play


def restarts(server: postgresql.Server, times: int) -> Callable[[Service, Writers], list[float]]:
    """End PostgreSQL so often, as a crash would, and start it again."""

    def play(_service: Service, writers: Writers) -> list[float]:
        recoveries = []
        for _ in range(times):
            writers.wait_for(20, PATIENCE_SECONDS)
            start = time.monotonic()
            server.restart()
            writers.wait_for(1, PATIENCE_SECONDS)
            recoveries.append(time.monotonic() - start)
        return recoveries

    return play


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another program that holds the lock of a SQLite file for the length of the block."""
    with contextlib.closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.rollback()


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A tmpfs of `_DISK_MB` MB at `folder`. Raises CalledProcessError where this user may mount none."""
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
    """Play what the command line names, and print the figures. Gives 1 when anything was lost."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.lost", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--databases", nargs="+", choices=DATABASES, default=DATABASES)
    parser.add_argument("--scenarios", nargs="+", choices=_SCENARIOS, default=list(_SCENARIOS))
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--threads", type=int, default=12)
    parser.add_argument("--away", type=float, default=30.0, help="seconds that the database does not answer")
    options = parser.parse_args(arguments)
    good = True
    for database in options.databases:
        for name in options.scenarios:
            with ExitStack() as stack:
                outcome = _SCENARIOS[name](database, options, stack)
                if outcome is not None:
                    good = _say(database, name, outcome) and good
    return 0 if good else 1


def _say(database: str, name: str, outcome: Played) -> bool:
    what = f"{database}: {name}"
    lost = outcome.missing
    print_figure(f"{what}, acknowledged", outcome.acknowledged, "changes", times=len(outcome.recoveries))
    for kind, examples in (
        ("changes", lost.changes),
        ("audit entries", lost.entries),
        ("audit log", lost.log),
    ):
        print_figure(f"{what}, {kind} lost", len(examples), "lost", goal=0, examples=examples[:5])
    print_figure(
        f"{what}, neither success nor refusal",
        len(outcome.others),
        "answers",
        goal=0,
        examples=outcome.others[:5],
    )
    print_figure(
        f"{what}, refused",
        sum(outcome.refused.values()),
        "answers",
        sentences=outcome.refused,
        unanswered=outcome.unanswered,
    )
    print_figure(f"{what}, slowest refusal", outcome.longest, "s", goal=STATEMENT_SECONDS + 30.0)
    if outcome.recoveries:
        most = max(outcome.recoveries)
        print_figure(f"{what}, recovery", percentile(outcome.recoveries, 0.5), "s", longest=round(most, 2))
    return lost.nothing and not outcome.others


def _folder(stack: ExitStack) -> Path:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="walkaround-lost-")))
    # PostgreSQL, which may run as another user, goes through it.
    folder.chmod(0o711)
    return folder


def _server(stack: ExitStack, figure: str) -> postgresql.Server | None:
    place = postgresql.find_binaries()
    if place is None:
        print_skipped(figure, "no PostgreSQL server binary on this machine")
        return None
    server = postgresql.Server(place, fsync="on")
    stack.callback(server.stop)
    return server


def settings_for(folder: Path, database_url: str) -> Settings:
    """The settings of a service whose data lies in `folder`."""
    return Settings(
        data_dir=folder / "data",
        database_url=database_url,
        port=postgresql.free_port(),
        statement_seconds=STATEMENT_SECONDS,
    )


def _prepared(
    database: str, name: str, stack: ExitStack, folder: Path | None = None
) -> tuple[Settings, postgresql.Server | None] | None:
    """Settings on an empty database, and its server; None where there is none."""
    folder = folder or _folder(stack)
    if database == "sqlite":
        return settings_for(folder, ""), None
    server = _server(stack, f"{database}: {name}")
    if server is None:
        return None
    server.execute("CREATE DATABASE lost")
    return settings_for(folder, server.url("lost")), server


def _kills(database: str, options: argparse.Namespace, stack: ExitStack) -> Played | None:
    prepared = _prepared(database, "kills", stack)
    return prepared and played(prepared[0], options.threads, kills(options.kills))


def _full(database: str, options: argparse.Namespace, stack: ExitStack) -> Played | None:
    folder = _folder(stack)
    try:
        disk = stack.enter_context(small_disk(folder / "disk"))
    except (subprocess.CalledProcessError, OSError):
        print_skipped(f"{database}: full", "this user may mount no tmpfs")
        return None
    prepared = _prepared(database, "full", stack, disk if database == "sqlite" else folder)
    if prepared is None:
        return None
    settings, server = prepared
    if server is not None:
        # Tables on the small disk, the server's log of writes elsewhere: without room for that it ends.
        space = disk / "space"
        space.mkdir()
        server.allow_writing(space)
        server.execute(f"CREATE TABLESPACE small LOCATION '{space}'")
        server.execute("CREATE DATABASE small TABLESPACE small")
        settings = settings.model_copy(update={"database_url": server.url("small")})
    return played(settings, options.threads, full_disk(disk))


def _away(database: str, options: argparse.Namespace, stack: ExitStack) -> Played | None:
    prepared = _prepared(database, "away", stack)
    if prepared is None:
        return None
    settings, server = prepared
    path = settings.data_dir / "walkaround.db"
    holding = (lambda: locked(path)) if server is None else server.pause
    return played(settings, options.threads, away(holding, options.away))


def _restarts(database: str, options: argparse.Namespace, stack: ExitStack) -> Played | None:
    if database == "sqlite":
        return None
    prepared = _prepared(database, "restarts", stack)
    if prepared is None or prepared[1] is None:
        return None
    return played(prepared[0], options.threads, restarts(prepared[1], 5))


_SCENARIOS: dict[str, Callable[[str, argparse.Namespace, ExitStack], Played | None]] = {
    "kills": _kills,
    "full": _full,
    "away": _away,
    "restarts": _restarts,
}

if __name__ == "__main__":
    raise SystemExit(main())
