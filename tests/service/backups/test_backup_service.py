"""Tests the schedule of a running service: backups in a child process, one at a time, status and failures."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from sqlmodel import Session, select
from starlette.testclient import TestClient

from service.audit.service import AuditService
from service.backups import service as backup_service
from service.backups.archive.places import open_place
from service.backups.archive.shared_folder import SharedFolder
from service.backups.making import make
from service.backups.outcome import TEXTS, BackupProblem, Outcome
from service.backups.service import BackupService, BusyError, make_now
from service.backups.tables import BackupRow
from service.commands.backup import main
from service.db.database import Database, now
from service.settings import Settings
from service.web.envelope import Problem
from service.web.security import Caller
from service.workers.child import ProcessDied
from tests.service.waiting import wait_until

pytestmark = pytest.mark.slow


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "backups"
    path.mkdir()
    return path


@pytest.fixture
def settings(settings: Settings, target: Path) -> Settings:
    return settings.model_copy(update={"backup_to": str(target), "backup_at": "1h"})


@pytest.fixture
def backups(database: Database, settings: Settings) -> Iterator[BackupService]:
    settings.prepare()
    AuditService(database, settings).begin()
    service = BackupService(database, settings)
    yield service
    service.stop()


def count_runs(database: Database) -> list[BackupRow]:
    return database.read_now(
        lambda session: list(session.exec(select(BackupRow).order_by(BackupRow.__table__.c.started_at)))
    )


def archive_names(target: Path) -> list[str]:
    return SharedFolder(open_place(str(target), Settings())).names()


@pytest.mark.both_databases
def test_service_makes_due_backups_in_a_child_process(
    backups: BackupService, database: Database, target: Path, database_kind: str
) -> None:
    outcome = backups.make_due()
    assert outcome is not None
    assert (outcome.problem, outcome.name) == (None, archive_names(target)[0])
    # The next backup is due in an hour.
    assert backups.make_due() is None
    [row] = count_runs(database)
    assert (row.state, row.name, row.problem) == ("done", outcome.name, None)
    assert row.size == outcome.size
    assert row.finished_at is not None


def test_running_service_makes_backups(settings: Settings, target: Path, client: TestClient) -> None:
    wait_until(lambda: client.get("/api/backups").json()["data"]["last_good"] is not None)
    status = client.get("/api/backups").json()["data"]
    assert (status["scheduled"], status["schedule"], status["late"], status["failures"]) == (
        True,
        "1h",
        False,
        0,
    )
    assert status["last_good"]["name"] == archive_names(target)[0]
    assert status["runs"] == [status["last_good"]]
    due = dt.datetime.fromisoformat(status["next_at"])
    assert due - dt.datetime.fromisoformat(status["last_good"]["started_at"]) == dt.timedelta(hours=1)
    assert main(["backup", "verify"], settings) == 0


@pytest.mark.both_databases
def test_one_backup_at_a_time(
    backups: BackupService, database: Database, settings: Settings, database_kind: str
) -> None:
    others: list[str] = []

    def busy(_settings: Settings) -> Outcome:
        other = Database(settings.url)
        elsewhere = settings.model_copy(update={"data_dir": settings.data_dir.parent / "elsewhere"})
        elsewhere.prepare()
        try:
            # Another machine has another data folder, but the same database if it is on a server.
            for using in [settings] if other.is_sqlite else [settings, elsewhere]:
                with pytest.raises(BusyError):
                    make_now(other, using, make)
                others.append("busy")
        finally:
            other.close()
        return Outcome(problem=BackupProblem.DISK_FULL)

    make_now(database, settings, busy)
    assert others == ["busy"] * (1 if database_kind == "sqlite" else 2)
    assert make_now(database, settings, make).name is not None


def test_command_does_not_wait_for_another_backup(
    settings: Settings, database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.prepare()
    AuditService(database, settings).begin()
    with FileLock(settings.data_dir / "backup.lock"):
        assert main(["backup", "run"], settings) == 1
    assert "another backup is being made" in capsys.readouterr().err
    assert main(["backup", "run"], settings) == 0
    assert "verified" in capsys.readouterr().out
    assert [row.state for row in count_runs(database)] == ["done"]


def test_failure_is_logged_and_the_next_backup_waits(
    backups: BackupService,
    database: Database,
    target: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    target.rmdir()
    with caplog.at_level(logging.INFO, "walkaround.backups"):
        outcome = backups.make_due()
    assert outcome == Outcome(problem=BackupProblem.PLACE_AWAY)
    assert caplog.messages == [f"the backup failed: {TEXTS[BackupProblem.PLACE_AWAY].log}"]
    # The next attempt is in a quarter of an hour.
    assert backups.make_due() is None
    later = now() + dt.timedelta(minutes=16)
    monkeypatch.setattr(backup_service, "now", lambda: later)
    target.mkdir()
    outcome = backups.make_due()
    assert outcome is not None
    assert outcome.name is not None


def test_failures_since_the_last_success_are_counted(
    client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(session: Session) -> None:
        for hours, state in ((9, "failed"), (8, "done"), (7, "failed"), (6, "failed")):
            at = now() - dt.timedelta(hours=hours)
            problem = "disk_full" if state == "failed" else None
            session.add(BackupRow(started_at=at, finished_at=at, state=state, problem=problem))

    wait_until(lambda: client.get("/api/backups").json()["data"]["last_good"] is not None)
    database.write_now(lambda session: session.execute(BackupRow.__table__.delete()))
    database.write_now(fill)
    status: dict[str, Any] = client.get("/api/backups").json()["data"]
    assert (status["failures"], status["late"]) == (2, False)
    assert status["runs"][0]["message"] == TEXTS[BackupProblem.DISK_FULL].message
    tomorrow = now() + dt.timedelta(hours=25)
    monkeypatch.setattr(backup_service, "now", lambda: tomorrow)
    assert client.get("/api/backups").json()["data"]["late"] is True


def test_interrupted_run_is_a_failure_and_is_repeated(
    backups: BackupService, database: Database, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_arguments: object) -> None:
        raise ProcessDied

    with monkeypatch.context() as context:
        context.setattr(backups._child, "ask", die)
        assert backups.make_due() == Outcome(problem=BackupProblem.INTERRUPTED)
    # The state that a killed service leaves.
    database.write_now(lambda session: session.add(BackupRow(state="running")))
    (target / "incoming").mkdir()
    (target / "incoming" / "half").write_bytes(b"half")
    make_now(database, backups._settings, make)
    assert sorted(row.state for row in count_runs(database)) == ["done", "failed", "failed"]
    assert list((target / "incoming").iterdir()) == []


def test_nothing_is_scheduled_without_a_target(
    settings: Settings, database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = settings.model_copy(update={"backup_to": ""})
    service = BackupService(database, plain)
    service.start()
    assert service._thread is None
    service.stop()
    for arguments in (["run"], ["list"], ["verify"]):
        assert main(["backup", *arguments], plain) == 1
        assert "WALKAROUND_BACKUP_TO" in capsys.readouterr().err


ADMIN_HERE = Caller("u1", "chief", None, "s1", frozenset(), ("pwd",), None, "127.0.0.1")


@pytest.fixture
def unset_backups(database: Database, settings: Settings) -> Iterator[BackupService]:
    """Backups of a service whose settings name no place."""
    plain = settings.model_copy(update={"backup_to": ""})
    plain.prepare()
    AuditService(database, plain).begin()
    service = BackupService(database, plain)
    service.start()
    yield service
    service.stop()


def test_a_folder_chosen_in_the_window_gets_a_backup_at_once_and_is_kept(
    unset_backups: BackupService, database: Database, settings: Settings, target: Path
) -> None:
    assert asyncio.run(unset_backups.status(ADMIN_HERE)).can_choose
    status = asyncio.run(unset_backups.choose_folder(str(target), ADMIN_HERE))
    assert (status.scheduled, status.place) == (True, str(target))
    wait_until(lambda: [row.state for row in count_runs(database)] == ["done"])
    asyncio.run(unset_backups.start_now(ADMIN_HERE))
    wait_until(lambda: [row.state for row in count_runs(database)] == ["done", "done"])
    # Two backups of one second are one archive.
    assert set(archive_names(target)) == {row.name for row in count_runs(database)}
    assert Settings(data_dir=settings.data_dir).backup_to == str(target)


def test_only_a_fit_folder_can_be_chosen_and_only_from_the_computer_of_the_service(
    unset_backups: BackupService, settings: Settings, target: Path
) -> None:
    def refusal(service: BackupService, folder: str, address: str = "127.0.0.1") -> int:
        with pytest.raises(Problem) as raised:
            asyncio.run(service.choose_folder(folder, replace(ADMIN_HERE, address=address)))
        return raised.value.status

    assert refusal(unset_backups, str(target), "192.0.2.1") == 403
    assert not asyncio.run(unset_backups.status(replace(ADMIN_HERE, is_through_proxy=True))).can_choose
    assert [refusal(unset_backups, name) for name in ("backups", str(target / "none"))] == [422, 422]
    assert refusal(unset_backups, str(settings.data_dir)) == 422
    with pytest.raises(Problem) as raised:
        asyncio.run(unset_backups.start_now(ADMIN_HERE))
    assert raised.value.status == 409
    assert refusal(BackupService(unset_backups._database, settings), str(target)) == 409


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP"])
def test_nobody_chooses_the_folder_through_a_proxy_on_the_computer_of_the_service(
    client: TestClient, target: Path, header: str
) -> None:
    proxied = {header: "192.0.2.1"}
    answer = client.put("/api/backups", json={"folder": str(target)}, headers=proxied)
    assert (answer.status_code, answer.json()["data"]["error"]) == (403, "permission_missing")
    # From the computer itself only the setting of the place refuses it.
    assert client.put("/api/backups", json={"folder": str(target)}).status_code == 409
