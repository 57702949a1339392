"""Changes that can make an item wait wake the comparisons, others do not."""

from __future__ import annotations

from typing import Any, cast

import pytest

from service.changes import ObjectChange
from service.memory.comparisons import Comparisons
from service.memory.service import MemoryService


@pytest.mark.parametrize(
    ("change", "wakes"),
    [
        (ObjectChange("update", "item", "1"), True),
        (ObjectChange("bring_back", "item", "1"), True),
        (ObjectChange("delete", "record", "1"), True),
        (ObjectChange("update", "reference_image", "1"), True),
        (ObjectChange("create", "model", "1"), True),
        (ObjectChange("create", "item", "1"), False),
        (ObjectChange("create", "record", "1"), False),
        (ObjectChange("update", "item", "1", unaudited=True), False),
        (ObjectChange("update", "user", "1"), False),
    ],
)
def test_relevant_changes_start_the_comparisons(
    change: ObjectChange, wakes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    kicks: list[Comparisons] = []
    monkeypatch.setattr(Comparisons, "look_now", lambda comparisons: kicks.append(comparisons))
    service = MemoryService(cast(Any, None), cast(Any, None))
    service.after_commit([change])
    assert bool(kicks) is wakes
