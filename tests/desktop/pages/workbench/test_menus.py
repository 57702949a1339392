"""Every command of the workbench is in a menu; the context menu fits what is below the pointer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from desktop.commands.registry import COMMANDS
from desktop.pages.workbench import menus
from tests.desktop.pages.workbench.driver import BOXES, WorkbenchDriver, make_record
from tests.narrowing import not_none


@pytest.fixture
def open_workbench(workbench: WorkbenchDriver, qtbot: QtBot) -> Iterator[WorkbenchDriver]:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    yield workbench
    while isinstance(QApplication.activePopupWidget(), QMenu):
        not_none(QApplication.activePopupWidget()).close()


def entries(menu: QMenu) -> list[QAction]:
    """The actions of a menu and its submenus."""
    actions = []
    for action in menu.actions():
        below = action.menu()
        actions += entries(below) if isinstance(below, QMenu) else [action]
    return actions


def titles(menu: QMenu) -> set[str]:
    return {action.text().partition("\t")[0] for action in entries(menu)}


def popup() -> QMenu:
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def test_every_command_of_the_workbench_is_in_its_menu(open_workbench: WorkbenchDriver) -> None:
    open_workbench.page.top.more.click()
    shown_titles = titles(popup())
    wanted = [
        command.title for command in COMMANDS.values() if command.place == "workbench" and not command.focus
    ]
    assert len(wanted) > 40
    assert [title for title in wanted if title not in shown_titles] == []


def test_right_click_selects_the_region_and_opens_its_menu(
    open_workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    x, y, w, h = BOXES[1]
    at = open_workbench.at(x + w / 2, y + h / 2)
    open_workbench.page.canvas.view.customContextMenuRequested.emit(at)
    assert open_workbench.page.open_record.current == open_workbench.page.open_record.rows[1].item_id
    menu = popup()
    assert {"Verdict: failed", "Rename item", "Lock or unlock regions", "Fit to window"} <= titles(menu)
    next(action for action in entries(menu) if action.text().startswith("Delete")).trigger()
    qtbot.waitUntil(lambda: len(open_workbench.names) == len(BOXES) - 1)


def test_right_click_beside_regions_keeps_the_selection(open_workbench: WorkbenchDriver) -> None:
    before = open_workbench.page.open_record.current
    open_workbench.page.canvas.view.customContextMenuRequested.emit(open_workbench.at(0.99, 0.99))
    assert open_workbench.page.open_record.current == before
    shown_titles = titles(popup())
    assert "Paste regions" in shown_titles
    assert "Delete item" not in shown_titles


def test_right_click_on_a_selected_region_keeps_the_selection(open_workbench: WorkbenchDriver) -> None:
    open_workbench.context.commands.run("edit.all")
    x, y, w, h = BOXES[1]
    open_workbench.page.canvas.view.customContextMenuRequested.emit(open_workbench.at(x + w / 2, y + h / 2))
    assert len(open_workbench.page.canvas.view.store.selected_ids) == len(BOXES)


def test_the_list_offers_the_same(open_workbench: WorkbenchDriver) -> None:
    items = open_workbench.page.items.panel.list
    open_workbench.page.items.go_to(open_workbench.page.open_record.rows[0].item_id)
    items.customContextMenuRequested.emit(items.visualRect(items.model().index(0, 0)).center())
    assert titles(popup()) == titles(menus.item_menu(open_workbench.context.commands, items))
