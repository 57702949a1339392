"""The trend window: the chosen frame large, the growth of its findings, and all frames as a film strip."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from desktop.background.workers import Task, run
from desktop.client import Session
from desktop.messages.error_messages import sentence
from desktop.pages.common.charts import ChartExport, chart_picture
from desktop.pages.workbench.trend.contents import Place, frames_of, place_of, sources_of, summary
from desktop.pages.workbench.trend.film_strip_dialog import FilmStripDialog
from desktop.pages.workbench.trend.film_strip_model import Frame
from desktop.pages.workbench.trend.growth_chart import GrowthChart
from desktop.pages.workbench.trend.growth_painting import GrowthData, paint_growth
from desktop.pages.workbench.trend.series import series_of, table
from desktop.record.open_record import OpenRecord
from desktop.widgets import Button, ElidedLabel, Toast, column_of, row_of
from shared.wire.history import MAX_TREND_ENTRIES, Trend, TrendEntry

PAGE = 50
"""Number of inspections shown at first, and added each time."""
PICTURE = QSize(1200, 760)


class TrendDialog(FilmStripDialog):
    """The inspections of one region."""

    def __init__(
        self,
        session: Session,
        item_id: str,
        title: str,
        place: Place | None,
        mm_per_pixel: float | None,
        parent: QWidget | None = None,
    ) -> None:
        """Create the window.

        `item_id` is the id at the service, `place` the place of the item's region or None.
        """
        strip, frame = self.tr("Film strip of the inspections"), self.tr("Photo of the chosen inspection")
        super().__init__(session, place, strip, frame, parent)
        self.setObjectName("trend")
        self.setWindowTitle(self.tr("Trend"))
        self._item_id, self._title = item_id, title
        self._mm_per_pixel = mm_per_pixel
        self._task: Task | None = None
        self._limit = PAGE
        self.trend: Trend | None = None
        self.chart = GrowthChart(self.tr("Size of findings over time"))
        self.earlier = Button(self.tr("Show earlier inspections"), icon="history")
        self.export = Button(self.tr("Export chart"), icon="download")
        self.play = Button(self.tr("Play"), icon="play", keys=self.tr("Space"))
        self.compare = Button(self.tr("Compare photo"), icon="compare")
        self._exporting = ChartExport(self)
        self._exporting.notice.connect(Toast(self).show_message)
        self._build()
        self._connect()
        self.read()

    def _build(self) -> None:
        left = QWidget()
        left.setLayout(self._frame_column(self.play, self.compare))
        upper = QSplitter(Qt.Orientation.Horizontal)
        upper.setChildrenCollapsible(False)
        upper.addWidget(left)
        upper.addWidget(self.chart)
        upper.setSizes([600, 600])
        column_of((upper, 3), (self.strip, 2), parent=self.content, margins=0, spacing=10)
        below = row_of(self.earlier, 1, self.export, self.close_button, spacing=8)
        whole_column = QVBoxLayout(self)
        whole_column.setContentsMargins(20, 16, 20, 16)
        whole_column.setSpacing(8)
        whole_column.addWidget(ElidedLabel(self._title, "item"))
        whole_column.addWidget(self.summary)
        whole_column.addWidget(self.stack, 1)
        whole_column.addLayout(below)
        self.earlier.hide()
        self.export.setEnabled(False)

    def _connect(self) -> None:
        film = self.film
        film.playing_changed.connect(self._show_playing)
        film.opened.connect(self._open_record)
        self.pictures.ready.connect(self._on_picture_ready)
        self.chart.chosen.connect(self._show_inspection)
        self.play.clicked.connect(lambda _checked=False: film.play(not film.is_playing))
        self.compare.clicked.connect(lambda _checked=False: film.open_current())
        self.earlier.clicked.connect(lambda _checked=False: self._more_text())
        self.export.clicked.connect(lambda _checked=False: self.save())

    # Reading

    def read(self) -> None:
        """Ask the service for the trend."""
        if self._task is not None:
            self._task.cancel()
        if self.trend is None:
            self.stack.show_loading(self.tr("Reading the inspections…"))
        self.earlier.setEnabled(False)
        self._task = run(
            self._session.items.trend,
            self._item_id,
            self._limit,
            owner=self,
            done=self._show_trend,
            failed=self._show_error,
        )

    def _more_text(self) -> None:
        self._limit = min(self._limit + PAGE, MAX_TREND_ENTRIES)
        self.read()

    def _show_error(self, error: Exception) -> None:
        self.stack.show_error(sentence(error), retry=self.read)

    def _show_trend(self, trend: Trend) -> None:
        self.trend = trend
        self.earlier.setVisible(trend.earlier and self._limit < MAX_TREND_ENTRIES)
        self.earlier.setEnabled(True)
        if self._place is None and all(entry.photo is None for entry in trend.entries):
            self.stack.show_empty(
                "photo", self.tr("This item has neither a region on a reference image nor a photo yet.")
            )
            return
        self.stack.show_content()
        series = series_of(trend)
        self.summary.setText(summary(trend, len(series), self._mm_per_pixel))
        self.chart.show_data(GrowthData(trend.entries, series, self._mm_per_pixel))
        self.export.setEnabled(bool(series))
        frames = self._frames(trend)
        # The frame that was chosen stays so when earlier ones come before it.
        self._show_frames(sources_of(trend, self._place), frames, [self._chosen_key()], len(frames) - 1)

    def _frames(self, trend: Trend) -> list[Frame]:
        return frames_of(trend, self._place, self._mm_per_pixel, self.pictures)

    # Showing

    def _show_inspection(self, index: int) -> None:
        self.film.play(False)
        self.film.choose(index + self._offset)

    def _show_chosen(self, index: int) -> None:
        self.chart.show_current(index - self._offset)
        if self.film.frames:
            self.compare.setEnabled(self.film.frames[index].opens)
        super()._show_chosen(index)

    def _on_picture_ready(self, key: str) -> None:
        if self.trend is None:
            return
        entry = next((entry for entry in self.trend.entries if entry.item_id == key), None)
        unplaced = entry is not None and any(finding.reference is None for finding in entry.findings)
        if unplaced:
            # The size of the photo of these findings is known only now.
            self.film.frames = self._frames(self.trend)

    def _show_playing(self, on: bool) -> None:
        self.play.setText(self.tr("Stop") if on else self.tr("Play"))

    def _open_record(self, key: str) -> None:
        entries: Sequence[TrendEntry] = self.trend.entries if self.trend is not None else ()
        entry = next((entry for entry in entries if entry.item_id == key), None)
        if entry is not None:
            self.accept()
            self.open_wanted.emit(entry.inspection_id, entry.item_id)

    # Export

    def save(self) -> None:
        """Ask where to, and write the sizes as CSV or the chart as a picture."""
        if self.trend is None:
            return
        trend, series = self.trend, list(self.chart.data.series)
        rows = partial(table, trend, series, self._mm_per_pixel)
        self._exporting.save("trend", self.tr("Sizes as CSV (*.csv)"), rows, self.picture)

    def picture(self) -> QImage:
        """The chart with its title, in the theme in force."""
        data = self.chart.data
        return chart_picture(
            PICTURE,
            self._title,
            self.summary.text(),
            lambda painter, area: paint_growth(painter, data, area, -1),
        )


class TrendController(QObject):
    """Opens the window for the chosen item of the workbench."""

    open_wanted = Signal(str, str)
    """The ids of a record and of its item whose photo the user wants to compare."""

    def __init__(self, open_record: OpenRecord, window: QWidget) -> None:
        super().__init__(window)
        self._open_record, self._window = open_record, window

    def show(self) -> TrendDialog | None:
        """Open the window. Returns None when no item is chosen."""
        open_record = self._open_record
        item = open_record.item
        if item is None:
            return None
        place = place_of(open_record)
        dialog = TrendDialog(
            open_record.context.session,
            open_record.edits.service_id(item.item_id),
            item.item_name,
            place,
            open_record.mm_per_pixel,
            self._window,
        )
        dialog.open_wanted.connect(self.open_wanted)
        dialog.open()
        return dialog
