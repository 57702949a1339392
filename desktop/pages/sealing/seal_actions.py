"""Verifies, releases and reopens a sealed record and shows its editions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from desktop.background.workers import run
from desktop.context import Context
from desktop.messages.error_messages import sentence
from desktop.pages.common.files.report_file import ReportFileController, report_options
from desktop.pages.sealing.check_dialog import CheckDialog
from desktop.pages.sealing.editions_dialog import EditionsDialog
from desktop.pages.sealing.seal_bar import SealBar
from desktop.report.edition import collect_edition
from desktop.widgets import Confirm, Field, TextArea, ask, confirm
from shared.names import user_label
from shared.record.codes import Permission, SealState
from shared.wire.seal import Edition, RecordSeal, SealCheck

_MAX_REASON_LENGTH = 2000


class ReopenDialog(Confirm):
    """Asks for a reason before a record is reopened."""

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(
            parent,
            QCoreApplication.translate("ReopenDialog", "Reopen record?"),
            QCoreApplication.translate(
                "ReopenDialog",
                "The record can be changed again. The sealed edition remains readable. Finishing "
                "again creates a new edition.",
            ),
            QCoreApplication.translate("ReopenDialog", "Reopen record"),
        )
        self.setObjectName("reopen-record")
        self.reason = TextArea(3)
        self.reason.setObjectName("reopen-reason")
        self.body.addWidget(Field(self.tr("Reason"), self.reason))
        self.reason.textChanged.connect(self._update_button)
        self.reason.setFocus()
        self._update_button()

    @property
    def reason_text(self) -> str:
        """The typed reason, stripped."""
        return self.reason.toPlainText().strip()[:_MAX_REASON_LENGTH]

    def _update_button(self) -> None:
        self.confirm_button.setEnabled(bool(self.reason_text))


class SealController(QObject):
    """Handles the buttons of the seal bar: asks the user, calls the service, and emits the new state."""

    changed = Signal(object)
    """The new `RecordSeal` after a release or a reopening."""
    notice = Signal(str)
    """A message for the user."""

    def __init__(self, context: Context, bar: SealBar, window: QWidget) -> None:
        super().__init__(window)
        self._context, self._bar, self._window = context, bar, window
        self._seal: RecordSeal | None = None
        self._name = ""
        self._file = ReportFileController(window)
        self._file.notice.connect(self.notice)
        self._file.written.connect(self._on_report_written)
        bar.verification_requested.connect(self.verify)
        bar.release_requested.connect(self.release)
        bar.reopening_requested.connect(self.reopen)
        bar.editions_requested.connect(self.show_editions)

    def show(self, seal: RecordSeal | None, name: str = "") -> None:
        """Show the seal of the open record in the bar; `name` is the record's name."""
        self._seal, self._name = seal, name
        payload, newest = self._context.payload, None if seal is None else seal.newest
        took_part = (
            payload is not None
            and seal is not None
            and newest is not None
            and payload.user.user_id in (newest.finished_by, *seal.signed_by)
        )
        self._bar.show_seal(
            seal,
            took_part=took_part,
            may_release=self._context.may(Permission.INSPECTION_RELEASE),
            may_reopen=self._context.may(Permission.INSPECTION_REOPEN),
        )

    def verify(self) -> None:
        """Let the service verify the seal of the record, and show the result."""
        if self._seal is not None:
            run(
                self._context.session.records.verify_seal,
                self._seal.inspection_id,
                owner=self,
                done=self._on_verified,
                failed=self._on_failed,
            )

    def reopen(self) -> None:
        """Ask for a reason, then reopen the record."""
        seal = self._seal
        if seal is None:
            return
        dialog = ReopenDialog(self._window)
        try:
            is_confirmed = ask(dialog)
            reason = dialog.reason_text
        finally:
            dialog.deleteLater()
        if is_confirmed:
            run(
                self._context.session.records.reopen,
                seal.inspection_id,
                reason,
                owner=self,
                done=self.changed.emit,
                failed=self._on_failed,
            )

    def release(self) -> None:
        """Release the newest edition after a confirmation."""
        seal = self._seal
        if seal is None or seal.newest is None or seal.state is not SealState.AWAITING_RELEASE:
            return
        text = self.tr("You confirm the record finished by {name}. Your name is stored with edition {n}.")
        newest = seal.newest
        if confirm(
            self._window,
            self.tr("Confirm the review of this record?"),
            text.format(name=newest.finished_by_name or newest.finished_by, n=newest.edition),
            self.tr("Confirm review"),
            danger=False,
        ):
            run(
                self._context.session.records.release,
                seal.inspection_id,
                newest.edition,
                owner=self,
                done=self.changed.emit,
                failed=self._on_failed,
            )

    def show_editions(self) -> None:
        """Show every sealed edition of the record."""
        if self._seal is not None:
            run(
                self._context.session.records.editions,
                self._seal.inspection_id,
                owner=self,
                done=self._list_editions,
                failed=self._on_failed,
            )

    def report(self, edition: int) -> None:
        """Ask for a file, write the report of an edition to it, and open it."""
        seal, payload = self._seal, self._context.payload
        if seal is None or payload is None:
            return
        text = self.tr("{record}, edition {n}")
        path = self._file.ask(text.format(record=self._name or seal.inspection_id, n=edition))
        if path is not None:
            author = user_label(payload.user.name, payload.user.username)
            made = partial(collect_edition, self._context.session, seal.inspection_id, edition, author)
            self._file.write(partial(made, options=report_options(self._context)), path)

    def _on_report_written(self, path: str) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(path)):
            self.notice.emit(self.tr("Report saved: {file}").format(file=path))

    def _on_verified(self, check: SealCheck) -> None:
        dialog = CheckDialog(check, self._window)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _list_editions(self, editions: Sequence[Edition]) -> None:
        dialog = EditionsDialog(editions, self._window)
        dialog.report_requested.connect(self.report)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_failed(self, error: Exception) -> None:
        self.notice.emit(sentence(error))
