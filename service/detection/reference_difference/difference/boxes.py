"""Turns the strength of the difference into parts: connects pixels, shrinks parts and merges fragments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Bytes, Floats
from service.detection.reference_difference.difference.difference import Difference
from shared.images.cv import cv2
from shared.record.geometry import Rect

_GROW = 0.45
# Two parts are one finding if their gap is at most this share of the smaller one's length, and this many
# times the reach within which px are connected: larger gaps separate large objects.
_NEAR = 0.5
_FAR = 5.0
# Share of a part's strength above which its pixels certainly belong to it. Weaker pixels may surround it.
_CORE = 0.1
# px of the frame over which the second scale smears a difference, and the share of the strongest difference
# within them that a pixel must reach. A blurred edge is at half of it.
_SMEAR = 9
_HALF = 0.45
# Spread across against spread along of a piece of a line: three times as long as thick.
_THIN = 0.35
# A fragment has at least this share of its finding's strength; noise along the edges beside it has less.
_MIN_PEAK_RATIO = 0.2


@dataclass(frozen=True, slots=True)
class DifferencePart:
    """One connected difference in frame px: box, mask inside the box, and its measures.

    peak: greatest strength. area: px. thickness: twice the greatest distance to the edge, px. highlight: the
    part is no difference but a place where the photo clips and hides the surface (see `highlights`).
    """

    box: Rect
    mask: NDArray[np.bool_]
    peak: float
    area: int
    thickness: float
    highlight: bool = False


def difference_parts(
    difference: Difference, allowed: Bytes, threshold: float, least: float
) -> list[DifferencePart]:
    """The parts in frame px that exceed the strength `threshold` somewhere and are at least `least` px long.

    allowed: 255 where parts are searched.
    """
    strength = np.asarray(cv2.copyTo(difference.strength, allowed), np.float32)
    grown = (strength > threshold * _GROW).view(np.uint8)
    if not grown.any():
        return []
    reach = min(max(round(min(grown.shape) * 0.006), 1), 6)
    parts: list[DifferencePart] = []
    for (x, y), pixels in _connected_groups(grown, reach, strength >= threshold):
        area = np.s_[y : y + pixels.shape[0], x : x + pixels.shape[1]]
        patch = _Patch(strength[area], difference.sharp[area], difference.raw[area])
        for mask in _shrink_to_core(patch, pixels, threshold, difference.radius):
            for (left, top), single in _connected_groups(mask.astype(np.uint8), reach):
                part = _measure_part(patch, (left, top), single, (x, y))
                if part.peak >= threshold:
                    parts.append(part)
    return [part for part in _merge(parts, reach) if max(part.box.w, part.box.h) >= least]


def restrict_part(part: DifferencePart, mask: NDArray[np.bool_], peak: float) -> DifferencePart:
    """The part reduced to the pixels of `mask` (shaped like its mask, not empty), with this `peak`."""
    rows, columns = np.nonzero(mask)
    x1, y1, x2, y2 = int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1
    core = mask[y1:y2, x1:x2]
    box = Rect(part.box.x + x1, part.box.y + y1, x2 - x1, y2 - y1)
    return DifferencePart(box, core, peak, int(rows.size), _thickness(core), part.highlight)


def hidden_parts(hidden: Bytes, peak: float) -> list[DifferencePart]:
    """The places (not 0) that highlights hide in a frame, as parts with the strength `peak`."""
    parts = []
    for (x, y), pixels in _connected_groups(hidden, 1):
        box = Rect(x, y, pixels.shape[1], pixels.shape[0])
        whole = DifferencePart(box, pixels, peak, 0, 0.0, highlight=True)
        parts.append(restrict_part(whole, pixels, peak))
    return parts


@dataclass(frozen=True, slots=True)
class _Patch:
    """The maps of a `Difference` around one part."""

    strength: Floats
    sharp: Floats
    raw: Floats


def _connected_groups(
    mask: Bytes, reach: int, wanted: NDArray[np.bool_] | None = None
) -> Iterator[tuple[tuple[int, int], NDArray[np.bool_]]]:
    """The groups of set pixels within `reach` px of each other: (x, y) of the group, and its mask.

    wanted: if given, only groups with such a pixel.
    """
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    # Each group covers at least the kernel, a diamond or more, so only a large frame may have too many groups
    # for 16 bits.
    few = mask.size < (2 * reach * (reach + 1) + 1) * 65_535
    wide = cv2.dilate(mask, kernel)
    count, labels = cv2.connectedComponents(wide, connectivity=8, ltype=cv2.CV_16U if few else cv2.CV_32S)
    chosen = set(range(1, count) if wanted is None else np.unique(labels[wanted]).tolist())
    # OpenCV's statistics of the groups take twice as long as groups and contours together.
    contours, hierarchy = cv2.findContours(wide, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    groups = []
    for number, contour in enumerate(contours):
        x, y = contour[0, 0].tolist()
        index = int(labels[y, x])
        is_outer = hierarchy[0, number, 3] < 0
        if is_outer and index in chosen:
            groups.append((index, cv2.boundingRect(contour)))
    for index, (x, y, w, h) in sorted(groups):
        area = np.s_[y : y + h, x : x + w]
        pixels = (labels[area] == index) & (mask[area] > 0)
        yield (x, y), pixels


def _shrink_to_core(
    patch: _Patch, pixels: NDArray[np.bool_], threshold: float, radius: int
) -> list[NDArray[np.bool_]]:
    """Shrink a part that coarse scales have smeared to the pixels that differ. It may fall into pieces."""
    sharp = np.where(pixels, patch.sharp, np.float32(0))
    top = _robust_peak(sharp)
    if top < threshold:
        return [_faint_pixels(patch, pixels)]
    core = sharp > max(0.6 * threshold, _CORE * top)
    # The tolerance has removed the edge of the difference, and the smoothing has smeared it. So the
    # neighbours belong to it that differ by about half as much as the strongest pixel within the smear.
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))
    near = pixels & (cv2.dilate(core.astype(np.uint8), kernel) > 0)
    local = cv2.dilate(np.where(near, patch.raw, np.float32(0)), np.ones((_SMEAR, _SMEAR), np.uint8))
    core = near & (patch.raw > _HALF * local)
    # A difference of coarse scales alone, far from the sharp part, is a wide faint defect around it.
    far = cv2.dilate(core.astype(np.uint8), np.ones((33, 33), np.uint8)) == 0
    wide = pixels & (patch.strength > threshold)
    if np.count_nonzero(wide & far) > 0.3 * np.count_nonzero(wide):
        return [core | (wide & _faint_pixels(patch, pixels))]
    return [core]


def _faint_pixels(patch: _Patch, pixels: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The pixels that differ at coarse scales alone, as far as the smoothed difference confirms them."""
    seen = pixels & (patch.strength > 0.5 * float(patch.strength[pixels].max()))
    soft = np.where(seen, cv2.GaussianBlur(patch.raw, (0, 0), 2.5), np.float32(0))
    local = cv2.dilate(soft, np.ones((33, 33), np.uint8))
    return np.asarray(seen & (soft > _HALF * local))


def _robust_peak(values: Floats) -> float:
    """The mean of the nine greatest values, so that one noisy pixel is no peak."""
    count = min(9, values.size)
    # Most are 0, which would make partitioning slow.
    some = values[values > 0]
    if some.size > count:
        some = np.partition(some, some.size - count)[some.size - count :]
    return float(some.sum() / count)


def _measure_part(
    here: _Patch, at: tuple[int, int], mask: NDArray[np.bool_], origin: tuple[int, int]
) -> DifferencePart:
    rows, columns = np.nonzero(mask)
    x1, y1, x2, y2 = int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1
    area = np.s_[at[1] + y1 : at[1] + y2, at[0] + x1 : at[0] + x2]
    core = mask[y1:y2, x1:x2]
    strength = here.strength[area][core]
    return DifferencePart(
        Rect(origin[0] + at[0] + x1, origin[1] + at[1] + y1, x2 - x1, y2 - y1),
        core,
        float(strength.max()),
        int(rows.size),
        _thickness(core),
    )


def _thickness(mask: NDArray[np.bool_]) -> float:
    padded = cv2.copyMakeBorder(mask.astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
    return 2 * float(cv2.distanceTransform(padded, cv2.DIST_L2, 3).max())


def _merge(found: list[DifferencePart], reach: int) -> list[DifferencePart]:
    """Join the fragments of defects: neighbours whose gap is small relative to their size."""
    waiting = sorted(found, key=lambda part: -part.area)
    done: list[DifferencePart] = []
    while waiting:
        part = waiting.pop(0)
        near = next((other for other in waiting if _is_same_defect(part, other, reach)), None)
        if near is None:
            done.append(part)
            continue
        waiting.remove(near)
        waiting.insert(0, _union(part, near))
    return done


def _is_same_defect(one: DifferencePart, other: DifferencePart, reach: int) -> bool:
    """Whether two parts are one defect: near each other, or pieces of one line."""
    if min(one.peak, other.peak) < _MIN_PEAK_RATIO * max(one.peak, other.peak):
        return False
    gap_x = max(one.box.x, other.box.x) - min(one.box.right, other.box.right)
    gap_y = max(one.box.y, other.box.y) - min(one.box.bottom, other.box.bottom)
    gap = float(np.hypot(max(gap_x, 0), max(gap_y, 0)))
    small = min(max(one.box.w, one.box.h), max(other.box.w, other.box.h))
    near = min(max(2.0 * reach, _NEAR * small), _FAR * reach)
    if gap <= near and _is_within(one, other, near):
        return True
    return small >= 8 and gap <= 1.5 * small and _is_collinear(one, other)


def _is_within(one: DifferencePart, other: DifferencePart, near: float) -> bool:
    """Whether pixels of the two are within `near` px; the boxes may be mostly empty, as of an arc."""
    small, large = sorted((one, other), key=lambda part: part.box.area)
    pad = int(near) + 1
    area = Rect(small.box.x - pad, small.box.y - pad, small.box.w + 2 * pad, small.box.h + 2 * pad)
    common = area.intersection(large.box)
    if common.is_empty:
        return False
    top, left = int(common.y - large.box.y), int(common.x - large.box.x)
    there = large.mask[top : top + int(common.h), left : left + int(common.w)]
    if not there.any():
        return False
    around = np.ones((int(area.h), int(area.w)), np.uint8)
    around[pad:-pad, pad:-pad] = ~small.mask
    distance = cv2.distanceTransform(around, cv2.DIST_L2, 5)
    top, left = int(common.y - area.y), int(common.x - area.x)
    return bool(distance[top : top + int(common.h), left : left + int(common.w)][there].min() <= near + 1)


def _is_collinear(one: DifferencePart, other: DifferencePart) -> bool:
    """Whether both are thin and lie on one line."""
    spreads = []
    for group in ([one], [other], [one, other]):
        places = [np.argwhere(part.mask) + np.array([part.box.y, part.box.x]) for part in group]
        points = np.concatenate(places)
        centred = points - points.mean(axis=0)
        across, along = np.linalg.eigvalsh(centred.T @ centred / len(points))
        # Standard deviations; a bar of length l has l / 3.46.
        spreads.append((float(np.sqrt(max(across, 0))), float(np.sqrt(max(along, 0)))))
    return (
        all(across < _THIN * along for across, along in spreads[:2])
        and spreads[2][0] < 0.06 * spreads[2][1] + 1
    )


def _union(one: DifferencePart, other: DifferencePart) -> DifferencePart:
    x, y = min(one.box.x, other.box.x), min(one.box.y, other.box.y)
    right, bottom = max(one.box.right, other.box.right), max(one.box.bottom, other.box.bottom)
    mask = np.zeros((int(bottom - y), int(right - x)), np.bool_)
    for part in (one, other):
        top, left = int(part.box.y - y), int(part.box.x - x)
        mask[top : top + part.mask.shape[0], left : left + part.mask.shape[1]] |= part.mask
    return DifferencePart(
        Rect(x, y, right - x, bottom - y),
        mask,
        max(one.peak, other.peak),
        one.area + other.area,
        max(one.thickness, other.thickness),
    )
