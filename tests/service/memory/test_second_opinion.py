"""Second opinions in the real service: given while a backbone is enabled, by the photos of the memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.db.database import Database
from service.detection.compute.compute_process import ComputeProcess
from service.detection.compute.computer import Computer
from service.detection.compute.request import Request
from service.detection.models import registry
from service.detection.onnx.check import check
from service.workers.child import ProcessDied
from shared import samples
from shared.images.cv import cv2
from shared.samples import View
from tests.service.detection.dispatch.test_jobs import encode
from tests.service.detection.graphs import backbone_model
from tests.service.detection.models.test_backbones import add_backbone, enable
from tests.service.memory.conftest import ON_ONE_DATABASE, Site
from tests.service.memory.test_memory import wait_for_memory


def stained_photo(number: int) -> bytes:
    """A photo with the lamp that is always lit, and a stain."""
    panel = samples.draw_panel(320, 320, 11).image
    cv2.circle(panel, (230, 90), 18, (90, 220, 250), -1, cv2.LINE_AA)
    cv2.circle(panel, (110, 200), 14, (30, 20, 180), -1, cv2.LINE_AA)
    return encode(samples.photograph(panel, View(light=0.1, noise=2), number)[0])


@pytest.fixture(autouse=True)
def checked_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have model files checked in this process, which takes less time."""

    def check_model(path: Path, kind: Any, settings: dict[str, Any], classes: int) -> dict[str, Any]:
        checked = check(path, kind, settings, classes)
        return {"kind": checked.kind, "labels": checked.labels, "settings": checked.settings.model_dump()}

    monkeypatch.setattr(registry, "check_model", check_model)


@pytest.fixture
def detection_requests(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """What detections are asked for."""
    requests: list[Request] = []
    run = Computer.run

    def record_and_run(computer: Computer, request: Request, *rest: Any, **named: Any) -> Any:
        requests.append(request)
        return run(computer, request, *rest, **named)

    monkeypatch.setattr(Computer, "run", record_and_run)
    return requests


@pytest.fixture
def passed_items(site: Site, database: Database) -> list[dict[str, Any]]:
    """Three passed items whose photos are compared."""
    items = [site.passed_item() for _ in range(3)]
    wait_for_memory(site, database, items[0])
    return items


def boxes(entry: dict[str, Any]) -> list[dict[str, Any]]:
    return list(entry["resultImage"]["boxes"])


def test_finding_has_a_second_opinion_while_a_backbone_is_enabled(
    client: TestClient, site: Site, passed_items: list[dict[str, Any]], tmp_path: Path
) -> None:
    item = site.item(photo=stained_photo(50))
    plain = site.detect(item)
    assert all("second_opinion" not in box for box in boxes(plain))
    model = add_backbone(client, backbone_model(tmp_path / "b.onnx", (128, 128), leading=1), "patches")
    assert boxes(site.detect(item)) == boxes(plain)
    enable(client, model)
    entry = site.detect(item)
    opinions = [box.pop("second_opinion") for box in boxes(entry)]
    assert len(opinions) == 1
    for opinion in opinions:
        assert 0 <= opinion.pop("value") <= 1
        assert opinion == {
            "photos": 3,
            "model_id": model["model_id"],
            "model_name": "patches",
            "model_version": 1,
            "model_sha256": model["sha256"],
        }
    changing = {"version", "job_id", "provenance", "resultImage"}
    assert {key: value for key, value in entry.items() if key not in changing} == {
        key: value for key, value in plain.items() if key not in changing
    }
    assert boxes(entry) == boxes(plain)
    assert all("second_opinion" not in suppressed["box"] for suppressed in entry["suppressed"])
    client.put(f"/api/detection/models/{model['model_id']}", json={"enabled": False})
    assert boxes(site.detect(item)) == boxes(plain)


@ON_ONE_DATABASE
def test_photos_that_left_the_memory_or_show_a_kept_finding_are_not_used(
    client: TestClient,
    site: Site,
    passed_items: list[dict[str, Any]],
    database: Database,
    detection_requests: list[Request],
    tmp_path: Path,
) -> None:
    enable(client, add_backbone(client, backbone_model(tmp_path / "b.onnx", (128, 128)), "patches"))
    more = [site.passed_item() for _ in range(2)]
    kept = site.item(photo=stained_photo(60))
    entry = site.detect(kept)
    correction = {
        "of_version": entry["version"],
        "boxes": [{**box, "origin": "model", "accepted": True} for box in boxes(entry)],
    }
    path = f"/api/inspection_item/{kept['item_id']}"
    assert client.post(f"{path}/boxes", json=correction).status_code == 200
    site.decide(kept)
    wait_for_memory(site, database, kept)
    item = site.item(photo=stained_photo(61))
    site.detect(item)
    opinion = detection_requests[-1].second_opinion
    assert opinion is not None
    assert len(opinion.photos) == 5
    site.change(item, left_out={more[0]["file_id"]: True})
    wait_for_memory(site, database, item)
    (box, *_) = boxes(site.detect(item))
    assert box["second_opinion"]["photos"] == 4


@ON_ONE_DATABASE
def test_backbone_that_ends_the_process_is_left_out_at_the_next_attempt(
    client: TestClient,
    site: Site,
    passed_items: list[dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    enable(client, add_backbone(client, backbone_model(tmp_path / "b.onnx", (128, 128)), "patches"))
    ask_frame = ComputeProcess.ask_frame

    def die_on_second_opinion(
        process: ComputeProcess, request: dict[str, Any], *rest: Any, **named: Any
    ) -> Any:
        if request.get("second_opinion") is not None:
            raise ProcessDied
        return ask_frame(process, request, *rest, **named)

    monkeypatch.setattr(ComputeProcess, "ask_frame", die_on_second_opinion)
    entry = site.detect(site.item(photo=stained_photo(70)))
    assert (entry["progress"], entry["provenance"]["attempt"]) == ("done", 2)
    assert [box for box in boxes(entry) if "second_opinion" in box] == []


@ON_ONE_DATABASE
def test_lost_file_of_the_backbone_fails_no_detection(
    client: TestClient,
    site: Site,
    passed_items: list[dict[str, Any]],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    model = add_backbone(client, backbone_model(tmp_path / "b.onnx", (128, 128)), "patches")
    enable(client, model)
    files = [path for path in tmp_path.rglob(f"*{model['sha256']}*") if path.is_file()]
    for path in files:
        path.unlink()
    assert files
    entry = site.detect(site.item(photo=stained_photo(80)))
    assert all("second_opinion" not in box for box in boxes(entry))
    assert "is lost: findings get no second opinion" in caplog.text
