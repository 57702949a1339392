"""Tests the bodies of records and items: required values and valid settings."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from shared.wire.account import UserCreate, UserUpdate
from shared.wire.catalogue import ReferenceImageWrite, TemplateWrite
from shared.wire.detection import BatchCreate
from shared.wire.inspection import BoxesSet, DetectionSettings, ItemUpdate, RecordUpdate

FLAT = [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 0.0, 1.0]]
TURNED = [[0.0, -1.0, 40.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]


def is_refused(body: type[BaseModel], **fields: Any) -> bool:
    try:
        body.model_validate(fields)
    except ValidationError:
        return True
    return False


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (RecordUpdate, "task_id"),
        (RecordUpdate, "progress"),
        (RecordUpdate, "inspection_status"),
        (ItemUpdate, "item_name"),
        (ItemUpdate, "result"),
    ],
)
def test_null_for_a_required_field_is_refused(body: type[BaseModel], field: str) -> None:
    assert not is_refused(body)
    assert is_refused(body, **{field: None})


@pytest.mark.parametrize(
    ("area", "wrong"),
    [
        ((0.5, 0.5, 0.5, 0.5), False),
        # Dividing by the size of an image can give slightly more than 1.
        ((0.7, 0.1, 0.3 + 1e-9, 0.9), False),
        ((0.5, 0.0, 0.51, 1.0), True),
        ((0.0, 0.5, 1.0, 0.51), True),
        ((0.5, 0.5, 0.0, 0.1), True),
        ((-0.1, 0.0, 0.5, 0.5), True),
    ],
)
def test_an_ignored_area_lies_within_the_image(area: tuple[float, ...], wrong: bool) -> None:
    assert is_refused(DetectionSettings, ignored=[dict(zip("xywh", area, strict=True))]) is wrong


@pytest.mark.parametrize(("matrix", "wrong"), [(TURNED, False), (FLAT, True), (TURNED[:2], True)])
def test_an_alignment_can_be_inverted(matrix: list[list[float]], wrong: bool) -> None:
    assert is_refused(DetectionSettings, alignment={"photo_file_id": "f", "homography": matrix}) is wrong


@pytest.mark.parametrize("value", [0, -1, float("inf"), True])
def test_the_smallest_defect_has_a_size(value: Any) -> None:
    assert is_refused(DetectionSettings, smallest=value)


def test_correction_has_limits_and_boolean_flags() -> None:
    box = {
        "label": "裂纹",
        "confidence": 1,
        "points": {"x1": 0, "y1": 0, "x2": 1, "y2": 1},
        "origin": "person",
    }
    assert not is_refused(BoxesSet, of_version=1, boxes=[box | {"accepted": True}])
    assert is_refused(BoxesSet, of_version=1, boxes=[box | {"accepted": 1}])
    assert is_refused(BoxesSet, of_version=1, boxes=[box | {"own": float("nan")}])
    assert is_refused(BoxesSet, of_version=True, boxes=[box])


def test_limits_of_the_catalogue() -> None:
    region = {"item_name": "前缘", "point": {"x": 0, "y": 0, "w": 1, "h": 1}}
    assert not is_refused(TemplateWrite, template=[region] * 2000)
    assert is_refused(TemplateWrite, template=[region] * 2001)
    image = {"reference_image_name": "左翼", "file_id": "f"}
    assert not is_refused(ReferenceImageWrite, **image, mm_per_pixel=0.001)
    assert is_refused(ReferenceImageWrite, **image, mm_per_pixel=0)
    assert is_refused(ReferenceImageWrite, **image, mm_per_pixel=1000.5)


def test_limits_of_users_and_batches() -> None:
    user = {"username": "li", "password": "p"}
    assert is_refused(UserCreate, **user, roles=[])
    assert not is_refused(UserUpdate, enabled=False)
    assert is_refused(UserUpdate, enabled="false")
    assert not is_refused(BatchCreate, inspection_ids=["r"] * 1000)
    assert is_refused(BatchCreate, inspection_ids=["r"] * 1001)
