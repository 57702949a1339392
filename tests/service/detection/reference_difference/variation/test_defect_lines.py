"""Tests which dark lines a memory explains: similar lines nearby, and lines that come and go."""

from __future__ import annotations

import pytest

from service.detection.reference_difference import PhotoVariation, RegionMemory
from service.detection.reference_difference.variation.defect_lines import defect_lines
from service.detection.reference_difference.variation.memory import Appearance
from shared.record.geometry import Rect
from shared.wire.memory import MemoryKind, MemoryReason
from tests.service.detection.reference_difference.variation.lined_differences import (
    PLACE,
    draw_line,
    draw_stain,
    make_comparison,
    plate,
)

REGION = Rect(0, 0, 240, 140)
CRACK = (20, 20, 60, 40)
DIRT = Appearance.of(PLACE, draw_stain())
BESIDE = draw_line(24, 10, 64, 30)
ACROSS = draw_line(30, 31, 26, 59)


def photo(number: int, appearance: Appearance, kind: MemoryKind = MemoryKind.PASSED) -> PhotoVariation:
    return PhotoVariation(f"{number} {kind}", number, (appearance,), kind)


def reasons(*photos: PhotoVariation, ends: tuple[int, ...] = CRACK) -> list[MemoryReason]:
    x1, y1, x2, y2 = ends
    view = make_comparison(plate(x1 + 100, y1 + 40, x2 + 100, y2 + 40), plate())
    return [reason for _, reason in defect_lines(RegionMemory.of(REGION, photos), draw_line(*ends), view)]


def passed_photos(*appearances: Appearance) -> list[PhotoVariation]:
    return [photo(number, appearance) for number, appearance in enumerate(appearances, 1)]


def test_dirt_does_not_explain_a_line() -> None:
    assert reasons(*passed_photos(DIRT, DIRT, DIRT, DIRT)) == [MemoryReason.NEW_LINE]
    assert reasons(*passed_photos(DIRT, DIRT, DIRT, BESIDE)) == [MemoryReason.NEW_LINE]


def test_two_similar_lines_nearby_explain_a_line() -> None:
    assert reasons(*passed_photos(DIRT, BESIDE, DIRT, BESIDE)) == []


def test_lines_in_one_other_direction_explain_nothing_and_in_several_they_do() -> None:
    assert reasons(*passed_photos(DIRT, ACROSS, ACROSS, ACROSS)) == [MemoryReason.NEW_LINE]
    assert reasons(*passed_photos(DIRT, DIRT, ACROSS, draw_line(20, 46, 64, 46))) == []


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("0011", [MemoryReason.LASTING]),
        ("0111", [MemoryReason.LASTING]),
        # One photo is the line itself, which explains nothing, however long ago.
        ("0100", [MemoryReason.NEW_LINE]),
        ("0001", [MemoryReason.NEW_LINE]),
        # It was always there, or comes and goes.
        ("1111", []),
        ("0101010", []),
    ],
)
def test_line_itself_explains_only_if_it_comes_and_goes_or_was_always_there(
    shown: str, expected: list[MemoryReason]
) -> None:
    appearances = [draw_line(*CRACK) if one == "1" else DIRT for one in shown]
    assert reasons(*passed_photos(*appearances)) == expected


def test_lasting_line_is_reported_also_where_similar_lines_vary() -> None:
    assert reasons(*passed_photos(BESIDE, BESIDE, BESIDE, draw_line(*CRACK), draw_line(*CRACK))) == [
        MemoryReason.LASTING
    ]


def test_rejected_line_is_explained_until_it_has_grown() -> None:
    photos = passed_photos(DIRT, DIRT, draw_line(*CRACK), draw_line(*CRACK))
    rejected = photo(5, draw_line(*CRACK), MemoryKind.REJECTED)
    assert reasons(*photos, rejected) == []
    assert reasons(*photos, rejected, ends=(14, 17, 68, 44)) == [MemoryReason.LASTING]
    # Rejecting another difference there says nothing about the line.
    assert reasons(*photos, photo(5, DIRT, MemoryKind.REJECTED)) == [MemoryReason.LASTING]


def test_failed_line_has_that_reason() -> None:
    failed = photo(5, draw_line(*CRACK), MemoryKind.FAILED)
    assert MemoryReason.FAILED in reasons(*passed_photos(DIRT, DIRT, DIRT), failed)
