from __future__ import annotations

from dataclasses import replace

import pytest

from desktop.record.changes import Change, changes_between, item_change
from desktop.record.document import ItemView
from shared.record.entries import Entry

POINT = {"point": {"x": 0.1, "y": 0.1, "w": 0.2, "h": 0.2}}
DETECTION: Entry = {"progress": "done", "version": 1, "isPassed": True}
VERDICT: Entry = {"version": 2, "verdict": {"value": "passed", "by": "u1"}}
ITEM = ItemView("a", "Nut", item_point=POINT, result=(DETECTION,))
OTHER = replace(ITEM, item_id="b")


@pytest.mark.parametrize(
    ("after", "change"),
    [
        (replace(ITEM), Change.NOTHING),
        (replace(ITEM, item_name="Bolt"), Change.FIELDS),
        (replace(ITEM, item_point={"point": {**POINT["point"], "x": 0.3}}), Change.REGIONS),
        (replace(ITEM, item_point={**POINT, "detection": {"sensitivity": 0.2}}), Change.FIELDS),
        (replace(ITEM, result=({**DETECTION, "version": 3},)), Change.RESULTS),
        (replace(ITEM, result=(DETECTION, VERDICT)), Change.VERDICTS),
        (replace(ITEM, pending_verdict={"value": "failed"}, saved=False), Change.VERDICTS | Change.SAVED),
        (None, Change.ITEMS | Change.REGIONS | Change.RESULTS | Change.VERDICTS),
    ],
)
def test_change_of_an_item_names_what_differs(after: ItemView | None, change: Change) -> None:
    assert item_change(ITEM, after) == change
    assert item_change(after, ITEM) == change


def test_changes_of_a_list_are_those_of_its_items() -> None:
    moved = replace(OTHER, item_point={"point": {**POINT["point"], "w": 0.3}})
    assert changes_between([ITEM, OTHER], [ITEM, OTHER]) == Change.NOTHING
    assert changes_between([ITEM, OTHER], [ITEM, moved]) == Change.REGIONS
    assert changes_between([ITEM, OTHER], [OTHER, ITEM]) == Change.ITEMS
    drawn = ItemView("c", "New", item_point=POINT)
    assert changes_between([ITEM], [ITEM, drawn]) == Change.ITEMS | Change.REGIONS
    assert changes_between([ITEM, OTHER], [OTHER]) & Change.RESULTS
