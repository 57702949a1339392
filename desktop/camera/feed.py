"""Films for a page: frames at a bounded rate, one hint at a time, the sharpest of the last frames."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.camera.film import Film
from desktop.camera.hints import Face, FrameAnalysis, analyse_frame, faces_in, far_faces_in
from desktop.camera.sources import Frame, FrameSource, SourceError
from shared.images.cv import cv2

FRAMES_PER_SECOND = 15
_LOOK_EVERY = 3
# How often a distant face is searched for while none is near: it is costly, and only gives a hint.
_LOOK_FAR_EVERY = 15
_KEPT = 8
_JPEG_QUALITY = 95
# A camera that gives no frame for this long (s) was unplugged; this long (s) until it is tried again.
_LOST_AFTER = 1.0
_TRY_AGAIN = 1.0


class FeedState(StrEnum):
    """How the feed is."""

    IDLE = "idle"
    OPENING = "opening"
    LIVE = "live"
    UNAVAILABLE = "unavailable"
    """The source cannot be opened: not there or in use. It is tried again."""
    LOST = "lost"
    """It was live and stopped, as a camera that is unplugged. It is tried again."""


class Looked(Protocol):
    """What a look at a frame says of it."""

    @property
    def is_good(self) -> bool:
        """Whether the frame is worth taking."""

    @property
    def sharpness(self) -> float:
        """Higher is sharper."""


class FrameLooker(Protocol):
    """Looks at the frames of one start, on the filming thread."""

    def look(self, frame: Frame) -> Looked | None:
        """What the frame shows; None for a frame that is not looked at."""


class FaceLooker:
    """Looks at every third frame for faces."""

    def __init__(self) -> None:
        self._number = 0
        self._previous: Face | None = None
        self._far: list[Face] = []

    def look(self, frame: Frame) -> FrameAnalysis | None:
        """The faces of the frame and the hint to show; None for frames in between."""
        number, self._number = self._number, self._number + 1
        if number % _LOOK_EVERY:
            return None
        near = faces_in(frame, self._previous)
        if near:
            self._far = []
        elif number % _LOOK_FAR_EVERY == 0:
            self._far = far_faces_in(frame)
        analysis = analyse_frame(frame, near or self._far)
        self._previous = analysis.face
        return analysis


@dataclass(frozen=True, slots=True, repr=False)
class CapturedFrame:
    """One frame worth sending, in memory only."""

    frame: Frame
    look: Looked
    taken: float
    """Monotonic seconds."""

    def jpeg(self) -> bytes:
        """The frame as JPEG. Takes milliseconds: not for the GUI thread."""
        good, data = cv2.imencode(".jpg", self.frame, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
        if not good:
            raise ValueError("the frame cannot be encoded")
        return bytes(data)


@dataclass(slots=True, repr=False)
class _FilmState:
    """What the filming thread and the GUI thread share of one start."""

    recent: deque[CapturedFrame] = field(default_factory=lambda: deque(maxlen=_KEPT))
    film: Film | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    shown: threading.Event = field(default_factory=threading.Event)
    """Set while the GUI is ready for another frame; frames that come too fast are dropped, not queued."""


@dataclass(frozen=True, slots=True)
class _FilmNews:
    """A film began, or is complete."""

    film: Film
    complete: bool


class _Running:
    """The task of a feed; outlives the feed's C++ half."""

    def __init__(self) -> None:
        self.task: Task | None = None

    def cancel(self) -> None:
        if self.task is not None:
            self.task.cancel()
            self.task = None


class CameraFeed(QObject):
    """Films one source off the GUI thread and emits frames and hints.

    A source that is unplugged is waited for. `stop`, or the end of this object, releases it.
    """

    frameReady = Signal(QImage)  # noqa: N815 - Qt's way
    """A frame, not mirrored, at most `FRAMES_PER_SECOND` times a second."""
    looked = Signal(object)
    """What was `Looked` at in a frame (`FrameAnalysis` without another looker), a few times a second."""
    stateChanged = Signal(object)  # noqa: N815 - Qt's way
    """The new `FeedState`."""
    filmBegan = Signal(object)  # noqa: N815 - Qt's way
    """The first frame of this `Film` is taken."""
    filmed = Signal(object)
    """This `Film` is complete."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = FeedState.IDLE
        self._source: FrameSource | None = None
        self._running = _Running()
        self._reel = _FilmState()
        # The owner of a task that goes drops its callbacks but not the work: the camera must be let go.
        self.destroyed.connect(self._running.cancel)

    @property
    def state(self) -> FeedState:
        """How the feed is."""
        return self._state

    @property
    def source(self) -> FrameSource | None:
        """What is being filmed, or was last."""
        return self._source

    def start(self, source: FrameSource, looker: FrameLooker | None = None) -> None:
        """Film `source` from now on, instead of what was filmed before. None as `looker`: faces."""
        self.stop()
        self._source = source
        self._reel.shown.set()
        self._tell(FeedState.OPENING)
        self._running.task = run(
            _film,
            source,
            looker or FaceLooker(),
            self._reel,
            owner=self,
            failed=self._failed,
            progress=self._arrived,
            lane=Lane.LONG,
        )

    def stop(self) -> None:
        """Stop filming; the filming thread releases the source after its current frame."""
        self._running.cancel()
        # The filming thread may still add to the old one.
        self._reel = _FilmState()
        self._tell(FeedState.IDLE)

    def film(self, length_ms: int) -> Film:
        """Film `length_ms` from the next frame on, instead of an earlier film; faces are not looked for
        meanwhile.

        `stop` or `cancel_film` ends it without `filmed`.
        """
        film = Film(length_ms)
        self._reel.film = film
        return film

    def cancel_film(self) -> None:
        """Drop the film that is being taken, and its frames."""
        self._reel.film = None

    def best(self, seconds: float = 1.0) -> CapturedFrame | None:
        """The sharpest shot of the last `seconds` that needs no hint; None when there is none.

        It is taken out: the next call gives another.
        """
        newest = time.monotonic() - seconds
        with self._reel.lock:
            good = [shot for shot in self._reel.recent if shot.look.is_good and shot.taken >= newest]
            if not good:
                return None
            self._reel.recent.clear()
        return max(good, key=lambda shot: shot.look.sharpness)

    def _arrived(self, news: object) -> None:
        if isinstance(news, QImage):
            self._tell(FeedState.LIVE)
            self._reel.shown.set()
            self.frameReady.emit(news)
        elif isinstance(news, FeedState):
            self._tell(news)
        elif isinstance(news, _FilmNews):
            # One that was dropped meanwhile is no news.
            if news.film is self._reel.film:
                if news.complete:
                    self._reel.film = None
                    self.filmed.emit(news.film)
                else:
                    self.filmBegan.emit(news.film)
        else:
            self.looked.emit(news)

    def _failed(self, error: Exception) -> None:
        self._running.task = None
        self._tell(FeedState.UNAVAILABLE)
        raise error

    def _tell(self, state: FeedState) -> None:
        if state is not self._state:
            self._state = state
            self.stateChanged.emit(state)


def _film(report: ProgressReport, source: FrameSource, looker: FrameLooker, reel: _FilmState) -> None:
    lost = FeedState.UNAVAILABLE
    while True:
        try:
            source.open()
            _film_until_lost(report, source, looker, reel)
            lost = FeedState.LOST
        except SourceError:
            pass
        finally:
            source.close()
        report(lost)
        report.wait(_TRY_AGAIN)


def _film_until_lost(
    report: ProgressReport, source: FrameSource, looker: FrameLooker, reel: _FilmState
) -> None:
    """Film until no frame came for a while."""
    last = due = time.monotonic()
    while time.monotonic() - last < _LOST_AFTER:
        report.check()
        frame = source.read()
        if frame is None:
            report.wait(0.05)
            continue
        last = time.monotonic()
        if reel.shown.is_set():
            reel.shown.clear()
            report(as_image(frame))
        film = reel.film
        look = None
        if film is None:
            look = looker.look(frame)
        elif not film.is_complete:
            begins = film.is_empty
            film.add(frame, last)
            if begins or film.is_complete:
                report(_FilmNews(film, film.is_complete))
        if look is not None:
            with reel.lock:
                reel.recent.append(CapturedFrame(frame, look, last))
            report(look)
        # Cameras set the pace themselves; files and fast cameras are slowed down to it. A look may take
        # longer than a camera is waited for.
        now = last = time.monotonic()
        due = max(due + 1 / FRAMES_PER_SECOND, now)
        report.wait(due - now)


def as_image(frame: Frame) -> QImage:
    """A QImage with a copy of the frame."""
    height, width = frame.shape[:2]
    return QImage(frame.data, width, height, frame.strides[0], QImage.Format.Format_BGR888).copy()
