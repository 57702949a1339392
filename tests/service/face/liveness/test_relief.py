"""The nose shows how far a head turned, and that a picture has none."""

from __future__ import annotations

import numpy as np

from service.face.liveness.noses import NOSE_HEIGHT, Nose, ridge
from tests.service.face.liveness.films import (
    TO_THE_LEFT,
    UPWARDS,
    draw_bent_picture,
    draw_flat_picture,
    draw_head,
    motion,
)


def test_ridge_is_highest_at_the_tip_and_flat_beside_it() -> None:
    places = np.array(((0, 0.64), (0, 0.2), (0.6, 0.64), (0, 1.2), (0, -0.4)))
    heights = ridge(places, Nose(tip=0.64, width=0.17, lean=0.0))
    assert abs(heights[0] - NOSE_HEIGHT) < 1e-6
    assert 0 < heights[1] < heights[0]
    assert (heights[2:] < 0.01).all()


def test_leaning_ridge_has_its_tip_beside_the_middle() -> None:
    nose = Nose(tip=0.64, width=0.14, lean=0.2)
    on_tip, middle = ridge(np.array(((0.2, 0.64), (0.0, 0.64))), nose)
    assert abs(on_tip - NOSE_HEIGHT) < 1e-6
    assert middle < 0.6 * on_tip


def test_turn_of_a_head_is_the_sine_of_the_angle() -> None:
    turn = motion(draw_head, TO_THE_LEFT).path.turn
    assert abs(turn[0]).max() < 0.01
    assert 0.25 < turn[-1, 0] < 0.6
    assert abs(turn[-1, 1]) < 0.15


def test_pitch_upwards_is_negative() -> None:
    turn = motion(draw_head, UPWARDS).path.turn
    assert -0.7 < turn[-1, 1] < -0.2


def test_picture_does_not_turn() -> None:
    for picture in (draw_flat_picture, draw_bent_picture):
        for poses in (TO_THE_LEFT, UPWARDS):
            assert np.max(np.abs(motion(picture, poses).path.turn)) < 0.1
