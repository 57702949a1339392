"""Enrols the user's face with the camera: front, left, right, and with glasses.

Each photo is taken automatically when the picture is good.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from desktop.background.workers import run
from desktop.camera import CapturedFrame, sources
from desktop.client import Session
from desktop.messages.error_messages import sentence
from desktop.pages.login.face_login import FindSources
from desktop.pages.me.camera_dialog import CameraDialog
from desktop.widgets import Button, label
from shared.wire.face import FaceStatus

# The time in ms to turn the head after a photo was taken, and to put glasses on or take them off.
_TURN_MS = 1400
_GLASSES_MS = 4000
_REQUIRED_SHOTS = 3


class EnrolDialog(CameraDialog):
    """Takes three photos of the face and a fourth with glasses, and sends them.

    The user must have consented before the dialog is opened.
    """

    enrolled = Signal(object)
    """The new `FaceStatus`."""

    def __init__(
        self,
        session: Session,
        *,
        find_sources: FindSources = sources,
        preferred_camera: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(find_sources=find_sources, preferred_camera=preferred_camera, parent=parent)
        self._session = session
        self._shots: list[CapturedFrame] = []
        self._is_sending = False
        self.setWindowTitle(self.tr("Enrol face"))
        self._steps = (
            self.tr("Step 1 of 4: look straight into the camera"),
            self.tr("Step 2 of 4: turn your head slightly to the left"),
            self.tr("Step 3 of 4: turn your head slightly to the right"),
            self.tr("Step 4 of 4: look straight ahead and put your glasses on or take them off"),
        )
        self.skip = Button(self.tr("I don't wear glasses"))
        self.skip.clicked.connect(lambda _checked=False: self._send())
        notice = label(self.tr("Only facial features are stored, not the photos."), "dim")
        self.row.addWidget(notice, 1, Qt.AlignmentFlag.AlignVCenter)
        self.row.addWidget(self.skip)
        self.row.addWidget(self.cancel)
        self._pose_timer = QTimer(self, singleShot=True)
        self.good_face.connect(self._on_good_face)
        self.begin()

    def step_text(self) -> str:
        """The current instruction for the user."""
        return self.headline.text()

    def start_over(self) -> None:
        self._shots = []
        self._show_step()

    def is_watching(self) -> bool:
        return not (self._is_sending or self._pose_timer.isActive())

    def no_camera_text(self) -> str:
        return self.tr("No camera found. Connect one, or enrol from photo files.")

    def _show_step(self) -> None:
        super().start_over()
        self.headline.setText(self._steps[min(len(self._shots), len(self._steps) - 1)])
        self.skip.setVisible(len(self._shots) == _REQUIRED_SHOTS and not self._is_sending)

    def _on_good_face(self) -> None:
        shot = self.feed.best(seconds=1.5)
        if shot is not None:
            self._take_shot(shot)

    def _take_shot(self, shot: CapturedFrame) -> None:
        self._shots.append(shot)
        if len(self._shots) == len(self._steps):
            self._send()
            return
        self._show_step()
        if len(self._shots) < _REQUIRED_SHOTS:
            self.viewfinder.show_hint(self.tr("Photo taken. Now turn your head."), 1.0)
            self._pose_timer.start(_TURN_MS)
        else:
            self.viewfinder.show_hint(self.tr("Photo taken. Now put your glasses on or take them off."), 1.0)
            self._pose_timer.start(_GLASSES_MS)

    def _send(self) -> None:
        self._is_sending = True
        self._pose_timer.stop()
        self.skip.hide()
        self.feed.stop()
        self.viewfinder.show_waiting(self.tr("Enrolling…"))
        run(_enrol, self._session, tuple(self._shots), owner=self, done=self._done, failed=self._on_failed)

    def _done(self, status: FaceStatus) -> None:
        self.enrolled.emit(status)
        self.accept()

    def _on_failed(self, error: Exception) -> None:
        self._is_sending = False
        self.start_over()
        self.viewfinder.show_sentence(sentence(error), self.tr("Retry"))


def _enrol(session: Session, shots: Sequence[CapturedFrame]) -> FaceStatus:
    return session.account.enrol_face([shot.jpeg() for shot in shots])
