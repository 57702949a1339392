"""Films the answer to a challenge of a face login: one instruction at a time, then the service decides."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.background.workers import Task, run
from desktop.camera import CameraFeed, Film, FilmedFrame, is_choppy
from desktop.client import Session
from desktop.pages.common.faces.instruction import Instruction
from desktop.pages.common.faces.viewfinder import Viewfinder
from shared.wire.account import Payload
from shared.wire.face import ChallengeStep, DrawnChallenge, MovementName

LONGEST_MS = 4000
"""A film is never longer, whatever the challenge allows: a person who follows is done by then."""

_TICK_MS = 40
_TURNS: frozenset[MovementName] = frozenset(("left", "right", "up"))
# The most movements that the service leaves out.
_MOST_AVOIDED = 3


class ChoppyFilmError(Exception):
    """The camera gave too few frames: nothing was sent."""


class ChallengeFilm(QObject):
    """Draws a challenge, films its movements and logs in with the film; one at a time.

    Frames are in memory only, until the service has answered.
    """

    loggedIn = Signal(object)  # noqa: N815 - Qt's way
    """The `Payload` of the person who moved the head."""
    failed = Signal(object)
    """Why not: the Exception of the draw, of the login, or `ChoppyFilmError`."""
    sending = Signal()
    """The film is complete, and the service looks at it."""

    def __init__(
        self, session: Session, feed: CameraFeed, view: Viewfinder, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._feed = feed
        self._view = view
        self._token = ""
        self._avoided: list[MovementName] = []
        self._shown: MovementName | None = None
        self._challenge: DrawnChallenge | None = None
        self._film: Film | None = None
        self._task: Task | None = None
        self._began = 0.0
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._show_step)
        feed.filmStarted.connect(self._film_began)
        feed.filmReady.connect(self._filmed)
        self._running = False

    @property
    def running(self) -> bool:
        """True from `start` until the login worked, failed or was stopped."""
        return self._running

    def start(self, device_token: str = "") -> None:
        """Draw a challenge and film it, on the device with this token. The feed must be live."""
        self.stop()
        self._running = True
        self._token = device_token
        self._view.show_face(None)
        self._view.offer_another_movement(True)
        self._look_ahead()
        self._task = run(
            self._session.account.draw_challenge,
            tuple(self._avoided),
            device_token,
            owner=self,
            done=self._drawn,
            failed=self._fail,
        )

    def stop(self) -> None:
        """Drop the challenge and what was filmed."""
        self._running = False
        self._challenge = self._film = None
        self._tick.stop()
        self._feed.cancel_film()
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._view.show_instruction(None)
        self._view.offer_another_movement(False)

    def avoid_shown(self) -> None:
        """Ask for another movement from now on than the one that was shown last."""
        if self._shown is not None:
            self._avoided = avoiding(self._avoided, self._shown)

    def forget_person(self) -> None:
        """Someone else is there: every movement may be asked for again."""
        self._avoided = []
        self._shown = None

    def _drawn(self, challenge: DrawnChallenge) -> None:
        self._challenge = challenge
        # A person who knows at once that they cannot make it need not wait for the arrow.
        self._shown = challenge.steps[0].movement
        self._film = self._feed.film(min(LONGEST_MS, challenge.steps[-1].to_ms))

    def _film_began(self, film: Film) -> None:
        if film is self._film:
            self._began = monotonic()
            self._tick.start()
            self._show_step()

    def _passed_ms(self) -> float:
        return (monotonic() - self._began) * 1000 if self._tick.isActive() else 0.0

    def _step(self, passed_ms: float) -> ChallengeStep | None:
        """The movement that is asked for by now; None before the first one."""
        if self._challenge is None:
            return None
        started = [step for step in self._challenge.steps if step.from_ms <= passed_ms]
        return started[-1] if started else None

    def _show_step(self) -> None:
        passed = self._passed_ms()
        step = self._step(passed)
        if step is None:
            self._look_ahead()
            return
        self._shown = step.movement
        ends = min(step.to_ms, LONGEST_MS)
        left = max(0.0, (ends - passed) / max(1, ends - step.from_ms))
        self._view.show_instruction(Instruction(step.movement, self._sentence(step.movement), left))

    def _look_ahead(self) -> None:
        self._view.show_hint(self.tr("Follow the arrow when it appears"))
        self._view.show_instruction(Instruction(None, self.tr("Look straight ahead"), 1.0))

    def _sentence(self, movement: MovementName) -> str:
        match movement:
            case "left":
                return self.tr("Turn your head to the left")
            case "right":
                return self.tr("Turn your head to the right")
            case "up":
                return self.tr("Raise your chin")
            case "closer":
                return self.tr("Move closer to the camera")

    def _filmed(self, film: Film) -> None:
        if film is not self._film or self._challenge is None:
            return
        self._tick.stop()
        self._film = None
        frames = film.frames()
        self._view.show_instruction(None)
        self._view.offer_another_movement(False)
        if is_choppy(frames):
            self._fail(ChoppyFilmError())
            return
        self.sending.emit()
        self._task = run(
            _log_in,
            self._session,
            self._challenge.challenge_id,
            frames,
            self._token,
            owner=self,
            done=self._done,
            failed=self._fail,
        )

    def _done(self, payload: Payload) -> None:
        self.stop()
        self.loggedIn.emit(payload)

    def _fail(self, error: Exception) -> None:
        self.stop()
        self.failed.emit(error)


def avoiding(avoided: Sequence[MovementName], more: MovementName) -> list[MovementName]:
    """The movements to leave out when `more` is one of them too; the oldest ones come back where the service
    would have no turn left.
    """
    left_out = [each for each in avoided if each != more] + [more]
    while len(left_out) > _MOST_AVOIDED or (left_out and not _TURNS - set(left_out)):
        left_out.pop(0)
    return left_out


def _log_in(session: Session, challenge_id: str, frames: Sequence[FilmedFrame], token: str) -> Payload:
    filmed = [(frame.at_ms, frame.picture) for frame in frames]
    return session.account.login_by_challenge(challenge_id, filmed, token)
