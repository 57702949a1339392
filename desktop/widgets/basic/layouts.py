"""Fills rows and columns, removes widgets from layouts, and keeps places in them.

Lays out widgets in rows that wrap.
"""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QLayoutItem, QVBoxLayout, QWidget

Part: TypeAlias = QWidget | QLayout | int | tuple[Any, ...]
"""A widget or layout, alone or in a tuple with the other arguments of `addWidget`; a number is a stretch."""
Margins: TypeAlias = int | tuple[int, int, int, int]
"""Left, top, right and bottom in px; one number for all."""

_Box = TypeVar("_Box", bound=QBoxLayout)


def row_of(
    *parts: Part, parent: QWidget | None = None, margins: Margins | None = None, spacing: int | None = None
) -> QHBoxLayout:
    """Create a row of `parts`, as the layout of `parent` if one is given. None keeps what the style gives."""
    return _fill(QHBoxLayout() if parent is None else QHBoxLayout(parent), parts, margins, spacing)


def column_of(
    *parts: Part, parent: QWidget | None = None, margins: Margins | None = None, spacing: int | None = None
) -> QVBoxLayout:
    """Create a column, as `row_of` does a row."""
    return _fill(QVBoxLayout() if parent is None else QVBoxLayout(parent), parts, margins, spacing)


def _fill(box: _Box, parts: tuple[Part, ...], margins: Margins | None, spacing: int | None) -> _Box:
    if margins is not None:
        box.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        box.setSpacing(spacing)
    for part in parts:
        if isinstance(part, int):
            box.addStretch(part)
            continue
        inner, *options = part if isinstance(part, tuple) else (part,)
        (box.addWidget if isinstance(inner, QWidget) else box.addLayout)(inner, *options)
    return box


def remove_widget(widget: QWidget, layout: QLayout) -> None:
    """Remove `widget` from `layout` and delete it.

    If the widget is deleted without removing it first, Qt deletes its layout item and PySide does not notice:
    it keeps the address of the item. If Qt then creates another object at that address, for example a timer,
    the program crashes when that object is deleted (Shiboken 6.11, `Object::destroy`). `removeWidget` does
    the same with an item of a layout that is written in Python.
    """
    layout.takeAt(layout.indexOf(widget))
    widget.hide()
    widget.deleteLater()


def keep_place(widget: QWidget, on: bool) -> None:
    """Set whether `widget` keeps its place in a layout while it is hidden."""
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(on)
    widget.setSizePolicy(policy)


def clear_layout(layout: QLayout) -> None:
    """Remove all items from `layout` and delete their widgets, also those in nested layouts."""
    while (item := layout.takeAt(0)) is not None:
        widget, nested = item.widget(), item.layout()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
        elif nested is not None:
            clear_layout(nested)
            nested.deleteLater()


class FlowLayout(QLayout):
    """Places widgets of their preferred sizes one after another, in as many rows as they need.

    Each row is filled before the next one, and its widgets are centred vertically. A widget that is wider
    than the layout gets the width of the layout.
    """

    def __init__(self, parent: QWidget | None = None, spacing: int = 8) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        # Cached, because Qt reads the sizes many times in one pass of the layout. It calls `invalidate`
        # before a pass.
        self._heights: dict[int, int] = {}
        self._size_hint: QSize | None = None
        self._minimum: QSize | None = None
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)

    def invalidate(self) -> None:
        self._heights.clear()
        self._size_hint = self._minimum = None
        super().invalidate()

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)
        self.invalidate()

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        if not 0 <= index < len(self._items):
            return None
        self.invalidate()
        return self._items.pop(index)

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if width not in self._heights:
            self._heights[width] = self._lay_out(QRect(0, 0, width, 0), apply=False)
        return self._heights[width]

    def sizeHint(self) -> QSize:
        """Return the size of a single row with all widgets."""
        if self._size_hint is None:
            self._size_hint = self._single_row_size()
        return self._size_hint

    def _single_row_size(self) -> QSize:
        hints = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(size.width() for size in hints) + self.spacing() * max(0, len(hints) - 1)
        return self._with_margins(QSize(width, max((size.height() for size in hints), default=0)))

    def minimumSize(self) -> QSize:
        if self._minimum is None:
            self._minimum = self._minimum_size()
        return self._minimum

    def _minimum_size(self) -> QSize:
        hints = [item.sizeHint() for item in self._items if not item.isEmpty()]
        minimums = [item.minimumSize() for item in self._items if not item.isEmpty()]
        width = max((size.width() for size in minimums), default=0)
        return self._with_margins(QSize(width, max((size.height() for size in hints), default=0)))

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._lay_out(rect, apply=True)

    def _with_margins(self, size: QSize) -> QSize:
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _lay_out(self, rect: QRect, *, apply: bool) -> int:
        """Lay out the widgets in `rect`; with `apply` also set their geometry. Returns the height in px."""
        margins = self.contentsMargins()
        available = rect.width() - margins.left() - margins.right()
        y = rect.y() + margins.top()
        for index, row in enumerate(self._split_rows(available)):
            height = max(item.sizeHint().height() for item in row)
            y += self.spacing() if index else 0
            x = rect.x() + margins.left()
            for item in row:
                size = item.sizeHint().boundedTo(QSize(max(available, 0), height))
                if apply:
                    item.setGeometry(QRect(QPoint(x, y + (height - size.height()) // 2), size))
                x += size.width() + self.spacing()
            y += height
        return y + margins.bottom() - rect.y()

    def _split_rows(self, available: int) -> list[list[QLayoutItem]]:
        rows: list[list[QLayoutItem]] = []
        left = 0
        for item in self._items:
            if item.isEmpty():
                continue
            width = item.sizeHint().width()
            if not rows or width > left:
                rows.append([])
                left = available
            rows[-1].append(item)
            left -= width + self.spacing()
        return rows
