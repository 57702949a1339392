"""Shows one chart with its title, its states and its export."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QRectF, QSize, Signal
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop.background.workers import Task, run
from desktop.client.api.inspection import RecordFilter
from desktop.client.api.statistics import ChartFilter
from desktop.context import Context
from desktop.pages.common.files.file_dialogs import Purpose
from desktop.pages.common.files.save_as import choose_file
from desktop.pages.common.files.spreadsheet import write_csv
from desktop.pages.common.messages.error_messages import sentence
from desktop.pages.statistics.chart import ChartData
from desktop.pages.statistics.chart_view import ChartView
from desktop.pages.statistics.charts import ChartKind, read_chart, title_of
from desktop.pages.statistics.painting import Part, paint_chart, paint_title
from desktop.theme import theme_manager
from desktop.widgets import ButtonKind, Card, ElidedLabel, EmptyState, IconButton, StateStack
from shared import atomic

PICTURE = QSize(1200, 700)
_SCALE = 2
"""A picture has twice as many px, so that it is sharp in print."""
_LEAST_HEIGHT = 300


class ChartCard(Card):
    """A chart that fetches itself."""

    opened = Signal(object, str)
    """A `RecordFilter` and the name of the part whose records the person wants to see."""
    notice = Signal(str)
    """A short notice."""
    all_wanted = Signal()
    """The person wants everything counted, whatever the filters say."""

    def __init__(self, context: Context, kind: ChartKind, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._task: Task | None = None
        self._where = ChartFilter()
        self._filters = ""
        self.kind = kind
        self.view = ChartView()
        self.stack = StateStack(self.view)
        self.export = IconButton(
            "download", self.tr("Export chart “{title}”").format(title=title_of(kind)), side=26
        )
        self.export.setEnabled(False)
        head = QHBoxLayout()
        head.addWidget(ElidedLabel(title_of(kind), "item"), 1)
        head.addWidget(self.export)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 12)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.stack, 1)
        self.setMinimumHeight(_LEAST_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.view.opened.connect(self._open)
        self.export.clicked.connect(lambda _checked=False: self.save())

    def fetch(self, where: ChartFilter, filters: str) -> None:
        """Ask for the chart; `filters` say in words what it counts, for a picture of it."""
        self._where, self._filters = where, filters
        if self._task is not None:
            self._task.cancel()
        if self.view.chart.empty:
            self.stack.show_loading()
        self._task = run(
            read_chart,
            self._context.session,
            self.kind,
            where,
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
        """Say what to do: count all days, or make records where there is nothing to count at all."""
        if self._where == ChartFilter():
            state = EmptyState(
                "chart",
                self.tr("Nothing to count yet. Charts follow from records and their findings."),
                self.tr("Show records"),
                lambda: self.opened.emit(RecordFilter(), ""),
                kind=ButtonKind.PLAIN,
            )
        else:
            state = EmptyState(
                "chart",
                self.tr("No data for these filters."),
                self.tr("Show everything"),
                self.all_wanted.emit,
                kind=ButtonKind.PLAIN,
            )
        self.stack.show_state(state)

    def _explain(self, error: Exception) -> None:
        self.view.show_chart(ChartData(""))
        self.export.setEnabled(False)
        self.stack.show_error(sentence(error), retry=lambda: self.fetch(self._where, self._filters))

    def _open(self, part: Part) -> None:
        bars, column = self.view.chart.bars[part[0]], self.view.chart.columns[part[1]]
        behind = bars.behind[part[1]]
        if isinstance(behind, RecordFilter):
            alone = self.kind is ChartKind.DURATIONS
            name = title_of(self.kind) if alone else bars.behind_name or bars.name
            self.opened.emit(behind, f"{name} · {column.long}")

    # Export

    def save(self) -> None:
        """Ask where to, and write the numbers as CSV or the chart as a picture."""
        kinds = {self.tr("Numbers as CSV (*.csv)"): ".csv", self.tr("Picture as PNG (*.png)"): ".png"}
        chosen = choose_file(self, self.tr("Export chart"), f"{self.kind}.csv", kinds, Purpose.EXPORTS)
        if chosen is None:
            return
        path = chosen[0]
        if path.suffix.lower() == ".png":
            run(
                write_picture,
                path,
                self.picture(),
                owner=self,
                done=self._on_saved,
                failed=self._on_save_failed,
            )
        else:
            rows = self.view.chart.table()
            run(write_table, path, rows, owner=self, done=self._on_saved, failed=self._on_save_failed)

    def picture(self) -> QImage:
        """The chart with its title and filters, in the theme in force."""
        image = QImage(PICTURE * _SCALE, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(_SCALE)
        image.fill(theme_manager().theme.colour("panel"))
        where = QRectF(0, 0, PICTURE.width(), PICTURE.height()).adjusted(24, 18, -24, -18)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        taken = paint_title(painter, self.view.chart.title, self._filters, where)
        paint_chart(painter, self.view.chart, where.adjusted(0, taken, 0, 0))
        painter.end()
        return image

    def _on_saved(self, path: Path) -> None:
        self.notice.emit(self.tr("Chart saved: {file}").format(file=path.name))

    def _on_save_failed(self, error: Exception) -> None:
        self.notice.emit(sentence(error))


def write_table(path: Path, rows: list[list[object]]) -> Path:
    """Write a chart's numbers as CSV; gives `path`. Raises OSError."""
    write_csv(path, rows)
    return path


def write_picture(path: Path, image: QImage) -> Path:
    """Write a chart as PNG; gives `path`. Raises OSError."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    atomic.write(path, bytes(buffer.data().data()), durable=True)
    return path
