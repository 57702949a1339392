from __future__ import annotations

import numpy as np
import pytest

from service.face.engines.analysis import analyse
from service.face.engines.detectors import BlazeFace, load_blaze_face, merge_boxes
from service.face.engines.dlib_engine import DlibEngine
from service.face.engines.engine import score
from service.face.engines.picture import Pixels
from service.face.liveness import mesh_model
from shared.images.cv import cv2
from shared.samples import faces


@pytest.fixture(scope="module")
def blaze_face() -> BlazeFace:
    found = load_blaze_face()
    assert found is not None
    return found


def tilted_portrait() -> Pixels:
    """The portrait tilted by 50 degrees, which HOG does not find."""
    portrait = faces.load_portrait()
    height, width = portrait.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), 50, 1)
    return np.asarray(cv2.warpAffine(portrait, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE))


def test_boxes_of_one_face_are_averaged_by_their_scores() -> None:
    def row(x: float, score: float) -> list[float]:
        return [x, 0, 40, 40, *[x] * 10, score]

    rows = np.array([row(0, 0.2), row(100, 0.9), row(4, 0.6), row(30, 0.5)], np.float32)
    found = [(float(each[0]), float(each[4]), float(each[14])) for each in merge_boxes(rows)]
    assert found == [pytest.approx(each) for each in ((100, 100, 0.9), (3, 3, 0.6), (30, 30, 0.5))]
    assert not list(merge_boxes(rows[:0]))


@pytest.mark.parametrize("scale", [0.25, 1, 4])
@pytest.mark.parametrize("border", [(0, 0), (40, 0), (0, 40)], ids=["square", "tall", "wide"])
def test_blaze_face_finds_the_eyes(
    blaze_face: BlazeFace, dlib_engine: DlibEngine, border: tuple[int, int], scale: float
) -> None:
    down, right = border
    image = cv2.copyMakeBorder(faces.load_portrait(), down, 0, right, 0, cv2.BORDER_CONSTANT)
    (expected,) = dlib_engine.find(image)
    (found,) = blaze_face.find(np.asarray(cv2.resize(image, None, fx=scale, fy=scale)))
    eyes = found[4:8].reshape(2, 2) / scale
    assert np.abs(eyes - expected.eyes).max() < 0.25 * expected.inter_ocular


@pytest.mark.parametrize("shape", [(1, 2000), (2000, 1), (64, 64)], ids=str)
def test_blaze_face_finds_nothing_in_a_picture_without_a_face(
    blaze_face: BlazeFace, shape: tuple[int, int]
) -> None:
    assert not list(blaze_face.find(np.full((*shape, 3), 120, np.uint8)))


def test_dlib_recognises_a_face_that_only_blaze_face_finds(
    dlib_engine: DlibEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    tilted = analyse(dlib_engine, tilted_portrait())
    upright = analyse(dlib_engine, faces.load_portrait())
    assert tilted.embedding is not None
    assert upright.embedding is not None
    assert score(tilted.embedding, upright.embedding, dlib_engine.metric) > -0.3
    monkeypatch.setattr(dlib_engine, "_blaze_face", None)
    assert not dlib_engine.find(tilted_portrait())


def test_dlib_works_without_the_package_of_blaze_face(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_model, "PACKAGE", "nowhere_to_be_found")
    assert load_blaze_face() is None
    assert DlibEngine().find(faces.load_portrait())
