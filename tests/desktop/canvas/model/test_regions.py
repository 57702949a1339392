"""The store of regions: changes, listeners, selection, where-questions against the plain answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.canvas.model.regions import (
    KINDS,
    RectIndex,
    Region,
    RegionChange,
    RegionState,
    RegionStep,
    RegionStore,
    StoreEvent,
)
from shared.record.geometry import Rect
from tests.narrowing import reread

COORDINATE = st.integers(-20, 120).map(lambda value: value / 2)
RECT = st.builds(Rect, COORDINATE, COORDINATE, st.integers(1, 60).map(float), st.integers(1, 60).map(float))


@settings(max_examples=60, deadline=None)
@given(
    steps=st.lists(st.tuples(st.sampled_from("abcdefgh"), st.none() | RECT), max_size=150),
    x=COORDINATE,
    y=COORDINATE,
    window=RECT,
)
def test_index_agrees_with_a_loop_over_all_rectangles(
    steps: list[tuple[str, Rect | None]], x: float, y: float, window: Rect
) -> None:
    index, model, marks = RectIndex(), dict[str, Rect](), dict[str, int]()
    for number, (key, rect) in enumerate(steps):
        if rect is not None:
            index.update({key: rect})
            model[key] = rect
            marks.setdefault(key, 0)
            if number % 2:
                index.mark({key: number})
                marks[key] = number
        elif key in model:
            index.remove(key)
            del model[key], marks[key]
    assert len(index) == len(model)
    assert set(index.find_containing(x, y)) == {key for key, rect in model.items() if rect.contains(x, y)}
    touching = {key for key, rect in model.items() if not rect.intersection(window).is_empty}
    assert set(index.find_intersecting(window)) == touching
    assert index.count_intersecting(window) == len(touching)
    ids, edges, seen_marks = index.rows_intersecting(window)
    assert dict(zip(ids, seen_marks.tolist(), strict=True)) == {key: marks[key] for key in touching}
    for key, row in zip(ids, edges.tolist(), strict=True):
        assert row == [model[key].x, model[key].y, model[key].right, model[key].bottom]


def test_index_grows_beyond_its_first_size() -> None:
    index = RectIndex()
    rects = {str(number): Rect(number, 0, 1, 1) for number in range(300)}
    index.update({key: rects[key] for key in list(rects)[:65]})
    index.update(rects)
    assert len(index) == 300
    for number in (0, 63, 64, 65, 128, 299):
        assert index.find_containing(number, 0) == [str(number)]


def test_a_rectangle_ends_before_its_right_and_lower_edge() -> None:
    index = RectIndex()
    index.update({"a": Rect(10, 20, 30, 40)})
    assert index.find_containing(10, 20) == index.find_containing(39.999, 59.999) == ["a"]
    for x, y in ((40, 30), (20, 60), (9.995, 30), (20, 19.995)):
        assert index.find_containing(x, y) == []
    assert index.find_containing(44.5, 30, margin=5) == index.find_containing(20, 15, margin=5) == ["a"]
    assert index.find_containing(45, 30, margin=5) == []


def region(key: str, x: float = 0, y: float = 0, side: float = 10, number: int = 1, **more: Any) -> Region:
    return Region(key, Rect(x, y, side, side), number, **more)


def store_with(*regions: Region) -> RegionStore:
    store = RegionStore()
    store.replace(regions)
    return store


def test_reversed_change_restores_the_store() -> None:
    store = store_with(region("a"), region("b", 20))
    before = list(store)
    change = RegionChange(
        (store["a"], store["b"]), (store["a"].with_rect(Rect(5, 5, 3, 3)), region("c", 40)), RegionStep.MOVE
    )
    store.apply(change)
    assert [stored.id for stored in store] == ["a", "c"]
    assert store["a"].rect == Rect(5, 5, 3, 3)
    assert "b" not in store
    store.apply(replace(change, before=change.after, after=change.before))
    assert sorted(store, key=lambda stored: stored.id) == before


def test_listeners_get_only_the_changed_ids() -> None:
    store = store_with(region("a"), region("b"))
    events: list[StoreEvent] = []
    stop = store.subscribe(events.append)
    store.replace([region("a"), region("b", 5), region("c")])
    store.replace(list(store))
    store.select(["c"])
    store.select(["c"])
    store.apply(RegionChange((store["c"],), (), RegionStep.DRAW))
    assert events[:3] == [
        StoreEvent(changed=frozenset("b"), added=frozenset("c")),
        StoreEvent(selection=True),
        StoreEvent(removed=frozenset("c"), selection=True),
    ]
    store.replace([region("a")])
    assert events[3:] == [StoreEvent(removed=frozenset("b"))]
    stop()
    store.replace([])
    assert len(events) == 4


def test_hits_are_ordered_by_z_and_then_by_size() -> None:
    store = store_with(
        region("large", 0, 0, 100), region("small", 10, 10, 20), region("hidden", 10, 10, 5, hidden=True)
    )
    assert [hit.id for hit in store.hits(12, 12)] == ["small", "large"]
    assert [hit.id for hit in store.hits(99.5, 99.5)] == ["large"]
    assert store.hits(100, 50) == []
    assert [hit.id for hit in store.hits(101, 50, margin=2)] == ["large"]
    assert [hit.id for hit in store.find_intersecting(Rect(0, 0, 50, 50))] == ["large", "small"]
    assert store.count_intersecting(Rect(0, 0, 50, 50)) == 3
    store.apply(RegionChange((), (Region("large", Rect(0, 0, 100, 100), 1, z=1),), RegionStep.FRONT))
    assert store.hits(12, 12)[0].id == "large"


def test_rows_are_in_the_order_of_painting_and_follow_changes() -> None:
    store = store_with(
        region("small", 10, 10, 20), region("large", 0, 0, 100), region("hidden", 10, 10, 5, hidden=True)
    )
    everywhere = Rect(0, 0, 200, 200)
    assert store.rows_intersecting(everywhere).ids == ["large", "small"]
    assert store.rows_intersecting(everywhere, {"large"}).ids == ["small"]
    small, large, hidden = store
    changed = replace(small, z=-1), replace(hidden, hidden=False, locked=True, z=-2)
    store.apply(RegionChange((small, hidden), changed, RegionStep.BACK))
    store.replace([*changed, replace(large, state=RegionState.FAILED)])
    rows = store.rows_intersecting(everywhere)
    assert rows.ids == ["hidden", "small", "large"]
    kinds = [(RegionState.NONE, True), (RegionState.NONE, False), (RegionState.FAILED, False)]
    assert [KINDS[kind] for kind in rows.kinds] == kinds
    assert rows.areas.tolist() == [25, 400, 10_000]


def test_selection_keeps_its_order_without_removed_regions() -> None:
    store = store_with(region("a"), region("b"), region("c"))
    store.select(["c", "a", "unknown"])
    store.toggle("b")
    store.toggle("c")
    assert reread(store.selected_ids) == ("a", "b")
    store.replace([region("b")])
    assert store.selected_ids == ("b",)
    assert [selected.id for selected in store.selected_regions] == ["b"]


def test_next_number_is_one_above_the_highest() -> None:
    assert RegionStore().next_number() == 1
    assert store_with(region("a", number=4), region("b", number=2)).next_number() == 5


def test_event_says_whether_only_states_differ() -> None:
    store = store_with(region("a"), region("b"))
    events: list[StoreEvent] = []
    store.subscribe(events.append)
    passed = region("a", state=RegionState.PASSED)
    store.replace([passed, region("b")])
    store.replace([region("a", state=RegionState.FAILED, locked=True), region("b")])
    store.replace([region("b")])
    store.replace([region("b", 5)])
    assert [event.only_states for event in events] == [True, False, False, False]
    assert store.hits(14, 5) == [region("b", 5)]
