"""Asks which service to use: the local one, or one on the network."""

from __future__ import annotations

from urllib.parse import urlsplit

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QRadioButton, QVBoxLayout, QWidget

from desktop.background.workers import run
from desktop.client import Session
from desktop.client.http.address import LOOPBACK, is_local
from desktop.pages.common.messages.error_messages import sentence
from desktop.widgets import Button, ButtonKind, Dialog, Field, label


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


def _answers(url: str) -> str:
    """`url` when a Walkaround service answers there. Raises ClientError."""
    session = Session(url, patience=0.0)
    try:
        session.account.first_run_needed()
    finally:
        session.close()
    return url


class ServerDialog(Dialog):
    """Asks which service to use, and tries it before it is taken."""

    chosen = Signal(str)
    """The address, or an empty string for the desktop's own service."""

    def __init__(self, server_url: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Change server"))
        self.setMinimumWidth(440)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 20)
        column.setSpacing(12)
        column.addWidget(label(self.tr("Select service"), "item"))
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
        column.addWidget(self.address)
        self._warning = label("", "small", wrap=True)
        column.addWidget(self._warning)
        column.addSpacing(8)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        cancel = Button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        self.use = Button(self.tr("Connect"), kind=ButtonKind.MAIN)
        self.use.clicked.connect(self._use)
        self.use.setDefault(True)
        row.addWidget(cancel)
        row.addWidget(self.use)
        column.addLayout(row)
        (self.other if server_url else self.local_service).setChecked(True)
        group.buttonToggled.connect(lambda *_: self._switch())
        self._switch()

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

    def _use(self) -> None:
        if self.local_service.isChecked():
            self._take("")
            return
        url = server_address(self.address.text())
        if url is None:
            self.address.set_error(self.tr("Enter a valid address, for example https://name or name:port."))
            return
        self._busy(True)
        run(_answers, url, owner=self, done=self._take, failed=self._failed)

    def _busy(self, busy: bool) -> None:
        self.use.setEnabled(not busy)
        self.use.setText(self.tr("Connecting…") if busy else self.tr("Connect"))

    def _take(self, url: str) -> None:
        self._busy(False)
        self.chosen.emit(url)
        self.accept()

    def _failed(self, error: Exception) -> None:
        self._busy(False)
        self.address.set_error(sentence(error))
