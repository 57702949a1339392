"""Edits the policy of face login and explains the consequences of each choice."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QVBoxLayout, QWidget

from desktop.context import Context
from desktop.messages.error_messages import sentence
from desktop.pages.common.forms.password_prompt import run_guarded
from desktop.pages.people.face_policy.terms import challenge_choices
from desktop.widgets import Card, Combo, label
from shared.wire.face import FacePolicy

_INDENT_PX = 26
"""The indent of a text below a check box in px, which aligns it with the text of the check box."""


class PolicyCard(Card):
    """Shows the policy. A change is saved immediately, for all users."""

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
                "Off by default: in films of eleven people on whom it was not tuned, it refused 6 of 62 right "
                "movements with an open model and 3 with dlib. Users who are refused can use their password."
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
