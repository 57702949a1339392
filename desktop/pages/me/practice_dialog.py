"""Lets the user try the movements of the head, with the reason when they fail."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtWidgets import QWidget

from desktop.background.workers import run
from desktop.camera import FeedState, sources
from desktop.client import Session
from desktop.client.device_token import DeviceToken
from desktop.messages.error_messages import challenge_sentence, sentence
from desktop.pages.login.challenge import ChallengeFilm, ChoppyFilmError
from desktop.pages.login.face_login import FindSources
from desktop.pages.me.camera_dialog import CameraDialog
from desktop.widgets import Button, ButtonKind
from shared.wire.face import ChallengePractice


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
