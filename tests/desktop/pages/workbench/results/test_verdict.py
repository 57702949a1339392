"""What a person does about a verdict is what is stored: waiting verdicts, typed reasons, undo over a seal."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from desktop.pages.sealing.finish_dialog import FinishDialog
from desktop.pages.workbench.items.item_fields import PAUSE_MS
from shared.record.codes import Verdict
from shared.record.entries import Entry, EntryAlignment
from tests.client_session import open_session
from tests.desktop.pages.workbench.driver import (
    WorkbenchDriver,
    make_record,
    store_detections,
    workbench_driver,
)
from tests.desktop.pages.workbench.record.test_two_people import verdicts
from tests.narrowing import as_instance, not_none

PASSED_BY_MODEL: Entry = {
    "version": 1,
    "job_id": "j",
    "isPassed": True,
    "progress": "done",
    "resultImage": {"boxes": []},
}


@pytest.fixture
def desk(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    """A record of three items; the model passed the first, and nobody has decided anything."""
    record_id = make_record(workbench.session)
    first = workbench.session.items.all(record_id)[0].item_id
    store_detections(workbench.session, first, PASSED_BY_MODEL)
    workbench.open(record_id, qtbot.waitUntil)
    return workbench


def decide_all(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    for row in desk.page.open_record.rows:
        desk.page.items.changes.decide_item(row.item_id, Verdict.PASSED, "")
    qtbot.waitUntil(lambda: desk.saved)


def press(key: Qt.Key) -> None:
    QTest.keyClick(not_none(QApplication.focusWidget()), key)


def type_text(text: str) -> None:
    QTest.keyClicks(not_none(QApplication.focusWidget()), text)


def test_panel_asks_for_another_photo_where_the_light_comes_from_another_side(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    record_id = make_record(workbench.session)
    first, second, *_ = (item.item_id for item in workbench.session.items.all(record_id))
    same: Entry = {
        **PASSED_BY_MODEL,
        "provenance": {"coverage": {"inspected": 1.0, "ignored": 0.0, "required": 0.9}},
    }
    aside: EntryAlignment = {"homography": np.eye(3).tolist(), "other_light": True}
    other: Entry = {**same, "provenance": {**same["provenance"], "alignment": aside}}
    store_detections(workbench.session, first, same)
    store_detections(workbench.session, second, other)
    workbench.open(record_id, qtbot.waitUntil)
    shown = not_none(workbench.page.inspector.verdict.findChild(QLabel, "coverage"))
    assert shown.text() == "100% of the region inspected"

    workbench.page.items.go_to(second)

    assert shown.text().startswith("100% of the region inspected\nThe light")


def finish_dialog(desk: WorkbenchDriver, qtbot: QtBot) -> FinishDialog:
    desk.context.commands.run("record.finish")
    qtbot.waitUntil(lambda: any(dialog.isVisible() for dialog in desk.page.findChildren(FinishDialog)))
    return next(dialog for dialog in desk.page.findChildren(FinishDialog) if dialog.isVisible())


def test_fail_that_waits_for_its_reason_blocks_finishing_and_is_one_click_away(
    desk: WorkbenchDriver, qtbot: QtBot
) -> None:
    decide_all(desk, qtbot)
    page = desk.page
    first, second = (row.item_id for row in page.open_record.rows[:2])
    page.items.go_to(first)
    desk.context.commands.run("item.fail")
    page.items.go_to(second)
    dialog = finish_dialog(desk, qtbot)
    assert not dialog.confirm_button.isEnabled()
    link = as_instance(dialog.findChild(QPushButton, "finish-waiting"), QPushButton)
    assert "条目1" in link.text()
    assert "reason missing" in link.text()
    link.click()
    assert page.open_record.current == first
    # Offscreen no window manager activates the window below a closed dialog.
    page.window().activateWindow()
    qtbot.waitUntil(page.inspector.verdict.reason.hasFocus, timeout=60_000)
    # No way around the dialog either.
    page.results.finishing.finish_now()
    assert not page.open_record.sealed
    type_text("crack at the rivet")
    press(Qt.Key.Key_Return)
    assert page.open_record.waiting == []
    dialog = finish_dialog(desk, qtbot)
    assert dialog.confirm_button.isEnabled()
    dialog.confirm_button.click()
    qtbot.waitUntil(lambda: page.open_record.sealed)
    assert verdicts(desk.session, first)[-1] == ("failed", "crack at the rivet")
    page.items.go_to(first)
    assert page.inspector.verdict.buttons[Verdict.FAILED].isChecked()


def test_verdict_that_waits_survives_the_end_of_the_program(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = desk.page.open_record.record_id
    first, second = (row.item_id for row in desk.page.open_record.rows[:2])
    desk.page.items.go_to(first)
    desk.context.commands.run("item.fail")
    type_text("cr")
    qtbot.wait(PAUSE_MS + 100)
    assert not_none(desk.page.open_record.verdict_drafts.get(first)).reason == "cr"
    desk.page.items.go_to(second)
    # Another desktop of the same user opens the journal as after a crash.
    desk.page.open_record.edits.close()
    with open_session(desk.session.base_url) as session, workbench_driver(session, qtbot) as later:
        later.open(record_id, qtbot.waitUntil)
        assert later.page.open_record.current == first
        box = later.page.inspector.verdict
        assert box.buttons[Verdict.FAILED].isChecked()
        assert box.reason.toPlainText() == "cr"
        assert later.page.open_record.waiting == [first]
        assert verdicts(session, first) == []
        box.reason.setFocus()
        type_text("ack")
        qtbot.wait(PAUSE_MS + 100)
        # What an event of the service does to a text that is being typed.
        later.page._show_current()
        press(Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: later.saved)
        assert later.page.open_record.waiting == []
        assert verdicts(session, first) == [("failed", box.reason.toPlainText())]


def test_no_button_is_filled_before_a_decision(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page, buttons = desk.page, desk.page.inspector.verdict.buttons
    first, second = (row.item_id for row in page.open_record.rows[:2])

    def filled() -> list[Verdict]:
        return [verdict for verdict, button in buttons.items() if button.isChecked()]

    page.items.go_to(first)
    assert page.open_record.rows[0].status == "undecided"
    assert filled() == []
    # The item is undecided already: nothing is stored.
    desk.context.commands.run("item.unsure")
    assert filled() == []
    desk.context.commands.run("item.pass")
    assert filled() == [Verdict.PASSED]
    qtbot.waitUntil(lambda: desk.saved)
    desk.context.commands.run("item.unsure")
    assert filled() == [Verdict.UNDECIDED]
    qtbot.waitUntil(lambda: desk.saved)
    page.items.go_to(second)
    assert filled() == []
    page.items.go_to(first)
    assert filled() == [Verdict.UNDECIDED]


def test_note_that_was_deleted_again_fills_no_button(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    page.items.go_to(page.open_record.rows[0].item_id)
    box = page.inspector.verdict
    box.reason.setFocus()
    type_text("crack")
    box.reason.on_pause()
    box.reason.selectAll()
    press(Qt.Key.Key_Delete)
    press(Qt.Key.Key_Return)
    assert not any(button.isChecked() for button in box.buttons.values())
    assert page.open_record.waiting == []


def test_corrected_item_is_named_in_the_finish_dialog(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    session, first = desk.session, desk.page.open_record.rows[0].item_id
    corrected: Entry = {
        **PASSED_BY_MODEL,
        "version": 2,
        "correction": {"of_version": 1, "by": "u", "by_name": None, "at": "2026-03-01T00:00:00Z"},
    }
    store_detections(session, first, PASSED_BY_MODEL, corrected)
    desk.page.reload()
    qtbot.waitUntil(lambda: len(not_none(desk.page.open_record.item).result) == 2)
    dialog = finish_dialog(desk, qtbot)
    texts = [shown.text() for shown in dialog.findChildren(QLabel)]
    assert texts.count("findings corrected: decide yourself") == 1
    assert texts.count("no model opinion") == 2


def test_words_typed_after_fail_are_the_reason_and_no_verdicts(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    second = page.open_record.rows[1].item_id
    page.items.go_to(second)
    page.canvas.view.setFocus()
    # No opinion of a model: the verdict needs no reason and is set at once.
    desk.context.commands.run("item.fail")
    assert page.inspector.verdict.reason.hasFocus()
    type_text("any paint")
    press(Qt.Key.Key_Return)
    assert not page.inspector.verdict.reason.hasFocus()
    qtbot.waitUntil(lambda: desk.saved)
    assert [row.status for row in page.open_record.rows] == ["undecided", "failed", "not_started"]
    assert verdicts(desk.session, second)[-1] == ("failed", "any paint")


def test_pause_in_typing_signs_nothing(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    second = page.open_record.rows[1].item_id
    page.items.go_to(second)
    desk.context.commands.run("item.fail")
    qtbot.waitUntil(lambda: desk.saved)
    for part in ("de", "ep ", "scratch"):
        type_text(part)
        qtbot.wait(PAUSE_MS + 100)
    assert verdicts(desk.session, second) == [("failed", None)]
    assert page.open_record.waiting == [second]
    press(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: desk.saved)
    assert verdicts(desk.session, second) == [("failed", None), ("failed", "deep scratch")]


def test_reason_needs_some_characters(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    first = page.open_record.rows[0].item_id
    page.items.go_to(first)
    desk.context.commands.run("item.fail")
    type_text("d")
    press(Qt.Key.Key_Return)
    assert "3" in page.inspector.verdict.shown_request
    assert page.open_record.waiting == [first]
    assert verdicts(desk.session, first) == []


def test_verdict_by_key_is_shown_with_the_way_back(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    page.items.go_to(page.open_record.rows[1].item_id)
    shown: list[tuple[str, object]] = []
    page.undoable.connect(lambda text, undo: shown.append((text, undo)))
    desk.context.commands.run("item.pass")
    ((text, undo),) = shown
    assert text == "Item 2: Passed"
    assert page.open_record.rows[1].status == "passed"
    assert callable(undo)
    undo()
    assert page.open_record.rows[1].status != "passed"


@pytest.mark.parametrize(
    ("command", "text"),
    [("item.unsure", "Item 2 unchanged: Undecided"), ("item.pass", "Item 2 unchanged: Passed")],
)
def test_key_of_the_present_verdict_offers_no_undo(
    desk: WorkbenchDriver, qtbot: QtBot, command: str, text: str
) -> None:
    page = desk.page
    page.items.changes.rename("an edit that must not be undone")
    page.items.go_to(page.open_record.rows[1].item_id)
    if command == "item.pass":
        desk.context.commands.run(command)
    shown: list[str] = []
    page.toast.connect(shown.append)
    page.undoable.connect(lambda text, _undo: shown.append(f"undoable {text}"))
    desk.context.commands.run(command)
    assert shown == [text]


def test_undo_ends_at_the_seal_and_names_its_item(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    decide_all(desk, qtbot)
    page, record_id = desk.page, desk.page.open_record.record_id
    notices: list[str] = []
    page.canvas.undoing.notice.connect(notices.append)
    page.results.finishing.finish_now()
    qtbot.waitUntil(lambda: page.open_record.sealed)
    desk.session.records.reopen(record_id, "one more look")
    page.reload()
    qtbot.waitUntil(lambda: page.open_record.editable)
    desk.context.commands.run("edit.undo")
    assert notices == ["Nothing to undo."]
    assert [row.status for row in page.open_record.rows] == ["passed"] * 3
    page.items.go_to(page.open_record.rows[1].item_id)
    page.items.changes.decide(Verdict.FAILED, "dent at the edge")
    page.items.go_to(page.open_record.rows[2].item_id)
    desk.context.commands.run("edit.undo")
    assert notices[-1] == "Undone: Set verdict (item 2, 条目2)"
    assert page.open_record.current == page.open_record.rows[1].item_id


def test_keys_pressed_before_a_dialog_is_open_do_not_reach_the_page(
    desk: WorkbenchDriver, qtbot: QtBot
) -> None:
    page = desk.page
    page.items.go_to(page.open_record.rows[1].item_id)
    page.canvas.view.setFocus()
    QTest.keyClick(page.canvas.view, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(page.canvas.view, Qt.Key.Key_Y)
    qtbot.waitUntil(lambda: any(dialog.isVisible() for dialog in page.findChildren(FinishDialog)))
    assert page.open_record.rows[1].status == "not_started"
    dialog = next(dialog for dialog in page.findChildren(FinishDialog) if dialog.isVisible())
    dialog.reject()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    page.canvas.view.setFocus()
    QTest.keyClick(page.canvas.view, Qt.Key.Key_Y)
    assert page.open_record.rows[1].status == "passed"


def test_next_undecided_item_is_one_click_from_the_verdict(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    rows, verdict = page.open_record.rows, page.inspector.verdict
    page.items.changes.decide_item(rows[1].item_id, Verdict.PASSED, "")
    page.items.go_to(rows[0].item_id)
    qtbot.mouseClick(verdict.buttons[Verdict.PASSED], Qt.MouseButton.LeftButton)
    qtbot.mouseClick(verdict.next, Qt.MouseButton.LeftButton)
    assert page.open_record.current == rows[2].item_id


def test_next_undecided_item_follows_a_complete_verdict_if_wanted(desk: WorkbenchDriver) -> None:
    page = desk.page
    first, second, third = (row.item_id for row in page.open_record.rows)
    page.items.go_to(first)
    page.canvas.view.setFocus()
    desk.context.commands.run("item.pass")
    assert page.open_record.current == first
    desk.context.commands.run("item.unsure")
    desk.context.commands.run("item.advance")
    desk.context.commands.run("item.pass")
    assert page.open_record.current == second
    # The reason is typed first, and an undecided item stays.
    desk.context.commands.run("item.fail")
    assert page.open_record.current == second
    type_text("crack")
    press(Qt.Key.Key_Return)
    assert page.open_record.current == third
    desk.context.commands.run("item.unsure")
    assert page.open_record.current == third
    desk.context.commands.run("item.pass")
    assert page.open_record.current == third
    assert [row.status for row in page.open_record.rows] == ["passed", "failed", "passed"]
    desk.context.commands.run("item.advance")
