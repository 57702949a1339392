"""Tests that the photo of a job alone is decoded while the job is stored, and beside no running job."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from service.detection.compute.compute_process import ComputeProcess
from service.detection.compute.computer import _reading_key
from service.detection.messages import to_request
from shared import samples
from tests.service.detection.conftest import Held
from tests.service.detection.dispatch.test_batches import more
from tests.service.detection.dispatch.test_entries import wait_for_end
from tests.service.detection.dispatch.test_jobs import detect

pytestmark = pytest.mark.slow


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The requests for which a photo was prepared."""
    requests: list[dict[str, Any]] = []
    monkeypatch.setattr(ComputeProcess, "prepare_next", lambda _process, request: requests.append(request))
    return requests


def test_photo_is_prepared_as_its_job_reads_it(
    client: TestClient,
    item: dict[str, Any],
    prepared: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[dict[str, Any]] = []
    ask = ComputeProcess.ask

    def recording(process: ComputeProcess, request: Any, seconds: float, progress: Any) -> Any:
        asked.append(request)
        return ask(process, request, seconds, progress)

    monkeypatch.setattr(ComputeProcess, "ask", recording)
    assert detect(client, item)["state"] == "done"
    keys = [[_reading_key(to_request(dict(request))) for request in some] for some in (prepared, asked)]
    assert len(keys[0]) == 1
    assert keys[0] == keys[1]


def test_no_photo_is_prepared_for_a_new_job_beside_a_running_one(
    client: TestClient,
    item: dict[str, Any],
    scene: samples.Scene,
    prepared: list[dict[str, Any]],
    held: Held,
) -> None:
    other = more(client, item, scene, inspection_id=item["inspection_id"])
    first = client.post(f"/api/inspection_item/{item['item_id']}/detect").json()["data"]
    assert held.started.wait(60)
    second = client.post(f"/api/inspection_item/{other['item_id']}/detect").json()["data"]
    held.go.set()
    assert [wait_for_end(client, job)["state"] for job in (first, second)] == ["done", "done"]
    # A job that was taken prepares its photo with its whole request, whose picture has a file.
    assert [request["rendered"] is None for request in prepared] in ([True], [True, False])
