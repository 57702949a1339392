"""Drawing, moving and resizing keep rectangles whole and inside the picture, whatever the pointer does."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.canvas.model.shaping import Handle, handle_at, move_rects, rect_between, resize_rect, snap_offset
from shared.record.geometry import Rect

SIZE = st.tuples(st.integers(1, 500), st.integers(1, 500))
POINT = st.tuples(st.floats(-900, 900), st.floats(-900, 900))


def inside(rect: Rect, size: tuple[int, int]) -> bool:
    return (
        rect.x >= 0 and rect.y >= 0 and rect.right <= size[0] and rect.bottom <= size[1] and not rect.is_empty
    )


@st.composite
def rect_in(draw: st.DrawFn, size: tuple[int, int]) -> Rect:
    x, y = draw(st.integers(0, size[0] - 1)), draw(st.integers(0, size[1] - 1))
    return Rect(x, y, draw(st.integers(1, size[0] - x)), draw(st.integers(1, size[1] - y)))


@settings(max_examples=150, deadline=None)
@given(size=SIZE, start=POINT, end=POINT, square=st.booleans())
def test_drawn_rectangles_are_inside_on_whole_pixels(
    size: tuple[int, int], start: tuple[float, float], end: tuple[float, float], square: bool
) -> None:
    rect = rect_between(*start, *end, size, square)
    if rect is None:
        return
    assert inside(rect, size)
    assert all(value == int(value) for value in (rect.x, rect.y, rect.w, rect.h))
    if square:
        assert rect.w == rect.h


def test_a_full_drag_covers_the_picture_exactly() -> None:
    assert rect_between(-50, -50, 900, 900, (640, 480)) == Rect(0, 0, 640, 480)
    assert rect_between(10, 20, 4, 50, (640, 480)) == Rect(4, 20, 6, 30)
    assert rect_between(10, 20, 40, 25, (640, 480), square=True) == Rect(10, 20, 30, 30)
    assert rect_between(630, 10, 660, 20, (640, 480), square=True) == Rect(630, 10, 10, 10)
    assert rect_between(10, 10, 10.2, 30, (640, 480)) is None
    # To the left and upwards the room is that before the first corner.
    assert rect_between(600, 30, 500, 5, (640, 480), square=True) == Rect(570, 0, 30, 30)
    assert rect_between(20, 400, 0, 300, (640, 480), square=True) == Rect(0, 380, 20, 20)


@settings(max_examples=150, deadline=None)
@given(data=st.data(), size=SIZE, handle=st.sampled_from(list(Handle)), to=POINT)
def test_resized_rectangles_are_inside_and_keep_their_other_edges(
    data: st.DataObject, size: tuple[int, int], handle: Handle, to: tuple[float, float]
) -> None:
    rect = data.draw(rect_in(size))
    result = resize_rect(rect, handle, *to, size)
    assert inside(result, size)
    across, down = handle.value
    fixed_x = {-1: {rect.right}, 1: {rect.x}, 0: {rect.x, rect.right}}[across]
    fixed_y = {-1: {rect.bottom}, 1: {rect.y}, 0: {rect.y, rect.bottom}}[down]
    assert fixed_x <= {result.x, result.right}
    assert fixed_y <= {result.y, result.bottom}


@settings(max_examples=150, deadline=None)
@given(data=st.data(), size=SIZE, way=POINT)
def test_moved_rectangles_stay_together_and_inside(
    data: st.DataObject, size: tuple[int, int], way: tuple[float, float]
) -> None:
    rects = data.draw(st.lists(rect_in(size), min_size=1, max_size=4))
    result = move_rects(rects, *way, size)
    assert all(inside(rect, size) for rect in result)
    assert [(rect.w, rect.h) for rect in result] == [(rect.w, rect.h) for rect in rects]
    ways = {(after.x - before.x, after.y - before.y) for before, after in zip(rects, result, strict=True)}
    assert len(ways) == 1


def test_corner_handles_come_first_and_small_rectangles_have_no_others() -> None:
    rect = Rect(100, 100, 200, 100)
    assert handle_at(rect, 101, 99, 5) is Handle.TOP_LEFT
    assert handle_at(rect, 200, 203, 5) is Handle.BOTTOM
    assert handle_at(rect, 150, 150, 5) is None
    assert handle_at(rect, 105, 105, 5) is Handle.TOP_LEFT
    assert handle_at(rect, 105.1, 105, 5) is handle_at(rect, 105, 105.1, 5) is None
    assert handle_at(Rect(100, 100, 14, 14), 107, 100, 5) is None
    assert {handle.point_on(rect) for handle in Handle} == {
        (x, y) for x in (100, 200, 300) for y in (100, 150, 200) if (x, y) != (200, 150)
    }


def test_snap_offset_leads_to_the_nearest_line_within_reach() -> None:
    assert snap_offset([10, 50], [13, 49], 5) == -1
    assert snap_offset([10], [15], 5) == 5
    assert snap_offset([10], [15.1], 5) == 0
    assert snap_offset([10], [20], 5) == 0
    assert snap_offset([], [], 5) == 0
