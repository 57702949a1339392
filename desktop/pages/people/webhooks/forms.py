"""Defines the form of a webhook and the dialog that shows its secret."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from desktop.context import Context
from desktop.pages.common.forms.form import CheckBoxesField, Form
from desktop.pages.people.webhooks.terms import event_meaning, event_word
from desktop.widgets import Button, ButtonKind, Dialog, Field, label, row_of
from shared.wire.webhooks import NewWebhook, Webhook, WebhookCreate, WebhookEvent, WebhookUpdate

_MAX_ADDRESS_LENGTH = 2048
"""The longest address that the service accepts."""


class WebhookForm(Form):
    """Creates or edits a webhook."""

    def __init__(self, context: Context, webhook: Webhook | None, parent: QWidget | None = None) -> None:
        translate = QCoreApplication.translate
        if webhook is None:
            title, save_text = translate("Webhooks", "New webhook"), translate("Webhooks", "Create webhook")
        else:
            title, save_text = translate("Webhooks", "Webhook"), translate("Form", "Save")
        super().__init__(context, title, save_text, parent)
        self._webhook = webhook
        self.add("name", Field(self.tr("Name")))
        self.add("url", Field(self.tr("Address"), placeholder="https://"))
        address = self.fields["url"].editor
        assert isinstance(address, QLineEdit)
        address.setMaxLength(_MAX_ADDRESS_LENGTH)
        self.events = CheckBoxesField(
            QCoreApplication.translate("EventsField", "Events"),
            WebhookEvent,
            list(WebhookEvent) if webhook is None else webhook.events,
            event_word,
            event_meaning,
        )
        self.events.changed.connect(self.mark_changed)
        self.body.addWidget(self.events)
        text = self.tr(
            "The service sends IDs, times and counts to this address, signed with a secret. It sends no "
            "names and no pictures."
        )
        self.body.addWidget(label(text, "dim", wrap=True))
        if webhook is not None:
            self.fields["name"].set_text(webhook.name)
            self.fields["url"].set_text(webhook.url)

    def work(self) -> Callable[[], Any] | None:
        name, url, events = self.text("name"), self.text("url"), self.events.value()
        if name is None:
            self.show_field_error("name", self.tr("Enter a name."))
            return None
        if url is None or not url.lower().startswith(("https://", "http://")):
            self.show_field_error("url", self.tr("Enter an address that begins with https://."))
            return None
        if any(character.isspace() for character in url):
            self.show_field_error("url", self.tr("The address contains spaces. Remove them."))
            return None
        if not events:
            self.events.set_error(self.tr("Select at least one event."))
            return None
        webhooks = self._context.session.webhooks
        # The service accepts only a scheme in lower case.
        scheme, _, rest = url.partition("://")
        address = f"{scheme.lower()}://{rest}"
        if self._webhook is None:
            return partial(webhooks.create, WebhookCreate(name=name, url=address, events=events))
        change = WebhookUpdate(name=name, url=address, events=events)
        return partial(webhooks.update, self._webhook.webhook_id, change)


class SecretDialog(Dialog):
    """Shows the secret of a new webhook, which the service returns only once."""

    def __init__(self, webhook: NewWebhook, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._secret = webhook.secret
        self.setWindowTitle(self.tr("Secret"))
        self.setModal(True)
        self.setMinimumWidth(480)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(12)
        column.addWidget(label(self.tr("Secret of {name}").format(name=webhook.name), "item", wrap=True))
        text = self.tr(
            "The receiver verifies every delivery with this secret. Copy it now: it cannot be shown again."
        )
        column.addWidget(label(text, "dim", wrap=True))
        self.field = QLineEdit(webhook.secret)
        self.field.setReadOnly(True)
        self.field.setAccessibleName(self.tr("Secret"))
        self.field.setCursorPosition(0)
        column.addWidget(self.field)
        row = row_of(1)
        self.copy = Button(self.tr("Copy secret"), kind=ButtonKind.MAIN, icon="copy")
        self.copy.clicked.connect(self._copy)
        self.copy.setDefault(True)
        close = Button(self.tr("Close"))
        close.clicked.connect(self.accept)
        row.addWidget(close)
        row.addWidget(self.copy)
        column.addLayout(row)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._secret)
        self.copy.setText(self.tr("Copied"))
