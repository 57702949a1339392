"""Films frames for the answer to a challenge: at even times, small, in memory only."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from desktop.camera.sources import WIDTH, Frame
from shared.images.cv import cv2
from shared.limits import MAX_FRAME_LENGTH, MAX_FRAMES

FRAME_MS = 80
"""The service wants some 12 frames a second; a camera of 15 or 30 gives them."""

# What the service needs at least (`service.face.liveness.decision`): with less it sees no movement.
FEWEST = 12
LONGEST_GAP_MS = 350
# Tried one after the other, until a frame of noise is small enough too.
_QUALITIES = (88, 70, 45, 20)
# Base64 takes four characters for three bytes.
_MOST_BYTES = MAX_FRAME_LENGTH // 4 * 3


@dataclass(frozen=True, slots=True)
class FilmedFrame:
    """A frame as JPEG, not mirrored, `at_ms` after the first one."""

    at_ms: int
    picture: bytes = field(repr=False)


class Film:
    """Takes the frames of `length_ms` from the first one on. Frames come from one thread, and are read by
    another one.
    """

    def __init__(self, length_ms: int) -> None:
        self.length_ms = length_ms
        self._lock = threading.Lock()
        self._frames: list[FilmedFrame] = []
        self._first = 0.0
        self._due = 0
        self._complete = False

    def add(self, frame: Frame, at: float) -> None:
        """Take a frame of the moment `at` (monotonic seconds), if it is time for one. Takes milliseconds."""
        if self._complete:
            return
        if not self._due:
            self._first = at
        at_ms = round((at - self._first) * 1000)
        if at_ms >= self._due:
            taken = FilmedFrame(at_ms, _jpeg(frame))
            # Each at its time, not each so long after the one before: a camera of 15 a second would give 8.
            self._due = (at_ms // FRAME_MS + 1) * FRAME_MS
            with self._lock:
                self._frames.append(taken)
        with self._lock:
            self._complete = at_ms >= self.length_ms or len(self._frames) >= MAX_FRAMES

    @property
    def is_empty(self) -> bool:
        """Whether no frame is taken yet."""
        return not self._due

    @property
    def is_complete(self) -> bool:
        """Whether the film takes no further frames."""
        return self._complete

    def frames(self) -> list[FilmedFrame]:
        """The frames so far."""
        with self._lock:
            return list(self._frames)


def is_choppy(frames: list[FilmedFrame]) -> bool:
    """Whether the camera gave too few frames for a movement to be seen, as cameras do in poor light."""
    gaps = [second.at_ms - first.at_ms for first, second in pairwise(frames)]
    return len(frames) < FEWEST or max(gaps) > LONGEST_GAP_MS


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
        if len(data) <= _MOST_BYTES:
            break
    return data
