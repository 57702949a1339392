"""Tests that `/readyz` reports the broken part of the service, for each part."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.db.database import Database
from service.detection.queue.leased_queue import LeasedQueue
from service.monitoring import readiness
from service.monitoring.readiness import NotReadyError, Readiness, database_check, disk_check
from service.settings import Settings
from tests.service_app import LOCAL_URL
from tests.service_process import service_process
from tests.stalling_proxy import StallingProxy

_READY = {"status": "ok"}


@pytest.fixture(autouse=True)
def _results_are_not_reused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "REUSE_SECONDS", 0.0)


def read_failed_checks(client: TestClient) -> dict[str, str]:
    """The failed checks that /readyz reports."""
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["data"]["error"]) == (503, "unavailable")
    assert int(answer.headers["retry-after"]) > 0
    assert client.get("/healthz").json() == _READY
    checks: dict[str, str] = answer.json()["data"]["failed"]
    return checks


def test_file_store_that_fails_is_reported(anonymous: TestClient, settings: Settings) -> None:
    assert anonymous.get("/readyz").json() == _READY
    shutil.rmtree(settings.files_dir)
    assert read_failed_checks(anonymous) == {"files": "failed"}


def test_database_of_another_version_is_reported(anonymous: TestClient, settings: Settings) -> None:
    with sqlite3.connect(settings.data_dir / "walkaround.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    assert read_failed_checks(anonymous) == {"migrations": "older_database"}
    with sqlite3.connect(settings.data_dir / "walkaround.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    assert read_failed_checks(anonymous) == {"migrations": "newer_database"}


def test_full_disk_is_reported(settings: Settings) -> None:
    app = create_app(settings.model_copy(update={"disk_reserve_bytes": 2**62}))
    with TestClient(app, LOCAL_URL) as client:
        assert read_failed_checks(client) == {"disk": "disk_full"}


def test_stopped_queue_is_reported(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ends(_queue: LeasedQueue, _work: object) -> None:
        return

    monkeypatch.setattr(LeasedQueue, "_loop", ends)
    with TestClient(create_app(settings), LOCAL_URL) as client:
        assert read_failed_checks(client) == {"queue": "stopped"}


def test_all_failed_parts_are_reported(settings: Settings) -> None:
    app = create_app(settings.model_copy(update={"disk_reserve_bytes": 2**62}))
    with TestClient(app, LOCAL_URL) as client:
        shutil.rmtree(settings.files_dir)
        assert read_failed_checks(client) == {"disk": "disk_full", "files": "failed"}


async def read_reason(check: Callable[[], Awaitable[None]]) -> dict[str, str]:
    ready = Readiness({"part": check})
    checks = await ready.find_failures()
    await ready.stop()
    return checks


async def test_file_that_is_not_a_database_is_not_ready(tmp_path: Path) -> None:
    path = tmp_path / "walkaround.db"
    path.write_bytes(b"not a database" * 1000)
    database = Database(f"sqlite:///{path}")
    assert await read_reason(database_check(database)) == {"part": "damaged_database"}
    database.close()


def test_read_only_data_directory_is_not_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asyncio.run(read_reason(disk_check(tmp_path, 0))) == {}
    assert list(tmp_path.iterdir()) == []

    def refuses(_path: Path, _content: bytes) -> int:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "write_bytes", refuses)
    assert asyncio.run(read_reason(disk_check(tmp_path, 0))) == {"part": "not_writable"}


@pytest.mark.postgresql
@pytest.mark.parametrize("database_kind", ["postgresql"])
def test_service_recovers_after_postgresql_was_stopped(database_url: str, tmp_path: Path) -> None:
    proxy = StallingProxy(urlsplit(database_url).port or 0)
    url = database_url.replace(f":{urlsplit(database_url).port}/", f":{proxy.port}/")

    def until(expected: Callable[[dict[str, str]], bool]) -> float:
        """Wait for this answer. Returns how long the last request took, in seconds."""
        deadline = time.monotonic() + 60
        while True:
            start = time.monotonic()
            answer = httpx.get(f"{address}/readyz", timeout=30)
            took = time.monotonic() - start
            if expected(answer.json().get("data", {}).get("failed", {})):
                return took
            assert time.monotonic() < deadline, answer.text
            time.sleep(0.2)

    with service_process(tmp_path / "data", database_url=url) as address:
        until(lambda parts: not parts)
        proxy.stall()
        took = until(lambda parts: parts.get("database") == parts.get("migrations") == "no_answer")
        assert took < 2 * readiness.ANSWER_SECONDS
        assert httpx.get(f"{address}/healthz").json() == _READY
        # Its worker cannot reach the database either.
        until(lambda parts: parts.get("queue") == "stopped")
        proxy.resume()
        until(lambda parts: not parts)
    proxy.refuse()


async def test_probes_of_the_same_second_share_one_check(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0

    async def check() -> None:
        nonlocal looks
        looks += 1
        await asyncio.sleep(0)
        raise NotReadyError("broken")

    monkeypatch.setattr(readiness, "REUSE_SECONDS", 3600.0)
    ready = Readiness({"part": check})
    answers = await asyncio.gather(*(ready.find_failures() for _ in range(50)))
    assert answers == [{"part": "broken"}] * 50
    assert looks == 1
    assert await ready.find_failures() == {"part": "broken"}
    assert looks == 1
    monkeypatch.setattr(readiness, "REUSE_SECONDS", 0.0)
    again = Readiness({"part": check})
    await again.find_failures()
    await again.find_failures()
    assert looks == 3


async def test_hanging_check_times_out_and_runs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "ANSWER_SECONDS", 0.05)
    started = 0
    free = asyncio.Event()

    async def hangs() -> None:
        nonlocal started
        started += 1
        await free.wait()

    async def works() -> None:
        return

    ready = Readiness({"hangs": hangs, "works": works})
    for _ in range(3):
        assert await ready.find_failures() == {"hangs": "no_answer"}
    assert started == 1
    free.set()
    async with asyncio.timeout(30):
        while await ready.find_failures():
            pass
    await ready.stop()


async def test_cancelled_probe_does_not_end_the_check_of_others() -> None:
    started, free = asyncio.Event(), asyncio.Event()

    async def check() -> None:
        started.set()
        await free.wait()

    ready = Readiness({"part": check})
    first, second = asyncio.create_task(ready.find_failures()), asyncio.create_task(ready.find_failures())
    await started.wait()
    first.cancel()
    free.set()
    assert await second == {}


async def test_failure_and_recovery_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "walkaround.readiness")
    broken = True

    async def check() -> None:
        if broken:
            raise NotReadyError("broken")

    ready = Readiness({"part": check})
    await ready.find_failures()
    await ready.find_failures()
    broken = False
    await ready.find_failures()
    await ready.find_failures()
    assert caplog.messages == ["not ready: part (broken)", "ready again: part"]
