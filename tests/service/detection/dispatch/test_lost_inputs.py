"""Tests that losing a job's files, disk or process ends in a clear error or in one result."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.detection.compute.compute_process import ComputeProcess
from service.detection.compute.computer import Computer
from service.detection.failure import DetectionFailed
from service.detection.messages import Request
from service.settings import Settings
from service.stores.contents import Contents
from shared import samples
from tests.service.answers import read_data
from tests.service.detection.conftest import Held
from tests.service.detection.dispatch.test_batches import more
from tests.service.detection.dispatch.test_entries import wait_for_end
from tests.service.detection.dispatch.test_jobs import add_photo, detect, encode, make_item, results
from tests.service.detection.graphs import brightness_model
from tests.service.waiting import wait_until

pytestmark = pytest.mark.slow


@pytest.fixture
def seen_by_model(client: TestClient, tmp_path: Path, scene: samples.Scene) -> dict[str, Any]:
    """An item for an ONNX model, with a photo."""
    path = brightness_model(tmp_path / "bright.onnx")
    with path.open("rb") as file:
        answer = client.post("/api/detection/models", data={"model_name": "bright"}, files={"file": file})
    item = make_item(client, model_id=read_data(answer)["model_id"])
    add_photo(client, item, scene.photo)
    return item


def model_file(settings: Settings) -> Path:
    (path,) = (settings.data_dir / "models").glob("*.onnx")
    return path


def photo_file(client: TestClient, settings: Settings, item: dict[str, Any]) -> Path:
    (photo,) = client.get(f"/api/inspection_item/{item['item_id']}/photos").json()["data"]
    sha256 = client.get(f"/api/files/{photo['file_id']}").json()["data"]["sha256"]
    return settings.files_dir / str(sha256[:2]) / str(sha256[2:])


def test_job_reports_a_lost_model_file(
    client: TestClient, seen_by_model: dict[str, Any], settings: Settings
) -> None:
    path = model_file(settings)
    away = path.rename(path.with_suffix(".away"))
    job = detect(client, seen_by_model)
    assert (job["state"], job["error"]) == ("failed", "model_lost")
    assert results(client, seen_by_model)[0]["error"] == {"code": "model_lost", "message": job["message"]}
    away.rename(path)
    assert detect(client, seen_by_model)["state"] == "done"


def test_model_or_photo_lost_while_the_job_waits_fails_the_job(
    client: TestClient,
    seen_by_model: dict[str, Any],
    settings: Settings,
    held: Held,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A photo that was decoded in advance is not missed.
    monkeypatch.setattr(ComputeProcess, "prepare_next", lambda *_: None)
    path = model_file(settings)
    job = detect(client, seen_by_model, wait=0)
    assert held.started.wait(60)
    away = path.rename(path.with_suffix(".away"))
    held.go.set()
    assert wait_for_end(client, job)["error"] == "model_failed"
    away.rename(path)
    held.started.clear()
    held.go.clear()
    job = detect(client, seen_by_model, wait=0)
    assert held.started.wait(60)
    photo_file(client, settings, seen_by_model).unlink()
    held.go.set()
    assert wait_for_end(client, job)["error"] == "file_lost"
    assert detect(client, seen_by_model)["error"] == "file_lost"
    assert [entry["progress"] for entry in results(client, seen_by_model)] == ["error"] * 3


def test_a_full_disk_fails_the_job_and_the_next_one_has_its_result(
    client: TestClient, item: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(contents: Contents, incoming: Any) -> Path:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(Contents, "keep", full)
        job = detect(client, item)
    assert (job["state"], job["error"]) == ("failed", "disk_full")
    assert "磁盘" in job["message"]
    assert detect(client, item)["state"] == "done"
    assert [entry["progress"] for entry in results(client, item)] == ["error", "done"]


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")
def test_picture_that_does_not_fit_on_the_disk_is_reported(tmp_path: Path, scene: samples.Scene) -> None:
    files: dict[str, Any] = {}
    for name, image in (("reference", scene.reference), ("photo", scene.photo)):
        files[name] = str(tmp_path / f"{name}.png")
        Path(files[name]).write_bytes(encode(image))
    with Computer() as computer, pytest.raises(DetectionFailed) as failed:
        computer.run(Request("reference_difference", rendered="/dev/full", **files))
    assert failed.value.code == "disk_full"


def test_a_photo_that_ends_the_process_ahead_of_its_turn_fails_no_other_job(
    client: TestClient, item: dict[str, Any], scene: samples.Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared: list[str] = []

    def deadly(process: ComputeProcess, request: dict[str, Any]) -> None:
        prepared.append(request["photo"])
        process.kill()

    ask = ComputeProcess.ask

    def patient(process: ComputeProcess, request: Any, seconds: float, progress: Any) -> Any:
        if not prepared:
            wait_until(lambda: bool(prepared))
        return ask(process, request, seconds, progress)

    monkeypatch.setattr(ComputeProcess, "prepare_next", deadly)
    monkeypatch.setattr(ComputeProcess, "ask", patient)
    other = more(client, item, scene, inspection_id=item["inspection_id"])
    jobs = client.post(f"/api/inspection/{item['inspection_id']}/detect").json()["data"]
    assert [wait_for_end(client, job)["state"] for job in jobs] == ["done", "done"]
    assert len(prepared) == 1
    for one in (item, other):
        (entry,) = results(client, one)
        assert entry["provenance"]["attempt"] <= 2


def test_prefetched_photo_is_used_for_its_request_only(tmp_path: Path, scene: samples.Scene) -> None:
    paths = [tmp_path / name for name in ("reference.png", "photo.png", "other.png")]
    for path, image in zip(paths, (scene.reference, scene.photo, scene.reference), strict=True):
        path.write_bytes(encode(image))
    reference, photo, other = map(str, paths)
    request = Request("reference_difference", photo, reference)
    with Computer() as computer:
        expected = computer.run(request).boxes
        assert expected
        computer.read_ahead(request)
        assert computer.run(Request("reference_difference", other, reference)).boxes == []
        computer.read_ahead(request)
        # One thread reads: once it has come to this, it has read the photo.
        computer._reader.submit(lambda: None).result()
        Path(photo).unlink()
        assert computer.run(request).boxes == expected
        with pytest.raises(DetectionFailed) as failed:
            computer.run(request)
        assert failed.value.code == "file_lost"


def test_next_request_is_prefetched_with_its_reference_image(tmp_path: Path, scene: samples.Scene) -> None:
    for name, image in (("reference.png", scene.reference), ("photo.png", scene.photo)):
        (tmp_path / name).write_bytes(encode(image))
        (tmp_path / f"next-{name}").write_bytes(encode(image))
    first, following = (
        Request(
            "reference_difference", str(tmp_path / f"{kind}photo.png"), str(tmp_path / f"{kind}reference.png")
        )
        for kind in ("", "next-")
    )
    with Computer() as computer:
        expected = computer.run(first, then=following).boxes
        computer._reader.submit(lambda: None).result()
        for path in tmp_path.glob("next-*"):
            path.unlink()
        assert computer.run(following).boxes == expected


def test_too_large_photo_is_not_prefetched(
    tmp_path: Path, scene: samples.Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.detection.compute.computer._PREFETCH_PIXELS", 100_000)
    for name, image in (("reference.png", scene.reference), ("photo.png", scene.photo)):
        (tmp_path / name).write_bytes(encode(image))
    request = Request(
        "reference_difference", str(tmp_path / "photo.png"), reference=str(tmp_path / "reference.png")
    )
    with Computer() as computer:
        computer.read_ahead(request)
        assert computer._ahead is not None
        with pytest.raises(DetectionFailed):
            computer._ahead.photo.result()
        assert computer.run(request).boxes


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells of it under /proc")
def test_a_process_that_computes_lets_others_go_first_and_ends_first_without_memory(tmp_path: Path) -> None:
    compute = ComputeProcess()
    try:
        request = {"kind": "reference_difference", "photo": str(tmp_path / "none.png")}
        assert compute.ask(request, 60, lambda _: None)["event"] == "failed"
        process = Path(f"/proc/{compute.pid}")
        assert compute.pid is not None
        priority = os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, compute.pid) == min(priority + 10, 19)
        assert int((process / "oom_score_adj").read_text()) >= 900
        (data,) = (row for row in (process / "limits").read_text().splitlines() if row.startswith("Max data"))
        assert int(data.split()[3]) <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 3 // 4
    finally:
        compute.close()
