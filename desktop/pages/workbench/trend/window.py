"""The trend window: the chosen frame large, the growth of its findings, and all frames as a film strip."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from desktop.background.workers import Task, run
from desktop.client import Session
from desktop.messages.error_messages import sentence
from desktop.pages.common.files.file_dialogs import Purpose
from desktop.pages.common.files.save_as import choose_file
from desktop.pages.statistics.card import write_picture, write_table
from desktop.pages.statistics.painting import paint_title
from desktop.pages.workbench.trend.contents import Place, frames_of, place_of, sources_of, summary
from desktop.pages.workbench.trend.film_strip import FilmStrip, FrameView, ZoomButtons
from desktop.pages.workbench.trend.film_strip_model import FilmStripModel
from desktop.pages.workbench.trend.frames import Frame
from desktop.pages.workbench.trend.growth_chart import GrowthChart
from desktop.pages.workbench.trend.growth_painting import GrowthData, paint_growth
from desktop.pages.workbench.trend.pictures import FINE_PX, FramePictures
from desktop.pages.workbench.trend.series import series_of, table
from desktop.record.open_record import OpenRecord
from desktop.theme import theme_manager
from desktop.widgets import BaseDialog, Button, ElidedLabel, StateStack, Toast, label
from shared.wire.history import MAX_TREND_ENTRIES, Trend, TrendEntry

PAGE = 50
"""Number of inspections shown at first, and added each time."""
PICTURE = QSize(1200, 760)
_SCALE = 2
_REQUEST_MS = 80


class TrendDialog(BaseDialog):
    """The inspections of one region."""

    open_wanted = Signal(str, str)
    """The ids of a record and of its item whose photo the user wants to compare."""

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
        super().__init__(parent)
        self.setObjectName("trend")
        self.setWindowTitle(self.tr("Trend"))
        self.setModal(True)
        self.setMinimumSize(900, 560)
        room = QSize(1400, 900) if parent is None else parent.window().size() - QSize(40, 130)
        self.resize(room.expandedTo(QSize(900, 560)))
        self._session, self._item_id, self._title = session, item_id, title
        self._mm_per_pixel = mm_per_pixel
        self._place = place
        self._task: Task | None = None
        self._limit = PAGE
        self.trend: Trend | None = None
        self.pictures = FramePictures(session, self)
        self.reel = FilmStripModel(self.pictures, self)
        self.reel.waiting = self.tr("Loading photo…")
        self.strip = FilmStrip(self.reel, self.tr("Film strip of the inspections"))
        self.stage = FrameView(self.reel, self.tr("Photo of the chosen inspection"))
        self.chart = GrowthChart(self.tr("Size of findings over time"))
        self.summary_label = label("", "dim", wrap=True)
        self.which = ElidedLabel("", "strong")
        self.earlier = Button(self.tr("Show earlier inspections"), icon="history")
        self.export = Button(self.tr("Export chart"), icon="download")
        self.play = Button(self.tr("Play"), icon="play", keys=self.tr("Space"))
        self.compare = Button(self.tr("Compare photo"), icon="compare")
        self.close_button = Button(self.tr("Close"))
        content = QWidget()
        self.stack = StateStack(content)
        self._toast = Toast(self)
        self._build(content)
        self._soon = QTimer(self, singleShot=True, interval=_REQUEST_MS)
        self._soon.timeout.connect(self._request_pictures)
        self._connect()
        self.read()

    def _build(self, content: QWidget) -> None:
        tools = ZoomButtons(self.reel)
        tools.addWidget(self.play)
        tools.addWidget(self.which, 1)
        tools.addWidget(self.compare)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.stage, 1)
        column.addLayout(tools)
        upper = QSplitter(Qt.Orientation.Horizontal)
        upper.setChildrenCollapsible(False)
        upper.addWidget(left)
        upper.addWidget(self.chart)
        upper.setSizes([600, 600])
        inside = QVBoxLayout(content)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(10)
        inside.addWidget(upper, 3)
        inside.addWidget(self.strip, 2)
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(self.earlier)
        below.addStretch(1)
        below.addWidget(self.export)
        below.addWidget(self.close_button)
        whole_column = QVBoxLayout(self)
        whole_column.setContentsMargins(20, 16, 20, 16)
        whole_column.setSpacing(8)
        whole_column.addWidget(ElidedLabel(self._title, "item"))
        whole_column.addWidget(self.summary_label)
        whole_column.addWidget(self.stack, 1)
        whole_column.addLayout(below)
        self.earlier.hide()
        self.export.setEnabled(False)

    def _connect(self) -> None:
        reel = self.reel
        reel.current_changed.connect(self._on_frame_chosen)
        reel.view_changed.connect(self._soon.start)
        reel.frames_changed.connect(self._soon.start)
        reel.playing_changed.connect(self._show_playing)
        reel.opened.connect(self._open_record)
        self.pictures.ready.connect(self._on_picture_ready)
        self.chart.chosen.connect(self._show_inspection)
        self.play.clicked.connect(lambda _checked=False: reel.play(not reel.is_playing))
        self.compare.clicked.connect(lambda _checked=False: reel.open_current())
        self.earlier.clicked.connect(lambda _checked=False: self._more_text())
        self.export.clicked.connect(lambda _checked=False: self.save())
        self.close_button.clicked.connect(self.accept)
        self.finished.connect(self._on_finished)

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
        # The frame that was chosen stays so when earlier ones come before it.
        chosen = self.reel.frames[self.reel.current].key if self.reel.frames else ""
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
        self.summary_label.setText(summary(trend, len(series), self._mm_per_pixel))
        self.chart.show_data(GrowthData(trend.entries, series, self._mm_per_pixel))
        self.export.setEnabled(bool(series))
        aspect = 4 / 3 if self._place is None else self._place.aspect
        self.pictures.show(sources_of(trend, self._place), aspect)
        frames = self._frames(trend)
        keys = [frame.key for frame in frames]
        self.reel.show(frames, aspect, keys.index(chosen) if chosen in keys else len(keys) - 1)
        if not chosen:
            self.strip.setFocus(Qt.FocusReason.OtherFocusReason)

    def _frames(self, trend: Trend) -> list[Frame]:
        return frames_of(trend, self._place, self._mm_per_pixel, self.pictures)

    # Showing

    @property
    def _offset(self) -> int:
        """The number of frames before the first inspection."""
        return 0 if self._place is None else 1

    def _show_inspection(self, index: int) -> None:
        self.reel.play(False)
        self.reel.choose(index + self._offset)

    def _on_frame_chosen(self, index: int) -> None:
        self.chart.show_current(index - self._offset)
        if self.reel.frames:
            frame = self.reel.frames[index]
            self.which.setText(f"{index + 1}/{len(self.reel.frames)} · {frame.day} · {frame.name}")
            self.compare.setEnabled(frame.opens)
        self._soon.start()

    def _request_pictures(self) -> None:
        """Request the visible pictures, the large one first."""
        reel = self.reel
        if not reel.frames:
            return
        ahead = reel.next_keys() if reel.is_playing else []
        keys = [reel.frames[reel.current].key, *ahead, *(reel.frames[n].key for n in self.strip.in_sight())]
        box = self.stage.picture_box()
        longest = round(max(box.width(), box.height()) * self.devicePixelRatioF())
        self.pictures.want(list(dict.fromkeys(keys)), reel.view, min(longest, FINE_PX))

    def _on_picture_ready(self, key: str) -> None:
        if self.trend is None:
            return
        entry = next((entry for entry in self.trend.entries if entry.item_id == key), None)
        unplaced = entry is not None and any(finding.reference is None for finding in entry.findings)
        if unplaced:
            # The size of the photo of these findings is known only now.
            self.reel.frames = self._frames(self.trend)

    def _show_playing(self, on: bool) -> None:
        self.play.setText(self.tr("Stop") if on else self.tr("Play"))
        self._soon.start()

    def _open_record(self, key: str) -> None:
        entries: Sequence[TrendEntry] = self.trend.entries if self.trend is not None else ()
        entry = next((entry for entry in entries if entry.item_id == key), None)
        if entry is not None:
            self.accept()
            self.open_wanted.emit(entry.inspection_id, entry.item_id)

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._soon.start()

    # Export

    def save(self) -> None:
        """Ask where to, and write the sizes as CSV or the chart as a picture."""
        if self.trend is None:
            return
        kinds = {self.tr("Sizes as CSV (*.csv)"): ".csv", self.tr("Picture as PNG (*.png)"): ".png"}
        chosen = choose_file(self, self.tr("Export chart"), "trend.csv", kinds, Purpose.EXPORTS)
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
            rows = table(self.trend, list(self.chart.data.series), self._mm_per_pixel)
            run(write_table, path, rows, owner=self, done=self._on_saved, failed=self._on_save_failed)

    def picture(self) -> QImage:
        """The chart with its title, in the theme in force."""
        image = QImage(PICTURE * _SCALE, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(_SCALE)
        image.fill(theme_manager().theme.colour("panel"))
        where = QRectF(0, 0, PICTURE.width(), PICTURE.height()).adjusted(24, 18, -24, -18)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        taken = paint_title(painter, self._title, self.summary_label.text(), where)
        paint_growth(painter, self.chart.data, where.adjusted(0, taken, 0, 0), -1)
        painter.end()
        return image

    def _on_saved(self, path: object) -> None:
        self._toast.show_message(self.tr("Chart saved: {file}").format(file=getattr(path, "name", "")))

    def _on_save_failed(self, error: Exception) -> None:
        self._toast.show_message(sentence(error))

    def _on_finished(self) -> None:
        self.reel.play(False)
        self._soon.stop()
        self.pictures.stop()
        self.deleteLater()


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
