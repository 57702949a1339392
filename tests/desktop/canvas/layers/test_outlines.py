"""Outlines of thousands of rectangles at once: the very pixels that a pen would draw."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen
from PySide6.QtWidgets import QApplication

from desktop.canvas.layers.region_layer import paint_outlines, pixel_aligned_rects
from desktop.canvas.model.rect_index import Edges
from desktop.canvas.model.viewport import Viewport

WIDTH, HEIGHT = 240, 160
AROUND = 300
"""Room around the view for the pen: Qt loses a corner px of a rectangle that the edge of a picture cuts."""
CORNERS = st.tuples(st.floats(-50, 300), st.floats(-50, 200), st.floats(0.2, 400), st.floats(0.2, 400))


def sheet(ratio: int, margin: int = 0) -> QImage:
    size = QSize(WIDTH + 2 * margin, HEIGHT + 2 * margin) * ratio
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    return image


@pytest.mark.parametrize("ratio", [1, 2])
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    groups=st.lists(
        st.tuples(st.lists(CORNERS, max_size=8), st.sampled_from(["#ff5d57", "#3fb97a"])), max_size=3
    ),
    scale=st.floats(0.05, 30),
)
def test_outlines_equal_those_of_a_pen(
    qapp: QApplication, ratio: int, groups: list[tuple[list[tuple[float, ...]], str]], scale: float
) -> None:
    viewport = Viewport(300, 200, WIDTH, HEIGHT, scale, -7.3, 4.6)
    rect_between, painted = sheet(ratio, AROUND), sheet(ratio)
    wanted: list[tuple[Edges, QColor]] = []
    with QPainter(rect_between) as painter:
        painter.translate(AROUND, AROUND)
        for corners, name in groups:
            edges = np.array(corners).reshape(-1, 4)
            edges[:, 2:] += edges[:, :2]
            wanted.append((edges, QColor(name)))
            pen = QPen(QColor(name), 1.0)
            pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
            painter.setPen(pen)
            rects = pixel_aligned_rects(edges, viewport)
            assume(all(min(rect.left(), rect.top()) > -AROUND for rect in rects))
            painter.drawRects(rects)
    with QPainter(painted) as painter:
        paint_outlines(painter, viewport, wanted)
    inside = QRect(AROUND * ratio, AROUND * ratio, WIDTH * ratio, HEIGHT * ratio)
    assert painted == rect_between.copy(inside)
