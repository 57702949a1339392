"""Tests backbones in the registry: the newest enabled one replaces the built-in one, and none detects."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from starlette.testclient import TestClient

from service.db.database import Database
from service.detection.models.registry import backbone_in_use
from service.detection.tables import ModelRow
from tests.service.detection.dispatch.test_jobs import add_photo, detect, make_item
from tests.service.detection.graphs import backbone_model, brightness_model
from tests.service.detection.models.test_registry import add


def test_the_newest_enabled_backbone_is_used(client: TestClient, database: Database, tmp_path: Path) -> None:
    first = add(client, backbone_model(tmp_path / "a.onnx"), kind="backbone").json()["data"]
    second = add(client, backbone_model(tmp_path / "b.onnx", "tokens"), kind="backbone").json()["data"]

    def used() -> str | None:
        backbone = database.read_now(backbone_in_use)
        return None if backbone is None else backbone.sha256

    assert (first["kind"], first["labels"], first["settings"]["width"]) == ("backbone", [], 160)
    assert used() == second["sha256"]
    client.put(f"/api/detection/models/{second['model_id']}", json={"enabled": False})
    assert used() == first["sha256"]
    client.put(f"/api/detection/models/{first['model_id']}", json={"enabled": False})
    assert used() is None


def test_a_detector_is_refused_as_a_backbone(client: TestClient, tmp_path: Path) -> None:
    path = brightness_model(tmp_path / "a.onnx")

    assert add(client, path, kind="backbone").json()["data"]["reason"] == "kind_wrong"


def test_stored_backbone_stays_listed_and_finds_nothing(client: TestClient, database: Database) -> None:
    row = ModelRow(
        model_id="b" * 32,
        name="patches",
        kind="backbone",
        version=1,
        sha256="0" * 64,
        labels=[],
        settings={},
        enabled=True,
    )
    database.write_now(lambda session: session.add(row))

    listed = client.get("/api/detection/models").json()["data"]
    assert ("patches", "backbone") in {(model["model_name"], model["kind"]) for model in listed}
    item = make_item(client, model_id="b" * 32)
    add_photo(client, item, np.full((64, 64, 3), 90, np.uint8))
    assert detect(client, item)["error"] == "model_finds_nothing"
