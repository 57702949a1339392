"""Records frames for the answer to a challenge: at regular times, small, in memory only."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from desktop.camera.sources import WIDTH, Frame
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
