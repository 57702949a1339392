"""Reads a camera for a page: frames at a limited rate, analyses, and the sharpest of the last frames.

Frames for the answer to a challenge are recorded at regular times, small, in memory only.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import Protocol

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.camera.hints import FaceFinder, FrameAnalysis, Hint, analyse_frame
from desktop.camera.sources import WIDTH, Frame, FrameSource, SourceError
from shared.images.cv import cv2
from shared.limits import MAX_FRAME_LENGTH, MAX_FRAMES

FRAME_MS = 80
"""The service needs about 12 frames a second, which cameras with 15 or 30 provide."""

# Limits of the service (`service.face.liveness.decision`) for recognizing a movement.
MIN_FRAMES = 12
MAX_GAP_MS = 350
# JPEG qualities that are tried until the frame is small enough.
_QUALITIES = (88, 70, 45, 20)
# Base64 takes four characters for three bytes.
_MAX_BYTES = MAX_FRAME_LENGTH // 4 * 3


@dataclass(frozen=True, slots=True)
class FilmedFrame:
    """A frame as JPEG, not mirrored, `at_ms` after the first one."""

    at_ms: int
    picture: bytes = field(repr=False)


class Film:
    """A recording of `length_ms`, which begins with the first frame.

    One thread adds frames, another one may read them.
    """

    def __init__(self, length_ms: int) -> None:
        self.length_ms = length_ms
        self._lock = threading.Lock()
        self._frames: list[FilmedFrame] = []
        self._start_time = 0.0
        self._next_ms = 0
        self._complete = False

    def add(self, frame: Frame, time: float) -> None:
        """Take a frame of the moment `time` (monotonic seconds), if it is time for one. Takes
        milliseconds."""
        if self._complete:
            return
        if not self._next_ms:
            self._start_time = time
        at_ms = round((time - self._start_time) * 1000)
        if at_ms >= self._next_ms:
            filmed_frame = FilmedFrame(at_ms, _jpeg(frame))
            # Due times are multiples of FRAME_MS. Counting from the previous frame would halve 15 frames a
            # second.
            self._next_ms = (at_ms // FRAME_MS + 1) * FRAME_MS
            with self._lock:
                self._frames.append(filmed_frame)
        with self._lock:
            self._complete = at_ms >= self.length_ms or len(self._frames) >= MAX_FRAMES

    @property
    def is_empty(self) -> bool:
        """Whether no frame was recorded yet."""
        return not self._next_ms

    @property
    def is_complete(self) -> bool:
        """Whether the film accepts no further frames."""
        return self._complete

    def frames(self) -> list[FilmedFrame]:
        """The frames so far."""
        with self._lock:
            return list(self._frames)


def is_choppy(frames: list[FilmedFrame]) -> bool:
    """Whether the camera gave too few frames to recognize a movement, as cameras do in poor light."""
    gaps = [second.at_ms - first.at_ms for first, second in pairwise(frames)]
    return len(frames) < MIN_FRAMES or max(gaps) > MAX_GAP_MS


def _jpeg(frame: Frame) -> bytes:
    height, width = frame.shape[:2]
    if width > WIDTH:
        size = WIDTH, max(1, round(height * WIDTH / width))
        frame = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)
    data = b""
    for quality in _QUALITIES:
        good, encoded = cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, quality])
        if not good:
            raise ValueError("the frame cannot be encoded")
        data = bytes(encoded)
        if len(data) <= _MAX_BYTES:
            break
    return data


FRAMES_PER_SECOND = 15
_ANALYSE_EVERY = 3
_MAX_RECENT = 8
_JPEG_QUALITY = 95
# Seconds without a frame after which a camera counts as unplugged, and seconds until it is tried again.
_LOST_SECONDS = 1.0
_RETRY_SECONDS = 1.0


class FeedState(StrEnum):
    """The state of a feed."""

    IDLE = "idle"
    OPENING = "opening"
    LIVE = "live"
    UNAVAILABLE = "unavailable"
    """The source cannot be opened: it is missing or in use. It is tried again."""
    LOST = "lost"
    """The source stopped, such as a camera that was unplugged. It is tried again."""


class FrameResult(Protocol):
    """The result of analysing a frame."""

    @property
    def is_good(self) -> bool:
        """Whether the frame can be used."""

    @property
    def sharpness(self) -> float:
        """The sharpness. Higher is sharper."""


class FrameAnalyser(Protocol):
    """Analyses the frames of one start, on the camera thread."""

    def analyse(self, frame: Frame) -> FrameResult | None:
        """Analyse a frame. Returns None for a frame that is skipped."""


class FaceAnalyser:
    """Searches every third frame for faces."""

    def __init__(self) -> None:
        self._number = 0
        self._finder: FaceFinder | None = None

    def analyse(self, frame: Frame) -> FrameAnalysis | None:
        """Find the faces of the frame and the hint to show. Returns None for frames in between."""
        number, self._number = self._number, self._number + 1
        if number % _ANALYSE_EVERY:
            return None
        # Loaded on the camera thread, in 10 ms.
        self._finder = self._finder or FaceFinder()
        if not self._finder.is_ready:
            return FrameAnalysis(Hint.NO_DETECTOR, None, 0.0)
        return analyse_frame(frame, self._finder.find(frame))


@dataclass(frozen=True, slots=True, repr=False)
class CapturedFrame:
    """One usable frame, in memory only."""

    frame: Frame
    result: FrameResult
    captured_at: float
    """Monotonic seconds."""

    def jpeg(self) -> bytes:
        """Encode the frame as JPEG. Takes milliseconds: call it off the GUI thread."""
        good, data = cv2.imencode(".jpg", self.frame, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
        if not good:
            raise ValueError("the frame cannot be encoded")
        return bytes(data)


@dataclass(slots=True, repr=False)
class _FilmState:
    """The state of one start that the camera thread and the GUI thread share."""

    recent: deque[CapturedFrame] = field(default_factory=lambda: deque(maxlen=_MAX_RECENT))
    film: Film | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    gui_is_ready: threading.Event = field(default_factory=threading.Event)
    """Set while the GUI is ready for another frame. Frames that come too fast are dropped, not queued."""


@dataclass(frozen=True, slots=True)
class _FilmEvent:
    """The start or the end of a film."""

    film: Film
    complete: bool


class _TaskHandle:
    """Holds the task of a feed. It outlives the feed's C++ object."""

    def __init__(self) -> None:
        self.task: Task | None = None

    def cancel(self) -> None:
        if self.task is not None:
            self.task.cancel()
            self.task = None


class CameraFeed(QObject):
    """Reads one source off the GUI thread and emits frames and analyses.

    An unplugged source is opened again when it is back. `stop` and the deletion of this object release it.
    """

    frame_ready = Signal(QImage)
    """A frame, not mirrored, at most `FRAMES_PER_SECOND` times a second."""
    frame_analysed = Signal(object)
    """The `FrameResult` of a frame, a few times a second: a `FrameAnalysis` unless `start` got an
    analyser."""
    state_changed = Signal(object)
    """The new `FeedState`."""
    film_started = Signal(object)
    """The first frame of this `Film` was recorded."""
    film_ready = Signal(object)
    """This `Film` is complete."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = FeedState.IDLE
        self._source: FrameSource | None = None
        self._task_handle = _TaskHandle()
        self._film_state = _FilmState()
        # A deleted owner of a task drops the callbacks but not the work, and the camera must be released.
        self.destroyed.connect(self._task_handle.cancel)

    @property
    def state(self) -> FeedState:
        """The state of the feed."""
        return self._state

    @property
    def source(self) -> FrameSource | None:
        """The present or last source."""
        return self._source

    def start(self, source: FrameSource, analyser: FrameAnalyser | None = None) -> None:
        """Read `source` instead of the present one. Without an `analyser`, search for faces."""
        self.stop()
        self._source = source
        self._film_state.gui_is_ready.set()
        self._set_state(FeedState.OPENING)
        self._task_handle.task = run(
            _record,
            source,
            analyser or FaceAnalyser(),
            self._film_state,
            owner=self,
            failed=self._on_failed,
            progress=self._on_progress,
            lane=Lane.LONG,
        )

    def stop(self) -> None:
        """Stop reading. The camera thread releases the source after its current frame."""
        self._task_handle.cancel()
        # The camera thread may still add to the old state.
        self._film_state = _FilmState()
        self._set_state(FeedState.IDLE)

    def film(self, length_ms: int) -> Film:
        """Record a film of `length_ms` from the next frame on, which replaces an earlier film.

        Frames are not analysed during the recording.

        `stop` or `cancel_film` ends it without `film_ready`.
        """
        film = Film(length_ms)
        self._film_state.film = film
        return film

    def cancel_film(self) -> None:
        """Discard the film that is being recorded."""
        self._film_state.film = None

    def best(self, seconds: float = 1.0) -> CapturedFrame | None:
        """The sharpest shot of the last `seconds` that needs no hint; None when there is none.

        The frame is removed, so that the next call returns another one.
        """
        earliest = time.monotonic() - seconds
        with self._film_state.lock:
            good_frames = [
                frame
                for frame in self._film_state.recent
                if frame.result.is_good and frame.captured_at >= earliest
            ]
            if not good_frames:
                return None
            self._film_state.recent.clear()
        return max(good_frames, key=lambda frame: frame.result.sharpness)

    def _on_progress(self, event: object) -> None:
        if isinstance(event, QImage):
            self._set_state(FeedState.LIVE)
            self._film_state.gui_is_ready.set()
            self.frame_ready.emit(event)
        elif isinstance(event, FeedState):
            self._set_state(event)
        elif isinstance(event, _FilmEvent):
            # Ignore a film that was discarded in the meantime.
            if event.film is self._film_state.film:
                if event.complete:
                    self._film_state.film = None
                    self.film_ready.emit(event.film)
                else:
                    self.film_started.emit(event.film)
        else:
            self.frame_analysed.emit(event)

    def _on_failed(self, error: Exception) -> None:
        self._task_handle.task = None
        self._set_state(FeedState.UNAVAILABLE)
        raise error

    def _set_state(self, state: FeedState) -> None:
        if state is not self._state:
            self._state = state
            self.state_changed.emit(state)


def _record(
    report: ProgressReport, source: FrameSource, analyser: FrameAnalyser, film_state: _FilmState
) -> None:
    failed_state = FeedState.UNAVAILABLE
    while True:
        try:
            source.open()
            _record_until_lost(report, source, analyser, film_state)
            failed_state = FeedState.LOST
        except SourceError:
            pass
        finally:
            source.close()
        report(failed_state)
        report.wait(_RETRY_SECONDS)


def _record_until_lost(
    report: ProgressReport, source: FrameSource, analyser: FrameAnalyser, film_state: _FilmState
) -> None:
    """Read frames until none came for `_LOST_SECONDS`."""
    last_frame_time = next_frame_time = time.monotonic()
    while time.monotonic() - last_frame_time < _LOST_SECONDS:
        report.check()
        frame = source.read()
        if frame is None:
            report.wait(0.05)
            continue
        last_frame_time = time.monotonic()
        if film_state.gui_is_ready.is_set():
            film_state.gui_is_ready.clear()
            report(as_image(frame))
        film = film_state.film
        result = None
        if film is None:
            result = analyser.analyse(frame)
        elif not film.is_complete:
            is_first = film.is_empty
            film.add(frame, last_frame_time)
            if is_first or film.is_complete:
                report(_FilmEvent(film, film.is_complete))
        if result is not None:
            with film_state.lock:
                film_state.recent.append(CapturedFrame(frame, result, last_frame_time))
            report(result)
        # Files and fast cameras are slowed down to the frame rate. The time is read again, because an
        # analysis may take longer than `_LOST_SECONDS`.
        now = last_frame_time = time.monotonic()
        next_frame_time = max(next_frame_time + 1 / FRAMES_PER_SECOND, now)
        report.wait(next_frame_time - now)


def as_image(frame: Frame) -> QImage:
    """Copy a frame to a QImage."""
    height, width = frame.shape[:2]
    return QImage(frame.data, width, height, frame.strides[0], QImage.Format.Format_BGR888).copy()
