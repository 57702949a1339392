"""Lists the webhooks that are notified of finished records and failed items.

Lists the last deliveries of a webhook.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from desktop.background.workers import run
from desktop.context import Context
from desktop.localization.dates import format_minute
from desktop.localization.language import join_words
from desktop.messages.error_messages import sentence
from desktop.pages.common.forms.passwords import run_guarded
from desktop.pages.common.lists.list_section import NOTHING, TableSection
from desktop.pages.people.webhooks.forms import SecretDialog, WebhookForm
from desktop.pages.people.webhooks.terms import delivery_word, event_word, reason_sentence, state_word
from desktop.widgets import Banner, Button, Column, Dialog, StateStack, Table, confirm, label
from shared.record.codes import Permission
from shared.wire.common import Page as Listing
from shared.wire.common import pagination
from shared.wire.webhooks import Delivery, DeliveryState, NewWebhook, Webhook, WebhookState, WebhookUpdate

_SIZE = (820, 460)
_DELIVERY_TONES = {
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
            Column(
                self.tr("Status"), delivery_word, 150, tone=lambda delivery: _DELIVERY_TONES[delivery.state]
            ),
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


_TONES = {WebhookState.ACTIVE: "passed", WebhookState.PAUSED: "dim", WebhookState.FAILING: "failed"}


class WebhookSection(TableSection[Webhook]):
    """The webhooks. There are few, so all of them are read and the search runs here."""

    manage_permission: ClassVar[Permission] = Permission.SETTINGS_MANAGE
    empty_icon: ClassVar[str] = "link"
    new_command: ClassVar[str] = "webhook.new"
    delete_command: ClassVar[str] = ""

    def __init__(self, context: Context) -> None:
        translate = QCoreApplication.translate
        super().__init__(
            context, translate("Webhooks", "New webhook…"), translate("Webhooks", "Name, address")
        )
        self.banner = Banner()
        self.card_column.insertWidget(0, self.banner)

    def make_extra_buttons(self) -> list[Button]:
        self.deliveries = Button(self.tr("Deliveries"), icon="history")
        self.test = Button(self.tr("Send test"), icon="play")
        self.pause = Button(self.tr("Pause"))
        self.deliveries.clicked.connect(self.show_deliveries)
        self.test.clicked.connect(self.send_test)
        self.pause.clicked.connect(self.toggle_pause)
        return [self.deliveries, self.test, self.pause]

    def columns(self) -> list[Column[Webhook]]:
        return [
            Column(
                self.tr("Name"), lambda w: w.name, stretch=True, kind="strong", second_line=lambda w: w.url
            ),
            Column(self.tr("Events"), lambda w: join_words(map(event_word, w.events)), 260),
            Column(self.tr("Status"), state_word, 180, tone=lambda w: _TONES[w.state]),
            Column(self.tr("Waiting"), lambda w: str(w.waiting), 90, kind="dim"),
            Column(
                self.tr("Last success"),
                lambda w: format_minute(w.last_success_at) or NOTHING,
                160,
                kind="dim",
            ),
        ]

    def empty_text(self) -> str:
        return self.tr("No webhooks yet. Nothing is sent.")

    def fetch(self, number: int, size: int, text: str) -> Listing[Webhook]:
        term = text.casefold()
        webhooks = [
            webhook
            for webhook in self._context.session.webhooks.list()
            if term in webhook.name.casefold() or term in webhook.url.casefold()
        ]
        page = webhooks[(number - 1) * size : number * size]
        return Listing[Webhook](data=page, pagination=pagination(number, size, len(webhooks)))

    def show_entries(self, entries: list[Webhook], keep: str) -> None:
        super().show_entries(entries, keep)
        failing_count = sum(webhook.state is WebhookState.FAILING for webhook in entries)
        if failing_count:
            self.banner.show_message(
                self.tr(
                    "%n webhook(s) paused: no delivery succeeded for a day. Correct the address or the "
                    "receiver, then resume.",
                    "",
                    failing_count,
                ),
                "warn",
                closable=False,
            )
        else:
            self.banner.hide()

    def key(self, entry: Webhook) -> str:
        return entry.webhook_id

    def name(self, entry: Webhook) -> str:
        return entry.name

    def form(self, entry: Webhook | None) -> QDialog:
        return WebhookForm(self._context, entry, self)

    def update_buttons(self) -> None:
        super().update_buttons()
        webhook = self.selected_entry()
        is_active = webhook is None or webhook.state is WebhookState.ACTIVE
        self.pause.setText(self.tr("Pause") if is_active else self.tr("Resume"))

    def toggle_pause(self) -> None:
        """Pause or resume the selected webhook."""
        webhook = self.selected_entry()
        if webhook is None:
            return
        change = WebhookUpdate(paused=webhook.state is WebhookState.ACTIVE)
        run_guarded(
            self._context,
            partial(self._context.session.webhooks.update, webhook.webhook_id, change),
            owner=self,
            done=self._on_saved,
            failed=lambda error: self.toast.emit(sentence(error)),
        )

    def send_test(self) -> None:
        """Send a test to the selected webhook and show the outcome."""
        webhook = self.selected_entry()
        if webhook is None:
            return
        self.test.setEnabled(False)
        self.test.setText(self.tr("Sending…"))
        run_guarded(
            self._context,
            partial(self._context.session.webhooks.test, webhook.webhook_id),
            owner=self,
            done=self._on_tested,
            failed=self._on_test_failed,
        )

    def show_deliveries(self) -> None:
        """Show the last deliveries of the selected webhook."""
        webhook = self.selected_entry()
        if webhook is not None:
            dialog = DeliveriesDialog(self._context, webhook, self)
            dialog.finished.connect(dialog.deleteLater)
            dialog.open()

    def delete_selected(self) -> None:
        """Delete the selected webhook after a confirmation."""
        webhook = self.selected_entry()
        if webhook is None or not confirm(
            self,
            self.tr("Delete {name}?").format(name=webhook.name),
            self.tr("The receiver is no longer notified. Pending deliveries are not sent."),
            self.tr("Delete"),
        ):
            return
        run_guarded(
            self._context,
            partial(self._context.session.webhooks.delete, webhook.webhook_id),
            owner=self,
            done=lambda _: self._on_deleted(webhook.name),
            failed=lambda error: self._on_delete_failed(webhook.name, error),
        )

    def _on_saved(self, entry: Webhook) -> None:
        super()._on_saved(entry)
        if isinstance(entry, NewWebhook):
            SecretDialog(entry, self).open()

    def _on_tested(self, delivery: Delivery) -> None:
        self._enable_test()
        self.toast.emit(reason_sentence(delivery))

    def _on_test_failed(self, error: Exception) -> None:
        self._enable_test()
        self.toast.emit(sentence(error))

    def _enable_test(self) -> None:
        self.test.setText(self.tr("Send test"))
        self.update_buttons()
