"""Logs in by a photo file, and shows why a photo was refused."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from desktop.background.workers import run
from desktop.client import Session
from desktop.client.device_token import DeviceToken
from desktop.client.http.errors import TooMany
from desktop.messages.error_messages import seconds_sentence, sentence
from desktop.pages.common.faces.face_picture import choose_face_pictures, read_face_picture
from desktop.pages.login.forms import Countdown
from desktop.widgets import Button, ButtonKind, ErrorLine, column_of
from shared.wire.account import Payload
from shared.wire.face import FaceRequirements


class PhotoLogin(QWidget):
    """Asks for a photo of a face and logs in with it."""

    logged_in = Signal(object)
    """The `Payload` of the logged-in user."""

    def __init__(self, session: Session, device: DeviceToken, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._device = device
        self._sends_token = False
        self._countdown = Countdown(self)
        self._countdown.counted.connect(self._on_counted)
        self.button = Button(self.tr("Log in with photo file"), kind=ButtonKind.GHOST, icon="camera")
        self.button.clicked.connect(lambda _checked=False: self._choose())
        self.error = ErrorLine()
        self.error.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column_of(
            (self.button, 0, Qt.AlignmentFlag.AlignHCenter), self.error, parent=self, margins=0, spacing=0
        )

    def set_requirements(self, requirements: FaceRequirements) -> None:
        """Follow the policy of the service. The button is hidden if a challenge or a real camera is
        required, or face login is not offered."""
        self._sends_token = requirements.allowed_devices_only
        self.button.setVisible(
            requirements.offered
            and requirements.challenge != "always"
            and not requirements.refuse_virtual_cameras
        )

    def log_in(self, path: Path) -> None:
        """Log in by a picture from a file."""
        self.button.setEnabled(False)
        self.button.setText(self.tr("Checking…"))
        self.error.setText("")
        device = self._device if self._sends_token else None
        run(_log_in, self._session, path, device, owner=self, done=self._on_logged_in, failed=self._on_failed)

    def _choose(self) -> None:
        for path in choose_face_pictures(self):
            self.log_in(path)

    def _on_logged_in(self, payload: Payload) -> None:
        self._reset_button()
        self.logged_in.emit(payload)

    def _on_failed(self, error: Exception) -> None:
        self._reset_button()
        if isinstance(error, TooMany):
            self._countdown.start(round(error.retry_after))
        else:
            self.error.setText(sentence(error))

    def _on_counted(self, seconds: int) -> None:
        self.button.setEnabled(not seconds)
        self.error.setText(seconds_sentence(seconds) if seconds else "")

    def _reset_button(self) -> None:
        self.button.setEnabled(True)
        self.button.setText(self.tr("Log in with photo file"))


def _log_in(session: Session, path: Path, device: DeviceToken | None) -> Payload:
    token = "" if device is None else device.read()
    return session.account.login_by_face(read_face_picture(path), token)
