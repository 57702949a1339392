"""Paints the outlines of thousands of rectangles at once. Qt would need an object and a call for each one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from desktop.canvas.model.rect_index import Edges
from desktop.canvas.model.viewport import Viewport
from shared.images.cv import cv2

_MARGIN = 8
"""Edges are clipped this many px outside the view, so that coordinates stay small."""


def paint_outlines(painter: QPainter, viewport: Viewport, groups: Iterable[tuple[Edges, QColor]]) -> None:
    """Paint lines of one px around rectangles (px of the picture), each group in its opaque colour.

    The result equals that of a pen of width 1 without antialiasing around `pixel_aligned_rects`.
    """
    ratio = painter.device().devicePixelRatio()
    width, height = round(viewport.width * ratio), round(viewport.height * ratio)
    pixels = np.zeros((height, width, 4), np.uint8)
    farthest = max(width, height) + _MARGIN
    thick = max(round(ratio), 1)
    for edges, colour in groups:
        corners = np.rint(pixel_aligned_edges(edges, viewport) * ratio).astype(np.int32)
        for inset in range(thick):
            low, high = inset - thick // 2, (thick - 1) // 2 - inset
            lines = np.clip(corners + np.array((low, low, high, high)), -_MARGIN, farthest)
            polygons = lines[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 4, 2)
            # The order of the bytes of a pixel in Qt: blue, green, red, alpha.
            paint = (colour.blue(), colour.green(), colour.red(), 255)
            cv2.polylines(pixels, polygons, True, paint)
    image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
    painter.drawImage(QRectF(0, 0, width / ratio, height / ratio), image)


def pixel_aligned_rects(edges: Edges, viewport: Viewport) -> list[QRectF]:
    """The results of `pixel_aligned` for the visible rectangles. `edges` are px of the picture."""
    corners = pixel_aligned_edges(edges, viewport)
    corners[:, 2:] -= corners[:, :2]
    return [QRectF(*box) for box in corners.tolist()]


def pixel_aligned_edges(edges: Edges, viewport: Viewport) -> Edges:
    """Left, top, right and bottom of the visible rectangles in view px: whole px, at least one apart."""
    corner = (viewport.left, viewport.top)
    view = np.rint(edges * viewport.scale + (*corner, *corner))
    visible = (view[:, :2] <= (viewport.width, viewport.height)).all(axis=1) & (view[:, 2:] >= 0).all(axis=1)
    view = view[visible]
    view[:, 2:] = np.maximum(view[:, 2:], view[:, :2] + 1)
    return view
