"""Shows the choice of the service as a dialog."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.pages.login.service_choice import ServiceChoice
from desktop.preferences import Preferences
from desktop.widgets import Button, ButtonKind, Dialog, label


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
        column.addWidget(label(self.tr("Select service"), "item"))
        column.addWidget(self.choice)
        column.addSpacing(8)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
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
