"""Hands a record over to another user with a note, and shows that note to the user."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.background.workers import Task, run
from desktop.client import Session
from desktop.context import Context
from desktop.localization.dates import format_minute
from desktop.messages.error_messages import sentence
from desktop.widgets import Banner, Button, ButtonKind, Combo, Dialog, Field, TextArea, label, row_of
from shared.wire.shift import Handover, HandoverWrite, Inspector

_MAX_NOTE_LENGTH = 2000
_WIDTH = 420


class HandoverDialog(Dialog):
    """Asks who goes on with a record, and for a note to that user."""

    handed_over = Signal(object)
    """The `Handover`."""

    def __init__(self, context: Context, record_id: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._context, self._record_id = context, record_id
        self.setObjectName("handover")
        self.setWindowTitle(self.tr("Hand over record"))
        self.setModal(True)
        self.setMinimumWidth(_WIDTH)
        self.banner = Banner()
        self.banner.hide()
        self.inspector = Combo(self.tr("Inspector"))
        self.note = TextArea(4)
        self.confirm = Button(self.tr("Hand over"), kind=ButtonKind.MAIN)
        self.cancel = Button(self.tr("Cancel"))
        self._build()
        self.note.textChanged.connect(self._update_button)
        self.confirm.clicked.connect(lambda _checked=False: self._send())
        self.cancel.clicked.connect(self.reject)
        self._update_button()
        run(
            context.session.records.inspectors,
            owner=self,
            done=self._show_inspectors,
            failed=self._show_error,
        )

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(14)
        column.addWidget(label(self.tr("Hand over record"), "item"))
        column.addWidget(self.banner)
        column.addWidget(Field(self.tr("Inspector"), self.inspector))
        column.addWidget(Field(self.tr("Note"), self.note))
        row = row_of(1, self.cancel, self.confirm)
        column.addLayout(row)
        self.confirm.setDefault(True)

    def _show_inspectors(self, inspectors: Sequence[Inspector]) -> None:
        payload = self._context.payload
        me = "" if payload is None else payload.user.user_id
        choices = [(person.user_id, person.name) for person in inspectors if person.user_id != me]
        self.inspector.set_choices(choices)
        if not choices:
            self.banner.show_message(self.tr("There is no other user."), "warn", closable=False)
        self._update_button()

    def _update_button(self) -> None:
        self.confirm.setEnabled(bool(self.inspector.count() and self.note.toPlainText().strip()))

    def _send(self) -> None:
        note = self.note.toPlainText().strip()[:_MAX_NOTE_LENGTH]
        self.confirm.setEnabled(False)
        run(
            self._context.session.records.hand_over,
            self._record_id,
            HandoverWrite(given_to=str(self.inspector.value()), note=note),
            owner=self,
            done=self._on_sent,
            failed=self._show_error,
        )

    def _on_sent(self, handover: Handover) -> None:
        self.accept()
        self.handed_over.emit(handover)

    def _show_error(self, error: Exception) -> None:
        self._update_button()
        self.banner.show_message(sentence(error), "error")


def open_handover(
    context: Context, record_id: str, parent: QWidget, notice: Callable[[str], object]
) -> HandoverDialog:
    """Open the dialog for a record. `notice` gets a sentence once it is handed over."""
    dialog = HandoverDialog(context, record_id, parent)

    def tell(handover: Handover) -> None:
        text = QCoreApplication.translate("HandoverDialog", "Handed over to {name}.")
        notice(text.format(name=handover.given_to_name or handover.given_to))

    dialog.handed_over.connect(tell)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
    return dialog


class HandoverBanner(Banner):
    """Shows the note of the newest handover of a record if it was handed over to the user."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("handover-note")
        self._context = context
        self._task: Task | None = None
        self._closed = ""
        self._shown = ""
        self.closed.connect(self._on_closed)
        self.hide()

    def show_record(self, record_id: str) -> None:
        """Read the handovers of a record and show the newest one."""
        if self._task is not None:
            self._task.cancel()
        self._task = run(
            newest_handover,
            self._context.session,
            record_id,
            owner=self,
            done=self._show,
            failed=lambda _: self.hide(),
        )

    def _show(self, handover: Handover | None) -> None:
        payload = self._context.payload
        is_mine = handover is not None and payload is not None and handover.given_to == payload.user.user_id
        if handover is None or not is_mine or handover.handover_id == self._closed:
            self.hide()
            return
        self._shown = handover.handover_id
        text = self.tr("Handed over by {name}, {time}: {note}").format(
            name=handover.given_by_name or handover.given_by,
            time=format_minute(handover.created_at),
            note=handover.note,
        )
        self.show_message(text, "info")

    def _on_closed(self) -> None:
        self._closed = self._shown


def newest_handover(session: Session, record_id: str) -> Handover | None:
    """The newest handover of a record; None if there was none. Raises ClientError."""
    handovers = session.records.handovers(record_id)
    return handovers[0] if handovers else None
