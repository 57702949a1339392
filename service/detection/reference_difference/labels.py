"""Names a difference by what can be measured on it, and says `difference` where that decides nothing."""

from __future__ import annotations

import numpy as np

from service.detection.reference_difference.boxes import Part
from service.detection.reference_difference.parts import Floats
from shared.cv import cv2


def label(part: Part, reference: Floats, photo: Floats) -> str:
    """One of crack, scratch, missing, added, dent, stain, difference.

    reference, photo: the compensated frames, float32 (height, width, 3 or 1).
    """
    box = part.box
    pad = int(np.clip(0.25 * max(box.w, box.h), 4, 60))
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
    structure_was, structure_now = _structure(was, mask), _structure(now, mask)
    if length > 4 * thickness and length >= 10:
        if structure_was > 1.5 * structure_now:
            return "missing"
        return "crack" if bright.mean() < 0 else "scratch"
    if structure_was > 2.0 * structure_now + 2:
        return "missing"
    swing = float(np.abs(bright).mean())
    one_way = abs(float(bright.mean())) / max(swing, 1e-3)
    hue = float(np.abs(change - bright[:, None]).mean())
    sharp = structure_now > 2.0 * structure_was + 2
    kept = _texture_kept(was, now, mask)
    if swing < 40 and not sharp:
        if hue > 0.25 * swing or (one_way > 0.9 and kept > 0.3):
            return "stain"
        return "dent"
    if sharp:
        return "added"
    return "stain" if kept > 0.6 and one_way > 0.8 else "difference"


def _extent(mask: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> tuple[float, float]:
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


def _structure(image: Floats, mask: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> float:
    """Mean gradient on and just around the mask, grey levels per px."""
    luminance = np.ascontiguousarray(image.mean(axis=2))
    gx, gy = (
        cv2.Sobel(luminance, cv2.CV_32F, 1, 0, scale=1 / 8),
        cv2.Sobel(luminance, cv2.CV_32F, 0, 1, scale=1 / 8),
    )
    around = cv2.dilate(mask.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    return float(np.hypot(gx, gy)[around].mean())


def _texture_kept(was: Floats, now: Floats, mask: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> float:
    """Correlation of the fine structure inside the mask, -1..1; 0 where there is too little to say."""
    inner = cv2.erode(mask.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    if np.count_nonzero(inner) < 30:
        return 0.0
    one, other = (v.mean(axis=2) - cv2.GaussianBlur(v.mean(axis=2), (0, 0), 3.0) for v in (was, now))
    one, other = one[inner] - one[inner].mean(), other[inner] - other[inner].mean()
    scale = float(np.sqrt((one @ one) * (other @ other)))
    return float(one @ other) / scale if scale > 1e-6 else 0.0
