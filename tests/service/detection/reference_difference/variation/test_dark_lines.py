"""Tests thin dark lines in differences: found also on a stain, and compared between photos."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.detection.reference_difference.variation.dark_lines import (
    ABSENT,
    SHOWN,
    DarkLine,
    dark_lines,
    is_dark,
    is_moved,
    is_same,
    line_mask,
    share_shown,
    similar_directions,
)
from service.detection.reference_difference.variation.memory import Appearance
from shared.images.cv import cv2
from shared.record.geometry import Rect
from tests.service.detection.reference_difference.variation.lined_differences import (
    PLACE,
    draw_line,
    draw_stain,
    make_comparison,
    plate,
)


def crack() -> DarkLine:
    (line,) = dark_lines([draw_line(20, 20, 60, 40)])
    return line


def test_a_stain_has_no_line() -> None:
    assert dark_lines([Appearance.of(PLACE, draw_stain())]) == []


def test_a_line_on_a_stain_is_found_at_its_place() -> None:
    line = crack()
    (left, top), (right, bottom) = line.points.min(axis=0), line.points.max(axis=0)
    assert (left, top) == pytest.approx((120, 60), abs=3)
    assert (right, bottom) == pytest.approx((160, 80), abs=3)
    assert line.direction == 1


def test_objects_that_are_broad_or_short_have_no_line() -> None:
    image = np.zeros((60, 80), np.float32)
    cv2.ellipse(image, (20, 30), (9, 7), 30, 0, 360, -60, -1)
    for x, y in ((45, 15), (60, 40), (70, 20), (50, 50)):
        cv2.circle(image, (x, y), 3, -70, -1, cv2.LINE_AA)
    blurred = np.repeat(cv2.GaussianBlur(image, (0, 0), 1)[..., None], 3, axis=2)
    assert dark_lines([Appearance.of(PLACE, blurred)]) == []


@pytest.mark.parametrize("thick", [1, 2, 3, 4])
@pytest.mark.parametrize("soft", [0.5, 1.2])
def test_wide_and_soft_lines_are_found(thick: int, soft: float) -> None:
    line = np.zeros((60, 80), np.float32)
    cv2.line(line, (20, 20), (60, 40), -70, thick, cv2.LINE_AA)
    image = draw_stain() + cv2.GaussianBlur(line, (0, 0), soft)[..., None]
    (found,) = dark_lines([Appearance.of(PLACE, np.asarray(image, np.float32))])
    assert found.length > 35


def test_a_bent_line_is_one_line_and_lines_that_cross_are_two() -> None:
    image = draw_stain()
    bent = np.array([(10, 20), (30, 26), (50, 36), (66, 50)])
    cv2.polylines(image, [bent], False, (-90, -90, -90), 1, cv2.LINE_AA)
    assert len(dark_lines([Appearance.of(PLACE, image)])) == 1
    cv2.line(image, (40, 8), (36, 56), (-90, -90, -90), 1, cv2.LINE_AA)
    found = sorted(line.direction for line in dark_lines([Appearance.of(PLACE, image)]) if line.length > 30)
    assert found[-1] == 4
    assert found[0] <= 2


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
    assert dark_lines([draw_line(*ends, level=level, thick=thick)]) == []


def share(line: DarkLine, appearances: list[Appearance]) -> float:
    shown = share_shown(line, appearances)
    assert shown is not None
    return shown


def test_line_is_shown_at_its_place_only() -> None:
    line = crack()
    assert share(line, [draw_line(21, 22, 61, 42)]) >= SHOWN
    assert share(line, [draw_line(20, 34, 60, 54)]) < ABSENT
    assert share(line, [Appearance.of(PLACE, draw_stain())]) < ABSENT
    assert share(line, []) == 0
    # A short piece of it does not show it.
    assert share(line, [draw_line(20, 20, 35, 28)]) < SHOWN


def test_only_px_that_differ_say_whether_a_line_is_shown() -> None:
    line = crack()
    half = draw_line(20, 20, 60, 40).values.copy()
    half[:, 42:] = 0
    assert share(line, [Appearance(PLACE, half)]) >= SHOWN
    half[:, 28:] = 0
    assert share(line, [Appearance(PLACE, half)]) == 0


def test_coarse_difference_does_not_say_whether_a_line_is_shown() -> None:
    small = np.asarray(cv2.resize(draw_stain(), (20, 15), interpolation=cv2.INTER_AREA), np.float32)
    assert share_shown(crack(), [Appearance.of(PLACE, small)]) is None


def test_similar_lines_are_nearby_long_enough_and_as_dark() -> None:
    line = crack()
    assert similar_directions(line, [draw_line(30, 20, 30, 55)]) == [4]
    assert similar_directions(line, [draw_line(30, 20, 44, 20)]) == []
    assert similar_directions(line, [draw_line(30, 20, 30, 55, level=-20)]) == []
    assert similar_directions(line, [draw_line(22, 22, 62, 42)]) == [1]
    assert similar_directions(line, [draw_line(22, 22, 62, 42)], elsewhere=True) == []
    assert similar_directions(line, []) == []


def test_lines_are_the_same_if_most_of_one_is_on_the_other() -> None:
    line = crack()
    assert is_same(line, dark_lines([draw_line(21, 22, 61, 42)]))
    assert not is_same(line, dark_lines([draw_line(20, 34, 60, 54)]))
    assert not is_same(line, [])


def test_a_line_counts_when_the_photo_is_dark_along_it() -> None:
    line = crack()
    assert is_dark(line, make_comparison(plate(120, 60, 160, 80), plate()))
    # A bright line of the reference image has gone, or the photo is dark elsewhere.
    assert not is_dark(line, make_comparison(plate(), plate(120, 60, 160, 80, level=255)))
    assert not is_dark(line, make_comparison(plate(120, 80, 160, 100), plate()))


def test_line_beside_an_equally_dark_reference_line_has_moved() -> None:
    line = crack()
    now = plate(120, 60, 160, 80)
    assert is_moved(line, make_comparison(now, plate(120, 63, 160, 83)))
    assert not is_moved(line, make_comparison(now, plate(120, 63, 160, 83, level=140)))
    assert not is_moved(line, make_comparison(now, plate(120, 80, 160, 100)))


def test_a_short_line_is_not_like_a_crack() -> None:
    (short,) = dark_lines([draw_line(20, 20, 34, 27)])
    assert crack().is_crack_like
    assert not short.is_crack_like


@given(st.integers(1, 200), st.integers(1, 200))
def test_line_mask_has_px_of_the_part_only(width: int, height: int) -> None:
    line = crack()
    mask = line_mask(line, Rect(130, 50, 20, 20), (height, width))
    assert mask.shape == (height, width)
    assert mask.any()
