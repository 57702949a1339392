"""Shows the sizes of findings over time. Measurements can be chosen by mouse and keyboard."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from desktop.pages.common.charts import Chart
from desktop.pages.workbench.trend.growth_painting import GrowthData, Part, Placed, paint_growth
from desktop.pages.workbench.trend.series import Measured, entry_text, point_text, series_text

_NEAR_PX = 12.0


class GrowthChart(Chart):
    """The chart. Arrow keys or the pointer mark a measurement, whose inspection becomes the current one."""

    chosen = Signal(int)
    """The index of the inspection that the user marked."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.data = GrowthData()
        self.current = 0
        self.marked: Part | None = None
        self._layout = Placed()
        self.setAccessibleName(name)

    def show_data(self, data: GrowthData) -> None:
        """Show another trend, without a mark."""
        self.data, self.marked = data, None
        self._describe()
        self.update()

    def show_current(self, index: int) -> None:
        """Mark the line of an inspection."""
        self.current = index
        self.update()

    def text_of(self, part: Part) -> str:
        """A measurement as people read it, with the inspection it is of."""
        series = self.data.drawn_findings[part[0]]
        point = series.points[part[1]]
        text = point_text(series, point, self.data.mm_per_pixel)
        return f"{text}\n{entry_text(self.data.entries[point.index])}"

    def sizeHint(self) -> QSize:
        return QSize(520, 360)

    def minimumSizeHint(self) -> QSize:
        return QSize(300, 200)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        where = QRectF(self.rect()).adjusted(10, 8, -6, -6)
        marked = self.marked if self.hasFocus() or self.underMouse() else None
        self._layout = paint_growth(painter, self.data, where, self.current, marked)
        if self.hasFocus():
            self.paint_focus(painter)
        painter.end()

    # Mouse

    def part_at(self, where: QPointF) -> Part | None:
        """The measurement near a position; None if there is none."""
        near = [
            ((place - where).manhattanLength(), part)
            for part, place in self._layout.points.items()
            if (place - where).manhattanLength() <= _NEAR_PX
        ]
        return min(near)[1] if near else None

    def inspection_at(self, where: QPointF) -> int | None:
        """The inspection whose place on the axis is next to a place in or below the plot."""
        if not self._layout.inspections or where.y() < self._layout.plot.top():
            return None
        away = [abs(x - where.x()) for x in self._layout.inspections]
        return away.index(min(away)) if min(away) <= _NEAR_PX else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        part = self.part_at(event.position())
        if part != self.marked and (part is not None or not self.hasFocus()):
            self.marked = part
            self.update()
        near = part is not None or self.inspection_at(event.position()) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if near else Qt.CursorShape.ArrowCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        part, index = self.part_at(event.position()), self.inspection_at(event.position())
        if part is not None:
            self._mark(part)
        elif index is not None:
            self.chosen.emit(index)

    def text_at(self, position: QPointF) -> str:
        part, index = self.part_at(position), self.inspection_at(position)
        if part is not None:
            return self.text_of(part)
        return "" if index is None else entry_text(self.data.entries[index])

    # Keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }
        if event.key() not in steps or not self.data.drawn_findings:
            super().keyPressEvent(event)
            return
        down, right = steps[Qt.Key(event.key())]
        if self.marked is None:
            self._mark((0, len(self.data.drawn_findings[0].points) - 1))
            return
        number, index = self.marked
        if down:
            number = min(max(number + down, 0), len(self.data.drawn_findings) - 1)
            at = self._value_at().index
            points = self.data.drawn_findings[number].points
            index = min(range(len(points)), key=lambda place: abs(points[place].index - at))
        else:
            index = min(max(index + right, 0), len(self.data.drawn_findings[number].points) - 1)
        self._mark((number, index))

    def _value_at(self) -> Measured:
        number, index = self.marked or (0, 0)
        return self.data.drawn_findings[number].points[index]

    def _mark(self, part: Part) -> None:
        self.marked = part
        self._describe()
        self.update()
        self.chosen.emit(self._value_at().index)

    def _describe(self) -> None:
        if self.marked is not None:
            self.setAccessibleDescription(self.text_of(self.marked))
        else:
            texts = (series_text(series, self.data.mm_per_pixel) for series in self.data.drawn_findings)
            self.setAccessibleDescription("; ".join(texts))
