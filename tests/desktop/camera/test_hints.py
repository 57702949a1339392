"""Tests that a frame gives one hint at a time."""

from __future__ import annotations

import numpy as np
import pytest
from skimage.feature import Cascade

from desktop.camera.face_finder import cascade_file, find_faces
from desktop.camera.hints import Hint, analyse_frame, find_distant_faces, find_near_faces
from desktop.camera.sources import Frame
from shared.images.cv import cv2
from tests.desktop.camera.pictures import empty_frame, face_frame, two_faces


@pytest.mark.parametrize(
    ("frame", "hint"),
    [
        (face_frame(), Hint.GOOD),
        (face_frame(0.25), Hint.GOOD),
        (empty_frame(), Hint.NO_FACE),
        (two_faces(), Hint.SEVERAL),
        (face_frame(0.2), Hint.CLOSER),
        (face_frame(0.13), Hint.CLOSER),
        (face_frame(0.3, x=0.2), Hint.CENTRE),
        (face_frame(light=0.25), Hint.DARK),
        (face_frame(blur=6), Hint.STILL),
    ],
    ids=["good", "good, farther", "nobody", "two", "small", "far", "aside", "dark", "blurred"],
)
def test_each_frame_has_its_hint(frame: Frame, hint: Hint) -> None:
    assert analyse_frame(frame, find_near_faces(frame) or find_distant_faces(frame)).hint is hint


def test_face_is_found_at_its_place() -> None:
    frame = face_frame(0.35, x=0.4, y=0.55)
    (face,) = find_near_faces(frame)
    assert face.x + face.w / 2 == pytest.approx(0.4, abs=0.06)
    assert face.y + face.h / 2 == pytest.approx(0.55, abs=0.09)
    assert face.w == pytest.approx(0.35, rel=0.4)


def test_a_sharper_frame_counts_as_sharper() -> None:
    sharp, soft = face_frame(), face_frame(blur=2)
    faces = find_near_faces(sharp)
    assert analyse_frame(sharp, faces).sharpness > 2 * analyse_frame(soft, faces).sharpness


@pytest.mark.parametrize(
    "colour", [(225, 190, 110), (215, 218, 220), (50, 50, 55)], ids=["blue", "white", "black"]
)
def test_masked_face_gets_the_hint_that_it_is_covered(colour: tuple[int, int, int]) -> None:
    frame = face_frame(0.4)
    (face,) = find_near_faces(frame)
    left, top = face.x * 640, face.y * 480
    width, height = face.w * 640, face.h * 480
    outline = [(0.18, 0.6), (0.5, 0.5), (0.82, 0.6), (0.8, 0.9), (0.5, 1.05), (0.2, 0.9)]
    mask = np.array([(left + x * width, top + y * height) for x, y in outline]).astype(np.int32)
    cv2.fillPoly(frame, [mask], colour)
    assert analyse_frame(frame, [face]).hint is Hint.COVERED


def test_previous_face_helps_to_find_a_weaker_one() -> None:
    frame = face_frame(0.43, x=0.45)
    assert find_near_faces(frame) == []
    (before,) = find_near_faces(face_frame(0.42, x=0.45))
    (again,) = find_near_faces(frame, before)
    assert again.x + again.w / 2 == pytest.approx(0.45, abs=0.05)


def test_previous_face_is_none_when_frame_is_empty() -> None:
    (before,) = find_near_faces(face_frame())
    assert find_near_faces(empty_frame(), before) == []


def test_a_tiny_frame_has_no_face() -> None:
    assert find_near_faces(empty_frame()[:2, :300]) == []


def test_face_in_noise_is_found_but_noise_alone_is_not() -> None:
    noise = np.random.default_rng(5).integers(0, 255, (480, 640, 3), dtype=np.uint8)
    assert find_near_faces(noise) == []
    frame = face_frame(0.3)
    mixed = np.clip(frame + noise * 0.12 - 15, 0, 255).astype(np.uint8)
    assert len(find_near_faces(mixed)) == 1


def test_finder_agrees_with_the_original_detector() -> None:
    frame = face_frame(0.35)
    grey = cv2.cvtColor(cv2.resize(frame, (160, 120), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    (square,) = Cascade(str(cascade_file())).detect_multi_scale(
        grey, 1.1, 1, (40, 40), (120, 120), min_neighbor_number=4
    )
    (x, y, side), *_ = find_faces(grey, 20)
    assert (x + side / 2, y + side / 2) == pytest.approx(
        (square["c"] + square["width"] / 2, square["r"] + square["height"] / 2), abs=5
    )
