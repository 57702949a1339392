"""A solid body is fitted to points that move, and its narrowing distinguishes arcs from lines."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from service.face.liveness.solid import fit_film, fit_turn

Values = NDArray[np.float64]

_FRAMES = 20


def _points(rng: np.random.Generator) -> tuple[Values, Values]:
    """Points (n, 2) of a face and their depths (n,), with a ridge in the middle."""
    points = rng.uniform((-0.9, -0.7), (0.9, 1.5), (160, 2))
    x, y = points.T
    depths = 0.4 * np.exp(-0.5 * (x / 0.17) ** 2) * (np.abs(y - 0.4) < 0.5) - 0.3 * x**2 - 0.1 * y
    return points, depths


def _move(points: Values, depths: Values, turn: Values, narrowing: float) -> Values:
    along = turn @ points.T
    return np.asarray(depths[None, :, None] * turn[:, None] - narrowing * turn[:, None] * along[:, :, None])


def _rise(yaw: float, pitch: float) -> Values:
    """A turn (frames, 2) from the front to the sines `yaw` and `pitch`."""
    return np.asarray(np.clip((np.arange(_FRAMES) - 5) / 9, 0, 1)[:, None] * np.array((yaw, pitch)))


def _same_height(_depths: Values) -> float:
    return 1.0


@settings(deadline=None, max_examples=25)
@given(
    yaw=st.floats(0.2, 0.5),
    pitch=st.floats(-0.3, 0.3),
    narrowing=st.floats(0.4, 0.9),
    seed=st.integers(0, 1000),
)
def test_narrowing_of_a_turn_is_found(yaw: float, pitch: float, narrowing: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    points, depths = _points(rng)
    turn = _rise(yaw, pitch)
    motion = _move(points, depths, turn, narrowing) + rng.normal(0, 0.002, (_FRAMES, len(points), 2))
    fit = fit_turn(points, motion, np.ones(motion.shape[:2]), turn)
    assert abs(fit.narrowing - narrowing) < 0.15
    line = np.clip((np.arange(_FRAMES) - 5) / 9, 0, 1)[:, None, None] * motion[-1]
    assert abs(fit_turn(points, line, np.ones(motion.shape[:2]), turn).narrowing) < 0.1


def test_wrong_course_of_a_turn_is_corrected() -> None:
    rng = np.random.default_rng(3)
    points, depths = _points(rng)
    turn = _rise(0.4, 0.1)
    motion = _move(points, depths, turn, 0.6)
    start = turn + 0.05 * np.sin(np.arange(_FRAMES))[:, None]
    fit = fit_turn(points, motion, np.ones(motion.shape[:2]), start)
    assert np.corrcoef(fit.turn[:, 0], turn[:, 0])[0, 1] > 0.999
    assert np.corrcoef(start[:, 0], turn[:, 0])[0, 1] < 0.98


def test_film_is_followed_although_its_start_is_lost_in_some_frames() -> None:
    rng = np.random.default_rng(4)
    points, depths = _points(rng)
    turn = _rise(0.45, 0.0)
    motion = _move(points, depths, turn, 0.6) + rng.normal(0, 0.002, (_FRAMES, len(points), 2))
    weights = np.ones(motion.shape[:2])
    # Half of the face is hidden where the head is turned the furthest.
    weights[np.ix_(np.arange(_FRAMES) > 12, points[:, 0] > 0)] = 0
    start = turn.copy()
    start[15:18] = 0
    fit = fit_film(points, motion, weights, start, _same_height)
    assert abs(fit.turn[:, 0] / fit.turn[-1, 0] - turn[:, 0] / turn[-1, 0]).max() < 0.06
    assert fit.misfit.max() < 2


def test_film_is_followed_although_its_start_is_lost_in_many_frames_in_a_row() -> None:
    rng = np.random.default_rng(4)
    points, depths = _points(rng)
    turn = np.repeat(_rise(0.55, 0.0), 2, axis=0)
    motion = _move(points, depths, turn, 0.6) + rng.normal(0, 0.002, (len(turn), len(points), 2))
    weights = np.ones(motion.shape[:2])
    weights[np.ix_(np.arange(len(turn)) > 24, points[:, 0] > -0.3)] = 0
    start = turn.copy()
    start[23:39] = 0
    fit = fit_film(points, motion, weights, start, _same_height)
    assert abs(fit.turn[:, 0] / fit.turn[-1, 0] - turn[:, 0] / turn[-1, 0]).max() < 0.06


def test_frame_that_is_matched_to_something_else_is_uncertain() -> None:
    rng = np.random.default_rng(5)
    points, depths = _points(rng)
    motion = _move(points, depths, _rise(0.4, 0.0), 0.6)
    motion[15] += rng.normal(0, 0.1, motion[15].shape)
    fit = fit_film(points, motion, np.ones(motion.shape[:2]), _rise(0.4, 0.0), _same_height)
    assert fit.misfit[15] > 3
    assert fit.error[15].max() > 3 * fit.error[16].max()
    assert abs(fit.turn[16, 0] - 0.4) < 0.05
