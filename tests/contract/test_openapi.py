"""Tests that the API document matches the contract: operations, permissions, fields, required fields."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract import test_items, test_records

# The document does not depend on the database.
pytestmark = pytest.mark.parametrize("service", ["sqlite"], indirect=True)

# The permission that each operation requires; "" if it requires a login only, None if it requires nothing.
OPERATIONS: dict[str, str | None] = {
    "POST /api/inspection/create": "INSPECTION_ADD",
    "GET /api/inspection/getInspectionById/{inspection_id}": "INSPECTION_READ",
    "PUT /api/inspection/updateInspection/{inspection_id}": "INSPECTION_UPDATE",
    "DELETE /api/inspection/deleteInspection/{inspection_id}": "INSPECTION_DELETE",
    "GET /api/inspection/search": "INSPECTION_READ",
    "POST /api/inspection_item/create": "INSPECTION_ITEM_ADD",
    "GET /api/inspection_item/{item_id}": "INSPECTION_ITEM_READ",
    "PUT /api/inspection_item/{item_id}": "INSPECTION_ITEM_UPDATE",
    "DELETE /api/inspection_item/{item_id}": "INSPECTION_ITEM_DELETE",
    "GET /api/inspection_item/list": "INSPECTION_ITEM_READ",
    "POST /api/auth/updateFaceInfo": "",
    "POST /api/auth/loginByFaceInfo": None,
    "POST /api/auth/updateInfo": "USER.UPDATE",
    "POST /api/auth/updatePassword": "",
}
BODIES: dict[str, tuple[set[str], set[str]]] = {
    "POST /api/inspection/create": (
        {
            "task_id",
            "inspection_name",
            "executor_id",
            "reference_image_id",
            "progress",
            "start_time",
            "end_time",
            "inspection_status",
        },
        {"task_id"},
    ),
    "POST /api/inspection_item/create": (
        {"item_name", "inspection_id", "description", "model_id", "item_point", "result"},
        {"item_name", "inspection_id"},
    ),
    "PUT /api/inspection_item/{item_id}": (
        {"item_name", "description", "model_id", "item_point", "result"},
        set(),
    ),
    "POST /api/auth/updateFaceInfo": ({"faceInfo"}, set()),
    "POST /api/auth/loginByFaceInfo": ({"faceInfo"}, set()),
    "POST /api/auth/updateInfo": (
        {"email", "phone", "name", "gender", "work_years", "department", "faceInfo"},
        set(),
    ),
    "POST /api/auth/updatePassword": ({"password", "newPassword"}, {"password", "newPassword"}),
}
BODIES["PUT /api/inspection/updateInspection/{inspection_id}"] = (
    BODIES["POST /api/inspection/create"][0],
    set(),
)


def find_operation(document: dict[str, Any], name: str) -> dict[str, Any]:
    method, path = name.split(" ")
    operation: dict[str, Any] = document["paths"][path][method.lower()]
    return operation


def resolve_schema(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in schema:
        return schema
    component: dict[str, Any] = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return component


def body_schema(part: dict[str, Any]) -> dict[str, Any]:
    """The schema of a body, which must be JSON only."""
    assert list(part["content"]) == ["application/json"]
    schema: dict[str, Any] = part["content"]["application/json"]["schema"]
    return schema


@pytest.mark.parametrize("name", OPERATIONS)
def test_operation_documents_its_token_and_permission(document: dict[str, Any], name: str) -> None:
    schemes = document["components"]["securitySchemes"]
    # Operations of the contract require a login. The code of a phone is not a login.
    assert sorted(schemes) == ["phone", "token"]
    scheme_name, scheme = "token", schemes["token"]
    assert (scheme["type"], scheme["scheme"], scheme["bearerFormat"]) == ("http", "bearer", "JWT")
    permission = OPERATIONS[name]
    security = find_operation(document, name).get("security")
    assert security == (None if permission is None else [{scheme_name: [permission] if permission else []}])


@pytest.mark.parametrize("name", BODIES)
def test_body_has_the_fields_of_the_contract(document: dict[str, Any], name: str) -> None:
    schema = resolve_schema(document, body_schema(find_operation(document, name)["requestBody"]))
    fields, required = BODIES[name]
    assert (set(schema["properties"]), set(schema.get("required", []))) == (fields, required)


def test_search_documents_its_filters_and_required_fields(document: dict[str, Any]) -> None:
    parameters = find_operation(document, "GET /api/inspection/search")["parameters"]
    filters = {"q", "record_state", "day_from", "day_to", "without_aircraft", "timed", "with_findings"}
    filters |= {"finding_label", "finding_region", "model_shown", "model_rejected", "model_missed", "work"}
    assert {parameter["name"] for parameter in parameters} - filters == {
        *test_records.FILTERS,
        "current_page",
        "page_size",
    }
    assert {parameter["name"] for parameter in parameters if parameter["required"]} == {
        "current_page",
        "page_size",
    }


def test_item_list_documents_its_query_and_defaults(document: dict[str, Any]) -> None:
    parameters = find_operation(document, "GET /api/inspection_item/list")["parameters"]
    assert {
        parameter["name"]: (parameter["required"], parameter["schema"].get("default"))
        for parameter in parameters
    } == {
        "inspection_id": (True, None),
        "current_page": (False, 1),
        "page_size": (False, 10),
    }


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("POST /api/inspection/create", test_records.FIELDS),
        ("GET /api/inspection/getInspectionById/{inspection_id}", test_records.FIELDS),
        ("POST /api/inspection_item/create", test_items.FIELDS),
        ("GET /api/inspection_item/{item_id}", test_items.FIELDS),
        ("PUT /api/inspection_item/{item_id}", test_items.FIELDS),
    ],
)
def test_answer_has_the_fields_of_the_contract(
    document: dict[str, Any], name: str, fields: list[str]
) -> None:
    schema = resolve_schema(document, body_schema(find_operation(document, name)["responses"]["200"]))
    if "/inspection/" in name:
        assert list(schema["properties"]) == ["code", "data", "msg"]
        schema = resolve_schema(document, schema["properties"]["data"])
    assert list(schema["properties"]) == fields
    assert set(schema["required"]) == set(fields)


def test_answer_of_delete_record_has_only_code_and_msg(document: dict[str, Any]) -> None:
    described = find_operation(document, "DELETE /api/inspection/deleteInspection/{inspection_id}")
    assert set(resolve_schema(document, body_schema(described["responses"]["200"]))["properties"]) == {
        "code",
        "msg",
    }
