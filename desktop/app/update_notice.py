"""Announces a newer version once, if the administrator names an address to ask.

Asks after the login page is in use, in the background, and once a day for as long as the program runs. What
is found is a line above the page that can be put away, and it comes again for a still newer version only.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from desktop.background.workers import Lane, run
from desktop.client.updates import Update, newer_version, update_address

_FIRST_MS = 20_000
_EVERY_MS = 24 * 3600 * 1000


class UpdateNotice(QObject):
    """Asks `address` (by default the one of the environment) and reports a newer version."""

    found = Signal(str, str)
    """The newer version, and the address to get it from (may be empty)."""

    def __init__(self, parent: QObject | None = None, address: str | None = None) -> None:
        super().__init__(parent)
        self._address = update_address() if address is None else address
        self._update: Update | None = None
        self._put_away = ""
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self.ask)

    @property
    def shown(self) -> Update | None:
        """What is newer and was not put away."""
        update = self._update
        return None if update is None or update.version == self._put_away else update

    def start(self) -> None:
        """Ask soon, and each day; does nothing without an address."""
        if self._address:
            QTimer.singleShot(_FIRST_MS, self, self.ask)
            self._timer.start()

    def ask(self) -> None:
        """Ask now, in the background; nothing is reported where the answer cannot be had."""
        if self._address:
            run(newer_version, self._address, owner=self, done=self._on_answered, lane=Lane.LONG)

    def put_away(self) -> None:
        """Do not report the version that is shown again."""
        if self._update is not None:
            self._put_away = self._update.version

    def open(self) -> None:
        """Open the page of the newer version."""
        if self._update is not None and self._update.url:
            QDesktopServices.openUrl(QUrl(self._update.url))

    def _on_answered(self, update: Update | None) -> None:
        self._update = update
        shown = self.shown
        if shown is not None:
            self.found.emit(shown.version, shown.url)
