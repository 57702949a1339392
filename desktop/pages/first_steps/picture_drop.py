"""Provides a field for one picture file, which is dropped or selected, with a preview."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QImage, QPixmap
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from desktop.background.workers import run
from desktop.imaging.conversion import prepare_upload
from desktop.imaging.decoding.decoder import Cancellation, read_header, read_preview, shrink_image
from desktop.imaging.decoding.pixels import to_qimage
from desktop.pages.common.files.file_dialogs import Purpose, dropped_pictures, open_picture
from desktop.widgets import Button, ElidedLabel, ErrorLine, accept_copy, column_of, label, row_of

_THUMBNAIL_SIZE = (112, 84)


class PictureDrop(QFrame):
    """A field for one picture, with its preview and name and a button that selects another one."""

    changed = Signal()
    """Another picture was selected."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self.setAcceptDrops(True)
        self.source: Path | bytes | None = None
        """The path of the picture, or its content if it was read from another file."""
        self.name = ""
        self._preview = QLabel()
        self._preview.setFixedSize(*_THUMBNAIL_SIZE)
        self._preview.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._name = ElidedLabel("", "strong")
        self._hint = label(self.tr("Drop an image here, or choose a file."), "dim", wrap=True)
        self.error = ErrorLine()
        self.choose = Button(self.tr("Choose image…"), icon="photo")
        row = row_of(self._preview, parent=self, margins=12, spacing=14)
        column = column_of(
            1, self._name, self._hint, self.error, (self.choose, 0, Qt.AlignmentFlag.AlignLeft), 1, spacing=6
        )
        row.addLayout(column, 1)
        self._name.hide()
        self._preview.hide()
        self.choose.clicked.connect(self.ask_picture)

    def ask_picture(self) -> None:
        """Ask for a picture file."""
        path = open_picture(self, self.tr("Choose reference image"), Purpose.REFERENCES)
        if path is not None:
            self.set_picture(path, path.name)

    def set_picture(self, source: Path | bytes, name: str) -> None:
        """Set the picture."""
        self.source, self.name = source, name
        self.error.setText("")
        self._name.setText(name)
        self._name.show()
        self._hint.hide()
        run(_preview, source, name, owner=self, done=self._show, failed=lambda _: self._preview.hide())
        self.changed.emit()

    def _show(self, image: QImage) -> None:
        self._preview.setPixmap(QPixmap.fromImage(image))
        self._preview.show()

    def _highlight(self, is_over: bool) -> None:
        self.setProperty("over", is_over)
        self.style().unpolish(self)
        self.style().polish(self)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_pictures(event.mimeData()):
            accept_copy(event)
            self._highlight(True)

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        self._highlight(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self._highlight(False)
        pictures = dropped_pictures(event.mimeData())
        if pictures:
            accept_copy(event)
            self.set_picture(pictures[0], pictures[0].name)


def _preview(source: Path | bytes, name: str) -> QImage:
    """Read a small picture, in device px of a screen at 200 %. Raises ImageError, OSError."""
    upload, _ = prepare_upload(source, name)
    data = upload if isinstance(upload, bytes) else upload.read_bytes()
    longest = 2 * max(_THUMBNAIL_SIZE)
    image = shrink_image(to_qimage(read_preview(data, read_header(data), longest, Cancellation())), longest)
    scaled = image.scaled(
        2 * _THUMBNAIL_SIZE[0],
        2 * _THUMBNAIL_SIZE[1],
        Qt.AspectRatioMode.KeepAspectRatio,
        Qt.TransformationMode.SmoothTransformation,
    )
    scaled.setDevicePixelRatio(2)
    return scaled
