"""Synchronizes the selection of list and canvas."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from desktop.canvas.regions import StoreEvent
from desktop.canvas.view import CanvasView
from desktop.pages.workbench.bench import Bench
from desktop.pages.workbench.items_panel import ItemsPanel


class Selecting(QObject):
    """Brings what is selected on the canvas or in the list to the bench, and from there to the other one.

    `commit` takes what is typed about the chosen item before another one is chosen.
    """

    def __init__(
        self, bench: Bench, items: ItemsPanel, view: CanvasView, commit: Callable[[], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._bench, self._items, self._view, self._commit = bench, items, view, commit
        self._showing = False
        bench.selectionChanged.connect(self.show)
        bench.currentChanged.connect(self.show)
        items.selected.connect(self._in_list)
        view.store.subscribe(self._on_canvas)

    def show(self) -> None:
        """Show the selection of the bench in both places; regions that are not on view are only listed."""
        bench = self._bench
        self._showing = True
        self._items.select(bench.selection, bench.current)
        self._view.store.select(bench.selection)
        self._showing = False

    def _in_list(self, item_ids: tuple[str, ...], current: str) -> None:
        self._commit()
        self._bench.select(item_ids, current)
        self._view.ensure_visible(current)

    def _on_canvas(self, event: StoreEvent) -> None:
        # A region that is taken off the canvas, with its picture for example, stays selected in the list.
        if not event.selection or event.removed or self._showing:
            return
        ids = self._view.store.selected
        if ids and self._bench.current not in ids:
            self._commit()
        self._bench.select(ids)
