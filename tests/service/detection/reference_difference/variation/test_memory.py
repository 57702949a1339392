"""Tests the memory of a region: bounded, equal for equal photos, and comparing with its reference image."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.detection.messages import NEWEST, OLDEST, VERSION
from service.detection.reference_difference import PhotoVariation, RegionMemory
from service.detection.reference_difference.variation import serial
from service.detection.reference_difference.variation.memory import MAX_SIDE, Appearance
from shared.record.geometry import Rect
from shared.wire.memory import MemoryKind

REGION = Rect(10, 20, 400, 300)


def appearance(x: float = 50, y: float = 60, w: float = 30, h: float = 20, level: float = 80) -> Appearance:
    return Appearance.of(Rect(x, y, w, h), np.full((round(h), round(w), 3), level, np.float32))


def photo(number: int, *appearances: Appearance, kind: MemoryKind = MemoryKind.PASSED) -> PhotoVariation:
    return PhotoVariation(f"photo {number}", number, appearances, kind)


def test_the_order_of_arrival_does_not_matter() -> None:
    photos = [photo(number, appearance(level=10 * number)) for number in range(8)]
    forwards, backwards = RegionMemory.of(REGION, photos), RegionMemory.of(REGION, reversed(photos))
    assert serial.to_bytes(forwards) == serial.to_bytes(backwards)


def test_of_many_photos_the_oldest_and_the_newest_stay() -> None:
    memory = RegionMemory.of(REGION, [photo(number) for number in range(100)])
    assert [one.order for one in memory.photos] == [*range(OLDEST), *range(100 - NEWEST, 100)]


def test_a_photo_counts_once() -> None:
    assert RegionMemory.of(REGION, [photo(1, appearance()), photo(1, appearance())]).count == 1


@pytest.mark.parametrize("kind", [MemoryKind.REJECTED, MemoryKind.FAILED])
def test_judged_findings_do_not_count_as_a_passed_photo(kind: MemoryKind) -> None:
    memory = RegionMemory.of(REGION, [photo(1), photo(1, appearance(), kind=kind)])
    assert (memory.count, len(memory.photos)) == (1, 2)
    assert [one.kind for one in memory.passed] == [MemoryKind.PASSED]


def test_large_appearance_is_reduced() -> None:
    one = appearance(w=900, h=300)
    assert max(one.values.shape) == MAX_SIDE
    assert one.box == Rect(50, 60, 900, 300)


def test_a_memory_disagrees_with_its_reference_where_newer_photos_all_differ() -> None:
    lasting, once = appearance(100, 100, 60, 40), appearance(300, 200, 40, 40)
    photos = [photo(0), photo(1, once), *(photo(number, lasting) for number in range(2, 6))]
    (place,) = RegionMemory.of(REGION, photos).disagreements()
    assert place.iou(lasting.box) > 0.8
    assert RegionMemory.of(REGION, photos[:3]).disagreements() == ()
    assert RegionMemory.of(REGION, [*photos, photo(6), photo(7)]).disagreements() == ()


@given(
    st.lists(
        st.tuples(st.integers(0, 50), st.integers(1, 40), st.integers(1, 40), st.sampled_from(MemoryKind)),
        max_size=6,
    )
)
def test_a_memory_is_read_as_it_was_written(parts: list[tuple[int, int, int, MemoryKind]]) -> None:
    photos = [
        PhotoVariation(str(at), at / 3, (appearance(at, at, width, height, at),), kind, (Rect(at, at, 3, 4),))
        for at, width, height, kind in parts
    ]
    data = serial.to_bytes(RegionMemory.of(REGION, photos))
    read = serial.from_bytes(data)
    assert serial.to_bytes(read) == data
    assert read.region == REGION
    for one, other in zip(read.photos, RegionMemory.of(REGION, photos).photos, strict=True):
        assert (one.key, one.order, one.kind, one.faint) == (
            other.key,
            other.order,
            other.kind,
            other.faint,
        )
        assert all(
            np.array_equal(a.values, b.values)
            for a, b in zip(one.appearances, other.appearances, strict=True)
        )


def test_looks_are_read_as_they_were_written() -> None:
    look = np.arange(-60, 60, dtype=np.int8).reshape(4, 5, 6)
    unaligned = PhotoVariation("4", 4, (), section=look + 1, is_aligned=False)
    described = replace(photo(2, appearance(3, 4)), look=look)
    photos = [photo(1, appearance()), described, photo(3, appearance()), unaligned]

    read = serial.from_bytes(serial.to_bytes(RegionMemory.of(REGION, photos)))

    assert [variation.look is None for variation in read.photos] == [True, False, True, True]
    assert [variation.is_aligned for variation in read.photos] == [True, True, True, False]
    assert len(read.aligned().photos) == 3
    (section,) = read.sections().values()
    assert np.array_equal(section, look + 1)
    assert np.array_equal(read.photos[1].look, look)  # type: ignore[arg-type]
    assert np.array_equal(read.photos[2].appearances[0].values, appearance().values)


@pytest.mark.parametrize(
    "damage", ["short", "magic", "version", "values", "nothing", "size", "kind", "look", "section"]
)
def test_bytes_other_than_a_memory_are_refused(damage: str) -> None:
    look = np.ones((2, 3, 4), np.int8)
    data = serial.to_bytes(
        RegionMemory.of(REGION, [replace(photo(1, appearance()), look=look, section=look)])
    )
    broken = {
        "short": data[:30],
        "magic": b"PNG1" + data[4:],
        "version": data.replace(f'"version":{VERSION}'.encode(), b'"version":1'),
        "values": data[:-8],
        "nothing": b"",
        "kind": data.replace(b'"kind":"passed"', b'"kind":"parsed"'),
        "size": data.replace(b'"size":[30,20]', b'"size":[99,99]'),
        "look": data.replace(b'"look":[2,3,4]', b'"look":[2,3,0]'),
        "section": data.replace(b'"section":[2,3,4]', b'"section":[2,3,9]'),
    }[damage]
    with pytest.raises(serial.MemoryUnreadable):
        serial.from_bytes(broken)
