"""Shows a film as a strip of frames, of which the user takes some as photos."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QKeySequence, QPixmap, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QLabel,
    QListView,
    QListWidget,
    QListWidgetItem,
    QSlider,
    QWidget,
)

from desktop.background.workers import Lane, Task, run
from desktop.imaging.decoding.errors import ImageError
from desktop.imaging.film import Film, clock, read_strip
from desktop.messages.error_messages import sentence
from desktop.record.photo_queue import PhotoQueue, QueuedPicture
from desktop.widgets import (
    BaseDialog,
    Button,
    ButtonKind,
    StateStack,
    Toast,
    column_of,
    escape_tooltip,
    label,
    row_of,
)

_STRIP = 24
"""Frames in the strip."""
_THUMB = QSize(128, 96)
_LARGE_PX = 1600
_SOON_MS = 60
_NUMBER = Qt.ItemDataRole.UserRole


class FilmDialog(BaseDialog):
    """A film with its strip, the chosen frame large, and the time. Nothing is read on the GUI thread."""

    taken = Signal(object, bool)
    """A frame that the user took, a `PreparedUpload`; True if it is to be a photo of the item."""

    kept = Signal()
    """The user wants the film itself kept with the record."""

    def __init__(
        self,
        path: Path,
        parent: QWidget | None = None,
        item_number: int = 0,
        *,
        folder: TemporaryDirectory[str] | None = None,
        editable: bool = True,
    ) -> None:
        """`item_number`: of the item that frames may be photos of; 0 if there is none.

        `folder` has the copy of a film that the record keeps already; it is deleted with the dialog. Nothing
        can be taken unless `editable`.
        """
        super().__init__(parent)
        self.setObjectName("film")
        self.setWindowTitle(path.name)
        self.setMinimumSize(640, 480)
        self.resize(1000, 640)
        self._path, self._folder = path, folder
        self._queued: QueuedPicture | None = None
        self.film: Film | None = None
        self.taken_count = 0
        self.shown_number = 0
        """The number of the shown frame; the slider may be ahead of it."""
        self._image = QImage()
        self._reading: Task | None = None
        self._strip_task: Task | None = None
        self.large = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self.large.setAccessibleName(self.tr("Chosen frame"))
        self.large.setMinimumSize(320, 200)
        self.strip = QListWidget()
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.time = label("", "strong")
        self.count = label("", "dim")
        self.of_item = QCheckBox(self.tr("For item {number}").format(number=item_number))
        self.of_item.setVisible(editable and item_number > 0)
        self.take = Button(self.tr("Take frame"), kind=ButtonKind.MAIN, icon="camera")
        self.take.setVisible(editable)
        self.keep = Button(self.tr("Keep film"), icon="upload")
        self.keep.setToolTip(escape_tooltip(self.tr("Upload the film itself as a file of the record")))
        self.keep.setVisible(editable and folder is None)
        self.close_button = Button(self.tr("Close"))
        content = QWidget()
        self.stack = StateStack(content)
        self._toast = Toast(self)
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._build(content)
        self._connect()
        self._open()

    def _open(self) -> None:
        self.stack.show_loading(self.tr("Opening film…"))
        self._reading = run(Film, self._path, owner=self, done=self._on_opened, failed=self._on_open_failed)

    def _build(self, content: QWidget) -> None:
        self.strip.setAccessibleName(self.tr("Frames of the film"))
        self.strip.setViewMode(QListView.ViewMode.IconMode)
        self.strip.setFlow(QListView.Flow.LeftToRight)
        self.strip.setMovement(QListView.Movement.Static)
        self.strip.setWrapping(False)
        self.strip.setIconSize(_THUMB)
        self.strip.setFixedHeight(_THUMB.height() + 3 * self.fontMetrics().height())
        self.slider.setAccessibleName(self.tr("Time in the film"))
        column_of((self.large, 1), self.slider, self.strip, parent=content, margins=0)
        buttons = row_of(self.time, self.count, 1, self.keep, self.of_item, self.take, self.close_button)
        column_of((self.stack, 1), buttons, parent=self)
        self.take.setEnabled(False)
        self.keep.setEnabled(False)

    def _connect(self) -> None:
        self._soon.timeout.connect(self._read)
        self.slider.valueChanged.connect(self._on_moved)
        self.strip.itemActivated.connect(self._go_to)
        self.strip.itemClicked.connect(self._go_to)
        self.take.clicked.connect(self._take)
        self.keep.clicked.connect(self._keep)
        self.close_button.clicked.connect(self.close)
        for key, step in (("Left", -1), ("Right", 1)):
            shortcut = QShortcut(QKeySequence(f"Ctrl+{key}"), self)
            shortcut.activated.connect(lambda it=step: self.slider.setValue(self.slider.value() + it))

    def _on_opened(self, film: Film) -> None:
        self.film, self._reading = film, None
        self.slider.setRange(0, film.count - 1)
        self.slider.setPageStep(max(1, film.count // _STRIP))
        self.stack.show_content()
        self.keep.setEnabled(True)
        self._on_moved(0)
        self._strip_task = run(
            read_strip,
            self._path,
            _STRIP,
            _THUMB.width(),
            owner=self,
            progress=self._on_strip_frame,
            failed=self._show_error,
            lane=Lane.LONG,
        )

    def _on_strip_frame(self, frame: tuple[int, float, QImage]) -> None:
        number, seconds, image = frame
        item = QListWidgetItem(QPixmap.fromImage(image), clock(seconds))
        item.setData(_NUMBER, number)
        self.strip.addItem(item)

    def _go_to(self, item: QListWidgetItem) -> None:
        self.slider.setValue(item.data(_NUMBER))

    def _on_moved(self, number: int) -> None:
        if self.film is not None:
            self._show_time(number)
            self._soon.start()

    def _show_time(self, number: int) -> None:
        if self.film is not None:
            length = clock(self.film.seconds(self.film.count))
            self.time.setText(f"{clock(self.film.seconds(number))} / {length}")

    def _read(self) -> None:
        """Read the chosen frame, after the one that is being read."""
        if self.film is None or self._reading is not None:
            return
        number = self.slider.value()

        def shown(image: QImage) -> None:
            self._reading = None
            self._image, self.shown_number = image, number
            self._paint()
            self.take.setEnabled(True)
            if self.slider.value() != number:
                self._soon.start()
            else:
                self._show_time(number)

        def failed(error: Exception) -> None:
            self._reading = None
            self._show_error(error)
            if self.slider.value() != number:
                self._soon.start()

        self._reading = run(
            self.film.frame, number, _LARGE_PX, owner=self, done=shown, failed=failed, lane=Lane.LONG
        )

    def _paint(self) -> None:
        ratio = self.devicePixelRatioF()
        pixmap = QPixmap.fromImage(self._image).scaled(
            self.large.size() * ratio,
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        pixmap.setDevicePixelRatio(ratio)
        self.large.setPixmap(pixmap)

    def _take(self) -> None:
        if self.film is None:
            return
        self.take.setEnabled(False)
        is_of_item = self.of_item.isChecked()

        def done(upload: object) -> None:
            self.take.setEnabled(True)
            self.taken_count += 1
            self.count.setText(self.tr("%n frame(s) taken", "", self.taken_count))
            self.taken.emit(upload, is_of_item)

        def failed(error: Exception) -> None:
            self.take.setEnabled(True)
            self._show_error(error)

        # A film of gigabytes is read for its hash the first time.
        run(
            self.film.take,
            self.shown_number,
            owner=self,
            done=done,
            failed=failed,
            lane=Lane.LONG,
        )

    def _keep(self) -> None:
        self.keep.setEnabled(False)
        self.count.setText(self.tr("Uploading film…"))
        self.kept.emit()

    def follow(self, queue: PhotoQueue, film: QueuedPicture) -> None:
        """Show when the queue has sent this film, or why the service refused it."""
        self._queued = film
        queue.stored.connect(self._on_stored)
        queue.lost.connect(self._on_lost)

    def _on_stored(self, picture: QueuedPicture) -> None:
        if picture is self._queued:
            self.count.setText(self.tr("Film kept"))

    def _on_lost(self, picture: QueuedPicture, error: Exception) -> None:
        if picture is self._queued:
            self.count.setText("")
            self.keep.setEnabled(True)
            self._show_error(error)

    def _on_open_failed(self, error: Exception) -> None:
        self._reading = None
        self.stack.show_error(_error_text(error), self._open)

    def _show_error(self, error: Exception) -> None:
        self._toast.show_message(_error_text(error))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._image.isNull():
            self._paint()

    def done(self, result: int) -> None:
        """Close the film with the dialog."""
        for task in (self._strip_task, self._reading):
            if task is not None:
                task.cancel()
        film, self.film = self.film, None
        run(partial(_release, film, self._folder), owner=None)
        super().done(result)


def _error_text(error: Exception) -> str:
    return str(error) if isinstance(error, ImageError) else sentence(error)


def _release(film: Film | None, folder: TemporaryDirectory[str] | None) -> None:
    if film is not None:
        film.close()
    if folder is not None:
        folder.cleanup()
