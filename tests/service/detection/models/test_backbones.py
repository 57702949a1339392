"""Tests backbones, which earlier versions could add: a stored one stays listed, and none detects."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from starlette.testclient import TestClient

from service.db.database import Database
from service.detection.tables import ModelRow
from tests.service.detection.dispatch.test_jobs import detect, encode, make_item, upload
from tests.service.detection.graphs import backbone_model
from tests.service.detection.models.test_registry import add


def test_backbone_is_not_added(client: TestClient, tmp_path: Path) -> None:
    path = backbone_model(tmp_path / "a.onnx")

    assert add(client, path).json()["data"]["reason"] == "kind_unsupported"
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
    photo = upload(client, "p.png", encode(np.full((64, 64, 3), 90, np.uint8)))
    client.post(f"/api/inspection_item/{item['item_id']}/photos", json={"file_id": photo["file_id"]})
    assert detect(client, item)["error"] == "model_finds_nothing"
