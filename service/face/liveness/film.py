"""Holds what a film shows: where the face is, how it is turned, its picture, and whether it is one take."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shared.images.cv import cv2
from shared.images.similarity import fit_similarity

Values = NDArray[np.float64]
Pixels = NDArray[np.uint8]
_Points = NDArray[np.float32]

# Side of a picture of the face in px, and where the eyes are in it: from the forehead to the chin.
SIDE = 96
EYES = np.array(((28.0, 34.0), (68.0, 34.0)))
# How far a head that looks ahead may be turned to a side and upwards: the camera may be above or below it.
FRONT = np.array((0.0, 0.2))
# So many frames with a face show how it looks ahead.
AHEAD = 3
# Parts of a straightened face (x0, y0, x1, y1 in px) that have details: eyes with brows, and mouth.
_DETAILED = ((14, 20, 82, 46), (30, 68, 66, 90))
# Points of each part, and the fewest that are left of all of them. Of films of three people 15 were left at
# least, of cuts none.
_POINTS, _FEWEST = 60, 12
# A point that does not come back to within a pixel was lost.
_RETURN_PX = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """`times` of the frames (n,) in ms; the centres of the `eyes` (n, 2, 2) in px, the left one in the
    picture first, and the `directions` (n, 2) of the head (`mesh.direction_of`), NaN in frames without a
    face; `crops` (n, SIDE, SIDE) uint8, the grey face with its eyes at `EYES`; `asked_ms`, until when the
    person looks ahead.
    """

    times: Values
    eyes: Values
    directions: Values
    crops: Pixels
    asked_ms: float = 0.0

    @property
    def found(self) -> NDArray[np.bool_]:
        """Which frames (n,) show the face."""
        return np.isfinite(self.directions[:, 0])

    @property
    def waiting(self) -> NDArray[np.intp]:
        """The frames with the face until `asked_ms`, and at least the first `AHEAD`."""
        shown = np.flatnonzero(self.found)
        return shown[: max(int((self.times[shown] <= self.asked_ms).sum()), AHEAD)]

    @property
    def ahead(self) -> NDArray[np.intp]:
        """The last `AHEAD` of `waiting`: people sway while they wait, so it is where they look just before
        they turn that counts.
        """
        return self.waiting[-AHEAD:]


def find_sharpest(film: Film, frames: NDArray[np.intp]) -> int:
    """Which of `frames` shows the sharpest face: by the variance of the Laplacian over that of the face."""
    crops = film.crops[frames].astype(np.float32)
    rates = [cv2.Laplacian(crop, cv2.CV_32F).var() / max(float(crop.var()), 1.0) for crop in crops]
    return int(frames[int(np.argmax(rates))])


def straighten(frame: Pixels, eyes: Values) -> Pixels:
    """The face of a BGR uint8 `frame` with `eyes` (2, 2) px as (SIDE, SIDE) grey, its eyes at `EYES`."""
    matrix = fit_similarity(eyes, EYES)
    grey = cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY)
    # Warping takes single pixels, so a larger face is blurred first.
    shrink = 1 / max(float(np.hypot(*matrix[:, 0])), 1e-6)
    if shrink > 1:
        grey = cv2.GaussianBlur(grey, (0, 0), 0.4 * shrink)
    return np.asarray(cv2.warpAffine(grey, matrix, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def measure_turns(film: Film) -> Values:
    """How far each frame (n, 2) is turned to the person's left and upwards beyond where the head looks when
    it is asked to turn; NaN without a face. A head that looks aside and turns back has turned only beyond
    the front.
    """
    start = np.median(film.directions[film.ahead], axis=0)
    front = np.clip(start, -FRONT, FRONT)
    directions = _smooth(film.directions)
    return directions - np.clip(directions, np.minimum(start, front), np.maximum(start, front))


def _smooth(values: Values) -> Values:
    """The median of each three known rows of `values` (n, 2): points jump in single frames."""
    known = np.flatnonzero(np.isfinite(values[:, 0]))
    smooth = np.full_like(values, np.nan)
    if len(known) >= 3:
        rows = values[known]
        neighbours = np.stack((np.vstack((rows[:1], rows[:-1])), rows, np.vstack((rows[1:], rows[-1:]))))
        smooth[known] = np.median(neighbours, axis=0)
    return smooth


def is_one_take(film: Film, frames: Sequence[int]) -> bool:
    """Whether points of eyes and mouth can be followed through all `frames`, from each to the next.

    They are followed by the pyramidal method of Lucas and Kanade (Bouguet, 2000). A cut and a cross-fade lose
    most of them at once, a head that turns loses them one after another.
    """
    points = _find_points(film.crops[frames[0]])
    for before, index in itertools.pairwise(frames):
        points = _follow(film.crops[before], film.crops[index], points)
    return len(points) >= _FEWEST


def _find_points(crop: Pixels) -> _Points:
    found = []
    for x0, y0, x1, y1 in _DETAILED:
        mask = np.zeros((SIDE, SIDE), np.uint8)
        mask[y0:y1, x0:x1] = 255
        corners = cv2.goodFeaturesToTrack(crop, _POINTS, 0.01, 3, mask=mask, blockSize=5)
        if corners is not None:
            found.append(corners.reshape(-1, 2))
    return np.vstack(found) if found else np.zeros((0, 2), np.float32)


def _follow(first: Pixels, other: Pixels, points: _Points) -> _Points:
    """Those of the `points` of `first` that can be followed to `other` and back, in `other`."""
    if not len(points):
        return points
    window: dict[str, Any] = {"winSize": (13, 13), "maxLevel": 2}
    there, forward, _ = cv2.calcOpticalFlowPyrLK(first, other, points, None, **window)
    back, backward, _ = cv2.calcOpticalFlowPyrLK(other, first, there, None, **window)
    is_followed = (forward & backward).ravel().astype(bool) & (np.hypot(*(back - points).T) < _RETURN_PX)
    return np.asarray(there[is_followed])
