"""The catalogue of labels: how severe a finding is, kept with the finding when it is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.service.detection.test_jobs import detect, results

LABELS = "/api/detection/labels"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def put(client: TestClient, **severities: str | None) -> Any:
    said = [{"label": name, "severity": one} for name, one in severities.items()]
    return client.put(LABELS, json={"labels": said})


def test_severities_are_set_changed_and_taken_away(client: TestClient) -> None:
    assert client.get(LABELS).json()["data"] == []
    put(client, dent="minor", 裂纹="critical")
    put(client, dent="major", scratch="minor")
    answer = put(client, scratch=None, unknown=None)
    kept = [{"label": "dent", "severity": "major"}, {"label": "裂纹", "severity": "critical"}]
    assert sorted(answer.json()["data"], key=lambda one: one["label"]) == kept
    assert answer.json() == {**client.get(LABELS).json(), "msg": "标签更新成功"}
    assert put(client, dent="awful").status_code == 422
    assert client.put(LABELS, json={"labels": []}).status_code == 422
    (newest, *_) = client.get("/api/audit", params={"kind": "finding_label"}).json()["data"]["data"]
    assert newest["details"]["labels"] == {"scratch": None, "unknown": None}


def test_who_may_not_manage_models_sets_none(as_role: Callable[..., TestClient]) -> None:
    inspector = as_role("inspector")
    assert put(inspector, dent="minor").status_code == 403
    assert inspector.get(LABELS).status_code == 200


def test_a_finding_keeps_the_severity_that_its_label_had(client: TestClient, item: dict[str, Any]) -> None:
    detect(client, item)
    (first,) = results(client, item)
    found = {box["label"] for box in first["resultImage"]["boxes"]}
    assert found
    assert all("severity" not in box for box in first["resultImage"]["boxes"])
    put(client, **dict.fromkeys(found, "major"))
    detect(client, item)
    put(client, **dict.fromkeys(found, "minor"))
    before, after = results(client, item)
    assert before == first
    assert {box["severity"] for box in after["resultImage"]["boxes"]} == {"major"}
