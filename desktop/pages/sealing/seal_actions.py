"""Verifies, releases and reopens a sealed record and shows its editions.

Shows that the open record is sealed, with buttons for a sealed record.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from desktop.background.workers import run
from desktop.context import Context
from desktop.messages.error_messages import same_person_sentence, sentence
from desktop.messages.seal_terms import edition_events, outcome_word, seal_sentence, short_seal
from desktop.pages.common.files.report_file import ReportFileController, report_options
from desktop.report.edition import collect_edition
from desktop.widgets import (
    Button,
    ButtonKind,
    Card,
    Confirm,
    Dialog,
    Field,
    IconLabel,
    Panel,
    TextArea,
    ask,
    column_of,
    confirm,
    label,
    row_of,
)
from shared.names import user_label
from shared.record.codes import SEALED_STATES, Permission, SealState
from shared.wire.seal import Edition, RecordSeal, SealCheck


class SealBar(Panel):
    """A bar below the top bar; hidden for a record that was never finished."""

    verification_requested = Signal()
    release_requested = Signal()
    reopening_requested = Signal()
    editions_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("raised", "bottom", parent)
        self.setObjectName("seal-bar")
        self.text = label("", wrap=True)
        self._symbol = IconLabel("lock", "accent")
        self.release = Button(self.tr("Review…"), kind=ButtonKind.LINK)
        self.release.setObjectName("seal-release")
        self.verify = Button(self.tr("Verify seal"), kind=ButtonKind.LINK)
        self.verify.setObjectName("seal-verify")
        self.editions = Button(self.tr("Editions…"), kind=ButtonKind.LINK)
        self.editions.setObjectName("seal-editions")
        self.reopen = Button(self.tr("Reopen…"), kind=ButtonKind.LINK)
        self.reopen.setObjectName("seal-reopen")
        row = row_of(self._symbol, (self.text, 1), parent=self, margins=(16, 6, 12, 6), spacing=12)
        for button, signal in (
            (self.release, self.release_requested),
            (self.verify, self.verification_requested),
            (self.editions, self.editions_requested),
            (self.reopen, self.reopening_requested),
        ):
            row.addWidget(button)
            button.clicked.connect(lambda _checked=False, signal=signal: signal.emit())
        self.hide()

    def show_seal(
        self, seal: RecordSeal | None, may_release: bool, may_reopen: bool, took_part: bool = False
    ) -> None:
        """Show the seal of the record; None (unknown) hides the bar.

        If the user `took_part` in the record, the button to release it is disabled and says why.
        """
        state = SealState.OPEN if seal is None else seal.state
        if seal is None or seal.newest is None or state is SealState.OPEN:
            self.hide()
            return
        is_sealed = state in SEALED_STATES
        self._symbol.show_icon("lock" if is_sealed else "history", "accent" if is_sealed else "undecided")
        if is_sealed:
            self.text.setText(seal_sentence(seal))
        else:
            newest = seal.newest
            name, reason = newest.reopened_by_name or newest.reopened_by, newest.reopen_reason
            reopening_text = self.tr("Reopened by {name}: {reason}")
            self.text.setText(reopening_text.format(name=name or "", reason=reason or ""))
        self.setAccessibleName(self.text.text())
        self.release.setVisible(state is SealState.AWAITING_RELEASE and may_release)
        self.release.setEnabled(not took_part)
        reason = same_person_sentence() if took_part else ""
        self.release.setToolTip(reason)
        self.release.setAccessibleDescription(reason)
        self.reopen.setVisible(is_sealed and may_reopen)
        self.show()


_WIDTH = 560
_HEIGHT_LINES = 22


class EditionsDialog(Dialog):
    """Lists the editions, newest first.

    The seals can be selected and copied, and each edition has a report.
    """

    report_requested = Signal(int)
    """The number of the edition whose report the user requested."""

    def __init__(self, editions: Sequence[Edition], parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setObjectName("editions")
        self.setWindowTitle(self.tr("Editions"))
        self.setModal(True)
        self.setMinimumWidth(_WIDTH)
        column = column_of(
            label(self.tr("Sealed editions"), "item"), parent=self, margins=(20, 20, 20, 16), spacing=12
        )
        rows = QWidget()
        rows.setProperty("clear", True)
        lines = QVBoxLayout(rows)
        lines.setContentsMargins(0, 0, 8, 0)
        lines.setSpacing(8)
        for edition in reversed(editions):
            lines.addWidget(self._card(edition))
        lines.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(rows)
        max_height = self.fontMetrics().lineSpacing() * _HEIGHT_LINES
        scroll.setMinimumHeight(min(rows.sizeHint().height() + 4, max_height))
        column.addWidget(scroll, 1)
        row = row_of(1)
        close = Button(self.tr("Close"))
        close.clicked.connect(self.accept)
        row.addWidget(close)
        column.addLayout(row)

    def _card(self, edition: Edition) -> QWidget:
        card = Card()
        column = QVBoxLayout(card)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(4)
        head = self.tr("Edition {n}: {outcome}").format(
            n=edition.edition, outcome=outcome_word(edition.outcome)
        )
        row = row_of((label(head, "strong"), 1))
        report = Button(self.tr("Report…"), kind=ButtonKind.LINK)
        report.setObjectName(f"edition-report-{edition.edition}")
        report.setAccessibleName(self.tr("Report of edition {n}").format(n=edition.edition))
        report.clicked.connect(lambda _checked=False: self.report_requested.emit(edition.edition))
        row.addWidget(report)
        column.addLayout(row)
        for line in edition_events(edition):
            column.addWidget(label(line, wrap=True))
        seal = label(edition.seal, "dim", wrap=True)
        seal.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        seal.setAccessibleName(self.tr("Seal"))
        column.addWidget(seal)
        return card


_LIST_LINES = 10


class CheckDialog(Dialog):
    """Shows that the seal is intact, or a sentence for each difference."""

    def __init__(self, check: SealCheck, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setObjectName("seal-check")
        self.setWindowTitle(self.tr("Seal verification"))
        self.setModal(True)
        self.setMinimumWidth(480)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(8)
        head = row_of(
            IconLabel("check" if check.intact else "warning", "passed" if check.intact else "failed"),
            spacing=8,
        )
        title = self.tr("Seal intact") if check.intact else self.tr("Record does not match its seal")
        self.title = label(title, "item", wrap=True)
        head.addWidget(self.title, 1)
        column.addLayout(head)
        summary = self.tr("Edition {n}, seal {seal}…, %n file(s) verified.", "", check.files)
        column.addWidget(
            label(summary.format(n=check.edition, seal=short_seal(check.seal)), "dim", wrap=True)
        )
        if not check.current:
            text = self.tr("The record was reopened. The stored edition and its files were verified.")
            column.addWidget(label(text, "dim", wrap=True))
        if check.differences:
            column.addWidget(self._differences(check))
        row = row_of(1)
        close = Button(self.tr("Close"))
        close.clicked.connect(self.accept)
        row.addWidget(close)
        column.addSpacing(8)
        column.addLayout(row)

    def _differences(self, check: SealCheck) -> QWidget:
        rows = QWidget()
        lines = QVBoxLayout(rows)
        lines.setContentsMargins(0, 0, 8, 0)
        for difference in check.differences:
            lines.addWidget(label(difference.message, wrap=True))
            lines.addWidget(label(difference.path, "dim", wrap=True))
        lines.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(rows)
        scroll.setMinimumHeight(self.fontMetrics().lineSpacing() * _LIST_LINES)
        return scroll


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
