"""The view of the items: rows of one height, which can be dragged into another order."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QAbstractItemView, QListView

from desktop.pages.workbench.items.items_model import Index, ItemDelegate, ItemsModel


class ItemsList(QListView):
    """A list whose rows all have the same height. Dragged rows are not moved here: `moved` asks for it."""

    moved = Signal(tuple, str)
    """The ids of the dragged items, and of the item that they were dropped before, or an empty text."""

    def __init__(self, model: ItemsModel) -> None:
        super().__init__()
        self.items = model
        self.delegate = ItemDelegate(self)
        self.setObjectName("items-list")
        self.setAccessibleName(self.tr("Items"))
        self.setModel(model)
        self.setItemDelegate(self.delegate)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setDragDropOverwriteMode(False)
        self.set_movable(True)

    def set_compact(self, on: bool) -> None:
        """Show each item on one line of 24 px, or with its picture."""
        if on != self.delegate.compact:
            self.delegate.compact = on
            # The height of the rows is asked for again.
            self.setUniformItemSizes(True)
            self.doItemsLayout()

    def set_movable(self, on: bool) -> None:
        """Allow or forbid dragging items to another place."""
        mode = QAbstractItemView.DragDropMode
        self.setDragDropMode(mode.InternalMove if on else mode.NoDragDrop)

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        # QListView would lay out and paint all rows again.
        QAbstractItemView.dataChanged(self, first, last, list(roles))

    def dropEvent(self, event: QDropEvent) -> None:
        """Ask for the dragged items to be moved to the place under the pointer."""
        if event.source() is not self:
            event.ignore()
            return
        rows = sorted(index.row() for index in self.selectedIndexes())
        ids = self.items.ids()
        place = self.place_at(event.position().toPoint().y())
        # A copy: Qt would remove the rows after a move.
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        self.setState(QAbstractItemView.State.NoState)
        self.viewport().update()
        self.moved.emit(tuple(ids[row] for row in rows), ids[place] if place < len(ids) else "")

    def place_at(self, y: int) -> int:
        """The number of rows above a drop at `y` px of the viewport."""
        count = self.items.rowCount()
        if not count:
            return 0
        first, height = self.visualRect(self.items.index(0)), self.sizeHintForRow(0)
        return min(max(round((y - first.top()) / height), 0), count)
