"""Opens films: MP4 and MOV by the FFmpeg of OpenCV, Motion JPEG in AVI by OpenCV itself.

OpenCV's FFmpeg is not part of the packaged program, and a call of its stand-in would end the process
(docs/adr/0054-what-is-shipped.md). A film comes from anyone, so the service opens it in a process of its own.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

from shared.images.cv import cv2
from shared.images.formats import film_type

FILM_SUFFIXES: Final = (".mp4", ".mov", ".m4v", ".avi")
"""The suffixes of film files, in lower case."""
MAX_SECONDS: Final = 4 * 3600
MAX_SIDE: Final = 8192
"""The longest side of a frame in px: that of 8K cameras."""

_MAX_FPS: Final = 1000
_USUAL_FPS: Final = 25.0


def _has_ffmpeg() -> bool:
    return not getattr(sys, "frozen", False)


def can_read(suffix: str) -> bool:
    """Return True if this program can read films with this suffix, in lower case."""
    return suffix in FILM_SUFFIXES and (suffix == ".avi" or _has_ffmpeg())


def read_type(path: Path) -> str | None:
    """Return the MIME type of a film by its first bytes; None for any other file. Raises OSError.

    FFmpeg also opens play lists, which name other files: open only what this recognises.
    """
    with path.open("rb") as file:
        return film_type(file.read(16))


def open_capture(path: Path) -> Any:
    """Return an open `cv2.VideoCapture`, or None if the film is damaged or its encoding is not known.

    `path` must have a film by `read_type`.
    """
    for backend in [cv2.CAP_FFMPEG, cv2.CAP_OPENCV_MJPEG] if _has_ffmpeg() else [cv2.CAP_OPENCV_MJPEG]:
        capture = cv2.VideoCapture(str(path.absolute()), backend)
        if capture.isOpened():
            return capture
        capture.release()
    return None


def frames_per_second(capture: Any) -> float:
    """Return the rate of a film; 25 for one that states none or an absurd one."""
    rate = float(capture.get(cv2.CAP_PROP_FPS))
    return rate if 0 < rate <= _MAX_FPS else _USUAL_FPS


def is_within_limits(capture: Any) -> bool:
    """Whether a film has frames, at most `MAX_SECONDS` of them, and none longer than `MAX_SIDE` px."""
    count = int(capture.get(cv2.CAP_PROP_FRAME_COUNT))
    side = max(capture.get(cv2.CAP_PROP_FRAME_WIDTH), capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
    return 1 <= count <= MAX_SECONDS * frames_per_second(capture) and 0 < side <= MAX_SIDE


def read_frame(capture: Any) -> Any:
    """Return the next frame, uint8 of height x width x 3 in BGR; None if it cannot be decoded."""
    try:
        good, pixels = capture.read()
    except cv2.error:
        return None
    return pixels if good and pixels is not None and pixels.ndim == 3 and pixels.shape[2] == 3 else None
