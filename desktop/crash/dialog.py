"""Shows that an unexpected error occurred, what is saved, a report to copy, and how to continue."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.messages.error_messages import program_replaced_sentence
from desktop.widgets import Button, ButtonKind, Dialog, label
from shared.system.paths import is_program_replaced

_REPORT_HEIGHT = 180


class CrashDialog(Dialog):
    """Shows one failure with its report. The user continues or restarts the program."""

    restart_requested = Signal()

    def __init__(self, parent: QWidget | None, report: str, *, last_run: bool = False) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Unexpected error"))
        self.setMinimumWidth(600)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(10)
        title = (
            self.tr("Walkaround ended unexpectedly last time")
            if last_run
            else self.tr("An unexpected error occurred")
        )
        self.heading_label = label(title, "item", wrap=True)
        column.addWidget(self.heading_label)
        self.saved_label = label(self.tr("All edits are saved on this computer."), wrap=True)
        column.addWidget(self.saved_label)
        if is_program_replaced():
            column.addWidget(label(program_replaced_sentence(), wrap=True))
        self.photos = label("", wrap=True)
        self.photos.hide()
        column.addWidget(self.photos)
        self.repeats = label("", "dim", wrap=True)
        self.repeats.hide()
        column.addWidget(self.repeats)
        column.addWidget(
            label(
                self.tr("This report helps support. It contains no names, passwords or pictures."),
                "dim",
                wrap=True,
            )
        )
        self.report = QPlainTextEdit(report)
        self.report.setReadOnly(True)
        self.report.setTabChangesFocus(True)
        self.report.setFixedHeight(_REPORT_HEIGHT)
        self.report.setAccessibleName(self.tr("Report"))
        column.addWidget(self.report)
        column.addLayout(self._button_row(last_run))
        self.continue_button.setFocus()

    def _button_row(self, last_run: bool) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        self.copy = Button(self.tr("Copy report"))
        self.copy.clicked.connect(self._copy)
        row.addWidget(self.copy)
        row.addStretch(1)
        self.restart = Button(self.tr("Restart program"))
        self.restart.clicked.connect(self._restart)
        self.restart.setVisible(not last_run)
        row.addWidget(self.restart)
        self.continue_button = Button(self.tr("Continue"), kind=ButtonKind.MAIN)
        self.continue_button.clicked.connect(self.accept)
        self.continue_button.setDefault(True)
        row.addWidget(self.continue_button)
        return row

    def show_waiting_edits(self, edits: int) -> None:
        """Show how many edits are not sent yet."""
        if edits:
            self.saved_label.setText(
                self.tr("All edits are saved on this computer; %n of them are sent later.", "", edits)
            )

    def show_photos(self, photos: int) -> None:
        """Show how many photos are not uploaded yet."""
        self.photos.setText(
            self.tr("%n photo(s) not uploaded yet. Wait for them before you restart.", "", photos)
        )
        self.photos.setVisible(bool(photos))

    def show_count(self, count: int, report: str) -> None:
        """Show that `count` errors occurred while the dialog is open, and the report of the last one."""
        self.repeats.setText(self.tr("%n errors so far.", "", count))
        self.repeats.setVisible(count > 1)
        self.report.setPlainText(report)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report.toPlainText())
        self.copy.setText(self.tr("Copied"))

    def _restart(self) -> None:
        self.accept()
        self.restart_requested.emit()
