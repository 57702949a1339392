"""Tests that a frame gives one hint at a time."""

from __future__ import annotations

import numpy as np
import pytest

from desktop.camera.feed import FaceAnalyser
from desktop.camera.hints import FaceFinder, Hint, analyse_frame
from desktop.camera.sources import Frame
from shared.images import face_models
from shared.images.cv import cv2
from tests.desktop.camera.pictures import empty_frame, face_frame, two_faces


@pytest.fixture(scope="module")
def finder() -> FaceFinder:
    return FaceFinder()


@pytest.mark.parametrize(
    ("frame", "hint"),
    [
        (face_frame(), Hint.GOOD),
        (face_frame(0.25), Hint.GOOD),
        (empty_frame(), Hint.NO_FACE),
        (two_faces(), Hint.SEVERAL),
        (face_frame(0.17), Hint.CLOSER),
        (face_frame(0.13), Hint.CLOSER),
        (face_frame(0.3, x=0.2), Hint.CENTRE),
        (face_frame(light=0.25), Hint.DARK),
        (face_frame(blur=6), Hint.STILL),
    ],
    ids=["good", "good, farther", "nobody", "two", "small", "far", "aside", "dark", "blurred"],
)
def test_each_frame_has_its_hint(finder: FaceFinder, frame: Frame, hint: Hint) -> None:
    assert analyse_frame(frame, finder.find(frame)).hint is hint


@pytest.mark.parametrize("width", [0.15, 0.25, 0.35, 0.43, 0.6])
def test_face_is_found_at_its_place(finder: FaceFinder, width: float) -> None:
    frame = face_frame(width, x=0.4, y=0.55)
    (face,) = finder.find(frame)
    assert face.x + face.w / 2 == pytest.approx(0.4, abs=0.06)
    assert face.y + face.h / 2 == pytest.approx(0.55, abs=0.09)
    assert face.w == pytest.approx(width, rel=0.4)


def test_a_sharper_frame_counts_as_sharper(finder: FaceFinder) -> None:
    sharp, soft = face_frame(), face_frame(blur=2)
    faces = finder.find(sharp)
    assert analyse_frame(sharp, faces).sharpness > 2 * analyse_frame(soft, faces).sharpness


@pytest.mark.parametrize(
    "colour", [(225, 190, 110), (215, 218, 220), (50, 50, 55)], ids=["blue", "white", "black"]
)
def test_masked_face_gets_the_hint_that_it_is_covered(
    finder: FaceFinder, colour: tuple[int, int, int]
) -> None:
    frame = face_frame(0.4)
    (face,) = finder.find(frame)
    left, top = face.x * 640, face.y * 480
    width, height = face.w * 640, face.h * 480
    outline = [(0.18, 0.6), (0.5, 0.5), (0.82, 0.6), (0.8, 0.9), (0.5, 1.05), (0.2, 0.9)]
    mask = np.array([(left + x * width, top + y * height) for x, y in outline]).astype(np.int32)
    cv2.fillPoly(frame, [mask], colour)
    assert analyse_frame(frame, [face]).hint is Hint.COVERED


def test_an_unusable_frame_has_no_face(finder: FaceFinder) -> None:
    assert finder.find(empty_frame()[:2, :300]) == []
    assert finder.find(empty_frame()[:300, :2]) == []


def test_face_in_noise_is_found_but_noise_alone_is_not(finder: FaceFinder) -> None:
    noise = np.random.default_rng(5).integers(0, 255, (480, 640, 3), dtype=np.uint8)
    assert finder.find(noise) == []
    frame = face_frame(0.3)
    mixed = np.clip(frame + noise * 0.12 - 15, 0, 255).astype(np.uint8)
    assert len(finder.find(mixed)) == 1


def test_without_the_package_of_the_detector_the_hint_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(face_models, "PACKAGE", "nowhere_to_be_found")
    analysis = FaceAnalyser().analyse(face_frame())
    assert analysis is not None
    assert analysis.hint is Hint.NO_DETECTOR
    assert FaceFinder().find(face_frame()) == []
