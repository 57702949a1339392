"""A reason that is being typed stays the reason of its item, and completes a verdict only by Enter."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from shared.record.codes import Verdict
from shared.record.entries import Entry
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, store_detections
from tests.desktop.pages.workbench.record.test_two_people import verdicts
from tests.desktop.pages.workbench.results.test_verdict import PASSED_BY_MODEL
from tests.narrowing import not_none, reread

FAILED_BY_MODEL: Entry = {**PASSED_BY_MODEL, "isPassed": False}


@pytest.fixture
def desk(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    """A record of three items, the first of which the model failed and which is chosen."""
    record_id = make_record(workbench.session)
    first = workbench.session.items.all(record_id)[0].item_id
    store_detections(workbench.session, first, FAILED_BY_MODEL)
    workbench.open(record_id, qtbot.waitUntil)
    workbench.page.items.go_to(first)
    workbench.page.canvas.focus()
    return workbench


def press(key: Qt.Key) -> None:
    """Press a key where the focus is, or in the page."""
    QTest.keyClick(QApplication.focusWidget() or not_none(QApplication.activeWindow()), key)


def type_text(text: str) -> None:
    """Type wherever the focus is after each key."""
    for letter in text:
        QTest.keyClicks(QApplication.focusWidget() or not_none(QApplication.activeWindow()), letter)


def statuses(desk: WorkbenchDriver) -> list[str]:
    return [row.status for row in desk.page.open_record.rows]


def test_refused_reason_keeps_the_focus_and_escape_keeps_the_draft(
    desk: WorkbenchDriver, qtbot: QtBot
) -> None:
    page, reason = desk.page, desk.page.inspector.verdict.reason
    first, second, _ = (row.item_id for row in page.open_record.rows)
    before = statuses(desk)
    press(Qt.Key.Key_Y)
    type_text("ok")
    press(Qt.Key.Key_Return)
    assert reason.hasFocus()
    assert "3" in page.inspector.verdict.shown_request
    type_text("ay, looks fine")
    assert page.open_record.current == first
    assert reason.toPlainText() == "okay, looks fine"

    press(Qt.Key.Key_Escape)

    assert not reread(reason.hasFocus())
    assert page.open_record.waiting == [first]
    assert not_none(page.open_record.verdict_drafts.get(first)).reason == "okay, looks fine"
    # Nor does leaving the item, after which the draft is still there.
    page.items.go_to(second)
    page.items.go_to(first)
    assert statuses(desk) == before
    assert verdicts(desk.session, first) == []
    assert reason.toPlainText() == "okay, looks fine"
    reason.setFocus()
    press(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: desk.saved)
    assert verdicts(desk.session, first) == [("passed", "okay, looks fine")]
    assert not reread(reason.hasFocus())


def test_escape_commits_a_note_on_a_verdict_that_stands(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    second = page.open_record.rows[1].item_id
    page.items.go_to(second)
    # Without an opinion of the model the verdict is complete at once.
    press(Qt.Key.Key_X)
    type_text("crack")
    press(Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: desk.saved)
    assert page.open_record.waiting == []
    assert verdicts(desk.session, second)[-1] == (Verdict.FAILED.value, "crack")


def test_reason_is_continued_at_its_end_or_replaced_for_another_verdict(
    desk: WorkbenchDriver, qtbot: QtBot
) -> None:
    page, reason = desk.page, desk.page.inspector.verdict.reason
    press(Qt.Key.Key_Y)
    type_text("ok")
    press(Qt.Key.Key_Escape)
    page.items.go_to(page.open_record.rows[1].item_id)
    page.items.go_to(page.open_record.rows[0].item_id)
    press(Qt.Key.Key_Y)
    type_text(" so")
    assert reason.toPlainText() == "ok so"
    press(Qt.Key.Key_Escape)
    # That was the reason of "Pass", and is not signed with "Fail" unseen.
    press(Qt.Key.Key_X)
    assert "another verdict" in page.inspector.verdict.shown_request
    assert page.open_record.waiting == [page.open_record.current]
    type_text("crack")
    assert reason.toPlainText() == "crack"
    press(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: desk.saved)
    assert page.open_record.waiting == []
    assert verdicts(desk.session, page.open_record.current) == [("failed", "crack")]
