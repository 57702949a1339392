"""Estimates how likely a finding is real, by a logistic model over its measures.

Labels a difference by its measures, with `difference` if the measures do not decide.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Floats
from service.detection.reference_difference.difference.boxes import DifferencePart
from service.detection.reference_difference.difference.comparison import Comparison, Examined
from service.detection.reference_difference.difference.sampling import differences
from shared.images.cv import cv2

# Bias and weights of the measures. Fitted by logistic regression (ridge 0.5, Fisher scoring, at most
# `MAX_CONFIDENCE`) on the differing parts with a confidence of 0.1 and more. Seed 110000: 25 pairs of each
# surface under each disturbance, 30 of each kind of surface, 100 of each bilevel sheet. Seed 120000: 90 of
# each kind of scan. The weight of what a shift leaves comes from drawn scenes with parallax. In scans all
# differences are equally strong, so the thickness has most weight. A line of another width looks like one
# that moved, so the residual of a shift has no weight for bilevel references.
_PHOTO = (-1.07, 2.49, -0.59, -2.2, 2.7, 3.05, -2.06, 0.95)
_SCAN = (-6.1, 0.55, 6.24, -1.8, 0.49, 1.23, 0.43, 0.39)
_BILEVEL = (-6.7, 1.47, 5.8, -2.51, 0.0, 0.64, 0.36, -1.08)
MAX_CONFIDENCE: Final = 0.99
"""About one of a hundred findings is a piece of another one or has a wrong box, however strong it is."""
_HIGHLIGHT = 0.2
# px of a frame for which the number of equally strong parts is counted.
_PEERS_PX = 500_000
# px by which an object that stands out of the surface, or a highlight on it, may be shifted.
_PARALLAX = 4
# px around a part that must fit too when it is shifted, or a thin part could be shifted out of the window.
_BESIDE = _PARALLAX + 1
# Grey levels squared per px that are added to both sides of the ratio, because a shift never explains noise.
_NOISE = 4.0
_MAX_PIXELS = 250_000
# px from a part at which its surroundings start, because it may be smeared so far, and at which they end.
_SMEARED, _SURROUNDINGS = 3, 12
# px with which the area of a part is compared.
_MIDDLING_AREA = 200


def measures(part: DifferencePart, view: Comparison, seen: Examined) -> tuple[float, ...]:
    """The measures of a part on which its confidence depends, each about 0 for an average finding.

    They are logarithms of

    - the strength over the threshold,
    - the thickness,
    - the number of parts in the same area that are at least half as strong: if much differs, a single part
      means little,
    - the share of the difference that remains after shifting the photo by a few px: for an edge or a
      highlight that moved it is small,
    - the mean difference over that of the surroundings: bad light or alignment also differs around the part,
    - the mean difference over the usual one of the pair,
    - the area.
    """
    # The number is limited, so that many equal defects do not hide each other.
    peers = min(sum(other.peak >= part.peak / 2 for other in seen.found if not other.highlight), 20)
    return (
        float(np.log(np.clip(part.peak / seen.threshold, 0.1, 50))),
        float(np.log(np.clip(part.thickness, 1, 30) / 4)),
        float(np.log(max(peers / max(seen.pixels / _PEERS_PX, 1.0), 1.0) / 5)),
        _shift_residual(part, view),
        *_contrasts(part, view),
        float(np.log(part.area / _MIDDLING_AREA)),
    )


def confidence(part: DifferencePart, view: Comparison, seen: Examined) -> float:
    """The probability 0..1 that the part, found in `view`, is a real change.

    It is constant for a highlight, and low. A photo in which they hide much is refused.
    """
    if part.highlight:
        return _HIGHLIGHT
    weights = _SCAN if seen.scanned else _BILEVEL if seen.bilevel else _PHOTO
    value = float(np.dot(weights, (1.0, *measures(part, view, seen))))
    return round(float(MAX_CONFIDENCE / (1 + np.exp(-value))), 3)


def _shift_residual(part: DifferencePart, view: Comparison) -> float:
    """The logarithm of the share of the squared difference that remains after the best small shift."""
    around = _BESIDE + _PARALLAX
    height, width = part.mask.shape
    if (height + 2 * around) * (width + 2 * around) > _MAX_PIXELS:
        return 0.0
    mask = np.zeros((height + 2 * _BESIDE, width + 2 * _BESIDE), np.uint8)
    mask[_BESIDE : _BESIDE + height, _BESIDE : _BESIDE + width] = part.mask
    wide = cv2.dilate(mask, np.ones((2 * _BESIDE + 1, 2 * _BESIDE + 1), np.uint8)).astype(np.float32)
    was, now = _cut_out(view.was, part, _BESIDE), _cut_out(view.now, part, around)
    off = cv2.matchTemplate(now, was, cv2.TM_SQDIFF, None, wide)
    noise = _NOISE * float(wide.sum())
    here, best = max(float(off[_PARALLAX, _PARALLAX]), 0.0), max(float(off.min()), 0.0)
    return float(np.log((best + noise) / (here + noise)))


def _contrasts(part: DifferencePart, view: Comparison) -> tuple[float, float]:
    """Logarithms of the mean difference of the part over that of its surroundings, and over the usual one."""
    height, width = view.was.shape[:2]
    pad = _SURROUNDINGS
    left, top = max(int(part.box.x) - pad, 0), max(int(part.box.y) - pad, 0)
    right, bottom = min(int(part.box.right) + pad, width), min(int(part.box.bottom) + pad, height)
    area = np.s_[top:bottom, left:right]
    mask = np.zeros((bottom - top, right - left), np.uint8)
    y, x = int(part.box.y) - top, int(part.box.x) - left
    mask[y : y + part.mask.shape[0], x : x + part.mask.shape[1]] = part.mask
    off = differences(view.was[area], view.now[area], 1)
    smeared, wide = (
        cv2.dilate(mask, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8))
        for reach in (_SMEARED, _SURROUNDINGS)
    )
    inside, around = (cv2.mean(off, each)[0] for each in (mask, cv2.subtract(wide, smeared)))
    # One grey level is added, because the contrast to equal surroundings would be infinite.
    return float(np.log((inside + 1) / (around + 1))), float(np.log((inside + 1) / (view.usual + 1)))


def _cut_out(image: Floats, part: DifferencePart, pad: int) -> Floats:
    """The part of the image in grey with `pad` px around it; beyond the image its edge is repeated."""
    height, width = image.shape[:2]
    left, top, right, bottom = (int(v) for v in (part.box.x, part.box.y, part.box.right, part.box.bottom))
    x1, y1, x2, y2 = left - pad, top - pad, right + pad, bottom + pad
    cut = np.ascontiguousarray(image[max(y1, 0) : y2, max(x1, 0) : x2])
    one = cut[..., 0] if cut.shape[2] == 1 else cv2.cvtColor(cut, cv2.COLOR_BGR2GRAY)
    beyond = (max(-y1, 0), max(y2 - height, 0), max(-x1, 0), max(x2 - width, 0))
    return np.asarray(cv2.copyMakeBorder(one, *beyond, cv2.BORDER_REPLICATE), np.float32)


Mask = NDArray[np.bool_]

_EDGE = 0.41
"""Steepest change per px in parts of the mean change: an object with an edge is above, a change that fades
out below. On generated panels stains and dents have 0.20 to 0.40, and objects 0.42 to 0.83.
"""

_SWING = 60.0
"""Mean change in grey levels above which a change is an object, however blurred its edge, since the surface
does not show through. Stains and dents have at most 34, holes at least 66.
"""

_STEEPEST = 0.95
"""The share of the px that are less steep than the steepest, so that noise does not count."""

_TEXTURE_PX = 300
"""The least px from which texture is compared: a rivet and the hole in its place are both round."""


def label(part: DifferencePart, reference: Floats, photo: Floats) -> str:
    """One of crack, scratch, missing, added, dent, stain, highlight, difference.

    reference, photo: the compensated frames, float32 (height, width, 3 or 1).
    """
    if part.highlight:
        return "highlight"
    box = part.box
    pad = min(max(int(0.25 * max(box.w, box.h)), 4), 60)
    height, width = reference.shape[:2]
    top, left = max(int(box.y) - pad, 0), max(int(box.x) - pad, 0)
    bottom, right = min(int(box.bottom) + pad, height), min(int(box.right) + pad, width)
    area = np.s_[top:bottom, left:right]
    mask = np.zeros((bottom - top, right - left), np.bool_)
    y, x = int(box.y) - top, int(box.x) - left
    mask[y : y + part.mask.shape[0], x : x + part.mask.shape[1]] = part.mask
    was, now = reference[area], photo[area]
    change = (now - was)[mask]
    bright = change.mean(axis=1)
    length, thickness = _extent(mask)
    steepness_was = _gradient(was)
    structure_was, structure_now = _structure(steepness_was, mask), _structure(_gradient(now), mask)
    if length > 4 * thickness and length >= 10:
        if structure_was > 1.5 * structure_now:
            return "missing"
        return "crack" if bright.mean() < 0 else "scratch"
    if structure_was > 2.0 * structure_now + 2:
        return "missing"
    swing = float(np.abs(bright).mean())
    hue = float(np.abs(change - bright[:, None]).mean())
    steepness = np.sort(_gradient(now - was)[mask])
    # Not np.percentile, which takes five times as long for the few px of a part.
    steepest = float(np.interp(_STEEPEST * (steepness.size - 1), np.arange(steepness.size), steepness))
    soft = steepest < _EDGE * swing and swing < _SWING
    if soft or _texture_kept(was, now, mask) > 0.6:
        # It fades out, or the surface shows through. A dent bends the light: the brightness changes across it
        # without colour. A stain changes the colour or darkens evenly.
        return "dent" if hue < 0.1 * swing and _runs_across(mask, bright) > 0.03 else "stain"
    if structure_was > 1.5 * _structure_beside(steepness_was, mask) + 0.5:
        # One object replaced another, as a hole a rivet.
        return "missing"
    return "added" if structure_now > structure_was else "difference"


def _extent(mask: Mask) -> tuple[float, float]:
    """Length along the main axis, and mean thickness (area over length), in px."""
    rows, columns = np.nonzero(mask)
    points = np.stack([columns, rows], axis=1).astype(np.float64)
    if len(points) < 3:
        return float(len(points)), 1.0
    centred = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    along = centred @ axes[:, 1]
    length = float(along.max() - along.min()) + 1
    return length, len(points) / length


def _structure(steepness: Floats, mask: Mask) -> float:
    """Mean gradient on and just around the mask, grey levels per px."""
    around = cv2.dilate(mask.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    return float(steepness[around].mean())


def _gradient(image: Floats) -> Floats:
    channels = image.shape[2]
    luminance = cv2.transform(image, np.full((1, channels), 1 / channels, np.float32))
    gx, gy = (
        cv2.Sobel(luminance, cv2.CV_32F, 1, 0, scale=1 / 8),
        cv2.Sobel(luminance, cv2.CV_32F, 0, 1, scale=1 / 8),
    )
    return np.asarray(cv2.magnitude(gx, gy), np.float32)


def _structure_beside(steepness: Floats, mask: Mask) -> float:
    """Mean gradient in a ring around the mask, grey levels per px."""
    inner = cv2.dilate(mask.astype(np.uint8), np.ones((7, 7), np.uint8))
    outer = cv2.dilate(inner, np.ones((9, 9), np.uint8))
    ring = (outer > 0) & (inner == 0)
    return float(steepness[ring].mean()) if ring.any() else 0.0


def _runs_across(mask: Mask, bright: NDArray[np.floating[Any]]) -> float:
    """Share (0..1) of the variance of `bright` (one value per px of the mask) that a plane explains."""
    rows, columns = np.nonzero(mask)
    total = float(((bright - bright.mean()) ** 2).sum())
    if len(rows) < 6 or total < 1e-6:
        return 0.0
    plane = np.column_stack([rows, columns, np.ones(len(rows))]).astype(np.float64)
    _, residual, rank, _ = np.linalg.lstsq(plane, bright.astype(np.float64), rcond=None)
    return 1.0 - float(residual[0]) / total if rank == 3 and len(residual) else 0.0


def _texture_kept(was: Floats, now: Floats, mask: Mask) -> float:
    """The correlation of the fine structure inside the mask, -1..1; 0 if the mask is too small."""
    inner = cv2.erode(mask.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    if np.count_nonzero(inner) < _TEXTURE_PX:
        return 0.0
    means = (image.mean(axis=2) for image in (was, now))
    one, other = (mean - cv2.GaussianBlur(mean, (0, 0), 3.0) for mean in means)
    one, other = one[inner] - one[inner].mean(), other[inner] - other[inner].mean()
    scale = float(np.sqrt((one @ one) * (other @ other)))
    return float(one @ other) / scale if scale > 1e-6 else 0.0
