"""Lists the last deliveries of a webhook."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.background.workers import run
from desktop.context import Context
from desktop.localization.dates import format_minute
from desktop.messages.error_messages import sentence
from desktop.pages.people.webhooks.terms import delivery_word, event_word, reason_sentence
from desktop.widgets import Button, Column, Dialog, StateStack, Table, label
from shared.wire.webhooks import Delivery, DeliveryState, Webhook

_SIZE = (820, 460)
_TONES = {
    DeliveryState.DELIVERED: "passed",
    DeliveryState.FAILED: "failed",
    DeliveryState.PENDING: "undecided",
}


class DeliveriesDialog(Dialog):
    """The last deliveries, newest first."""

    def __init__(self, context: Context, webhook: Webhook, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._webhook = webhook
        self.setWindowTitle(self.tr("Deliveries"))
        self.setModal(True)
        self.setMinimumSize(*_SIZE)
        self.table: Table[Delivery] = Table(self.tr("Deliveries"), self._columns())
        self.table.selection_changed.connect(self._show_reason)
        self.reason = label("", wrap=True)
        self.reason.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.stack = StateStack(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(12)
        column.addWidget(label(self.tr("Deliveries to {name}").format(name=webhook.name), "item", wrap=True))
        column.addWidget(self.stack, 1)
        column.addWidget(self.reason)
        row = QHBoxLayout()
        row.setSpacing(8)
        self.refresh = Button(self.tr("Refresh"), icon="refresh")
        self.refresh.clicked.connect(lambda _checked=False: self.load())
        close = Button(self.tr("Close"))
        close.clicked.connect(self.accept)
        close.setDefault(True)
        row.addWidget(self.refresh)
        row.addStretch(1)
        row.addWidget(close)
        column.addLayout(row)
        self.load()

    def _columns(self) -> list[Column[Delivery]]:
        return [
            Column(self.tr("Created"), lambda delivery: format_minute(delivery.created_at), 150, kind="dim"),
            Column(self.tr("Event"), lambda delivery: event_word(delivery.event), 150, stretch=True),
            Column(self.tr("Status"), delivery_word, 150, tone=lambda delivery: _TONES[delivery.state]),
            Column(self.tr("Attempts"), lambda delivery: str(delivery.attempts), 90, kind="dim"),
            Column(
                self.tr("Next attempt"),
                lambda delivery: format_minute(delivery.next_attempt_at) or "–",
                150,
                kind="dim",
            ),
        ]

    def load(self) -> None:
        """Read the deliveries again."""
        if self.table.selected_row is None:
            self.stack.show_loading()
        run(
            partial(self._context.session.webhooks.deliveries, self._webhook.webhook_id),
            owner=self,
            done=self._show,
            failed=lambda error: self.stack.show_error(sentence(error), self.load),
        )

    def _show(self, deliveries: Sequence[Delivery]) -> None:
        selected = self.table.selected_row
        selected_id = deliveries[0].delivery_id if selected is None and deliveries else ""
        selected_id = selected_id if selected is None else selected.delivery_id
        self.table.show_rows(list(deliveries), lambda delivery: delivery.delivery_id == selected_id)
        if deliveries:
            self.stack.show_content()
            if selected is None:
                self.table.setFocus()
        else:
            self.stack.show_empty(
                "list",
                self.tr("No deliveries yet. The next event, or a test, is listed here."),
                self.tr("Reload"),
                self.load,
            )
        self._show_reason()

    def _show_reason(self) -> None:
        selected = self.table.selected_row
        self.reason.setText("" if selected is None else reason_sentence(selected))
