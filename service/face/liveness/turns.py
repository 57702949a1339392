"""Measures one turn of a head from all frames of the movement together.

All points of a head that turns share one time course. The course is the first principal component of their
motion. Each point then has one motion for the whole movement, by robust least squares over all frames, which
averages the noise of single frames. The nose is fitted to this motion (`relief.py`), and so is the arc
(`rigidity.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.relief import (
    FEWEST_POINTS,
    Relief,
    fit_noses,
    is_skin,
    likeliest_nose,
    measure_narrowing,
    nose_heights,
    smooth_terms,
)
from service.face.liveness.rigidity import Arc, fit_points, measure_arc
from service.face.liveness.tracking import Tracks

Values = NDArray[np.float64]

# Frames that show fewer of the points are left out: what is still found there is often wrong.
WELL_FOUND = 0.6
_FEWEST_FRAMES = 6
# A point needs this part of the usual spread of the course in the frames that show it.
_LEAST_SPREAD = 0.4
_ROUNDS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """One turn: `sine` (2,) of yaw (to the right of the picture) and of pitch (downwards) by a nose of
    average height, its standard `error` (2,), the `narrowing` (of the width of the face against its height,
    1 - cos), and the `arc`. `frames` (n,) are the indexes of the frames that were used, `course` (n,) is how
    far the turn is in each of them, 1 at its largest.
    """

    sine: Values
    error: Values
    narrowing: float
    arc: Arc
    frames: NDArray[np.intp]
    course: Values


def measure_turn(
    tracks: Tracks, relief: Relief, frames: NDArray[np.bool_], resting: NDArray[np.bool_]
) -> Turn | None:
    """Measure the turn in `frames` (all frames,), in which the head does not turn yet where it is `resting`.

    Returns None if too few frames or points are tracked.
    """
    indexes = np.flatnonzero(frames & (tracks.found_share >= WELL_FOUND))
    points = tracks.points.astype(float)
    skin = is_skin(points)
    if len(indexes) < _FEWEST_FRAMES or skin.sum() < FEWEST_POINTS:
        return None
    motion = tracks.positions[indexes].astype(float) - points
    found = np.isfinite(motion[:, :, 0])
    motion[~found] = 0
    course = _measure_course(motion[:, skin], found[:, skin])
    at_rest = resting[indexes]
    course = course - (np.median(course[at_rest]) if at_rest.any() else course[0])
    largest = float(course[np.abs(np.where(at_rest, 0, course)).argmax()])
    if abs(largest) < 1e-6:
        return None
    course /= largest
    weights = found * np.clip((tracks.found_share[indexes] - 0.4) / 0.4, 0.1, 1)[:, None]
    spread = _spread(course, weights)
    known = spread > _LEAST_SPREAD * np.median(spread[skin])
    used = known & skin
    if used.sum() < FEWEST_POINTS:
        return None
    slopes = fit_points(motion, weights, np.column_stack((np.ones(len(course)), course)))[0][1]
    values, errors, gain = fit_noses(smooth_terms(points[used]), nose_heights(points[used]), slopes[used])
    nose = likeliest_nose(gain)
    sine = values[nose]
    size = float(np.hypot(*sine))
    direction = sine / max(size, 1e-9)
    sine_course = _linear_in_sine(course, relief.turn[indexes] @ direction, relief.error[indexes], size)
    arc = measure_arc(points, motion, weights, sine_course, direction, known)
    return Turn(sine, errors[nose], measure_narrowing(points[used], slopes[used]), arc, indexes, course)


def _measure_course(motion: Values, found: NDArray[np.bool_]) -> Values:
    """The first principal component over time (frames,) of `motion` (frames, n, 2) where it is `found`, by
    alternating least squares.
    """
    share = found.mean(axis=0)
    often = share > 0.7 if (share > 0.7).sum() >= 30 else share > 0.4
    observed = motion[:, often].reshape(len(motion), -1)
    present = np.repeat(found[:, often], 2, axis=1).astype(float)
    values, known = observed, present
    field = values[np.abs(values).sum(axis=1).argmax()]
    course = np.zeros(len(motion))
    for _ in range(_ROUNDS):
        course = (values * field).sum(axis=1) / np.maximum((known * field**2).sum(axis=1), 1e-9)
        field = (values * course[:, None]).sum(axis=0) / np.maximum(known.T @ course**2, 1e-9)
        # Points that move unlike the others are tracked wrongly: they count less.
        residual = observed - present * course[:, None] * field
        distance = np.sqrt((residual**2).reshape(len(motion), -1, 2).sum(axis=(0, 2)))
        trust = np.repeat(1 / np.maximum(1, (distance / max(np.median(distance), 1e-6)) ** 2), 2)
        known, values = (present * trust, observed * trust)
    return np.asarray(course)


def _spread(course: Values, weights: Values) -> Values:
    """The weighted sum of squares of `course` (frames,) over the frames that show each point (n,)."""
    total = np.maximum(weights.sum(axis=0), 1e-9)
    mean = (weights * course[:, None]).sum(axis=0) / total
    return np.asarray((weights * (course[:, None] - mean) ** 2).sum(axis=0))


def _linear_in_sine(course: Values, sines: Values, errors: Values, size: float) -> Values:
    """`course` bent so that it is proportional to the sine of the turn, 0 at rest and 1 at its largest.

    The principal component mixes sine and cosine. `sines` (frames,) and `errors` (frames, 2) of single frames
    show by how much; bends of more than about 0.3 of `size` are unlikely.
    """
    error = np.maximum(np.hypot(*errors.T), 0.01)
    known = np.isfinite(sines) & np.isfinite(error)
    design = (
        np.column_stack((np.ones(len(course)), course, course * course - course))[known] / error[known, None]
    )
    normal = design.T @ design + np.diag((1e-9, 1e-9, 1 / (0.3 * max(size, 0.05)) ** 2))
    _, slope, bend = np.linalg.solve(normal, design.T @ (sines[known] / error[known]))
    ratio = float(np.clip(bend / slope, -0.6, 0.6)) if abs(slope) > 1e-3 else 0.0
    return np.asarray(course + ratio * (course * course - course))
