"""Frames for camera tests: a public-domain face of scikit-image on a plain wall, at any size and place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import skimage.data

from desktop.camera.sources import Frame
from shared.images.cv import cv2


def face_frame(
    width: float = 0.35, x: float = 0.5, y: float = 0.5, light: float = 1.0, blur: int = 0
) -> Frame:
    """A frame of 640 x 480 with a face `width` (fraction of the frame) wide, centred at `x`, `y`."""
    head = skimage.data.astronaut()[20:240, 130:320, ::-1]
    scale = width * 640 / 105
    head = cv2.resize(head, None, fx=scale, fy=scale)
    frame = np.full((480, 640, 3), 120, dtype=np.uint8)
    _paste(frame, head, round(x * 640 - 95 * scale), round(y * 480 - 100 * scale))
    frame = np.clip(frame * light, 0, 255).astype(np.uint8)
    return np.asarray(cv2.GaussianBlur(frame, (0, 0), blur), np.uint8) if blur else frame


def two_faces() -> Frame:
    frame = face_frame(0.25, x=0.27)
    other = face_frame(0.25, x=0.73)
    frame[:, 320:] = other[:, 320:]
    return frame


def empty_frame() -> Frame:
    return np.full((480, 640, 3), 120, dtype=np.uint8)


def _paste(frame: Frame, picture: Frame, left: int, top: int) -> None:
    height, width = frame.shape[:2]
    x1, y1 = max(0, left), max(0, top)
    x2, y2 = min(width, left + picture.shape[1]), min(height, top + picture.shape[0])
    frame[y1:y2, x1:x2] = picture[y1 - top : y2 - top, x1 - left : x2 - left]


def write(path: Path, frame: Frame) -> Path:
    """Write `frame` as a picture at `path`, whatever characters it has."""
    good, data = cv2.imencode(path.suffix, frame)
    assert good
    path.write_bytes(bytes(data))
    return path
