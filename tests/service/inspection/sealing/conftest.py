"""Fixtures of sealed records: a finished record with its IDs, and functions that read and change it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table, select, update
from starlette.testclient import TestClient

from service.audit.tables import AuditRow
from service.db.database import Database
from service.files.tables import FileRow
from service.inspection.sealing.seal_check import SealChecks, seal_checks
from service.inspection.tables import ITEM
from service.settings import Settings
from shared import samples
from shared.images.cv import cv2
from shared.wire.seal import SealCheck
from tests.service.answers import read_body

FILE: Table = FileRow.__table__
AUDIT: Table = AuditRow.__table__


@dataclass
class SealedRecord:
    """A finished record of two items, one with a photo, and the IDs for the paths of the operations."""

    client: TestClient
    database: Database
    checks: SealChecks
    files: Path
    ids: dict[str, str]

    @property
    def record(self) -> str:
        return self.ids["inspection_id"]

    def check(self) -> SealCheck:
        return self.checks.check_now(self.record)

    def paths(self) -> list[str]:
        return [difference.path for difference in self.check().differences]

    def rows(self, *tables: Table) -> dict[str, list[Any]]:
        def work(session: Any) -> dict[str, list[Any]]:
            return {
                table.name: sorted(map(tuple, session.execute(select(table))), key=repr) for table in tables
            }

        return self.database.read_now(work)

    def write(self, statement: Any) -> None:
        self.database.write_now(lambda session: session.execute(statement))


def post(client: TestClient, path: str, **body: Any) -> dict[str, Any]:
    body = read_body(client.post(path, json=body))
    data: dict[str, Any] = body.get("data", body)
    return data


def _encode(seed: int) -> bytes:
    """A file of few bytes, each of which a test changes."""
    return bytes(cv2.imencode(".png", samples.draw_panel(24, 16, seed).image[:4, :4])[1])


@pytest.fixture
def sealed_record(client: TestClient, database: Database, settings: Settings) -> SealedRecord:
    reference, file = (
        client.post("/api/files", files={"file": (name, _encode(seed), "image/png")}).json()["data"]
        for seed, name in enumerate(("参考.png", "左翼.png"))
    )
    image = post(
        client,
        "/api/catalogue/reference-images",
        reference_image_name="左翼",
        file_id=reference["file_id"],
        mm_per_pixel=0.125,
    )
    record = post(
        client,
        "/api/inspection/create",
        task_id="任务",
        inspection_name="航后",
        reference_image_id=image["reference_image_id"],
        start_time="2026-01-02T03:04:05.678901",
    )["inspection_id"]
    place = {"point": {"x": 0.1, "y": 0.20, "w": 0.3, "h": 1e-1}, "fileInfo": None}
    ids = {"inspection_id": record, "file_id": file["file_id"], "reference_file": reference["file_id"]}
    for key, name in (("item_id", "前缘"), ("second", "铆钉"), ("gone", "口盖")):
        item = post(
            client,
            "/api/inspection_item/create",
            inspection_id=record,
            item_name=name,
            description="看裂纹",
            model_id="reference-difference",
            item_point=place,
        )
        ids[key] = item["item_id"]
    photos = f"/api/inspection_item/{ids['item_id']}/photos"
    ids["photo_id"] = post(client, photos, file_id=file["file_id"])["photo_id"]
    of_record = f"/api/inspection/{record}/record-photos"
    ids["film_id"] = ids["comment_id"] = "none"
    ids["record_photo"] = post(client, of_record, file_id=file["file_id"])["photo_id"]
    entry = {
        "inputImage": {"file_id": file["file_id"], "download_url": file["download_url"]},
        "resultImage": {
            "boxes": [
                {"label": "裂纹", "confidence": 0.50, "points": {"x1": 1, "y1": 2, "x2": 3, "y2": 4.0}}
            ],
            "resultImage": None,
        },
        "isPassed": False,
        "progress": "done",
        "version": 1,
        "job_id": "no-such-job",
        "provenance": {"model_id": "m", "model_name": "模型", "model_version": 2, "model_sha256": None},
    }
    condition = ITEM.c.item_id == ids["item_id"]
    values = {"result": json.dumps([entry], ensure_ascii=False), "outcome": "failed", "detected": True}
    database.write_now(lambda session: session.execute(update(ITEM).where(condition).values(**values)))
    for key in ("item_id", "second"):
        post(client, f"/api/inspection_item/{ids[key]}/verdict", verdict="failed", reason="有裂纹")
    assert client.delete(f"/api/inspection_item/{ids['gone']}").status_code == 200
    other = post(client, "/api/inspection/create", task_id="别的")["inspection_id"]
    post(client, "/api/inspection_item/create", inspection_id=other, item_name="别的")
    ids["other_id"] = other
    finished = client.post(f"/api/inspection/{record}/finish")
    assert finished.status_code == 200, finished.text
    new = SealedRecord(client, database, seal_checks(database, settings), settings.files_dir, ids)
    assert new.check().intact
    return new
