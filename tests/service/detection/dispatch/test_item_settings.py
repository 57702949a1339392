"""Tests the settings of an item, which replace those of its model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from shared import samples
from tests.service.detection.dispatch.test_entries import path
from tests.service.detection.dispatch.test_jobs import add_photo, detect
from tests.service.detection.dispatch.test_jobs import results as results_of
from tests.service.detection.graphs import constant_model
from tests.service.detection.models.test_registry import add
from tests.service.detection.onnx.test_detectors import nms_free

pytestmark = pytest.mark.slow


def with_settings(client: TestClient, item: dict[str, Any], settings: Any) -> None:
    point = {**item["item_point"], "detection": settings}
    assert client.put(path(item), json={"item_point": point}).json()["item_point"] == point


def test_settings_of_an_item_are_used_and_recorded(client: TestClient, item: dict[str, Any]) -> None:
    everything = {"x": 0, "y": 0, "w": 1, "h": 1}
    settings = {"sensitivity": 0.7, "smallest": 4, "ignored": [everything], "own": 1}
    with_settings(client, item, settings)
    assert detect(client, item)["state"] == "done"
    (entry,) = results_of(client, item)
    # An ignored area was not inspected: nothing is found there, and it is no pass.
    assert (entry["isPassed"], entry["progress"]) == (False, "incomplete")
    assert entry["resultImage"]["boxes"] == []
    assert entry["provenance"]["settings"] == settings
    thresholds = entry["provenance"]["thresholds"]
    assert (thresholds["sensitivity"], thresholds["smallest"]) == (0.7, 4)
    with_settings(client, item, None)
    detect(client, item)
    found = results_of(client, item)[-1]
    assert found["resultImage"]["boxes"]
    assert found["provenance"]["settings"] is None
    box = found["resultImage"]["boxes"][0]["points"]
    # The whole picture but the place of one finding.
    right = {"x": (box["x2"] + 25) / 640, "y": 0, "w": 1 - (box["x2"] + 25) / 640, "h": 1}
    left = {"x": 0, "y": 0, "w": (box["x1"] - 25) / 640, "h": 1}
    with_settings(client, item, {"ignored": [area for area in (left, right) if area["w"] > 0]})
    detect(client, item)
    (only,) = results_of(client, item)[-1]["resultImage"]["boxes"]
    assert abs(only["points"]["x1"] - box["x1"]) < 5


@pytest.mark.parametrize(
    "wrong",
    [
        {"sensitivity": 7},
        {"sensitivity": "high"},
        {"smallest": -1},
        {"ignored": [{"x": 0.9, "y": 0, "w": 0.5, "h": 1}]},
        {"ignored": "all"},
        ["sensitive"],
    ],
)
def test_invalid_settings_fail_the_detection(client: TestClient, item: dict[str, Any], wrong: Any) -> None:
    with_settings(client, item, wrong)
    assert detect(client, item)["error"] == "item_settings_wrong"
    (entry,) = results_of(client, item)
    assert (entry["progress"], entry["isPassed"]) == ("error", False)
    assert "检测参数无效" in entry["error"]["message"]


def test_an_onnx_detector_leaves_out_what_lies_in_ignored_parts_of_the_reference(
    client: TestClient, item: dict[str, Any], scene: samples.Scene, tmp_path: Path
) -> None:
    # A box in the middle of the photo, whose place on the reference is within some px of the same.
    file = constant_model(tmp_path / "m.onnx", nms_free())
    model = add(client, file, settings='{"sliced": 0}').json()["data"]
    client.put(path(item), json={"model_id": model["model_id"]})
    middle = {"x": 0.4, "y": 0.4, "w": 0.2, "h": 0.2}
    corner = {"x": 0, "y": 0, "w": 0.2, "h": 0.2}
    for ignored, passed in (([corner], False), ([corner, middle], True)):
        with_settings(client, item, {"ignored": ignored})
        assert detect(client, item)["state"] == "done"
        entry = results_of(client, item)[-1]
        assert entry["isPassed"] is passed
        assert len(entry["resultImage"]["boxes"]) == (not passed)
        assert entry["provenance"]["alignment"]["inliers"] > 10
    strange = samples.draw_panel(640, 480, 77).image[::-1, ::-1].copy()
    strange[:] = 128
    add_photo(client, item, strange)
    assert detect(client, item)["error"] == "alignment_failed"
