"""Tests viewing: filters, two-way selection, folding, tools."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.canvas.alignment import AlignedPair
from desktop.canvas.tools import Tool
from desktop.pages.workbench import photos as photos_module
from desktop.pages.workbench.pictures import make_pair
from desktop.workers import run
from tests.desktop.workbench.stage import Desk, make_record, picture


def test_list_and_canvas_choose_together(bench: Desk, qtbot: QtBot) -> None:
    bench.open(make_record(bench.session), qtbot.waitUntil)
    page = bench.page
    ids = page.items.model.ids()
    page.items.list.setCurrentIndex(page.items.model.index(1))
    assert page.view.store.selected == (ids[1],)
    QTest.mouseClick(page.view, Qt.MouseButton.LeftButton, pos=bench.at(0.35, 0.7))
    assert page.items.current == ids[2] == page.bench.current
    assert page.inspector.fields.name.text() == "条目3"


def test_the_filter_lists_what_is_asked_for(bench: Desk, qtbot: QtBot) -> None:
    bench.open(make_record(bench.session), qtbot.waitUntil)
    page = bench.page
    bench.context.commands.run("item.fail")
    assert page.items.model.counts() == {"all": 3, "undecided": 2, "failed": 1}
    page.items.filters.chosen.emit("failed")
    assert [page.items.model.row(place).name for place in range(page.items.model.rowCount())] == ["条目1"]
    page.items.show_all()
    assert page.items.model.rowCount() == 3


def test_of_many_items_one_is_searched_for_by_name_or_number(bench: Desk, qtbot: QtBot) -> None:
    bench.open(make_record(bench.session), qtbot.waitUntil)
    assert not bench.page.items.search.isVisible()
    assert not bench.context.commands.possible("search")
    many = [(0.1 * (n % 5), 0.2 * (n // 5), 0.05, 0.05) for n in range(15)]
    bench.open(make_record(bench.session, many), qtbot.waitUntil)
    items = bench.page.items
    qtbot.waitUntil(items.search.isVisible)
    bench.context.commands.run("search")
    assert items.search.hasFocus()
    items.search.insert("条目14")
    qtbot.keyClick(items.search, Qt.Key.Key_Return)
    assert [items.model.row(0).name, items.model.rowCount()] == ["条目14", 1]
    assert bench.page.bench.item.item_name == "条目14"
    assert items.list.hasFocus()
    items.search.setText("7")
    qtbot.keyClick(items.search, Qt.Key.Key_Return)
    assert bench.page.bench.item.item_name == "条目7"
    items.search.setText("nothing of this name")
    qtbot.keyClick(items.search, Qt.Key.Key_Return)
    assert bench.page.bench.item.item_name == "条目7"
    items.show_all()
    assert (items.model.rowCount(), items.search.text()) == (15, "")


def test_the_inspector_folds_where_there_is_little_room(bench: Desk, qtbot: QtBot) -> None:
    bench.open(make_record(bench.session), qtbot.waitUntil)
    assert not bench.page.inspector.isHidden()
    bench.page.resize(1100, 760)
    qtbot.waitUntil(bench.page.inspector.isHidden)
    bench.context.commands.run("view.inspector")
    assert not bench.page.inspector.isHidden()
    bench.page.resize(1000, 760)
    qtbot.wait(20)
    assert not bench.page.inspector.isHidden()


def test_the_list_marks_what_is_locked_or_hidden(bench: Desk, qtbot: QtBot) -> None:
    bench.open(make_record(bench.session), qtbot.waitUntil)
    page = bench.page
    items, item_id = page.items, page.bench.current
    index = items.model.index(items.model.place_of(item_id))

    def seen() -> QImage:
        return items.list.grab(items.list.visualRect(index)).toImage()

    def spoken() -> list[str]:
        return str(index.data(Qt.ItemDataRole.AccessibleTextRole)).split(", ")[4:]

    plain = seen()
    page.view.store.select([item_id])
    bench.context.commands.run("region.lock")
    assert spoken() == ["Locked"]
    locked = seen()
    bench.context.commands.run("region.hide")
    assert spoken() == ["Locked", "Hidden"]
    both = seen()
    assert plain != locked != both
    bench.context.commands.run("region.show")
    page.view.store.select([item_id])
    bench.context.commands.run("region.lock")
    assert (spoken(), seen()) == ([], plain)


def test_the_strip_follows_the_tool(bench: Desk, qtbot: QtBot) -> None:
    bench.open(make_record(bench.session), qtbot.waitUntil)
    bench.context.commands.run("tool.ruler")
    assert bench.page.strip.buttons[Tool.RULER].isChecked()
    bench.page.strip.buttons[Tool.DRAW].click()
    assert bench.page.view.editor.tool is Tool.DRAW
    bench.context.commands.run("tool.select")
    assert bench.page.strip.buttons[Tool.SELECT].isChecked()


def test_the_pair_of_another_item_never_stands_beside_one_without_a_photo(
    bench: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_id = make_record(bench.session)
    first = bench.session.items.all(record_id)[0]
    bench.session.items.add_photo(first.item_id, bench.session.files.upload(picture(3), "a.png").file_id)
    begun, let_go, made = Event(), Event(), Event()

    def slow(*given: Any) -> AlignedPair:
        begun.set()
        let_go.wait(10)
        try:
            return make_pair(*given)
        finally:
            made.set()

    bench.open(record_id, qtbot.waitUntil)
    page = bench.page
    qtbot.waitUntil(lambda: page.photos.pair is not None)
    page.go_to(page.bench.rows[1].item_id)
    qtbot.waitUntil(lambda: page.bench.current in page.photos._known)
    monkeypatch.setattr(photos_module, "make_pair", slow)
    page.go_to(first.item_id)
    # Work that was only handed over is skipped when it is not wanted any more: that would prove nothing.
    qtbot.waitUntil(begun.is_set)
    page.go_to(page.bench.rows[1].item_id)
    let_go.set()
    assert made.wait(10)
    after: list[None] = []
    run(lambda: None, owner=page, done=after.append)
    qtbot.waitUntil(lambda: bool(after))
    assert page.photos.pair is None


def test_a_record_that_is_gone_is_said(bench: Desk, qtbot: QtBot) -> None:
    record_id = make_record(bench.session, ())
    bench.session.records.delete(record_id)
    bench.page.opened({"record_id": record_id})
    qtbot.waitUntil(lambda: "no longer exists" in bench.page.stack.currentWidget().accessibleName())
    assert bench.page.place()["record_id"] == ""
