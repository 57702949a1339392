"""Shows the last backup of the service, the time of the next one, and the newest runs."""

from __future__ import annotations

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from desktop.background.workers import run
from desktop.context import Context
from desktop.localization.dates import format_minute
from desktop.messages.error_messages import sentence
from desktop.pages.common.lists.list_section import NOTHING
from desktop.pages.common.lists.sections_page import PageSection
from desktop.widgets import Card, Column, StateStack, Table, label
from shared.wire.backups import BackupRun, BackupStatus


class BackupSection(PageSection):
    """A card with the state of the backups, and a table of the newest runs."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.state = label("", "item", wrap=True)
        self.next = label("", "dim", wrap=True)
        self.table: Table[BackupRun] = Table(self.tr("Backups"), self._columns(), row_px=36)
        card = Card()
        # The card must not grow when the table is hidden.
        card.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        column = QVBoxLayout(card)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(8)
        column.addWidget(self.state)
        column.addWidget(self.next)
        # The whole note, because its column is too narrow in a small window.
        self.note = label("", wrap=True)
        self.note.setContentsMargins(16, 10, 16, 10)
        self.note.hide()
        self.table.selection_changed.connect(self._show_note)
        rows = Card()
        inner = QVBoxLayout(rows)
        inner.setContentsMargins(1, 1, 1, 1)
        inner.addWidget(self.table)
        inner.addWidget(self.note)
        content = QWidget()
        content.setProperty("clear", True)
        lines = QVBoxLayout(content)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(14)
        lines.addWidget(card)
        lines.addWidget(rows, 1)
        lines.addStretch(0)
        self._rows = rows
        self.stack = StateStack(content)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.stack)

    def _columns(self) -> list[Column[BackupRun]]:
        return [
            Column(
                self.tr("Started"),
                lambda backup: format_minute(backup.started_at),
                150,
                min_width=132,
                kind="strong",
            ),
            Column(self.tr("Finished"), lambda backup: format_minute(backup.finished_at), 150, min_width=132),
            Column(
                self.tr("Status"), self._status_text, 120, tone=lambda backup: _TONES.get(backup.state, "dim")
            ),
            Column(self.tr("Size"), lambda backup: _size_text(backup.size), 100),
            Column(self.tr("New data"), lambda backup: _size_text(backup.added), 100),
            Column(self.tr("Notes"), self._note_text, stretch=True, kind="dim"),
        ]

    def enter(self) -> None:
        """Called when the section comes to the front."""
        self.stack.show_loading()
        self._load()

    def _load(self) -> None:
        run(
            self._context.session.backups.status,
            owner=self,
            done=self._show,
            failed=lambda error: self.stack.show_error(sentence(error), self.enter),
        )

    def _show(self, status: BackupStatus) -> None:
        self.state.setText(self._summary(status))
        self.next.setText(self._next_text(status))
        self.table.show_rows(status.runs)
        self._rows.setVisible(bool(status.runs))
        self.stack.show_content()

    def _summary(self, status: BackupStatus) -> str:
        last = status.last_good
        if last is None:
            if status.scheduled:
                return self.tr("No backup has been made yet.")
            return self.tr("No automatic backups")
        last_text = self.tr("Last backup: {time}, verified, {size}.").format(
            time=format_minute(last.started_at), size=_size_text(last.size)
        )
        if status.failures:
            failures_text = self.tr("%n attempt(s) failed since then.", "", status.failures)
            return self.tr("{sentence} {next}", "two sentences").format(
                sentence=last_text, next=failures_text
            )
        return last_text

    def _next_text(self, status: BackupStatus) -> str:
        if not status.scheduled:
            return self.tr(
                "Data that is lost cannot be restored. On the service's computer, set "
                "WALKAROUND_BACKUP_TO to a folder on another disk and restart the service."
            )
        if status.late:
            return self.tr("The backup is late. See the notes below and the log file of the service.")
        return self.tr("Next backup: {time}.").format(time=format_minute(status.next_at))

    def _status_text(self, backup: BackupRun) -> str:
        return {
            "running": self.tr("Running"),
            "done": self.tr("Done"),
            "failed": self.tr("Failed"),
        }.get(backup.state, backup.state)

    def _show_note(self) -> None:
        backup = self.table.selected_row
        self.note.setText("" if backup is None else self._note_text(backup))
        self.note.setVisible(backup is not None and bool(backup.message))

    def _note_text(self, backup: BackupRun) -> str:
        return backup.message or NOTHING


_TONES = {"done": "passed", "failed": "failed", "running": "accent"}


def _size_text(size: int | None) -> str:
    return (
        NOTHING
        if size is None
        else QLocale().formattedDataSize(size, 1, QLocale.DataSizeFormat.DataSizeSIFormat)
    )
