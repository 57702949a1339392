"""Tests one photo for several items through the real service: matching, assignment, detection."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from service.detection.compute.compute_process import ComputeProcess
from service.detection.compute.computer import Computer
from service.detection.compute.placing import assigned_alignment, enlarge_alignment, with_start
from service.detection.messages import Request
from service.detection.onnx.detector import Detector
from service.detection.reference_difference import AlignmentFailed
from service.workers.child import ProcessDied
from shared import samples
from shared.images.cv import cv2
from shared.samples import View
from tests.service.answers import read_data
from tests.service.detection.compute.test_appearances import gravel, surface
from tests.service.detection.dispatch.test_jobs import add_photo, detect, encode, results, upload
from tests.service.detection.graphs import spots_model
from tests.service.detection.models.test_registry import add

pytestmark = pytest.mark.slow

WIDTH, HEIGHT = 900, 700
REGIONS = [(0.05, 0.05, 0.4, 0.4), (0.55, 0.05, 0.4, 0.4), (0.05, 0.55, 0.4, 0.4), (0.55, 0.55, 0.4, 0.4)]
VIEW = View(rotation=4, scale=0.9, gain=1.05, noise=2)


@dataclass
class Scene:
    """A record with four regions on one reference image, and a photo of all of it with two defects."""

    client: TestClient
    record: str
    items: list[dict[str, Any]]
    drawn: samples.Scene

    @property
    def path(self) -> str:
        return f"/api/inspection/{self.record}/record-photos"

    def add(self, image: samples.Image, name: str = "全景.png") -> str:
        file_id = upload(self.client, name, encode(image))["file_id"]
        return str(read_data(self.client.post(self.path, json={"file_id": file_id}))["photo_id"])

    def match(self, photo_id: str) -> dict[str, Any]:
        # A busy machine may take longer than one request may wait.
        for _attempt in range(5):
            photo = read_data(self.client.post(f"{self.path}/{photo_id}/match", params={"wait": 60}))
            if photo["state"] != "waiting":
                break
        return photo

    def assign(self, photo_id: str, *items: dict[str, Any]) -> dict[str, Any]:
        return read_data(self.client.put(f"{self.path}/{photo_id}/items", json={"items": list(items)}))

    def use(self, model_id: str) -> None:
        for item in self.items:
            changed = self.client.put(f"/api/inspection_item/{item['item_id']}", json={"model_id": model_id})
            assert changed.status_code == 200, changed.text


@pytest.fixture
def scene(client: TestClient) -> Scene:
    drawn = samples.draw_scene(WIDTH, HEIGHT, 3, kinds=("added", "stain"), view=VIEW)
    file = upload(client, "reference.png", encode(drawn.reference))
    body = {"reference_image_name": "左翼", "file_id": file["file_id"]}
    image = client.post("/api/catalogue/reference-images", json=body).json()["data"]["reference_image_id"]
    record = client.post("/api/inspection/create", json={"task_id": "t", "reference_image_id": image})
    inspection_id = record.json()["data"]["inspection_id"]
    items = []
    for number, (x, y, w, h) in enumerate(REGIONS):
        given = {
            "item_name": f"区域 {number}",
            "inspection_id": inspection_id,
            "model_id": "reference-difference",
            "item_point": {"point": {"x": x, "y": y, "w": w, "h": h}},
        }
        items.append(client.post("/api/inspection_item/create", json=given).json())
    return Scene(client, inspection_id, items, drawn)


def owner(scene: Scene, defect: samples.Defect) -> int | None:
    """The region with the middle of a defect."""
    x, y = defect.box.centre
    inside = (left <= x / WIDTH < left + w and top <= y / HEIGHT < top + h for left, top, w, h in REGIONS)
    return next((number for number, is_inside in enumerate(inside) if is_inside), None)


def test_one_photo_serves_every_region_that_it_shows(scene: Scene) -> None:
    photo = scene.match(scene.add(scene.drawn.photo))
    assert photo["state"] == "matched"
    assert [match["item_id"] for match in photo["matches"]] == [item["item_id"] for item in scene.items]
    for match, (x, y, w, h) in zip(photo["matches"], REGIONS, strict=True):
        assert match["covered"]
        corners = np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]]) * (WIDTH, HEIGHT)
        mapped = np.c_[corners, np.ones(4)] @ scene.drawn.homography.T
        assert np.abs(np.array(match["corners"]) - mapped[:, :2] / mapped[:, 2:]).max() < 3
    covered = [{"item_id": match["item_id"]} for match in photo["matches"] if match["covered"]]
    assigned = scene.assign(photo["photo_id"], *covered)
    assert [match["assigned"] for match in assigned["items"]] == ["alignment"] * 4
    answer = scene.client.post(f"/api/inspection/{scene.record}/detect").json()["data"]
    assert len(answer) == 4
    counts = {}
    for number, item in enumerate(scene.items):
        assert detect(scene.client, item)["state"] == "done"
        entry = results(scene.client, item)[-1]
        assert entry["inputImage"]["file_id"] == photo["file_id"]
        assert entry["provenance"]["alignment"]["set_by"] == "model"
        counts[number] = len(entry["resultImage"]["boxes"])
    expected = [owner(scene, defect) for defect in scene.drawn.defects]
    assert [counts[number] > 0 for number in range(4)] == [number in expected for number in range(4)]


def test_a_photo_of_something_else_waits_in_the_tray(scene: Scene) -> None:
    strange = np.random.default_rng(1).integers(0, 255, (500, 700, 3), np.uint8)
    photo = scene.match(scene.add(strange))
    assert (photo["state"], photo["matches"], photo["items"]) == ("unmatched", [], [])


def test_a_match_has_its_turn_between_detections(scene: Scene, held: Any) -> None:
    """A match does not wait for all the detections that wait."""
    photo_id = scene.add(scene.drawn.photo)
    scene.assign(photo_id, *({"item_id": item["item_id"]} for item in scene.items))
    jobs = scene.client.post(f"/api/inspection/{scene.record}/detect").json()["data"]
    assert held.started.wait(20)
    photo = scene.client.post(f"{scene.path}/{photo_id}/match").json()["data"]
    assert photo["state"] == "waiting"
    order: list[str] = []
    send = ComputeProcess.ask

    def note_order(process: ComputeProcess, request: Any, seconds: float, progress: Any) -> Any:
        order.append("match" if "match" in request else "detect")
        return send(process, request, seconds, progress)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ComputeProcess, "ask", note_order)
        held.go.set()
        assert scene.match(photo_id)["state"] == "matched"
        for job in jobs:
            item = next(one for one in scene.items if one["item_id"] == job["item_id"])
            assert detect(scene.client, item)["state"] == "done"
    # Behind the one that was handed out already, before the last.
    assert order.index("match") <= 1
    assert "detect" in order[order.index("match") :]


def test_a_compute_process_that_dies_is_said(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*_arguments: Any) -> Any:
        raise ProcessDied(timed_out=True)

    photo_id = scene.add(scene.drawn.photo)
    with monkeypatch.context() as patch:
        patch.setattr(ComputeProcess, "ask", dies)
        photo = scene.match(photo_id)
    assert (photo["state"], photo["error"]) == ("failed", "timed_out")
    assert photo["message"].startswith("检测超时")
    assert scene.match(photo_id)["state"] == "matched"


def test_a_lost_file_is_said(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    photo_id = scene.add(scene.drawn.photo)

    def raise_not_found(*_arguments: Any) -> Any:
        raise FileNotFoundError

    monkeypatch.setattr("service.files.service.FilesService.path_of_file", raise_not_found)
    photo = scene.match(photo_id)
    assert (photo["state"], photo["error"]) == ("failed", "file_lost")


def draw_spots(scene: Scene) -> tuple[samples.Image, list[tuple[float, float]]]:
    """A dark photo with a bright spot in the middle of the first region and one in that of the last."""
    photo = np.full_like(scene.drawn.photo, 40)
    middles = []
    for x, y, w, h in (REGIONS[0], REGIONS[3]):
        u, v, depth = scene.drawn.homography @ ((x + w / 2) * WIDTH, (y + h / 2) * HEIGHT, 1)
        cv2.circle(photo, (int(u / depth), int(v / depth)), 9, (255, 255, 255), -1)
        middles.append((float(u / depth), float(v / depth)))
    return photo, middles


def test_findings_of_a_model_count_in_the_region_that_they_lie_in(scene: Scene, tmp_path: Path) -> None:
    model = add(
        scene.client, spots_model(tmp_path / "spots.onnx"), settings='{"confidence": 0.6, "sliced": 0}'
    )
    assert model.status_code == 200, model.text
    scene.use(model.json()["data"]["model_id"])
    photo, middles = draw_spots(scene)
    photo_id = scene.add(photo)
    homography = scene.drawn.homography.tolist()
    placed = [{"item_id": item["item_id"], "homography": homography} for item in scene.items[:3]]
    # The last is assigned without a place: all that is found counts for it.
    scene.assign(photo_id, *placed, {"item_id": scene.items[3]["item_id"]})
    counts = []
    for item in scene.items:
        assert detect(scene.client, item)["state"] == "done"
        entry = results(scene.client, item)[-1]
        boxes = entry["resultImage"]["boxes"]
        assert entry["isPassed"] is not bool(boxes)
        counts.append(len(boxes))
        if item in scene.items[:3]:
            assert np.allclose(entry["provenance"]["alignment"]["homography"], homography)
            assert entry["provenance"]["alignment"]["set_by"] == "person"
    assert counts[0] > 0
    assert counts[1:3] == [0, 0]
    assert counts[3] > counts[0]
    for box in results(scene.client, scene.items[0])[-1]["resultImage"]["boxes"]:
        x = (box["points"]["x1"] + box["points"]["x2"]) / 2
        y = (box["points"]["y1"] + box["points"]["y2"]) / 2
        assert np.hypot(x - middles[0][0], y - middles[0][1]) < 60


def test_an_own_photo_counts_whole(scene: Scene, tmp_path: Path) -> None:
    model = add(
        scene.client, spots_model(tmp_path / "spots.onnx"), settings='{"confidence": 0.6, "sliced": 0}'
    )
    scene.use(model.json()["data"]["model_id"])
    photo, _ = draw_spots(scene)
    add_photo(scene.client, scene.items[1], photo)
    assert detect(scene.client, scene.items[1])["state"] == "done"
    entry = results(scene.client, scene.items[1])[-1]
    assert entry["resultImage"]["boxes"]
    assert entry["provenance"]["alignment"] is None


def test_items_that_share_photo_and_model_run_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []
    look = Detector.detect

    def count_call(*arguments: Any) -> Any:
        runs.append(1)
        return look(*arguments)

    monkeypatch.setattr(Detector, "detect", count_call)
    photo = np.full((640, 640, 3), 30, np.uint8)
    photo[100:116, 100:116] = photo[520:536, 520:536] = 255
    path = tmp_path / "photo.png"
    path.write_bytes(encode(photo))
    settings = {"confidence": 0.6, "sliced": 0}
    model = str(spots_model(tmp_path / "spots.onnx"))

    def request(**more: Any) -> Request:
        fields = {"model": model, "sha256": "m", "settings": settings, "photo_sha256": "p", **more}
        return Request("nms_free", str(path), **fields)

    def quad(x: float, y: float) -> list[list[float]]:
        return [[x, y], [x + 200, y], [x + 200, y + 200], [x, y + 200]]

    with Computer() as computer:
        whole = computer.run(request()).boxes
        first = computer.run(request(within=quad(0, 0))).boxes
        last = computer.run(request(within=quad(400, 400))).boxes
        none = computer.run(request(within=quad(220, 220)))
        assert len(runs) == 1
        assert (none.boxes, none.passed) == ([], True)
        assert sorted(map(str, first + last)) == sorted(map(str, whole))
        assert len(first) == len(last) > 0
        # Another photo, model or setting is another run; what has no known content is never remembered.
        computer.run(request(photo_sha256="q"))
        computer.run(request(sha256="n"))
        computer.run(request(settings={**settings, "confidence": 0.7}))
        assert len(runs) == 4
        for _ in range(2):
            computer.run(request(photo_sha256=None))
        assert len(runs) == 6


SHIFT = [[1.0, 0.0, 10.0], [0.0, 1.0, 20.0], [0.0, 0.0, 1.0]]
TWICE = [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]]


@pytest.mark.parametrize(
    ("more", "starts"),
    [
        ({}, [None]),
        # What the matching found is the start only where nothing else helps.
        ({"place": SHIFT}, [None, SHIFT]),
        ({"place": SHIFT, "place_by_person": True}, [SHIFT]),
        ({"place": SHIFT, "item": {"alignment": {"photo_file_id": "p", "homography": TWICE}}}, [TWICE]),
    ],
)
def test_what_a_comparison_starts_with(more: dict[str, Any], starts: list[Any]) -> None:
    tried: list[Any] = []

    def fails(start: Any) -> None:
        tried.append(None if start is None else start.tolist())
        raise AlignmentFailed("no_match")

    with pytest.raises(AlignmentFailed):
        with_start(Request("reference_difference", "photo", **more), 1.0, 1.0, fails)
    assert tried == starts
    tried.clear()
    assert with_start(
        Request("reference_difference", "photo", **more), 1.0, 1.0, lambda start: start is None
    ) is (starts[0] is None)


def test_a_start_is_scaled_to_the_decoded_pictures() -> None:
    request = Request("reference_difference", "photo", place=SHIFT, place_by_person=True)
    start = with_start(request, 0.5, 0.25, lambda start: start)
    assert start is not None
    # (100, 60) of the reference file is (110, 80) of the photo file.
    assert np.allclose(start @ (50, 30, 1), (27.5, 20, 1))
    alignment = enlarge_alignment(assigned_alignment(request, 0.25), 0.25)
    assert alignment is not None
    assert np.allclose(alignment["homography"], SHIFT)


def test_photo_of_a_fixed_camera_is_matched_with_the_image_that_it_looks_like(client: TestClient) -> None:
    """Nothing in it can be aligned; a second camera has a reference image of its own."""
    files = [upload(client, f"{n}.png", encode(image)) for n, image in enumerate((gravel(0), surface(0)))]
    image = client.post(
        "/api/catalogue/reference-images",
        json={"reference_image_name": "砾石", "file_id": files[0]["file_id"]},
    ).json()["data"]["reference_image_id"]
    created = client.post("/api/inspection/create", json={"task_id": "t", "reference_image_id": image})
    record = created.json()["data"]["inspection_id"]
    items = []
    for number, region in enumerate((REGIONS[0], REGIONS[3], REGIONS[0])):
        point = dict(zip("xywh", region, strict=True))
        own = {"fileInfo": {"ipfs_cid": files[1]["ipfs_cid"]}} if number == 2 else {}
        given = {
            "item_name": f"{number}",
            "inspection_id": record,
            "item_point": {"point": point, "detection": {"place": "fixed"}, **own},
        }
        items.append(client.post("/api/inspection_item/create", json=given).json())
    scene = Scene(client, record, items, samples.draw_scene(64, 48, 3))

    first = scene.match(scene.add(cv2.resize(gravel(50), (720, 720)), "1.png"))
    second = scene.match(scene.add(surface(5), "2.png"))
    wide = scene.match(scene.add(cv2.resize(gravel(51), (900, 600)), "3.png"))

    ids = [item["item_id"] for item in items]
    assert [match["item_id"] for match in first["matches"]] == ids[:2]
    assert first["matches"][0]["homography"] == [[1.5, 0, 0], [0, 1.5, 0], [0, 0, 1]]
    assert first["matches"][0]["corners"] == [[36, 36], [324, 36], [324, 324], [36, 324]]
    assert first["matches"][0]["covered"]
    assert [match["item_id"] for match in second["matches"]] == ids[2:]
    assert wide["state"] == "unmatched"
