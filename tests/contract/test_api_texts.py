"""Every operation and parameter of the API document has a text that someone wrote, and no text is unused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from service.web.api_texts import PARAMETERS, SUMMARIES, TAGS

# The document does not depend on the database.
pytestmark = pytest.mark.parametrize("service", ["sqlite"], indirect=True)


def operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in document["paths"].values():
        yield from methods.values()


def test_operations_and_tags_are_those_with_a_text(document: dict[str, Any]) -> None:
    found = list(operations(document))
    assert {operation["operationId"] for operation in found} == set(SUMMARIES)
    assert {tag for operation in found for tag in operation["tags"]} == set(TAGS)
    assert [tag["name"] for tag in document["tags"]] == list(TAGS)
    assert "Bearer" in document["info"]["description"]


def test_summaries_are_written_and_differ(document: dict[str, Any]) -> None:
    summaries = [operation["summary"] for operation in operations(document)]
    assert len(set(summaries)) == len(summaries)
    assert [text for text in summaries if text != text[0].upper() + text[1:] or text.endswith(".")] == []
    assert [
        operation["operationId"] for operation in operations(document) if not operation["description"]
    ] == []


def test_every_parameter_is_described(document: dict[str, Any]) -> None:
    found = [part for operation in operations(document) for part in operation.get("parameters", ())]
    assert [part["name"] for part in found if not part.get("description", "")[:1].isupper()] == []
    assert set(PARAMETERS) <= {part["name"] for part in found}


def test_schemas_have_names_that_people_choose(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    assert [name for name in schemas if re.search(r"_|Union|NoneType|Envelope", name)] == []
    assert {"RecordAnswer", "RecordPage", "RecordPageAnswer", "LoginAnswer", "ItemListAnswer"} <= set(schemas)
    assert [name for name, schema in schemas.items() if "[" in schema.get("title", "")] == []


def test_answers_always_have_code_and_message(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    envelopes = [name for name in schemas if name.endswith("Answer") and name != "ChallengeAnswer"]
    assert len(envelopes) > 50
    for name in (*envelopes, "Failure"):
        assert set(schemas[name]["required"]) == {"code", "data", "msg"}, name
    assert set(schemas["Done"]["required"]) == {"code", "msg"}


def test_profile_has_types(document: dict[str, Any]) -> None:
    content = document["paths"]["/api/auth/updateInfo"]["post"]["requestBody"]["content"]
    properties = content["application/json"]["schema"]["properties"]
    assert {name: field["anyOf"][0]["type"] for name, field in properties.items()} == {
        **dict.fromkeys(("email", "phone", "name", "gender", "department", "faceInfo"), "string"),
        "work_years": "integer",
    }


def test_times_are_said_to_be_in_utc_without_a_format_that_needs_a_zone(document: dict[str, Any]) -> None:
    assert '"date-time"' not in json.dumps(document)
    properties = {
        name: field
        for schema in document["components"]["schemas"].values()
        for name, field in schema.get("properties", {}).items()
        if name in {"start_time", "created_at", "updated_at", "end_time"}
    }
    assert len(properties) == 4
    assert [name for name, field in properties.items() if "UTC" not in json.dumps(field)] == []
