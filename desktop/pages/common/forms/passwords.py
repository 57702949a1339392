"""Asks for the user's password when the service requires a recent login, then repeats the call.

Checks a new password's rules.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from desktop.background.workers import run
from desktop.client.http.errors import Forbidden
from desktop.context import Context
from desktop.messages.error_messages import sentence
from desktop.widgets import Button, ButtonKind, Dialog, PasswordField, column_of, label, row_of
from shared.record.codes import ErrorCode
from shared.wire.account import Payload

T = TypeVar("T")


class PasswordPrompt(Dialog):
    """Asks for the user's password and logs in with it through the session."""

    logged_in = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.setWindowTitle(self.tr("Confirm password"))
        self.setModal(True)
        self.setMinimumWidth(400)
        self.password = PasswordField(self.tr("Password"))
        self.go = Button(self.tr("Continue"), kind=ButtonKind.MAIN)
        self.cancel = Button(self.tr("Cancel"))
        column = column_of(
            label(self.tr("Confirm password"), "item"), parent=self, margins=(24, 20, 24, 20), spacing=12
        )
        text = self.tr(
            "This change requires a password login within the last ten minutes. Your entries are kept."
        )
        column.addWidget(label(text, "dim", wrap=True))
        column.addWidget(self.password)
        row = row_of(1, self.cancel, self.go)
        column.addSpacing(4)
        column.addLayout(row)
        self.cancel.clicked.connect(self.reject)
        self.go.clicked.connect(self.submit)
        assert isinstance(self.password.editor, QLineEdit)
        self.password.editor.returnPressed.connect(self.submit)
        self.password.setFocus()

    def submit(self) -> None:
        """Log in with the typed password."""
        payload = self._context.payload
        if payload is None or not self.go.isEnabled():
            return
        if not self.password.text():
            self.password.set_error(self.tr("Enter your password."))
            return
        self.go.setEnabled(False)
        account = self._context.session.account
        run(
            account.login_again,
            payload.user.username,
            self.password.text(),
            owner=self,
            done=self._done,
            failed=self._on_failed,
        )

    def _done(self, _payload: Payload) -> None:
        self.password.clear()
        self.accept()
        self.logged_in.emit()

    def _on_failed(self, error: Exception) -> None:
        self.go.setEnabled(True)
        self.password.set_error(sentence(error))
        self.password.setFocus()


def ask_password(
    context: Context, error: Exception, *, owner: QWidget, on_logged_in: Callable[[], object]
) -> PasswordPrompt | None:
    """Ask for the password if `error` says that the service requires a recent password login.

    `on_logged_in` is called after the login. Returns the open dialog, or None for any other error.
    """
    if not (isinstance(error, Forbidden) and error.code == ErrorCode.PASSWORD_LOGIN_NEEDED):
        return None
    dialog = PasswordPrompt(context, owner)
    dialog.logged_in.connect(on_logged_in)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
    return dialog


def run_guarded(
    context: Context,
    function: Callable[[], T],
    *,
    owner: QWidget,
    done: Callable[[T], object],
    failed: Callable[[Exception], object],
) -> None:
    """Run `function` in a worker thread as `workers.run` does.

    If the service requires a recent password login, the user is asked for the password and `function` runs
    again. If the user cancels, `failed` gets the error of the service.
    """

    def run_again() -> None:
        run(function, owner=owner, done=done, failed=failed)

    def handle_failure(error: Exception) -> None:
        dialog = ask_password(context, error, owner=owner, on_logged_in=run_again)
        if dialog is None:
            failed(error)
        else:
            dialog.rejected.connect(lambda: failed(error))

    run(function, owner=owner, done=done, failed=handle_failure)


MIN_LENGTH, MAX_LENGTH = 8, 128


def follows_rules(password: str, username: str) -> bool:
    """Whether a password has an allowed length and differs from the username.

    Only the service checks whether it is a common password.
    """
    text = unicodedata.normalize("NFKC", password)
    is_username = text.casefold() == unicodedata.normalize("NFKC", username).strip().casefold()
    return MIN_LENGTH <= len(text) <= MAX_LENGTH and not is_username


def rules_label() -> QLabel:
    """A line with the rules of the service for a new password."""
    text = QCoreApplication.translate(
        "Passwords", "8 to 128 characters, not the username, not a common password."
    )
    return label(text, "small", wrap=True)
