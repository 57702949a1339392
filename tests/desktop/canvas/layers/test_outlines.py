"""Thousands of rectangles at once: the very pixels that a pen and a brush draw for each of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen
from PySide6.QtWidgets import QApplication

from desktop.canvas.layers.boxes import paint_boxes, pixel_aligned
from shared.record.geometry import Rect

WIDTH, HEIGHT = 240, 160
AROUND = 300
"""Room around the view for the pen: Qt loses a corner px of a rectangle that the edge of a picture cuts."""
RECTS = st.builds(Rect, st.floats(-250, 300), st.floats(-250, 200), st.floats(0.2, 400), st.floats(0.2, 400))
STYLES = [(QColor("#ff5d57"), False), (QColor("#3fb97a"), False), (QColor("#3fb97a"), True)]
SOLID = range(2)


def sheet(ratio: int, margin: int = 0) -> QImage:
    size = QSize(WIDTH + 2 * margin, HEIGHT + 2 * margin) * ratio
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    return image


def paint_each(painter: QPainter, regions: list[tuple[Rect, int]], width: float, filled: bool) -> None:
    """Paint rectangles with the number of their style one by one, with a pen and a brush."""
    for rect, kind in regions:
        colour, is_dashed = STYLES[kind]
        pen = QPen(colour, width)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        if is_dashed:
            pen.setDashPattern([5, 3])
        painter.setPen(pen)
        fill = QColor(colour)
        fill.setAlpha(34)
        painter.setBrush(fill if filled else Qt.BrushStyle.NoBrush)
        painter.drawRect(pixel_aligned(rect))


def paint_together(painter: QPainter, regions: list[tuple[Rect, int]], width: float, filled: bool) -> None:
    """Paint the same with `paint_boxes`."""
    boxes = np.array([(rect.x, rect.y, rect.right, rect.bottom) for rect, _ in regions]).reshape(-1, 4)
    paint_boxes(painter, boxes, np.array([kind for _, kind in regions], int), STYLES, width, filled=filled)


@pytest.mark.parametrize("ratio", [1, 2])
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    regions=st.lists(st.tuples(RECTS, st.sampled_from(SOLID)), max_size=12),
    width=st.sampled_from([1.0, 1.5, 2.0]),
    filled=st.booleans(),
)
def test_boxes_equal_those_of_a_pen(
    qapp: QApplication, ratio: int, regions: list[tuple[Rect, int]], width: float, filled: bool
) -> None:
    room, painted = sheet(ratio, AROUND), sheet(ratio)
    with QPainter(room) as painter:
        painter.translate(AROUND, AROUND)
        paint_each(painter, regions, width, filled)
    with QPainter(painted) as painter:
        paint_together(painter, regions, width, filled)
    inside = QRect(AROUND * ratio, AROUND * ratio, WIDTH * ratio, HEIGHT * ratio)
    assert painted == room.copy(inside)


@pytest.mark.parametrize("ratio", [1, 2])
@pytest.mark.parametrize("filled", [False, True])
def test_dashed_boxes_equal_those_of_a_pen_among_others(qapp: QApplication, ratio: int, filled: bool) -> None:
    kinds = [2, 2, 0, 2, 1, 1, 2]
    regions = [(Rect(10 + 25 * place, 8 + 9 * place, 50, 60), kind) for place, kind in enumerate(kinds)]
    wanted, painted = sheet(ratio), sheet(ratio)
    for picture, paint in ((wanted, paint_each), (painted, paint_together)):
        with QPainter(picture) as painter:
            paint(painter, regions, 1.5, filled)
            painter.fillRect(200, 150, 1, 1, QColor("#000000"))
    assert painted == wanted


@pytest.mark.parametrize("ground", ["#5a6673", "#101418", "#f4f6f8"])
def test_a_cased_line_is_seen_on_every_ground(qapp: QApplication, ground: str) -> None:
    painted = sheet(1)
    painted.fill(QColor(ground))
    boxes, style = np.array([(40, 40, 120, 100)], float), [(QColor("#5a6673"), False)]
    with QPainter(painted) as painter:
        paint_boxes(painter, boxes, np.zeros(1, int), style, 1.5, filled=False, cased=True)

    across = [painted.pixelColor(x, 70).lightness() for x in range(34, 46)]

    assert max(across) - min(across) > 60


def test_a_rectangle_that_takes_much_of_the_view_is_not_filled(qapp: QApplication) -> None:
    painted = sheet(1)
    boxes = np.array([(10, 10, 30, 30), (50, 10, 150, 110)], float)
    with QPainter(painted) as painter:
        paint_boxes(painter, boxes, np.zeros(2, int), STYLES, 1.5, most_filled=2_000)

    assert painted.pixelColor(20, 20).alpha() == 34
    assert painted.pixelColor(100, 60).alpha() == 0
    assert painted.pixelColor(50, 60).alpha() == 255
