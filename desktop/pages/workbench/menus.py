"""Builds the menus of the workbench and its context menus."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QAbstractItemView, QMenu, QWidget

from desktop.canvas.views.canvas_view import CanvasView
from desktop.commands.bindings import Commands
from desktop.commands.registry import COMMANDS

_PLACE = "workbench"
_FIRST = (
    *(
        "record.photos",
        "record.camera",
        "record.film",
        "record.phone",
        "record.watch",
        "record.review",
        "record.films",
        "record.accept",
        "",
        "item.photo",
        "item.camera",
        "item.phone",
        "",
        "edit.undo",
        "edit.redo",
        "",
    ),
    *("regions.import", "record.template", "inspection.export", "record.report", "inspection.hand_over", ""),
)
_ITEM = (
    *("item.pass", "item.fail", "item.unsure", "", "edit.rename", "item.photo", "item.phone"),
    *(
        "item.detect",
        "item.versions",
        "item.trend",
        "item.memory",
        "",
        "edit.copy",
        "edit.duplicate",
        "edit.delete",
        "",
    ),
)
_EMPTY = ("tool.rectangle", "record.photos", "edit.paste", "edit.all", "region.show", "")


def full_menu(commands: Commands, parent: QWidget) -> QMenu:
    """The menu of the record with all other commands of the workbench by section."""
    return _with_sections(commands, parent, _FIRST, ())


def item_menu(commands: Commands, parent: QWidget) -> QMenu:
    """The menu of the chosen item and its region."""
    return _with_sections(commands, parent, _ITEM, ("edit.undo", "compare", "view.fit"))


def canvas_menu(commands: Commands, parent: QWidget) -> QMenu:
    """The menu of the canvas where there is no region."""
    return _with_sections(commands, parent, _EMPTY, ("tool.select", "view.fit"))


def _with_sections(
    commands: Commands, parent: QWidget, first: Sequence[str], members: Sequence[str]
) -> QMenu:
    """Build a menu of `first` and a submenu for the section of each of `members`.

    Without members, all sections are added.
    """
    wanted = {COMMANDS[id_].section for id_ in members}
    sections: dict[str, list[str]] = {}
    for id_, command in COMMANDS.items():
        if command.place != _PLACE or command.focus or id_ in first:
            continue
        if not wanted or command.section in wanted:
            sections.setdefault(command.section, []).append(id_)
    menu = commands.menu(first, parent)
    for ids in sections.values():
        below = commands.menu(ids, menu)
        below.setTitle(commands.section(ids[0]).replace("&", "&&"))
        menu.addMenu(below)
    menu.aboutToHide.connect(menu.deleteLater)
    return menu


class ContextMenus(QObject):
    """Opens the context menus of the canvas and the list. The item below the pointer is chosen first."""

    def __init__(
        self,
        commands: Commands,
        view: CanvasView,
        items: QAbstractItemView,
        has_item: Callable[[], bool],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._commands, self._view, self._items, self._has_item = commands, view, items, has_item
        for widget, show in ((view, self.show_canvas_menu), (items, self.show_list_menu)):
            widget.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            widget.customContextMenuRequested.connect(show)

    def show_canvas_menu(self, position: QPoint) -> None:
        """Show the menu for a position of the canvas."""
        view = self._view
        if view.editor.busy or view.source is None:
            return
        regions = view.store.hits(*view.viewport.to_image(position.x(), position.y()))
        if regions and not any(region.id in view.store.selected_ids for region in regions):
            view.store.select([regions[0].id])
        make = item_menu if regions and self._has_item() else canvas_menu
        make(self._commands, view).popup(view.mapToGlobal(position))

    def show_list_menu(self, position: QPoint) -> None:
        """Show the menu for a position of the list."""
        if self._items.indexAt(position).isValid() and self._has_item():
            item_menu(self._commands, self._items).popup(self._items.viewport().mapToGlobal(position))
