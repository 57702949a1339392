"""Parallax shows how far a solid turned, and not how a flat picture moved."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.parallax import measure_parallax

Values = NDArray[np.float64]

RNG = np.random.default_rng(4)
POINTS = RNG.uniform(-1, 1, (200, 2))
DEPTHS = RNG.uniform(0, 0.5, 200)


def _tilt(points: Values) -> Values:
    """The points on a picture that is moved, enlarged and tilted a little."""
    x, y = points.T
    return np.asarray((1.1 * points + (0.2, -0.1)) / (1 + 0.03 * x - 0.02 * y)[:, None])


def test_turn_is_found_beside_the_motion_of_a_picture() -> None:
    turned = POINTS + DEPTHS[:, None] * (0.2, -0.05) + RNG.normal(0, 0.002, POINTS.shape)
    for after in (turned, _tilt(turned)):
        turn, error = measure_parallax(POINTS, after, DEPTHS)
        assert np.abs(turn / (0.2, -0.05) - 1).max() < 0.15
        assert error.max() < 0.01


def test_picture_has_no_parallax() -> None:
    turn, _ = measure_parallax(POINTS, _tilt(POINTS), DEPTHS)
    assert np.abs(turn).max() < 0.005


def test_points_that_are_lost_do_not_count() -> None:
    after = POINTS + DEPTHS[:, None] * (0.2, 0.0)
    after[::10] += 0.5
    turn, _ = measure_parallax(POINTS, after, DEPTHS)
    assert np.abs(turn - (0.2, 0.0)).max() < 0.01
