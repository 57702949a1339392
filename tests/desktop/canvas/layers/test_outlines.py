"""Thousands of rectangles at once: the very pixels that a pen and a brush draw for each of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen
from PySide6.QtWidgets import QApplication

from desktop.canvas.layers.boxes import order_by_kind, paint_boxes, pixel_aligned
from shared.record.geometry import Rect

WIDTH, HEIGHT = 240, 160
AROUND = 300
"""Room around the view for the pen: Qt loses a corner px of a rectangle that the edge of a picture cuts."""
RECTS = st.builds(Rect, st.floats(-250, 300), st.floats(-250, 200), st.floats(0.2, 400), st.floats(0.2, 400))
SMALL_RECTS = st.builds(Rect, st.floats(0, 220), st.floats(0, 140), st.floats(1, 40), st.floats(1, 40))
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


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(regions=st.lists(st.tuples(SMALL_RECTS, st.sampled_from(range(3))), min_size=1, max_size=24))
def test_order_with_fewer_changes_of_style_paints_the_same(
    qapp: QApplication, regions: list[tuple[Rect, int]]
) -> None:
    boxes = np.array([(rect.x, rect.y, rect.right, rect.bottom) for rect, _ in regions])
    kinds = np.array([kind for _, kind in regions])
    one_by_one, ordered = sheet(1), sheet(1)
    with QPainter(one_by_one) as painter:
        for index in range(len(regions)):
            some = slice(index, index + 1)
            paint_boxes(painter, boxes[some], kinds[some], STYLES, 1.5, cased=True)
    order = order_by_kind(boxes, kinds)
    with QPainter(ordered) as painter:
        # Neighbours of one kind that meet are at different depths, but may follow each other.
        for index in order.tolist():
            some = slice(index, index + 1)
            paint_boxes(painter, boxes[some], kinds[some], STYLES, 1.5, cased=True)
    assert sorted(order.tolist()) == list(range(len(regions)))
    assert ordered == one_by_one


def test_boxes_of_a_kind_that_do_not_meet_are_painted_together(qapp: QApplication) -> None:
    boxes = np.array([(40 * place, 10, 40 * place + 20, 30) for place in range(6)], float)
    kinds = np.array([0, 1] * 3)
    assert kinds[order_by_kind(boxes, kinds)].tolist() == [0, 0, 0, 1, 1, 1]
    # A large box below all of them stays below.
    below = np.array([(0, 0, 240, 40)], float)
    order = order_by_kind(np.concatenate((below, boxes)), np.array([1, *kinds]))
    assert order[0] == 0


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
