"""Logs in by the camera, without a button, with one hint at a time and a few attempts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.background.workers import run
from desktop.camera import CameraFeed, CapturedFrame, FeedState, FrameSource, Hint, is_virtual, sources
from desktop.camera.hints import FrameAnalysis
from desktop.client import Session
from desktop.client.device_token import DeviceToken
from desktop.client.http.errors import ClientError, Forbidden, Refused, TooMany
from desktop.messages.error_messages import challenge_sentence, seconds_sentence, sentence
from desktop.pages.common.faces.viewfinder import Viewfinder
from desktop.pages.login.challenge import ChallengeFilm, ChoppyFilmError
from desktop.pages.login.forms import Countdown
from shared.record.codes import ErrorCode
from shared.wire.account import Payload
from shared.wire.face import FaceRequirements

# Surplus of good frames over others before a picture is sent. One missed face therefore costs little.
GOOD_FRAMES = 4
# Number of frames without a face after which the person counts as gone.
_GONE_FRAMES = 10
# Time for which a refusal is shown, and number of refusals in a row after which the user decides how to
# continue. The service blocks a station for a while after five.
_PAUSE_MS = 2500
MAX_TRIES = 3

FindSources = Callable[[], Sequence[FrameSource]]

DEFAULT_REQUIREMENTS = FaceRequirements(
    login_enabled=True, challenge="off", allowed_devices_only=False, refuse_virtual_cameras=False
)
"""The requirements that apply if the service provides none."""


@dataclass(frozen=True, slots=True)
class _Preparation:
    """The data that is read before the camera starts."""

    sources: Sequence[FrameSource]
    requirements: FaceRequirements
    device_token: str


class FaceLogin(QObject):
    """Reads the camera while it runs, sends the sharpest good picture, and shows the progress in a
    `Viewfinder`."""

    logged_in = Signal(object)
    """The `Payload` of the logged-in user."""
    camera_chosen = Signal(str)
    """The name of the camera that the user chose."""
    requirements_read = Signal(object)
    """The `FaceRequirements` of the service."""

    def __init__(
        self,
        session: Session,
        view: Viewfinder,
        device: DeviceToken,
        *,
        find_sources: FindSources = sources,
        preferred_camera: str = "",
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._view = view
        self._device = device
        self._requirements = DEFAULT_REQUIREMENTS
        self._device_token = ""
        self._find_sources = find_sources
        self._preferred_camera = preferred_camera
        self._sources: list[FrameSource] = []
        self._feed = CameraFeed(self)
        self._challenge = ChallengeFilm(session, self._feed, view, session.account.login_by_challenge, self)
        # After the service required a challenge of this person, no further picture is sent.
        self._challenge_needed = False
        self._good_frames = 0
        self._empty_frames = 0
        self._tries = 0
        self._is_sending = False
        self._is_running = False
        self._is_blocked = False
        self._pause_timer = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._countdown = Countdown(self)
        self._countdown.counted.connect(self._on_counted)
        self._feed.frame_ready.connect(view.show_frame)
        self._feed.frame_analysed.connect(self._on_frame_analysed)
        self._feed.state_changed.connect(self._on_state_changed)
        self.was_by_challenge = False
        """Whether the last login was made by a challenge."""
        self._challenge.answered.connect(self._on_challenge_passed)
        self._challenge.failed.connect(self._on_failed)
        self._challenge.sending.connect(lambda: view.show_hint(self.tr("Checking…"), 1.0))
        view.another_movement_requested.connect(self._try_other_movement)
        view.camera_chosen.connect(self._choose_camera)
        view.action_clicked.connect(self._retry)

    @property
    def is_running(self) -> bool:
        """True between `start` and `stop`."""
        return self._is_running

    def start(self) -> None:
        """Search for a camera and start it."""
        if self._is_running:
            return
        self._is_running = True
        self._good_frames = self._tries = self._empty_frames = 0
        self._is_blocked = self._challenge_needed = self.was_by_challenge = False
        self._challenge.reset_person()
        self._view.show_waiting(self.tr("Starting camera…"))
        prepare = self._session, self._find_sources, self._device
        run(_prepare, *prepare, owner=self, done=self._on_prepared, failed=lambda _: self._set_sources([]))

    def stop(self) -> None:
        """Release the camera."""
        self._is_running = False
        self._countdown.stop()
        self._pause_timer.stop()
        self._challenge.stop()
        self._feed.stop()

    def _on_prepared(self, preparation: _Preparation) -> None:
        if not self._is_running:
            return
        self._requirements, self._device_token = preparation.requirements, preparation.device_token
        self.requirements_read.emit(preparation.requirements)
        if not preparation.requirements.offered:
            self._block(self._off_sentence(preparation.requirements), "")
            return
        if preparation.requirements.allowed_devices_only and not preparation.device_token:
            self._block(
                self.tr(
                    "Face login is not allowed on this computer. Log in with your password. An administrator "
                    "can allow it under Administration, Face login."
                ),
                "",
            )
            return
        real_cameras = [source for source in preparation.sources if not is_virtual(source)]
        if preparation.requirements.refuse_virtual_cameras and preparation.sources and not real_cameras:
            self._view.set_cameras([], "")
            self._block(
                self.tr(
                    "Only a virtual camera was found, and an administrator does not permit these. Connect "
                    "another camera, or log in with your password."
                ),
                self.tr("Search for cameras"),
            )
            return
        self._set_sources(
            real_cameras if preparation.requirements.refuse_virtual_cameras else preparation.sources
        )

    def _off_sentence(self, requirements: FaceRequirements) -> str:
        """Why face login is not offered, and what an administrator can do."""
        if not requirements.login_enabled:
            return self.tr(
                "Face login is off. Log in with your password. An administrator can turn it on under "
                "Administration, Face login."
            )
        return self.tr(
            "Face login is not protected from photos yet. Log in with your password. An administrator can "
            "protect it under Administration, Face login: by head movements at every login, or a liveness "
            "check."
        )

    def _set_sources(self, sources: Sequence[FrameSource]) -> None:
        if not self._is_running:
            return
        self._sources = list(sources)
        if not self._sources:
            self._view.set_cameras([], "")
            self._view.show_sentence(
                self.tr("No camera found. Log in with your password."),
                self.tr("Search for cameras"),
            )
            return
        source_by_name = {source.name: source for source in self._sources}
        self._start_camera(source_by_name.get(self._preferred_camera, self._sources[0]))

    def _start_camera(self, source: FrameSource) -> None:
        self._view.set_cameras([camera.name for camera in self._sources], source.name)
        self._feed.start(source)

    def _choose_camera(self, name: str) -> None:
        for source in self._sources:
            if source.name == name:
                self._preferred_camera = name
                self.camera_chosen.emit(name)
                self._start_camera(source)
                return

    def _retry(self) -> None:
        """Start again after a click on the button of the viewfinder."""
        if self._is_running:
            self.stop()
            self.start()

    def _on_state_changed(self, state: FeedState) -> None:
        self._good_frames = 0
        if state is not FeedState.LIVE:
            self._challenge.stop()
        match state:
            case FeedState.OPENING:
                self._view.show_waiting(self.tr("Starting camera…"))
            case FeedState.UNAVAILABLE:
                self._view.show_sentence(
                    self.tr(
                        "Cannot use the camera. Close other programs that use it, or select another camera."
                    ),
                    self.tr("Retry"),
                )
            case FeedState.LOST:
                self._view.show_sentence(self.tr("Camera disconnected. Reconnect it to continue."))
            case FeedState.LIVE | FeedState.IDLE:
                pass

    def _on_frame_analysed(self, analysis: FrameAnalysis) -> None:
        self._view.show_face(analysis.face)
        if self._challenge.is_running or self._is_sending or self._is_blocked or self._countdown.remaining:
            return
        if self._pause_timer.isActive():
            return
        self._empty_frames = self._empty_frames + 1 if analysis.hint is Hint.NO_FACE else 0
        if self._empty_frames >= _GONE_FRAMES:
            self._tries = self._good_frames = 0
            self._challenge_needed = False
            self._view.offer_another_movement(False)
            self._challenge.reset_person()
        self._good_frames = (
            self._good_frames + 1 if analysis.hint is Hint.GOOD else max(0, self._good_frames - 1)
        )
        self._view.show_hint(self._view.hint_text(analysis.hint), self._good_frames / GOOD_FRAMES)
        if self._good_frames < GOOD_FRAMES:
            return
        if analysis.is_grey and self._requirements.needs_colour:
            self._block(
                self.tr(
                    "The picture has no colour, so the service cannot check it. Select a colour camera, or "
                    "log in with your password."
                ),
                self.tr("Retry"),
            )
        elif self._challenge_needed or self._requirements.challenge == "always":
            self._challenge.start(self._device_token)
        else:
            frame = self._feed.best(seconds=2.0)
            if frame is not None:
                self._send(frame)

    def _send(self, frame: CapturedFrame) -> None:
        self._is_sending = True
        self._view.show_hint(self.tr("Checking…"), 1.0)
        run(
            _log_in,
            self._session,
            frame,
            self._device_token,
            owner=self,
            done=self._on_logged_in,
            failed=self._on_failed,
        )

    def _try_other_movement(self) -> None:
        """Leave out the last movement and start a new challenge."""
        self._pause_timer.stop()
        self._challenge.avoid_shown_movement()
        self._challenge.start(self._device_token)

    def _on_challenge_passed(self, payload: Payload) -> None:
        self.was_by_challenge = True
        self._on_logged_in(payload)

    def _on_logged_in(self, payload: Payload) -> None:
        self._is_sending = False
        self.stop()
        self.logged_in.emit(payload)

    def _on_failed(self, error: Exception) -> None:
        self._is_sending = False
        self._good_frames = 0
        if not self._is_running:
            return
        if isinstance(error, TooMany):
            self._countdown.start(round(error.retry_after))
        elif isinstance(error, Forbidden):
            self._block(sentence(error), "")
        elif isinstance(error, ChoppyFilmError):
            self._show_failure(
                self.tr("The camera is too slow for this. More light helps, or log in with your password.")
            )
        elif (
            isinstance(error, Refused)
            and error.code == ErrorCode.CHALLENGE_NEEDED
            and not self._challenge_needed
        ):
            # This is not a failed attempt: the service requires a challenge.
            self._challenge_needed = True
            self._challenge.start(self._device_token)
        elif isinstance(error, Refused):
            self._count_refusal(challenge_sentence(error.code))
        else:
            self._show_failure(sentence(error))

    def _count_refusal(self, about_movement: str) -> None:
        """Say what to do better, also when the user decides how to continue."""
        text = about_movement or self.tr("Not recognized. Look straight into the camera.")
        self._tries += 1
        if self._tries >= MAX_TRIES:
            fallback = self.tr("Log in with your password, or try again.")
            self._block(f"{text}\n{fallback}", self.tr("Retry"))
        else:
            self._show_failure(text)
            # The user has time for the button now, but not during the recording.
            self._view.offer_another_movement(bool(about_movement))

    def _show_failure(self, text: str) -> None:
        self._view.show_hint(text)
        self._pause_timer.start()

    def _block(self, text: str, action: str) -> None:
        self._is_blocked = True
        self._challenge.stop()
        self._feed.stop()
        self._view.show_sentence(text, action)

    def _on_counted(self, seconds: int) -> None:
        if seconds:
            self._view.show_hint(seconds_sentence(seconds))


def _prepare(session: Session, find_sources: FindSources, device: DeviceToken) -> _Preparation:
    try:
        requirements = session.account.face_requirements()
    except ClientError:
        # The login itself reports the error.
        requirements = DEFAULT_REQUIREMENTS
    device_token = device.read() if requirements.allowed_devices_only else ""
    try:
        cameras = find_sources()
    except Exception:
        # A driver may raise any exception. There is no usable camera then.
        cameras = []
    return _Preparation(cameras, requirements, device_token)


def _log_in(session: Session, frame: CapturedFrame, device_token: str) -> Payload:
    return session.account.login_by_face(frame.jpeg(), device_token)
