"""What a liveness model sees of a picture."""

from __future__ import annotations

import numpy as np
import pytest

from service.face.engines.engine import DetectedFace
from service.face.engines.liveness_models import _surroundings


def face_in(box: tuple[float, float, float, float]) -> DetectedFace:
    points = np.zeros((5, 2), np.float32)
    return DetectedFace(box, points, points[:2], points[2], 1.0)


@pytest.mark.parametrize(
    ("box", "side", "middle"),
    [
        # A narrow box, as YuNet draws it, and a square one, as dlib does.
        ((280, 170, 360, 290), 265, (320, 230)),
        ((275, 180, 375, 280), 270, (325, 230)),
        # In the corner the crop is moved, and a large face leaves the whole height.
        ((0, 0, 100, 100), 270, (135, 135)),
        ((200, 40, 500, 440), 480, (350, 240)),
    ],
    ids=["narrow", "square", "corner", "large"],
)
def test_crop_is_a_square_around_the_face(
    box: tuple[float, float, float, float], side: int, middle: tuple[int, int]
) -> None:
    rows, columns = np.mgrid[:480, :640]
    crop = _surroundings(np.stack((columns, rows), axis=2), face_in(box), 2.7)
    assert crop.shape[:2] == pytest.approx((side, side), abs=2)
    assert crop.reshape(-1, 2).mean(axis=0) == pytest.approx(middle, abs=2)
