"""Measures whether a face turns as a solid head does, or changes from one picture into another.

The points of a head that turns move on arcs: their places are a linear combination of the sine and the cosine
of the angle (Tomasi and Kanade, Shape and Motion from Image Streams, 1992). The points of a morph between two
pictures move on straight lines, and its frames are blends, which lose detail half way. The arc is measured
in two ways with different errors: by the narrowing of the face against the turn of the nose (`narrowing`),
and by the common motion of all points (`bulge`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.tracking import Tracks
from shared.images.cv import cv2

Values = NDArray[np.float64]

_FEWEST_POINTS = 40
_FEWEST_FRAMES = 4
# The error of the narrowing: a part of it stands still, the other one grows with the turn.
_ERROR, _ERROR_OF_TURN = 0.004, 0.06
_ROUNDS = 4


def narrowing(turn: Values, narrowed: Values) -> float | None:
    """How much the face narrows with the square of the turn; None with too few frames.

    `turn` (frames,): the sine of the turn since the first frame of the film; `narrowed` (frames,): 1 - the
    width of the face against its height, both finite. For a head that turns by the angle a from any pose,
    1 - cos a is half the square of the sine, and a plane that was slanted before adds a part that grows with
    the sine itself. So a robust fit of both gives about 0.5 for a head. For a morph everything grows with the
    same factor, which gives 0.
    """
    if len(turn) < _FEWEST_FRAMES + 2:
        return None
    design = np.column_stack((np.ones_like(turn), turn, turn**2))
    error = _ERROR + _ERROR_OF_TURN * np.abs(turn)
    weights = 1 / error
    for _ in range(_ROUNDS):
        solved = np.linalg.lstsq(design * weights[:, None], narrowed * weights, rcond=None)[0]
        off = np.abs(narrowed - design @ solved) / error
        usual = max(1.5 * float(np.median(off)), 0.3)
        weights = 1 / error / np.sqrt(np.maximum(1, off / (2 * usual)))
    return float(solved[2])


def bulge(tracks: Tracks, frames: NDArray[np.intp], *, pitch: bool) -> float | None:
    """How much the face narrows beyond a straight line between both ends of a movement, or along its height
    with `pitch`; None where `frames` or the points that all of them have are too few.

    A head that turns by an angle a from the front gives about half the square of the sine of a, with
    cheeks that slant more; a morph gives about 0.
    """
    x, y = tracks.places[:, 0], tracks.places[:, 1]
    inside = (np.abs(x) < 1.0) & (y > -0.75) & (y < 1.6)
    good = inside & np.isfinite(tracks.moved[frames, :, 0]).all(axis=0)
    if len(frames) < _FEWEST_FRAMES or good.sum() < _FEWEST_POINTS:
        return None
    places = tracks.places[good].astype(float)
    motion = tracks.moved[frames][:, good].astype(float) - places
    flat = (motion - motion[:2].mean(axis=0)).reshape(len(frames), -1)
    # The main motion is how far the movement has come; what goes with its square is the arc.
    parts, _, _ = np.linalg.svd(flat, full_matrices=False)
    come = parts[:, 0] / (parts[np.abs(parts[:, 0]).argmax(), 0] or 1.0)
    square = np.linalg.lstsq(np.column_stack((come, come**2)), flat, rcond=None)[0][1].reshape(-1, 2)
    design = np.column_stack((np.ones(len(places)), places))
    solved = np.linalg.lstsq(design, square, rcond=None)[0]
    return float((solved[2, 1] - solved[1, 0]) * (-1 if pitch else 1))


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
