"""Synchronizes the selection of list and canvas."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from desktop.canvas.model.regions import StoreEvent
from desktop.canvas.views.canvas_view import CanvasView
from desktop.pages.workbench.items.items_panel import ItemsPanel
from desktop.record.open_record import OpenRecord


class SelectionController(QObject):
    """Passes the selection of canvas or list to the open record, and from there to the other one.

    `commit` commits text typed about the chosen item before another one is chosen.
    """

    def __init__(
        self,
        open_record: OpenRecord,
        items: ItemsPanel,
        view: CanvasView,
        commit: Callable[[], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._open_record, self._items, self._view, self._commit = open_record, items, view, commit
        self._is_showing = False
        open_record.selectionChanged.connect(self.show)
        open_record.currentChanged.connect(self.show)
        items.selected.connect(self._on_list_selected)
        view.store.subscribe(self._on_canvas_selected)

    def show(self) -> None:
        """Show the selection of the open record in list and canvas."""
        open_record = self._open_record
        self._is_showing = True
        self._items.select(open_record.selection, open_record.current)
        self._view.store.select(open_record.selection)
        self._is_showing = False

    def _on_list_selected(self, item_ids: tuple[str, ...], current: str) -> None:
        self._commit()
        self._open_record.select(item_ids, current)
        self._view.ensure_visible(current)

    def _on_canvas_selected(self, event: StoreEvent) -> None:
        # A region that is taken off the canvas, with its picture for example, stays selected in the list.
        if not event.selection or event.removed or self._is_showing:
            return
        ids = self._view.store.selected_ids
        if ids and self._open_record.current not in ids:
            self._commit()
        self._open_record.select(ids)
