"""Shows one chart with its title, its states and its export."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.background.workers import Task, run
from desktop.client.api.inspection import RecordFilter
from desktop.client.api.statistics import ChartFilter
from desktop.context import Context
from desktop.messages.error_messages import sentence
from desktop.pages.common.charts import ChartExport, chart_picture
from desktop.pages.statistics.chart import ChartData
from desktop.pages.statistics.chart_view import ChartView
from desktop.pages.statistics.charts import ChartKind, chart_title, read_chart
from desktop.pages.statistics.painting import Part, paint_chart
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
