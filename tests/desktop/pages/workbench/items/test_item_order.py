"""Tests moving items in the walk, the compact list and the drawing tool that stays."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.canvas.tools.tool_machine import Tool
from desktop.pages.workbench.items.items_list import ItemsList
from desktop.pages.workbench.items.items_model import COMPACT_ROW_PX
from desktop.record import item_changes
from desktop.record.item_changes import default_names
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record


class _Drop(QDropEvent):
    """A drop of rows of the list itself."""

    def __init__(self, items: ItemsList, y: int) -> None:
        data = QMimeData()
        super().__init__(
            QPointF(10, y),
            Qt.DropAction.MoveAction,
            data,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        self._items, self._data = items, data

    def source(self) -> ItemsList:
        return self._items


def _names(desk: WorkbenchDriver) -> list[str]:
    return [f"{row.number} {row.name}" for row in desk.page.open_record.rows]


def _stored(desk: WorkbenchDriver, record_id: str) -> list[str]:
    return [item.item_name for item in desk.session.items.all(record_id)]


def test_dropped_item_is_walked_where_it_was_dropped(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    items = workbench.page.items.panel
    items.list.setCurrentIndex(items.model.index(2))
    items.list.dropEvent(_Drop(items.list, 2))
    assert _names(workbench) == ["1 条目3", "2 条目1", "3 条目2"]
    qtbot.waitUntil(lambda: _stored(workbench, record_id) == ["条目3", "条目1", "条目2"], timeout=60_000)
    workbench.context.commands.run("edit.undo")
    assert _names(workbench) == ["1 条目1", "2 条目2", "3 条目3"]
    qtbot.waitUntil(lambda: _stored(workbench, record_id) == ["条目1", "条目2", "条目3"], timeout=60_000)


def test_name_that_nobody_gave_stays_true_when_items_are_moved(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    workbench.open(make_record(workbench.session, boxes=()), qtbot.waitUntil)
    workbench.draw(0.1, 0.1, 0.3, 0.3)
    workbench.draw(0.5, 0.1, 0.7, 0.3)
    assert _names(workbench) == ["1 Item A", "2 Item B"]
    workbench.context.commands.run("item.earlier")
    assert _names(workbench) == ["1 Item B", "2 Item A"]
    workbench.draw(0.1, 0.6, 0.3, 0.8)
    assert _names(workbench) == ["1 Item B", "2 Item A", "3 Item C"]


def test_there_is_always_another_name_for_a_new_item() -> None:
    names = default_names({"Item B"})
    assert [next(names) for _ in range(52)][::25] == ["Item A", "Item AA", "Item AZ"]


def test_order_of_another_user_arrives(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    ids = [item.item_id for item in workbench.session.items.all(record_id)]
    workbench.session.items.arrange(record_id, ids[::-1])
    qtbot.waitUntil(lambda: _names(workbench) == ["1 条目3", "2 条目2", "3 条目1"], timeout=60_000)


def test_chosen_item_is_moved_by_keys(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    workbench.context.commands.run("item.earlier")
    assert _names(workbench) == ["1 条目1", "2 条目2", "3 条目3"]
    workbench.context.commands.run("item.later")
    assert _names(workbench) == ["1 条目2", "2 条目1", "3 条目3"]
    workbench.context.commands.run("item.later")
    workbench.context.commands.run("item.later")
    assert _names(workbench) == ["1 条目2", "2 条目3", "3 条目1"]
    assert workbench.page.items.panel.current == workbench.page.open_record.rows[2].item_id


def test_compact_list_shows_each_item_on_one_line_and_is_remembered(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    items = workbench.page.items.panel
    rich = items.list.visualRect(items.model.index(2)).height()
    QTest.mouseClick(items.compact, Qt.MouseButton.LeftButton)
    assert items.list.visualRect(items.model.index(2)).height() == COMPACT_ROW_PX < rich
    assert items.compact.isChecked()
    assert workbench.context.preferences.values.compact_items
    items.list.grab()
    QTest.mouseClick(items.compact, Qt.MouseButton.LeftButton)
    assert items.list.visualRect(items.model.index(2)).height() == rich


def test_drawing_tool_stays_until_esc_if_the_setting_says_so(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    view = workbench.page.canvas.view
    workbench.context.commands.run("tool.keep")
    workbench.context.commands.run("tool.rectangle")
    for number in range(2):
        before = len(view.store)
        start, end = workbench.at(0.4 + 0.1 * number, 0.02), workbench.at(0.45 + 0.1 * number, 0.08)
        _drag(workbench, start, end)
        assert len(view.store) == before + 1
        assert view.editor.tool is Tool.DRAW
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert view.editor.tool is Tool.SELECT


def _drag(desk: WorkbenchDriver, start: QPoint, end: QPoint) -> None:
    view = desk.page.canvas.view
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(view, end)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end)


def test_undo_names_a_moved_region_and_moved_items(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    page, commands = workbench.page, workbench.context.commands
    notices: list[str] = []
    page.canvas.undoing.notice.connect(notices.append)
    workbench.drag(workbench.at(0.2, 0.2), workbench.at(0.25, 0.25))
    commands.run("edit.undo")
    page.items.changes.move([page.open_record.rows[2].item_id], page.open_record.rows[0].item_id)
    commands.run("edit.undo")
    # As journals name it that were written earlier.
    monkeypatch.setattr(item_changes, "EditName", SimpleNamespace(MOVE="move"))
    page.items.changes.move([page.open_record.rows[2].item_id], page.open_record.rows[0].item_id)
    monkeypatch.undo()
    commands.run("edit.undo")
    assert notices == ["Undone: Move region (item 1, 条目1)", *["Undone: Reorder items"] * 2]
