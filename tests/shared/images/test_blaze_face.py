from __future__ import annotations

import numpy as np
import pytest

from shared.images import face_models
from shared.images.blaze_face import BlazeFace, load_blaze_face, merge_boxes
from shared.images.cv import cv2
from shared.samples import faces


@pytest.fixture(scope="module")
def blaze_face() -> BlazeFace:
    found = load_blaze_face()
    assert found is not None
    return found


def test_boxes_of_one_face_are_averaged_by_their_scores() -> None:
    def row(x: float, score: float) -> list[float]:
        return [x, 0, 40, 40, *[x] * 10, score]

    rows = np.array([row(0, 0.2), row(100, 0.9), row(4, 0.6), row(30, 0.5)], np.float32)
    found = [(float(each[0]), float(each[4]), float(each[14])) for each in merge_boxes(rows)]
    assert found == [pytest.approx(each) for each in ((100, 100, 0.9), (3, 3, 0.6), (30, 30, 0.5))]
    assert not list(merge_boxes(rows[:0]))


@pytest.mark.parametrize("scale", [0.25, 1, 4])
@pytest.mark.parametrize("border", [(0, 0), (40, 0), (0, 40)], ids=["square", "tall", "wide"])
def test_blaze_face_finds_the_eyes(blaze_face: BlazeFace, border: tuple[int, int], scale: float) -> None:
    down, right = border
    image = cv2.copyMakeBorder(faces.load_portrait(), down, 0, right, 0, cv2.BORDER_CONSTANT)
    (found,) = blaze_face.find(np.asarray(cv2.resize(image, None, fx=scale, fy=scale)))
    eyes = found[4:8].reshape(2, 2) / scale - (right, down)
    assert np.abs(eyes - (faces.LEFT_EYE, faces.RIGHT_EYE)).max() < 10


@pytest.mark.parametrize("shape", [(1, 2000), (2000, 1), (64, 64)], ids=str)
def test_blaze_face_finds_nothing_in_a_picture_without_a_face(
    blaze_face: BlazeFace, shape: tuple[int, int]
) -> None:
    assert not list(blaze_face.find(np.full((*shape, 3), 120, np.uint8)))


def test_nothing_is_loaded_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(face_models, "PACKAGE", "nowhere_to_be_found")
    assert load_blaze_face() is None
