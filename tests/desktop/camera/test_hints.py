"""One hint at a time, from what a frame shows."""

from __future__ import annotations

import pytest

from desktop.camera.hints import FaceFinder, Hint, look_at
from desktop.camera.sources import Frame
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
        (face_frame(0.15), Hint.CLOSER),
        (face_frame(0.3, x=0.2), Hint.CENTRE),
        (face_frame(light=0.25), Hint.DARK),
        (face_frame(blur=6), Hint.STILL),
    ],
    ids=["good", "good, farther", "nobody", "two", "small", "aside", "dark", "blurred"],
)
def test_each_frame_has_its_hint(finder: FaceFinder, frame: Frame, hint: Hint) -> None:
    assert look_at(frame, finder.faces(frame)).hint is hint


def test_the_face_is_where_it_was_put(finder: FaceFinder) -> None:
    frame = face_frame(0.35, x=0.4, y=0.55)
    (face,) = finder.faces(frame)
    assert face.x + face.w / 2 == pytest.approx(0.4, abs=0.06)
    assert face.y + face.h / 2 == pytest.approx(0.55, abs=0.09)
    assert face.w == pytest.approx(0.35, rel=0.4)


def test_a_sharper_frame_counts_as_sharper(finder: FaceFinder) -> None:
    sharp, soft = face_frame(), face_frame(blur=2)
    faces = finder.faces(sharp)
    assert look_at(sharp, faces).sharpness > 2 * look_at(soft, faces).sharpness


def test_a_tiny_frame_has_no_face(finder: FaceFinder) -> None:
    assert finder.faces(empty_frame()[:2, :300]) == []
