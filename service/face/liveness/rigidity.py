"""Measures whether a face turns as a solid head does, or changes from one picture into another.

The points of a head that turns move on arcs: their positions are a linear combination of the sine and the
cosine of the angle (Tomasi and Kanade, Shape and Motion from Image Streams, 1992). The points of a morph
between two pictures move on straight lines, and its frames are blends, which lose detail half way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.tracking import Tracks
from shared.images.cv import cv2

Values = NDArray[np.float64]

_FEWEST_POINTS = 40
# The part of the points whose motion fits an arc or a line best.
_BEST_POINTS = 0.85
_ROUNDS = 4
# Neighbouring points share their windows: about a third of them are independent.
_INDEPENDENT = 1 / 3


@dataclass(frozen=True, slots=True)
class Arc:
    """How much the face narrows along the turn with the square of the sine (`size`), and its standard
    `error`. A head that turns by the sine s has about s * s / 2 from any start, and a little more, because
    its cheeks slant; a morph has about 0.
    """

    size: float
    error: float


def measure_arc(
    points: Values,
    motion: Values,
    weights: Values,
    course: Values,
    direction: Values,
    known: NDArray[np.bool_],
) -> Arc:
    """Measure the arc of `points` (n, 2) that move by `motion` (frames, n, 2), weighted by `weights` (frames,
    n), along `direction` (2,), where `course` (frames,) is proportional to the sine, 0 to 1.

    Points that are not `known` (n,) are left out.
    """
    design = np.column_stack((np.ones(len(course)), course, course * course - course))
    solved, distances = fit_points(motion, weights, design)
    distance = distances.mean(axis=0)
    x, y = points.T
    used = known & (np.abs(x) < 1.0) & (y > -0.75) & (y < 1.6)
    if used.sum() < _FEWEST_POINTS:
        return Arc(0.0, np.inf)
    used &= distance <= np.quantile(distance[used], _BEST_POINTS)
    return Arc(*_narrowing_along(direction, points[used], solved[2][used]))


def fit_points(motion: Values, weights: Values, design: Values) -> tuple[Values, Values]:
    """Fit the motion of each point (frames, n, 2) by the columns of `design` (frames, terms), with weights
    (frames, n) that become robust: the coefficients (terms, n, 2) and the distances (frames, n).
    """
    found = weights > 0
    ridge = 1e-9 * np.eye(design.shape[1])
    robust = weights
    for _ in range(_ROUNDS - 1):
        normal = np.einsum("fn,fi,fj->nij", robust, design, design) + ridge
        right = np.einsum("fn,fi,fnd->nid", robust, design, motion)
        solved = np.moveaxis(np.linalg.solve(normal, right), 0, 1)
        distances = np.linalg.norm(motion - np.einsum("fi,ind->fnd", design, solved), axis=2)
        usual = max(1.5 * float(np.median(distances[found])), 0.002)
        robust = weights / np.maximum(1, distances / usual)
    return solved, distances * found


def _narrowing_along(direction: Values, points: Values, motion: Values) -> tuple[float, float]:
    """How much `points` (n, 2) shrink along `direction` (2,) against across it by `motion` (n, 2), and the
    standard error.
    """
    design = np.column_stack((np.ones(len(points)), points))
    weights = np.ones(len(points))
    for _ in range(_ROUNDS):
        root = np.sqrt(weights)[:, None]
        solved = np.linalg.lstsq(design * root, motion * root, rcond=None)[0]
        residual = motion - design @ solved
        distance = np.hypot(*residual.T)
        weights = 1 / np.maximum(1, distance / max(1.5 * float(np.median(distance)), 1e-6))
    across = np.array((-direction[1], direction[0]))
    narrowing = across @ solved[1:].T @ across - direction @ solved[1:].T @ direction
    variance = (weights[:, None] * residual**2).sum() / 2 / max(weights.sum() * _INDEPENDENT - 3, 1)
    covariance = np.linalg.inv(design.T @ (design * weights[:, None])) * variance
    return float(narrowing), float(np.sqrt(covariance[1, 1] + covariance[2, 2]))


def measure_lost_detail(tracks: Tracks, frames: NDArray[np.intp], course: Values) -> float:
    """Which part (0..1) of the detail at the ends of a movement is missing half way; `course` (frames,) is
    how far the movement is in each of `frames`, 0..1.
    """
    middle = (course > 0.3) & (course < 0.7)
    if not middle.any():
        return 0.0
    faces = tracks.patches[frames][:, 60:200, 50:175]
    detail = np.array([cv2.Laplacian(face, cv2.CV_32F).var() for face in faces])
    ends = max(min(detail[0], detail[-1]), 1e-6)
    return float(np.clip(1 - np.median(detail[middle]) / ends, 0, 1))


def measure_sway(tracks: Tracks, frames: NDArray[np.bool_]) -> float:
    """How far the face usually moves from one of `frames` to the next, in distances of the eyes."""
    steps = np.abs(np.diff(tracks.shift[frames], axis=0))
    return float(np.median(steps)) if len(steps) else 0.0
