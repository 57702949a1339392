"""Logs in by a photo file: a button, and what was wrong with the photo."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.background.workers import run
from desktop.client import Session
from desktop.client.device_token import DeviceToken
from desktop.client.http.errors import TooMany
from desktop.pages.common.faces.face_picture import choose_face_pictures, read_face_picture
from desktop.pages.common.messages.error_messages import seconds_sentence, sentence
from desktop.pages.login.status_widgets import Countdown
from desktop.widgets import Button, ButtonKind, label
from shared.wire.account import Payload
from shared.wire.face import FaceRequirements


class PhotoLogin(QWidget):
    """Asks for a photo of a face and logs in with it."""

    loggedIn = Signal(object)  # noqa: N815 - Qt's way
    """The `Payload` of the person whose face it was."""

    def __init__(self, session: Session, device: DeviceToken, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._device = device
        self._with_token = False
        self._wait = Countdown(self)
        self._wait.counted.connect(self._counted)
        self.button = Button(self.tr("Log in with photo file"), kind=ButtonKind.GHOST, icon="camera")
        self.button.clicked.connect(lambda _checked=False: self._choose())
        self._error = label("", "error", wrap=True)
        self._error.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._error.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self._error)

    def error(self) -> str:
        """What was wrong with the photo file."""
        return self._error.text()

    def follow(self, needed: FaceRequirements) -> None:
        """Do as the policy says: a file shows no movement, and is no camera."""
        self._with_token = needed.allowed_devices_only
        self.button.setVisible(needed.challenge != "always" and not needed.refuse_virtual_cameras)

    def log_in(self, path: Path) -> None:
        """Log in by a picture from a file."""
        self.button.setEnabled(False)
        self.button.setText(self.tr("Checking…"))
        self._say("")
        device = self._device if self._with_token else None
        run(_log_in, self._session, path, device, owner=self, done=self._worked, failed=self._failed)

    def _choose(self) -> None:
        for path in choose_face_pictures(self):
            self.log_in(path)

    def _worked(self, payload: Payload) -> None:
        self._ready()
        self.loggedIn.emit(payload)

    def _failed(self, error: Exception) -> None:
        self._ready()
        if isinstance(error, TooMany):
            self._wait.start(round(error.retry_after))
        else:
            self._say(sentence(error))

    def _counted(self, left: int) -> None:
        self.button.setEnabled(not left)
        self._say(seconds_sentence(left) if left else "")

    def _ready(self) -> None:
        self.button.setEnabled(True)
        self.button.setText(self.tr("Log in with photo file"))

    def _say(self, text: str) -> None:
        self._error.setText(text)
        self._error.setVisible(bool(text))


def _log_in(session: Session, path: Path, device: DeviceToken | None) -> Payload:
    token = "" if device is None else device.read()
    return session.account.login_by_face(read_face_picture(path), token)
