"""Measures one turn of a head: how far the nose stands out of what turns (`relief.py`), and whether the face
narrows on an arc as a solid head does, or changes from one picture into another.

The points of a head that turns move on arcs, so the face narrows with the square of the sine. The points of a
morph between two pictures move on straight lines, which is a narrowing of 0 (`solid.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.path import Path
from service.face.liveness.relief import is_face, measure_nose
from service.face.liveness.solid import fit_turn
from service.face.liveness.tracking import Tracks

Values = NDArray[np.float64]
Flags = NDArray[np.bool_]

# A frame counts from this part of the points on, and in full from 0.8 on. A turn of which too few frames show
# so much is measured from frames that show less.
_FEWEST_FOUND = (0.35, 0.25)
_FEWEST_FRAMES = 5
_FEWEST_POINTS = 40
# The mouth and what is below it move by themselves.
_LOWEST = 1.6
# A frame whose turn is more uncertain than this part of the largest turn is not used.
_MAX_ERROR = 0.45
# The turn is measured from the frames in which it is least, so many of them.
_RESTING_FRAMES = 3


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: its `sine` in the requested direction and its whole `size`, by a nose of average height; the
    height of the `nose` in what turned, 1 for an average one; the `narrowing` of the face over the square of
    the sine (a head has 1/2 to 1, a morph 0); and the standard errors of both.
    """

    sine: float
    size: float
    nose: float
    nose_error: float
    narrowing: float
    narrowing_error: float


def measure_turn(tracks: Tracks, path: Path, frames: Flags, held: Flags, direction: Values) -> Turn | None:
    """Measure the turn in `frames` that is held in the frames `held` (both all frames,), towards `direction`
    (2,) of the sines of yaw and pitch. None if too little of it is tracked.
    """
    error = path.error.max(axis=1)
    certain = error < _MAX_ERROR * (np.abs(path.turn).max(axis=1) - error).max()
    points = tracks.points.astype(float)
    upper_face = is_face(points) & (points[:, 1] < _LOWEST)
    for fewest in _FEWEST_FOUND:
        indexes = np.flatnonzero(frames & (tracks.found_share >= fewest) & certain)
        found = np.isfinite(tracks.positions[indexes, :, 0])
        used = upper_face & (found.sum(axis=0) >= _FEWEST_FRAMES)
        if len(indexes) >= _FEWEST_FRAMES and used.sum() >= _FEWEST_POINTS:
            break
    else:
        return None
    points, found = points[used], found[:, used]
    motion = np.where(found[:, :, None], tracks.positions[indexes][:, used] - points, 0).astype(float)
    weights = found * np.clip((tracks.found_share[indexes] - 0.4) / 0.4, 0.1, 1)[:, None]
    fit = fit_turn(points, motion, weights, path.turn[indexes])
    away = _measure_away(fit.turn, held[indexes], direction)
    nose, error = measure_nose(points, fit.depths)
    size = float(np.hypot(*away))
    return Turn(float(away @ direction), size, nose, error, fit.narrowing, fit.error)


def _measure_away(turn: Values, held: Flags, direction: Values) -> Values:
    """How far the head turns (2,) from where it is turned least before, to the frames `held`."""
    signal = turn @ direction
    if not held.any():
        held = signal >= (signal.min() + signal.max()) / 2
    before = np.where(np.arange(len(turn)) <= np.flatnonzero(held)[0], signal, np.inf)
    resting = np.argsort(before)[: min(_RESTING_FRAMES, int(np.isfinite(before).sum()))]
    return np.asarray(np.median(turn[held], axis=0) - np.median(turn[resting], axis=0))
