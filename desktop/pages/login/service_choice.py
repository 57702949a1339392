"""Asks which service to use, the local one or one on the network, and checks it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QLineEdit, QRadioButton, QVBoxLayout, QWidget

from desktop.background.workers import run
from desktop.client import Session
from desktop.client.http.address import LOOPBACK, is_local, server_key
from desktop.client.http.errors import Unreachable, Untrusted
from desktop.client.http.trust import add_fingerprint, is_plain_answer
from desktop.messages.error_messages import sentence
from desktop.pages.login.trust_dialog import TrustDialog, trust
from desktop.preferences import Preferences
from desktop.widgets import Button, ButtonKind, Dialog, Field, is_enter_key, label, row_of


def server_address(text: str) -> str | None:
    """Convert a typed text to an address of scheme, host and port; None when it is not an address.

    The default scheme is https, for this computer http.
    """
    text = text.strip()
    try:
        if "://" not in text:
            local = urlsplit(f"//{text}").hostname in LOOPBACK
            text = f"{'http' if local else 'https'}://{text}"
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
