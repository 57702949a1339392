"""What a report takes from the service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from desktop.report.collect import collect
from shared.codes import Verdict
from shared.wire.inspection import ItemCreate, RecordCreate
from tests.service_process import logged_in, service_process


@pytest.mark.parametrize("progress", ["detecting", "canceled", "error"])
def test_a_detection_that_did_not_finish_hides_no_finding(
    qtbot: QtBot, tmp_path: Path, progress: str
) -> None:
    points = {"x1": 1, "y1": 2, "x2": 30, "y2": 40}
    box = {"label": "crack", "confidence": 0.9, "points": points}
    error = {"code": "alignment_failed", "message": "对不上"}
    result: list[dict[str, Any]] = [
        {"version": 1, "isPassed": False, "progress": "done", "resultImage": {"boxes": [box]}},
        {
            "version": 2,
            "isPassed": False,
            "progress": "done",
            "verdict": {"value": "failed", "reason": "裂纹"},
        },
        {"version": 3, "isPassed": False, "progress": progress, "resultImage": {"boxes": []}},
    ]
    if progress == "error":
        result[2]["error"] = error
    with service_process(tmp_path / "data") as url, logged_in(url) as session:
        record = session.records.create(RecordCreate(task_id="t")).inspection_id
        body = {"item_name": "a", "inspection_id": record, "result": result}
        session.items.create(ItemCreate.model_validate(body))
        (item,) = collect(session, record, "me", lambda *_: None).items
    assert [finding.label for finding in item.findings] == ["crack"]
    assert (item.passed, item.verdict, item.reason) == (False, Verdict.FAILED, "裂纹")
    assert item.note == ("对不上" if progress == "error" else "")
