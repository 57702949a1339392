"""Offers to renew old face data after a login that required more than a face.

The user decides. The account page asks for the consent again.
"""

from __future__ import annotations

from PySide6.QtCore import QObject

from desktop.background.workers import run
from desktop.context import Context
from desktop.widgets import Banner
from shared.wire.face import FaceStatus


class FaceRenewal(QObject):
    """Reads the face status after each strong login and shows a banner, which a logout hides."""

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
