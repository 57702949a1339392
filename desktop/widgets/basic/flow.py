"""Lays out widgets in a row that wraps."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class Flow(QLayout):
    """Widgets one after another, each as large as it wants to be, in as many lines as they need.

    A line is filled before the next one begins; the widgets of a line stand in its middle. In a width that is
    less than that of one widget, the widget gets the width there is.
    """

    def __init__(self, parent: QWidget | None = None, spacing: int = 8) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        # Qt asks for them many times in one pass of the layout, and calls `invalidate` before each pass.
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
        """All in one line."""
        if self._size_hint is None:
            self._size_hint = self._one_line()
        return self._size_hint

    def _one_line(self) -> QSize:
        shown = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(size.width() for size in shown) + self.spacing() * max(0, len(shown) - 1)
        return self._with_margins(QSize(width, max((size.height() for size in shown), default=0)))

    def minimumSize(self) -> QSize:
        if self._minimum is None:
            self._minimum = self._widest()
        return self._minimum

    def _widest(self) -> QSize:
        shown = [item.sizeHint() for item in self._items if not item.isEmpty()]
        least = [item.minimumSize() for item in self._items if not item.isEmpty()]
        width = max((size.width() for size in least), default=0)
        return self._with_margins(QSize(width, max((size.height() for size in shown), default=0)))

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._lay_out(rect, apply=True)

    def _with_margins(self, size: QSize) -> QSize:
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _lay_out(self, rect: QRect, *, apply: bool) -> int:
        """Lay the widgets out in `rect`, and set their geometry with `apply`. Returns the height."""
        margins = self.contentsMargins()
        room = rect.width() - margins.left() - margins.right()
        y = rect.y() + margins.top()
        for index, line in enumerate(self._lines(room)):
            height = max(item.sizeHint().height() for item in line)
            y += self.spacing() if index else 0
            x = rect.x() + margins.left()
            for item in line:
                size = item.sizeHint().boundedTo(QSize(max(room, 0), height))
                if apply:
                    item.setGeometry(QRect(QPoint(x, y + (height - size.height()) // 2), size))
                x += size.width() + self.spacing()
            y += height
        return y + margins.bottom() - rect.y()

    def _lines(self, room: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = []
        left = 0
        for item in self._items:
            if item.isEmpty():
                continue
            width = item.sizeHint().width()
            if not lines or width > left:
                lines.append([])
                left = room
            lines[-1].append(item)
            left -= width + self.spacing()
        return lines
