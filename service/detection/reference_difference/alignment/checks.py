"""Lays a photo over a window of the reference image, mends the homography, and says how much agrees.

What finds places of one region (`align`) and of all regions of a photo (`cover`) is judged here alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.alignment import blocks, features, lens
from service.detection.reference_difference.data import (
    Floats,
    Matrix,
    Pyramid,
    apply,
    corners,
    inverse,
    shift_scale,
)
from shared.images.cv import cv2
from shared.record.geometry import Rect

SIDE = 640
"""The most px of the longer side of a window that is checked."""
BLOCK = 40
BELONGS = 0.6
"""Share of the structure that must agree. On the benchmark's surfaces matching pairs reach 0.90. Nearly
all other pairs stay below 0.4, and similar panels reach 0.7."""
SURELY_BELONGS = 0.9
MIN_VISIBLE = 0.6
"""The least share of a region that must be inside the photo."""
FEATURE_SIDE = 1200
# px of a window, at most the reach of any check.
_SAME_PLACE = 4
# The clicks of a user are off by a few px, which may be this share of the region at its corners.
_CLICKS_OFF = 0.15


@dataclass(frozen=True)
class ReferenceWindow:
    """A window of the reference: to_reference maps frame px -> reference px; size is (width, height).

    tensors: of its blocks, see `blocks.measure`. They are kept like `smooth`, because many guesses are
    checked in one window.
    """

    reference: Pyramid
    to_reference: Matrix
    size: tuple[int, int]
    tensors: dict[int, NDArray[np.float64]] = field(default_factory=dict, repr=False)

    @cached_property
    def smooth(self) -> Floats:
        """The window of the reference, smoothed."""
        return blocks.smooth(self.reference.warped(self.to_reference, self.size))

    @property
    def scale(self) -> float:
        """Frame px per reference px."""
        return float(1 / self.to_reference[0, 0])


@dataclass(frozen=True, slots=True)
class CandidateHomography:
    """A homography (reference px -> photo px) and its agreement with the blocks.

    blank: there is no structure. bend: of the photo's lens, which the homography does not include, see
    `lens`.
    """

    homography: Matrix
    fit: blocks.Fit
    blank: bool
    bend: float = 0.0

    @property
    def score(self) -> float:
        """The share of the structure that agrees, 0..1."""
        return self.fit.score


def surroundings(region: Rect, size: tuple[int, int]) -> Rect:
    """The region with half of its size around it, inside the reference image, for checks of alignments."""
    margin = 0.5 * max(region.w, region.h)
    return Rect(region.x - margin, region.y - margin, region.w + 2 * margin, region.h + 2 * margin).clamp(
        *size
    )


def reference_window(reference: Pyramid, area: Rect, side: int, finest: float) -> ReferenceWindow:
    """The window of `area` (px of the reference), at most `side` px long and `finest` px per reference px."""
    scale = min(finest, side / max(area.w, area.h))
    size = (max(round(area.w * scale), 8), max(round(area.h * scale), 8))
    to_reference = inverse(shift_scale(area.x, area.y, size[0] / area.w, size[1] / area.h))
    return ReferenceWindow(reference, to_reference, size)


_KNOWN: Final[WeakKeyDictionary[Pyramid, dict[tuple[Rect, int], features.Features]]] = WeakKeyDictionary()


def extract(image: Pyramid, area: Rect, side: int = FEATURE_SIDE) -> features.Features:
    """The features of `area`, which is scaled down to at most `side` px, in px of the image.

    They are kept as long as the pyramid: a reference image is compared with many photos.
    """
    known = _KNOWN.setdefault(image, {})
    if (area, side) not in known:
        frame = reference_window(image, area, side, 1.0)
        levels = image.warped(frame.to_reference, frame.size)
        known[area, side] = features.extract(levels, frame.to_reference)
    return known[area, side]


def is_plausible(homography: Matrix, region: Rect, photo_size: tuple[int, int]) -> bool:
    """Whether a camera can map a flat surface like this: without a mirror, a fold or an absurd size."""
    points = corners(region)
    depth = points @ homography[2, :2] + homography[2, 2]
    if np.any(depth / depth.mean() < 0.2) or np.any(depth / depth.mean() > 4):
        return False
    quad = apply(homography, points)
    sides = np.roll(quad, -1, axis=0) - quad
    turns = sides[:, 0] * np.roll(sides[:, 1], -1) - sides[:, 1] * np.roll(sides[:, 0], -1)
    lengths = np.hypot(*sides.T) / np.array([region.w, region.h, region.w, region.h])
    return bool(np.all(turns > 0) and lengths.max() < 4 * lengths.min() and lengths.max() < 40)


def check(
    photo: Pyramid,
    frame: ReferenceWindow,
    homography: Matrix,
    reach: int,
    bend: float = 0.0,
    motion: Floats | None = None,
) -> CandidateHomography | None:
    """Align the photo with the frame, refine the guess twice, and measure the share of agreeing structure.

    bend: of the photo's lens, see `lens`. motion: a kernel that blurs the frame of the reference.
    """
    known, tensors = frame.smooth, frame.tensors
    if motion is not None:
        known, tensors = np.asarray(cv2.filter2D(known, -1, motion), np.float32), {}
    fit: blocks.Fit | None = None
    blank = False
    for turn in range(3):
        to_photo = homography @ frame.to_reference
        levels, valid = lens.view(photo, to_photo, frame.size, bend)
        if np.count_nonzero(valid) < 0.2 * valid.size:
            return None
        seen = blocks.smooth(levels)
        block = min(BLOCK, min(frame.size) // 2)
        found = blocks.measure(known, seen, valid, block, reach if turn == 0 else 4, 64, tensors)
        fit = blocks.fit(found, frame.size, 2.0 if turn == 0 else 1.2)
        structured = len(found.centres)
        blank = structured <= 0.06 * found.total and found.photo_only <= 0.3 * found.total and found.total > 0
        if blank or structured == 0:
            break
        if fit.score < 0.12:
            return None
        homography = homography @ frame.to_reference @ fit.update @ inverse(frame.to_reference)
        if _largest_move(fit.update, frame.size) < (0.3 if turn > 0 else 0.12):
            break
    if fit is None:
        return None
    blank = blank and _has_same_tone(photo, frame, homography)
    return CandidateHomography(homography, fit, blank, bend)


def is_same_place(frame: ReferenceWindow, one: Matrix, other: Matrix) -> bool:
    """Whether two homographies (reference px -> photo px) are so near that their checks end at one place."""
    back = inverse(one @ frame.to_reference)
    return _largest_move(back @ other @ frame.to_reference, frame.size) <= _SAME_PLACE


def _largest_move(update: Matrix, size: tuple[int, int]) -> float:
    points = corners(Rect(0, 0, *size))
    return float(np.abs(apply(update, points) - points).max())


def _has_same_tone(photo: Pyramid, frame: ReferenceWindow, homography: Matrix) -> bool:
    """Whether two surfaces without structure could be the same, judged by their brightness."""
    one = frame.reference.warped(frame.to_reference, frame.size)
    other = photo.warped(homography @ frame.to_reference, frame.size)
    return bool(abs(np.median(one) - np.median(other)) < 40)


def is_near(homography: Matrix, start: Matrix, region: Rect) -> bool:
    """Whether an alignment equals the one that a user set, up to the precision of clicks."""
    points = corners(region)
    there = apply(start, points)
    off = np.abs(apply(homography, points) - there).max()
    return bool(off <= _CLICKS_OFF * np.ptp(there, axis=0).max())


def visible_share(homography: Matrix, region: Rect, photo_size: tuple[int, int]) -> float:
    """The share of the region that is inside a photo of `photo_size`, 0..1."""
    quad = apply(homography, corners(region)).astype(np.float32)
    photo = corners(Rect(0, 0, *photo_size)).astype(np.float32)
    common, _ = cv2.intersectConvexConvex(quad, photo)
    whole = cv2.contourArea(quad)
    return float(np.clip(common / whole, 0, 1)) if whole > 0 else 0.0
