"""What keys and menus do with the selected regions, without a window."""

from __future__ import annotations

from desktop.canvas.arrange import OFFSET, duplicate, hide_selected, raise_selected, set_locked, show_all
from desktop.canvas.regions import Region, RegionsChanged, RegionStore
from shared.geometry import Rect

SIZE = (1000, 800)


def store_of(*regions: Region, selected: str) -> RegionStore:
    store = RegionStore()
    store.replace(regions)
    store.select(list(selected))
    return store


def region(key: str, number: int, z: int = 0, x: float = 0.0, **more: bool) -> Region:
    return Region(key, Rect(x, 0, 50, 40), number, z=z, **more)


def after(change: RegionsChanged | None) -> tuple[Region, ...]:
    assert change is not None
    return change.after


def test_to_front_is_above_all_and_to_back_below_all() -> None:
    store = store_of(region("a", 1, z=-3), region("b", 2, z=0), region("c", 3, z=7), selected="ab")
    assert [one.z for one in after(raise_selected(store, to_front=True))] == [8, 8]
    assert [one.z for one in after(raise_selected(store, to_front=False))] == [-4, -4]
    assert raise_selected(RegionStore(), to_front=True) is None


def test_copies_are_numbered_on_and_lie_beside_their_originals() -> None:
    store = store_of(region("a", 4), region("b", 9, x=100), selected="ab")
    copies = after(duplicate(store, SIZE))
    assert [(one.number, one.copy_of) for one in copies] == [(10, "a"), (11, "b")]
    assert [one.rect for one in copies] == [Rect(OFFSET, OFFSET, 50, 40), Rect(100 + OFFSET, OFFSET, 50, 40)]
    assert len({one.id for one in copies} | {"a", "b"}) == 4


def test_only_what_changes_is_in_a_change() -> None:
    store = store_of(region("a", 1, locked=True), region("b", 2), region("c", 3, hidden=True), selected="ab")
    assert [one.id for one in after(set_locked(store, True))] == ["b"]
    assert [one.id for one in after(set_locked(store, False))] == ["a"]
    assert [one.id for one in after(hide_selected(store))] == ["a", "b"]
    assert [(one.id, one.hidden) for one in after(show_all(store))] == [("c", False)]
    assert set_locked(store_of(region("a", 1), selected="a"), False) is None
