"""Tests bodies as web forms send them, for operations outside the contract: empty fields, blank names."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.application import ContractApp, assert_invalid, new_id

NAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "/api/catalogue/aircraft": ("aircraft_name", {}),
    "/api/catalogue/flights": ("flight_number", {}),
    "/api/catalogue/tasks": ("task_name", {}),
    "/api/catalogue/reference-images": ("reference_image_name", {"file_id": "f"}),
    "/api/users": ("name", {"username": "blank", "password": "a-long-password", "roles": ["viewer"]}),
}


@pytest.mark.parametrize("blank", [" ", "\t\n", "\u3000"], ids=ascii)
@pytest.mark.parametrize("path", NAMES)
def test_blank_name_is_422_with_the_reason(service: ContractApp, path: str, blank: str) -> None:
    name, body = NAMES[path]
    answer = service.admin.post(path, json={**body, name: blank})
    assert_invalid(answer, name)
    assert answer.json()["msg"] == f"{name}：不能为空白，也不能包含空字符（U+0000）"


def test_region_of_a_template_needs_a_name(
    service: ContractApp, record_with_references: dict[str, Any]
) -> None:
    path = f"/api/catalogue/reference-images/{record_with_references['image']['reference_image_id']}/template"
    region = {"item_name": "\u3000", "point": {"x": 0, "y": 0, "w": 1, "h": 1}}
    answer = service.admin.post(path, json={"template": [region]})
    assert_invalid(answer, "template")
    assert answer.json()["msg"] == "template：区域名称不能为空白"


def test_empty_optional_id_is_null(service: ContractApp) -> None:
    flight = service.post("/api/catalogue/flights", flight_number="CA1", aircraft_id="")
    task = service.post("/api/catalogue/tasks", task_name="t", flight_id="", aircraft_id="", description="")
    assert flight["aircraft_id"] is None
    assert (task["flight_id"], task["aircraft_id"], task["description"]) == (None, None, None)


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/api/catalogue/flights", ["aircraft_id", "q"]),
        ("/api/catalogue/tasks", ["flight_id", "aircraft_id", "q"]),
        ("/api/catalogue/reference-images", ["aircraft_id", "q"]),
        ("/api/detection/jobs", ["inspection_id", "batch_id"]),
        ("/api/audit", ["action", "kind", "object_id", "actor", "at_from", "at_to"]),
        ("/api/users", ["q"]),
    ],
)
def test_empty_filters_are_ignored(service: ContractApp, path: str, names: list[str]) -> None:
    if path in NAMES:
        name, body = NAMES[path]
        if "username" in body:
            service.post(path, **{**body, "username": new_id("user"), name: ""})
        elif "file_id" not in body:
            service.post(path, **{name: "x"})
    everything = service.admin.get(path).json()["data"]
    answer = service.admin.get(path, params=dict.fromkeys(names, ""))
    assert (answer.status_code, answer.json()["data"]) == (200, everything)
