"""Tests that the API document states the limit of every part of a request, and that it is checked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from service.settings import Settings
from service.web.bodies import SMALL_BODY_BYTES
from service.web.protocol import HEAD_BYTES
from shared import limits
from shared.wire.common import (
    MAX_JSON_BYTES,
    MAX_JSON_DEPTH,
    MAX_JSON_VALUES,
    MAX_PAGE,
    MAX_PAGE_SIZE,
    MAX_RESULT_BYTES,
)
from shared.wire.phone import MAX_PART_BYTES
from tests.contract.application import ContractApp, new_id

# The document does not depend on the database.
pytestmark = pytest.mark.parametrize("service", ["sqlite"], indirect=True)

# Numbers that the service compares with a stored one and never stores.
ONLY_COMPARED = {"BoxesSet.of_version", "RecordRelease.edition"}
# Formats that limit the length of a text.
BOUNDED_FORMATS = {"date-time", "date", "uuid", "binary"}


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def schema_name(schema: dict[str, Any], default: str) -> str:
    return str(schema["$ref"]).rsplit("/", 1)[1] if "$ref" in schema else default


def find_unlimited(document: dict[str, Any], schema: dict[str, Any], path: str) -> Iterator[str]:
    """Yield the paths in `schema` without a limit. Content that is stored unchanged is limited as a whole."""
    if "x-max-values" in schema:
        return
    if "$ref" in schema:
        name = schema_name(schema, path)
        yield from find_unlimited(document, document["components"]["schemas"][name], name)
        return
    parts = [part for key in ("anyOf", "oneOf", "allOf") for part in schema.get(key, [])]
    kinds = {part.get("type") for part in parts}
    for part in parts:
        # The same number, as integer or as float.
        if not (part.get("type") == "integer" and "number" in kinds):
            yield from find_unlimited(document, part, path)
    match schema.get("type"):
        case "string" if not (
            {"maxLength", "enum", "const", "x-max-picture-bytes", "x-max-bytes"} & schema.keys()
            or schema.get("format") in BOUNDED_FORMATS
        ):
            yield path
        case "integer" if "maximum" not in schema and "enum" not in schema:
            yield path
        case "array":
            if "maxItems" not in schema:
                yield path
            yield from find_unlimited(document, schema["items"], f"{path}[]")
        case "object":
            keys = schema.get("propertyNames", {})
            if "properties" not in schema and not ("maxProperties" in schema and "maxLength" in keys):
                yield path
            for field in schema.get("patternProperties", {}).values():
                yield from find_unlimited(document, field, f"{path}[]")
            for name, field in schema.get("properties", {}).items():
                yield from find_unlimited(document, field, f"{path}.{name}")


def test_every_field_of_every_body_has_a_limit(document: dict[str, Any]) -> None:
    fields = {
        path
        for name, operation in operations(document)
        for body in operation.get("requestBody", {}).get("content", {}).values()
        for path in find_unlimited(document, body["schema"], name)
    }
    assert fields == ONLY_COMPARED


def keys_of(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        yield from node
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from keys_of(part)


def test_limits_have_the_names_of_json_schema(document: dict[str, Any]) -> None:
    assert {"ge", "gt", "le", "lt"} & set(keys_of(document)) == set()
    schemas = document["components"]["schemas"]
    fraction = [{"type": kind, "minimum": 0, "maximum": 1} for kind in ("integer", "number")]
    for name in ("x", "y"):
        place, absent = schemas["CommentWrite"]["properties"][name]["anyOf"]
        assert (place["anyOf"], absent) == (fraction, {"type": "null"})


def test_every_parameter_has_a_documented_limit(document: dict[str, Any]) -> None:
    assert document["info"]["x-max-head-bytes"] == HEAD_BYTES
    parameters = {
        f"{name} {parameter['name']}"
        for name, operation in operations(document)
        for parameter in operation.get("parameters", [])
        if parameter["in"] != "header"
        for _where in find_unlimited(document, parameter["schema"], "")
    }
    # A list of states, in which each of six may be repeated.
    assert parameters == {"GET /api/detection/jobs state"}


PICTURES_OF_FACES = {"POST /api/auth/loginByFaceInfo", "POST /api/auth/loginByFaceChallenge"}


def test_every_request_body_documents_its_size_limit(document: dict[str, Any]) -> None:
    settings = Settings()
    uploads = {
        "POST /api/files",
        "POST /api/detection/models",
        "POST /api/detection/models/{model_id}/trial",
    }
    with_body = {name: operation for name, operation in operations(document) if "requestBody" in operation}
    assert uploads | PICTURES_OF_FACES < with_body.keys()
    for name, operation in with_body.items():
        limit = settings.max_upload_bytes if name in uploads else settings.max_body_bytes
        if not operation.get("security") and name not in PICTURES_OF_FACES:
            limit = SMALL_BODY_BYTES
        elif " /api/phone/" in name:
            limit = SMALL_BODY_BYTES if name == "POST /api/phone/uploads" else MAX_PART_BYTES
        assert operation["requestBody"]["x-max-body-bytes"] == limit, name


def test_body_above_the_documented_limit_is_refused(document: dict[str, Any], service: ContractApp) -> None:
    for path, text in (("/api/auth/login", "64 KB"), ("/api/auth/loginByFaceInfo", "16 MB")):
        body = document["paths"][path]["post"]["requestBody"]
        assert text in body["description"]
        answer = service.anonymous.post(path, content=b" " * (body["x-max-body-bytes"] + 1))
        assert (answer.status_code, answer.json()["data"]["limit"]) == (413, body["x-max-body-bytes"])
        assert text in answer.json()["msg"]
    assert (
        "Retry-After" in document["paths"]["/api/auth/loginByFaceInfo"]["post"]["requestBody"]["description"]
    )


def test_paging_parameters_document_their_limits(document: dict[str, Any]) -> None:
    count = 0
    for name, operation in operations(document):
        for parameter in operation.get("parameters", []):
            bound = {"page_size": MAX_PAGE_SIZE, "current_page": MAX_PAGE}.get(parameter["name"])
            if bound is not None:
                assert parameter["schema"]["maximum"] == bound, name
                count += 1
    assert count >= 10


def test_documents_that_are_stored_unchanged_have_limits(
    document: dict[str, Any], service: ContractApp
) -> None:
    schemas = document["components"]["schemas"]
    (point, _null) = schemas["ItemCreate"]["properties"]["item_point"]["anyOf"]
    (result, _none) = schemas["ItemCreate"]["properties"]["result"]["anyOf"]
    for schema in (point, result, schemas["ItemUpdate"]["properties"]["result"]):
        assert (schema["x-max-depth"], schema["x-max-values"]) == (MAX_JSON_DEPTH, MAX_JSON_VALUES)
    assert (point["x-max-bytes"], result["x-max-bytes"]) == (MAX_JSON_BYTES, MAX_RESULT_BYTES)
    assert "256 KB" in point["description"]
    record = service.create_record()["inspection_id"]

    def status(depth: int) -> int:
        value: Any = 1
        for _level in range(depth - 2):
            value = {"a": value}
        body = {"item_name": new_id("item"), "inspection_id": record, "item_point": {"kept": value}}
        return service.admin.post("/api/inspection_item/create", json=body).status_code

    assert status(point["x-max-depth"]) == 200
    assert status(point["x-max-depth"] + 1) == 422


@pytest.mark.parametrize("field", ["item_point", "result"])
def test_keys_that_are_kept_as_given_have_a_limit(
    document: dict[str, Any], service: ContractApp, field: str
) -> None:
    (schema, _null) = document["components"]["schemas"]["ItemCreate"]["properties"][field]["anyOf"]
    record = service.create_record()["inspection_id"]
    item = service.create_item(record)["item_id"]

    def answers(surplus: int) -> tuple[int, int, Any]:
        """The statuses of a create and an update with `surplus` bytes above the limit, and the refusal."""
        kept: Any = {"kept": ""} if field == "item_point" else [{"kept": ""}]
        length = schema["x-max-bytes"] + surplus - len(json.dumps(kept, separators=(",", ":")))
        # Three bytes in UTF-8.
        text = "翼" * (length // 3) + "x" * (length % 3)
        body: dict[str, Any] = {field: {"kept": text} if field == "item_point" else [{"kept": text}]}
        update = service.admin.put(f"/api/inspection_item/{item}", json=body)
        body |= {"item_name": new_id("item"), "inspection_id": record}
        create = service.admin.post("/api/inspection_item/create", json=body)
        return create.status_code, update.status_code, create.json().get("data")

    assert answers(0)[:2] == (200, 200)
    created, updated, data = answers(1)
    assert (created, updated) == (422, 422)
    (fault,) = data["fields"]
    assert (fault["field"], fault["type"]) == (field, "value_error")
    assert "内容过大" in fault["message"]


def test_names_and_passwords_document_their_limits(document: dict[str, Any], service: ContractApp) -> None:
    fields = document["components"]["schemas"]["UserCreate"]["properties"]
    assert fields["username"]["maxLength"] == limits.MAX_USERNAME
    assert fields["password"]["minLength"] == limits.MIN_NEW_PASSWORD
    assert fields["password"]["maxLength"] == limits.MAX_NEW_PASSWORD

    def status(username: int, password: int) -> int:
        # Not a common password, and a new name for each user.
        body = {
            "username": new_id("u").ljust(username, "x"),
            "password": "k7" * password,
            "roles": ["viewer"],
        }
        return service.admin.post("/api/users", json=body).status_code

    longest = limits.MAX_NEW_PASSWORD // 2
    assert status(limits.MAX_USERNAME, longest) == 200
    assert status(limits.MAX_USERNAME + 1, longest) == 422
    assert status(limits.MAX_USERNAME, longest + 1) == 422


def test_pictures_of_faces_document_their_limits(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for schema in (
        schemas["FaceInfo"]["properties"]["faceInfo"]["anyOf"][0],
        schemas["FaceLogin"]["properties"]["faceInfo"],
        schemas["FaceEnrolment"]["properties"]["images"]["items"],
        schemas["Strangers"]["properties"]["images"]["items"],
    ):
        assert schema["x-max-picture-bytes"] == limits.MAX_FACE_PICTURE_BYTES
        assert schema["x-max-picture-pixels"] == limits.MAX_FACE_PICTURE_PIXELS
