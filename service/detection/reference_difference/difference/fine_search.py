"""Searches places of a large region at full resolution where a thin difference may be.

A region of many megapixels is compared at a lower resolution, or it would take too long. There a difference
of a pixel or two fades. So the whole region is screened at full resolution, in tiles and by luminance alone,
for detail finer than about 15 px that exceeds the range of values around it in the other picture. Where there
is far more of it than is usual at equal contrast in the same pair, the window around is compared like any
other frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import (
    Bytes,
    Matrix,
    Pyramid,
    apply,
    corners,
    inside_mask,
    inverse,
    shift_scale,
)
from service.detection.reference_difference.difference import boxes
from service.detection.reference_difference.difference.comparison import Comparison, ComparisonFrame
from service.detection.reference_difference.light.light import Light
from service.detection.reference_difference.threads import run_parallel
from shared.images.cv import cv2
from shared.record.geometry import Rect, rect_from_corners

# px of the full resolution: the size of a screened tile, of a cell, and of detail that the first comparison
# finds.
_TILE = 1024
_CELL = 16
_COARSE = 15
# After the first comparison the photo may be off by this many px of the full resolution.
_OFF = 2
# px for each px of the first comparison from which a second one is useful.
_WORTH = 1.2
# Cells that differ this many times as much as usual, and by at least these grey levels, are compared again.
_SUSPECT = 5.0
_MIN_LEVELS = 5.0
_BINS = 12
# px around a suspect place, enough to determine the usual difference there.
_MARGIN = 80
_MIN_WINDOW = 224
# The most px of all windows together, which bounds the time.
_MAX_PIXELS: Final = 3_000_000
_MAX_WINDOWS = 24
# The first comparison finds thicker parts, in its px.
_THIN = 5.0

Scores = NDArray[np.float32]


def windows(
    reference: Pyramid, photo: Pyramid, first: Comparison, full: ComparisonFrame
) -> Iterator[tuple[ComparisonFrame, Light]]:
    """Frames in which a thin difference may be, each with the photo's light within it.

    They have the full resolution, or the highest that the limit of px permits. reference, photo: grey. first:
    the comparison of the whole region, coarser than `full`; places within its parts are not compared again.
    """
    unusual = _unusualness(*_screen(reference, photo, first, full))
    times = full.size[0] / first.frame.size[0]
    known = [Rect(*(value * times for value in (p.box.x, p.box.y, p.box.w, p.box.h))) for p in first.found]
    left = _MAX_PIXELS
    width, height = full.size
    for area in _places(unusual, full.size, known)[:_MAX_WINDOWS]:
        scale = min(1.0, float(np.sqrt(left / area.area)))
        if scale * times < _WORTH:
            continue
        left -= round(area.area * scale**2)
        parts = (area.x / width, area.y / height, area.right / width, area.bottom / height)
        yield full.window(area, scale), first.light.window(*parts)


def _screen(
    reference: Pyramid, photo: Pyramid, first: Comparison, full: ComparisonFrame
) -> tuple[Scores, Scores]:
    """The difference (-1 where the photo is not visible) and the contrast of each cell, in grey levels."""
    width, height = full.size
    rows, columns = -(-height // _CELL), -(-width // _CELL)
    off, contrast = np.full((rows, columns), -1, np.float32), np.zeros((rows, columns), np.float32)
    cells = full.to_photo @ inverse(shift_scale(0, 0, 1 / _CELL))
    seen = cv2.erode(inside_mask(cells, (columns, rows), photo.size), np.ones((3, 3), np.uint8)) > 0

    def screen(x: int, y: int) -> None:
        w, h = min(_TILE, width - x), min(_TILE, height - y)
        part = np.s_[y // _CELL : -(-(y + h) // _CELL), x // _CELL : -(-(x + w) // _CELL)]
        if not seen[part].any():
            return
        size = (w + 2 * _COARSE, h + 2 * _COARSE)
        to_full = shift_scale(_COARSE - x, _COARSE - y, 1.0)
        known = reference.warped(full.to_reference @ to_full, size)
        to_photo = full.to_photo @ _drift(first, full, Rect(x, y, w, h)) @ to_full
        differs, varies = _detail(known, photo.warped(to_photo, size))
        inner = np.s_[_COARSE : _COARSE + h, _COARSE : _COARSE + w]
        off[part] = np.where(seen[part], _cell_maximum(differs[inner]), np.float32(-1))
        contrast[part] = _cell_maximum(varies[inner])

    run_parallel([partial(screen, x, y) for y in range(0, height, _TILE) for x in range(0, width, _TILE)])
    return off, contrast


def _drift(first: Comparison, full: ComparisonFrame, tile: Rect) -> Matrix:
    """The shift of the photo around `tile` that the first comparison found: full px -> full px."""
    if first.shift is None:
        return np.eye(3)
    times = full.size[0] / first.frame.size[0]
    part = np.s_[
        int(tile.y / times) : int(tile.bottom / times), int(tile.x / times) : int(tile.right / times)
    ]
    x, y = np.asarray(first.shift[part].reshape(-1, 2).mean(axis=0) * times, np.float64)
    return shift_scale(-float(x), -float(y), 1.0)


def _detail(known: Bytes, seen: Bytes) -> tuple[Bytes, Bytes]:
    """The difference of the fine detail of two grey pictures, and its contrast, in grey levels."""
    one, other = (
        cv2.addWeighted(image, 1, cv2.blur(image, (_COARSE, _COARSE)), -1, 128) for image in (known, seen)
    )
    # The gain compensates light and focus, so that the detail of both is equally strong.
    much, less = (float(cv2.norm(part, cv2.NORM_L2)) for part in (cv2.absdiff(p, 128) for p in (other, one)))
    gain = float(np.clip(much / max(less, 1.0), 0.5, 2.0))
    one = cv2.convertScaleAbs(one, alpha=gain, beta=128 * (1 - gain))
    kernel = np.ones((2 * _OFF + 1, 2 * _OFF + 1), np.uint8)
    highest, lowest = cv2.dilate(one, kernel), cv2.erode(one, kernel)
    beyond = cv2.max(cv2.subtract(other, highest), cv2.subtract(lowest, other))
    gone = cv2.max(cv2.subtract(one, cv2.dilate(other, kernel)), cv2.subtract(cv2.erode(other, kernel), one))
    both = cv2.blur(cv2.max(beyond, gone), (3, 3))
    return np.asarray(both, np.uint8), np.asarray(cv2.subtract(highest, lowest), np.uint8)


def _cell_maximum(image: Bytes) -> Scores:
    """The greatest value of each cell."""
    height, width = image.shape
    padded = cv2.copyMakeBorder(image, 0, -height % _CELL, 0, -width % _CELL, cv2.BORDER_CONSTANT, value=0)
    tall = padded.reshape(-1, _CELL, padded.shape[1]).max(axis=1)
    return np.asarray(tall.reshape(len(tall), -1, _CELL).max(axis=2), np.float32)


def _unusualness(off: Scores, contrast: Scores) -> Scores:
    """The difference of each cell relative to the usual one at equal contrast; 0 for a small difference."""
    place = np.flatnonzero(off.ravel() >= 0)
    unusual = np.zeros(off.size, np.float32)
    values = off.ravel()[place]
    # Bins of equal size along the contrast, so that all have the same weight.
    for members in np.array_split(np.argsort(contrast.ravel()[place], kind="stable"), _BINS):
        if members.size:
            middle, upper = np.quantile(values[members], (0.5, 0.8))
            above = (values[members] - middle) / max(upper - middle, 1.0)
            unusual[place[members]] = np.where(values[members] >= _MIN_LEVELS, above, 0)
    return unusual.reshape(off.shape)


def _places(unusual: Scores, size: tuple[int, int], seen_already: list[Rect]) -> list[Rect]:
    """Windows around the suspect cells, px of the full resolution, the most unusual first."""
    suspect = cv2.dilate((unusual > _SUSPECT).astype(np.uint8), np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(suspect, connectivity=8)
    found: list[tuple[float, Rect]] = []
    for index in range(1, count):
        x, y, w, h = (int(v) for v in stats[index, :4])
        cells = Rect((x + 1) * _CELL, (y + 1) * _CELL, max(w - 2, 1) * _CELL, max(h - 2, 1) * _CELL)
        if any(cells.intersection(box).area > 0.9 * cells.area for box in seen_already):
            continue
        part = np.s_[y : y + h, x : x + w]
        most = float(unusual[part][labels[part] == index].max())
        found.append((most, _window_around(cells).clamp(*size)))
    found.sort(key=lambda one: -one[0])
    return [area for _, area in found]


def _window_around(area: Rect) -> Rect:
    wide, tall = (max(length + 2 * _MARGIN, _MIN_WINDOW) for length in (area.w, area.h))
    return Rect(
        round(area.x + area.w / 2 - wide / 2), round(area.y + area.h / 2 - tall / 2), round(wide), round(tall)
    )


def combine(first: Comparison, windows: list[Comparison]) -> list[Comparison]:
    """Combine the parts of the first comparison and of the windows, so that each difference has one part.

    A part of a window counts if it is too thin for the first comparison. It replaces the parts that it
    covers, which are its pieces. A larger part of the first comparison stays.
    """
    parts_of_windows: list[list[boxes.DifferencePart]] = []
    before = list(first.found)
    taken: list[Rect] = []
    for seen in windows:
        times = first.frame.scale / seen.frame.scale
        parts: list[boxes.DifferencePart] = []
        for part in seen.found:
            there = _map_box(part.box, seen.frame, first.frame)
            if part.thickness > _THIN * times or any(_share(there, box) > 0.5 for box in taken):
                continue
            if any(_share(there, other.box) > 0.5 and there.area < other.box.area for other in before):
                continue
            before = [other for other in before if _share(other.box, there) < 0.7]
            parts.append(part)
            taken.append(there)
        parts_of_windows.append(parts)
    return [
        replace(first, found=before),
        *(replace(seen, found=parts) for seen, parts in zip(windows, parts_of_windows, strict=True) if parts),
    ]


def _share(one: Rect, other: Rect) -> float:
    """The share of `one` that is inside `other`."""
    return one.intersection(other).area / one.area if one.area > 0 else 0.0


def _map_box(box: Rect, frame: ComparisonFrame, to: ComparisonFrame) -> Rect:
    """Convert a box from px of a frame to px of another; both are upright cut-outs of the same reference."""
    points = apply(inverse(to.to_reference) @ frame.to_reference, corners(box))
    return rect_from_corners(*points[0].tolist(), *points[2].tolist())
