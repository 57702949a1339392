"""Tests an alignment set by a user: used where none is found, measured and reported."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from service.detection.reference_difference import AlignmentFailed, detect
from service.detection.rules import for_photo
from shared import samples
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.wire.inspection import DetectionSettings
from tests.pictures import panel_image
from tests.service.detection.dispatch.test_item_settings import with_settings
from tests.service.detection.dispatch.test_jobs import add_photo
from tests.service.detection.dispatch.test_jobs import detect as ask
from tests.service.detection.dispatch.test_jobs import results as results_of

pytestmark = pytest.mark.slow

VIEW = samples.View(rotation=60, scale=0.6)
REGION = Rect(100, 100, 400, 300)


def blur(image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A photo too blurred for its place to be found, and reference px -> photo px."""
    photo, truth = samples.photograph(image, VIEW)
    return np.asarray(cv2.GaussianBlur(photo, (0, 0), 6)), np.asarray(truth, np.float64)


def test_refused_photo_is_compared_after_a_user_set_the_alignment() -> None:
    reference = panel_image(800, 600, 1)
    photo, truth = blur(reference)
    with pytest.raises(AlignmentFailed):
        detect(reference, REGION, photo)
    x, y = (truth @ [300, 250, 1])[:2]
    cv2.circle(photo, (round(x), round(y)), 22, (0, 0, 0), -1)
    # Off by some px, as clicks are.
    set_by_hand = np.array([[1, 0, 2.0], [0, 1, -1.5], [0, 0, 1]]) @ truth
    result = detect(reference, REGION, photo, None, set_by_hand)
    assert any(
        finding.box.x < x < finding.box.right and finding.box.y < y < finding.box.bottom
        for finding in result.boxes
    )
    assert 0 < result.alignment.score < 0.6
    assert result.alignment.inliers > 0


def test_alignment_by_clicks_is_refined_with_a_sharp_photo() -> None:
    reference = panel_image(800, 600, 1)
    photo, truth = samples.photograph(reference, samples.View(rotation=4, scale=0.95))
    off = np.array([[1, 0, 4.0], [0, 1, -3.0], [0, 0, 1]]) @ truth
    result = detect(reference, REGION, photo, None, off)
    corner = np.array([REGION.x, REGION.y, 1.0])
    mapped = result.alignment.homography @ corner
    assert np.abs(mapped[:2] / mapped[2] - (truth @ corner)[:2]).max() < 1
    assert result.alignment.score > 0.9


def test_an_alignment_that_no_camera_could_give_is_refused() -> None:
    reference = panel_image(800, 600, 1)
    mirrored = np.array([[-1.0, 0, 800], [0, 1, 0], [0, 0, 1]])
    with pytest.raises(AlignmentFailed):
        detect(reference, REGION, reference, None, mirrored)
    elsewhere = np.array([[1.0, 0, 390], [0, 1, 0], [0, 0, 1]])
    with pytest.raises(AlignmentFailed):
        detect(reference, REGION, np.full_like(reference, 128), None, elsewhere)


def test_entry_says_that_a_user_set_the_alignment_of_its_photo(
    client: TestClient, item: dict[str, Any], scene: samples.Scene
) -> None:
    photo, truth = blur(scene.reference)
    stored = add_photo(client, item, photo)
    assert ask(client, item)["error"] == "alignment_failed"
    alignment = {"photo_file_id": stored["file_id"], "homography": truth.tolist()}
    with_settings(client, item, {"alignment": alignment})
    assert ask(client, item)["state"] == "done"
    provenance = results_of(client, item)[-1]["provenance"]
    assert provenance["alignment"]["set_by"] == "person"
    assert 0 < provenance["alignment"]["score"] < 1
    assert provenance["settings"]["alignment"] == alignment
    with_settings(client, item, {"alignment": {**alignment, "photo_file_id": "another"}})
    assert ask(client, item)["error"] == "alignment_failed"
    flat = {**alignment, "homography": [[1, 0, 0], [1, 0, 0], [0, 0, 1]]}
    with_settings(client, item, {"alignment": flat})
    assert ask(client, item)["error"] == "item_settings_wrong"


def test_settings_of_another_photo_lose_only_the_alignment() -> None:
    alignment = {"photo_file_id": "a", "homography": np.eye(3).tolist()}
    settings = DetectionSettings.model_validate({"sensitivity": 0.7, "alignment": alignment})
    assert for_photo(settings, "a") == settings
    assert for_photo(settings, "b") == DetectionSettings(sensitivity=0.7)
