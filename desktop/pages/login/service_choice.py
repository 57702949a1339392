"""Asks which service to use, the local one or one on the network, and checks it.

Asks for the language and the service on the first run, before the first administrator is created.

Asks whether to trust a server whose certificate is unknown to this computer or has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from urllib.parse import urlsplit

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QLineEdit,
    QRadioButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop.background.workers import run
from desktop.client import Session
from desktop.client.http.address import is_local, server_key
from desktop.client.http.errors import Unreachable, Untrusted
from desktop.client.http.trust import add_fingerprint, is_plain_answer
from desktop.localization.language import LANGUAGES
from desktop.messages.error_messages import sentence
from desktop.preferences import Preferences
from desktop.widgets import Button, ButtonKind, Dialog, Field, column_of, is_enter_key, label, row_of
from desktop.widgets.dialogs import Confirm

_PAIRS_PER_LINE = 16


def trust(preferences: Preferences, url: str, fingerprint: str) -> None:
    """Store the fingerprint as the trusted one of the server at `url`."""
    trusted = preferences.values.certificates
    preferences.change(certificates={**trusted, server_key(url): fingerprint})


def format_fingerprint(fingerprint: str) -> str:
    """Format a fingerprint in lines of sixteen bytes, which people can compare."""
    pairs = fingerprint.split(":")
    starts = range(0, len(pairs), _PAIRS_PER_LINE)
    return "\n".join(":".join(pairs[start : start + _PAIRS_PER_LINE]) for start in starts)


class TrustDialog(Confirm):
    """Shows the fingerprint of a server and explains how to compare it. The default is not to trust it.

    To trust a server whose key has changed, the user must also tick a box.
    """

    def __init__(self, url: str, untrusted: Untrusted, parent: QWidget | None = None) -> None:
        # The texts are set below, because translating them needs the dialog.
        super().__init__(parent, "", "", "", danger=untrusted.trusted is not None)
        # Nobody may trust a server by Enter before the fingerprints are compared.
        self._enter_confirms = False
        server = server_key(url)
        if untrusted.trusted is None:
            self._set_texts(
                self.tr("Trust server {server}?").format(server=server),
                self.tr(
                    "This computer does not know the certificate of this server. Ask an administrator for "
                    "the fingerprint: “walkaround tls” shows it on the server. Trust the server only if both "
                    "are the same."
                ),
                self.tr("Trust server"),
            )
            self._show_fingerprint(self.tr("Fingerprint (SHA-256)"), untrusted.found or "")
            return
        self._set_texts(
            self.tr("Certificate of {server} has changed").format(server=server),
            self.tr(
                "Someone may be intercepting the connection, or an administrator has replaced the "
                "certificate. Ask an administrator for the new fingerprint: “walkaround tls” shows it on the "
                "server."
            ),
            self.tr("Trust new certificate"),
        )
        self._show_fingerprint(self.tr("Trusted fingerprint"), untrusted.trusted)
        self._show_fingerprint(self.tr("New fingerprint"), untrusted.found or "")
        self.compared = QCheckBox(self.tr("The new fingerprint is the one on the server."))
        self.compared.toggled.connect(self.confirm_button.setEnabled)
        self.confirm_button.setEnabled(False)
        self.body.addSpacing(8)
        self.body.addWidget(self.compared)

    def _set_texts(self, title: str, text: str, verb: str) -> None:
        self.setWindowTitle(title)
        self.heading.setText(title)
        self.text.setText(text)
        self.confirm_button.setText(verb)

    def _show_fingerprint(self, name: str, fingerprint: str) -> None:
        self.body.addSpacing(8)
        self.body.addWidget(label(name, "label"))
        text_label = label(format_fingerprint(fingerprint))
        text_label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        text_label.setAccessibleName(name)
        self.body.addWidget(text_label)


def server_address(text: str) -> str | None:
    """Convert a typed text to an address of scheme, host and port; None when it is not an address.

    The default scheme is https, for this computer http.
    """
    text = text.strip()
    try:
        if "://" not in text:
            text = f"{'http' if is_local(f'//{text}') else 'https'}://{text}"
        parts = urlsplit(text)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username is not None:
        return None
    if any(character.isspace() for character in parts.hostname):
        return None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{port}"


def _check_service(url: str, fingerprint: str | None) -> str:
    """Check that a Walkaround service answers at `url`. Returns `url`.

    Raises ClientError, for an untrusted server Untrusted with its fingerprint.
    """
    session = Session(url, fingerprint=fingerprint, patience=0.0)
    try:
        session.account.first_run_needed()
    except Untrusted as error:
        raise add_fingerprint(error, url) from error
    finally:
        session.close()
    return url


class ServiceChoice(QWidget):
    """The choice of this computer or of the address of a server, which is checked first."""

    chosen = Signal(str)
    """The address, or an empty string for the local service."""
    busy = Signal(bool)
    """True when the check of an address begins, False when it ends."""

    def __init__(self, server_url: str, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._preferences = preferences
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        self.local_service = QRadioButton(self.tr("On this computer"))
        self.network_server = QRadioButton(self.tr("Shared server"))
        group = QButtonGroup(self)
        group.addButton(self.local_service)
        group.addButton(self.network_server)
        column.addWidget(self.local_service)
        column.addWidget(self.network_server)
        self.address = Field(self.tr("Server address"), placeholder="https://walkaround.example.com")
        self.address.set_text(server_url)
        self.address.changed.connect(self._update_warning)
        assert isinstance(self.address.editor, QLineEdit)
        self.address.editor.returnPressed.connect(self.submit)
        column.addWidget(self.address)
        self._warning_label = label("", "small", wrap=True)
        column.addWidget(self._warning_label)
        (self.network_server if server_url else self.local_service).setChecked(True)
        group.buttonToggled.connect(lambda *_: self._on_switched())
        self._is_trying = False
        self._on_switched()

    def restore(self, address: str) -> None:
        """Restore an address that was typed before."""
        self.address.set_text(address)
        self.network_server.setChecked(True)

    def begin(self) -> None:
        """Set the focus to the selected choice."""
        (self.network_server if self.network_server.isChecked() else self.local_service).setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_enter_key(event):
            self.submit()
        else:
            super().keyPressEvent(event)

    def submit(self) -> None:
        """Emit `chosen` for the selected service. An address is checked first."""
        if self._is_trying:
            return
        if self.local_service.isChecked():
            self._on_chosen("")
            return
        url = server_address(self.address.text())
        if url is None:
            self.address.set_error(self.tr("Enter a valid address, for example https://name or name:port."))
            return
        self._try(url, self._on_failed)

    def _on_switched(self) -> None:
        self.address.setEnabled(self.network_server.isChecked())
        self._update_warning()
        if self.network_server.isChecked():
            self.address.setFocus()

    def _update_warning(self) -> None:
        url = server_address(self.address.text()) if self.network_server.isChecked() else None
        is_unencrypted = url is not None and url.startswith("http://") and not is_local(url)
        self._warning_label.setText(
            self.tr("Without HTTPS, passwords and images can be intercepted.") if is_unencrypted else ""
        )

    def _try(self, url: str, failed: Callable[[str, Exception], None]) -> None:
        self._set_busy(True)
        trusted = self._preferences.values.certificates.get(server_key(url))
        run(_check_service, url, trusted, owner=self, done=self._on_chosen, failed=partial(failed, url))

    def _set_busy(self, busy: bool) -> None:
        self._is_trying = busy
        self.busy.emit(busy)

    def _on_chosen(self, url: str) -> None:
        self._set_busy(False)
        self.chosen.emit(url)

    def _on_failed(self, url: str, error: Exception) -> None:
        scheme, _, server = url.partition("://")
        if scheme == "http" and isinstance(error, Unreachable):
            # The service may use TLS now.
            self._try(f"https://{server}", partial(self._on_https_failed, error))
        else:
            self._show_failure(url, error)

    def _on_https_failed(self, http_error: Exception, url: str, error: Exception) -> None:
        """Show the error of the typed address, or ask for trust if there is an untrusted server with TLS."""
        if isinstance(error, Untrusted):
            self.address.set_text(url)
            self._show_failure(url, error)
        else:
            self._show_failure(url, http_error)

    def _show_failure(self, url: str, error: Exception) -> None:
        self._set_busy(False)
        if is_plain_answer(error):
            self.address.set_error(
                self.tr(
                    "This server does not use HTTPS. Check the port, or enter an address that begins with "
                    "http://."
                )
            )
            return
        self.address.set_error(sentence(error))
        if isinstance(error, Untrusted):
            dialog = TrustDialog(url, error, self)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.accepted.connect(partial(self._trust, url, error.found or ""))
            dialog.open()

    def _trust(self, url: str, fingerprint: str) -> None:
        trust(self._preferences, url, fingerprint)
        self.address.set_error("")
        self.submit()


class ServerDialog(Dialog):
    """Asks which service to use, and checks it before it emits `chosen`."""

    chosen = Signal(str)
    """The address, or an empty string for the local service."""

    def __init__(self, server_url: str, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Change server"))
        self.setMinimumWidth(440)
        self.choice = ServiceChoice(server_url, preferences)
        self.local_service, self.network_server = self.choice.local_service, self.choice.network_server
        self.address = self.choice.address
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 20)
        column.setSpacing(12)
        column.addWidget(label(self.tr("Change server"), "item"))
        column.addWidget(self.choice)
        column.addSpacing(8)
        row = row_of(1, spacing=8)
        cancel = Button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        self.use = Button(self.tr("Connect"), kind=ButtonKind.MAIN)
        self.use.clicked.connect(lambda _checked=False: self.choice.submit())
        self.use.setDefault(True)
        row.addWidget(cancel)
        row.addWidget(self.use)
        column.addLayout(row)
        self.choice.busy.connect(self._set_busy)
        self.choice.chosen.connect(self._on_chosen)

    def _set_busy(self, busy: bool) -> None:
        self.use.setEnabled(not busy)
        self.use.setText(self.tr("Connecting…") if busy else self.tr("Connect"))

    def _on_chosen(self, url: str) -> None:
        self.chosen.emit(url)
        self.accept()


class Step(StrEnum):
    """The steps of the first run before the account."""

    LANGUAGE = "language"
    SERVICE = "service"


class SetupSteps(QWidget):
    """Shows one step at a time. Each step keeps its inputs."""

    language_chosen = Signal(str)
    """The code of a language."""
    server_chosen = Signal(str)
    """The address of the checked service, or an empty string for the local one."""
    back = Signal()
    """The user wants the previous step."""

    def __init__(
        self, language: str, server_url: str, preferences: Preferences, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.step = Step.LANGUAGE
        """The visible step."""
        self.languages: dict[str, Button] = {}
        self.choice = ServiceChoice(server_url, preferences)
        self.proceed = Button(self.tr("Continue"), kind=ButtonKind.MAIN, large=True)
        self.back_button = Button(self.tr("Back"), large=True)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._language_step(language))
        self._stack.addWidget(self._service_step())
        column_of(self._stack, parent=self, margins=0)
        self.proceed.clicked.connect(lambda _checked=False: self.choice.submit())
        self.back_button.clicked.connect(lambda _checked=False: self.back.emit())
        self.choice.chosen.connect(self.server_chosen)
        self.choice.busy.connect(self._set_busy)

    def _language_step(self, language: str) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        for code, name in LANGUAGES.items():
            kind = ButtonKind.MAIN if code == language else ButtonKind.PLAIN
            button = Button(name, kind=kind, large=True)
            button.clicked.connect(lambda _checked=False, it=code: self.language_chosen.emit(it))
            column.addWidget(button)
            self.languages[code] = button
        column.addStretch(1)
        return page

    def _service_step(self) -> QWidget:
        page = QWidget()
        column = column_of(self.choice, parent=page, margins=0, spacing=12)
        row = row_of(self.back_button, (self.proceed, 1), spacing=8)
        column.addLayout(row)
        column.addStretch(1)
        return page

    def show_step(self, step: Step) -> None:
        """Show a step."""
        self.step = step
        self._stack.setCurrentIndex(list(Step).index(step))

    def begin(self, language: str) -> None:
        """Set the focus to the first input of the step. `language` is the present one."""
        if self.step is Step.SERVICE:
            self.choice.begin()
        elif language in self.languages:
            self.languages[language].setFocus()

    def _set_busy(self, busy: bool) -> None:
        self.proceed.setEnabled(not busy)
        self.proceed.setText(self.tr("Connecting…") if busy else self.tr("Continue"))
