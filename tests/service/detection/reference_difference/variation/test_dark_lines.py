"""Thin dark lines in differences: found also on a stain, and compared over photos."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.detection.reference_difference.data import Floats
from service.detection.reference_difference.variation.dark_lines import (
    covered,
    dark_lines,
    has_like,
    is_shown,
)
from service.detection.reference_difference.variation.memory import Appearance
from shared.geometry import Rect
from shared.images.cv import cv2

PLACE = Rect(100, 40, 80, 60)


def stained(level: float = -40) -> Floats:
    stain = np.zeros((60, 80), np.float32)
    cv2.ellipse(stain, (40, 30), (30, 20), 0, 0, 360, level, -1)
    return np.repeat(cv2.GaussianBlur(stain, (0, 0), 4)[..., None], 3, axis=2)


def lined(*ends: int, level: float = -60, thick: int = 1, on: Floats | None = None) -> Appearance:
    image = stained() if on is None else on
    line = np.zeros((60, 80), np.float32)
    cv2.line(line, ends[:2], ends[2:], level, thick, cv2.LINE_AA)
    return Appearance.of(PLACE, np.asarray(image + line[..., None], np.float32))


def test_a_stain_has_no_line() -> None:
    assert dark_lines([Appearance.of(PLACE, stained())]) == []


def test_a_line_on_a_stain_is_found_at_its_place() -> None:
    (line,) = dark_lines([lined(20, 20, 60, 40)])
    (left, top), (right, bottom) = line.min(axis=0), line.max(axis=0)
    assert (left, top) == pytest.approx((120, 60), abs=2)
    assert (right, bottom) == pytest.approx((160, 80), abs=2)


@pytest.mark.parametrize(
    ("level", "thick", "ends"),
    [
        (60, 1, (20, 20, 60, 40)),
        (-8, 1, (20, 20, 60, 40)),
        (-60, 12, (20, 20, 60, 40)),
        (-60, 1, (20, 20, 26, 23)),
    ],
    ids=["bright", "faint", "thick", "short"],
)
def test_bright_faint_thick_and_short_lines_are_left_out(
    level: float, thick: int, ends: tuple[int, ...]
) -> None:
    assert dark_lines([lined(*ends, level=level, thick=thick)]) == []


def test_a_line_is_shown_where_it_lies_and_not_elsewhere() -> None:
    (line,) = dark_lines([lined(20, 20, 60, 40)])
    other = dark_lines([lined(21, 22, 61, 42)])
    moved = dark_lines([lined(20, 34, 60, 54)])
    assert is_shown(line, other)
    assert not is_shown(line, moved)
    assert not is_shown(line, [])
    # A short piece of it does not show it.
    assert not is_shown(line, dark_lines([lined(20, 20, 35, 28)]))


def test_a_line_that_lies_elsewhere_is_of_its_kind_when_it_is_long_enough() -> None:
    (line,) = dark_lines([lined(20, 10, 60, 10)])
    assert has_like(line, dark_lines([lined(30, 20, 30, 55)]))
    assert not has_like(line, dark_lines([lined(30, 20, 44, 20)]))
    assert not has_like(line, [])


@given(st.integers(1, 200), st.integers(1, 200))
def test_px_near_a_line_are_covered_inside_the_part_alone(width: int, height: int) -> None:
    (line,) = dark_lines([lined(20, 20, 60, 40)])
    mask = covered(line, Rect(130, 50, 20, 20), (height, width))
    assert mask.shape == (height, width)
    assert mask.any()
