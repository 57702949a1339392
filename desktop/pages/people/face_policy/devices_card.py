"""Allows, renames and removes the devices on which face login is possible."""

from __future__ import annotations

import contextlib
import platform
from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from desktop.client.device_token import DeviceToken, NoKeyringError
from desktop.client.http.errors import ClientError
from desktop.client.session import Session
from desktop.context import Context
from desktop.localization.dates import format_minute
from desktop.messages.error_messages import sentence
from desktop.pages.common.forms.form import Form
from desktop.pages.common.forms.password_prompt import run_guarded
from desktop.widgets import (
    Button,
    ButtonKind,
    Card,
    ElidedLabel,
    Field,
    clear_layout,
    column_of,
    confirm,
    label,
    row_of,
)
from shared.wire.face import Device


class DeviceForm(Form):
    """Allows this computer under a name, or renames a device."""

    def __init__(self, context: Context, device: Device | None, parent: QWidget | None = None) -> None:
        translate = QCoreApplication.translate
        if device is None:
            title = translate("DeviceForm", "Allow this computer")
            super().__init__(context, title, translate("DeviceForm", "Allow"), parent)
        else:
            title = translate("DeviceForm", "Rename device")
            super().__init__(context, title, translate("Form", "Save"), parent)
        self._device = device
        self.add("name", Field(self.tr("Name")))
        # The host name is a suggestion.
        self.fields["name"].set_text(platform.node() if device is None else device.name)
        if device is None:
            text = self.tr(
                "Anyone who signs in to this computer with your account can log in by face here. "
                "Its token is kept in the system's keyring."
            )
            self.body.addWidget(label(text, "dim", wrap=True))

    def work(self) -> Callable[[], Any] | None:
        name = self.text("name")
        if name is None:
            self.show_field_error("name", self.tr("Enter a name."))
            return None
        session = self._context.session
        if self._device is None:
            return partial(allow_this_computer, session, self._context.device_token, name)
        return partial(session.faces.rename_device, self._device.device_id, name)

    def _on_failed(self, error: Exception) -> None:
        super()._on_failed(error)
        if isinstance(error, NoKeyringError):
            self.banner.show_message(
                self.tr(
                    "This computer has no keyring that takes the token, so it was not allowed. On Linux "
                    "install and unlock a secret service, for example GNOME Keyring or KWallet."
                ),
                "error",
            )


class DevicesCard(Card):
    """The allowed devices, with a button that allows this computer."""

    toast = Signal(str)
    """A sentence that says what was changed, or why it was not."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.devices: list[Device] = []
        self.allow = Button(self.tr("Allow this computer…"), icon="plus")
        self.allow.clicked.connect(lambda _checked=False: self.open_form(None))
        self.none_label = label(self.tr("No devices are allowed yet."), "dim", wrap=True)
        self._rows = QGridLayout()
        self._rows.setHorizontalSpacing(16)
        self._rows.setVerticalSpacing(8)
        self._rows.setColumnStretch(0, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(12)
        head = row_of((label(self.tr("Allowed devices"), "item"), 1), self.allow)
        column.addLayout(head)
        text = self.tr(
            "The list applies only while “Allow only the devices listed below” is selected. To add"
            " a device, log in on it as an administrator and open this page."
        )
        column.addWidget(label(text, "dim", wrap=True))
        column.addWidget(self.none_label)
        column.addLayout(self._rows)

    def show_devices(self, devices: list[Device]) -> None:
        """Show `devices`."""
        self.devices = devices
        clear_layout(self._rows)
        self.none_label.setVisible(not devices)
        for row, device in enumerate(devices):
            names = column_of(
                ElidedLabel(device.name), label(self._usage_text(device), "small", wrap=True), spacing=2
            )
            cell = QWidget()
            names.setContentsMargins(0, 0, 0, 0)
            cell.setLayout(names)
            rename = Button(self.tr("Rename"), icon="edit")
            rename.setAccessibleName(self.tr("Rename {name}").format(name=device.name))
            rename.clicked.connect(lambda _checked=False, device=device: self.open_form(device))
            remove = Button(self.tr("Remove"), kind=ButtonKind.DANGER, icon="trash")
            remove.setAccessibleName(self.tr("Remove {name}").format(name=device.name))
            remove.clicked.connect(lambda _checked=False, device=device: self.remove(device))
            self._rows.addWidget(cell, row, 0)
            self._rows.addWidget(rename, row, 1)
            self._rows.addWidget(remove, row, 2)

    def _usage_text(self, device: Device) -> str:
        allowed_text = self.tr("Allowed on {time}").format(time=format_minute(device.allowed_at))
        if device.last_used_at is None:
            return allowed_text + " · " + self.tr("not used yet")
        return (
            allowed_text + " · " + self.tr("last used {time}").format(time=format_minute(device.last_used_at))
        )

    def open_form(self, device: Device | None) -> DeviceForm:
        """Open the form that renames `device`, or allows this computer for None."""
        form = DeviceForm(self._context, device, self)
        form.finished.connect(form.deleteLater)
        form.saved.connect(lambda _: self._on_changed(self.tr("Device saved.")))
        form.open()
        return form

    def remove(self, device: Device) -> None:
        """Remove a device after a confirmation."""
        if not confirm(
            self,
            self.tr("Remove {name}?").format(name=device.name),
            self.tr("Face login will not work there while only allowed devices are permitted."),
            self.tr("Remove"),
        ):
            return
        run_guarded(
            self._context,
            partial(self._context.session.faces.end_device, device.device_id),
            owner=self,
            done=lambda _: self._on_changed(self.tr("Device removed.")),
            failed=self._on_failed,
        )

    def _on_changed(self, text: str) -> None:
        self.toast.emit(text)
        self.load()

    def load(self) -> None:
        """Read the list again."""
        run_guarded(
            self._context,
            self._context.session.faces.devices,
            owner=self,
            done=self.show_devices,
            failed=self._on_failed,
        )

    def _on_failed(self, error: Exception) -> None:
        self.toast.emit(sentence(error))
        if isinstance(error, ClientError) and error.code == "not_found":
            self.load()


def allow_this_computer(session: Session, token: DeviceToken, name: str) -> Device:
    """Allow this computer and store its token in the keyring.

    If the token cannot be stored, the device is removed again. Raises ClientError, NoKeyringError.
    """
    device = session.faces.allow_device(name)
    try:
        token.store(device.token)
    except NoKeyringError:
        with contextlib.suppress(ClientError):
            session.faces.end_device(device.device_id)
        raise
    return device
