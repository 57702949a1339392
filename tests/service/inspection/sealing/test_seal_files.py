"""Tests that the route and the command find each changed or lost file of a sealed record."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update
from starlette.testclient import TestClient

from service.commands import verify_audit
from service.db.database import Database
from service.inspection.tables import ITEM
from service.settings import Settings
from service.stores.contents import FILES
from shared import samples
from shared.images.cv import cv2
from tests.service.answers import read_data
from tests.service.inspection.sealing.conftest import post

pytestmark = pytest.mark.slow

_MODEL = b"the bytes of a detector"
_KINDS = ("reference image", "own reference file", "photo", "crop", "model")


@dataclass
class Evidence:
    """A finished record with five files: the path and the name of each, by its kind."""

    client: TestClient
    settings: Settings
    record: str
    paths: dict[str, Path]
    names: dict[str, str]

    def differences(self) -> list[dict[str, Any]]:
        """The differences that the route reports. Checks that the command reports differences too."""
        answer = self.client.get(f"/api/inspection/{self.record}/seal/verify").json()["data"]
        command = verify_audit.main(["audit", "verify", "--record", self.record], self.settings)
        assert command == (0 if answer["intact"] else 1)
        listed: list[dict[str, Any]] = answer["differences"]
        return listed


def upload_picture(client: TestClient, name: str, seed: int) -> dict[str, Any]:
    picture = bytes(cv2.imencode(".png", samples.draw_panel(24, 16, seed).image)[1])
    return read_data(client.post("/api/files", files={"file": (name, picture, "image/png")}))


@pytest.fixture
def evidence(client: TestClient, database: Database, settings: Settings) -> Evidence:
    names = dict(zip(_KINDS[:4], ("home.png", "own.png", "today.png", "crop.png"), strict=True))
    files = {kind: upload_picture(client, name, seed) for seed, (kind, name) in enumerate(names.items(), 1)}
    image = post(
        client,
        "/api/catalogue/reference-images",
        reference_image_name="左翼",
        file_id=files["reference image"]["file_id"],
    )
    record = post(
        client,
        "/api/inspection/create",
        task_id="任务",
        reference_image_id=image["reference_image_id"],
    )["inspection_id"]
    item = post(
        client,
        "/api/inspection_item/create",
        inspection_id=record,
        item_name="前缘",
        item_point={"point": {"x": 0, "y": 0, "w": 1, "h": 1}, "fileInfo": files["own reference file"]},
    )["item_id"]
    post(client, f"/api/inspection_item/{item}/photos", file_id=files["photo"]["file_id"])
    digest = hashlib.sha256(_MODEL).hexdigest()
    settings.models_dir.mkdir(parents=True, exist_ok=True)
    (settings.models_dir / f"{digest}.onnx").write_bytes(_MODEL)
    points = {"x1": 1, "y1": 2, "x2": 3, "y2": 4}
    boxes = [{"label": label, "confidence": 0.5, "points": points} for label in ("裂纹", "凹坑")]
    entry = {
        "inputImage": files["photo"],
        "resultImage": {"boxes": boxes, "resultImage": {"fileInfo": files["crop"]}},
        "isPassed": False,
        "progress": "done",
        "version": 1,
        "job_id": "job",
        "provenance": {"model_id": "m", "model_name": "裂纹模型", "model_version": 1, "model_sha256": digest},
    }
    values = {"result": json.dumps([entry], ensure_ascii=False), "outcome": "failed", "detected": True}
    condition = ITEM.c.item_id == item
    database.write_now(lambda session: session.execute(update(ITEM).where(condition).values(**values)))
    client.put("/api/detection/labels", json={"labels": [{"label": "裂纹", "severity": "major"}]})
    post(client, f"/api/inspection_item/{item}/verdict", verdict="failed", reason="有裂纹")
    answer = client.post(f"/api/inspection/{record}/finish")
    assert answer.status_code == 200, answer.text
    paths = {kind: settings.files_dir / FILES.name(file["sha256"]) for kind, file in files.items()}
    paths["model"] = settings.models_dir / f"{digest}.onnx"
    new = Evidence(client, settings, record, paths, {**names, "model": "裂纹模型"})
    assert new.differences() == []
    return new


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.parametrize("kind", _KINDS)
def test_changed_or_lost_file_is_found(evidence: Evidence, kind: str) -> None:
    path = evidence.paths[kind]
    whole = path.read_bytes()
    path.chmod(0o600)
    middle = len(whole) // 2
    changed = [
        bytes([whole[0] ^ 1]) + whole[1:],
        whole[:middle] + bytes([whole[middle] ^ 128]) + whole[middle + 1 :],
        whole[:-1] + bytes([whole[-1] ^ 1]),
        whole[:-1],
        whole + b"\x00",
        b"",
    ]
    for other in changed:
        path.write_bytes(other)
        (difference,) = evidence.differences()
        assert difference["kind"] == "file_changed"
        assert evidence.names[kind] in difference["message"]
    path.unlink()
    (difference,) = evidence.differences()
    assert difference["kind"] == "file_missing"
    assert evidence.names[kind] in difference["message"]
    path.write_bytes(whole)
    assert evidence.differences() == []


def test_shown_severity_is_sealed(evidence: Evidence) -> None:
    path = f"/api/inspection/{evidence.record}/editions/1"
    before = evidence.client.get(path).json()["data"]
    assert before["content"]["severities"] == {"裂纹": "major"}
    labels = [{"label": "裂纹", "severity": "minor"}, {"label": "凹坑", "severity": "critical"}]
    evidence.client.put("/api/detection/labels", json={"labels": labels})
    assert evidence.client.get(path).json()["data"] == before
    assert evidence.differences() == []
