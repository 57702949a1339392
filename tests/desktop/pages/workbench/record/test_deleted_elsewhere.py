"""The shown item disappears because another user deleted it while something is typed about it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from pytestqt.qtbot import QtBot

from desktop.pages.workbench.items.item_fields import NameEdit, TextEdit
from desktop.pages.workbench.results.verdict import ReasonEdit
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.desktop.pages.workbench.record.test_two_people import verdicts
from tests.narrowing import not_none


@pytest.fixture
def desk(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    return workbench


def type_text(text: str) -> None:
    for letter in text:
        QTest.keyClicks(QApplication.focusWidget() or not_none(QApplication.activeWindow()), letter)


@pytest.mark.parametrize("field", ["reason", "name", "description"])
def test_text_typed_for_a_deleted_item_does_not_reach_the_next(
    desk: WorkbenchDriver, qtbot: QtBot, field: str
) -> None:
    page, inspector = desk.page, desk.page.inspector
    first, second, _ = (row.item_id for row in page.open_record.rows)
    page.items.go_to(first)
    names = desk.names
    edits: dict[str, ReasonEdit | NameEdit | TextEdit] = {
        "reason": inspector.verdict.reason,
        "name": inspector.fields.name,
        "description": inspector.fields.description,
    }
    edit = edits[field]
    if field == "reason":
        desk.context.commands.run("item.fail")
        qtbot.waitUntil(lambda: desk.saved)
    edit.setFocus()
    edit.selectAll()
    type_text("dee")
    notices: list[str] = []
    page.toast.connect(notices.append)

    # Through its own ETag, as another desktop does.
    page.open_record.remove_item(page.open_record.edits.service_id(first))

    assert page.open_record.current == second
    assert not edit.hasFocus()
    assert page.canvas.view.hasFocus()
    assert notices == ["Item 1, 条目1, was deleted elsewhere. What you were typing was not applied."]
    page.inspector.commit()
    assert desk.names == names[1:]
    shown = not_none(page.open_record.item)
    assert (shown.description or "", shown.reason) == ("", "")
    assert page.open_record.waiting == []
    text = edit.toPlainText() if isinstance(edit, QPlainTextEdit) else edit.text()
    assert text == (names[1] if field == "name" else "")
    assert verdicts(desk.session, second) == []


def test_deletion_by_another_user_is_said_without_typing(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    first = page.open_record.rows[0].item_id
    page.items.go_to(first)
    notices: list[str] = []
    page.toast.connect(notices.append)
    desk.session.items.delete(first)
    qtbot.waitUntil(lambda: len(page.open_record.rows) == 2)
    assert notices == ["Item 1, 条目1, was deleted elsewhere."]


def test_own_deletion_and_undo_say_nothing_of_another_user(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    page.items.go_to(page.open_record.rows[0].item_id)
    notices: list[str] = []
    page.toast.connect(notices.append)
    page.items.changes.remove([page.open_record.current])
    qtbot.waitUntil(lambda: desk.saved)
    desk.draw(0.4, 0.6, 0.5, 0.7)
    page.canvas.view.setFocus()
    QTest.keyClick(page.canvas.view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: len(page.open_record.rows) == 2)
    assert not [text for text in notices if "elsewhere" in text]
