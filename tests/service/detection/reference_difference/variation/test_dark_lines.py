"""Tests thin dark lines in differences: found also on a stain, and compared between photos."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.detection.reference_difference.data import Floats
from service.detection.reference_difference.difference.comparison import Comparison
from service.detection.reference_difference.variation.dark_lines import (
    dark_lines,
    has_similar,
    is_crack_like,
    is_dark,
    is_moved,
    is_shown,
    line_mask,
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


def test_line_is_shown_at_its_place_only() -> None:
    (line,) = dark_lines([lined(20, 20, 60, 40)])
    other = dark_lines([lined(21, 22, 61, 42)])
    moved = dark_lines([lined(20, 34, 60, 54)])
    assert is_shown(line, other)
    assert not is_shown(line, moved)
    assert not is_shown(line, [])
    # A short piece of it does not show it.
    assert not is_shown(line, dark_lines([lined(20, 20, 35, 28)]))


def test_line_elsewhere_is_similar_if_it_is_long_enough() -> None:
    (line,) = dark_lines([lined(20, 10, 60, 10)])
    assert has_similar(line, dark_lines([lined(30, 20, 30, 55)]))
    assert not has_similar(line, dark_lines([lined(30, 20, 44, 20)]))
    assert not has_similar(line, [])


def plate(*ends: int, level: float = 60) -> Floats:
    """A grey picture of 240 x 140 px with one dark line, or without any."""
    image = np.full((140, 240), 160, np.float32)
    if ends:
        cv2.line(image, ends[:2], ends[2:], level, 1, cv2.LINE_AA)
    return image[..., None]


def seen(now: Floats, was: Floats) -> Comparison:
    return cast(Comparison, SimpleNamespace(frame=SimpleNamespace(to_reference=np.eye(3)), now=now, was=was))


def test_a_line_counts_when_the_photo_is_dark_along_it() -> None:
    (line,) = dark_lines([lined(20, 20, 60, 40)])
    assert is_dark(line, seen(plate(120, 60, 160, 80), plate()))
    # A bright line of the reference image has gone, or the photo is dark elsewhere.
    assert not is_dark(line, seen(plate(), plate(120, 60, 160, 80, level=255)))
    assert not is_dark(line, seen(plate(120, 80, 160, 100), plate()))


def test_line_beside_an_equally_dark_reference_line_has_moved() -> None:
    (line,) = dark_lines([lined(20, 20, 60, 40)])
    now = plate(120, 60, 160, 80)
    assert is_moved(line, seen(now, plate(120, 63, 160, 83)))
    assert not is_moved(line, seen(now, plate(120, 63, 160, 83, level=140)))
    assert not is_moved(line, seen(now, plate(120, 80, 160, 100)))


def test_a_short_line_is_not_like_a_crack() -> None:
    (line,) = dark_lines([lined(20, 20, 60, 40)])
    (short,) = dark_lines([lined(20, 20, 34, 27)])
    assert is_crack_like(line)
    assert not is_crack_like(short)


@given(st.integers(1, 200), st.integers(1, 200))
def test_line_mask_has_px_of_the_part_only(width: int, height: int) -> None:
    (line,) = dark_lines([lined(20, 20, 60, 40)])
    mask = line_mask(line, Rect(130, 50, 20, 20), (height, width))
    assert mask.shape == (height, width)
    assert mask.any()
