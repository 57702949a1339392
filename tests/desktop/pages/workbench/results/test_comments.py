"""Tests comments on an item and at a place on its photo."""

from __future__ import annotations

import datetime as dt

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from desktop.pages.workbench.results.comments import CommentsBox
from desktop.widgets import IconButton
from shared.record.codes import Verdict
from shared.wire.shift import Comment, CommentWrite
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, picture
from tests.narrowing import not_none


@pytest.fixture
def record_id(workbench: WorkbenchDriver, qtbot: QtBot) -> str:
    record_id = make_record(workbench.session)
    item = workbench.session.items.all(record_id)[0]
    photo = workbench.session.files.upload(picture(2), "photo.png")
    workbench.session.items.add_photo(item.item_id, photo.file_id)
    workbench.open(record_id, qtbot.waitUntil)
    return record_id


def _texts(desk: WorkbenchDriver) -> list[str]:
    box = desk.page.inspector.comments
    return [text.text() for text in box.findChildren(QLabel) if text.isVisibleTo(box)]


def _button(box: CommentsBox, name: str) -> IconButton:
    return next(button for button in box.findChildren(IconButton) if button.accessibleName() == name)


def test_comment_on_an_item_is_listed_for_this_item_alone(
    workbench: WorkbenchDriver, record_id: str, qtbot: QtBot
) -> None:
    box = workbench.page.inspector.comments
    workbench.page.resize(1000, 560)
    workbench.context.commands.run("comment.add")
    qtbot.waitUntil(lambda: box.text.visibleRegion().boundingRect() == box.text.rect(), timeout=60_000)
    box.text.setText("  铆钉松动  ")
    QTest.keyClick(box.text, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "铆钉松动" in _texts(workbench), timeout=60_000)
    assert box.text.text() == ""
    (comment,) = workbench.session.records.comments(record_id)
    assert (comment.item_id, comment.x) == (workbench.page.open_record.current, None)
    workbench.page.items.go_to(workbench.page.open_record.rows[1].item_id)
    assert "铆钉松动" not in _texts(workbench)


def _row_widgets(desk: WorkbenchDriver) -> list[QWidget]:
    """The widgets of the listed comments: each one beside the field for the text and what belongs to it."""
    box = desk.page.inspector.comments
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return [child for child in box.findChildren(QWidget) if child not in (box.text, box.add, box.place)]


def test_no_widget_of_a_comment_stays_at_another_item_or_record(
    workbench: WorkbenchDriver, record_id: str, qtbot: QtBot
) -> None:
    page = workbench.page
    item_id = page.open_record.current
    workbench.session.records.comment(record_id, CommentWrite(item_id=item_id, text="铆钉"))
    qtbot.waitUntil(lambda: bool(page.inspector.comments.findChildren(IconButton)), timeout=60_000)
    page.items.go_to(page.open_record.rows[1].item_id)
    assert _row_widgets(workbench) == []
    page.items.go_to(item_id)
    assert page.inspector.comments.findChildren(IconButton)
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    qtbot.waitUntil(lambda: page.open_record.record_id != record_id and page.open_record.current != item_id)
    qtbot.waitUntil(lambda: _row_widgets(workbench) == [], timeout=60_000)


def test_comment_at_a_place_is_marked_on_the_photo(
    workbench: WorkbenchDriver, record_id: str, qtbot: QtBot
) -> None:
    page = workbench.page
    qtbot.waitUntil(lambda: page.photos.pairing.ref is not None, timeout=60_000)
    page.canvas.photo_view.show(True)
    qtbot.waitUntil(lambda: page.canvas.photo.source is not None, timeout=60_000)
    width, height = not_none(page.canvas.photo.source).size
    page.canvas.photo.cursor_moved.emit((width // 4, height // 2))
    workbench.context.commands.run("comment.add")
    assert page.canvas.photo._marks == ((1, 0.25, 0.5),)
    box = page.inspector.comments
    assert box.place.isVisibleTo(box)
    box.text.setText("裂纹？")
    QTest.mouseClick(box.add, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "裂纹？" in _texts(workbench), timeout=60_000)
    (comment,) = workbench.session.records.comments(record_id)
    assert (comment.x, comment.y) == (0.25, 0.5)
    assert comment.file_id
    assert page.canvas.photo._marks == ((1, 0.25, 0.5),)
    page.canvas.photo.grab()
    assert not box.place.isVisibleTo(box)


def test_comment_of_another_user_arrives(workbench: WorkbenchDriver, record_id: str, qtbot: QtBot) -> None:
    item_id = workbench.page.open_record.current
    workbench.session.records.comment(record_id, CommentWrite(item_id=item_id, text="看这里"))
    qtbot.waitUntil(lambda: "看这里" in _texts(workbench), timeout=60_000)


def test_own_comment_is_changed_and_deleted(
    workbench: WorkbenchDriver, record_id: str, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, box = workbench.session, workbench.page.inspector.comments
    item_id = workbench.page.open_record.current
    session.records.comment(record_id, CommentWrite(item_id=item_id, text="铆钉"))
    qtbot.waitUntil(lambda: "铆钉" in _texts(workbench), timeout=60_000)
    _button(box, "Change comment").click()
    assert box.text.text() == "铆钉"
    QTest.keyClick(box.text, Qt.Key.Key_Escape)
    assert box.text.text() == ""
    _button(box, "Change comment").click()
    box.text.setText("铆钉松动")
    QTest.keyClick(box.text, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "铆钉松动" in _texts(workbench), timeout=60_000)
    assert [comment.text for comment in session.records.comments(record_id)] == ["铆钉松动"]
    monkeypatch.setattr("desktop.pages.workbench.results.comments.confirm", lambda *_: True)
    _button(box, "Delete comment").click()
    # The list may be empty for a moment because it is read again.
    qtbot.waitUntil(lambda: session.records.comments(record_id) == [], timeout=60_000)
    qtbot.waitUntil(lambda: "铆钉松动" not in _texts(workbench), timeout=60_000)


def test_comment_of_another_user_has_no_buttons(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    box = workbench.page.inspector.comments
    comment = Comment(
        comment_id="c",
        item_id="i",
        file_id=None,
        x=None,
        y=None,
        text="t",
        written_by="me",
        written_by_name=None,
        created_at=dt.datetime(2026, 3, 1, tzinfo=dt.UTC),
    )
    box.set_editable(True)
    box.show_comments([comment], "another")
    assert not box.findChildren(IconButton)
    box.show_comments([comment], "me")
    assert len(box.findChildren(IconButton)) == 2


def test_half_typed_comment_stays_with_its_item(
    workbench: WorkbenchDriver, record_id: str, qtbot: QtBot
) -> None:
    page, box = workbench.page, workbench.page.inspector.comments
    first, second = (row.item_id for row in page.open_record.rows[:2])
    workbench.context.commands.run("comment.add")
    QTest.keyClicks(box.text, "half a")
    page.items.go_to(second)
    assert box.text.text() == ""
    QTest.keyClicks(box.text, "other")
    page.items.go_to(first)
    assert box.text.text() == "half a"
    page.reload()
    page.leave()
    workbench.open(record_id, qtbot.waitUntil)
    assert box.text.text() == "half a"
    QTest.keyClick(box.text, Qt.Key.Key_Return)
    # What is sent belongs to the item for which it was typed.
    page.items.go_to(second)
    assert box.text.text() == "other"
    qtbot.waitUntil(lambda: bool(workbench.session.records.comments(record_id)))
    qtbot.waitUntil(box.add.isEnabled)
    assert box.text.text() == "other"
    (comment,) = workbench.session.records.comments(record_id)
    assert (comment.item_id, comment.text) == (page.open_record.edits.service_id(first), "half a")
    page.items.go_to(first)
    assert box.text.text() == ""


def test_half_changed_comment_is_still_a_change(
    workbench: WorkbenchDriver, record_id: str, qtbot: QtBot
) -> None:
    page, box = workbench.page, workbench.page.inspector.comments
    first, second = (row.item_id for row in page.open_record.rows[:2])
    workbench.session.records.comment(record_id, CommentWrite(item_id=first, text="铆钉"))
    qtbot.waitUntil(lambda: "铆钉" in _texts(workbench))
    _button(box, "Change comment").click()
    box.text.setText("铆钉松动")
    page.items.go_to(second)
    assert (box.text.text(), box.add.text()) == ("", "Add")
    page.items.go_to(first)
    assert (box.text.text(), box.add.text()) == ("铆钉松动", "Save")
    QTest.keyClick(box.text, Qt.Key.Key_Return)
    qtbot.waitUntil(
        lambda: [comment.text for comment in workbench.session.records.comments(record_id)] == ["铆钉松动"]
    )


def test_comment_is_refused_while_the_service_is_away(
    workbench: WorkbenchDriver, record_id: str, qtbot: QtBot
) -> None:
    page, box, url = workbench.page, workbench.page.inspector.comments, workbench.session.base_url
    workbench.session.rebase("http://127.0.0.1:9")
    page.items.changes.decide(Verdict.PASSED, "")
    workbench.context.commands.run("comment.add")
    box.text.setText("half a")
    with qtbot.waitSignal(page.toast):
        QTest.keyClick(box.text, Qt.Key.Key_Return)
    assert (box.text.text(), box.add.isEnabled()) == ("half a", True)
    workbench.session.rebase(url)
