"""Tests the chips that say what is to be done, and the handing over of a record with its note."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.context import Context
from desktop.pages.common.handover import HandoverDialog
from desktop.pages.record import RecordPage
from desktop.pages.records import RecordsPage
from desktop.pages.records.records_model import RecordColumn
from desktop.preferences import Preferences
from desktop.widgets.basic.chips import FilterChips
from shared.record.codes import Role
from shared.wire.catalogue import FlightWrite, TaskWrite
from shared.wire.inspection import RecordCreate
from tests.narrowing import not_none

PASSWORD = "Long enough, for 1 test"


def _texts(chips: FilterChips) -> list[str]:
    return [button.text() for button in chips._buttons()]


def _choose(chips: FilterChips, key: str) -> None:
    (button,) = (button for button in chips._buttons() if button.key == key)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.fixture
def page(context: Context, qtbot: QtBot) -> Iterator[RecordsPage]:
    page = RecordsPage(context)
    qtbot.addWidget(page)
    page.resize(1300, 800)
    page.show()
    yield page
    page.leave()


def _names(page: RecordsPage) -> list[str]:
    return [str(page.model.index(row, 0).data()) for row in range(page.model.rowCount())]


def test_own_records_are_one_click_away(page: RecordsPage, context: Context, qtbot: QtBot) -> None:
    session, me = context.session, not_none(context.payload).user.user_id
    due = datetime(2026, 3, 1, 8, tzinfo=UTC)
    flight = session.catalogue.flights.create(FlightWrite(flight_number="CA7", scheduled_at=due))
    task = session.catalogue.tasks.create(TaskWrite(task_name="航前", flight_id=flight.flight_id))
    session.records.create(RecordCreate(task_id="t", inspection_name="later", executor_id=me))
    session.records.create(RecordCreate(task_id=task.task_id, inspection_name="due", executor_id=me))
    session.records.create(RecordCreate(task_id="t", inspection_name="other"))
    page.enter({})
    work = page.filters.work
    qtbot.waitUntil(lambda: "Assigned to me 2" in _texts(work), timeout=60_000)
    assert _texts(work)[2] == "Open 3"
    _choose(work, "mine")
    qtbot.waitUntil(lambda: _names(page) == ["due", "later"], timeout=60_000)
    flight_cell = page.model.index(0, RecordColumn.FLIGHT)
    qtbot.waitUntil(lambda: str(flight_cell.data()).startswith("CA7 · "), timeout=60_000)
    assert page.filters.is_active
    page.filters.reset()
    qtbot.waitUntil(lambda: len(_names(page)) == 3, timeout=60_000)
    assert work.value() == "all"


def test_note_of_a_handover_is_shown_to_the_next_user(
    context: Context, service: str, tmp_path: Path, qtbot: QtBot
) -> None:
    session = context.session
    session.users.create("next", PASSWORD, [Role.INSPECTOR], "李四")
    record_id = session.records.create(RecordCreate(task_id="t", inspection_name="r")).inspection_id
    dialog = HandoverDialog(context, record_id, None)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(lambda: dialog.inspector.count() == 1, timeout=60_000)
    assert not dialog.confirm.isEnabled()
    dialog.note.setPlainText("  左侧还没看  ")
    with qtbot.waitSignal(dialog.handed_over, timeout=60_000):
        QTest.mouseClick(dialog.confirm, Qt.MouseButton.LeftButton)

    for_me = RecordPage(context)
    qtbot.addWidget(for_me)
    for_me.enter({"record_id": record_id})
    qtbot.waitUntil(lambda: for_me._is_open(), timeout=60_000)

    other = Session(service)
    other_context = Context(other, Preferences(tmp_path / "next.json"))
    other_context.enter(other.account.login("next", PASSWORD))
    their_page = RecordPage(other_context)
    qtbot.addWidget(their_page)
    their_page.show()
    their_page.enter({"record_id": record_id})
    note = their_page.handover_note
    qtbot.waitUntil(note.isVisible, timeout=60_000)
    assert "左侧还没看" in note.text()
    assert not for_me.handover_note.isVisibleTo(for_me)
    other.close()


@pytest.mark.parametrize("width", [640, 1300])
def test_no_chip_is_cut_in_a_narrow_window(page: RecordsPage, qtbot: QtBot, width: int) -> None:
    page.enter({})
    page.resize(width, 600)
    work = page.filters.work
    qtbot.waitUntil(lambda: "All records" in _texts(work), timeout=60_000)
    assert page.width() == width
    chips = work._buttons()
    assert len(chips) == 7
    for chip in chips:
        assert chip.width() >= chip.sizeHint().width()
        assert work.rect().contains(chip.geometry())
