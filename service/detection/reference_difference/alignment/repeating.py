"""Proposes homographies for surfaces that repeat themselves: fields of equal dots, pads or lines.

Each local feature of such a surface looks like hundreds of others. In a coarse picture the field is even, and
only its interruptions are visible. So the coarse pictures are correlated under rotated and scaled views. The
guess is then refined in a growing window that starts at the most distinctive place, so that no part of the
field is ever off by a whole step.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from service.detection.reference_difference.alignment import checks
from service.detection.reference_difference.data import Bytes, Floats, Matrix, Pyramid, inverse, shift_scale
from shared.images.cv import cv2
from shared.record.geometry import Rect

# Cells of the coarse pictures along the longer side, and the cells that the photo may be shifted.
_CELLS: Final = 96
_ASIDE: Final = 24
# Standard deviations in cells: detail that is too fine, and light.
_FINE, _LIGHT = 1.3, 10.0
_TURNS: Final = np.deg2rad(np.arange(-12, 13, 3))
_SCALES: Final = 0.72 * 1.07 ** np.arange(10)
_MAX_MATRICES: Final = 4
_MIN_CORRELATION = 0.3
# The first window in parts of the longer side, the growth of the next, and the reach of the search for blocks
# in px of a window, which is less than half a step of the field.
_FIRST, _GROWTH = 0.35, 1.35
_REACH: Final = 7


def propose(reference: Pyramid, area: Rect, photo: Pyramid) -> Iterator[tuple[Matrix, int]]:
    """Homographies (reference px -> photo px) of `area`, each with the px of a check that it may be off."""
    frame = checks.reference_window(reference, area, _CELLS, 1.0)
    known = _coarse(reference.warped(frame.to_reference, frame.size))
    anchor = _anchor(known, frame, area)
    for guess in _correlate(known, frame, photo):
        grown = _grow(reference, photo, area, anchor, guess)
        if grown is not None:
            yield grown, 4


def _coarse(image: Bytes) -> Floats:
    """The image without fine detail and without light, around 0."""
    values = image.astype(np.float32)
    return np.asarray(cv2.GaussianBlur(values, (0, 0), _FINE) - cv2.GaussianBlur(values, (0, 0), _LIGHT))


def _anchor(known: Floats, frame: checks.ReferenceWindow, area: Rect) -> tuple[float, float]:
    """The middle, in px of the reference, of the window with the most structure."""
    side = max(round(_FIRST * max(frame.size)), 3)
    energy = cv2.boxFilter(known * known, -1, (side, side), borderType=cv2.BORDER_CONSTANT)
    y, x = np.unravel_index(int(np.argmax(energy)), energy.shape)
    return area.x + (float(x) + 0.5) / frame.scale, area.y + (float(y) + 0.5) / frame.scale


def _correlate(known: Floats, frame: checks.ReferenceWindow, photo: Pyramid) -> list[Matrix]:
    """The views, reference px -> photo px, with the highest correlation of the coarse pictures."""
    width, height = frame.size
    # Photo px per cell, were all of the area to fill the photo.
    usual = max(photo.size) / max(frame.size)
    small = shift_scale(0, 0, 1 / usual)
    cells = (max(round(photo.size[0] / usual), 8), max(round(photo.size[1] / usual), 8))
    seen = _coarse(photo.warped(inverse(small), cells))
    found: list[tuple[float, Matrix]] = []
    for turn in _TURNS:
        for scale in _SCALES:
            cos, sin = np.cos(turn) * scale, np.sin(turn) * scale
            # Cells of the reference, with a margin, to those of the photo, middle on middle.
            view = np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
            view = shift_scale(-cells[0] / 2, -cells[1] / 2, 1) @ view @ shift_scale(width / 2, height / 2, 1)
            wide = view @ shift_scale(_ASIDE, _ASIDE, 1)
            there = cv2.warpAffine(
                seen,
                wide[:2],
                (width + 2 * _ASIDE, height + 2 * _ASIDE),
                flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            )
            likeness = cv2.matchTemplate(there, known, cv2.TM_CCORR_NORMED)
            _, most, _, (x, y) = cv2.minMaxLoc(likeness)
            if most >= _MIN_CORRELATION:
                moved = view @ shift_scale(_ASIDE - x, _ASIDE - y, 1)
                found.append((most, inverse(small) @ moved @ inverse(frame.to_reference)))
    found.sort(key=lambda one: -one[0])
    return [matrix for _, matrix in found[:_MAX_MATRICES]]


def _grow(
    reference: Pyramid, photo: Pyramid, area: Rect, anchor: tuple[float, float], guess: Matrix
) -> Matrix | None:
    """Refine the guess in growing windows around the anchor; None if the check of a window fails."""
    share = _FIRST
    while True:
        side = share * max(area.w, area.h)
        window = Rect(anchor[0] - side / 2, anchor[1] - side / 2, side, side).intersection(area)
        frame = checks.reference_window(reference, window, checks.SIDE, 1.0)
        tried = checks.check(photo, frame, guess, _REACH)
        # Every part must agree as the whole must: of boards that are found so, windows have 0.97 and more.
        if tried is None or tried.score <= checks.SURELY_BELONGS:
            return None
        guess = tried.homography
        if window == area:
            return guess
        share *= _GROWTH
