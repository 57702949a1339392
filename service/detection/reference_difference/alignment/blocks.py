"""Measures the remaining offset of an aligned photo block by block, and refines the homography.

A block of the reference is searched in the photo by normalised correlation. Its offset counts only along the
directions in which the block has structure (its structure tensor), so a single edge has no effect along
itself. An update of the homography is fitted to the offsets with robust weights (iteratively reweighted least
squares, Tukey's biweight), so that damage in the photo has no effect either.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Bytes, Floats, Matrix
from service.detection.reference_difference.threads import run_parallel
from shared.images.cv import cv2

# A block with less gradient energy (grey levels squared per px, after smoothing) has no structure. Noise of 3
# grey levels has about 0.5 after the smoothing.
_MIN_ENERGY = 1.6
_MIN_CORRELATION = 0.5


@dataclass(frozen=True, slots=True)
class Offsets:
    """n measured blocks: centres and offsets (n, 2) in frame px, correlation (n,), tensors (n, 2, 2).

    energy: gradient energy of each block. photo_only: blocks with structure in the photo only (not among the
    n). total: all blocks that the photo covers.
    """

    centres: Matrix
    offsets: Matrix
    correlation: NDArray[np.float64]
    tensors: NDArray[np.float64]
    energy: NDArray[np.float64]
    photo_only: int
    total: int


def smooth(image: Bytes, sigma: float = 1.0) -> Floats:
    """A grey image as float32, smoothed to reduce noise and compression."""
    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), np.float32)


def measure(
    reference: Floats,
    photo: Floats,
    valid: Bytes,
    block: int,
    reach: int,
    most: int,
    known_tensors: dict[int, NDArray[np.float64]] | None = None,
) -> Offsets:
    """Offsets of up to `most` blocks of `block` px, searched up to `reach` px away.

    reference, photo: smoothed grey frames (height, width); valid: 255 where the photo covers the frame.
    known_tensors: the structure tensors of the reference by reach, which are added when they are computed. It
    belongs to one reference, `block` and `most`.
    """
    height, width = reference.shape
    tops, lefts = _places(height, block, reach, most), _places(width, block, reach, most)
    if not (tops and lefts):
        none = np.zeros((0, 2))
        return Offsets(none, none, np.zeros(0), np.zeros((0, 2, 2)), np.zeros(0), 0, 0)
    tensors = None if known_tensors is None else known_tensors.get(reach)
    if tensors is None:
        tensors = _tensors(reference, block, tops, lefts)
        if known_tensors is not None:
            known_tensors[reach] = tensors
    xx, xy, yy = tensors
    reference_energy = xx + yy
    covered = _covered_blocks(valid, block, tops, lefts)
    structured = covered & (reference_energy >= _MIN_ENERGY)
    plain = covered & ~structured
    # The photo's structure counts only where the reference has none.
    rows = np.flatnonzero(plain.any(axis=1))
    in_photo = _tensors(photo, block, [tops[row] for row in rows.tolist()], lefts)
    photo_energy = np.zeros_like(reference_energy)
    photo_energy[rows] = in_photo[0] + in_photo[2]
    photo_only = plain & (photo_energy > 4 * np.maximum(reference_energy, _MIN_ENERGY))
    places = np.argwhere(structured)

    def search(some: NDArray[np.int64]) -> list[tuple[float, float, float]]:
        found = []
        for row, column in some.tolist():
            top, left = tops[row], lefts[column]
            y1, x1 = max(top - reach, 0), max(left - reach, 0)
            y2, x2 = min(top + block + reach, height), min(left + block + reach, width)
            template = reference[top : top + block, left : left + block]
            surface = cv2.matchTemplate(photo[y1:y2, x1:x2], template, cv2.TM_CCOEFF_NORMED)
            _, best, _, (at_x, at_y) = cv2.minMaxLoc(surface)
            fine_x, fine_y = _peak(surface, at_x, at_y)
            found.append((fine_x + x1 - left, fine_y + y1 - top, best if isfinite(best) else 0.0))
        return found

    first, second = run_parallel([partial(search, some) for some in np.array_split(places, 2)])
    found = np.array([*first, *second], np.float64).reshape(-1, 3)
    a, b, c = xx[structured], xy[structured], yy[structured]
    centres = np.stack([np.array(lefts)[places[:, 1]], np.array(tops)[places[:, 0]]], axis=1) + block / 2
    return Offsets(
        centres,
        found[:, :2],
        found[:, 2],
        np.stack([a, b, b, c], axis=1).reshape(-1, 2, 2),
        a + c,
        int(np.count_nonzero(photo_only)),
        int(np.count_nonzero(covered)),
    )


def _tensors(image: Floats, block: int, tops: list[int], lefts: list[int]) -> NDArray[np.float64]:
    """The structure tensors of the blocks at each of `tops` and `lefts`: xx, xy and yy, (3, tops, lefts)."""
    columns = np.empty((3, len(tops), image.shape[1]), np.float32)
    for row, top in enumerate(tops):
        above = min(top, 1)
        rows, inner = image[top - above : top + block + 1], np.s_[above : above + block]
        gx, gy = (
            np.asarray(cv2.Sobel(rows, cv2.CV_32F, right, down, ksize=3, scale=1 / 8), np.float32)[inner]
            for right, down in ((1, 0), (0, 1))
        )
        for index, (one, other) in enumerate(((gx, gx), (gx, gy), (gy, gy))):
            np.einsum("rc,rc->c", one, other, out=columns[index, row])
    until = np.zeros((3, len(tops), image.shape[1] + 1))
    np.cumsum(columns, axis=2, dtype=np.float64, out=until[..., 1:])
    start = np.array(lefts)
    return np.asarray((until[..., start + block] - until[..., start]) / block**2)


def _covered_blocks(valid: Bytes, block: int, tops: list[int], lefts: list[int]) -> NDArray[np.bool_]:
    """Whether each of the blocks at `tops` and `lefts` is 255 everywhere."""
    if valid.all():
        return np.ones((len(tops), len(lefts)), np.bool_)
    return np.array(
        [[valid[top : top + block, left : left + block].all() for left in lefts] for top in tops], np.bool_
    )


def _places(length: int, block: int, reach: int, most: int) -> list[int]:
    """The starts of about sqrt(most) blocks spread over `length`, which overlap by half at most."""
    room = length - block
    if room < 0:
        return []
    count = min(max(round(most**0.5), 1), max(room // (block // 2), 1) + 1)
    return [round(v) for v in np.linspace(min(reach, room / 2), max(room - reach, room / 2), count).tolist()]


def _peak(surface: NDArray[np.float32], x: int, y: int) -> tuple[float, float]:
    """The subpixel maximum of `surface`, from a parabola through three values per axis."""

    def fine(before: float, at: float, after: float) -> float:
        bend = before - 2 * at + after
        return 0.0 if bend > -1e-6 else min(max(0.5 * (before - after) / bend, -0.5), 0.5)

    # Arithmetic with NumPy scalars would cost as much as the correlation, so these are Python numbers.
    height, width = surface.shape
    value = surface.item
    dx = fine(value(y, x - 1), value(y, x), value(y, x + 1)) if 0 < x < width - 1 else 0.0
    dy = fine(value(y - 1, x), value(y, x), value(y + 1, x)) if 0 < y < height - 1 else 0.0
    return x + dx, y + dy


@dataclass(frozen=True, slots=True)
class Fit:
    """An update of the homography (3 x 3, frame px -> frame px) and its agreement with the blocks.

    residuals: of each block in px along its structure. agreeing: the blocks that correlate and are within the
    tolerance. score: the share of agreeing structure, 0..1.
    """

    update: Matrix
    residuals: NDArray[np.float64]
    agreeing: NDArray[np.bool_]
    score: float


def fit(found: Offsets, size: tuple[int, int], tolerance: float, freedom: float = 1.0) -> Fit:
    """Fit the offsets by a homography near the identity in a frame of `size` (width, height) px.

    freedom: a factor for the deviations of shift, slope and perspective that are expected.
    """
    count = len(found.centres)
    if count == 0:
        return Fit(np.eye(3), np.zeros(0), np.zeros(0, np.bool_), 0.0)
    reach = max(size) / 2
    middle = np.array(size) / 2
    u = (found.centres - middle) / reach
    rows = np.zeros((count, 2, 8))
    one, x, y = np.ones(count), u[:, 0], u[:, 1]
    rows[:, 0, :3] = np.stack([one, x, y], 1)
    rows[:, 1, 3:6] = np.stack([one, x, y], 1)
    rows[:, 0, 6:] = np.stack([x * x, x * y], 1)
    rows[:, 1, 6:] = np.stack([x * y, y * y], 1)
    trace = np.trace(found.tensors, axis1=1, axis2=2)
    direction = found.tensors / np.maximum(trace, 1e-9)[:, None, None]
    # The expected deviations of shift, slope and perspective, in px at the edge of the frame.
    shift, slope, tilt = 6.0 * freedom, reach * 0.03 * freedom, reach * 0.02 * freedom
    spread = np.array([shift, slope, slope, shift, slope, slope, tilt, tilt])
    ridge = np.diag(1 / spread**2)
    start = np.clip(found.correlation - 0.25, 0, None) ** 2
    weights = start.copy()
    numbers = np.zeros(8)
    width = max(tolerance * 4, 2.0)
    residual = np.zeros(count)
    flat = rows.reshape(2 * count, 8)
    along = (direction @ rows).reshape(2 * count, 8)
    for _ in range(12):
        weighted = along * np.repeat(weights, 2)[:, None]
        numbers = np.linalg.solve(flat.T @ weighted + ridge, weighted.T @ found.offsets.ravel())
        off = found.offsets - (flat @ numbers).reshape(count, 2)
        residual = np.sqrt(np.maximum(((direction @ off[..., None])[..., 0] * off).sum(axis=1), 0))
        weights = start * np.maximum(1 - (residual / width) ** 2, 0) ** 2
        width = max(width * 0.75, tolerance)
    agreeing = (found.correlation > _MIN_CORRELATION) & (residual < tolerance)
    importance = np.minimum(np.sqrt(found.energy), 12.0)
    total = importance.sum() + found.photo_only * 2.0
    score = float(importance[agreeing].sum() / total) if total > 0 else 0.0
    a, b, c, d, e, f, g, h = numbers / reach
    change = np.array([[1 + b, c, a], [e, 1 + f, d], [-g, -h, 1.0]])
    frame = np.array([[1 / reach, 0, -middle[0] / reach], [0, 1 / reach, -middle[1] / reach], [0, 0, 1]])
    update = np.linalg.inv(frame) @ change @ frame
    return Fit(update / update[2, 2], residual, agreeing, score)
