"""Makes small films for the tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from shared.images.cv import cv2

FPS = 10


def make_film(path: Path, count: int = 40, size: tuple[int, int] = (320, 240)) -> Path:
    """A film at `FPS` whose frame n is grey 40 + 4 n: Motion JPEG in AVI, MPEG-4 in MP4 and MOV."""
    code = "MJPG" if path.suffix == ".avi" else "mp4v"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*code), FPS, size)
    assert writer.isOpened()
    for number in range(count):
        writer.write(np.full((size[1], size[0], 3), 40 + 4 * number, np.uint8))
    writer.release()
    return path
