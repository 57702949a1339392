"""What keys and menus do with the selected regions, without a window."""

from __future__ import annotations

from typing import Any

import pytest

from desktop.canvas.model.regions import Region, RegionChange, RegionStore
from desktop.canvas.model.shaping import (
    OFFSET,
    AlignSide,
    align,
    duplicate,
    hide_selected,
    nudge,
    paste,
    raise_selected,
    set_locked,
    show_all,
)
from shared.record.geometry import Rect

SIZE = (1000, 800)


def create_store(*regions: Region, selected: str) -> RegionStore:
    store = RegionStore()
    store.replace(regions)
    store.select(list(selected))
    return store


def region(key: str, number: int, z: int = 0, x: float = 0.0, **more: Any) -> Region:
    return Region(key, Rect(x, 0, 50, 40), number, z=z, **more)


def changed_regions(change: RegionChange | None) -> tuple[Region, ...]:
    assert change is not None
    return change.after


def test_raised_region_is_above_or_below_all_others() -> None:
    store = create_store(region("a", 1, z=-3), region("b", 2, z=0), region("c", 3, z=7), selected="ab")
    assert [copy.z for copy in changed_regions(raise_selected(store, to_front=True))] == [8, 8]
    assert [copy.z for copy in changed_regions(raise_selected(store, to_front=False))] == [-4, -4]
    assert raise_selected(RegionStore(), to_front=True) is None


def test_copies_get_new_numbers_and_an_offset() -> None:
    store = create_store(region("a", 4), region("b", 9, x=100), selected="ab")
    copies = changed_regions(duplicate(store, SIZE))
    assert [(copy.number, copy.copy_of) for copy in copies] == [(10, "a"), (11, "b")]
    assert [copy.rect for copy in copies] == [
        Rect(OFFSET, OFFSET, 50, 40),
        Rect(100 + OFFSET, OFFSET, 50, 40),
    ]
    assert len({copy.id for copy in copies} | {"a", "b"}) == 4


def test_change_contains_only_changed_regions() -> None:
    store = create_store(
        region("a", 1, locked=True), region("b", 2), region("c", 3, hidden=True), selected="ab"
    )
    assert [changed.id for changed in changed_regions(set_locked(store, True))] == ["b"]
    assert [changed.id for changed in changed_regions(set_locked(store, False))] == ["a"]
    assert [changed.id for changed in changed_regions(hide_selected(store))] == ["a", "b"]
    assert [(changed.id, changed.hidden) for changed in changed_regions(show_all(store))] == [("c", False)]
    assert set_locked(create_store(region("a", 1), selected="a"), False) is None


def test_paste_into_another_picture_keeps_the_fractions() -> None:
    """Pixels of a picture of the same size, fractions of any other, and nothing beside the picture."""
    copied = [region("a", 1, x=100), region("b", 2, x=1960)]
    (same,) = changed_regions(paste(RegionStore(), SIZE, copied, SIZE))
    assert same.rect == Rect(100, 0, 50, 40)
    (half, edge) = changed_regions(paste(RegionStore(), SIZE, copied, (2000, 400)))
    assert (half.rect, edge.rect) == (Rect(50, 0, 25, 80), Rect(980, 0, 20, 80))
    assert [(copy.number, copy.copy_of) for copy in (half, edge)] == [(1, "a"), (2, "b")]


def test_copy_stops_at_the_corner_of_the_picture() -> None:
    corner = Region("a", Rect(950, 760, 50, 40), 1)
    store = create_store(corner, selected="a")
    assert [copy.rect for copy in changed_regions(duplicate(store, SIZE))] == [corner.rect]


@pytest.mark.parametrize(
    ("side", "places"),
    [
        (AlignSide.LEFT, [(10, 20), (10, 100)]),
        (AlignSide.RIGHT, [(80, 20), (60, 100)]),
        (AlignSide.TOP, [(10, 20), (60, 20)]),
        (AlignSide.BOTTOM, [(10, 90), (60, 100)]),
    ],
)
def test_regions_are_aligned_by_a_common_edge(side: AlignSide, places: list[tuple[float, float]]) -> None:
    first, second = Region("a", Rect(10, 20, 30, 40), 1), Region("b", Rect(60, 100, 50, 30), 2)
    move_rects = {
        aligned.id: aligned.rect
        for aligned in changed_regions(align(create_store(first, second, selected="ab"), side))
    }
    rects = [move_rects.get(aligned.id, aligned.rect) for aligned in (first, second)]
    assert [(rect.x, rect.y) for rect in rects] == places
    assert [(rect.w, rect.h) for rect in rects] == [(30, 40), (50, 30)]
    assert align(create_store(first, second, selected="a"), side) is None


def test_locked_regions_are_neither_moved_nor_aligned() -> None:
    store = create_store(region("a", 1, x=10), region("b", 2, x=500, locked=True), selected="ab")
    change = nudge(store, SIZE, -20, 5)
    assert change is not None
    assert [(changed.id, changed.rect) for changed in change.after] == [("a", Rect(0, 5, 50, 40))]
    # Steps of the same keys on the same regions are one to undo.
    assert change.merge_key == "nudge:a"
    assert align(store, AlignSide.LEFT) is None
