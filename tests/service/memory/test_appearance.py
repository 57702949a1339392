"""Comparison by appearance in the real service: by the photos that people passed, where nothing aligns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from service.db.database import Database
from service.detection.reference_difference.variation.serial import from_bytes
from tests.service.detection.compute.test_appearances import gravel
from tests.service.detection.dispatch.test_jobs import encode
from tests.service.detection.graphs import backbone_model
from tests.service.detection.models.test_registry import add
from tests.service.memory.conftest import ON_ONE_DATABASE, Site
from tests.service.memory.test_memory import rows, wait_for_memory

pytestmark = pytest.mark.slow


def refused(site: Site, item: dict[str, Any]) -> str:
    """The reason why a detection in the item's photo gives no result."""
    answer = site.client.post(f"/api/inspection_item/{item['item_id']}/detect?wait=60")
    return str(answer.json()["data"]["error"])


@pytest.fixture
def passed_photos(site: Site, database: Database) -> list[dict[str, Any]]:
    """Three passed photos that cannot be aligned with the reference image."""
    items = [site.passed_item(photo=encode(gravel(number))) for number in range(1, 4)]
    wait_for_memory(site, database, items[0])
    return items


@ON_ONE_DATABASE
def test_passed_photos_judge_what_cannot_be_aligned(
    site: Site, passed_photos: list[dict[str, Any]], database: Database
) -> None:
    assert [(row.error, row.differences) for row in rows(database)] == [(None, 0)] * 3

    good = site.detect(site.item(photo=encode(gravel(50))))
    broken = site.detect(site.item(photo=encode(gravel(51, is_broken=True))))

    assert (good["isPassed"], broken["isPassed"]) == (True, False)
    assert good["appearance"]["photos"] == 3
    assert sorted(good["appearance"]["nearest"]) == sorted(item["file_id"] for item in passed_photos)
    assert good["appearance"]["distance"] <= good["appearance"]["limit"]
    assert broken["appearance"]["distance"] > broken["appearance"]["limit"]
    assert len(broken["resultImage"]["boxes"]) == 1
    assert "memory" not in good
    assert "coverage" not in good["provenance"]


@ON_ONE_DATABASE
def test_without_enough_passed_photos_the_refusal_stays(site: Site, database: Database) -> None:
    passed = [site.passed_item(photo=encode(gravel(number))) for number in range(2)]
    wait_for_memory(site, database, passed[0])

    assert refused(site, site.item(photo=encode(gravel(50)))) == "alignment_failed"


@ON_ONE_DATABASE
def test_item_with_a_fixed_camera_is_compared_at_the_same_place(site: Site) -> None:
    point = {"point": {"x": 0, "y": 0, "w": 1, "h": 1}, "detection": {"place": "fixed"}}

    entry = site.detect(site.item(item_point=point))

    assert entry["appearance"] == {
        "distance": pytest.approx(0.3, abs=0.1),
        "limit": 0.34,
        "share": None,
        "photos": 1,
        "nearest": [],
        "place": "fixed",
        "heat": entry["appearance"]["heat"],
        "section": [0, 0, 1, 1],
    }
    identity = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert entry["provenance"]["alignment"] == {"homography": identity, "set_by": "model"}
    assert entry["provenance"]["settings"] == {"place": "fixed"}


@ON_ONE_DATABASE
def test_unknown_place_is_an_error_of_the_settings(site: Site) -> None:
    point = {"point": {"x": 0, "y": 0, "w": 1, "h": 1}, "detection": {"place": "near"}}

    assert refused(site, site.item(item_point=point)) == "item_settings_wrong"


@ON_ONE_DATABASE
def test_an_added_backbone_compares_all_photos_again(
    site: Site, passed_photos: list[dict[str, Any]], database: Database, tmp_path: Path
) -> None:
    before = [row.content for row in rows(database)]

    added = add(site.client, backbone_model(tmp_path / "a.onnx"), kind="backbone")
    assert added.status_code == 200, added.text
    wait_for_memory(site, database, passed_photos[0])

    after = [from_bytes(row.content).photos[0].section for row in rows(database)]
    assert [None if section is None else section.shape for section in after] == [(20, 20, 24)] * 3
    assert all(row.content not in before for row in rows(database))
    good = site.detect(site.item(photo=encode(gravel(50))))
    assert good["appearance"]["photos"] == 3
