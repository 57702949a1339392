"""Lays a photo over a window of the reference image, mends the homography, and says how much agrees.

What finds places of one region (`align`) and of all regions of a photo (`cover`) is judged here alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.alignment import blocks, features, lens
from service.detection.reference_difference.data import (
    Matrix,
    Pyramid,
    apply,
    corners,
    inverse,
    shift_scale,
)
from shared.geometry import Rect
from shared.images.cv import cv2

SIDE = 640
"""Windows that are checked have at most so many px on their longer side."""
BLOCK = 40
BELONGS = 0.6
"""Share of the structure that must agree. On the benchmark's surfaces pairs that belong together reach 0.90
and more; of those that do not, nearly all stay below 0.4, and look-alike panels reach 0.7."""
LEAST_VISIBLE = 0.6
"""Of a region that a photo shows, so large a share lies inside the photo."""
FEATURE_SIDE = 1200
# Three clicks of a person are off by a few px; at the corners of a region around them that may be this share.
_CLICKS_OFF = 0.15


@dataclass(frozen=True, slots=True)
class ReferenceWindow:
    """A window of the reference: to_reference maps frame px -> reference px; size is (width, height)."""

    to_reference: Matrix
    size: tuple[int, int]

    @property
    def scale(self) -> float:
        """Frame px per reference px."""
        return float(1 / self.to_reference[0, 0])


@dataclass(frozen=True, slots=True)
class CandidateHomography:
    """A homography (reference px -> photo px) and how the blocks agree.

    blank: there is no structure. bend: of the photo's lens, which the homography leaves out, see `lens`.
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
    """The region and half of its size around it, inside the reference: what the alignment is judged by."""
    margin = 0.5 * max(region.w, region.h)
    return Rect(region.x - margin, region.y - margin, region.w + 2 * margin, region.h + 2 * margin).clamped(
        *size
    )


def frame_of(area: Rect, side: int, finest: float) -> ReferenceWindow:
    """A window of `area` (px of the reference), at most `side` px long and `finest` px per reference px."""
    scale = min(finest, side / max(area.w, area.h))
    size = (max(round(area.w * scale), 8), max(round(area.h * scale), 8))
    return ReferenceWindow(inverse(shift_scale(area.x, area.y, size[0] / area.w, size[1] / area.h)), size)


def extract(image: Pyramid, area: Rect, side: int = FEATURE_SIDE) -> features.Features:
    """The features of `area`, seen at most `side` px long, in px of the image."""
    frame = frame_of(area, side, 1.0)
    return features.extract(image.warped(frame.to_reference, frame.size), frame.to_reference)


def plausible(homography: Matrix, region: Rect, photo_size: tuple[int, int]) -> bool:
    """No mirror, no fold, no absurd size: what a camera cannot do to a flat surface is no alignment."""
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
    reference: Pyramid,
    photo: Pyramid,
    frame: ReferenceWindow,
    homography: Matrix,
    reach: int,
    bend: float = 0.0,
) -> CandidateHomography | None:
    """Lay the photo over the frame, mend the guess twice, and say how much of the structure agrees.

    bend: of the photo's lens, see `lens`.
    """
    known = blocks.smoothed(reference.warped(frame.to_reference, frame.size))
    fit: blocks.Fit | None = None
    blank = False
    tensors: dict[int, NDArray[np.float64]] = {}
    for turn in range(3):
        to_photo = homography @ frame.to_reference
        levels, valid = lens.seen(photo, to_photo, frame.size, bend)
        if np.count_nonzero(valid) < 0.2 * valid.size:
            return None
        seen = blocks.smoothed(levels)
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
        if _moved(fit.update, frame.size) < (0.3 if turn > 0 else 0.12):
            break
    if fit is None:
        return None
    blank = blank and _same_tone(reference, photo, frame, homography)
    return CandidateHomography(homography, fit, blank, bend)


def _moved(update: Matrix, size: tuple[int, int]) -> float:
    points = corners(Rect(0, 0, *size))
    return float(np.abs(apply(update, points) - points).max())


def _same_tone(reference: Pyramid, photo: Pyramid, frame: ReferenceWindow, homography: Matrix) -> bool:
    """Whether two surfaces without structure could be the same one, by their brightness alone."""
    one = reference.warped(frame.to_reference, frame.size)
    other = photo.warped(homography @ frame.to_reference, frame.size)
    return bool(abs(np.median(one) - np.median(other)) < 40)


def near(homography: Matrix, start: Matrix, region: Rect) -> bool:
    """Whether an alignment says the same as the one that a person set, but for what clicks are off."""
    points = corners(region)
    there = apply(start, points)
    off = np.abs(apply(homography, points) - there).max()
    return bool(off <= _CLICKS_OFF * np.ptp(there, axis=0).max())


def visible(homography: Matrix, region: Rect, photo_size: tuple[int, int]) -> float:
    """The share of the region that lies inside a photo of `photo_size`, 0..1."""
    quad = apply(homography, corners(region)).astype(np.float32)
    photo = corners(Rect(0, 0, *photo_size)).astype(np.float32)
    common, _ = cv2.intersectConvexConvex(quad, photo)
    whole = cv2.contourArea(quad)
    return float(np.clip(common / whole, 0, 1)) if whole > 0 else 0.0
