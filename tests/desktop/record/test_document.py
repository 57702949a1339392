from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from desktop.journal import Edit, EditKind
from desktop.journal.edits import inverse
from desktop.record.document import Document, ItemView, fraction_point
from desktop.record.item_rows import ItemRows
from shared.record.codes import Verdict
from shared.record.entries import Entry
from shared.record.geometry import Rect
from shared.wire.inspection import Record
from tests.narrowing import not_none


def _record() -> Record:
    at = "2026-01-01T10:00:00"
    return Record.model_validate(
        dict.fromkeys(Record.model_fields)
        | {
            "inspection_id": "r1",
            "task_id": "t",
            "progress": 0,
            "inspection_status": "in_progress",
            "status_name": "进行中",
            "created_at": at,
            "updated_at": at,
        }
    )


def document(*names: str) -> Document:
    doc = Document(_record())
    doc.load_items([ItemView(name, name) for name in names], ())
    return doc


def test_edit_is_visible_immediately_and_pending() -> None:
    doc = document("a", "b")
    edit = not_none(doc.change("a", "rename", {"item_name": "crack", "description": None}))
    assert (edit.before, edit.after) == ({"item_name": "a"}, {"item_name": "crack"})
    doc.apply([edit])
    assert [item.item_name for item in doc.items] == ["crack", "b"]
    assert [item.saved for item in doc.items] == [False, True]


def test_change_without_effect_gives_no_edit() -> None:
    doc = document("a")
    assert doc.change("a", "rename", {"item_name": "a"}) is None
    assert doc.change("gone", "rename", {"item_name": "b"}) is None
    assert doc.decide("a", "verdict", Verdict.UNDECIDED, "") is None
    assert doc.remove("gone", "remove") is None


def test_state_of_the_service_does_not_hide_a_pending_edit() -> None:
    doc = document("a")
    edit = not_none(doc.change("a", "rename", {"item_name": "mine"}))
    doc.apply([edit])
    doc.update_item(ItemView("a", "theirs", description="theirs"), [edit])
    (item,) = doc.items
    assert (item.item_name, item.description, item.saved) == ("mine", "theirs", False)
    doc.update_item(ItemView("a", "mine", description="theirs"), [])
    assert doc.items[0].saved


def test_a_state_read_before_the_response_to_an_edit_does_not_hide_the_response() -> None:
    doc = document("a")
    first, second = datetime(2026, 3, 1, 9, tzinfo=UTC), datetime(2026, 3, 1, 9, 1, tzinfo=UTC)
    doc.update_item(ItemView("a", "confirmed", updated_at=second), [])
    doc.update_item(ItemView("a", "read before", updated_at=first), [])
    assert doc.items[0].item_name == "confirmed"
    doc.update_item(ItemView("a", "same time", updated_at=second), [])
    assert doc.items[0].item_name == "same time"


def test_undone_delete_restores_fields_and_result() -> None:
    doc = Document(_record())
    entry: Entry = {"isPassed": False, "version": 1}
    doc.load_items([ItemView("a", "crack", "words", "m", None, {"point": {"x": 0}}, (entry,))], ())
    edit = not_none(doc.remove("a", "remove", ["file1"]))
    doc.apply([edit])
    assert doc.items == []
    back = inverse(edit, 0.0)
    assert back.kind is EditKind.RESTORE
    assert back.after["photos"] == ["file1"]
    after_a_restart = Document(_record())
    for target in (doc, after_a_restart):
        target.apply([back])
        (item,) = target.items
        assert (item.item_name, item.description, item.model_id) == ("crack", "words", "m")
        assert item.result == (entry,)
        assert not item.saved
    doc.apply([inverse(back, 0.0)])
    assert doc.items == []


def test_undone_delete_keeps_the_pending_verdict() -> None:
    doc = document("a")
    doc.apply([not_none(doc.decide("a", "verdict", Verdict.FAILED, "cracked"))])
    deletion = not_none(doc.remove("a", "remove"))
    doc.apply([deletion])
    doc.apply([inverse(deletion, 0.0)])
    assert not_none(doc.item("a")).verdict is Verdict.FAILED


@given(st.lists(st.sets(st.integers(0, 7), min_size=1), min_size=1, max_size=4), st.booleans(), st.booleans())
@settings(deadline=None, max_examples=60)
def test_undone_delete_restores_the_position(steps: list[set[int]], restarted: bool, sent: bool) -> None:
    doc = document(*(str(number) for number in range(8)))
    orders: list[list[str]] = []
    done: list[list[Edit]] = []
    waiting: list[Edit] = []
    for chosen in steps:
        order = [item.item_id for item in doc.items]
        picked = sorted({order[number % len(order)] for number in chosen} if order else (), key=doc.index_of)
        done.append([not_none(doc.remove(item_id, "delete")) for item_id in reversed(picked)])
        orders.append(order)
        doc.apply(done[-1])
        waiting += done[-1]
    if sent:
        for edit in waiting:
            doc.drop_item(edit.object_id, ())
        waiting.clear()
    if restarted:
        served = doc.items if sent else [ItemView(str(number), str(number)) for number in range(8)]
        doc = Document(doc.record)
        doc.load_items(served, waiting)
    while done:
        edits = [inverse(edit, 0.0) for edit in reversed(done.pop())]
        doc.apply(edits)
        waiting += edits
        wanted = orders.pop()
        assert [item.item_id for item in doc.items] == wanted
        # The service names them one by one, in whatever order: the places stay.
        for item in reversed(doc.items):
            doc.update_item(item, waiting)
        assert [item.item_id for item in doc.items] == wanted


def test_new_item_keeps_its_position_when_it_gets_its_id() -> None:
    doc = document("a")
    creation = doc.make("draw", {"item_name": "new"}, "local")
    doc.apply([creation])
    doc.load_items([ItemView("a", "a"), ItemView("local", "new")], [])
    assert [item.item_id for item in doc.items] == ["a", "local"]


def test_unsent_verdict_counts() -> None:
    doc = document("a")
    doc.apply([not_none(doc.decide("a", "verdict", Verdict.FAILED, "cracked"))])
    (item,) = doc.items
    assert (item.verdict, item.reason, item.passed) == (Verdict.FAILED, "cracked", False)
    assert ItemRows().rows_of(doc.items, {})[0].status == "failed"


boxes = st.tuples(*(st.floats(0, 1000, width=32) for _ in range(4)))


@given(boxes, st.integers(400, 20_000), st.integers(400, 20_000))
@settings(deadline=None, max_examples=60)
def test_region_is_restored_from_fractions(box: Any, width: int, height: int) -> None:
    rect = Rect(*box).clamp(width, height)
    assume(not rect.is_empty)
    item = ItemView("a", "a", item_point={"point": fraction_point(rect, width, height)})
    back = item.region(width, height)
    for name in ("x", "y", "w", "h"):
        assert getattr(back, name) == pytest.approx(getattr(rect, name), abs=1e-6 * max(width, height))


def test_only_changed_items_get_a_new_row() -> None:
    doc, rows = document("a", "b", "c"), ItemRows()
    before = rows.rows_of(doc.items, {})
    doc.apply([not_none(doc.change("b", "rename", {"item_name": "crack"}))])
    after = rows.rows_of(doc.items, {})
    assert [new is old for new, old in zip(after, before, strict=True)] == [True, False, True]
    assert after[1].name == "crack"
    doc.apply([not_none(doc.remove("a", "remove"))])
    moved = rows.rows_of(doc.items, {})
    assert [(row.item_id, row.number, row.name) for row in moved] == [("b", 1, "crack"), ("c", 2, "c")]
    assert [rows.number(item_id) for item_id in "abc"] == [0, 1, 2]
    doc.apply([doc.make("draw", {"item_name": "new"}, "d")])
    grown = rows.rows_of(doc.items, {})
    assert [new is old for new, old in zip(grown, moved, strict=False)] == [True, True]
    assert (grown[2].item_id, rows.number("d")) == ("d", 3)
    assert rows.rows_of(doc.items, {"m": "model"}) == rows.rows_of(doc.items, {"m": "model"})


def test_items_are_moved_together_and_undone() -> None:
    doc = document("a", "b", "c", "d")
    edit = not_none(doc.move(["a", "c"], "d", "move"))
    doc.apply([edit])
    assert [item.item_id for item in doc.items] == ["b", "a", "c", "d"]
    doc.apply([inverse(edit, 0)])
    assert [item.item_id for item in doc.items] == ["a", "b", "c", "d"]
    doc.apply([not_none(doc.move(["a"], "", "move"))])
    assert [item.item_id for item in doc.items] == ["b", "c", "d", "a"]


def test_items_dropped_where_they_are_do_not_move() -> None:
    doc = document("a", "b", "c")
    assert doc.move(["a", "b"], "b", "move") is None
    assert doc.move(["c"], "", "move") is None
    assert doc.move(["b"], "c", "move") is None


def test_order_of_the_service_holds_under_a_pending_move() -> None:
    doc = document("a", "b", "c")
    doc.load_items([ItemView(name, name) for name in "cab"], ())
    assert [item.item_id for item in doc.items] == ["c", "a", "b"]
    edit = not_none(doc.move(["b"], "c", "move"))
    doc.load_items([ItemView(name, name) for name in "cabd"], [edit])
    assert [item.item_id for item in doc.items] == ["b", "c", "a", "d"]
