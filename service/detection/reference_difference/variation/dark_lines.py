"""Finds thin dark lines in differences, such as cracks, also in places that vary.

A tile of dirt with a crack is almost similar to one without (`likeness`), so the fine structure of a
difference is compared separately: px that are darker than both sides of a line through them, along some
length of it. Broad objects, such as dirt, have nearly no such px, and short ones, such as drops, no line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from service.detection.reference_difference.data import Floats, Matrix, apply, inverse
from service.detection.reference_difference.difference.comparison import Comparison
from service.detection.reference_difference.variation.memory import Appearance, paste
from shared.images.cv import cv2
from shared.record.geometry import Rect

SHOWN: Final = 0.6
"""The least share of a line that a photo that shows it has at the same place."""
ABSENT: Final = 0.3
"""The share of a line below which a photo does not show it. In between it shows a part, or hides the rest."""

DIRECTIONS: Final = 8
"""The directions in which lines are searched, over half a turn."""

# px from the middle of a line to its sides, and px along it, to each side of a px, over which its darkness is
# averaged.
_SIDE = 3
_ALONG = 4
# Grey levels by which a line is darker than both its sides: somewhere on it, and everywhere.
_DARKER, _MIN_DARK = 11.0, 6.0
# Grey levels by which it is darker than the reference image: between two parts of a highlight it is not.
_NEW = 4.0
# px of the reference image: the least length, and that of a line that only similar lines explain.
_SHORTEST, _LONG = 12.0, 18.0
# The least darkness at a px of the same line in another picture, relative to this one.
_AS_DARK = 0.5
# px within which two photos show the same line.
_OFF = 4
# The least share of a line at which a photo must differ to say whether it shows the line.
_MIN_COVERED = 0.4
# Of a similar line: its most distance in parts of the length and in px of the reference image, and its least
# length and least darkness in parts of the line's.
_REACH, _MIN_REACH = 0.7, 30.0
_AS_LONG, _SIMILARLY_DARK = 0.5, 0.6
# The least scale of a stored difference, relative to the line's, that shows thin lines.
_SHARP = 0.7


@dataclass(frozen=True, slots=True)
class DarkLine:
    """A thin dark line in a difference.

    points: float64 (count, 2), the px along its middle, x and y in px of the reference image. across: float64
    (count, 2), unit vectors across it. contrasts: float32 (count), grey levels by which it is darker than
    both sides. darkness: the median of them, averaged along the line. scale: px of the difference per px of
    the reference image. direction: 0..7, in eighths of half a turn.
    """

    points: Matrix
    across: Matrix
    contrasts: Floats = field(repr=False)
    darkness: float
    scale: float
    direction: int

    @property
    def length(self) -> float:
        """The diagonal of its bounds, px of the reference image."""
        return float(np.hypot(*np.ptp(self.points, axis=0)))

    @property
    def is_crack_like(self) -> bool:
        """Whether it is longer than strokes of letters and edges of parts usually are."""
        return self.length >= _LONG


def dark_lines(appearances: Iterable[Appearance]) -> list[DarkLine]:
    """The thin dark lines in these differences."""
    return [line for appearance in appearances for line in _lines(appearance)]


def is_dark(line: DarkLine, view: Comparison) -> bool:
    """Whether the photo itself is darker along the line; where a bright line is missing it is not."""
    return bool((_darkness_along(line, view, view.now, 1) >= _AS_DARK * line.contrasts).mean() >= SHOWN)


def is_moved(line: DarkLine, view: Comparison) -> bool:
    """Whether the reference image has an equally dark line beside it, so that the line is a moved edge."""
    now = _darkness_along(line, view, view.now, 1)
    was = _darkness_along(line, view, view.was, _OFF)
    return bool((was >= _AS_DARK * now).mean() >= SHOWN)


def line_mask(line: DarkLine, box: Rect, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """The px of a part near the line, bool of `shape` (height, width); box: the part, px of the reference."""
    height, width = shape
    scale = np.array([width / box.w, height / box.h])
    columns, rows = np.floor((line.points - np.array([box.x, box.y])) * scale).astype(np.int64).T
    mask = np.zeros(shape, np.uint8)
    mask[np.clip(rows, 0, height - 1), np.clip(columns, 0, width - 1)] = 1
    return np.asarray(cv2.dilate(mask, np.ones((2 * _SIDE + 1, 2 * _SIDE + 1), np.uint8)) > 0, np.bool_)


def is_same(line: DarkLine, others: Sequence[DarkLine]) -> bool:
    """Whether most of the line lies on these lines."""
    if not others:
        return False
    points = np.concatenate([other.points for other in others])
    off = np.abs(line.points[:, None, :] - points[None, :, :]).max(axis=2).min(axis=1)
    return bool((off <= _OFF).mean() >= SHOWN)


def share_shown(line: DarkLine, appearances: Sequence[Appearance]) -> float | None:
    """The share 0..1 of the line that a photo with these differences has at the same place.

    Only px count at which the photo differs, if they are enough of the line. None if the differences are
    stored too coarsely to show it.
    """
    window, origin, coarse = _window(line, appearances, (_OFF + _SIDE + 1) / line.scale)
    if window is None:
        return 0.0
    at = (line.points - origin) * line.scale - 0.5
    differs = _values(cv2.dilate((window != 0).astype(np.float32), np.ones((3, 3))), at) > 0
    if differs.mean() < _MIN_COVERED:
        return 0.0
    dark = _contrast(window, at[differs] + _shifts(_OFF), line.across[differs])
    # The whole line is shifted, and each px of it by one px more.
    steps = 2 * _OFF + 1
    near = sliding_window_view(
        (dark >= _AS_DARK * line.contrasts[differs]).reshape(steps, steps, -1), (3, 3), (0, 1)
    )
    share = float(near.any(axis=(3, 4)).mean(axis=2).max())
    return None if coarse and share < SHOWN else share


def similar_directions(
    line: DarkLine, appearances: Sequence[Appearance], *, elsewhere: bool = False
) -> list[int]:
    """The directions of lines nearby that are half as long as the line and about as dark.

    appearances: the differences of another photo. elsewhere: the line itself, at its place, does not count.
    """
    window, origin, _ = _window(line, appearances, max(_REACH * line.length, _MIN_REACH))
    if window is None:
        return []
    response, directions = _response(window)
    if elsewhere:
        columns, rows = np.rint((line.points - origin) * line.scale - 0.5).astype(np.int64).T
        same = np.zeros(window.shape, np.uint8)
        same[np.clip(rows, 0, window.shape[0] - 1), np.clip(columns, 0, window.shape[1] - 1)] = 1
        response[cv2.dilate(same, np.ones((2 * _OFF + 1, 2 * _OFF + 1), np.uint8)) > 0] = 0
    least = _SIMILARLY_DARK * line.darkness
    return [
        _most_frequent(directions[rows, columns])
        for rows, columns in _traces(window, response, directions, least)
        if np.hypot(np.ptp(rows), np.ptp(columns)) >= _AS_LONG * line.length * line.scale
    ]


def _window(
    line: DarkLine, appearances: Sequence[Appearance], beyond: float
) -> tuple[Floats | None, Matrix, bool]:
    """A photo's difference in brightness around a line, at the line's scale.

    It is the window, float32, None without a difference there; its origin in px of the reference image; and
    whether it is stored too coarsely for thin lines. beyond: px of the reference image around the line.
    """
    low, high = np.floor(line.points.min(axis=0) - beyond), np.ceil(line.points.max(axis=0) + beyond)
    around = Rect(float(low[0]), float(low[1]), *(float(side) for side in high - low))
    near = [appearance for appearance in appearances if not appearance.box.intersection(around).is_empty]
    if not near:
        return None, low, False
    width, height = (max(round(float(side) * line.scale), 1) for side in high - low)
    window = np.zeros((height, width), np.float32)
    for appearance in near:
        at = Rect(appearance.box.x - low[0], appearance.box.y - low[1], appearance.box.w, appearance.box.h)
        paste(window, _brightness(appearance), at, line.scale)
    coarse = any(_scale(appearance) < _SHARP * line.scale for appearance in near)
    return window, low, coarse


def _brightness(appearance: Appearance) -> Floats:
    return np.asarray(cv2.transform(appearance.difference, np.full((1, 3), 1 / 3, np.float32)), np.float32)


def _scale(appearance: Appearance) -> float:
    return float(appearance.values.shape[1] / appearance.box.w)


def _values(image: Floats, at: Matrix) -> Floats:
    """The values at px (..., 2), x and y; beyond the image those at its edge."""
    columns, rows = np.moveaxis(np.rint(at).astype(np.int64), -1, 0)
    inside = np.clip(rows, 0, image.shape[0] - 1), np.clip(columns, 0, image.shape[1] - 1)
    return np.asarray(image[inside], np.float32)


def _contrast(image: Floats, at: Matrix, across: Matrix, side: float = _SIDE) -> Floats:
    """Grey levels by which px are darker than both sides; at: px (..., 2), across: unit vectors."""
    beside = np.rint(side * across)
    sides = np.minimum(_values(image, at + beside), _values(image, at - beside))
    return np.asarray(sides - _values(image, at), np.float32)


def _shifts(reach: int) -> Matrix:
    """All shifts by up to `reach` px, float64 (count, 1, 2)."""
    steps = np.arange(-reach, reach + 1, dtype=np.float64)
    return np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 1, 2)


def _darkness_along(line: DarkLine, view: Comparison, image: Floats, beside: int) -> Floats:
    """The greatest darkness within `beside` px of each px of the line; image: one of the view's."""
    to_frame = inverse(view.frame.to_reference)
    at = apply(to_frame, line.points) - 0.5
    side = _SIDE * abs(float(to_frame[0, 0])) / line.scale
    around = int(np.ceil(side)) + beside + 1
    left, top = np.maximum(np.floor(at.min(axis=0)).astype(int) - around, 0).tolist()
    right, bottom = (np.ceil(at.max(axis=0)).astype(int) + around + 1).tolist()
    grey = np.asarray(image[top:bottom, left:right].mean(axis=2), np.float32)
    dark = _contrast(grey, at - [left, top] + _shifts(beside), line.across, side)
    return np.asarray(dark.max(axis=0), np.float32)


def _lines(appearance: Appearance) -> Iterator[DarkLine]:
    grey = _brightness(appearance)
    response, directions = _response(grey)
    height, width = grey.shape
    per_px = np.array([appearance.box.w / width, appearance.box.h / height])
    for rows, columns in _traces(grey, response, directions, _DARKER):
        if np.hypot(np.ptp(columns) * per_px[0], np.ptp(rows) * per_px[1]) < _SHORTEST:
            continue
        along = directions[rows, columns]
        angles = along * (np.pi / DIRECTIONS)
        across = np.stack([-np.sin(angles), np.cos(angles)], axis=1)
        points = np.stack([columns, rows], axis=1).astype(np.float64)
        yield DarkLine(
            (points + 0.5) * per_px + np.array([appearance.box.x, appearance.box.y]),
            across,
            np.maximum(_contrast(grey, points, across), _MIN_DARK),
            float(np.median(response[rows, columns])),
            width / appearance.box.w,
            _most_frequent(along),
        )


def _most_frequent(directions: NDArray[np.uint8]) -> int:
    return int(np.bincount(directions).argmax())


def _response(grey: Floats) -> tuple[Floats, NDArray[np.uint8]]:
    """How much darker a line through each px is than both its sides, and its direction.

    The first is float32, in grey levels, for the darkest direction, and for the weaker half of the line
    to both sides of the px, so that it is small at a dot. The second is uint8, 0..7.
    """
    height, width = grey.shape
    pad = _SIDE + 1
    padded = cv2.copyMakeBorder(grey, pad, pad, pad, pad, cv2.BORDER_REPLICATE)
    best = np.full(grey.shape, -np.inf, np.float32)
    directions = np.zeros(grey.shape, np.uint8)
    for step in range(DIRECTIONS):
        angle = np.pi * step / DIRECTIONS
        along = np.array([np.cos(angle), np.sin(angle)])
        x, y = np.rint(_SIDE * np.array([-along[1], along[0]])).astype(int).tolist()
        one, other = (
            padded[pad + dy : pad + dy + height, pad + dx : pad + dx + width] for dx, dy in ((x, y), (-x, -y))
        )
        darker = cv2.subtract(cv2.min(one, other), grey)
        halves = []
        for sign in (1, -1):
            kernel = np.zeros((2 * _ALONG + 1, 2 * _ALONG + 1), np.float32)
            for distance in range(_ALONG + 1):
                column, row = np.rint(_ALONG + sign * distance * along).astype(int).tolist()
                kernel[row, column] = 1 / (_ALONG + 1)
            halves.append(cv2.filter2D(darker, cv2.CV_32F, kernel, borderType=cv2.BORDER_REPLICATE))
        response = cv2.min(*halves)
        more = response > best
        best[more] = response[more]
        directions[more] = step
    return best, directions


def _traces(
    grey: Floats, response: Floats, directions: NDArray[np.uint8], least: float
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The px, rows and columns, along the middle of each line whose response is at least `least` somewhere.

    A line turns by at most an eighth of half a turn to each side of the direction of its strongest px.
    """
    left = np.where(grey <= -_NEW, response, np.float32(0))
    while left.size and float(left.max()) >= least:
        row, column = np.unravel_index(int(left.argmax()), left.shape)
        turned = (directions.astype(np.int16) - int(directions[row, column])) % DIRECTIONS
        same = (left >= _MIN_DARK) & ((turned <= 1) | (turned == DIRECTIONS - 1))
        _, labels = cv2.connectedComponents(same.astype(np.uint8), connectivity=8)
        line = labels == labels[row, column]
        left[cv2.dilate(line.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0] = 0
        rows, columns = _middle(line, response, directions)
        if rows.size:
            yield rows, columns


def _middle(
    line: NDArray[np.bool_], response: Floats, directions: NDArray[np.uint8]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The px of a line that are as dark as both neighbours across it: rows and columns."""
    rows, columns = np.nonzero(line)
    angles = directions[rows, columns] * (np.pi / DIRECTIONS)
    dx, dy = np.rint(-np.sin(angles)).astype(int), np.rint(np.cos(angles)).astype(int)
    height, width = line.shape
    here = response[rows, columns]
    beside = [
        response[np.clip(rows + sign * dy, 0, height - 1), np.clip(columns + sign * dx, 0, width - 1)]
        for sign in (1, -1)
    ]
    middle = here >= np.maximum(*beside)
    return rows[middle], columns[middle]
