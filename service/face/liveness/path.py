"""Measures how a head turned in every frame from the motion of all points in all frames together.

The motion of the points of a solid body that turns and stays at its distance is a product of few courses over
time and as many fields over the face (Tomasi and Kanade, Shape and Motion from Image Streams, 1992). Each
field is averaged over the whole film, and a frame that shows a part of the points still has all its courses.
So the turn of a frame is more certain than by its own points alone, and known where far turned parts are
hidden.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.relief import (
    FEWEST_POINTS,
    fit_noses,
    is_skin,
    likeliest_nose,
    nose_heights,
    smooth_terms,
)
from service.face.liveness.tracking import Tracks

Values = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Two axes, the arcs of both, and one more for the face itself, which speaks and smiles.
_COURSES = 5
_ROUNDS = 10
# How exactly a point is tracked in one frame, in distances of the eyes.
_NOISE = 0.006
# How far a course moves a point at first, in distances of the eyes.
_USUAL_MOTION = 0.05
# A point of the face is measured if this part of the frames shows it.
_MIN_SEEN = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """The turn of each frame against the first one: `turn` (frames, 2), the sine of yaw (to the right of the
    picture) and of pitch (downwards) by a nose of average height, and its standard `error` (frames, 2), which
    is infinite if too few points are tracked.

    The product of `courses` (frames, c) and `fields` (c, n, 2) is the motion of the `points` (n, 2); the nose
    with the index `nose` explains it best.
    """

    turn: Values
    error: Values
    points: Values
    courses: Values
    fields: Values
    nose: int


def measure_path(tracks: Tracks) -> Path:
    """Measure the turn in all frames of `tracks`."""
    points = tracks.points.astype(float)
    seen = np.isfinite(tracks.positions[:, :, 0])
    used = is_skin(points) & (seen.mean(axis=0) > _MIN_SEEN)
    if used.sum() < FEWEST_POINTS:
        frames = len(seen)
        unknown = np.full((frames, 2), np.inf)
        return Path(np.zeros((frames, 2)), unknown, points[:0], np.zeros((frames, 0)), np.zeros((0, 0, 2)), 0)
    points, found = points[used], seen[:, used]
    motion = np.where(found[:, :, None], tracks.positions[:, used] - points, 0).astype(float)
    courses, fields = _factorize(motion, found)
    columns = np.moveaxis(fields, 0, 1).reshape(len(points), -1)
    values, errors, gain = fit_noses(smooth_terms(points), nose_heights(points), columns)
    nose = likeliest_nose(gain)
    sines, deviations = values[nose].reshape(-1, 2), errors[nose].reshape(-1, 2)
    away = courses - courses[0]
    return Path(away @ sines, np.sqrt(away**2 @ deviations**2), points, courses, fields, nose)


def _factorize(motion: Values, found: Flags) -> tuple[Values, Values]:
    """Courses (frames, c) and fields (c, n, 2) whose product is `motion` (frames, n, 2) where it is `found`.

    Alternating least squares with robust weights. Courses have unit variance, and fields are pulled towards
    zero by what they usually are (Bishop, Bayesian PCA, 1999), so that hidden points do not run away.
    """
    frames, count = found.shape
    rank = min(_COURSES, frames, count)
    often = found.mean(axis=0) >= np.median(found.mean(axis=0))
    weights = found.astype(float)
    courses = np.linalg.svd(motion[:, often].reshape(frames, -1), full_matrices=False)[0][:, :rank]
    courses = courses * np.sqrt(frames)
    size = np.full(rank, _USUAL_MOTION**2)
    for _ in range(_ROUNDS):
        weighted = weights[:, :, None] * motion
        products = (courses[:, :, None] * courses[:, None, :]).reshape(frames, -1)
        normal = (weights.T @ products).reshape(count, rank, rank) + np.diag(_NOISE**2 / size)
        right = np.moveaxis(np.tensordot(weighted, courses, (0, 0)), 1, 2)
        fields = np.moveaxis(np.linalg.solve(normal, right), 0, 1)
        products = (fields[:, None] * fields[None]).sum(axis=3).reshape(-1, count)
        normal = (weights @ products.T).reshape(frames, rank, rank) + _NOISE**2 * np.eye(rank)
        right = weighted.reshape(frames, -1) @ fields.reshape(rank, -1).T
        courses = np.linalg.solve(normal, right[..., None])[..., 0]
        # The same product with courses that are independent and sorted by their size.
        left, values, right = np.linalg.svd(courses, full_matrices=False)
        flat = (values[:, None] * right) @ fields.reshape(rank, -1)
        turned, sizes, _ = np.linalg.svd(flat, full_matrices=False)
        courses = left @ turned * np.sqrt(frames)
        fields = (turned.T @ flat / np.sqrt(frames)).reshape(rank, count, 2)
        size = np.maximum(sizes**2 / frames / (2 * count), 1e-8)
        product = courses @ fields.reshape(rank, -1)
        residual = np.linalg.norm(motion - product.reshape(motion.shape), axis=2)
        usual = max(1.5 * float(np.median(residual[found])), _NOISE / 2)
        weights = found / np.maximum(1, residual / usual)
    return courses, fields
