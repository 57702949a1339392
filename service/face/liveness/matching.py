"""Compares straightened faces: whether one film shows them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.film import SIDE, Film, Pixels
from shared.images.cv import cv2

Points = NDArray[np.float32]

# Parts of a straightened face (x0, y0, x1, y1 in px) that have details: eyes with brows, and mouth.
_DETAILED = ((14, 20, 82, 46), (30, 68, 66, 90))
# Points of each part, and the fewest that are left of all of them. Of films of three people 15 were left at
# least, of cuts none.
_POINTS, _FEWEST = 60, 12
# A point that does not come back to within a pixel was lost.
_RETURN_PX = 1.0


def is_one_take(film: Film, frames: Sequence[int]) -> bool:
    """Whether points of eyes and mouth can be followed through all `frames`, from each to the next.

    They are followed by the pyramidal method of Lucas and Kanade (Bouguet, 2000). A cut and a cross-fade lose
    most of them at once, a head that turns loses them one after another.
    """
    points = _find_points(film.crops[frames[0]])
    for before, index in itertools.pairwise(frames):
        points = _follow(film.crops[before], film.crops[index], points)
    return len(points) >= _FEWEST


def _find_points(crop: Pixels) -> Points:
    found = []
    for x0, y0, x1, y1 in _DETAILED:
        mask = np.zeros((SIDE, SIDE), np.uint8)
        mask[y0:y1, x0:x1] = 255
        corners = cv2.goodFeaturesToTrack(crop, _POINTS, 0.01, 3, mask=mask, blockSize=5)
        if corners is not None:
            found.append(corners.reshape(-1, 2))
    return np.vstack(found) if found else np.zeros((0, 2), np.float32)


def _follow(first: Pixels, other: Pixels, points: Points) -> Points:
    """Those of the `points` of `first` that can be followed to `other` and back, in `other`."""
    if not len(points):
        return points
    window: dict[str, Any] = {"winSize": (13, 13), "maxLevel": 2}
    there, forward, _ = cv2.calcOpticalFlowPyrLK(first, other, points, None, **window)
    back, backward, _ = cv2.calcOpticalFlowPyrLK(other, first, there, None, **window)
    is_followed = (forward & backward).ravel().astype(bool) & (np.hypot(*(back - points).T) < _RETURN_PX)
    return np.asarray(there[is_followed])
