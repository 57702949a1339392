"""Labels a difference by its measures, with `difference` if the measures do not decide."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Floats
from service.detection.reference_difference.difference.boxes import DifferencePart
from shared.images.cv import cv2

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
