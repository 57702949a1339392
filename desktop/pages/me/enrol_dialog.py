"""Enrols the user's face at the camera: front, left, right, with glasses; takes each picture when good."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop.background.workers import run
from desktop.camera import CameraFeed, CapturedFrame, FeedState, FrameSource, Hint, sources
from desktop.camera.hints import FrameAnalysis
from desktop.client import Session
from desktop.pages.common.faces.viewfinder import Viewfinder
from desktop.pages.common.messages.error_messages import sentence
from desktop.pages.login.face_login import FindSources
from desktop.widgets import BaseDialog, Button, label
from shared.wire.face import FaceStatus

_GOOD_LOOKS = 4
# Time to turn the head after a picture was taken, and to put glasses on or off.
_TURN_MS = 1400
_GLASSES_MS = 4000
_NEEDED = 3


class EnrolDialog(BaseDialog):
    """Takes three pictures of the face, and a fourth with glasses, and sends them.

    The user has consented before.
    """

    enrolled = Signal(object)
    """The new `FaceStatus`."""

    def __init__(
        self,
        session: Session,
        *,
        find_sources: FindSources = sources,
        preferred: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._find_sources = find_sources
        self._preferred = preferred
        self._sources: list[FrameSource] = []
        self._shots: list[CapturedFrame] = []
        self._good = 0
        self._sending = False
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
        self._feed = CameraFeed(self)
        self._feed.frameReady.connect(self.viewfinder.show_frame)
        self._feed.frameAnalysed.connect(self._on_frame_analyzed)
        self._feed.stateChanged.connect(self._on_state_changed)
        self._pose_timer = QTimer(self, singleShot=True)
        self.viewfinder.action_clicked.connect(self._begin)
        self.viewfinder.camera_chosen.connect(self._choose)
        self.finished.connect(lambda _result: self._feed.stop())
        self.cancel.setFocus()
        self._begin()

    def step(self) -> str:
        """What the person is asked to do now."""
        return self._step.text()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._feed.stop()
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
        named = {source.name: source for source in self._sources}
        self._start_camera(named.get(self._preferred, self._sources[0]))

    def _choose(self, name: str) -> None:
        self._preferred = name
        self._use_cameras(self._sources)

    def _start_camera(self, source: FrameSource) -> None:
        self.viewfinder.set_cameras([camera.name for camera in self._sources], source.name)
        self._feed.start(source)

    def _on_state_changed(self, state: FeedState) -> None:
        if state is FeedState.UNAVAILABLE:
            self.viewfinder.show_sentence(
                self.tr("Cannot use the camera. Close other programs that use it, or select another camera."),
                self.tr("Retry"),
            )
        elif state is FeedState.LOST:
            self.viewfinder.show_sentence(self.tr("Camera disconnected. Reconnect it to continue."))

    def _show_step(self) -> None:
        self._good = 0
        self._step.setText(self._steps[min(len(self._shots), len(self._steps) - 1)])
        self.skip.setVisible(len(self._shots) == _NEEDED and not self._sending)

    def _on_frame_analyzed(self, analysis: FrameAnalysis) -> None:
        self.viewfinder.show_face(analysis.face)
        if self._sending or self._pose_timer.isActive():
            return
        self._good = self._good + 1 if analysis.hint is Hint.GOOD else max(0, self._good - 1)
        self.viewfinder.show_hint(self.viewfinder.hint_text(analysis.hint), self._good / _GOOD_LOOKS)
        if self._good >= _GOOD_LOOKS:
            shot = self._feed.best(seconds=1.5)
            if shot is not None:
                self._take(shot)

    def _take(self, shot: CapturedFrame) -> None:
        self._shots.append(shot)
        if len(self._shots) == len(self._steps):
            self._send()
            return
        self._show_step()
        if len(self._shots) < _NEEDED:
            self.viewfinder.show_hint(self.tr("Photo taken. Now turn your head."), 1.0)
            self._pose_timer.start(_TURN_MS)
        else:
            self.viewfinder.show_hint(self.tr("Photo taken. Now put your glasses on or take them off."), 1.0)
            self._pose_timer.start(_GLASSES_MS)

    def _send(self) -> None:
        self._sending = True
        self._pose_timer.stop()
        self.skip.hide()
        self._feed.stop()
        self.viewfinder.show_waiting(self.tr("Enrolling…"))
        run(_enrol, self._session, tuple(self._shots), owner=self, done=self._done, failed=self._on_failed)

    def _done(self, status: FaceStatus) -> None:
        self.enrolled.emit(status)
        self.accept()

    def _on_failed(self, error: Exception) -> None:
        self._sending = False
        self._shots = []
        self._show_step()
        self.viewfinder.show_sentence(sentence(error), self.tr("Retry"))


def _enrol(session: Session, shots: Sequence[CapturedFrame]) -> FaceStatus:
    return session.account.enrol_face([shot.jpeg() for shot in shots])
