"""Paints the outlines of thousands of rectangles at once. Qt would need an object and a call for each of
them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from desktop.canvas.model.rect_index import Edges
from desktop.canvas.model.viewport import Viewport
from shared.images.cv import cv2

_BEYOND = 8
"""Edges are cut off this many px outside the view: nobody sees them, and the coordinates stay small."""


def paint_outlines(painter: QPainter, viewport: Viewport, groups: Iterable[tuple[Edges, QColor]]) -> None:
    """Paint lines of one px around rectangles (px of the picture), each group in its opaque colour.

    They are those that a pen of width 1 without antialiasing draws around `crisp_boxes`.
    """
    ratio = painter.device().devicePixelRatio()
    width, height = round(viewport.width * ratio), round(viewport.height * ratio)
    pixels = np.zeros((height, width, 4), np.uint8)
    farthest = max(width, height) + _BEYOND
    thick = max(round(ratio), 1)
    for edges, colour in groups:
        corners = np.rint(crisp_corners(edges, viewport) * ratio).astype(np.int32)
        for inset in range(thick):
            low, high = inset - thick // 2, (thick - 1) // 2 - inset
            lines = np.clip(corners + np.array((low, low, high, high)), -_BEYOND, farthest)
            around = lines[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 4, 2)
            # The bytes of a pixel as Qt keeps it: blue, green, red, alpha.
            paint = (colour.blue(), colour.green(), colour.red(), 255)
            cv2.polylines(pixels, around, True, paint)
    image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
    painter.drawImage(QRectF(0, 0, width / ratio, height / ratio), image)


def crisp_boxes(edges: Edges, viewport: Viewport) -> list[QRectF]:
    """What `crisp` gives for the visible rectangles, all at once; `edges` are px of the picture."""
    corners = crisp_corners(edges, viewport)
    corners[:, 2:] -= corners[:, :2]
    return [QRectF(*box) for box in corners.tolist()]


def crisp_corners(edges: Edges, viewport: Viewport) -> Edges:
    """Left, top, right, bottom in view px, on whole px and at least one apart, of those that are seen."""
    corner = (viewport.left, viewport.top)
    view = np.rint(edges * viewport.scale + (*corner, *corner))
    visible = (view[:, :2] <= (viewport.width, viewport.height)).all(axis=1) & (view[:, 2:] >= 0).all(axis=1)
    view = view[visible]
    view[:, 2:] = np.maximum(view[:, 2:], view[:, :2] + 1)
    return view
