"""Records the answer to a challenge of the head. It shows one instruction at a time; the service decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.background.workers import Task, run
from desktop.camera import CameraFeed, Film, FilmedFrame, is_choppy
from desktop.client import Session
from desktop.pages.common.faces.instruction import Instruction
from desktop.pages.common.faces.viewfinder import Viewfinder
from shared.wire.face import ChallengeStep, DrawnChallenge, MovementName

MAX_FILM_MS = 4000
"""Maximum length of a film, whatever the challenge allows. The movements are complete by then."""

_TICK_MS = 40
_TURNS: frozenset[MovementName] = frozenset(("left", "right", "up"))
# Maximum number of movements that the service leaves out.
_MAX_AVOIDED = 3


SendFilm = Callable[[str, Sequence[tuple[int, bytes]], str], object]
"""Sends the answer to a challenge: its id, times in ms with pictures, and the token of the device."""


class ChoppyFilmError(Exception):
    """The camera gave too few frames, so nothing was sent."""


class ChallengeFilm(QObject):
    """Draws a challenge, records its movements and sends the film by `send`.

    Frames are kept in memory until the service has answered.
    """

    answered = Signal(object)
    """What `send` returned."""
    failed = Signal(object)
    """The exception of drawing the challenge or of `send`, or `ChoppyFilmError`."""
    sending = Signal()
    """The film is complete and is being sent."""

    def __init__(
        self,
        session: Session,
        feed: CameraFeed,
        view: Viewfinder,
        send: SendFilm,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._feed = feed
        self._view = view
        self._send = send
        self._device_token = ""
        self._avoided_movements: list[MovementName] = []
        self._shown_movement: MovementName | None = None
        self._challenge: DrawnChallenge | None = None
        self._film: Film | None = None
        self._task: Task | None = None
        self._start_time = 0.0
        self._step_timer = QTimer(self, interval=_TICK_MS)
        self._step_timer.timeout.connect(self._show_step)
        feed.film_started.connect(self._on_film_started)
        feed.film_ready.connect(self._on_film_ready)
        self._is_running = False

    @property
    def is_running(self) -> bool:
        """True from `start` until the film was answered, failed or was stopped."""
        return self._is_running

    def start(self, device_token: str = "") -> None:
        """Draw a challenge and record it, on the device with this token. The feed must be live."""
        self.stop()
        self._is_running = True
        self._device_token = device_token
        self._view.show_face(None)
        self._view.offer_another_movement(True)
        self._show_look_ahead()
        self._task = run(
            self._session.account.draw_challenge,
            tuple(self._avoided_movements),
            device_token,
            owner=self,
            done=self._on_challenge_drawn,
            failed=self._fail,
        )

    def stop(self) -> None:
        """Discard the challenge and the film."""
        self._is_running = False
        self._challenge = self._film = None
        self._step_timer.stop()
        self._feed.cancel_film()
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._view.show_instruction(None)
        self._view.offer_another_movement(False)

    def avoid_shown_movement(self) -> None:
        """Leave out the movement that was shown last in later challenges."""
        if self._shown_movement is not None:
            self._avoided_movements = add_avoided(self._avoided_movements, self._shown_movement)

    def reset_person(self) -> None:
        """Allow all movements again, because another person may be in front of the camera."""
        self._avoided_movements = []
        self._shown_movement = None

    def _on_challenge_drawn(self, challenge: DrawnChallenge) -> None:
        self._challenge = challenge
        # The button for another movement works before the arrow appears.
        self._shown_movement = challenge.steps[0].movement
        self._film = self._feed.film(min(MAX_FILM_MS, challenge.steps[-1].to_ms))

    def _on_film_started(self, film: Film) -> None:
        if film is self._film:
            self._start_time = monotonic()
            self._step_timer.start()
            self._show_step()

    def _elapsed_ms(self) -> float:
        return (monotonic() - self._start_time) * 1000 if self._step_timer.isActive() else 0.0

    def _step_at(self, elapsed_ms: float) -> ChallengeStep | None:
        """The requested movement at this time; None before the first one."""
        if self._challenge is None:
            return None
        started = [step for step in self._challenge.steps if step.from_ms <= elapsed_ms]
        return started[-1] if started else None

    def _show_step(self) -> None:
        elapsed = self._elapsed_ms()
        step = self._step_at(elapsed)
        if step is None:
            self._show_look_ahead()
            return
        self._shown_movement = step.movement
        ends = min(step.to_ms, MAX_FILM_MS)
        remaining = max(0.0, (ends - elapsed) / max(1, ends - step.from_ms))
        self._view.show_instruction(Instruction(step.movement, self._sentence(step.movement), remaining))

    def _show_look_ahead(self) -> None:
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

    def _on_film_ready(self, film: Film) -> None:
        if film is not self._film or self._challenge is None:
            return
        self._step_timer.stop()
        self._film = None
        frames = film.frames()
        self._view.show_instruction(None)
        self._view.offer_another_movement(False)
        if is_choppy(frames):
            self._fail(ChoppyFilmError())
            return
        self.sending.emit()
        self._task = run(
            _send_film,
            self._send,
            self._challenge.challenge_id,
            frames,
            self._device_token,
            owner=self,
            done=self._on_answered,
            failed=self._fail,
        )

    def _on_answered(self, answer: object) -> None:
        self.stop()
        self.answered.emit(answer)

    def _fail(self, error: Exception) -> None:
        self.stop()
        self.failed.emit(error)


def add_avoided(movements: Sequence[MovementName], movement: MovementName) -> list[MovementName]:
    """Add a movement to those that challenges leave out.

    The oldest ones are removed if there are too many or if no turn of the head would be left.
    """
    avoided = [other for other in movements if other != movement] + [movement]
    while len(avoided) > _MAX_AVOIDED or (avoided and not _TURNS - set(avoided)):
        avoided.pop(0)
    return avoided


def _send_film(send: SendFilm, challenge_id: str, frames: Sequence[FilmedFrame], token: str) -> object:
    return send(challenge_id, [(frame.at_ms, frame.picture) for frame in frames], token)
