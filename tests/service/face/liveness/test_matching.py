"""One plane explains a picture however it is tilted, and not a head that turned."""

from __future__ import annotations

import numpy as np

from benchmarks.heads import Pose
from service.face.liveness.film import SIDE
from service.face.liveness.matching import is_one_take, match_plane
from tests.service.face.liveness.films import TO_THE_LEFT, draw_flat_picture, draw_head, film, move_to

HEAD = film(draw_head, TO_THE_LEFT)
PICTURE = film(draw_flat_picture, move_to(Pose(yaw=35, pitch=10)))


def test_plane_explains_a_picture_and_not_a_head() -> None:
    assert match_plane(PICTURE.crops[0], PICTURE.crops[-1]) > 0.9
    assert match_plane(HEAD.crops[0], HEAD.crops[-1]) < 0.75


def test_plane_does_not_depend_on_brightness_and_contrast() -> None:
    darker = (PICTURE.crops[-1] * 0.6 + 10).astype(np.uint8)
    assert match_plane(PICTURE.crops[0], darker) > 0.9


def test_faces_with_nothing_in_common_do_not_match() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (SIDE, SIDE), np.uint8)
    assert match_plane(HEAD.crops[0], noise) < 0.3
    assert match_plane(np.full((SIDE, SIDE), 100, np.uint8), HEAD.crops[0]) < 0.3


def test_turn_is_one_take_and_a_jump_over_it_is_not() -> None:
    assert is_one_take(HEAD, range(len(HEAD.times)))
    noise = np.random.default_rng(1).integers(0, 256, HEAD.crops.shape, np.uint8)
    other = film(draw_head, move_to(Pose(yaw=24)))
    mixed = np.where(np.arange(len(HEAD.times))[:, None, None] == 5, noise, other.crops)
    cut = type(HEAD)(HEAD.times, HEAD.eyes, HEAD.nose, mixed.astype(np.uint8))
    assert not is_one_take(cut, [4, 5, 6])


def test_face_without_details_cannot_be_followed() -> None:
    grey = type(HEAD)(HEAD.times, HEAD.eyes, HEAD.nose, np.full_like(HEAD.crops, 120))
    assert not is_one_take(grey, [0, 1, 2])
