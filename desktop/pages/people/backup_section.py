"""Shows the last backup of the service, the time of the next one, and the newest runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QLocale, QTimer
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.background.workers import run
from desktop.context import Context
from desktop.localization.dates import format_minute
from desktop.messages.error_messages import sentence
from desktop.pages.common.files.file_dialogs import Purpose, open_folder
from desktop.pages.common.forms.passwords import ask_password
from desktop.pages.common.lists.list_section import NOTHING, PageSection
from desktop.widgets import Button, Card, Column, StateStack, Table, column_of, label, row_of
from shared.wire.backups import BackupRun, BackupStatus

_READ_AGAIN_MS = 2_000


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
        column = column_of(self.state, self.next, parent=card, margins=(24, 20, 24, 20), spacing=8)
        self.choose = Button(self.tr("Choose folder…"), icon="folder")
        self.choose.clicked.connect(lambda _checked=False: self._ask_folder())
        self.start_now = Button(self.tr("Back up now"))
        self.start_now.clicked.connect(
            lambda _checked=False: self._change(self._context.session.backups.start)
        )
        row = row_of(self.choose, self.start_now, 1, spacing=8)
        column.addLayout(row)
        self._reading_again = QTimer(self, singleShot=True, interval=_READ_AGAIN_MS)
        self._reading_again.timeout.connect(self._load)
        # The whole note, because its column is too narrow in a small window.
        self.note = label("", wrap=True)
        self.note.setContentsMargins(16, 10, 16, 10)
        self.note.hide()
        self.table.selection_changed.connect(self._show_note)
        rows = Card()
        column_of(self.table, self.note, parent=rows, margins=1)
        content = QWidget()
        content.setProperty("clear", True)
        column_of(card, (rows, 1), 0, parent=content, margins=0, spacing=14)
        self._rows = rows
        self.stack = StateStack(content)
        column_of(self.stack, parent=self, margins=0)

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

    def _ask_folder(self) -> None:
        folder = open_folder(self, self.tr("Choose a folder on another disk"), Purpose.BACKUPS)
        if folder is not None:
            self._change(partial(self._context.session.backups.choose_folder, str(folder)))

    def _change(self, change: Callable[[], BackupStatus]) -> None:
        run(change, owner=self, done=self._show_started, failed=partial(self._on_failed, change))

    def _show_started(self, status: BackupStatus) -> None:
        self._show(status)
        # The run is listed when its thread has begun it.
        self._reading_again.start()

    def _on_failed(self, change: Callable[[], BackupStatus], error: Exception) -> None:
        if ask_password(self._context, error, owner=self, on_logged_in=partial(self._change, change)) is None:
            self.toast.emit(sentence(error))

    def _show(self, status: BackupStatus) -> None:
        if any(backup.state == "running" for backup in status.runs) and self.isVisible():
            self._reading_again.start()
        self.choose.setVisible(status.can_choose)
        self.start_now.setVisible(status.scheduled)
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
            if status.can_choose:
                return self.tr("Data that is lost cannot be restored. Choose a folder on another disk.")
            return self.tr(
                "Data that is lost cannot be restored. Choose a folder in this window on the service's "
                "computer."
            )
        if status.late:
            return self.tr("The backup is late. See the notes below and the log file of the service.")
        return self.tr("Next backup: {time}. Stored in {place}.").format(
            time=format_minute(status.next_at), place=status.place or NOTHING
        )

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
