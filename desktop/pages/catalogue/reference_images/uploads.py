"""Uploads files. Each has a row with progress, cancel and retry.

Uploads a picture file and creates a reference image from it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.background.workers import Lane, ProgressReport, run
from desktop.client.session import Session
from desktop.context import Context
from desktop.imaging.conversion import prepare_upload
from desktop.messages.error_messages import sentence
from desktop.pages.common.forms.passwords import ask_password
from desktop.widgets import Button, ButtonKind, IconButton, Panel, ProgressBar, label
from shared.wire.catalogue import ReferenceImage, ReferenceImageWrite

SendFile = Callable[[Path, Callable[[int, int], None]], object]
"""Sends a file, reports the sent bytes and their total, and returns the created object.

Runs in a worker thread."""


class UploadRow(Panel):
    """The row of one upload. It disappears when the upload is complete."""

    uploaded = Signal(object)
    """The object that the service created from the file."""
    failed = Signal(object)
    """The error of the upload, an exception."""

    def __init__(self, context: Context, path: Path, send: SendFile, parent: QWidget | None = None) -> None:
        super().__init__("raised", "bottom", parent)
        self._context = context
        self.path = path
        self._send = send
        self._bar = ProgressBar(self.tr("Progress"))
        self._bar.setFixedWidth(160)
        self._status = label("", "dim")
        self._error = label("", "error", wrap=True)
        self.retry = Button(self.tr("Retry"), kind=ButtonKind.LINK)
        self.stop = IconButton("close", self.tr("Cancel"), side=24)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 12, 6)
        row.setSpacing(12)
        row.addWidget(label(path.name, "strong"))
        row.addWidget(self._bar)
        row.addWidget(self._status)
        row.addWidget(self._error, 1)
        row.addWidget(self.retry)
        row.addWidget(self.stop)
        self.retry.clicked.connect(self.start)
        self.stop.clicked.connect(self.cancel)
        self.start()

    def status_text(self) -> str:
        """The error or the status that is shown."""
        return self._error.text() or self._status.text()

    def start(self) -> None:
        """Send the file."""
        self.retry.hide()
        self._bar.show()
        self._bar.setValue(0)
        self._error.setText("")
        self._status.setText(self.tr("Uploading…"))
        self._task = run(
            _send_file,
            self._send,
            self.path,
            owner=self,
            progress=self._show,
            done=self._done,
            failed=self._on_failed,
            lane=Lane.LONG,
        )

    def cancel(self) -> None:
        """Cancel the upload and remove the row."""
        self._task.cancel()
        self._close()

    def _show(self, percent: int) -> None:
        self._bar.setValue(percent)
        if percent >= 100:
            self._status.setText(self.tr("Checking file…"))

    def _done(self, created: object) -> None:
        self._close()
        self.uploaded.emit(created)

    def _on_failed(self, error: Exception) -> None:
        self._bar.hide()
        self._status.setText("")
        self._error.setText(sentence(error))
        self.retry.show()
        ask_password(self._context, error, owner=self, on_logged_in=self.start)
        self.failed.emit(error)

    def _close(self) -> None:
        self.hide()
        self.deleteLater()


def _send_file(report: ProgressReport, send: SendFile, path: Path) -> object:
    last_percent = -1

    def on_progress(sent: int, total: int) -> None:
        nonlocal last_percent
        report.check()
        percent = 100 * sent // total if total else 0
        if percent != last_percent:
            last_percent = percent
            report(percent)

    return send(path, on_progress)


class Uploads(QWidget):
    """A list of uploads."""

    uploaded = Signal(object)
    failed = Signal(object, object)
    """The row of a file and the error of its upload."""

    def __init__(self, context: Context, send: SendFile, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._send = send
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)

    def add(self, path: Path) -> UploadRow:
        """Start the upload of a file."""
        row = UploadRow(self._context, path, self._send)
        row.uploaded.connect(self.uploaded)
        row.failed.connect(lambda error: self.failed.emit(row, error))
        self._column.addWidget(row)
        row.show()
        return row

    def rows(self) -> list[UploadRow]:
        """The rows of uploads that are running or have failed."""
        return [row for row in self.findChildren(UploadRow) if not row.isHidden()]


def send_reference(
    session: Session, path: Path, on_progress: Callable[[int, int], None], name: str = ""
) -> ReferenceImage:
    """Upload the file at `path` and create a reference image with the name `name`, else that of the file.

    `on_progress` is called with the sent bytes and their total. Raises ClientError, ImageError, OSError.
    """
    source, file_name = prepare_upload(path)
    uploaded_file = session.files.upload(source, file_name, progress=on_progress)
    body = ReferenceImageWrite(
        reference_image_name=name or path.stem[:255] or path.name, file_id=uploaded_file.file_id
    )
    return session.catalogue.reference_images.create(body)
