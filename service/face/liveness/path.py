"""Measures how a head turned in every frame from the motion of all points in all frames together.

The motion of the points of a solid body that turns and stays at its distance is a product of few courses over
time and as many fields over the face (Tomasi and Kanade, Shape and Motion from Image Streams, 1992). Each
field is averaged over the whole film, and a frame that shows a part of the points still has all its courses.
The noses in these fields show about how far the head turned in each frame. From there a solid body is fitted
to all points (`solid.py`), so that a turn is known where far turned parts of the face are hidden. How much
the face narrows corrects turns that are too small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.relief import (
    FEWEST_POINTS,
    fit_noses,
    is_face,
    is_skin,
    likeliest_nose,
    measure_nose,
    nose_heights,
    smooth_terms,
)
from service.face.liveness.solid import fit_film, fit_turn
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
# The part of the points from which a frame counts, and from which it counts in full.
_FOUND_PARTLY, _FOUND_WELL = 0.2, 0.6
# Frames that show fewer points leave the start uncertain.
_FOUND_MOSTLY = 0.5
# The error of a turn is also a part of it: noses differ.
_ERROR_PART = 0.05
# A frame that is fitted worse than this many times the usual is as uncertain as half of the largest turn.
_MAX_MISFIT = 2.5
_UNCERTAIN_PART = 0.5
# A fit that changes the size of the turns more, or turns further (as a sine), has gone astray.
_MAX_RESIZED = (0.5, 2.5)
_FARTHEST = 1.2
# Heads at the distances of a webcam narrow by this part of the square of the sine, and by how much turns are
# enlarged at most for it.
_HEAD_NARROWING = 0.65
_MAX_ENLARGED = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """The turn of each frame against the first one: `turn` (frames, 2), the sine of yaw (to the right of the
    picture) and of pitch (downwards) by a nose of average height, and its standard `error` (frames, 2), which
    is infinite if too few points are tracked. `depths` (n,) of the points, NaN where they are not known.
    """

    turn: Values
    error: Values
    depths: Values


def measure_path(tracks: Tracks) -> Path:
    """Measure the turn in all frames of `tracks`."""
    points = tracks.points.astype(float)
    seen = np.isfinite(tracks.positions[:, :, 0])
    motion = np.where(seen[:, :, None], tracks.positions - points, 0).astype(float)
    often = seen.mean(axis=0) > _MIN_SEEN
    skin = is_skin(points) & often
    depths = np.full(len(points), np.nan)
    if skin.sum() < FEWEST_POINTS:
        frames = len(seen)
        return Path(np.zeros((frames, 2)), np.full((frames, 2), np.inf), depths)
    turn, error = _measure_noses(points[skin], motion[:, skin], seen[:, skin])
    used = is_face(points) & often
    solid = _fit_solid(points[used], motion[:, used], seen[:, used], turn)
    if solid is not None:
        turn, error = solid.turn, solid.error
        depths[used] = solid.depths
    return Path(turn, error, depths)


def _measure_noses(points: Values, motion: Values, found: Flags) -> tuple[Values, Values]:
    """The turn by what the nose moves in each field of `motion` (frames, n, 2), and its error."""
    courses, fields = _factorize(motion, found)
    columns = np.moveaxis(fields, 0, 1).reshape(len(points), -1)
    values, errors, gain = fit_noses(smooth_terms(points), nose_heights(points), columns)
    nose = likeliest_nose(gain)
    sines, deviations = values[nose].reshape(-1, 2), errors[nose].reshape(-1, 2)
    away = courses - courses[0]
    return away @ sines, np.sqrt(away**2 @ deviations**2)


def _fit_solid(points: Values, motion: Values, found: Flags, start: Values) -> Path | None:
    """The path of the solid body that makes `motion` (frames, n, 2), with about the turn `start` (frames, 2).
    None if none is found, also with the turns of the nearest frames that show most of the points.
    """
    share = found.mean(axis=1)
    weights = found * np.clip((share - _FOUND_PARTLY) / (_FOUND_WELL - _FOUND_PARTLY), 0.05, 1)[:, None]
    path = _fit_solid_from(start, points, motion, weights)
    if path is not None:
        return path
    frames, well_found = np.arange(len(share)), np.flatnonzero(share >= min(_FOUND_MOSTLY, share.max()))
    nearest = well_found[np.abs(frames[:, None] - well_found).argmin(axis=1)]
    return _fit_solid_from(start[nearest], points, motion, weights)


def _fit_solid_from(start: Values, points: Values, motion: Values, weights: Values) -> Path | None:
    """The path that is fitted from the turns `start` (frames, 2), None if it goes astray."""
    fit = fit_film(points, motion, weights, start, lambda depths: measure_nose(points, depths)[0])
    farthest = float(np.abs(fit.turn).max())
    resized = np.sqrt((fit.turn**2).sum() / max(float((start**2).sum()), 1e-9))
    if not _MAX_RESIZED[0] < resized < _MAX_RESIZED[1] or farthest > _FARTHEST:
        return None
    enlarged = _measure_enlargement(points, motion, weights, fit.turn)
    error = np.hypot(fit.error, _ERROR_PART * fit.turn)
    lost = (fit.misfit > _MAX_MISFIT)[:, None]
    error = np.where(lost, np.maximum(error, _UNCERTAIN_PART * farthest), error)
    return Path(enlarged * fit.turn, enlarged * error, fit.depths / enlarged)


def _measure_enlargement(points: Values, motion: Values, weights: Values, turn: Values) -> float:
    """How many times further the head turned than `turn` (frames, 2), by how much the face narrows.

    Where little of the nose is found, it seems to be low, and all turns seem to be small. Then the face
    narrows more than a head can. A face that narrows less may be a morph: its turns stay as they are.
    """
    fit = fit_turn(points, motion, weights, turn)
    surely = fit.narrowing - 2 * fit.error
    return float(np.sqrt(np.clip(surely / _HEAD_NARROWING, 1, _MAX_ENLARGED**2)))


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
