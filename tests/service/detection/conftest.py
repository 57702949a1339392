"""Provides fixtures of the detection tests: a damaged panel, and an item whose photo shows it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.detection.compute.compute_process import ComputeProcess
from shared import samples
from shared.samples import View
from tests.service.detection.dispatch.test_jobs import add_photo, encode, make_item, upload


@pytest.fixture(scope="module")
def scene() -> samples.Scene:
    """A panel with two defects and a photo of it."""
    return samples.draw_scene(640, 480, 3, kinds=("added", "stain"), view=View(rotation=2, noise=2))


@pytest.fixture
def item(client: TestClient, scene: samples.Scene) -> dict[str, Any]:
    """An item with a reference image, a region and a damaged photo, for the built-in model."""
    reference = upload(client, "reference.png", encode(scene.reference))
    point = {
        "point": {"x": 0, "y": 0, "w": 1, "h": 1},
        "fileInfo": {"download_url": reference["download_url"]},
    }
    created = make_item(client, model_id="reference-difference", item_point=point)
    add_photo(client, created, scene.photo, "今天.png")
    return created


class Held:
    """The computation pauses until `go` is set. `started` is set when it was requested."""

    def __init__(self) -> None:
        self.started, self.go = threading.Event(), threading.Event()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    """Every run of a model waits."""
    ask, gate = ComputeProcess.ask, Held()

    def waiting(process: ComputeProcess, request: Any, seconds: float, progress: Any) -> Any:
        gate.started.set()
        gate.go.wait(60)
        return ask(process, request, seconds, progress)

    monkeypatch.setattr(ComputeProcess, "ask", waiting)
    yield gate
    gate.go.set()
