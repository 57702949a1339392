"""Tests which items are pending for detection, and what its steps change."""

from __future__ import annotations

from typing import Any

from shared.record.entries import Entry
from tests.service.inspection.conftest import Stage, stored_file

DONE = {"isPassed": True, "progress": "done", "version": 1, "job_id": "j"}


def put_result(stage: Stage, item: dict[str, Any], progress: str) -> None:
    entry: Entry = {"job_id": "j", "isPassed": False, "progress": progress}
    stage.database.write_now(
        lambda session: stage.service.detections.put_result(session, item["item_id"], entry)
    )


def set_job_progress(stage: Stage, item: dict[str, Any], job_id: str) -> bool:
    return stage.database.write_now(
        lambda session: stage.service.detections.lock(session, item["item_id"]).is_under_way(job_id)
    )


def pending_item_ids(stage: Stage, *records: str) -> dict[str, list[str]]:
    record_ids = records or None
    return stage.database.read_now(
        lambda session: stage.service.detections.pending_items(session, record_ids)
    )


def test_progress_of_a_detection_is_not_a_new_version(stage: Stage) -> None:
    item = stage.item(stage.record()["inspection_id"])
    path = f"/api/inspection_item/{item['item_id']}"
    before = stage.client.get(path).headers["etag"]
    for progress in ("pending", "detecting"):
        put_result(stage, item, progress)
        assert stage.client.get(path).headers["etag"] == before
        assert [change.unaudited for change in stage.changes if change.kind == "item"][-1]
        assert set_job_progress(stage, item, "j")
        assert not set_job_progress(stage, item, "other")
    put_result(stage, item, "done")
    assert stage.client.get(path).headers["etag"] != before
    assert not [change.unaudited for change in stage.changes if change.kind == "item"][-1]
    assert not set_job_progress(stage, item, "j")


def create_detectable_item(stage: Stage, record: str, photo: bool = True, **body: Any) -> dict[str, Any]:
    item = stage.item(record, **{"model_id": "m", **body})
    if photo:
        path = f"/api/inspection_item/{item['item_id']}/photos"
        assert stage.client.post(path, json={"file_id": "p"}).status_code == 200
    return item


def test_items_of_open_records_are_pending_until_their_detection_has_finished(stage: Stage) -> None:
    stage.files["p"] = stored_file("p")
    first, second = stage.record()["inspection_id"], stage.record()["inspection_id"]
    ended = stage.record(end_time="2026-01-02T03:04:05")["inspection_id"]
    cancelled = stage.record(inspection_status="cancelled")["inspection_id"]
    later = create_detectable_item(stage, second)
    waits = [create_detectable_item(stage, first), create_detectable_item(stage, first)]
    for record in (ended, cancelled):
        create_detectable_item(stage, record)
    create_detectable_item(stage, first, photo=False)
    create_detectable_item(stage, first, model_id=None)
    create_detectable_item(stage, first, result=[DONE])
    # Decided and then undecided again: the detection still has its result.
    create_detectable_item(stage, first, result=[DONE, {"verdict": {"value": "undecided"}, "version": 2}])
    put_result(stage, create_detectable_item(stage, first), "detecting")
    failed = create_detectable_item(stage, first)
    put_result(stage, failed, "error")
    by_record = pending_item_ids(stage)
    assert by_record == {
        first: [item["item_id"] for item in (*waits, failed)],
        second: [later["item_id"]],
    }
    assert list(by_record) == [first, second]
    assert pending_item_ids(stage, second, ended) == {second: [later["item_id"]]}
