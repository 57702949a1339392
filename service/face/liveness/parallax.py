"""Measures how far a head turned between two frames by what its points move in proportion to their depth.

A homography is fitted at the same time and removed, because a hand moves a flat picture, or a screen with all
that it shows, in this way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.tracking import Tracks

Values = NDArray[np.float64]

_ROUNDS = 4
# Neighbours share their windows: about a third of the points are independent.
_INDEPENDENT = 1 / 3


def measure_between(
    tracks: Tracks, depths: Values, first: int, second: int, *, fewest: int
) -> tuple[Values, Values] | None:
    """Measure the turn (2,) between two frames of `tracks`, whose points have `depths` (n,), NaN where they
    have none, and its standard error (2,). None if both frames show fewer than `fewest` of these points.
    """
    before, after = tracks.positions[[first, second]].astype(float)
    both = np.isfinite(before[:, 0]) & np.isfinite(after[:, 0]) & np.isfinite(depths)
    return measure_parallax(before[both], after[both], depths[both]) if both.sum() >= fewest else None


def measure_parallax(before: Values, after: Values, depths: Values) -> tuple[Values, Values]:
    """Measure the turn (2,) (the sines about both axes) by which points with `depths` (n,) move from `before`
    to `after` (n, 2) beside a homography, and its standard error (2,).
    """
    design = np.concatenate((depths[:, None, None] * np.eye(2), _homography_fields(before)), axis=2)
    design = design.reshape(2 * len(before), -1)
    moved = (after - before).reshape(-1)
    weights = np.ones(len(moved))
    for _ in range(_ROUNDS):
        weighted = design * weights[:, None]
        normal = weighted.T @ design + 1e-9 * np.eye(design.shape[1])
        fit = np.linalg.solve(normal, weighted.T @ moved)
        residual = moved - design @ fit
        used = weights
        far = np.linalg.norm(residual.reshape(-1, 2), axis=1)
        weights = np.repeat(1 / np.maximum(1, far / max(1.5 * float(np.median(far)), 1e-5)), 2)
    freedom = max(float(used.sum()) - design.shape[1], 1.0)
    variance = float((used * residual**2).sum()) / freedom / _INDEPENDENT
    return np.asarray(fit[:2]), np.asarray(np.sqrt(variance * np.diag(np.linalg.inv(normal))[:2]))


def _homography_fields(points: Values) -> Values:
    """The fields (n, 2, 8) of a small homography at `points` (n, 2)."""
    x, y = points.T
    one, none = np.ones_like(x), np.zeros_like(x)
    along_x = np.stack((one, x, y, none, none, none, x * x, x * y), axis=1)
    along_y = np.stack((none, none, none, one, x, y, x * y, y * y), axis=1)
    return np.stack((along_x, along_y), axis=1)
