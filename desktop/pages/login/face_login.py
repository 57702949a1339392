"""Logs in by the camera: no button, one hint, few attempts."""

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
from desktop.pages.common.faces.viewfinder import Viewfinder
from desktop.pages.common.messages.error_messages import seconds_sentence, sentence
from desktop.pages.login.challenge import ChallengeFilm, ChoppyFilmError
from desktop.pages.login.status_widgets import Countdown
from shared.wire.account import Payload
from shared.wire.face import CHALLENGE_NEEDED, NOT_SHOWN, FaceRequirements

# So many more good looks than others before a picture is sent: a face that is missed once loses little.
GOOD_LOOKS = 4
# The looks without a face after which the person counts as gone.
_GONE_LOOKS = 10
# A refusal shows for this long; after so many in a row the person decides how to go on. The service lets a
# station wait after five.
_PAUSE_MS = 2500
TRIES = 3

FindSources = Callable[[], Sequence[FrameSource]]

NOTHING_NEEDED = FaceRequirements(
    login_enabled=True, challenge="off", allowed_devices_only=False, refuse_virtual_cameras=False
)
"""What holds where the service does not say."""


@dataclass(frozen=True, slots=True)
class _Preparation:
    """What was found out before the camera starts."""

    sources: Sequence[FrameSource]
    needed: FaceRequirements
    device_token: str


class FaceLogin(QObject):
    """Films while it runs, sends the sharpest good picture, and tells a `Viewfinder` what happens."""

    loggedIn = Signal(object)  # noqa: N815 - Qt's way
    """The `Payload` of the person whose face it was."""
    cameraChosen = Signal(str)  # noqa: N815 - Qt's way
    """The name of the camera that a person chose."""
    requirementsRead = Signal(object)  # noqa: N815 - Qt's way
    """The `FaceRequirements` of the service."""

    def __init__(
        self,
        session: Session,
        view: Viewfinder,
        device: DeviceToken,
        *,
        find_sources: FindSources = sources,
        preferred: str = "",
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._view = view
        self._device = device
        self._needed = NOTHING_NEEDED
        self._token = ""
        self._find_sources = find_sources
        self._preferred = preferred
        self._sources: list[FrameSource] = []
        self._feed = CameraFeed(self)
        self._challenge = ChallengeFilm(session, self._feed, view, self)
        # Once the service has asked this person for a challenge, no further picture is tried.
        self._challenge_needed = False
        self._good = 0
        self._nobody = 0
        self._tries = 0
        self._sending = False
        self._running = False
        self._blocked = False
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._wait = Countdown(self)
        self._wait.counted.connect(self._counted)
        self._feed.frameReady.connect(view.show_frame)
        self._feed.frameAnalysed.connect(self._looked)
        self._feed.stateChanged.connect(self._state_changed)
        self.by_challenge = False
        """Whether the person who logged in last moved the head."""
        self._challenge.loggedIn.connect(self._logged_in_by_challenge)
        self._challenge.failed.connect(self._failed)
        self._challenge.sending.connect(lambda: view.show_hint(self.tr("Checking…"), 1.0))
        view.another_movement_requested.connect(self._try_another)
        view.camera_chosen.connect(self._choose)
        view.action_clicked.connect(self._act)

    @property
    def running(self) -> bool:
        """True between `start` and `stop`."""
        return self._running

    def start(self) -> None:
        """Look for a camera and film."""
        if self._running:
            return
        self._running = True
        self._good = self._tries = self._nobody = 0
        self._blocked = self._challenge_needed = self.by_challenge = False
        self._challenge.forget_person()
        self._view.show_waiting(self.tr("Starting camera…"))
        prepare = self._session, self._find_sources, self._device
        run(_prepare, *prepare, owner=self, done=self._prepared, failed=lambda _: self._set_sources([]))

    def stop(self) -> None:
        """Release the camera."""
        self._running = False
        self._wait.stop()
        self._pause.stop()
        self._challenge.stop()
        self._feed.stop()

    def _prepared(self, preparation: _Preparation) -> None:
        if not self._running:
            return
        self._needed, self._token = preparation.needed, preparation.device_token
        self.requirementsRead.emit(preparation.needed)
        if preparation.needed.allowed_devices_only and not preparation.device_token:
            self._block(
                self.tr(
                    "Face login is not allowed on this computer. Log in with your password. An administrator "
                    "can allow it under Administration, Face login."
                ),
                "",
            )
            return
        real = [source for source in preparation.sources if not is_virtual(source)]
        if preparation.needed.refuse_virtual_cameras and preparation.sources and not real:
            self._view.set_cameras([], "")
            self._block(
                self.tr(
                    "Only a virtual camera was found, and an administrator does not permit these. Connect "
                    "another camera, or log in with your password."
                ),
                self.tr("Search for cameras"),
            )
            return
        self._set_sources(real if preparation.needed.refuse_virtual_cameras else preparation.sources)

    def _set_sources(self, sources: Sequence[FrameSource]) -> None:
        if not self._running:
            return
        self._sources = list(sources)
        if not self._sources:
            self._view.set_cameras([], "")
            self._view.show_sentence(
                self.tr("No camera found. Log in with your password or a photo file."),
                self.tr("Search for cameras"),
            )
            return
        by_name = {source.name: source for source in self._sources}
        self._film(by_name.get(self._preferred, self._sources[0]))

    def _film(self, source: FrameSource) -> None:
        self._view.set_cameras([camera.name for camera in self._sources], source.name)
        self._feed.start(source)

    def _choose(self, name: str) -> None:
        for source in self._sources:
            if source.name == name:
                self._preferred = name
                self.cameraChosen.emit(name)
                self._film(source)
                return

    def _act(self) -> None:
        """The button of the viewfinder: look for cameras again, or try again."""
        if self._running:
            self.stop()
            self.start()

    def _state_changed(self, state: FeedState) -> None:
        self._good = 0
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

    def _looked(self, analysis: FrameAnalysis) -> None:
        self._view.show_face(analysis.face)
        if self._challenge.running or self._sending or self._blocked or self._wait.left:
            return
        if self._pause.isActive():
            return
        self._nobody = self._nobody + 1 if analysis.hint is Hint.NO_FACE else 0
        if self._nobody >= _GONE_LOOKS:
            self._tries = self._good = 0
            self._challenge_needed = False
            self._view.offer_another_movement(False)
            self._challenge.forget_person()
        self._good = self._good + 1 if analysis.hint is Hint.GOOD else max(0, self._good - 1)
        self._view.show_hint(self._view.hint_text(analysis.hint), self._good / GOOD_LOOKS)
        if self._good < GOOD_LOOKS:
            return
        if self._challenge_needed or self._needed.challenge == "always":
            self._challenge.start(self._token)
        else:
            shot = self._feed.best(seconds=2.0)
            if shot is not None:
                self._send(shot)

    def _send(self, shot: CapturedFrame) -> None:
        self._sending = True
        self._view.show_hint(self.tr("Checking…"), 1.0)
        run(
            _log_in,
            self._session,
            shot,
            self._token,
            owner=self,
            done=self._logged_in,
            failed=self._failed,
        )

    def _try_another(self) -> None:
        """Leave out the movement that this person cannot make, and begin a new challenge."""
        self._pause.stop()
        self._challenge.avoid_shown()
        self._challenge.start(self._token)

    def _logged_in_by_challenge(self, payload: Payload) -> None:
        self.by_challenge = True
        self._logged_in(payload)

    def _logged_in(self, payload: Payload) -> None:
        self._sending = False
        self.stop()
        self.loggedIn.emit(payload)

    def _failed(self, error: Exception) -> None:
        self._sending = False
        self._good = 0
        if not self._running:
            return
        if isinstance(error, TooMany):
            self._wait.start(round(error.retry_after))
        elif isinstance(error, Forbidden):
            self._block(sentence(error), "")
        elif isinstance(error, ChoppyFilmError):
            self._say_failure(
                self.tr("The camera is too slow for this. More light helps, or log in with your password.")
            )
        elif (
            isinstance(error, Refused)
            and error.server_message == CHALLENGE_NEEDED
            and not self._challenge_needed
        ):
            # No failure of the person, who is there and looks into the camera.
            self._challenge_needed = True
            self._challenge.start(self._token)
        elif isinstance(error, Refused):
            self._tries += 1
            if self._tries >= TRIES:
                self._block(
                    self.tr("The movements were not seen. Log in with your password, or try again.")
                    if error.server_message == NOT_SHOWN
                    else self.tr("Face not recognized. Log in with your password, or try again."),
                    self.tr("Retry"),
                )
            else:
                self._say_failure(self._refusal(error))
                # There is time to find the button now; while it is filmed there is little.
                self._view.offer_another_movement(error.server_message == NOT_SHOWN)
        else:
            self._say_failure(sentence(error))

    def _refusal(self, error: Refused) -> str:
        if error.server_message == NOT_SHOWN:
            return self.tr("The movement was not seen. Try again when the arrow appears.")
        return self.tr("Not recognized. Look straight into the camera.")

    def _say_failure(self, text: str) -> None:
        self._view.show_hint(text)
        self._pause.start()

    def _block(self, text: str, action: str) -> None:
        self._blocked = True
        self._challenge.stop()
        self._feed.stop()
        self._view.show_sentence(text, action)

    def _counted(self, left: int) -> None:
        if left:
            self._view.show_hint(seconds_sentence(left))


def _prepare(session: Session, find_sources: FindSources, device: DeviceToken) -> _Preparation:
    try:
        needed = session.account.face_requirements()
    except ClientError:
        # The login itself says what is wrong.
        needed = NOTHING_NEEDED
    token = device.read() if needed.allowed_devices_only else ""
    try:
        cameras = find_sources()
    except Exception:
        # Whatever a driver raises, there is no camera then.
        cameras = []
    return _Preparation(cameras, needed, token)


def _log_in(session: Session, shot: CapturedFrame, token: str) -> Payload:
    return session.account.login_by_face(shot.jpeg(), token)
