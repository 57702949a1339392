"""Defines the forms of the login card: password login and first administrator."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from desktop.background.workers import run
from desktop.client import Session
from desktop.client.http.errors import Conflict, Invalid, Refused, TooMany
from desktop.messages.error_messages import field_sentence, seconds_sentence, sentence
from desktop.pages.common.forms.password_strength import StrengthLine, follows_rules
from desktop.pages.login.status_widgets import Countdown
from desktop.widgets import (
    Button,
    ButtonKind,
    ErrorLine,
    Field,
    PasswordField,
    move_toggles_after,
    row_of,
)
from shared.wire.account import Payload


def _large(field: Field) -> Field:
    field.editor.setProperty("large", True)
    return field


class PasswordForm(QWidget):
    """The fields for username and password. They keep their texts until the login succeeds."""

    logged_in = Signal(object)
    """The `Payload` of the logged-in user."""

    def __init__(self, session: Session, user_name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._countdown = Countdown(self)
        self._countdown.counted.connect(self._on_counted)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.user_name = _large(Field(self.tr("Username")))
        self.user_name.set_text(user_name)
        self.password = PasswordField(self.tr("Password"))
        _large(self.password)
        self.button = Button(self.tr("Log in"), kind=ButtonKind.MAIN, large=True)
        self.button.clicked.connect(lambda _checked=False: self.submit())
        column.addWidget(self.user_name)
        column.addSpacing(12)
        column.addWidget(self.password)
        column.addSpacing(16)
        column.addWidget(self.button)
        move_toggles_after(self.button, self.password)
        for field, action in ((self.user_name, self.password.setFocus), (self.password, self.submit)):
            assert isinstance(field.editor, QLineEdit)
            field.editor.returnPressed.connect(action)

    def begin(self) -> None:
        """Set the focus to the first empty field."""
        (self.password if self.user_name.text() else self.user_name).setFocus()

    def submit(self) -> None:
        """Log in with the entered username and password."""
        if not self.button.isEnabled():
            return
        for field, text in (
            (self.user_name, self.tr("Enter your username.")),
            (self.password, self.tr("Enter your password.")),
        ):
            if not field.text():
                field.set_error(text)
                field.setFocus()
                return
        self.password.set_error("")
        self._set_busy(True)
        login = self._session.account.login
        run(
            login,
            self.user_name.text(),
            self.password.text(),
            owner=self,
            done=self._on_logged_in,
            failed=self._on_failed,
        )

    def _set_busy(self, busy: bool) -> None:
        self.button.setEnabled(not busy)
        self.button.setText(self.tr("Logging in…") if busy else self.tr("Log in"))

    def _on_logged_in(self, payload: Payload) -> None:
        self._set_busy(False)
        self.password.clear()
        self.logged_in.emit(payload)

    def _on_failed(self, error: Exception) -> None:
        self._set_busy(False)
        if isinstance(error, TooMany):
            self._countdown.start(round(error.retry_after))
        else:
            self.password.set_error(sentence(error))
        if isinstance(error, Refused) and isinstance(self.password.editor, QLineEdit):
            self.password.setFocus()
            self.password.editor.selectAll()

    def _on_counted(self, seconds: int) -> None:
        self.button.setEnabled(not seconds)
        self.password.set_error(seconds_sentence(seconds) if seconds else "")


class FirstRunForm(QWidget):
    """Creates the first administrator of a service without users."""

    logged_in = Signal(object)
    """The `Payload` of the new administrator."""
    user_exists = Signal()
    """The first user was created elsewhere in the meantime, so that a login is needed."""
    back = Signal()
    """The user wants to choose the service again."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.user_name = Field(self.tr("Username"))
        self.name = Field(self.tr("Full name (optional)"))
        self.password = PasswordField(self.tr("Password"))
        self.confirmation = PasswordField(self.tr("Confirm password"))
        self.strength = StrengthLine()
        self.error = ErrorLine()
        self.button = Button(self.tr("Create account and log in"), kind=ButtonKind.MAIN, large=True)
        self.button.clicked.connect(lambda _checked=False: self.submit())
        self.back_button = Button(self.tr("Back"), large=True)
        self.back_button.clicked.connect(lambda _checked=False: self.back.emit())
        buttons = QWidget()
        row_of(self.back_button, (self.button, 1), parent=buttons, margins=0, spacing=8)
        for widget, gap in (
            (self.user_name, 10),
            (self.name, 10),
            (self.password, 6),
            (self.strength, 10),
            (self.confirmation, 14),
            (buttons, 8),
            (self.error, 0),
        ):
            column.addWidget(widget)
            column.addSpacing(gap)
        move_toggles_after(self.button, self.password, self.confirmation)
        self.password.changed.connect(lambda: self.strength.show_password(self.password.text()))
        fields = (self.user_name, self.name, self.password, self.confirmation)
        for index, field in enumerate(fields):
            assert isinstance(field.editor, QLineEdit)
            last = index == len(fields) - 1
            field.editor.returnPressed.connect(self.submit if last else fields[index + 1].setFocus)

    def begin(self) -> None:
        """Set the focus to the first field."""
        self.user_name.setFocus()

    def submit(self) -> None:
        """Create the administrator with the entered data."""
        if not self.button.isEnabled() or not self._check_fields():
            return
        self.error.setText("")
        self.button.setEnabled(False)
        run(
            self._session.account.first_run,
            self.user_name.text(),
            self.password.text(),
            self.name.text().strip() or None,
            owner=self,
            done=self._on_admin_created,
            failed=self._on_failed,
        )

    def _check_fields(self) -> bool:
        rules = self.tr("Enter a password that meets the rules below.")
        for field, is_wrong, text in (
            (self.user_name, not self.user_name.text().strip(), self.tr("Enter a username.")),
            (self.password, not follows_rules(self.password.text(), self.user_name.text()), rules),
            (
                self.confirmation,
                self.confirmation.text() != self.password.text(),
                self.tr("The passwords do not match. Enter them again."),
            ),
        ):
            field.set_error(text if is_wrong else "")
            if is_wrong:
                field.setFocus()
                return False
        return True

    def _on_admin_created(self, payload: Payload) -> None:
        self.button.setEnabled(True)
        for field in (self.password, self.confirmation):
            field.clear()
        self.strength.show_password("")
        self.logged_in.emit(payload)

    def _on_failed(self, error: Exception) -> None:
        self.button.setEnabled(True)
        fields = {"username": self.user_name, "password": self.password, "name": self.name}
        if isinstance(error, Invalid):
            faults = {name: field_sentence(error, name) for name in fields}
            for name, text in faults.items():
                fields[name].set_error(text)
            if any(faults.values()):
                return
        self.error.setText(sentence(error))
        if isinstance(error, Conflict):
            self.user_exists.emit()
