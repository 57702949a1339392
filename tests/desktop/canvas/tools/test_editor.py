"""The tools and commands as a person uses them, without a window."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from desktop.canvas.model.arrange import AlignSide
from desktop.canvas.model.regions import Region, RegionsChanged, RegionStep, RegionStore
from desktop.canvas.model.shaping import Handle
from desktop.canvas.tools.editor import RegionEditor
from desktop.canvas.tools.tool_machine import Pointer, Tool
from shared.geometry import Rect
from tests.narrowing import current

SIZE = (1000, 800)


class PointerDriver:
    """Moves the pointer over an editor at a scale and keeps what it emits; changes are applied at once."""

    def __init__(self, scale: float = 1.0) -> None:
        self.store = RegionStore()
        self.changes: list[RegionsChanged] = []
        self.editor = RegionEditor(self.store, self.take)
        self.editor.set_picture(SIZE)
        self.editor.set_scale(scale)
        self.scale = scale

    def take(self, change: RegionsChanged) -> None:
        self.changes.append(change)
        self.store.apply(change)

    def at(self, x: float, y: float, **keys: bool) -> Pointer:
        return Pointer(x, y, x * self.scale, y * self.scale, **keys)

    def drag(self, *points: tuple[float, float], **keys: bool) -> None:
        self.editor.press(self.at(*points[0], **keys))
        for point in points[1:]:
            self.editor.move(self.at(*point, **keys), True)
        self.editor.release(self.at(*points[-1], **keys))

    def click(self, x: float, y: float, **keys: bool) -> None:
        self.drag((x, y), **keys)

    def add(self, key: str, x: float, y: float, w: float, h: float, **more: Any) -> None:
        self.store.apply(
            RegionsChanged((), (Region(key, Rect(x, y, w, h), len(self.store) + 1, **more),), RegionStep.DRAW)
        )


@pytest.fixture
def hand() -> PointerDriver:
    return PointerDriver()


def test_a_drag_draws(hand: PointerDriver) -> None:
    hand.editor.set_tool(Tool.DRAW)
    hand.editor.press(hand.at(10, 20))
    hand.editor.move(hand.at(60, 50), True)
    assert hand.editor.draft.drawn == Rect(10, 20, 50, 30)
    assert hand.changes == []
    hand.editor.release(hand.at(70, 50))
    (change,) = hand.changes
    assert (change.before, change.step) == ((), RegionStep.DRAW)
    assert change.after[0].rect == Rect(10, 20, 60, 30)
    assert hand.store.selected == (change.after[0].id,)
    assert hand.editor.draft.drawn is None


def test_two_clicks_draw_and_four_px_decide(hand: PointerDriver) -> None:
    hand.editor.set_tool(Tool.DRAW)
    hand.click(10, 20)
    hand.editor.move(hand.at(40, 40), False)
    assert hand.editor.draft.drawn == Rect(10, 20, 30, 20)
    hand.drag((50, 60), (52, 60))
    assert [change.after[0].rect for change in hand.changes] == [Rect(10, 20, 42, 40)]
    hand.drag((100, 100), (103, 103))
    assert len(hand.changes) == 1
    hand.editor.cancel()
    hand.drag((100, 100), (104, 104))
    assert len(hand.changes) == 2


def test_four_px_are_those_of_the_view() -> None:
    hand = PointerDriver(scale=0.1)
    hand.editor.set_tool(Tool.DRAW)
    hand.drag((100, 100), (130, 130))
    assert hand.changes == []
    hand.editor.cancel()
    hand.drag((100, 100), (145, 145))
    assert len(hand.changes) == 1


def test_shift_draws_a_square_enter_finishes_escape_cancels(hand: PointerDriver) -> None:
    hand.editor.set_tool(Tool.DRAW)
    hand.drag((10, 10), (60, 30), shift=True)
    assert hand.changes[0].after[0].rect == Rect(10, 10, 50, 50)
    hand.click(100, 100)
    hand.editor.move(hand.at(150, 160), False)
    assert hand.editor.finish()
    assert hand.changes[1].after[0].rect == Rect(100, 100, 50, 60)
    hand.click(200, 200)
    assert hand.editor.busy
    assert hand.editor.cancel()
    assert (hand.editor.tool, hand.editor.busy) == (Tool.DRAW, False)
    assert hand.editor.cancel()
    assert hand.editor.tool is Tool.SELECT
    assert len(hand.changes) == 2
    assert not hand.editor.finish()


def test_a_drag_moves_all_selected_but_locked_ones(hand: PointerDriver) -> None:
    hand.add("a", 10, 10, 50, 50)
    hand.add("b", 100, 10, 50, 50)
    hand.add("c", 200, 10, 50, 50, locked=True)
    hand.store.select(["a", "b", "c"])
    hand.editor.press(hand.at(110, 20))
    hand.editor.move(hand.at(130, 60), True)
    assert dict(hand.editor.draft.moved) == {"a": Rect(30, 50, 50, 50), "b": Rect(120, 50, 50, 50)}
    assert hand.store["a"].rect == Rect(10, 10, 50, 50)
    hand.editor.release(hand.at(130, 60))
    (change,) = hand.changes
    assert change.step is RegionStep.MOVE
    assert [changed.id for changed in change.after] == ["a", "b"]
    assert hand.store.selected == ("a", "b", "c")


def test_a_cancelled_drag_changes_nothing(hand: PointerDriver) -> None:
    hand.add("a", 10, 10, 50, 50)
    hand.editor.press(hand.at(20, 20))
    hand.editor.move(hand.at(90, 90), True)
    assert hand.editor.cancel()
    hand.editor.release(hand.at(90, 90))
    assert hand.changes == []
    assert not hand.editor.draft.moved


def test_clicks_select_and_reach_a_region_inside_a_selected_one(hand: PointerDriver) -> None:
    hand.add("large", 0, 0, 400, 400)
    hand.add("small", 100, 100, 50, 50)
    hand.click(300, 300)
    assert current(hand.store.selected) == ("large",)
    hand.click(120, 120)
    assert current(hand.store.selected) == ("small",)
    hand.click(300, 300, ctrl=True)
    assert current(hand.store.selected) == ("small", "large")
    hand.click(120, 120, shift=True)
    assert current(hand.store.selected) == ("large",)
    hand.drag((120, 120), (140, 140))
    assert [changed.id for changed in hand.changes[0].after] == ["large"]
    hand.click(700, 700)
    assert current(hand.store.selected) == ()


def test_a_band_selects_what_it_touches(hand: PointerDriver) -> None:
    hand.add("a", 10, 10, 50, 50)
    hand.add("b", 100, 10, 50, 50)
    hand.add("c", 300, 300, 50, 50)
    hand.drag((5, 200), (55, 100), (105, 40))
    assert set(hand.store.selected) == {"a", "b"}
    hand.drag((290, 290), (310, 310), ctrl=True)
    assert set(hand.store.selected) == {"a", "b", "c"}
    hand.click(500, 500, ctrl=True)
    assert len(hand.store.selected) == 3
    assert hand.changes == []


def test_handles_resize_only_what_is_selected(hand: PointerDriver) -> None:
    hand.add("a", 100, 100, 100, 80)
    hand.click(198, 170)
    assert hand.store.selected == ("a",)
    assert hand.editor.hover(hand.at(200, 180)).handle is Handle.BOTTOM_RIGHT
    hand.drag((203, 178), (253, 208))
    (change,) = hand.changes
    assert change.step is RegionStep.RESIZE
    assert hand.store["a"].rect == Rect(100, 100, 150, 110)
    hand.drag((100, 155), (2000, 155))
    assert hand.store["a"].rect == Rect(250, 100, 750, 110)


def test_locked_regions_have_no_handles_and_stay(hand: PointerDriver) -> None:
    hand.add("a", 100, 100, 100, 100, locked=True)
    hand.store.select(["a"])
    assert hand.editor.hover(hand.at(200, 200)).handle is None
    assert not hand.editor.hover(hand.at(150, 150)).movable
    hand.drag((150, 150), (250, 250))
    hand.editor.nudge(1, 0)
    assert hand.changes == []
    hand.editor.set_locked(False)
    assert not hand.store["a"].locked


def test_what_is_drawn_snaps_too(hand: PointerDriver) -> None:
    hand.add("a", 100, 100, 200, 200)
    hand.editor.set_tool(Tool.DRAW)
    hand.editor.snapping = True
    hand.drag((303, 98), (400, 296))
    assert hand.changes[-1].after[0].rect == Rect(300, 100, 100, 200)


def test_snapping_is_off_until_asked_for(hand: PointerDriver) -> None:
    hand.add("a", 100, 100, 50, 50)
    hand.add("b", 300, 110, 50, 50)
    assert not hand.editor.snapping
    hand.drag((320, 120), (322, 124), (320, 113))
    assert hand.store["b"].rect == Rect(300, 103, 50, 50)
    hand.editor.snapping = True
    hand.drag((320, 120), (320, 140), (321, 121))
    assert hand.store["b"].rect == Rect(301, 100, 50, 50)


def test_nudging_stops_at_the_edge_and_merges(hand: PointerDriver) -> None:
    hand.add("a", 5, 10, 50, 50)
    hand.store.select(["a"])
    hand.editor.nudge(-10, 0)
    hand.editor.nudge(-10, 0)
    assert hand.store["a"].rect == Rect(0, 10, 50, 50)
    (change,) = hand.changes
    hand.editor.nudge(0, 1)
    assert change.merge_key == hand.changes[1].merge_key == "nudge:a"


def test_duplicates_lie_beside_and_are_selected(hand: PointerDriver) -> None:
    hand.add("a", 10, 10, 50, 50)
    hand.store.select(["a"])
    hand.editor.duplicate()
    (new,) = hand.changes[0].after
    assert (new.rect, new.number) == (Rect(26, 26, 50, 50), 2)
    assert hand.store.selected == (new.id,)
    hand.editor.duplicate()
    assert hand.changes[1].after[0].rect == Rect(42, 42, 50, 50)


def test_a_duplicate_of_the_whole_picture_stays_inside(hand: PointerDriver) -> None:
    hand.add("a", 0, 0, *SIZE)
    hand.store.select(["a"])
    hand.editor.duplicate()
    assert hand.changes[0].after[0].rect == Rect(0, 0, *SIZE)


def test_copies_go_to_other_pictures(hand: PointerDriver) -> None:
    hand.add("a", 100, 80, 50, 40)
    hand.store.select(["a"])
    text = hand.editor.copied()
    same, half = PointerDriver(), PointerDriver()
    same.editor.paste(text)
    assert same.changes[0].after[0].rect == Rect(100, 80, 50, 40)
    half.editor.set_picture((500, 400))
    half.editor.paste(text)
    assert half.changes[0].after[0].rect == Rect(50, 40, 25, 20)
    hand.editor.paste(text)
    assert hand.changes[0].after[0].rect == Rect(116, 96, 50, 40)


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"size": [0, 0], "regions": []}', '{"size": [5, 5], "regions": [[1]]}']
)
def test_a_strange_clipboard_is_ignored(hand: PointerDriver, text: str) -> None:
    hand.editor.paste(text)
    assert hand.changes == []
    assert hand.editor.copied() == ""


def test_aligning_moves_to_the_common_edge(hand: PointerDriver) -> None:
    hand.add("a", 10, 10, 50, 50)
    hand.add("b", 100, 30, 20, 20)
    hand.store.select(["a"])
    hand.editor.align(AlignSide.LEFT)
    assert hand.changes == []
    hand.store.select(["a", "b"])
    expected = {
        AlignSide.LEFT: (10, 30),
        AlignSide.RIGHT: (100, 30),
        AlignSide.TOP: (100, 10),
        AlignSide.BOTTOM: (100, 40),
        AlignSide.CENTRE: (55, 30),
        AlignSide.MIDDLE: (100, 25),
    }
    for side, (x, y) in expected.items():
        hand.editor.align(side)
        assert (hand.store["b"].rect.x, hand.store["b"].rect.y) == (x, y), side
        last = hand.changes[-1]
        hand.store.apply(replace(last, before=last.after, after=last.before))


def test_hiding_showing_and_stacking(hand: PointerDriver) -> None:
    hand.add("a", 10, 10, 50, 50)
    hand.add("b", 10, 10, 20, 20)
    hand.store.select(["a"])
    hand.editor.raise_selected(True)
    assert hand.store.hits(15, 15)[0].id == "a"
    hand.editor.raise_selected(False)
    assert hand.store.hits(15, 15)[0].id == "b"
    hand.editor.hide_selected()
    assert [hit.id for hit in hand.store.hits(15, 15)] == ["b"]
    hand.editor.show_all()
    hand.editor.show_all()
    assert [change.step for change in hand.changes] == [
        RegionStep.FRONT,
        RegionStep.BACK,
        RegionStep.HIDE,
        RegionStep.SHOW,
    ]


def test_what_may_not_be_edited_can_still_be_selected_and_measured(hand: PointerDriver) -> None:
    hand.add("a", 100, 100, 100, 80)
    hand.editor.editable = False
    hand.drag((120, 120), (220, 220))
    assert hand.changes == []
    assert hand.store.selected == ("a",)


def test_the_ruler_measures_and_stays_until_escape(hand: PointerDriver) -> None:
    hand.editor.set_tool(Tool.RULER)
    hand.drag((100, 100), (130, 140))
    measure = hand.editor.draft.measure
    assert measure is not None
    assert measure.length == 50
    hand.drag((100, 100), (130, 110), shift=True)
    measure = hand.editor.draft.measure
    assert measure is not None
    assert (measure.x2, measure.y2) == (130, 100)
    assert hand.editor.cancel()
    assert hand.editor.draft.measure is None
    assert hand.editor.tool is Tool.RULER
    assert hand.changes == []
