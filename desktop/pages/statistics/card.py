"""Shows one chart with title, states and export. Its parts can be selected with mouse and keyboard."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.background.workers import Task, run
from desktop.client.api.administration import ChartFilter
from desktop.client.api.inspection import RecordFilter
from desktop.context import Context
from desktop.messages.error_messages import sentence
from desktop.pages.common.charts import Chart, ChartExport, chart_picture
from desktop.pages.statistics.charts import ChartKind, chart_title, read_chart
from desktop.pages.statistics.painting import ChartData, PaintedPart, Part, paint_chart
from desktop.widgets import (
    ButtonKind,
    Card,
    ElidedLabel,
    EmptyState,
    IconButton,
    StateStack,
    column_of,
    row_of,
)

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


PICTURE = QSize(1200, 700)
_MIN_HEIGHT = 300


class ChartCard(Card):
    """A chart that fetches its data."""

    records_requested = Signal(object, str)
    """A `RecordFilter` and the name of the part of the chart whose records the user wants to see."""
    notice = Signal(str)
    """A short notice."""
    all_requested = Signal()
    """The user wants the chart without filters."""

    def __init__(self, context: Context, kind: ChartKind, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._task: Task | None = None
        self._chart_filter = ChartFilter()
        self._filters = ""
        self.kind = kind
        self.view = ChartView()
        self.stack = StateStack(self.view)
        self.export = IconButton(
            "download", self.tr("Export chart “{title}”").format(title=chart_title(kind)), side=26
        )
        self.export.setEnabled(False)
        head = row_of((ElidedLabel(chart_title(kind), "item"), 1), self.export)
        column_of(head, (self.stack, 1), parent=self, margins=(14, 10, 14, 12), spacing=6)
        self.setMinimumHeight(_MIN_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.view.records_requested.connect(self._open_records)
        self.export.clicked.connect(lambda _checked=False: self.save())
        self._exporting = ChartExport(self)
        self._exporting.notice.connect(self.notice)

    def fetch(self, chart_filter: ChartFilter, filters: str) -> None:
        """Fetch the chart. `filters` describes the filters for an exported picture."""
        self._chart_filter, self._filters = chart_filter, filters
        if self._task is not None:
            self._task.cancel()
        if self.view.chart.empty:
            self.stack.show_loading()
        self._task = run(
            read_chart,
            self._context.session,
            self.kind,
            chart_filter,
            owner=self,
            done=self._show,
            failed=self._explain,
        )

    def _show(self, chart: ChartData) -> None:
        self.view.show_chart(chart)
        self.export.setEnabled(not chart.empty)
        if chart.empty:
            self._show_empty()
        else:
            self.stack.show_content()

    def _show_empty(self) -> None:
        """Show why the chart is empty, and offer to show all data or the list of records."""
        if self._chart_filter == ChartFilter():
            state = EmptyState(
                "chart",
                self.tr("No data yet. Charts appear when records have findings."),
                self.tr("Show records"),
                lambda: self.records_requested.emit(RecordFilter(), ""),
                kind=ButtonKind.PLAIN,
            )
        else:
            state = EmptyState(
                "chart",
                self.tr("No data for these filters."),
                self.tr("Show everything"),
                self.all_requested.emit,
                kind=ButtonKind.PLAIN,
            )
        self.stack.show_state(state)

    def _explain(self, error: Exception) -> None:
        self.view.show_chart(ChartData(""))
        self.export.setEnabled(False)
        self.stack.show_error(sentence(error), retry=lambda: self.fetch(self._chart_filter, self._filters))

    def _open_records(self, part: Part) -> None:
        bars, column = self.view.chart.bars[part[0]], self.view.chart.columns[part[1]]
        record_filter = bars.record_filters[part[1]]
        if isinstance(record_filter, RecordFilter):
            is_mean = self.kind is ChartKind.DURATIONS
            name = chart_title(self.kind) if is_mean else bars.filter_name or bars.name
            self.records_requested.emit(record_filter, f"{name} · {column.long}")

    # Export

    def save(self) -> None:
        """Ask for a file, and write the numbers as CSV or the chart as a picture."""
        numbers = self.tr("Numbers as CSV (*.csv)")
        self._exporting.save(self.kind, numbers, self.view.chart.table, self.picture)

    def picture(self) -> QImage:
        """The chart with its title and filters, in the current theme."""
        chart = self.view.chart
        return chart_picture(
            PICTURE, chart.title, self._filters, lambda painter, area: paint_chart(painter, chart, area)
        )
