"""Measures one turn of a head: how far the nose moves beyond the face (`relief.py`), and whether the face
narrows on an arc (`rigidity.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.path import Path
from service.face.liveness.relief import fit_noses, measure_narrowing, nose_heights, smooth_terms
from service.face.liveness.rigidity import Arc, measure_arc
from service.face.liveness.tracking import Tracks

Values = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Frames that show fewer of the points are left out: what is still found there is often wrong.
WELL_FOUND = 0.6
_FEWEST_FRAMES = 5


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """One turn: `sine` (2,) of yaw (to the right of the picture) and of pitch (downwards) by a nose of
    average height, its standard `error` (2,), and the `narrowing` (of the width of the face against its
    height, 1 - cos).
    """

    sine: Values
    error: Values
    narrowing: float


def measure_turn(path: Path, held: Flags, resting: Flags) -> Turn:
    """Measure the turn between the frames `resting` and `held` (all frames,), at least one of each."""
    courses = np.median(path.courses[held], axis=0) - np.median(path.courses[resting], axis=0)
    motion = np.einsum("i,ind->nd", courses, path.fields)
    heights = nose_heights(path.points)[:, [path.nose]]
    values, errors, _ = fit_noses(smooth_terms(path.points), heights, motion)
    return Turn(values[0], errors[0], measure_narrowing(path.points, motion))


def measure_arc_in(tracks: Tracks, path: Path, frames: Flags) -> Arc | None:
    """Measure the arc of the turn in `frames` (all frames,), or return None if too few are tracked."""
    indexes = np.flatnonzero(frames & (tracks.found_share >= WELL_FOUND))
    if len(indexes) < _FEWEST_FRAMES:
        return None
    points = tracks.points.astype(float)
    found = np.isfinite(tracks.positions[indexes, :, 0])
    motion = np.where(found[:, :, None], tracks.positions[indexes] - points, 0).astype(float)
    weights = found * np.clip((tracks.found_share[indexes] - 0.4) / 0.4, 0.1, 1)[:, None]
    return measure_arc(points, motion, weights, path.turn[indexes])
