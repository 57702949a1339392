"""Tests detection in a photo that does not show the whole region, and in the reference image itself."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from shared import samples
from tests.service.detection.dispatch.test_jobs import add_photo, detect, encode, make_item, results, upload

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]


PANEL = samples.draw_panel(640, 480, 5).image
POINT = {"x": 0.1, "y": 0.1, "w": 0.8, "h": 0.8}


def item_with_photo(client: TestClient, photo: Any, **more: Any) -> dict[str, Any]:
    reference = upload(client, "reference.png", encode(PANEL))
    point = {"point": POINT, "fileInfo": {"download_url": reference["download_url"]}, **more}
    created = make_item(client, model_id="reference-difference", item_point=point)
    add_photo(client, created, photo)
    return created


def record_of(client: TestClient, item: dict[str, Any]) -> dict[str, Any]:
    path = f"/api/inspection/getInspectionById/{item['inspection_id']}"
    return dict(client.get(path).json()["data"])


def test_photo_of_three_quarters_of_the_region_does_not_pass(client: TestClient) -> None:
    # The region reaches from 64 to 576 px, the photo to 448 px.
    item = item_with_photo(client, PANEL[:, :448].copy())
    assert detect(client, item)["state"] == "done"
    (entry,) = results(client, item)
    assert (entry["isPassed"], entry["progress"]) == (False, "incomplete")
    assert entry["error"]["code"] == "incomplete_coverage"
    assert entry["provenance"]["coverage"]["inspected"] == pytest.approx(0.75, abs=0.02)
    assert entry["provenance"]["coverage"]["required"] == 0.95
    record = record_of(client, item)
    assert (record["inspection_status"], record["progress"]) == ("not_started", 0)
    finish = f"/api/inspection/{item['inspection_id']}/finish"
    refused = client.post(finish, json={"accept_model_opinion": True})
    assert (refused.status_code, refused.json()["data"]["error"]) == (409, "undecided_items")
    assert refused.json()["data"]["acceptable"] == 0


def test_photo_of_the_whole_region_passes_with_its_share(client: TestClient) -> None:
    item = item_with_photo(client, PANEL[:, :600].copy())
    detect(client, item)
    (entry,) = results(client, item)
    assert (entry["isPassed"], entry["progress"]) == (True, "done")
    assert entry["provenance"]["coverage"] == {"inspected": 1.0, "ignored": 0.0, "required": 0.95}
    assert record_of(client, item)["inspection_status"] == "passed"


def test_an_ignored_area_need_not_be_in_the_photo(client: TestClient) -> None:
    ignored = {"ignored": [{"x": 0.65, "y": 0.0, "w": 0.35, "h": 1.0}]}
    item = item_with_photo(client, PANEL[:, :448].copy(), detection=ignored)
    detect(client, item)
    (entry,) = results(client, item)
    assert (entry["isPassed"], entry["progress"]) == (True, "done")
    coverage = entry["provenance"]["coverage"]
    assert coverage["inspected"] == pytest.approx(1.0, abs=0.01)
    assert coverage["ignored"] == pytest.approx(0.3125, abs=0.001)


def test_a_lower_rule_lets_the_same_photo_pass(client: TestClient) -> None:
    policy = client.put("/api/inspection/policy", json={"required_coverage": 0.7})
    assert policy.json()["data"] == {
        "four_eyes": False,
        "requires_inspection": False,
        "required_coverage": 0.7,
        "reason_characters": 3,
    }
    item = item_with_photo(client, PANEL[:, :448].copy())
    detect(client, item)
    assert results(client, item)[0]["isPassed"] is True


def test_the_reference_image_is_not_accepted_as_photo(client: TestClient) -> None:
    item = item_with_photo(client, PANEL[:, :600].copy())
    same = upload(client, "other name.png", encode(PANEL))
    path = f"/api/inspection_item/{item['item_id']}/photos"
    refused = client.post(path, json={"file_id": same["file_id"]})
    assert (refused.status_code, refused.json()["data"]["error"]) == (409, "photo_is_reference")


def test_detection_of_the_reference_image_itself_is_refused(client: TestClient) -> None:
    photo = PANEL[:, :600].copy()
    item = item_with_photo(client, photo)
    # A client makes the photo the reference file after it was added.
    same = upload(client, "changed.png", encode(photo))
    point = {"point": POINT, "fileInfo": {"download_url": same["download_url"]}}
    changed = client.put(f"/api/inspection_item/{item['item_id']}", json={"item_point": point})
    assert changed.status_code == 200, changed.text
    refused = client.post(f"/api/inspection_item/{item['item_id']}/detect")
    assert (refused.status_code, refused.json()["data"]["error"]) == (409, "photo_is_reference")


def test_correction_that_removes_all_findings_stays_incomplete(client: TestClient) -> None:
    photo = PANEL[:, :448].copy()
    photo[200:260, 200:260] = 0
    item = item_with_photo(client, photo)
    detect(client, item)
    (entry,) = results(client, item)
    assert (entry["isPassed"], entry["progress"]) == (False, "done")
    assert entry["resultImage"]["boxes"]
    path = f"/api/inspection_item/{item['item_id']}/boxes"
    answer = client.post(path, json={"of_version": 1, "boxes": []})
    assert answer.status_code == 200, answer.text
    corrected = results(client, item)[-1]
    assert (corrected["isPassed"], corrected["progress"]) == (False, "incomplete")
    assert corrected["error"]["code"] == "incomplete_coverage"
    assert record_of(client, item)["inspection_status"] == "in_progress"
