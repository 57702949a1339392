"""Paints rectangles of regions on whole px, thousands of them in a few calls."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import cast

import numpy as np
import numpy.typing as npt
import shiboken6
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from desktop.canvas.layers.colours import chip_colours
from desktop.canvas.model.regions import Edges
from desktop.canvas.model.viewport import Viewport
from shared.record.geometry import Rect

Style = tuple[QColor, bool]
"""The opaque colour of a box, and whether its line is dashed."""
_Pixels = npt.NDArray[np.int32]
_FILL_ALPHA = 34
_CASING_ALPHA = 150
_REACH = 8.0
"""Boxes at least so far apart do not meet, in view px: twice what line and casing take outside of a box."""


def edges_to_view(edges: Edges, viewport: Viewport) -> Edges:
    """Edges (n, 4) in px of the picture as view px."""
    return edges * viewport.scale + (viewport.left, viewport.top, viewport.left, viewport.top)


def edges_of(rects: Iterable[Rect]) -> Edges:
    """Left, top, right and bottom of rectangles, shape (n, 4)."""
    edges = ((rect.x, rect.y, rect.right, rect.bottom) for rect in rects)
    return np.fromiter(edges, np.dtype((np.float64, 4)))


def rects_to_view(rects: Iterable[Rect], viewport: Viewport) -> Edges:
    """Left, top, right and bottom of rectangles of the picture in view px, shape (n, 4)."""
    return edges_to_view(edges_of(rects), viewport)


def pixel_aligned(box: Rect) -> QRectF:
    """The rectangle in view px with edges on whole px, so that lines are sharp."""
    x, y = round(box.x), round(box.y)
    return QRectF(x, y, max(round(box.right) - x, 1), max(round(box.bottom) - y, 1))


def pixel_aligned_edges(boxes: Edges) -> Edges:
    """Left, top, right and bottom of rectangles in view px: whole px, at least one apart."""
    aligned = np.rint(boxes)
    aligned[:, 2:] = np.maximum(aligned[:, 2:], aligned[:, :2] + 1)
    return aligned


def paint_boxes(
    painter: QPainter,
    boxes: Edges,
    kinds: npt.NDArray[np.intp],
    styles: Sequence[Style],
    line_width: float,
    *,
    filled: bool = True,
    most_filled: float = math.inf,
    cased: bool = False,
) -> None:
    """Paint rectangles (n, 4) in view px in this order, each in the style that its kind (n) has.

    most_filled: the largest area that is filled, in view px, because a fill tints what is below it. cased:
    with a px of the opposite brightness along both sides of a line, so that it is seen on every picture.

    The result equals that of a pen of this width (view px) without antialiasing around `pixel_aligned`, over
    a fill. Neighbours of the same kind are painted together: they have the same colour, so that their order
    cannot be seen.
    """
    ratio = painter.device().devicePixelRatio()
    # Halves are rounded up, so that lines keep their distances where the ratio is 1.5.
    corners = np.floor(pixel_aligned_edges(boxes) * ratio + 0.5).astype(np.int32)
    # A QRect ends with its last px.
    insides = corners - np.array((0, 0, 1, 1), np.int32)
    # A pen covers the px whose centres are less than half its width away.
    thickness = max(math.ceil(line_width * ratio - 0.25), 1)
    lines = _lines_around(corners, thickness)
    casings = _lines_around(corners, thickness + 2 * max(round(ratio), 1)) if cased else lines
    is_filled = filled & (np.prod(boxes[:, 2:] - boxes[:, :2], axis=1) <= most_filled)
    fills = [_fill_of(colour) if filled else Qt.BrushStyle.NoBrush for colour, _ in styles]
    painter.save()
    painter.scale(1 / ratio, 1 / ratio)
    for start, end in pairwise(np.flatnonzero(np.diff(kinds, prepend=-1, append=-1)).tolist()):
        kind = kinds[start]
        colour, is_dashed = styles[kind]
        some, has_fill = insides[start:end], is_filled[start:end]
        painter.setPen(Qt.PenStyle.NoPen)
        if has_fill.any():
            painter.setBrush(fills[kind])
            _MEMORY.draw(painter, some[has_fill])
        if cased:
            painter.setBrush(_casing_of(colour))
            _MEMORY.draw(painter, casings[4 * start : 4 * end])
        if is_dashed:
            painter.setPen(_dashed_pen(colour, line_width * ratio))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            _MEMORY.draw(painter, some)
        else:
            painter.setBrush(colour)
            _MEMORY.draw(painter, lines[4 * start : 4 * end])
    painter.restore()


def order_by_kind(boxes: Edges, kinds: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Indices of boxes (n, 4) in view px that paint the same picture with fewer changes of kind (n).

    Boxes that meet stay in their order; only others pass each other. For a few hundred boxes: all pairs are
    compared.
    """
    left, top, right, bottom = boxes.T
    meets = left[:, None] < right + _REACH
    meets &= left < right[:, None] + _REACH
    meets &= top[:, None] < bottom + _REACH
    meets &= top < bottom[:, None] + _REACH
    depths = [0] * len(boxes)
    later, earlier = np.nonzero(np.tril(meets, -1))
    for above, below in zip(later.tolist(), earlier.tolist(), strict=True):
        depths[above] = max(depths[above], depths[below] + 1)
    return np.lexsort((kinds, np.array(depths)))


class _RectMemory:
    """Memory from which Qt reads rectangles: to create an object of each takes longer than to draw it.

    The object of the first rectangle stays as long as the memory. Shiboken finds objects by their address: at
    that of memory which was just released, it may find an object of another type.
    """

    def __init__(self) -> None:
        self._rects = np.empty((0, 4), np.int32)
        self._first = QRect()

    def draw(self, painter: QPainter, rects: _Pixels) -> None:
        """Draw rectangles, each given by its first and last px (n, 4)."""
        if len(rects) > len(self._rects):
            self._rects = np.empty((max(2 * len(rects), 4096), 4), np.int32)
            self._first = cast("QRect", shiboken6.wrapInstance(self._rects.ctypes.data, QRect))
        self._rects[: len(rects)] = rects
        painter.drawRects(self._first, len(rects))


_MEMORY = _RectMemory()


def _lines_around(corners: _Pixels, thickness: int) -> _Pixels:
    """The first and the last px of the upper, lower, left and right line of each rectangle, (4n, 4)."""
    outer = corners + np.array([-(thickness // 2)] * 2 + [(thickness - 1) // 2] * 2, np.int32)
    lines = np.repeat(outer[:, None], 4, axis=1)
    lines[:, 0, 3] = outer[:, 1] + thickness - 1
    lines[:, 1, 1] = outer[:, 3] - thickness + 1
    lines[:, 2, 2] = outer[:, 0] + thickness - 1
    lines[:, 3, 0] = outer[:, 2] - thickness + 1
    return lines.reshape(-1, 4)


def _fill_of(colour: QColor) -> QColor:
    fill = QColor(colour)
    fill.setAlpha(_FILL_ALPHA)
    return fill


def _casing_of(colour: QColor) -> QColor:
    casing = QColor(chip_colours(colour)[1])
    casing.setAlpha(_CASING_ALPHA)
    return casing


def _dashed_pen(colour: QColor, width: float) -> QPen:
    pen = QPen(colour, width)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    pen.setDashPattern([5, 3])
    return pen
