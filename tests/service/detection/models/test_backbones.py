"""Tests backbones in the registry: a user enables one at a time, and none detects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from starlette.testclient import TestClient

from tests.service.detection.dispatch.test_jobs import detect, encode, make_item, upload
from tests.service.detection.graphs import backbone_model
from tests.service.detection.models.test_registry import add


def add_backbone(client: TestClient, path: Path, name: str) -> dict[str, Any]:
    answer = add(client, path, model_name=name)
    assert answer.status_code == 200, answer.text
    return dict(answer.json()["data"])


def enabled_names(client: TestClient) -> list[str]:
    models = client.get("/api/detection/models").json()["data"]
    return [model["model_name"] for model in models if model["enabled"] and model["kind"] == "backbone"]


def enable(client: TestClient, model: dict[str, Any]) -> None:
    answer = client.put(f"/api/detection/models/{model['model_id']}", json={"enabled": True})
    assert answer.json()["data"]["enabled"] is True


def test_new_backbone_is_disabled_and_enabling_another_disables_the_first(
    client: TestClient, tmp_path: Path
) -> None:
    first = add_backbone(client, backbone_model(tmp_path / "a.onnx"), "a")
    second = add_backbone(client, backbone_model(tmp_path / "b.onnx", leading=1), "b")
    assert (first["kind"], first["enabled"], first["labels"]) == ("backbone", False, [])
    assert enabled_names(client) == []
    enable(client, first)
    assert enabled_names(client) == ["a"]
    enable(client, second)
    assert enabled_names(client) == ["b"]
    changes = client.get("/api/audit", params={"object_kind": "model"}).json()["data"]["data"]
    switched = [change["object_id"] for change in changes if change["action"] == "update"]
    assert switched == [second["model_id"], first["model_id"], first["model_id"]]


def test_next_version_of_a_backbone_is_disabled(client: TestClient, tmp_path: Path) -> None:
    model = add_backbone(client, backbone_model(tmp_path / "a.onnx"), "a")
    enable(client, model)
    place = f"/api/detection/models/{model['model_id']}/versions"
    version = client.post(place, json={"settings": {"values": "unit"}}).json()["data"]
    assert (version["version"], version["enabled"], version["settings"]["values"]) == (2, False, "unit")
    assert enabled_names(client) == ["a"]


def test_item_with_a_backbone_as_its_model_fails_with_a_reason(client: TestClient, tmp_path: Path) -> None:
    model = add_backbone(client, backbone_model(tmp_path / "a.onnx"), "a")
    enable(client, model)
    item = make_item(client, model_id=model["model_id"])
    photo = upload(client, "p.png", encode(np.full((64, 64, 3), 90, np.uint8)))
    client.post(f"/api/inspection_item/{item['item_id']}/photos", json={"file_id": photo["file_id"]})
    assert detect(client, item)["error"] == "model_finds_nothing"


def test_other_file_is_refused_with_the_outputs_that_a_backbone_has(
    client: TestClient, tmp_path: Path
) -> None:
    path = backbone_model(tmp_path / "a.onnx", channels=4)
    answer = add(client, path, kind="backbone")
    assert (answer.status_code, answer.json()["data"]["reason"]) == (422, "backbone_wrong")
    assert "[1, 通道, 行, 列]" in answer.json()["msg"]
