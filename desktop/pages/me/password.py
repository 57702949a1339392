"""Changes the user's password."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.background.workers import run
from desktop.client import Session
from desktop.client.http.errors import Invalid, Refused, TooMany
from desktop.messages.error_messages import field_sentence, sentence
from desktop.pages.common.forms.password_strength import StrengthLine, follows_rules
from desktop.widgets import Button, Card, PasswordField, column_of, label, move_toggles_after, row_of


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
        self.strength = StrengthLine()
        self.save = Button(self.tr("Change password"))
        self.save.clicked.connect(lambda _checked=False: self.submit())
        self._error = label("", "error", wrap=True)
        self._error.hide()
        column = column_of(
            label(self.tr("Password"), "item"), parent=self, margins=(24, 20, 24, 20), spacing=12
        )
        text = self.tr("Changing the password logs you out on other computers.")
        column.addWidget(label(text, "dim", wrap=True))
        for widget in (self.current, self.new, self.strength, self.confirmation, self._error):
            column.addWidget(widget)
        row = row_of(1, self.save)
        column.addLayout(row)
        move_toggles_after(self.save, self.current, self.new, self.confirmation)
        self.new.changed.connect(lambda: self.strength.show_password(self.new.text()))
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

    def error(self) -> str:
        """The error that is not about a field."""
        return self._error.text()

    def clear(self) -> None:
        """Clear the fields."""
        for field in (self.current, self.new, self.confirmation):
            field.clear()
            field.set_error("")
        self.strength.show_password("")
        self._show_error("")

    def submit(self) -> None:
        """Change the password to the typed one."""
        if not self.save.isEnabled() or not self._check_fields():
            return
        self._show_error("")
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
            self._show_error(sentence(error))

    def _show_error(self, text: str) -> None:
        self._error.setText(text)
        self._error.setVisible(bool(text))
