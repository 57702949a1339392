"""The side of a turn comes from the landmarks, whatever the tracks say."""

from __future__ import annotations

import numpy as np
import pytest

from service.face.liveness.direction import MIN_SIDE, measure_side, shows_side, turns_to_side
from service.face.liveness.movements import Movement

EYES = np.array(((100.0, 80.0), (160.0, 80.0)))


def test_nose_towards_the_right_of_the_picture_is_the_own_left() -> None:
    assert measure_side(EYES, np.array((148.0, 120.0))) == pytest.approx(0.3)
    assert measure_side(EYES, np.array((112.0, 120.0))) == pytest.approx(-0.3)


def test_roll_and_size_do_not_change_the_side() -> None:
    angle = np.radians(20)
    turn = 2 * np.array(((np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))))
    assert measure_side(EYES @ turn.T, np.array((148.0, 120.0)) @ turn.T) == pytest.approx(0.3)


def test_only_a_turn_to_the_asked_side_is_accepted() -> None:
    assert shows_side(Movement.LEFT, 0.05, 0.05 + 1.1 * MIN_SIDE)
    assert shows_side(Movement.RIGHT, 0.05, -0.35)
    assert not shows_side(Movement.LEFT, 0.05, -0.35)
    assert not shows_side(Movement.RIGHT, 0.05, 0.3)
    assert not shows_side(Movement.LEFT, 0.02, 0.07)
    assert not turns_to_side(Movement.UP)
