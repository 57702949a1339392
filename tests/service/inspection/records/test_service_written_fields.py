"""Tests the fields of `result` that only the service writes, one by one."""

from __future__ import annotations

import datetime as dt
from typing import Any, cast

import pytest

from service.inspection.rules import ContradictionError, add_authorship, merge_entries
from shared.record import results
from shared.record.codes import Verdict
from shared.record.entries import Entry, EntryBox
from shared.record.findings import read_findings
from tests.narrowing import not_none
from tests.service.inspection.conftest import Stage, item_path

AUTHOR = {"by": "id-of-admin", "by_name": "主任", "at": "2020-01-01T00:00:00Z"}
FORGED: dict[str, Any] = {
    "verdict": {"value": "passed", "reason": None, **AUTHOR},
    "correction": {"of_version": 1, **AUTHOR},
    "job_id": "a-job",
    "provenance": {"model_id": "m", "model_name": "最好的模型", "model_sha256": "0" * 64},
}
DETECTED = {
    "inputImage": {"file_id": "f"},
    "resultImage": {
        "boxes": [{"label": "裂纹", "confidence": 0.9, "points": {"x1": 1, "y1": 1, "x2": 9, "y2": 9}}],
        "resultImage": None,
    },
    "isPassed": False,
    "progress": "done",
    "version": 1,
    "job_id": "j",
    "provenance": {"model_id": "m", "model_sha256": "ab"},
}


def read_result(stage: Stage, item: dict[str, Any]) -> list[Entry]:
    entries: list[Entry] = stage.client.get(item_path(item)).json()["result"]
    return entries


@pytest.fixture
def judged_item(stage: Stage) -> dict[str, Any]:
    """An item with a detection, a correction and a verdict."""
    item = stage.item(stage.record()["inspection_id"], result=[DETECTED])
    correction = {"of_version": 1, "boxes": []}
    assert stage.client.post(item_path(item, "/boxes"), json=correction).status_code == 200
    return stage.decide(item, "failed", "有裂纹")


@pytest.mark.parametrize("key", results.SERVICE_KEYS)
def test_client_cannot_write_the_field_into_its_entry(stage: Stage, key: str) -> None:
    record = stage.record()["inspection_id"]
    entry = {"isPassed": True, "progress": "done", "version": 4}
    body = {"item_name": "甲", "inspection_id": record, "result": [{**entry, key: FORGED[key]}]}
    item = stage.client.post("/api/inspection_item/create", json=body).json()
    assert item["result"] == [entry]
    inspector = stage.as_role("inspector")
    put = inspector.put(item_path(item), json={"result": [{**entry, "version": 5, key: FORGED[key]}]})
    assert put.json()["result"] == [{**entry, "version": 5}]
    assert results.current_verdict(read_result(stage, item)) is Verdict.UNDECIDED


@pytest.mark.parametrize("key", results.SERVICE_KEYS)
def test_client_cannot_add_the_field_to_an_entry_of_the_service(
    stage: Stage, judged_item: dict[str, Any], key: str
) -> None:
    for entry in judged_item["result"]:
        if key in entry:
            continue
        answer = stage.client.put(item_path(judged_item), json={"result": [{**entry, key: FORGED[key]}]})
        assert answer.status_code == 409
        assert answer.json()["data"] == {
            "error": "service_written",
            "version": entry["version"],
            "field": key,
        }
    assert read_result(stage, judged_item) == judged_item["result"]


PLACES = [
    (3, ("verdict", "value"), "passed"),
    (3, ("verdict", "reason"), "没有裂纹"),
    (3, ("verdict", "by"), "id-of-admin"),
    (3, ("verdict", "by_name"), "主任"),
    (3, ("verdict", "at"), "2020-01-01T00:00:00Z"),
    (3, ("isPassed",), True),
    (3, ("progress",), "pending"),
    (2, ("correction", "of_version"), 0),
    (2, ("correction", "by"), "id-of-admin"),
    (2, ("correction", "by_name"), "主任"),
    (2, ("correction", "at"), "2020-01-01T00:00:00Z"),
    (2, ("provenance", "alignment"), [[1]]),
    (1, ("job_id",), "another"),
    (1, ("provenance", "model_id"), "another"),
    (1, ("provenance", "model_sha256"), "cd"),
    (1, ("resultImage", "boxes"), []),
    (1, ("inputImage", "file_id"), "another"),
    (1, ("isPassed",), True),
]


@pytest.mark.parametrize(("version", "place", "value"), PLACES, ids=lambda entry: str(entry))
def test_client_cannot_change_the_field(
    stage: Stage, judged_item: dict[str, Any], version: int, place: tuple[str, ...], value: Any
) -> None:
    sent = stage.client.get(item_path(judged_item)).json()["result"]
    inner = sent[version - 1]
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    answer = stage.as_role("inspector").put(item_path(judged_item), json={"result": sent})
    assert answer.status_code == 409
    data = {"error": "service_written", "version": version, "field": place[0]}
    assert answer.json()["data"] == data
    assert answer.json()["msg"].startswith(f"结果版本 {version} 由系统写入")
    assert read_result(stage, judged_item) == judged_item["result"]


def test_entry_with_another_version_belongs_to_the_client(stage: Stage, judged_item: dict[str, Any]) -> None:
    sent = {**judged_item["result"][2], "version": 9}
    after = stage.client.put(item_path(judged_item), json={"result": [sent]}).json()["result"]
    pictures: dict[str, Any] = {"inputImage": {}, "resultImage": {"boxes": [], "resultImage": {}}}
    assert after == [
        *judged_item["result"],
        {**pictures, "isPassed": False, "progress": "done", "version": 9},
    ]
    # It is newer than the verdict, and not the verdict of a user.
    assert results.current_verdict(after) is Verdict.UNDECIDED


@pytest.mark.parametrize("keep", [(), (0,), (2,), (2, 0), (0, 1, 2), (0, 0, 1)])
def test_client_cannot_remove_an_entry_of_the_service(
    stage: Stage, judged_item: dict[str, Any], keep: tuple[int, ...]
) -> None:
    sent = [judged_item["result"][at] for at in keep]
    after = stage.client.put(item_path(judged_item), json={"result": sent})
    assert after.status_code == 200
    assert sorted(after.json()["result"], key=lambda entry: entry["version"]) == judged_item["result"]


def test_copy_may_leave_out_fields(stage: Stage, judged_item: dict[str, Any]) -> None:
    sent = [{"version": entry["version"], "isPassed": entry["isPassed"]} for entry in judged_item["result"]]
    assert stage.client.put(item_path(judged_item), json={"result": sent}).json() == judged_item


def test_entries_of_a_client_can_be_changed_by_clients(stage: Stage, judged_item: dict[str, Any]) -> None:
    client_entries = [
        {"isPassed": True, "note": "外部系统", "progress": "done", "version": 7},
        {"isPassed": None, "progress": "任意"},
    ]
    after = stage.client.put(item_path(judged_item), json={"result": client_entries}).json()["result"]
    assert after == [*judged_item["result"], *client_entries]
    answer = stage.client.put(item_path(judged_item), json={"result": []})
    assert answer.json()["result"] == judged_item["result"]


def test_older_step_of_same_detection_is_accepted(stage: Stage) -> None:
    item = stage.item(stage.record()["inspection_id"], result=[DETECTED])
    earlier = {**DETECTED, "isPassed": False, "progress": "detecting", "resultImage": {"boxes": []}}
    assert stage.client.put(item_path(item), json={"result": [earlier]}).json()["result"] == [DETECTED]
    other = {**earlier, "job_id": "another"}
    assert stage.client.put(item_path(item), json={"result": [other]}).status_code == 409


def test_order_of_versions_is_kept() -> None:
    stored: list[Entry] = [{"version": 2, "verdict": {}}, {"version": 4, "job_id": "j"}]
    client_entries: list[Entry] = [{"version": 1}, {"version": 3}, {}]
    assert merge_entries(client_entries, stored) == [{"version": 1}, stored[0], {"version": 3}, {}, stored[1]]


def test_two_entries_with_one_version_are_kept() -> None:
    stored: list[Entry] = [{"version": 2, "verdict": {"value": "passed"}}, {"version": 2, "job_id": "j"}]
    assert merge_entries([], stored) == stored
    with pytest.raises(ContradictionError):
        merge_entries([{"version": 2, "job_id": "other"}], stored)


def test_times_of_verdicts_never_decrease(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    record = stage.record()["inspection_id"]
    passed, failed = stage.item(record), stage.item(record)
    ahead = dt.datetime.now(dt.UTC).replace(tzinfo=None) + dt.timedelta(minutes=3)
    monkeypatch.setattr("service.inspection.records.records.naive_now", lambda: ahead)
    monkeypatch.setattr("service.inspection.records.item_rows.naive_now", lambda: ahead)
    stage.client.post(item_path(passed, "/verdict"), json={"verdict": "passed"})
    monkeypatch.undo()
    stage.client.post(item_path(failed, "/verdict"), json={"verdict": "passed"})
    (first,), (second,) = (read_result(stage, item) for item in (passed, failed))
    assert first["verdict"]["at"] == ahead.isoformat() + "Z"
    assert not_none(second["verdict"]["at"]) >= not_none(first["verdict"]["at"])
    end = stage.finish(record)["end_time"]
    assert end + "Z" >= second["verdict"]["at"]


# The author of a finding


def box(label: str = "裂纹", confidence: float = 0.9, x: int = 1, **more: Any) -> EntryBox:
    points = {"x1": x, "y1": 1, "x2": x + 8, "y2": 9}
    values = {"label": label, "confidence": confidence, "points": points, "origin": "model", **more}
    return cast(EntryBox, values)


ME: dict[str, Any] = {"by": "me", "by_name": "我"}
OTHER = {"by": "other", "by_name": "他"}


def drawn_finding(**more: Any) -> EntryBox:
    return box("凹坑", 1, x=50, origin="person", **more)


def test_drawn_finding_has_its_author() -> None:
    (box,) = add_authorship([drawn_finding()], [], "me", "我")
    assert box == drawn_finding(**ME)
    entry: Entry = {
        "correction": {"of_version": 1, "by": "other", "by_name": "他", "at": None},
        "resultImage": {"boxes": [box]},
    }
    (read,) = read_findings(entry)
    assert (read.author_id, read.author_name) == ("me", "我")


def test_author_from_a_client_is_ignored() -> None:
    assert add_authorship([drawn_finding(**OTHER)], [], "me", "我") == [drawn_finding(**ME)]
    assert add_authorship([box(corrected_by="other")], [box()], "me", "我") == [box()]


def test_unchanged_finding_keeps_its_author_and_history() -> None:
    before = [drawn_finding(**OTHER), box(corrected_by="other", corrected_by_name="他")]
    sent: list[EntryBox] = [{**box(), "accepted": True}, drawn_finding()]
    assert add_authorship(sent, before, "me", "我") == [{**before[1], "accepted": True}, before[0]]


def test_unmoved_finding_keeps_its_second_opinion() -> None:
    # Earlier versions wrote it.
    opinion: dict[str, Any] = {
        "value": 0.8,
        "photos": 3,
        "model_id": "b",
        "model_name": "patches",
        "model_version": 1,
        "model_sha256": "ab",
    }
    before = box(second_opinion=opinion)
    forged = {**opinion, "value": 0.1}
    (same,) = add_authorship([box(second_opinion=forged)], [before], "me", "我")
    assert same == before
    (relabelled,) = add_authorship([box("凹坑")], [before], "me", "我")
    assert relabelled.get("second_opinion") == opinion
    (moved, new) = add_authorship(
        [box(x=3, second_opinion=opinion), drawn_finding(second_opinion=forged)], [before], "me", "我"
    )
    assert "second_opinion" not in moved
    assert "second_opinion" not in new


def test_reason_of_a_memory_stays_with_a_finding_that_is_not_moved() -> None:
    before = box(memory_reason="lasting")
    (same,) = add_authorship([box(memory_reason="failed")], [before], "me", "我")
    assert same == before
    moved, new = add_authorship(
        [box(x=3, memory_reason="lasting"), drawn_finding(memory_reason="lasting")], [before], "me", "我"
    )
    assert "memory_reason" not in moved
    assert "memory_reason" not in new


def test_a_finding_of_the_model_that_a_person_moved_says_so() -> None:
    (moved,) = add_authorship([box(x=3)], [box()], "me", "我")
    assert moved == box(x=3, corrected_by="me", corrected_by_name="我")
    (again,) = add_authorship([box("凹坑", x=4)], [moved], "other", "他")
    assert again == box("凹坑", x=4, corrected_by="other", corrected_by_name="他")


def test_drawn_finding_cannot_be_declared_as_the_models() -> None:
    assert add_authorship([box(confidence=0.5)], [box()], "me", "我") == [
        box(confidence=0.5, origin="person", **ME)
    ]
    two = add_authorship([box(x=3), box(x=5)], [box()], "me", "我")
    assert [each["origin"] for each in two] == ["model", "person"]
    assert add_authorship([box(origin="person")], [box()], "me", "我") == [box()]


def test_drawn_finding_moved_by_another_user_has_both() -> None:
    sent: EntryBox = {**drawn_finding(**OTHER), "label": "划痕"}
    (moved,) = add_authorship([sent], [drawn_finding(**OTHER)], "me", "我")
    assert moved == {**sent, "corrected_by": "me", "corrected_by_name": "我"}
    (box,) = add_authorship([sent], [drawn_finding(**OTHER)], "other", "他")
    assert box == sent


@pytest.mark.parametrize("key", results.AUTHOR_KEYS)
def test_client_cannot_name_an_author_in_its_entry(stage: Stage, key: str) -> None:
    plain = {"label": "裂纹", "confidence": 1, "points": {"x1": 1, "y1": 1, "x2": 9, "y2": 9}, "colour": 1}
    entry = {"resultImage": {"boxes": [{**plain, key: "id-of-admin"}], "resultImage": None}, "version": 1}
    item = stage.item(stage.record()["inspection_id"], result=[entry])
    assert item["result"][0]["resultImage"]["boxes"] == [plain]
