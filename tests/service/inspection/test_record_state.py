"""Tests the state that the desktop shows for a record: only sealed records are passed or failed."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update

from service.inspection.records.search import RecordQueries
from service.inspection.tables import POLICY
from shared.record.codes import Status
from shared.record.entries import Entry
from tests.service.answers import read_data
from tests.service.inspection.conftest import Stage

FOUND: Entry = {
    "isPassed": False,
    "progress": "done",
    "version": 1,
    "job_id": "j",
    "provenance": {"model_id": "m"},
}


def read_state(stage: Stage, record: str) -> str:
    """The state of the record. Checks that the search finds the record by this state only."""
    record_state = stage.client.get(f"/api/inspection/{record}/seal").json()["data"]["record_state"]
    states = [
        status.value
        for status in Status
        if record in [each["inspection_id"] for each in stage.search(record_state=status.value)["data"]]
    ]
    (summary,) = stage.client.get("/api/inspection/summaries", params={"ids": record}).json()["data"]
    assert states == [record_state] == [summary["record_state"]]
    return str(record_state)


def update_record(stage: Stage, record: str, **body: Any) -> dict[str, Any]:
    return read_data(stage.client.put(f"/api/inspection/updateInspection/{record}", json=body))


def test_record_is_failed_only_after_it_is_sealed(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    assert read_state(stage, record) == "not_started"
    items = [stage.item(record), stage.item(record)]
    assert read_state(stage, record) == "not_started"
    for item in items:
        stage.write_entries(item, [FOUND])
    assert stage.get(record)["inspection_status"] == "failed"
    assert read_state(stage, record) == "in_progress"
    stage.decide(items[0], "passed", "只是反光")
    stage.decide(items[1], "failed")
    assert read_state(stage, record) == "in_progress"
    stage.finish(record)
    assert read_state(stage, record) == "failed"
    reopened = stage.client.post(f"/api/inspection/{record}/reopen", json={"reason": "补拍"})
    assert reopened.json()["data"]["record_state"] == "in_progress"
    assert read_state(stage, record) == "in_progress"
    stage.decide(items[1], "passed", "已修复")
    assert (stage.get(record)["inspection_status"], read_state(stage, record)) == ("passed", "in_progress")
    stage.finish(record)
    assert read_state(stage, record) == "passed"


def test_record_that_awaits_its_release_is_sealed(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    stage.item(record)
    stage.database.write_now(lambda session: session.execute(update(POLICY).values(four_eyes=True)))
    stage.finish(record)
    assert read_state(stage, record) == "passed"


@pytest.mark.parametrize("status", ["passed", "failed", "in_progress"])
def test_status_from_a_client_does_not_finish_a_record(stage: Stage, status: str) -> None:
    created = stage.record(inspection_status=status)
    assert (created["inspection_status"], "record_state" in created) == (status, False)
    assert read_state(stage, created["inspection_id"]) == "in_progress"
    record = stage.record()["inspection_id"]
    answer = update_record(stage, record, inspection_status=status, end_time="2026-03-01T08:00:00")
    assert (answer["inspection_status"], "record_state" in answer) == (status, False)
    assert record in [summary["inspection_id"] for summary in stage.search(inspection_status=status)["data"]]
    assert read_state(stage, record) == "in_progress"


def test_client_cannot_undo_progress_or_a_finish(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    item = stage.item(record)
    stage.decide(item, "passed")
    assert update_record(stage, record, inspection_status="not_started")["inspection_status"] == "not_started"
    assert read_state(stage, record) == "in_progress"
    assert stage.client.delete(f"/api/inspection_item/{item['item_id']}").status_code == 200
    assert stage.get(record)["inspection_status"] == "not_started"
    assert read_state(stage, record) == "not_started"
    finished = stage.record()["inspection_id"]
    stage.item(finished)
    stage.finish(finished)
    stage.client.post(f"/api/inspection/{finished}/reopen", json={"reason": "补拍"})
    update_record(stage, finished, inspection_status="not_started")
    assert read_state(stage, finished) == "in_progress"


def test_cancelled_stays_until_a_client_changes_it(stage: Stage) -> None:
    record = stage.record()["inspection_id"]
    item = stage.item(record)
    update_record(stage, record, inspection_status="cancelled")
    stage.decide(item, "passed")
    assert read_state(stage, record) == "cancelled"
    update_record(stage, record, inspection_status="not_started")
    assert read_state(stage, record) == "in_progress"


def test_body_of_a_record_does_not_set_the_state(stage: Stage) -> None:
    record = stage.record(record_state="passed")["inspection_id"]
    assert read_state(stage, record) == "not_started"
    update_record(stage, record, record_state="passed")
    assert read_state(stage, record) == "not_started"


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_page_and_count_are_read_from_the_index(stage: Stage) -> None:
    queries = RecordQueries()
    index = "ix_record_record_state_created_at_inspection_id"
    for statement, values_of_mark in (
        (queries.count(["record_state"]), {}),
        (queries.page(["record_state"]), {"size": 25, "skip": 1000}),
    ):
        with stage.database.reader.connect() as connection:
            compiled: Any = statement.compile(connection)
            values = compiled.construct_params({"record_state": "in_progress", **values_of_mark})
            positional = tuple(values[name] for name in compiled.positiontup)
            rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}", positional)
            plan = [str(row[-1]) for row in rows]
        assert any(f"COVERING INDEX {index} (record_state=?)" in line for line in plan), plan
        assert not any("SCAN record" in line for line in plan), plan
