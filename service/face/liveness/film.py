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
_Face = NDArray[np.float32]
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
# Details below the one size are noise, and changes above the other are seen, px. The border does not count,
# because the alignment fills it.
_FINE_PX, _COARSE_PX, _BORDER = 1.0, 2.0, 14
# Changes are averaged over squares of this side, px, and this percentile of them counts: eyes and mouth are a
# small part of the face.
_PLACE_PX, _MOST = 8, 95
# How the alignment blurs the frames, px, and when it ends.
_ECC_BLUR, _ECC_END = 5, (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 40, 1e-4)


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


def measure_life(film: Film) -> float:
    """How much the face changes by itself while it looks ahead, where it changes most, in parts of its noise.

    Frames at least half of that time apart are compared. Each is aligned by an affine map (Evangelidis and
    Psarakis, 2008), so of a picture only the noise changes, however it is held; of a person also eyes, mouth
    and cheeks do.
    """
    crops = film.crops[film.waiting].astype(np.float32)
    faces = [_normalise(_align(crop, crops[len(crops) // 2])) for crop in crops]
    half = (len(faces) + 1) // 2
    pairs = [(faces[index], later) for index in range(half) for later in faces[index + half :]]
    if not pairs:
        return 0.0
    coarse = np.mean([_inner(_blur(face - later, _COARSE_PX)) ** 2 for face, later in pairs], axis=0)
    fine = np.mean([_inner(face - later - _blur(face - later, _FINE_PX)) ** 2 for face, later in pairs])
    return float(np.percentile(cv2.blur(coarse, (_PLACE_PX, _PLACE_PX)), _MOST) / max(float(fine), 1e-9))


def _align(crop: _Face, target: _Face) -> _Face:
    """The `crop` warped so that it shows the same as `target`; unchanged where no map does."""
    matrix = np.eye(2, 3, dtype=np.float32)
    try:
        _, matrix = cv2.findTransformECC(target, crop, matrix, cv2.MOTION_AFFINE, _ECC_END, None, _ECC_BLUR)
    except cv2.error:
        return crop
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpAffine(crop, matrix, (SIDE, SIDE), flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32
    )


def _normalise(crop: _Face) -> _Face:
    """The `crop` without its brightness and contrast."""
    seen = _inner(_blur(crop, _COARSE_PX))
    return np.asarray((crop - seen.mean()) / max(float(seen.std()), 1.0), np.float32)


def _blur(face: _Face, px: float) -> _Face:
    return np.asarray(cv2.GaussianBlur(face, (0, 0), px), np.float32)


def _inner(face: _Face) -> _Face:
    return face[_BORDER:-_BORDER, _BORDER:-_BORDER]


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
