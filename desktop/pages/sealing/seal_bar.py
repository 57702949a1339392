"""Shows that the open record is sealed, with buttons for a sealed record."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.messages.error_messages import same_person_sentence
from desktop.messages.seal_terms import seal_sentence
from desktop.widgets import Button, ButtonKind, IconLabel, Panel, label, row_of
from shared.record.codes import SEALED_STATES, SealState
from shared.wire.seal import RecordSeal


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
