"""Announces a newer version, if the administrator has configured an update address.

The address is checked in the background 20 s after the start and once a day. The notice can be dismissed and
then appears only for a still newer version.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from desktop.background.workers import Lane, run
from desktop.client.updates import Update, newer_version, update_address

_FIRST_CHECK_MS = 20_000
_CHECK_INTERVAL_MS = 24 * 3600 * 1000


class UpdateNotice(QObject):
    """Checks `address` (by default that of the environment) for a newer version."""

    update_found = Signal(str, str)
    """The newer version and its download address, which may be empty."""

    def __init__(self, parent: QObject | None = None, address: str | None = None) -> None:
        super().__init__(parent)
        self._address = update_address() if address is None else address
        self._update: Update | None = None
        self._dismissed_version = ""
        self._timer = QTimer(self, interval=_CHECK_INTERVAL_MS)
        self._timer.timeout.connect(self.check)

    @property
    def current_update(self) -> Update | None:
        """The newer version, unless it was dismissed."""
        update = self._update
        return None if update is None or update.version == self._dismissed_version else update

    def start(self) -> None:
        """Check soon, and then every day. Does nothing without an address."""
        if self._address:
            QTimer.singleShot(_FIRST_CHECK_MS, self, self.check)
            self._timer.start()

    def check(self) -> None:
        """Check now, in the background. Errors are not reported."""
        if self._address:
            run(newer_version, self._address, owner=self, done=self._on_checked, lane=Lane.LONG)

    def dismiss(self) -> None:
        """Do not show the current version again."""
        if self._update is not None:
            self._dismissed_version = self._update.version

    def open_page(self) -> None:
        """Open the download page of the newer version."""
        if self._update is not None and self._update.url:
            QDesktopServices.openUrl(QUrl(self._update.url))

    def _on_checked(self, update: Update | None) -> None:
        self._update = update
        shown = self.current_update
        if shown is not None:
            self.update_found.emit(shown.version, shown.url)
