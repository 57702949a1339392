"""Tests tools and commands with pointer events, without a window."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from desktop.canvas.model.regions import Region, RegionChange, RegionStep, RegionStore
from desktop.canvas.model.shaping import AlignSide, Handle
from desktop.canvas.tools.editor import RegionEditor
from desktop.canvas.tools.tool_machine import Pointer, Tool
from shared.record.geometry import Rect
from tests.narrowing import reread

SIZE = (1000, 800)


class PointerDriver:
    """Sends pointer events to an editor at a scale, records the emitted changes and applies them."""

    def __init__(self, scale: float = 1.0) -> None:
        self.store = RegionStore()
        self.changes: list[RegionChange] = []
        self.editor = RegionEditor(self.store, self.apply_change)
        self.editor.set_picture(SIZE)
        self.editor.set_scale(scale)
        self.scale = scale

    def apply_change(self, change: RegionChange) -> None:
        self.changes.append(change)
        self.store.apply(change)

    def pointer_at(self, x: float, y: float, **keys: bool) -> Pointer:
        return Pointer(x, y, x * self.scale, y * self.scale, **keys)

    def drag(self, *points: tuple[float, float], **keys: bool) -> None:
        self.editor.press(self.pointer_at(*points[0], **keys))
        for point in points[1:]:
            self.editor.move(self.pointer_at(*point, **keys), True)
        self.editor.release(self.pointer_at(*points[-1], **keys))

    def click(self, x: float, y: float, **keys: bool) -> None:
        self.drag((x, y), **keys)

    def add(self, key: str, x: float, y: float, w: float, h: float, **more: Any) -> None:
        self.store.apply(
            RegionChange((), (Region(key, Rect(x, y, w, h), len(self.store) + 1, **more),), RegionStep.DRAW)
        )


@pytest.fixture
def driver() -> PointerDriver:
    return PointerDriver()


def test_drag_draws_a_region(driver: PointerDriver) -> None:
    driver.editor.set_tool(Tool.DRAW)
    driver.editor.press(driver.pointer_at(10, 20))
    driver.editor.move(driver.pointer_at(60, 50), True)
    assert driver.editor.draft.new_rect == Rect(10, 20, 50, 30)
    assert driver.changes == []
    driver.editor.release(driver.pointer_at(70, 50))
    (change,) = driver.changes
    assert (change.before, change.step) == ((), RegionStep.DRAW)
    assert change.after[0].rect == Rect(10, 20, 60, 30)
    assert driver.store.selected_ids == (change.after[0].id,)
    assert driver.editor.draft.new_rect is None


def test_two_clicks_draw_and_four_px_decide(driver: PointerDriver) -> None:
    driver.editor.set_tool(Tool.DRAW)
    driver.click(10, 20)
    driver.editor.move(driver.pointer_at(40, 40), False)
    assert driver.editor.draft.new_rect == Rect(10, 20, 30, 20)
    driver.drag((50, 60), (52, 60))
    assert [change.after[0].rect for change in driver.changes] == [Rect(10, 20, 42, 40)]
    driver.drag((100, 100), (103, 103))
    assert len(driver.changes) == 1
    driver.editor.cancel()
    driver.drag((100, 100), (104, 104))
    assert len(driver.changes) == 2


def test_drag_distance_is_in_view_px() -> None:
    driver = PointerDriver(scale=0.1)
    driver.editor.set_tool(Tool.DRAW)
    driver.drag((100, 100), (130, 130))
    assert driver.changes == []
    driver.editor.cancel()
    driver.drag((100, 100), (145, 145))
    assert len(driver.changes) == 1


def test_shift_draws_a_square_enter_finishes_escape_cancels(driver: PointerDriver) -> None:
    driver.editor.set_tool(Tool.DRAW)
    driver.drag((10, 10), (60, 30), shift=True)
    assert driver.changes[0].after[0].rect == Rect(10, 10, 50, 50)
    driver.click(100, 100)
    driver.editor.move(driver.pointer_at(150, 160), False)
    assert driver.editor.finish()
    assert driver.changes[1].after[0].rect == Rect(100, 100, 50, 60)
    driver.click(200, 200)
    assert driver.editor.busy
    assert driver.editor.cancel()
    assert (driver.editor.tool, driver.editor.busy) == (Tool.DRAW, False)
    assert driver.editor.cancel()
    assert driver.editor.tool is Tool.SELECT
    assert len(driver.changes) == 2
    assert not driver.editor.finish()


def test_a_drag_moves_all_selected_but_locked_ones(driver: PointerDriver) -> None:
    driver.add("a", 10, 10, 50, 50)
    driver.add("b", 100, 10, 50, 50)
    driver.add("c", 200, 10, 50, 50, locked=True)
    driver.store.select(["a", "b", "c"])
    driver.editor.press(driver.pointer_at(110, 20))
    driver.editor.move(driver.pointer_at(130, 60), True)
    assert dict(driver.editor.draft.moved_rects) == {"a": Rect(30, 50, 50, 50), "b": Rect(120, 50, 50, 50)}
    assert driver.store["a"].rect == Rect(10, 10, 50, 50)
    driver.editor.release(driver.pointer_at(130, 60))
    (change,) = driver.changes
    assert change.step is RegionStep.MOVE
    assert [changed.id for changed in change.after] == ["a", "b"]
    assert driver.store.selected_ids == ("a", "b", "c")


def test_a_cancelled_drag_changes_nothing(driver: PointerDriver) -> None:
    driver.add("a", 10, 10, 50, 50)
    driver.editor.press(driver.pointer_at(20, 20))
    driver.editor.move(driver.pointer_at(90, 90), True)
    assert driver.editor.cancel()
    driver.editor.release(driver.pointer_at(90, 90))
    assert driver.changes == []
    assert not driver.editor.draft.moved_rects


def test_click_selects_a_region_inside_a_selected_one(driver: PointerDriver) -> None:
    driver.add("large", 0, 0, 400, 400)
    driver.add("small", 100, 100, 50, 50)
    driver.click(300, 300)
    assert reread(driver.store.selected_ids) == ("large",)
    driver.click(120, 120)
    assert reread(driver.store.selected_ids) == ("small",)
    driver.click(300, 300, ctrl=True)
    assert reread(driver.store.selected_ids) == ("small", "large")
    driver.click(120, 120, shift=True)
    assert reread(driver.store.selected_ids) == ("large",)
    driver.drag((120, 120), (140, 140))
    assert [changed.id for changed in driver.changes[0].after] == ["large"]
    driver.click(700, 700)
    assert reread(driver.store.selected_ids) == ()


def test_band_selects_intersecting_regions(driver: PointerDriver) -> None:
    driver.add("a", 10, 10, 50, 50)
    driver.add("b", 100, 10, 50, 50)
    driver.add("c", 300, 300, 50, 50)
    driver.drag((5, 200), (55, 100), (105, 40))
    assert set(driver.store.selected_ids) == {"a", "b"}
    driver.drag((290, 290), (310, 310), ctrl=True)
    assert set(driver.store.selected_ids) == {"a", "b", "c"}
    driver.click(500, 500, ctrl=True)
    assert len(driver.store.selected_ids) == 3
    assert driver.changes == []


def test_handles_resize_only_selected_regions(driver: PointerDriver) -> None:
    driver.add("a", 100, 100, 100, 80)
    driver.click(198, 170)
    assert driver.store.selected_ids == ("a",)
    assert driver.editor.hover(driver.pointer_at(200, 180)).handle is Handle.BOTTOM_RIGHT
    driver.drag((203, 178), (253, 208))
    (change,) = driver.changes
    assert change.step is RegionStep.RESIZE
    assert driver.store["a"].rect == Rect(100, 100, 150, 110)
    driver.drag((100, 155), (2000, 155))
    assert driver.store["a"].rect == Rect(250, 100, 750, 110)


def test_locked_regions_have_no_handles_and_stay(driver: PointerDriver) -> None:
    driver.add("a", 100, 100, 100, 100, locked=True)
    driver.store.select(["a"])
    assert driver.editor.hover(driver.pointer_at(200, 200)).handle is None
    assert not driver.editor.hover(driver.pointer_at(150, 150)).movable
    driver.drag((150, 150), (250, 250))
    driver.editor.nudge(1, 0)
    assert driver.changes == []
    driver.editor.set_locked(False)
    assert not driver.store["a"].locked


def test_drawn_rectangle_snaps(driver: PointerDriver) -> None:
    driver.add("a", 100, 100, 200, 200)
    driver.editor.set_tool(Tool.DRAW)
    driver.editor.is_snapping = True
    driver.drag((303, 98), (400, 296))
    assert driver.changes[-1].after[0].rect == Rect(300, 100, 100, 200)


def test_snapping_is_off_by_default(driver: PointerDriver) -> None:
    driver.add("a", 100, 100, 50, 50)
    driver.add("b", 300, 110, 50, 50)
    assert not driver.editor.is_snapping
    driver.drag((320, 120), (322, 124), (320, 113))
    assert driver.store["b"].rect == Rect(300, 103, 50, 50)
    driver.editor.is_snapping = True
    driver.drag((320, 120), (320, 140), (321, 121))
    assert driver.store["b"].rect == Rect(301, 100, 50, 50)


def test_nudging_stops_at_the_edge_and_merges(driver: PointerDriver) -> None:
    driver.add("a", 5, 10, 50, 50)
    driver.store.select(["a"])
    driver.editor.nudge(-10, 0)
    driver.editor.nudge(-10, 0)
    assert driver.store["a"].rect == Rect(0, 10, 50, 50)
    (change,) = driver.changes
    driver.editor.nudge(0, 1)
    assert change.merge_key == driver.changes[1].merge_key == "nudge:a"


def test_duplicates_are_placed_beside_and_selected(driver: PointerDriver) -> None:
    driver.add("a", 10, 10, 50, 50)
    driver.store.select(["a"])
    driver.editor.duplicate()
    (new,) = driver.changes[0].after
    assert (new.rect, new.number) == (Rect(26, 26, 50, 50), 2)
    assert driver.store.selected_ids == (new.id,)
    driver.editor.duplicate()
    assert driver.changes[1].after[0].rect == Rect(42, 42, 50, 50)


def test_a_duplicate_of_the_whole_picture_stays_inside(driver: PointerDriver) -> None:
    driver.add("a", 0, 0, *SIZE)
    driver.store.select(["a"])
    driver.editor.duplicate()
    assert driver.changes[0].after[0].rect == Rect(0, 0, *SIZE)


def test_copies_can_be_pasted_into_other_pictures(driver: PointerDriver) -> None:
    driver.add("a", 100, 80, 50, 40)
    driver.store.select(["a"])
    text = driver.editor.selection_text()
    same, half = PointerDriver(), PointerDriver()
    same.editor.paste(text)
    assert same.changes[0].after[0].rect == Rect(100, 80, 50, 40)
    half.editor.set_picture((500, 400))
    half.editor.paste(text)
    assert half.changes[0].after[0].rect == Rect(50, 40, 25, 20)
    driver.editor.paste(text)
    assert driver.changes[0].after[0].rect == Rect(116, 96, 50, 40)


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"size": [0, 0], "regions": []}', '{"size": [5, 5], "regions": [[1]]}']
)
def test_paste_ignores_other_clipboard_texts(driver: PointerDriver, text: str) -> None:
    driver.editor.paste(text)
    assert driver.changes == []
    assert driver.editor.selection_text() == ""


def test_aligning_moves_to_the_common_edge(driver: PointerDriver) -> None:
    driver.add("a", 10, 10, 50, 50)
    driver.add("b", 100, 30, 20, 20)
    driver.store.select(["a"])
    driver.editor.align(AlignSide.LEFT)
    assert driver.changes == []
    driver.store.select(["a", "b"])
    expected = {
        AlignSide.LEFT: (10, 30),
        AlignSide.RIGHT: (100, 30),
        AlignSide.TOP: (100, 10),
        AlignSide.BOTTOM: (100, 40),
    }
    for side, (x, y) in expected.items():
        driver.editor.align(side)
        assert (driver.store["b"].rect.x, driver.store["b"].rect.y) == (x, y), side
        last = driver.changes[-1]
        driver.store.apply(replace(last, before=last.after, after=last.before))


def test_regions_can_be_hidden_shown_and_raised(driver: PointerDriver) -> None:
    driver.add("a", 10, 10, 50, 50)
    driver.add("b", 10, 10, 20, 20)
    driver.store.select(["a"])
    driver.editor.raise_selected(True)
    assert driver.store.hits(15, 15)[0].id == "a"
    driver.editor.raise_selected(False)
    assert driver.store.hits(15, 15)[0].id == "b"
    driver.editor.hide_selected()
    assert [hit.id for hit in driver.store.hits(15, 15)] == ["b"]
    driver.editor.show_all()
    driver.editor.show_all()
    assert [change.step for change in driver.changes] == [
        RegionStep.FRONT,
        RegionStep.BACK,
        RegionStep.HIDE,
        RegionStep.SHOW,
    ]


def test_read_only_editor_still_selects_and_measures(driver: PointerDriver) -> None:
    driver.add("a", 100, 100, 100, 80)
    driver.editor.editable = False
    driver.drag((120, 120), (220, 220))
    assert driver.changes == []
    assert driver.store.selected_ids == ("a",)


def test_ruler_stays_until_escape(driver: PointerDriver) -> None:
    driver.editor.set_tool(Tool.RULER)
    driver.drag((100, 100), (130, 140))
    measure = driver.editor.draft.measure
    assert measure is not None
    assert measure.length == 50
    driver.drag((100, 100), (130, 110), shift=True)
    measure = driver.editor.draft.measure
    assert measure is not None
    assert (measure.x2, measure.y2) == (130, 100)
    assert driver.editor.cancel()
    assert driver.editor.draft.measure is None
    assert driver.editor.tool is Tool.RULER
    assert driver.changes == []
