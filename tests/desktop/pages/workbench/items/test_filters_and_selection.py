"""Tests viewing: filters, two-way selection, folding, tools."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from desktop.background.workers import run
from desktop.canvas.tools.tool_machine import Tool
from desktop.canvas.views.alignment import AlignedPair
from desktop.pages.workbench.photos import photo_pair as photos_module
from desktop.pages.workbench.photos.photo_files import make_pair
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, picture
from tests.narrowing import not_none


def test_filter_lists_the_matching_items(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    page = workbench.page
    workbench.context.commands.run("item.fail")
    assert page.items.panel.model.counts() == {"all": 3, "undecided": 2, "failed": 1}
    page.items.panel.filters.chosen.emit("failed")
    assert [
        not_none(page.items.panel.model.row(place)).name for place in range(page.items.panel.model.rowCount())
    ] == ["条目1"]
    page.items.panel.show_all()
    assert page.items.panel.model.rowCount() == 3


def test_filter_hides_no_item_of_the_next_record(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    panel = workbench.page.items.panel
    panel.filters.set_value("failed")
    panel.filters.chosen.emit("failed")
    assert panel.model.rowCount() == 0
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    assert panel.model.rowCount() == 3
    assert panel.filters.value() == "all"


def test_of_many_items_one_is_searched_for_by_name_or_number(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    assert not workbench.page.items.panel.search.isVisible()
    assert not workbench.context.commands.is_possible("search")
    many = tuple((0.1 * (n % 5), 0.2 * (n // 5), 0.05, 0.05) for n in range(15))
    workbench.open(make_record(workbench.session, many), qtbot.waitUntil)
    items = workbench.page.items.panel
    qtbot.waitUntil(items.search.isVisible)
    workbench.context.commands.run("search")
    assert items.search.hasFocus()
    items.search.insert("条目14")
    qtbot.keyClick(items.search, Qt.Key.Key_Return)
    assert [not_none(items.model.row(0)).name, items.model.rowCount()] == ["条目14", 1]
    assert not_none(workbench.page.open_record.item).item_name == "条目14"
    assert items.list.hasFocus()
    items.search.setText("7")
    qtbot.keyClick(items.search, Qt.Key.Key_Return)
    assert not_none(workbench.page.open_record.item).item_name == "条目7"
    items.search.setText("nothing of this name")
    qtbot.keyClick(items.search, Qt.Key.Key_Return)
    assert not_none(workbench.page.open_record.item).item_name == "条目7"
    items.show_all()
    assert (items.model.rowCount(), items.search.text()) == (15, "")


def test_list_marks_locked_and_hidden_items(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    page = workbench.page
    items, item_id = page.items.panel, page.open_record.current
    index = items.model.index(items.model.row_of(item_id))

    def grab_row() -> QImage:
        return items.list.grab(items.list.visualRect(index)).toImage()

    def accessible_marks() -> list[str]:
        return str(index.data(Qt.ItemDataRole.AccessibleTextRole)).split(", ")[3:]

    plain = grab_row()
    page.canvas.view.store.select([item_id])
    workbench.context.commands.run("region.lock")
    assert accessible_marks() == ["Locked"]
    locked = grab_row()
    workbench.context.commands.run("region.hide")
    assert accessible_marks() == ["Locked", "Hidden"]
    both = grab_row()
    assert plain != locked != both
    workbench.context.commands.run("region.show")
    page.canvas.view.store.select([item_id])
    workbench.context.commands.run("region.lock")
    assert (accessible_marks(), grab_row()) == ([], plain)


def test_the_strip_follows_the_tool(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    workbench.context.commands.run("tool.ruler")
    assert workbench.page.canvas.strip.buttons[Tool.RULER].isChecked()
    workbench.page.canvas.strip.buttons[Tool.DRAW].click()
    assert workbench.page.canvas.view.editor.tool is Tool.DRAW
    workbench.context.commands.run("tool.select")
    assert workbench.page.canvas.strip.buttons[Tool.SELECT].isChecked()


def test_the_pair_of_another_item_never_stands_beside_one_without_a_photo(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_id = make_record(workbench.session)
    first = workbench.session.items.all(record_id)[0]
    workbench.session.items.add_photo(
        first.item_id, workbench.session.files.upload(picture(3), "a.png").file_id
    )
    started, before_delete, finished = Event(), Event(), Event()

    def slow(*args: Any) -> AlignedPair:
        started.set()
        before_delete.wait(60)
        try:
            return make_pair(*args)
        finally:
            finished.set()

    workbench.open(record_id, qtbot.waitUntil)
    page = workbench.page
    qtbot.waitUntil(lambda: page.photos.pairing.pair is not None)
    page.items.go_to(page.open_record.rows[1].item_id)
    qtbot.waitUntil(lambda: page.open_record.current in page.photos.pairing._photos_by_item)
    monkeypatch.setattr(photos_module, "make_pair", slow)
    page.items.go_to(first.item_id)
    # Work that has not started is skipped once it is not needed: that would prove nothing.
    qtbot.waitUntil(started.is_set)
    page.items.go_to(page.open_record.rows[1].item_id)
    before_delete.set()
    assert finished.wait(60)
    after: list[None] = []
    run(lambda: None, owner=page, done=after.append)
    qtbot.waitUntil(lambda: bool(after))
    assert page.photos.pairing.pair is None


def test_missing_record_is_reported(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session, ())
    workbench.session.records.delete(record_id)
    workbench.page.enter({"record_id": record_id})
    qtbot.waitUntil(
        lambda: "no longer exists" in not_none(workbench.page.stack.currentWidget()).accessibleName()
    )
    assert workbench.page.return_params()["record_id"] == ""
