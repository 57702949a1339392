"""The backups as an administrator sees them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop.context import Context
from desktop.localization.dates import format_minute
from desktop.pages.people.backup_section import BackupSection
from service.backups.outcome import TEXTS, BackupProblem
from service.web.language import in_english
from shared.wire.backups import BackupRun
from tests.desktop.pages.fake_service import (
    FakeService,
    failure_answer,
    open_administration,
    open_fake_context,
    success_answer,
)

RUN: dict[str, Any] = {
    "started_at": "2026-11-23T01:30:00Z",
    "finished_at": "2026-11-23T01:31:00Z",
    "state": "done",
    "name": "20261123T013000Z",
    "files": 12,
    "size": 3_000_000,
    "added": 20_000,
    "problem": None,
    "message": None,
}
FAILED = RUN | {"state": "failed", "name": None, "files": None, "size": None, "added": None}
STATUS: dict[str, Any] = {
    "scheduled": True,
    "schedule": "02:30",
    "next_at": "2026-11-24T01:30:00Z",
    "late": False,
    "failures": 0,
    "last_good": RUN,
    "runs": [RUN],
}


def open_section(qtbot: QtBot, **changes: Any) -> BackupSection:
    """The section with the status and its changes."""
    fake_service = FakeService()
    fake_service.answers["/api/backups"] = success_answer(STATUS | changes)
    with open_fake_context(fake_service) as context:
        context.session.account.login("zhang", "p")
        section = BackupSection(context)
        qtbot.addWidget(section)
        section.enter()
        qtbot.waitUntil(lambda: section.stack.currentWidget() is section.stack.content)
    return section


def row(section: BackupSection, number: int = 0) -> list[str]:
    model = section.table.rows_model
    return [model.index(number, column).data() for column in range(model.columnCount())]


def test_note_of_the_chosen_run_is_shown_below_the_list(qtbot: QtBot) -> None:
    text = in_english(TEXTS[BackupProblem.PLACE_AWAY].message)
    section = open_section(qtbot, runs=[FAILED | {"problem": "place_away", "message": text}, RUN])
    section.table.select_row(0)
    assert section.note.text() == row(section)[5]
    section.table.select_row(1)
    assert section.note.isHidden()


def test_section_reports_that_no_backups_are_scheduled(context: Context, qtbot: QtBot) -> None:
    page = open_administration(context, qtbot, "backups")
    section = page.backups
    qtbot.waitUntil(lambda: section.stack.currentWidget() is section.stack.content)
    assert section.state.text() == "No automatic backups"
    assert "Choose a folder" in section.next.text()
    assert section.choose.isVisible()
    assert not section.start_now.isVisible()
    assert not section.table.isVisible()


def test_the_last_and_the_next_backup_are_named(qtbot: QtBot) -> None:
    section = open_section(qtbot)
    when = format_minute(BackupRun(**RUN).started_at)
    assert section.state.text().startswith(f"Last backup: {when}, verified, ")
    assert section.next.text().startswith("Next backup: ")
    assert row(section)[0] == when
    assert row(section)[2] == "Done"
    assert section.table.rows_model.rowCount() == 1


def test_failures_are_counted_and_explained(qtbot: QtBot) -> None:
    full = in_english(TEXTS[BackupProblem.DISK_FULL].message)
    runs = [FAILED | {"problem": "disk_full", "message": full}, RUN]
    section = open_section(qtbot, failures=2, late=True, runs=runs)
    assert section.state.text().endswith("2 attempt(s) failed since then.")
    assert section.next.text().startswith("The backup is late.")
    assert row(section)[2] == "Failed"
    assert row(section)[3] == "–"
    assert (
        row(section)[5] == "No space left at the backup location. Free some space or choose another location."
    )


def test_before_the_first_backup(qtbot: QtBot) -> None:
    section = open_section(qtbot, last_good=None, runs=[])
    assert section.state.text() == "No backup has been made yet."


def test_failed_request_can_be_retried(qtbot: QtBot) -> None:
    fake_service = FakeService()
    fake_service.answers["/api/backups"] = failure_answer(503, "unavailable")
    with open_fake_context(fake_service) as context:
        context.session.account.login("zhang", "p")
        section = BackupSection(context)
        qtbot.addWidget(section)
        section.enter()
        qtbot.waitUntil(lambda: section.stack.currentWidget() is not section.stack.content)
        fake_service.answers["/api/backups"] = success_answer(STATUS)
        section.enter()
        qtbot.waitUntil(lambda: section.stack.currentWidget() is section.stack.content)


def test_a_folder_is_chosen_and_a_backup_started(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_service = FakeService()
    none: dict[str, Any] = {
        "scheduled": False,
        "next_at": None,
        "last_good": None,
        "runs": [],
        "can_choose": True,
    }
    fake_service.answers["/api/backups"] = success_answer(STATUS | none)
    monkeypatch.setattr("desktop.pages.people.backup_section.open_folder", lambda *_words: tmp_path)
    with open_fake_context(fake_service) as context:
        context.session.account.login("zhang", "p")
        section = BackupSection(context)
        qtbot.addWidget(section)
        section.show()
        section.enter()
        qtbot.waitUntil(section.choose.isVisible, timeout=60_000)
        assert not section.start_now.isVisible()
        fake_service.answers["/api/backups"] = success_answer(STATUS | {"place": str(tmp_path)})
        qtbot.mouseClick(section.choose, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(section.start_now.isVisible, timeout=60_000)
        assert str(tmp_path) in section.next.text()
        qtbot.mouseClick(section.start_now, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: len(fake_service.bodies("/api/backups")) == 1, timeout=60_000)
    assert fake_service.bodies("/api/backups", "PUT") == [{"folder": str(tmp_path)}]
