"""Uploads files in a list: one row each, with progress, cancel and retry."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.background.workers import Lane, ProgressReport, run
from desktop.context import Context
from desktop.pages.common.forms.password_prompt import ask_password
from desktop.pages.common.messages.error_messages import sentence
from desktop.widgets import Button, ButtonKind, IconButton, Panel, ProgressBar, label

Send = Callable[[Path, Callable[[int, int], None]], object]
"""Sends a file, reports bytes sent and in all, and returns the created object. Runs off the GUI thread."""


class UploadRow(Panel):
    """The row of one upload. It disappears once the file has arrived."""

    arrived = Signal(object)
    """The object that the service created from the file."""
    refused = Signal(object)
    """Why the service did not take it, as an exception."""

    def __init__(self, context: Context, path: Path, send: Send, parent: QWidget | None = None) -> None:
        super().__init__("raised", "bottom", parent)
        self._context = context
        self.path = path
        self._send = send
        self._bar = ProgressBar(self.tr("Progress"))
        self._bar.setFixedWidth(160)
        self._status = label("", "dim")
        self._wrong = label("", "error", wrap=True)
        self.again = Button(self.tr("Retry"), kind=ButtonKind.LINK)
        self.stop = IconButton("close", self.tr("Cancel"), side=24)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 12, 6)
        row.setSpacing(12)
        row.addWidget(label(path.name, "strong"))
        row.addWidget(self._bar)
        row.addWidget(self._status)
        row.addWidget(self._wrong, 1)
        row.addWidget(self.again)
        row.addWidget(self.stop)
        self.again.clicked.connect(self.start)
        self.stop.clicked.connect(self.cancel)
        self.start()

    def status_text(self) -> str:
        """What it says about how it goes."""
        return self._wrong.text() or self._status.text()

    def start(self) -> None:
        """Send the file."""
        self.again.hide()
        self._bar.show()
        self._bar.setValue(0)
        self._wrong.setText("")
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

    def _done(self, stored: object) -> None:
        self._close()
        self.arrived.emit(stored)

    def _on_failed(self, error: Exception) -> None:
        self._bar.hide()
        self._status.setText("")
        self._wrong.setText(sentence(error))
        self.again.show()
        ask_password(self._context, error, owner=self, on_logged_in=self.start)
        self.refused.emit(error)

    def _close(self) -> None:
        self.hide()
        self.deleteLater()


def _send_file(report: ProgressReport, send: Send, path: Path) -> object:
    last = -1

    def count(done: int, total: int) -> None:
        nonlocal last
        report.check()
        percent = 100 * done // total if total else 0
        if percent != last:
            last = percent
            report(percent)

    return send(path, count)


class Uploads(QWidget):
    """The uploads, one below the other."""

    arrived = Signal(object)
    refused = Signal(object, object)
    """The line of a file and why the service did not take it."""

    def __init__(self, context: Context, send: Send, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._send = send
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)

    def add(self, path: Path) -> UploadRow:
        """Begin to send a file."""
        line = UploadRow(self._context, path, self._send)
        line.arrived.connect(self.arrived)
        line.refused.connect(lambda error: self.refused.emit(line, error))
        self._column.addWidget(line)
        line.show()
        return line

    def lines(self) -> list[UploadRow]:
        """What is under way or has failed."""
        return [line for line in self.findChildren(UploadRow) if not line.isHidden()]
