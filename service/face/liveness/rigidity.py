"""Measures whether a face turns as a solid head does, or changes from one picture into another.

The points of a head that turns move on arcs: their positions are a linear combination of the sine and the
cosine of the angle (Tomasi and Kanade, Shape and Motion from Image Streams, 1992). The points of a morph
between two pictures move on straight lines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.tracking import Tracks

Values = NDArray[np.float64]

_FEWEST_POINTS = 40
_FEWEST_FRAMES = 5
_ROUNDS = 4
# Courses that hardly vary explain nothing: of the noise of a point against its largest motion, squared.
_RIDGE = 1e-3
# Neighbouring points share their windows: about a third of them are independent.
_INDEPENDENT = 1 / 3


@dataclass(frozen=True, slots=True)
class Arc:
    """How much the face narrows along its turn, over the square of the sine (`size`), and its standard
    `error`. A head has about 0.5, and a little more, because its cheeks slant; a morph has about 0.
    """

    size: float
    error: float


def measure_arc(points: Values, motion: Values, weights: Values, turn: Values) -> Arc:
    """Measure the arc of `points` (n, 2) that move by `motion` (frames, n, 2), weighted by `weights` (frames,
    n), while the head turns by the sines `turn` (frames, 2).

    What each point moves in proportion to the turn is left out, and so is what all of them move as one
    similarity. A head has to narrow beyond that by the product of the turn with itself, wherever its path
    goes: the picture of a point p is p - d (d p) / 2 + z d to the second order, with the sine d and the
    height z.
    """
    x, y = points.T
    used = (np.abs(x) < 1.0) & (y > -0.75) & (y < 1.6) & ((weights > 0).sum(axis=0) >= _FEWEST_FRAMES)
    if used.sum() < _FEWEST_POINTS:
        return Arc(0.0, np.inf)
    points, motion, weights = points[used], motion[:, used], weights[:, used]
    design = np.column_stack((np.ones(len(turn)), turn))
    scale = np.abs(turn).max()
    expected = -np.einsum("fi,fn->fni", turn, turn @ points.T)
    expected = _remove_similarity(points, expected, weights)
    moved = _remove_similarity(points, motion, weights)
    size = 0.0
    robust = weights
    for _ in range(_ROUNDS):
        rest = _remove_courses(moved, robust, design, scale)
        shape = _remove_courses(expected, robust, design, scale)
        power = (robust[:, :, None] * shape**2).sum()
        size = float((robust[:, :, None] * shape * rest).sum() / max(power, 1e-12))
        distances = np.linalg.norm(rest - size * shape, axis=2)
        usual = max(1.5 * float(np.median(distances[weights > 0])), 0.002)
        robust = weights / np.maximum(1, distances / usual)
    # The errors of a point are alike in all frames.
    scatter = (robust[:, :, None] * shape * (rest - size * shape)).sum(axis=(0, 2))
    error = np.sqrt((scatter**2).sum() / _INDEPENDENT) / max(power, 1e-12)
    return Arc(size, float(error))


def _remove_courses(motion: Values, weights: Values, design: Values, scale: float) -> Values:
    """`motion` (frames, n, 2) without what each point moves in proportion to the columns of `design`."""
    ridge = _RIDGE * np.diag((1e-6, scale**2, scale**2))
    products = (design[:, :, None] * design[:, None, :]).reshape(len(design), -1)
    normal = (weights.T @ products).reshape(-1, 3, 3) + ridge
    right = np.moveaxis(np.tensordot(weights[:, :, None] * motion, design, (0, 0)), 1, 2)
    solved = np.linalg.solve(normal, right)
    return np.asarray(motion - np.einsum("fi,nid->fnd", design, solved))


def _remove_similarity(points: Values, motion: Values, weights: Values) -> Values:
    """`motion` (frames, n, 2) of `points` (n, 2) without the similarity that all of them have in a frame."""
    total = np.maximum(weights.sum(axis=1), 1e-9)[:, None]
    places = points[None] - ((weights @ points) / total)[:, None]
    moved = motion - (np.einsum("fn,fnd->fd", weights, motion) / total)[:, None]
    turned = np.stack((-places[..., 1], places[..., 0]), axis=-1)
    size = np.maximum((weights[..., None] * places**2).sum(axis=(1, 2)), 1e-9)[:, None, None]
    along = (weights[..., None] * places * moved).sum(axis=(1, 2))[:, None, None] / size
    around = (weights[..., None] * turned * moved).sum(axis=(1, 2))[:, None, None] / size
    return np.asarray(moved - along * places - around * turned)


def measure_sway(tracks: Tracks, frames: NDArray[np.bool_]) -> float:
    """How far the face usually moves from one of `frames` to the next, in distances of the eyes."""
    steps = np.abs(np.diff(tracks.shift[frames], axis=0))
    return float(np.median(steps)) if len(steps) else 0.0
