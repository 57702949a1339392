"""Decides what the banners of the main window announce: a newer version, and old face data.

A version is one that was installed while the program is open, or one that can be downloaded. For downloads
the administrator configures an update address, which is checked in the background 20 s after the start and
once a day. The notice can be dismissed and then appears only for a still newer version.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from desktop.background.workers import Lane, run
from desktop.client.updates import Update, newer_version, update_address
from desktop.context import Context
from desktop.widgets import Banner
from shared.system.paths import is_program_replaced, newer_program
from shared.wire.face import FaceStatus

_FIRST_CHECK_MS = 20_000
_CHECK_INTERVAL_MS = 24 * 3600 * 1000
_INSTALLED_CHECK_MS = 30_000


class UpdateNotice(QObject):
    """Checks `address` (by default that of the environment) for a newer version."""

    update_found = Signal(str, str)
    """The newer version and its download address, which may be empty."""
    update_installed = Signal()
    """Another version was installed while this one is open."""

    def __init__(self, parent: QObject | None = None, address: str | None = None) -> None:
        super().__init__(parent)
        self._address = update_address() if address is None else address
        self._update: Update | None = None
        self._dismissed_version = ""
        self._timer = QTimer(self, interval=_CHECK_INTERVAL_MS)
        self._timer.timeout.connect(self.check)
        self.is_installed = False
        """Whether another version was installed while this one is open, and the notice is not dismissed."""
        self._installed_timer = QTimer(self, interval=_INSTALLED_CHECK_MS)
        self._installed_timer.timeout.connect(self.check_installed)

    @property
    def current_update(self) -> Update | None:
        """The newer version, unless it was dismissed."""
        update = self._update
        return None if update is None or update.version == self._dismissed_version else update

    def start(self) -> None:
        """Check soon, and then every day. Without an address, only for a version that is installed."""
        self._installed_timer.start()
        if self._address:
            QTimer.singleShot(_FIRST_CHECK_MS, self, self.check)
            self._timer.start()

    def check(self) -> None:
        """Check now, in the background. Errors are not reported."""
        if self._address:
            run(newer_version, self._address, owner=self, done=self._on_checked, lane=Lane.LONG)

    def check_installed(self) -> None:
        """Check whether another version was installed while this one is open."""
        if newer_program() is not None or is_program_replaced():
            self._installed_timer.stop()
            self.is_installed = True
            self.update_installed.emit()

    def show_restart(self, banner: Banner) -> None:
        """Show in `banner` that another version is installed, with a button to restart."""
        text = self.tr("A new version of Walkaround was installed. Restart to use it.")
        banner.show_message(text, "info", self.tr("Restart"))

    def dismiss(self) -> None:
        """Do not show the current version again."""
        if self.is_installed:
            self.is_installed = False
        elif self._update is not None:
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


class FaceRenewal(QObject):
    """Offers to renew old face data after a login that required more than a face; a logout hides the offer.

    The user decides. The account page asks for the consent again.
    """

    def __init__(self, context: Context, banner: Banner) -> None:
        super().__init__(banner)
        self._context = context
        self._banner = banner
        banner.action_chosen.connect(banner.hide)
        context.strong_login.connect(self._read_status)
        context.login_changed.connect(self._on_login_changed)

    def _read_status(self) -> None:
        payload = self._context.payload
        if payload is not None and payload.user.has_face:
            run(
                self._context.session.account.face_status,
                owner=self,
                done=self._on_status,
                failed=lambda _error: None,
            )

    def _on_status(self, status: FaceStatus) -> None:
        if self._context.payload is not None and status.renewal_due and status.login_enabled:
            text = self.tr("Your face data is more than a year old. Renew it to be recognized reliably.")
            self._banner.show_message(text, "info", self.tr("Renew face data"))

    def _on_login_changed(self) -> None:
        if self._context.payload is None:
            self._banner.hide()
