"""Shows the camera in a dialog, to enrol the user's face or to try the movements of the head."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.background.workers import run
from desktop.camera import CameraFeed, CapturedFrame, FeedState, FrameSource, Hint, sources
from desktop.camera.hints import FrameAnalysis
from desktop.client import Session
from desktop.client.device_token import DeviceToken
from desktop.messages.error_messages import challenge_sentence, sentence
from desktop.pages.common.faces.viewfinder import Viewfinder
from desktop.pages.login.challenge import ChallengeFilm, ChoppyFilmError
from desktop.pages.login.face_login import GOOD_FRAMES, FindSources
from desktop.widgets import BaseDialog, Button, ButtonKind, column_of, label
from shared.wire.face import ChallengePractice, FaceStatus


class CameraDialog(BaseDialog):
    """A headline, the camera's picture with one hint, and a row for buttons. The camera runs all the time.

    A subclass adds its buttons to `row` and calls `begin`.
    """

    good_face = Signal()
    """The face has been good for some frames. `start_over` counts them again."""

    def __init__(
        self,
        *,
        find_sources: FindSources = sources,
        preferred_camera: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._find_sources = find_sources
        self._preferred_camera = preferred_camera
        self._sources: list[FrameSource] = []
        self._good_frames = 0
        self.setModal(True)
        self.resize(620, 560)
        self.viewfinder = Viewfinder()
        self.headline = label("", "item")
        self.row = QHBoxLayout()
        self.cancel = Button(self.tr("Cancel"))
        self.cancel.clicked.connect(lambda _checked=False: self.reject())
        column_of(
            self.headline, (self.viewfinder, 1), self.row, parent=self, margins=(20, 20, 20, 16), spacing=12
        )
        self.feed = CameraFeed(self)
        self.feed.frame_ready.connect(self.viewfinder.show_frame)
        self.feed.frame_analysed.connect(self._on_frame_analysed)
        self.feed.state_changed.connect(self._on_state_changed)
        self.viewfinder.action_clicked.connect(self.begin)
        self.viewfinder.camera_chosen.connect(self._choose_camera)
        self.finished.connect(lambda _result: self.feed.stop())
        self.cancel.setFocus()

    def begin(self) -> None:
        """Search for a camera and start it."""
        self.start_over()
        self.viewfinder.show_waiting(self.tr("Starting camera…"))
        run(self._find_sources, owner=self, done=self._use_cameras, failed=lambda _: self._use_cameras([]))

    def start_over(self) -> None:
        """Forget what was done before the camera starts again."""
        self._good_frames = 0

    def is_watching(self) -> bool:
        """Whether good frames of the face count now."""
        return True

    def no_camera_text(self) -> str:
        """What to do without a camera."""
        return self.tr("No camera found. Connect one.")

    def closeEvent(self, event: QCloseEvent) -> None:
        self.feed.stop()
        super().closeEvent(event)

    def _use_cameras(self, cameras: Sequence[FrameSource]) -> None:
        self._sources = list(cameras)
        if not self._sources:
            self.viewfinder.show_sentence(self.no_camera_text(), self.tr("Search for cameras"))
            return
        cameras_by_name = {source.name: source for source in self._sources}
        source = cameras_by_name.get(self._preferred_camera, self._sources[0])
        self.viewfinder.set_cameras([camera.name for camera in self._sources], source.name)
        self.feed.start(source)

    def _choose_camera(self, name: str) -> None:
        self._preferred_camera = name
        self._use_cameras(self._sources)

    def _on_state_changed(self, state: FeedState) -> None:
        if state is FeedState.UNAVAILABLE:
            self.viewfinder.show_sentence(
                self.tr("Cannot use the camera. Close other programs that use it, or select another camera."),
                self.tr("Retry"),
            )
        elif state is FeedState.LOST:
            self.viewfinder.show_sentence(self.tr("Camera disconnected. Reconnect it to continue."))

    def _on_frame_analysed(self, analysis: FrameAnalysis) -> None:
        self.viewfinder.show_face(analysis.face)
        if not self.is_watching():
            return
        self._good_frames = (
            self._good_frames + 1 if analysis.hint is Hint.GOOD else max(0, self._good_frames - 1)
        )
        self.viewfinder.show_hint(self.viewfinder.hint_text(analysis.hint), self._good_frames / GOOD_FRAMES)
        if self._good_frames >= GOOD_FRAMES:
            self.good_face.emit()


# The time in ms to turn the head after a photo was taken, and to put glasses on or take them off.
_TURN_MS = 1400
_GLASSES_MS = 4000
_REQUIRED_SHOTS = 3


class EnrolDialog(CameraDialog):
    """Takes three photos of the face (front, left, right) and a fourth with glasses, and sends them.

    Each photo is taken automatically when the picture is good.
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


class PracticeDialog(CameraDialog):
    """Asks for movements of the head as a face login does, and says how it went. Nothing is stored.

    The headline has the result until the next attempt.
    """

    def __init__(
        self,
        session: Session,
        device: DeviceToken,
        *,
        find_sources: FindSources = sources,
        preferred_camera: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(find_sources=find_sources, preferred_camera=preferred_camera, parent=parent)
        self._session = session
        self._device = device
        self._device_token = ""
        self._is_waiting = True
        self.setWindowTitle(self.tr("Try the head movements"))
        self.again = Button(self.tr("Try again"), kind=ButtonKind.MAIN)
        self.again.clicked.connect(lambda _checked=False: self.start_over())
        self.cancel.setText(self.tr("Close"))
        self.row.addStretch(1)
        self.row.addWidget(self.again)
        self.row.addWidget(self.cancel)
        self._film = ChallengeFilm(session, self.feed, self.viewfinder, partial(_practise, session), self)
        self._film.sending.connect(lambda: self.viewfinder.show_hint(self.tr("Checking…"), 1.0))
        self._film.answered.connect(self._on_answered)
        self._film.failed.connect(self._on_failed)
        self.viewfinder.another_movement_requested.connect(self._try_other_movement)
        self.good_face.connect(self._read_token)
        self.feed.state_changed.connect(self._stop_without_camera)
        self.finished.connect(lambda _result: self._film.stop())
        self.begin()

    def start_over(self) -> None:
        super().start_over()
        self._is_waiting = True
        self.again.hide()
        self.headline.setText(self.tr("Look straight ahead, then follow the arrow"))

    def is_watching(self) -> bool:
        return self._is_waiting

    def _read_token(self) -> None:
        self._is_waiting = False
        run(
            _read_token,
            self._session,
            self._device,
            owner=self,
            done=self._start_film,
            failed=self._on_failed,
        )

    def _start_film(self, token: str) -> None:
        self._device_token = token
        self._film.start(token)

    def _try_other_movement(self) -> None:
        self._film.avoid_shown_movement()
        self._film.start(self._device_token)

    def _stop_without_camera(self, state: FeedState) -> None:
        if state is not FeedState.LIVE:
            self._film.stop()

    def _on_answered(self, practice: ChallengePractice) -> None:
        if practice.passed:
            self._show_result(self.tr("Recognized. A face login would accept these movements."))
        else:
            self._show_result(challenge_sentence(f"challenge_{practice.advice or 'failed'}"))

    def _on_failed(self, error: Exception) -> None:
        if isinstance(error, ChoppyFilmError):
            self._show_result(challenge_sentence("challenge_too_few_frames"))
        else:
            self._show_result(sentence(error))

    def _show_result(self, text: str) -> None:
        self.headline.setText(text)
        self.viewfinder.show_hint("")
        self.again.show()
        self.again.setFocus()


def _read_token(session: Session, device: DeviceToken) -> str:
    return device.read() if session.account.face_requirements().allowed_devices_only else ""


def _practise(
    session: Session, challenge_id: str, frames: Sequence[tuple[int, bytes]], _token: str
) -> ChallengePractice:
    return session.account.practise_challenge(challenge_id, frames)
