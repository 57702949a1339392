"""Fixtures of the memory's tests: records on one reference image whose lamp is lit on some photos."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.detection.compute import variation_worker, worker
from service.detection.compute.compute_process import ComputeProcess
from service.detection.compute.computer import Computer
from service.workers.frames import Frame, Report
from shared import samples
from shared.images.cv import cv2
from shared.samples import View
from tests.pictures import panel_image
from tests.service.answers import read_body, read_data
from tests.service.detection.dispatch.test_jobs import encode, upload

MODEL = "reference-difference"
WHOLE = {"x": 0, "y": 0, "w": 1, "h": 1}


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def database_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


ON_ONE_DATABASE = pytest.mark.parametrize("database_kind", ["sqlite"])
"""What it decides with has no SQL of its own: the other tests run its statements on both databases."""


def picture(number: int, *, lit: bool = True) -> bytes:
    """A photo of the panel, with a lamp that is lit or not; another one for each number."""
    panel = panel_image(320, 320, 11).copy()
    if lit:
        cv2.circle(panel, (230, 90), 18, (90, 220, 250), -1, cv2.LINE_AA)
    photo, _ = samples.photograph(panel, View(light=0.1, noise=2), number)
    return encode(photo)


class Site:
    """What an inspector does at one region of a reference image."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.reference = upload(client, "reference.png", encode(panel_image(320, 320, 11)))
        body = {"reference_image_name": "panel", "file_id": self.reference["file_id"]}
        image = read_data(client.post("/api/catalogue/reference-images", json=body))
        self.image_id: str = image["reference_image_id"]
        self.photos = 0

    def item(self, *, lit: bool = True, photo: bytes | None = None, **fields: Any) -> dict[str, Any]:
        """An item of a new record, with a photo of its own; `photo_id` and `file_id` are the photo's."""
        body = {"task_id": "t", "inspection_name": "walk", "reference_image_id": self.image_id}
        record = self.client.post("/api/inspection/create", json=body).json()["data"]
        self.photos += 1
        given = {
            "item_name": "lamp",
            "inspection_id": record["inspection_id"],
            "model_id": MODEL,
            "item_point": {"point": WHOLE},
            **fields,
        }
        item = read_body(self.client.post("/api/inspection_item/create", json=given))
        data = picture(self.photos, lit=lit) if photo is None else photo
        file = upload(self.client, f"{self.photos}.png", data)
        path = f"/api/inspection_item/{item['item_id']}/photos"
        added = read_data(self.client.post(path, json={"file_id": file["file_id"]}))
        return {**item, "file_id": file["file_id"], "photo_id": added["photo_id"]}

    def decide(self, item: dict[str, Any], verdict: str = "passed") -> None:
        """A person's verdict on the item."""
        body = {"verdict": verdict, "reason": "dirt" if verdict == "passed" else "a dent"}
        answer = self.client.post(f"/api/inspection_item/{item['item_id']}/verdict", json=body)
        assert answer.status_code == 200, answer.text

    def passed_item(self, **fields: Any) -> dict[str, Any]:
        """An item that a person passed."""
        item = self.item(**fields)
        self.decide(item)
        return item

    def memory(self, item: dict[str, Any]) -> dict[str, Any]:
        """The memory of the item's region."""
        return read_data(self.client.get(f"/api/inspection_item/{item['item_id']}/memory"))

    def change(self, item: dict[str, Any], **changes: Any) -> dict[str, Any]:
        """Change the memory of the item's region."""
        return read_data(self.client.put(f"/api/inspection_item/{item['item_id']}/memory", json=changes))

    def detect(self, item: dict[str, Any]) -> dict[str, Any]:
        """The result entry of a detection in the item's newest photo."""
        path = f"/api/inspection_item/{item['item_id']}"
        answer = self.client.post(f"{path}/detect?wait=60")
        assert answer.json()["data"]["state"] == "done", answer.text
        entry: dict[str, Any] = self.client.get(path).json()["result"][-1]
        return entry


@pytest.fixture
def site(client: TestClient, computed_here: None) -> Site:
    """A region whose memory is empty; what the child processes do is done here, which takes less time."""
    return Site(client)


@pytest.fixture
def computed_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have detections and photos computed in this process, by what the child processes run."""
    turn = threading.Lock()
    with Computer() as computer:

        def ask_frame(
            _process: ComputeProcess,
            request: dict[str, Any],
            _seconds: float,
            progress: Report = lambda _percent: None,
            contents: Sequence[bytes] = (),
        ) -> Frame:
            message = {**request, "known": [len(content) for content in contents]} if contents else request
            frame = Frame(json.loads(json.dumps(message)), b"".join(contents))
            with turn:
                if "request" in request:
                    return variation_worker._answer(computer, frame)
                return Frame({**worker._answer(computer, frame, progress)})

        monkeypatch.setattr(ComputeProcess, "ask_frame", ask_frame)
        yield


def file_ids(memory: dict[str, Any]) -> list[str]:
    """The photos that a memory lists, newest first."""
    return [photo["file_id"] for photo in memory["photos"]]
