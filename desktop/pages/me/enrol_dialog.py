"""Enrols the user's face with the camera: front, left, right, and with glasses.

Each photo is taken automatically when the picture is good.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.background.workers import run
from desktop.camera import CameraFeed, CapturedFrame, FeedState, FrameSource, Hint, sources
from desktop.camera.hints import FrameAnalysis
from desktop.client import Session
from desktop.messages.error_messages import sentence
from desktop.pages.common.faces.viewfinder import Viewfinder
from desktop.pages.login.face_login import FindSources
from desktop.widgets import BaseDialog, Button, label
from shared.wire.face import FaceStatus

_GOOD_FRAMES = 4
# The time in ms to turn the head after a photo was taken, and to put glasses on or take them off.
_TURN_MS = 1400
_GLASSES_MS = 4000
_REQUIRED_SHOTS = 3


class EnrolDialog(BaseDialog):
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
        super().__init__(parent)
        self._session = session
        self._find_sources = find_sources
        self._preferred_camera = preferred_camera
        self._sources: list[FrameSource] = []
        self._shots: list[CapturedFrame] = []
        self._good_frames = 0
        self._is_sending = False
        self.setWindowTitle(self.tr("Enrol face"))
        self.setModal(True)
        self.resize(620, 560)
        self.viewfinder = Viewfinder()
        self._step = label("", "item")
        self._steps = (
            self.tr("Step 1 of 4: look straight into the camera"),
            self.tr("Step 2 of 4: turn your head slightly to the left"),
            self.tr("Step 3 of 4: turn your head slightly to the right"),
            self.tr("Step 4 of 4: look straight ahead and put your glasses on or take them off"),
        )
        self.skip = Button(self.tr("I don't wear glasses"))
        self.skip.clicked.connect(lambda _checked=False: self._send())
        self.cancel = Button(self.tr("Cancel"))
        self.cancel.clicked.connect(lambda _checked=False: self.reject())
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(12)
        column.addWidget(self._step)
        column.addWidget(self.viewfinder, 1)
        row = QHBoxLayout()
        notice = label(self.tr("Only facial features are stored, not the photos."), "dim")
        row.addWidget(notice, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.skip)
        row.addWidget(self.cancel)
        column.addLayout(row)
        self._camera_feed = CameraFeed(self)
        self._camera_feed.frame_ready.connect(self.viewfinder.show_frame)
        self._camera_feed.frame_analysed.connect(self._on_frame_analyzed)
        self._camera_feed.state_changed.connect(self._on_state_changed)
        self._pose_timer = QTimer(self, singleShot=True)
        self.viewfinder.action_clicked.connect(self._begin)
        self.viewfinder.camera_chosen.connect(self._choose_camera)
        self.finished.connect(lambda _result: self._camera_feed.stop())
        self.cancel.setFocus()
        self._begin()

    def step_text(self) -> str:
        """The current instruction for the user."""
        return self._step.text()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._camera_feed.stop()
        super().closeEvent(event)

    def _begin(self) -> None:
        self._shots = []
        self._show_step()
        self.viewfinder.show_waiting(self.tr("Starting camera…"))
        run(self._find_sources, owner=self, done=self._use_cameras, failed=lambda _: self._use_cameras([]))

    def _use_cameras(self, cameras: Sequence[FrameSource]) -> None:
        self._sources = list(cameras)
        if not self._sources:
            self.viewfinder.show_sentence(
                self.tr("No camera found. Connect one, or enrol from photo files."),
                self.tr("Search for cameras"),
            )
            return
        cameras_by_name = {source.name: source for source in self._sources}
        self._start_camera(cameras_by_name.get(self._preferred_camera, self._sources[0]))

    def _choose_camera(self, name: str) -> None:
        self._preferred_camera = name
        self._use_cameras(self._sources)

    def _start_camera(self, source: FrameSource) -> None:
        self.viewfinder.set_cameras([camera.name for camera in self._sources], source.name)
        self._camera_feed.start(source)

    def _on_state_changed(self, state: FeedState) -> None:
        if state is FeedState.UNAVAILABLE:
            self.viewfinder.show_sentence(
                self.tr("Cannot use the camera. Close other programs that use it, or select another camera."),
                self.tr("Retry"),
            )
        elif state is FeedState.LOST:
            self.viewfinder.show_sentence(self.tr("Camera disconnected. Reconnect it to continue."))

    def _show_step(self) -> None:
        self._good_frames = 0
        self._step.setText(self._steps[min(len(self._shots), len(self._steps) - 1)])
        self.skip.setVisible(len(self._shots) == _REQUIRED_SHOTS and not self._is_sending)

    def _on_frame_analyzed(self, analysis: FrameAnalysis) -> None:
        self.viewfinder.show_face(analysis.face)
        if self._is_sending or self._pose_timer.isActive():
            return
        self._good_frames = (
            self._good_frames + 1 if analysis.hint is Hint.GOOD else max(0, self._good_frames - 1)
        )
        self.viewfinder.show_hint(self.viewfinder.hint_text(analysis.hint), self._good_frames / _GOOD_FRAMES)
        if self._good_frames >= _GOOD_FRAMES:
            shot = self._camera_feed.best(seconds=1.5)
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
        self._camera_feed.stop()
        self.viewfinder.show_waiting(self.tr("Enrolling…"))
        run(_enrol, self._session, tuple(self._shots), owner=self, done=self._done, failed=self._on_failed)

    def _done(self, status: FaceStatus) -> None:
        self.enrolled.emit(status)
        self.accept()

    def _on_failed(self, error: Exception) -> None:
        self._is_sending = False
        self._shots = []
        self._show_step()
        self.viewfinder.show_sentence(sentence(error), self.tr("Retry"))


def _enrol(session: Session, shots: Sequence[CapturedFrame]) -> FaceStatus:
    return session.account.enrol_face([shot.jpeg() for shot in shots])
