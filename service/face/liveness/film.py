"""Holds what an engine sees in the frames of a film: where the face is, how it is turned, and its picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shared.images.cv import cv2
from shared.images.similarity import fit_similarity

Values = NDArray[np.float64]
Pixels = NDArray[np.uint8]

# Side of a picture of the face in px, and where the eyes are in it: from the forehead to the chin.
SIDE = 96
EYES = np.array(((28.0, 34.0), (68.0, 34.0)))
# So many frames with a face show how it looks ahead.
AHEAD = 3


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """`times` of the frames (n,) in ms; the centres of the `eyes` (n, 2, 2), the left one in the picture
    first, and the tip or base of the `nose` (n, 2), in px, NaN in frames without a face; `crops`
    (n, SIDE, SIDE) uint8, the grey face with its eyes at `EYES`; `asked_ms`, until when the person looks
    ahead.
    """

    times: Values
    eyes: Values
    nose: Values
    crops: Pixels
    asked_ms: float = 0.0

    @property
    def found(self) -> NDArray[np.bool_]:
        """Which frames (n,) show the face."""
        return np.isfinite(self.nose[:, 0])

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
    """How far each frame (n, 2) is turned to the person's left and upwards as seen from those in which it
    looks ahead, about as the sine of the angle; NaN without a face.

    The nose stands out from the plane of the eyes, so it moves along and across the line between them.
    """
    along, across = _measure_nose(film)
    start = np.median(along[film.ahead]), np.median(across[film.ahead])
    return _smooth(np.stack((along - start[0], 1 - across / max(float(start[1]), 0.1)), axis=1))


def measure_aside(film: Film) -> Values:
    """How far the nose is to the person's left of the middle of the eyes in each frame (n,), in distances of
    the eyes: 0 from the front, with any person; NaN without a face.
    """
    return _measure_nose(film)[0]


def _measure_nose(film: Film) -> tuple[Values, Values]:
    """Where the nose is along and across the line of the eyes in each frame, two of (n,), in distances of the
    eyes.
    """
    between = film.eyes[:, 1] - film.eyes[:, 0]
    offset = film.nose - film.eyes.mean(axis=1)
    square = np.maximum((between**2).sum(axis=1), 1e-9)
    along = (offset * between).sum(axis=1) / square
    return along, (offset[:, 1] * between[:, 0] - offset[:, 0] * between[:, 1]) / square


def _smooth(values: Values) -> Values:
    """The median of each three known rows of `values` (n, 2): landmarks jump in single frames."""
    known = np.flatnonzero(np.isfinite(values[:, 0]))
    smooth = np.full_like(values, np.nan)
    if len(known) >= 3:
        rows = values[known]
        neighbours = np.stack((np.vstack((rows[:1], rows[:-1])), rows, np.vstack((rows[1:], rows[-1:]))))
        smooth[known] = np.median(neighbours, axis=0)
    return smooth
