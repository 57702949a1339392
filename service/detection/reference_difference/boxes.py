"""From the strength of the difference to findings: connected parts, merged, hugged, labelled, weighed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.difference import Difference
from service.detection.reference_difference.parts import Bytes
from shared.cv import cv2
from shared.geometry import Rect

_GROW = 0.45


@dataclass(frozen=True, slots=True)
class Part:
    """One connected difference in frame px: box, mask inside the box, and its measures.

    peak: greatest strength; contrast: greatest raw difference in grey levels; area in px; edge: mean local
    contrast of the reference below it (grey levels). thickness: twice the greatest distance to its rim, px.
    strong: px above the threshold.
    """

    box: Rect
    mask: NDArray[np.bool_]
    peak: float
    contrast: float
    area: int
    edge: float
    thickness: float
    strong: int


def parts(difference: Difference, allowed: Bytes, threshold: float, least: float) -> list[Part]:
    """Findings in frame px where the strength exceeds `threshold` somewhere; `least` px is the shortest.

    allowed: 255 where findings are wanted.
    """
    strength = np.where(allowed > 0, difference.strength, np.float32(0))
    grown = (strength > threshold * _GROW).astype(np.uint8)
    if not grown.any():
        return []
    height, width = grown.shape
    reach = int(np.clip(round(min(height, width) * 0.006), 1, 6))
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    joined = cv2.dilate(grown, kernel)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    found: list[Part] = []
    for index in range(1, count):
        x, y, w, h = (int(v) for v in stats[index, :4])
        area = np.s_[y : y + h, x : x + w]
        own = (labels[area] == index) & (grown[area] > 0)
        peak = float(strength[area][own].max(initial=0))
        if peak < threshold:
            continue
        part = _hug(difference, strength, own, (x, y), threshold)
        if part is not None:
            found.append(part)
    found = _merge(found, reach)
    return [part for part in found if max(part.box.w, part.box.h) >= least]


def _hug(
    difference: Difference,
    strength: NDArray[np.float32],
    own: NDArray[np.bool_],
    origin: tuple[int, int],
    threshold: float,
) -> Part | None:
    """Shrink a part, smeared by the coarse scales, to the pixels that really differ."""
    x, y = origin
    area = np.s_[y : y + own.shape[0], x : x + own.shape[1]]
    raw, local = difference.raw[area], strength[area]
    strong = own & (local > 0.6 * threshold)
    level = float(np.quantile(raw[strong], 0.9)) if strong.any() else 0.0
    core = own & (raw > 0.4 * level) & (local > 0.25 * threshold)
    if np.count_nonzero(core) < 4:
        core = own
    # Single pixels of noise at the rim would widen the box.
    if np.count_nonzero(core) > 30:
        opened = cv2.morphologyEx(core.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)) > 0
        core = opened if np.count_nonzero(opened) > 0.6 * np.count_nonzero(core) else core
    rows, columns = np.nonzero(core)
    if rows.size == 0:
        return None
    x1, y1, x2, y2 = int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1
    return Part(
        Rect(x + x1, y + y1, x2 - x1, y2 - y1),
        core[y1:y2, x1:x2],
        float(local[own].max()),
        float(raw[core].max()),
        int(rows.size),
        float(difference.contrast[area][core].mean()),
        _thickness(core[y1:y2, x1:x2]),
        int(np.count_nonzero(own & (local > threshold))),
    )


def _thickness(mask: NDArray[np.bool_]) -> float:
    padded = cv2.copyMakeBorder(mask.astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
    return 2 * float(cv2.distanceTransform(padded, cv2.DIST_L2, 3).max())


def _merge(found: list[Part], reach: int) -> list[Part]:
    """Join fragments of one defect: neighbours whose gap is small against their own size."""
    waiting = sorted(found, key=lambda part: -part.area)
    done: list[Part] = []
    while waiting:
        part = waiting.pop(0)
        near = next((other for other in waiting if _belong(part, other, reach)), None)
        if near is None:
            done.append(part)
            continue
        waiting.remove(near)
        waiting.insert(0, _union(part, near))
    return done


def _belong(one: Part, other: Part, reach: int) -> bool:
    gap_x = max(one.box.x, other.box.x) - min(one.box.right, other.box.right)
    gap_y = max(one.box.y, other.box.y) - min(one.box.bottom, other.box.bottom)
    gap = float(np.hypot(max(gap_x, 0), max(gap_y, 0)))
    small = min(max(one.box.w, one.box.h), max(other.box.w, other.box.h))
    return gap <= max(2.0 * reach, 0.5 * small) and gap <= 12.0 * reach


def _union(one: Part, other: Part) -> Part:
    x, y = min(one.box.x, other.box.x), min(one.box.y, other.box.y)
    right, bottom = max(one.box.right, other.box.right), max(one.box.bottom, other.box.bottom)
    mask = np.zeros((int(bottom - y), int(right - x)), np.bool_)
    for part in (one, other):
        top, left = int(part.box.y - y), int(part.box.x - x)
        mask[top : top + part.mask.shape[0], left : left + part.mask.shape[1]] |= part.mask
    area = one.area + other.area
    return Part(
        Rect(x, y, right - x, bottom - y),
        mask,
        max(one.peak, other.peak),
        max(one.contrast, other.contrast),
        area,
        (one.edge * one.area + other.edge * other.area) / area,
        max(one.thickness, other.thickness),
        one.strong + other.strong,
    )
