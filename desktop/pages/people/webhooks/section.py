"""Lists the webhooks that are notified of finished records and failed items."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QDialog

from desktop.context import Context
from desktop.localization.dates import format_minute
from desktop.localization.language import join_words
from desktop.messages.error_messages import sentence
from desktop.pages.common.forms.password_prompt import run_guarded
from desktop.pages.common.lists.list_section import NOTHING, TableSection
from desktop.pages.people.webhooks.deliveries import DeliveriesDialog
from desktop.pages.people.webhooks.forms import SecretDialog, WebhookForm
from desktop.pages.people.webhooks.terms import event_word, reason_sentence, state_word
from desktop.widgets import Banner, Button, Column, confirm
from shared.record.codes import Permission
from shared.wire.common import Page as Listing
from shared.wire.common import pagination
from shared.wire.webhooks import Delivery, NewWebhook, Webhook, WebhookState, WebhookUpdate

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
