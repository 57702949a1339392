"""The cards of face login: its policy, the face models that exist, and the allowed devices."""

from __future__ import annotations

import contextlib
import platform
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QVBoxLayout, QWidget

from desktop.client.device_token import DeviceToken, NoKeyringError
from desktop.client.http.errors import ClientError
from desktop.client.session import Session
from desktop.context import Context
from desktop.localization.dates import format_minute
from desktop.messages.error_messages import sentence
from desktop.pages.common.forms.form import Form
from desktop.pages.common.forms.passwords import run_guarded
from desktop.pages.people.face_policy.terms import challenge_choices
from desktop.widgets import (
    Button,
    ButtonKind,
    Card,
    Combo,
    ElidedLabel,
    Field,
    clear_layout,
    column_of,
    confirm,
    label,
    row_of,
)
from shared.wire.face import Device, FaceModel, FacePolicy

_INDENT_PX = 26
"""The indent of a text below a check box in px, which aligns it with the text of the check box."""


class PolicyCard(Card):
    """Shows the policy and explains each choice. A change is saved immediately, for all users."""

    toast = Signal(str)
    """A sentence that says what was changed, or why it was not."""
    changed = Signal(object)
    """The new `FacePolicy`."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._policy = FacePolicy(login_enabled=False)
        self.switch = QCheckBox(self.tr("Enable face login for all users"))
        self.photo_risk = QCheckBox(self.tr("Offer it without protection from photos"))
        self.admins = Combo(self.tr("Administrators and planners"))
        self.other_users = Combo(self.tr("All other users"))
        self.devices_only = QCheckBox(self.tr("Allow only the devices listed below"))
        self.refuse_virtual = QCheckBox(self.tr("Refuse virtual cameras"))
        for combo in (self.admins, self.other_users):
            combo.set_choices(challenge_choices())
        self._build()
        self.switch.clicked.connect(lambda on: self._save(FacePolicy(login_enabled=on)))
        self.photo_risk.clicked.connect(lambda on: self._save(self._policy_with(photo_risk_accepted=on)))
        self.admins.picked.connect(lambda rule: self._save(self._policy_with(challenge_admins=rule)))
        self.other_users.picked.connect(lambda rule: self._save(self._policy_with(challenge_others=rule)))
        self.devices_only.clicked.connect(lambda on: self._save(self._policy_with(allowed_devices_only=on)))
        self.refuse_virtual.clicked.connect(
            lambda on: self._save(self._policy_with(refuse_virtual_cameras=on))
        )

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(10)
        column.addWidget(label(self.tr("Face login"), "item"))
        column.addWidget(self.switch)
        self._add_explanation(
            column, self.tr("When disabled, all users log in with their password. Enrolled faces are kept.")
        )
        column.addWidget(self.photo_risk)
        self._add_explanation(
            column,
            self.tr(
                "A model without a liveness check cannot tell a photo from a person: anyone who shows a "
                "photo of a user on a phone logs in as this user. The login page therefore offers face login "
                "only with such a check, with head movements at every login, or with this box checked."
            ),
        )
        column.addSpacing(8)
        column.addWidget(label(self.tr("Head movements (challenge)"), "strong"))
        text = self.tr(
            "At login the user turns the head as an arrow shows. This rejects printed and displayed photos, "
            "also blends of several photos of the user. It does not reject masks, recordings of the same "
            "movements or live deepfakes."
        )
        column.addWidget(label(text, "dim", wrap=True))
        rows = QGridLayout()
        rows.setHorizontalSpacing(16)
        rows.setVerticalSpacing(8)
        rows.setColumnStretch(2, 1)
        for row, combo in enumerate((self.admins, self.other_users)):
            rows.addWidget(label(combo.accessibleName()), row, 0)
            rows.addWidget(combo, row, 1)
        column.addLayout(rows)
        for text in (
            self.tr(
                "When in doubt: the model in use has no liveness check or the camera no colour, the last "
                "login on the device failed, or the face is only just recognized. The built-in model dlib "
                "has no liveness check of its own: without one, every login is in doubt."
            ),
            self.tr(
                "Off by default: in films of eleven people on whom it was not tuned, it refused 6 of 62 "
                "right movements with an open model and 3 with dlib. Users who are refused can use their "
                "password."
            ),
        ):
            column.addWidget(label(text, "dim", wrap=True))
        column.addSpacing(8)
        column.addWidget(label(self.tr("Devices and cameras"), "strong"))
        column.addWidget(self.devices_only)
        self._add_explanation(
            column,
            self.tr(
                "On all other computers, and for other programs without the token of a device, face login "
                "is refused. Passwords work everywhere."
            ),
        )
        column.addWidget(self.refuse_virtual)
        self._add_explanation(
            column,
            self.tr(
                "Programs such as OBS or ManyCam play videos as if they came from a camera. They are "
                "recognized by name where the system gives one (Linux). The login page then offers no photo "
                "files. Anyone who controls the computer can hide a virtual camera."
            ),
        )

    def _add_explanation(self, column: QVBoxLayout, text: str) -> None:
        explanation = label(text, "dim", wrap=True)
        explanation.setContentsMargins(_INDENT_PX, 0, 0, 0)
        column.addWidget(explanation)

    def show_policy(self, policy: FacePolicy) -> None:
        """Show `policy`."""
        self._policy = policy
        self.switch.setChecked(policy.login_enabled)
        self.photo_risk.setChecked(bool(policy.photo_risk_accepted))
        self.admins.set_value(policy.challenge_admins or "off")
        self.other_users.set_value(policy.challenge_others or "off")
        self.devices_only.setChecked(bool(policy.allowed_devices_only))
        self.refuse_virtual.setChecked(bool(policy.refuse_virtual_cameras))

    def _policy_with(self, **changes: object) -> FacePolicy:
        """The change to send; settings that are not named are not changed by the service."""
        return FacePolicy.model_validate({"login_enabled": self._policy.login_enabled, **changes})

    def _save(self, change: FacePolicy) -> None:
        self.setEnabled(False)
        run_guarded(
            self._context,
            partial(self._context.session.faces.change_policy, change),
            owner=self,
            done=self._on_saved,
            failed=self._on_save_failed,
        )

    def _on_saved(self, policy: FacePolicy) -> None:
        was_enabled = self._policy.login_enabled
        self.setEnabled(True)
        self.show_policy(policy)
        if policy.login_enabled == was_enabled:
            self.toast.emit(self.tr("Face login policy saved."))
        elif policy.login_enabled:
            self.toast.emit(self.tr("Face login enabled."))
        else:
            self.toast.emit(self.tr("Face login disabled."))
        self.changed.emit(policy)

    def _on_save_failed(self, error: Exception) -> None:
        self.setEnabled(True)
        self.show_policy(self._policy)
        self.toast.emit(sentence(error))


class ModelsCard(Card):
    """Lists the models: what they are for, their licences, and the command that gets a model."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = QGridLayout()
        self._rows.setHorizontalSpacing(24)
        self._rows.setVerticalSpacing(12)
        self._rows.setColumnStretch(1, 1)
        column = column_of(
            label(self.tr("Face models"), "item"), parent=self, margins=(24, 20, 24, 20), spacing=12
        )
        text = self.tr(
            "A model is chosen on the service's computer by “walkaround face use NAME”, from the next start "
            "on. All users must then enrol again. A liveness check works with every model once installed."
        )
        column.addWidget(label(text, "dim", wrap=True))
        column.addLayout(self._rows)

    def show_models(self, models: Sequence[FaceModel]) -> None:
        """Show `models`; those of one engine that are offered and allow the same share a row."""
        clear_layout(self._rows)
        groups: dict[tuple[str, ...], list[FaceModel]] = {}
        for model in models:
            is_alike = model.state == "offered" and model.research_only
            key = (model.engine, model.licence) if is_alike else (model.name,)
            groups.setdefault(key, []).append(model)
        for row, group in enumerate(groups.values()):
            cell = QWidget()
            lines = QVBoxLayout(cell)
            lines.setContentsMargins(0, 0, 0, 0)
            lines.setSpacing(2)
            lines.addWidget(label(", ".join(model.name for model in group), "strong", wrap=True))
            for text in self._describe(group[0]):
                lines.addWidget(label(text, "small", wrap=True))
            state = label(self._state(group[0]), "dim")
            self._rows.addWidget(state, row, 0, Qt.AlignmentFlag.AlignTop)
            self._rows.addWidget(cell, row, 1)

    def _state(self, model: FaceModel) -> str:
        match model.state:
            case "in_use":
                return self.tr("In use")
            case "installed":
                return self.tr("Installed")
            case "missing":
                return self.tr("Missing")
            case "offered":
                return self.tr("Available")

    def _describe(self, model: FaceModel) -> list[str]:
        if model.state == "missing":
            lines = [self.tr("Chosen, but not installed: face login does not work.")]
            return [*lines, self._how(model)] if model.how else lines
        return [
            self.tr("Non-commercial research only: a login at work is not allowed.")
            if model.research_only
            else self.tr("May be used at work."),
            self.tr("A liveness check for every model")
            if model.engine == "liveness"
            else self.tr("With a liveness check")
            if model.checks_liveness
            else self.tr("Without a liveness check: a photo on a phone can log in"),
            self.tr("Licence: {name}").format(name=model.licence),
            *([self._how(model)] if model.how else []),
        ]

    def _how(self, model: FaceModel) -> str:
        return self.tr("To get it: {command}").format(command=model.how)


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
