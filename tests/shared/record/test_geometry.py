"""Tests rectangles: half-open, inside the image, unchanged by a round trip."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.record.geometry import (
    Rect,
    inspected_shares,
    is_inside_quad,
    map_corners,
    pixels_to_point,
    point_to_pixels,
    rect_from_corners,
)

sides = st.integers(1, 60_000)
coordinates = st.floats(-1e5, 1e5, allow_nan=False)
rects = st.builds(Rect, coordinates, coordinates, st.floats(0, 1e5), st.floats(0, 1e5))


@given(rects, sides, sides)
def test_a_clamped_rectangle_never_leaves_the_image(rect: Rect, width: int, height: int) -> None:
    inside = rect.clamp(width, height)
    if not inside.is_empty:
        assert 0 <= inside.x <= inside.right <= width * (1 + 1e-12)
        assert 0 <= inside.y <= inside.bottom <= height * (1 + 1e-12)


@given(st.tuples(*[st.floats(0, 1) for _ in range(4)]), st.integers(2, 60_000), st.integers(2, 60_000))
def test_pixels_survive_conversion_to_fractions_and_back(
    corners: tuple[float, float, float, float], width: int, height: int
) -> None:
    x1, y1, x2, y2 = corners
    rect = rect_from_corners(x1 * width, y1 * height, x2 * width, y2 * height).clamp(width, height)
    point = pixels_to_point(rect, width, height)
    again = point_to_pixels(point.x, point.y, point.w, point.h, width, height)
    for before, after in zip(
        (rect.x, rect.y, rect.right, rect.bottom), (again.x, again.y, again.right, again.bottom), strict=True
    ):
        assert abs(before - after) < 1e-6 * max(width, height)


def test_a_value_above_one_makes_all_four_pixels() -> None:
    assert point_to_pixels(10, 0.5, 20, 0.25, 100, 100) == Rect(10, 0.5, 20, 0.25)
    assert point_to_pixels(0, 0, 1, 1, 640, 480) == Rect(0, 0, 640, 480)


def test_region_beyond_the_image_is_clamped_to_its_edge() -> None:
    assert point_to_pixels(0.75, 0.5, 0.5, 1, 640, 480) == Rect(480, 240, 160, 240)
    assert point_to_pixels(-20, -10, 50, 40, 640, 480) == Rect(0, 0, 30, 30)
    assert point_to_pixels(700, 0, 10, 10, 640, 480).is_empty


def test_rectangle_with_negative_size_is_empty() -> None:
    assert Rect(10, 10, -2, -3).area == 0
    assert Rect(10, 10, -2, -3).is_empty
    assert Rect(0, 0, 6, 1).iou(Rect(10, 10, -2, -3)) == 0


@pytest.mark.parametrize(
    ("x", "y", "inside"),
    [(0, 0, True), (9.999, 4.999, True), (10, 2, False), (2, 5, False), (-0.001, 0, False)],
)
def test_the_right_and_the_bottom_edge_are_outside(x: float, y: float, inside: bool) -> None:
    assert Rect(0, 0, 10, 5).contains(x, y) is inside


@given(rects, rects)
def test_iou_is_symmetric_and_between_0_and_1(first: Rect, second: Rect) -> None:
    assert first.iou(second) == second.iou(first)
    assert 0 <= first.iou(second) <= 1 + 1e-9


def test_iou_of_halves() -> None:
    assert Rect(0, 0, 10, 10).iou(Rect(5, 0, 10, 10)) == pytest.approx(1 / 3)
    assert Rect(0, 0, 10, 10).iou(Rect(10, 0, 10, 10)) == 0
    assert Rect(0, 0, 0, 0).iou(Rect(0, 0, 0, 0)) == 0


def test_corners_are_mapped_by_a_homography() -> None:
    tilted = ((1.0, 0.0, 10.0), (0.0, 2.0, 0.0), (0.001, 0.0, 1.0))
    quad = map_corners(Rect(0, 0, 1000, 100), tilted)
    assert quad == [(10, 0), (505, 0), (505, 100), (10, 200)]
    # The horizon is at x = -1000.
    assert map_corners(Rect(-1500, 0, 1000, 100), tilted) is None
    assert map_corners(Rect(-1000, 0, 1000, 100), tilted) is None


def test_points_inside_a_quadrilateral_are_found() -> None:
    quad = [(0.0, 0.0), (10.0, 2.0), (8.0, 12.0), (-1.0, 9.0)]
    for around in (quad, quad[::-1]):
        assert is_inside_quad(around, 5, 5)
        assert is_inside_quad(around, *Rect(4, 4, 2, 3).centre)
        for x, y in ((5, 0.5), (10, 5), (5, 11.5), (-1, 4)):
            assert not is_inside_quad(around, x, y)


IDENTITY = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def test_share_of_a_region_that_an_image_shows() -> None:
    region = Rect(10, 10, 40, 20)
    assert inspected_shares(region, IDENTITY, (100, 100)) == (1.0, 0.0)
    assert inspected_shares(region, IDENTITY, (40, 100)) == pytest.approx((0.75, 0.0))
    assert inspected_shares(region, IDENTITY, (40, 20)) == pytest.approx((0.375, 0.0))
    assert inspected_shares(region, IDENTITY, (5, 5)) == (0.0, 0.0)
    assert inspected_shares(Rect(0, 0, 0, 0), IDENTITY, (5, 5)) == (0.0, 0.0)


def test_ignored_areas_count_for_neither_share() -> None:
    region, right = Rect(10, 10, 40, 20), Rect(40, 0, 90, 90)
    assert inspected_shares(region, IDENTITY, (40, 100), [right]) == pytest.approx((1, 0.25))
    twice = [right, Rect(40, 10, 10, 10)]
    assert inspected_shares(region, IDENTITY, (40, 100), twice) == pytest.approx((1, 0.25))
    assert inspected_shares(region, IDENTITY, (40, 100), [region]) == (0.0, 1.0)


def test_share_follows_a_perspective() -> None:
    homography = [[1.0, 0.2, 3.0], [0.1, 1.1, -4.0], [0.002, 0.001, 1.0]]
    region, size = Rect(5, 5, 60, 50), (45, 40)
    points = [(5 + 60 * (i + 0.5) / 200, 5 + 50 * (j + 0.5) / 200) for i in range(200) for j in range(200)]
    seen = 0
    for x, y in points:
        u, v, w = (row[0] * x + row[1] * y + row[2] for row in homography)
        seen += 0 <= u / w < size[0] and 0 <= v / w < size[1]
    assert inspected_shares(region, homography, size)[0] == pytest.approx(seen / len(points), abs=0.005)
