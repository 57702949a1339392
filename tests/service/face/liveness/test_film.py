"""A turn counts from where the head looks when it is asked to turn, and not on the way back to the front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from service.face.liveness.decision import LIFE
from service.face.liveness.film import EYES, Film, is_one_take, measure_life, measure_turns, straighten
from tests.material import heads
from tests.material.heads import Pose, Scene
from tests.service.face.liveness.films import (
    SCENE,
    TIMES,
    TO_THE_LEFT,
    draw_flat_picture,
    film,
    without_face,
)

HEAD = film(TO_THE_LEFT)


def test_turn_counts_from_the_start() -> None:
    aside, upwards = measure_turns(HEAD).T
    assert abs(aside[:6]).max() < 0.02
    assert aside[-1] > 0.4
    assert abs(upwards).max() < 0.02


def test_turn_back_to_the_front_does_not_count() -> None:
    back = film(
        ((0.0, Pose(yaw=-30)), (400.0, Pose(yaw=-30)), (1100.0, Pose(yaw=10)), (1500.0, Pose(yaw=10)))
    )
    turns = measure_turns(back)[:, 0]
    assert abs(turns[np.array(TIMES) < 800]).max() < 0.02
    assert turns[-1] == pytest.approx(np.sin(np.radians(10)), abs=0.01)


def test_camera_above_or_below_the_head_does_not_matter() -> None:
    bowed, raised = Pose(pitch=-10), Pose(pitch=12)
    seen = film(((0.0, bowed), (650.0, bowed), (1100.0, raised), (1500.0, raised)))
    assert measure_turns(seen)[-1, 1] == pytest.approx(np.sin(np.radians((10, 12))).sum(), abs=0.01)


def test_points_that_jump_in_one_frame_are_no_turn() -> None:
    directions = HEAD.directions.copy()
    directions[4] += 0.8
    assert abs(measure_turns(replace(HEAD, directions=directions))[4]).max() < 0.05


def test_frame_without_a_face_has_no_turn() -> None:
    turns = measure_turns(without_face(HEAD, 4))
    assert np.isnan(turns[4]).all()
    assert np.isfinite(np.delete(turns, 4, axis=0)).all()


def test_straightened_face_has_its_eyes_in_their_places() -> None:
    frame = np.zeros((200, 300, 3), np.uint8)
    eyes = np.array(((100.0, 90.0), (180.0, 120.0)))
    for x, y in eyes.astype(int):
        frame[y - 4 : y + 5, x - 4 : x + 5] = 255
    crop = straighten(frame, eyes)
    for x, y in EYES.astype(int):
        assert crop[y, x] > 200
    assert (crop > 100).sum() < 80


def test_turn_is_one_take_and_a_jump_over_it_is_not() -> None:
    assert is_one_take(HEAD, range(len(HEAD.times)))
    noise = np.random.default_rng(1).integers(0, 256, HEAD.crops.shape, np.uint8)
    mixed = np.where(np.arange(len(HEAD.times))[:, None, None] == 5, noise, HEAD.crops)
    cut = replace(HEAD, crops=mixed.astype(np.uint8))
    assert not is_one_take(cut, [4, 5, 6])


def test_face_without_details_cannot_be_followed() -> None:
    grey = replace(HEAD, crops=np.full_like(HEAD.crops, 120))
    assert not is_one_take(grey, [0, 1, 2])


def show_picture(noise: int, poses: Sequence[Pose]) -> Film:
    """The film of a picture of a face that is held in `poses`; its eyes are taken to stay where they are."""
    middle = np.array((SCENE.size[0] / 2, SCENE.size[1] * 0.42))
    half = np.array((SCENE.eye_distance / 2, 0.0))
    eyes = np.stack((middle - half, middle + half))
    crops = [
        straighten(heads.apply_camera(draw_flat_picture(pose, 0), Scene(noise=noise), number), eyes)
        for number, pose in enumerate(poses, 1)
    ]
    shape = (len(poses), 1)
    return Film(
        np.arange(0.0, 80 * len(poses), 80),
        np.tile(eyes, (*shape, 1)),
        np.zeros((len(poses), 2)),
        np.array(crops),
        700,
    )


@pytest.mark.parametrize("noise", [1, 4, 12])
def test_picture_does_not_change_however_it_is_held(noise: int) -> None:
    rng = np.random.default_rng(noise)
    still = [Pose()] * 9
    shaking = [Pose(*rng.normal(0, 2, 3), *rng.normal(0, 1.5, 2)) for _ in range(9)]
    assert measure_life(show_picture(noise, still)) < LIFE
    assert measure_life(show_picture(noise, shaking)) < LIFE


def test_face_of_a_person_changes() -> None:
    assert measure_life(replace(HEAD, asked_ms=600)) > 2 * LIFE


def test_face_in_one_frame_does_not_change() -> None:
    one = replace(
        HEAD, times=HEAD.times[:1], eyes=HEAD.eyes[:1], directions=HEAD.directions[:1], crops=HEAD.crops[:1]
    )
    assert measure_life(one) == 0
