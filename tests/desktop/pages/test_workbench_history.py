from __future__ import annotations

from typing import Any

from desktop.pages.workbench.document import view_of
from desktop.pages.workbench.history import Trend, earlier_of
from shared.wire.inspection import Item, Record

_REGION = {"x": 0.2, "y": 0.2, "w": 0.2, "h": 0.2}


def _record(day: int) -> Record:
    at = f"2026-0{day}-01T10:00:00"
    return Record.model_validate(
        dict.fromkeys(Record.model_fields)
        | {
            "inspection_id": f"r{day}",
            "task_id": "t",
            "progress": 0,
            "inspection_status": "in_progress",
            "status_name": "进行中",
            "created_at": at,
            "updated_at": at,
        }
    )


def _item(length: float | None, region: dict[str, float] | None = None) -> Item:
    """An item whose detection found one crack of `length` px, none for 0; None: never looked at."""
    entry: dict[str, Any] = {
        "isPassed": not length,
        "version": 1,
        "progress": "done",
        "provenance": {"alignment": {"homography": [[2, 0, 5], [0, 2, 5], [0, 0, 1]]}},
        "resultImage": {"boxes": []},
    }
    if length:
        points = {"x1": 10, "y1": 10, "x2": 10 + 2 * length, "y2": 14}
        entry["resultImage"]["boxes"] = [{"label": "crack", "confidence": 0.9, "points": points}]
    return Item.model_validate(
        {
            "item_id": "i",
            "item_name": "crack",
            "inspection_id": "r",
            "description": None,
            "model_id": None,
            "model_name": None,
            "model_description": None,
            "item_point": {"point": region or _REGION},
            "result": [] if length is None else [entry],
            "created_at": "2026-01-01T00:00:00Z",
            "updated_at": "2026-01-01T00:00:00Z",
        }
    )


def test_what_was_found_before_and_whether_it_grew() -> None:
    now = view_of(_item(None), "now")
    lengths = {5: 0.0, 4: 30.0, 3: 31.0, 2: 20.0, 1: 0.0}
    rows = earlier_of(now, [(_record(day), [_item(length)]) for day, length in lengths.items()])
    assert [row.record_id for row in rows] == ["r5", "r4", "r3", "r2", "r1"]
    assert [row.trend for row in rows] == [Trend.GONE, Trend.UNCHANGED, Trend.GROWN, Trend.NEW, None]
    assert [row.length for row in rows] == [None, 30.0, 31.0, 20.0, None]
    assert [row.passed for row in rows] == [True, False, False, False, True]


def test_other_regions_and_what_nobody_looked_at_are_left_out() -> None:
    now = view_of(_item(None), "now")
    elsewhere = {"x": 0.6, "y": 0.6, "w": 0.2, "h": 0.2}
    past = [(_record(2), [_item(5.0, elsewhere)]), (_record(1), [_item(None)])]
    assert earlier_of(now, past) == []
