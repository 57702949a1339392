"""Asks which service to use: the local one, or one on the network; tries it before it is taken."""

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
from desktop.pages.common.messages.error_messages import sentence
from desktop.pages.login.trust_dialog import TrustDialog, trust
from desktop.preferences import Preferences
from desktop.widgets import Field, enters, label


def server_address(text: str) -> str | None:
    """What a person typed as an address: scheme, host and port only. None when it is not an address.

    Without a scheme it is https, on this machine http.
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


def _answers(url: str, fingerprint: str | None) -> str:
    """`url` when a Walkaround service answers there. Raises ClientError; Untrusted with its fingerprint."""
    session = Session(url, fingerprint=fingerprint, patience=0.0)
    try:
        session.account.first_run_needed()
    except Untrusted as error:
        raise add_fingerprint(error, url) from error
    finally:
        session.close()
    return url


class ServiceChoice(QWidget):
    """This computer, or the address of a server, which is tried before it is taken."""

    chosen = Signal(str)
    """The address, or an empty string for the desktop's own service."""
    busy = Signal(bool)
    """An address is being tried, or not any more."""

    def __init__(self, server_url: str, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._preferences = preferences
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        self.local_service = QRadioButton(self.tr("This computer"))
        self.other = QRadioButton(self.tr("Network server"))
        group = QButtonGroup(self)
        group.addButton(self.local_service)
        group.addButton(self.other)
        column.addWidget(self.local_service)
        column.addWidget(self.other)
        self.address = Field(self.tr("Server address"), placeholder="https://walkaround.example.com")
        self.address.set_text(server_url)
        self.address.changed.connect(self._warn)
        assert isinstance(self.address.editor, QLineEdit)
        self.address.editor.returnPressed.connect(self.submit)
        column.addWidget(self.address)
        self._warning = label("", "small", wrap=True)
        column.addWidget(self._warning)
        (self.other if server_url else self.local_service).setChecked(True)
        group.buttonToggled.connect(lambda *_: self._switch())
        self._trying = False
        self._switch()

    def restore(self, address: str) -> None:
        """Put back an address that was typed before."""
        self.address.set_text(address)
        self.other.setChecked(True)

    def begin(self) -> None:
        """Put the cursor where the choice is."""
        (self.other if self.other.isChecked() else self.local_service).setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if enters(event):
            self.submit()
        else:
            super().keyPressEvent(event)

    def submit(self) -> None:
        """Take what is chosen; an address is tried first."""
        if self._trying:
            return
        if self.local_service.isChecked():
            self._take("")
            return
        url = server_address(self.address.text())
        if url is None:
            self.address.set_error(self.tr("Enter a valid address, for example https://name or name:port."))
            return
        self._try(url, self._failed)

    def _switch(self) -> None:
        self.address.setEnabled(self.other.isChecked())
        self._warn()
        if self.other.isChecked():
            self.address.setFocus()

    def _warn(self) -> None:
        url = server_address(self.address.text()) if self.other.isChecked() else None
        open_text = url is not None and url.startswith("http://") and not is_local(url)
        self._warning.setText(
            self.tr("Without HTTPS, passwords and images can be intercepted.") if open_text else ""
        )

    def _try(self, url: str, failed: Callable[[str, Exception], None]) -> None:
        self._busy(True)
        trusted = self._preferences.values.certificates.get(server_key(url))
        run(_answers, url, trusted, owner=self, done=self._take, failed=partial(failed, url))

    def _busy(self, busy: bool) -> None:
        self._trying = busy
        self.busy.emit(busy)

    def _take(self, url: str) -> None:
        self._busy(False)
        self.chosen.emit(url)

    def _failed(self, url: str, error: Exception) -> None:
        scheme, _, server = url.partition("://")
        if scheme == "http" and isinstance(error, Unreachable):
            # A service may have got TLS since its address was written down.
            self._try(f"https://{server}", partial(self._failed_twice, error))
        else:
            self._say_failed(url, error)

    def _failed_twice(self, before: Exception, url: str, error: Exception) -> None:
        """Keep the address as it was typed, unless a server with TLS is there that is not trusted yet."""
        if isinstance(error, Untrusted):
            self.address.set_text(url)
            self._say_failed(url, error)
        else:
            self._say_failed(url, before)

    def _say_failed(self, url: str, error: Exception) -> None:
        self._busy(False)
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
