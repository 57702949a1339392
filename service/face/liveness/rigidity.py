"""Measures whether a face turns as a solid head does, or changes from one picture into another.

The points of a head that turns move on arcs: their places are a linear combination of the sine and the cosine
of the angle (Tomasi and Kanade, Shape and Motion from Image Streams, 1992). The points of a morph between two
pictures move on straight lines, and its frames are blends, which lose detail half way. A few points that are
tracked wrongly outweigh an arc, so it is fitted without those that move least like the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.tracking import Tracks
from shared.images.cv import cv2

Values = NDArray[np.float64]

_FEWEST_POINTS = 40
_FEWEST_FRAMES = 4
# The part of the points that moves most like all of them, which is kept.
_ALIKE = 0.8
_ROUNDS = 3


def bulge(tracks: Tracks, frames: NDArray[np.intp], *, pitch: bool) -> float | None:
    """How much the face narrows beyond a straight line between both ends of a movement, or along its height
    with `pitch`; None where `frames` or the points that all of them have are too few.

    A head that turns by an angle a gives about half the square of the sine of a, from whichever pose it
    starts, and more with cheeks that slant; a morph gives about 0.
    """
    x, y = tracks.places[:, 0], tracks.places[:, 1]
    inside = (np.abs(x) < 1.0) & (y > -0.75) & (y < 1.6)
    good = inside & np.isfinite(tracks.moved[frames, :, 0]).all(axis=0)
    if len(frames) < _FEWEST_FRAMES or good.sum() < _FEWEST_POINTS:
        return None
    places = tracks.places[good].astype(float)
    motion = tracks.moved[frames][:, good].astype(float) - places
    motion -= motion[:2].mean(axis=0)
    _, off = _arcs(motion, np.ones(len(places), bool))
    alike = off <= np.quantile(off, _ALIKE)
    square, off = _arcs(motion, alike)
    alike = off <= np.quantile(off, _ALIKE)
    design = np.column_stack((np.ones(len(places)), places))[alike]
    square, weights = square[alike], np.ones(int(alike.sum()))[:, None]
    for _ in range(_ROUNDS):
        solved = np.linalg.lstsq(design * weights, square * weights, rcond=None)[0]
        residual = np.hypot(*(square - design @ solved).T)
        usual = max(1.5 * float(np.median(residual)), 1e-6)
        weights = 1 / np.sqrt(np.maximum(1, residual / usual))[:, None]
    return float((solved[2, 1] - solved[1, 0]) * (-1 if pitch else 1))


def _arcs(motion: Values, used: NDArray[np.bool_]) -> tuple[Values, Values]:
    """What each point of `motion` (frames, n, 2) moves with the square of the way (n, 2), and how far its
    motion is from that of an arc (n,); the points `used` say how far the way has come.
    """
    flat = motion[:, used].reshape(len(motion), -1)
    parts, _, _ = np.linalg.svd(flat, full_matrices=False)
    come = parts[:, 0] / (parts[np.abs(parts[:, 0]).argmax(), 0] or 1.0)
    design = np.column_stack((come, come**2))
    every = motion.reshape(len(motion), -1)
    solved = np.linalg.lstsq(design, every, rcond=None)[0]
    residual = (every - design @ solved).reshape(motion.shape)
    return solved[1].reshape(-1, 2), np.sqrt((residual**2).sum(axis=(0, 2)))


def lost_detail(tracks: Tracks, frames: NDArray[np.intp], come: Values) -> float:
    """Which part (0..1) of the detail at the ends of a movement is missing half way; `come` (frames,) says
    how far, 0..1, it has come in each of `frames`.
    """
    middle = (come > 0.3) & (come < 0.7)
    if not middle.any():
        return 0.0
    faces = tracks.patches[frames][:, 60:200, 50:175]
    detail = np.array([cv2.Laplacian(face, cv2.CV_32F).var() for face in faces])
    return float(np.clip(1 - np.median(detail[middle]) / max(min(detail[0], detail[-1]), 1e-6), 0, 1))


def sway(tracks: Tracks, frames: NDArray[np.bool_]) -> float:
    """How far the face usually goes from one of `frames` to the next, in distances of the eyes."""
    steps = np.abs(np.diff(tracks.shift[frames], axis=0))
    return float(np.median(steps)) if len(steps) else 0.0
