"""Shows a chart whose parts can be selected with mouse and keyboard."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from desktop.pages.common.charts import Chart
from desktop.pages.statistics.chart import ChartData
from desktop.pages.statistics.painting import PaintedPart, Part, paint_chart

_MARGIN = 4


class ChartView(Chart):
    """A chart. The arrow keys mark a part, and Enter or a click requests the records that it counts."""

    records_requested = Signal(object)
    """The `Part` whose records the user wants to see."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chart = ChartData("")
        self._painted_parts: list[PaintedPart] = []
        self.marked: Part | None = None

    @property
    def chart(self) -> ChartData:
        """The data of the chart."""
        return self._chart

    def show_chart(self, chart: ChartData) -> None:
        """Show another chart, without a marked part."""
        self._chart = chart
        self.marked = None
        self.setAccessibleName(chart.title)
        self._describe()
        self.update()

    def part_text(self, part: Part) -> str:
        """The text of a part: its series, its column and its value."""
        bars, column = self._chart.bars[part[0]], self._chart.columns[part[1]]
        return f"{bars.name} · {column.long}: {bars.texts[part[1]]}"

    def sizeHint(self) -> QSize:
        return QSize(420, 250)

    def minimumSizeHint(self) -> QSize:
        return QSize(280, 220)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        marked = self.marked if self.hasFocus() else None
        area = QRectF(self.rect()).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        self._painted_parts = paint_chart(painter, self._chart, area, marked)
        if self.hasFocus() and marked is None:
            self.paint_focus(painter)
        painter.end()

    # Mouse

    def part_at(self, position: QPointF) -> Part | None:
        """The part at a position; a tolerance of 4 px makes low bars easier to hit."""
        for slack in (0, 4):
            for painted in self._painted_parts:
                if painted.area.adjusted(-slack, -slack, slack, slack).contains(position):
                    return painted.part
        return None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        part = self.part_at(event.position())
        self.setCursor(Qt.CursorShape.ArrowCursor if part is None else Qt.CursorShape.PointingHandCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        part = self.part_at(event.position())
        if event.button() is Qt.MouseButton.LeftButton and part is not None:
            self._request_records(part)

    def text_at(self, position: QPointF) -> str:
        part = self.part_at(position)
        return "" if part is None else self.part_text(part)

    # Keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (1, 0),
            Qt.Key.Key_Down: (-1, 0),
        }
        if event.key() in steps:
            self._mark_next(*steps[Qt.Key(event.key())])
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self.marked:
            self._request_records(self.marked)
        else:
            super().keyPressEvent(event)

    def _mark_next(self, rows: int, columns: int) -> None:
        """Mark the next part in a direction, or the last part if none is marked."""
        parts = sorted(
            (
                (number, column)
                for number, bars in enumerate(self._chart.bars)
                for column, value in enumerate(bars.values)
                if value
            ),
            key=lambda part: (part[1], part[0]),
        )
        if not parts:
            return
        if self.marked is None:
            self.marked = parts[-1]
        elif rows:
            column = [part for part in parts if part[1] == self.marked[1]]
            index = column.index(self.marked) + rows
            self.marked = column[min(max(index, 0), len(column) - 1)]
        else:
            bars, marked_column = self.marked
            parts_in_direction = [part for part in parts if (part[1] - marked_column) * columns > 0]
            # The nearest column, and in it the bar whose series is nearest.
            self.marked = min(
                parts_in_direction,
                key=lambda part: (abs(part[1] - marked_column), abs(part[0] - bars)),
                default=self.marked,
            )
        self._describe()
        self.update()

    def _describe(self) -> None:
        self.setAccessibleDescription("" if self.marked is None else self.part_text(self.marked))

    def _request_records(self, part: Part) -> None:
        if self._chart.bars[part[0]].record_filters[part[1]] is not None:
            self.marked = part
            self.records_requested.emit(part)
