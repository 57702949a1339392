"""Edits the user's profile: name, contact and department; changes the password."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QLineEdit, QWidget

from desktop.background.workers import run
from desktop.client import Session
from desktop.client.http.errors import Invalid, Refused, TooMany
from desktop.messages.error_messages import field_sentence, sentence
from desktop.pages.common.forms.passwords import follows_rules, rules_label
from desktop.widgets import (
    Button,
    ButtonKind,
    Card,
    Combo,
    ErrorLine,
    Field,
    PasswordField,
    column_of,
    label,
    move_toggles_after,
    row_of,
)
from shared.wire.account import Payload, User


class PasswordCard(Card):
    """Fields for the current and the new password, which are cleared only after a successful change."""

    changed = Signal()
    """The password was changed."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.user_name = ""
        self.current = PasswordField(self.tr("Current password"))
        self.new = PasswordField(self.tr("New password"))
        self.confirmation = PasswordField(self.tr("Confirm new password"))
        self.save = Button(self.tr("Change password"))
        self.save.clicked.connect(lambda _checked=False: self.submit())
        self.error = ErrorLine()
        column = column_of(
            label(self.tr("Password"), "item"), parent=self, margins=(24, 20, 24, 20), spacing=12
        )
        text = self.tr("Changing the password logs you out on other computers.")
        column.addWidget(label(text, "dim", wrap=True))
        for widget in (self.current, self.new, rules_label(), self.confirmation, self.error):
            column.addWidget(widget)
        row = row_of(1, self.save)
        column.addLayout(row)
        move_toggles_after(self.save, self.current, self.new, self.confirmation)
        for field, after in (
            (self.current, self.new.setFocus),
            (self.new, self.confirmation.setFocus),
            (self.confirmation, self.submit),
        ):
            assert isinstance(field.editor, QLineEdit)
            field.editor.returnPressed.connect(after)

    @property
    def has_changes(self) -> bool:
        """Whether a new password was typed."""
        return bool(self.new.text() or self.confirmation.text())

    def clear(self) -> None:
        """Clear the fields."""
        for field in (self.current, self.new, self.confirmation):
            field.clear()
            field.set_error("")
        self.error.setText("")

    def submit(self) -> None:
        """Change the password to the typed one."""
        if not self.save.isEnabled() or not self._check_fields():
            return
        self.error.setText("")
        self.save.setEnabled(False)
        change = self._session.account.update_password
        run(change, self.current.text(), self.new.text(), owner=self, done=self._done, failed=self._on_failed)

    def _check_fields(self) -> bool:
        rules = self.tr("Enter a password that meets the rules below.")
        for field, is_invalid, text in (
            (self.current, not self.current.text(), self.tr("Enter your current password.")),
            (self.new, not follows_rules(self.new.text(), self.user_name), rules),
            (
                self.confirmation,
                self.confirmation.text() != self.new.text(),
                self.tr("The passwords do not match. Enter them again."),
            ),
        ):
            field.set_error(text if is_invalid else "")
            if is_invalid:
                field.setFocus()
                return False
        return True

    def _done(self, _result: None) -> None:
        self.save.setEnabled(True)
        self.clear()
        self.changed.emit()

    def _on_failed(self, error: Exception) -> None:
        self.save.setEnabled(True)
        if isinstance(error, Refused | TooMany):
            self.current.set_error(sentence(error))
            self.current.setFocus()
        elif isinstance(error, Invalid) and field_sentence(error, "newPassword"):
            self.new.set_error(field_sentence(error, "newPassword"))
            self.new.setFocus()
        else:
            self.error.setText(sentence(error))


_TEXT_FIELDS = ("name", "email", "phone", "department")
_MAX_YEARS = 80


class ProfileCard(Card):
    """The fields of the profile. Typed values are kept until the service has saved them."""

    saved = Signal(object)
    """The new `Payload` after a save."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._user: User | None = None
        self.fields: dict[str, Field] = {
            "name": Field(self.tr("Full name")),
            "email": Field(self.tr("Email"), placeholder="name@example.com"),
            "phone": Field(self.tr("Phone")),
            "department": Field(self.tr("Department")),
            "gender": Field(self.tr("Gender"), Combo(self.tr("Gender"))),
            "work_years": Field(self.tr("Years of service")),
        }
        self.error = ErrorLine()
        self.save = Button(self.tr("Save profile"), kind=ButtonKind.MAIN)
        self.save.clicked.connect(lambda _checked=False: self.submit())
        self._build()
        for field in self.fields.values():
            field.changed.connect(self._update)

    def _build(self) -> None:
        column = column_of(
            label(self.tr("Profile"), "item"), parent=self, margins=(24, 20, 24, 20), spacing=16
        )
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(12)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        grid.addWidget(self.fields["name"], 0, 0, 1, 2)
        grid.addWidget(self.fields["email"], 1, 0, 1, 2)
        grid.addWidget(self.fields["phone"], 2, 0)
        grid.addWidget(self.fields["department"], 2, 1)
        grid.addWidget(self.fields["gender"], 3, 0)
        grid.addWidget(self.fields["work_years"], 3, 1)
        column.addLayout(grid)
        column.addWidget(self.error)
        row = row_of(1, self.save)
        column.addLayout(row)

    def show_user(self, user: User) -> None:
        """Show the profile of `user` and discard unsaved values."""
        self._user = user
        for name in _TEXT_FIELDS:
            self.fields[name].set_text(getattr(user, name) or "")
        years = "" if user.work_years is None else str(user.work_years)
        self.fields["work_years"].set_text(years)
        choices: list[tuple[object, str]] = [
            (None, self.tr("Not specified")),
            ("female", self.tr("Female")),
            ("male", self.tr("Male")),
            ("other", self.tr("Other")),
        ]
        if user.gender not in [value for value, _ in choices]:
            # Another program may have stored another value, which is kept.
            choices.append((user.gender, str(user.gender)))
        combo = self._gender()
        combo.set_choices(choices)
        combo.set_value(user.gender)
        for field in self.fields.values():
            field.set_error("")
        self.error.setText("")
        self._update()

    def changes(self) -> dict[str, Any]:
        """The values that differ from the stored profile. Raises ValueError for invalid years."""
        user = self._user
        if user is None:
            return {}
        typed_values: dict[str, Any] = {
            name: self.fields[name].text().strip() or None for name in _TEXT_FIELDS
        }
        typed_values["gender"] = self._gender().value()
        typed_values["work_years"] = _parse_years(self.fields["work_years"].text())
        return {name: value for name, value in typed_values.items() if value != getattr(user, name)}

    @property
    def has_changes(self) -> bool:
        """Whether a typed value differs from the stored profile."""
        try:
            return bool(self.changes())
        except ValueError:
            return True

    def typed_values(self) -> dict[str, Any]:
        """The typed values, for `restore`."""
        return {
            "gender": self._gender().value(),
            **{n: f.text() for n, f in self.fields.items() if n != "gender"},
        }

    def restore(self, typed_values: Mapping[str, Any]) -> None:
        """Restore the result of `typed_values`."""
        for name, value in typed_values.items():
            if name == "gender":
                self._gender().set_value(value)
            elif name in self.fields:
                self.fields[name].set_text(str(value))
        self._update()

    def submit(self) -> None:
        """Save the changed values."""
        if not self.save.isEnabled():
            return
        try:
            changes = self.changes()
        except ValueError:
            self.fields["work_years"].set_error(self.tr("Enter a whole number from 0 to 80."))
            self.fields["work_years"].setFocus()
            return
        self.error.setText("")
        self.save.setEnabled(False)
        self.save.setText(self.tr("Saving…"))
        run(_save, self._session, changes, owner=self, done=self._on_saved, failed=self._on_failed)

    def _gender(self) -> Combo:
        combo = self.fields["gender"].editor
        assert isinstance(combo, Combo)
        return combo

    def _update(self) -> None:
        self.save.setText(self.tr("Save profile"))
        self.save.setEnabled(self.has_changes)

    def _on_saved(self, payload: Payload) -> None:
        # Values that were typed while the request was running are kept.
        typed_values = self.typed_values()
        self.show_user(payload.user)
        self.restore(typed_values)
        self.saved.emit(payload)

    def _on_failed(self, error: Exception) -> None:
        self._update()
        if isinstance(error, Refused) and isinstance(error.data, str):
            field = self.fields.get(re.split("[：:]", error.data, maxsplit=1)[0])
            if field is not None:
                field.set_error(sentence(error))
                field.setFocus()
                return
        self.error.setText(sentence(error))


def _parse_years(text: str) -> int | None:
    """Parse the years of service; None for an empty text. Raises ValueError unless they are 0..80."""
    if not text.strip():
        return None
    years = int(text.strip())
    if not 0 <= years <= _MAX_YEARS:
        raise ValueError("out of range")
    return years


def _save(session: Session, changes: Mapping[str, Any]) -> Payload:
    session.account.update_info(changes)
    return session.account.me()
