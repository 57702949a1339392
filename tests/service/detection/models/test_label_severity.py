"""Tests the catalogue of labels: the severity of a finding, which is stored with it."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import event
from starlette.testclient import TestClient

from service.db.database import Database
from tests.service.detection.dispatch.test_jobs import detect, results

LABELS = "/api/detection/labels"

pytestmark = pytest.mark.both_databases


def put(client: TestClient, **severities: str | None) -> Any:
    labels = [{"label": name, "severity": severity} for name, severity in severities.items()]
    return client.put(LABELS, json={"labels": labels})


def test_severities_are_set_changed_and_taken_away(client: TestClient) -> None:
    assert client.get(LABELS).json()["data"] == []
    put(client, dent="minor", 裂纹="critical")
    put(client, dent="major", scratch="minor")
    answer = put(client, scratch=None, unknown=None)
    expected = [{"label": "dent", "severity": "major"}, {"label": "裂纹", "severity": "critical"}]
    assert sorted(answer.json()["data"], key=lambda one: one["label"]) == expected
    assert answer.json() == {**client.get(LABELS).json(), "msg": "标签更新成功"}
    assert put(client, dent="awful").status_code == 422
    assert client.put(LABELS, json={"labels": []}).status_code == 422
    (newest, *_) = client.get("/api/audit", params={"kind": "finding_label"}).json()["data"]["data"]
    assert newest["details"]["labels"] == {"scratch": None, "unknown": None}


def test_label_named_twice_gets_the_last_severity(client: TestClient) -> None:
    labels = [
        {"label": "dent", "severity": "minor"},
        {"label": "crack", "severity": "minor"},
        {"label": "dent", "severity": None},
        {"label": "crack", "severity": "major"},
    ]
    answer = client.put(LABELS, json={"labels": labels})
    assert answer.json()["data"] == [{"label": "crack", "severity": "major"}]


def test_very_many_labels_take_few_statements(client: TestClient, database: Database) -> None:
    statements: list[str] = []

    def count(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        if "detection_label" in statement:
            statements.append(statement)

    event.listen(database.writer, "before_cursor_execute", count)
    labels = [{"label": f"label {number}", "severity": "minor"} for number in range(10_000)]
    for severity in ("minor", "major"):
        answer = client.put(LABELS, json={"labels": [{**label, "severity": severity} for label in labels]})
        assert len(answer.json()["data"]) == 10_000
    assert {label["severity"] for label in answer.json()["data"]} == {"major"}
    answer = client.put(LABELS, json={"labels": [{**label, "severity": None} for label in labels]})
    assert answer.json()["data"] == []
    event.remove(database.writer, "before_cursor_execute", count)
    assert len(statements) < 30


def test_a_finding_keeps_the_severity_that_its_label_had(client: TestClient, item: dict[str, Any]) -> None:
    detect(client, item)
    (first,) = results(client, item)
    found_labels = {box["label"] for box in first["resultImage"]["boxes"]}
    assert found_labels
    assert all("severity" not in box for box in first["resultImage"]["boxes"])
    put(client, **dict.fromkeys(found_labels, "major"))
    detect(client, item)
    put(client, **dict.fromkeys(found_labels, "minor"))
    before, after = results(client, item)
    assert before == first
    assert {box["severity"] for box in after["resultImage"]["boxes"]} == {"major"}
