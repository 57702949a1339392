"""What web forms send to the operations beside the contract's: empty fields, names of blanks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.running import Running, assert_invalid, new_id

NAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "/api/catalogue/aircraft": ("aircraft_name", {}),
    "/api/catalogue/flights": ("flight_number", {}),
    "/api/catalogue/tasks": ("task_name", {}),
    "/api/catalogue/reference-images": ("reference_image_name", {"file_id": "f"}),
    "/api/users": ("name", {"username": "blank", "password": "a-long-password", "roles": ["viewer"]}),
}


@pytest.mark.parametrize("blank", [" ", "\t\n", "\u3000"], ids=ascii)
@pytest.mark.parametrize("path", NAMES)
def test_a_name_of_blanks_is_422_with_the_reason(running: Running, path: str, blank: str) -> None:
    name, body = NAMES[path]
    answer = running.admin.post(path, json={**body, name: blank})
    assert_invalid(answer, name)
    assert answer.json()["msg"] == f"{name}：不能为空白，也不能包含空字符（U+0000）"


def test_a_region_of_a_template_needs_a_name(running: Running, joined: dict[str, Any]) -> None:
    path = f"/api/catalogue/reference-images/{joined['image']['reference_image_id']}/template"
    region = {"item_name": "\u3000", "point": {"x": 0, "y": 0, "w": 1, "h": 1}}
    answer = running.admin.post(path, json={"template": [region]})
    assert_invalid(answer, "template")
    assert answer.json()["msg"] == "template：区域名称不能为空白"


def test_an_empty_optional_id_is_null(running: Running) -> None:
    flight = running.post("/api/catalogue/flights", flight_number="CA1", aircraft_id="")
    task = running.post("/api/catalogue/tasks", task_name="t", flight_id="", aircraft_id="", description="")
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
def test_empty_filters_filter_nothing(running: Running, path: str, names: list[str]) -> None:
    if path in NAMES:
        name, body = NAMES[path]
        if "username" in body:
            running.post(path, **{**body, "username": new_id("user"), name: ""})
        elif "file_id" not in body:
            running.post(path, **{name: "x"})
    everything = running.admin.get(path).json()["data"]
    answer = running.admin.get(path, params=dict.fromkeys(names, ""))
    assert (answer.status_code, answer.json()["data"]) == (200, everything)
