"""Tests the types of all bodies: times, numbers, JSON documents, pages."""

from __future__ import annotations

import datetime as dt
import os
import time
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from pydantic import TypeAdapter, ValidationError

from shared.wire.common import (
    MAX_JSON_DEPTH,
    MAX_JSON_VALUES,
    CheckedFindings,
    CurrentPage,
    Integer,
    ItemTime,
    JsonObject,
    Number,
    PageSize,
    RecordTime,
    pagination,
)

ITEM_TIME: TypeAdapter[dt.datetime] = TypeAdapter(ItemTime)
RECORD_TIME: TypeAdapter[dt.datetime] = TypeAdapter(RecordTime)
DOCUMENT: TypeAdapter[dict[str, Any]] = TypeAdapter(JsonObject)
FINDINGS: TypeAdapter[dict[str, Any]] = TypeAdapter(Annotated[dict[str, Any], CheckedFindings])


def is_refused(adapter: TypeAdapter[Any], value: Any) -> bool:
    try:
        adapter.validate_python(value)
    except ValidationError:
        return True
    return False


@pytest.fixture
def _use_shanghai_time() -> Iterator[None]:
    if os.name == "nt":
        pytest.skip("the time zone of a process is the system's there")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Asia/Shanghai")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("_use_shanghai_time")
def test_time_without_a_zone_is_utc_in_any_local_zone() -> None:
    text = "2026-03-01T08:00:00"
    at = ITEM_TIME.validate_python(text)
    assert at == dt.datetime(2026, 3, 1, 8, tzinfo=dt.UTC)
    assert ITEM_TIME.dump_python(at, mode="json") == f"{text}Z"
    assert RECORD_TIME.dump_python(RECORD_TIME.validate_python(text), mode="json") == text
    assert RECORD_TIME.validate_python(f"{text}+08:00") == dt.datetime(2026, 3, 1, 0)


@pytest.mark.parametrize("adapter", [ITEM_TIME, RECORD_TIME])
@pytest.mark.parametrize("value", [0, 1.5, "0", "1772352000", "08:00:00", "", None, True])
def test_time_that_is_not_an_iso_date_is_refused(adapter: TypeAdapter[Any], value: Any) -> None:
    assert is_refused(adapter, value)


@pytest.mark.parametrize("value", ["0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00"])
def test_time_outside_the_valid_years_is_refused(value: str) -> None:
    assert is_refused(ITEM_TIME, value)


def nested_document(depth: int) -> dict[str, Any]:
    """Return a document with `depth` levels, including the innermost value."""
    value: Any = 1
    for _ in range(depth - 1):
        value = {"a": value}
    assert isinstance(value, dict)
    return value


def test_document_at_the_limits_of_depth_and_size_is_accepted() -> None:
    assert not is_refused(DOCUMENT, nested_document(MAX_JSON_DEPTH))
    assert is_refused(DOCUMENT, nested_document(MAX_JSON_DEPTH + 1))
    # The document, the key and the list also count as values.
    assert not is_refused(FINDINGS, {"a": [0] * (MAX_JSON_VALUES - 3)})
    assert is_refused(FINDINGS, {"a": [0] * (MAX_JSON_VALUES - 2)})


@pytest.mark.parametrize("part", ["\ud800", float("inf"), float("nan"), 10**400, {"\udfff": 1}, ["\ud800"]])
def test_document_refuses_values_that_are_not_json(part: Any) -> None:
    assert is_refused(DOCUMENT, {"a": part})


@pytest.mark.parametrize("value", [True, "1", None, float("inf"), float("nan"), 10**400])
def test_value_that_is_not_a_number_is_refused(value: Any) -> None:
    assert is_refused(TypeAdapter(Number), value)


def test_numbers_are_stored_unchanged() -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(Number)
    assert [repr(adapter.validate_python(value)) for value in (1, 1.0, -0.5, 2**60)] == [
        "1",
        "1.0",
        "-0.5",
        str(2**60),
    ]


@pytest.mark.parametrize("value", [True, False, "1", None, 1.5])
def test_value_that_is_not_an_integer_is_refused(value: Any) -> None:
    assert is_refused(TypeAdapter(Integer), value)


def test_the_last_page_may_be_half_full() -> None:
    pages = [pagination(1, 10, total).total_pages for total in (0, 1, 10, 11, 20)]
    assert pages == [0, 1, 1, 2, 2]


def test_page_outside_its_limits_is_refused() -> None:
    assert not is_refused(TypeAdapter(PageSize), 200)
    assert is_refused(TypeAdapter(PageSize), 201)
    assert is_refused(TypeAdapter(PageSize), 0)
    assert not is_refused(TypeAdapter(CurrentPage), 2**31 - 1)
    # OFFSET would exceed the integers of the database.
    assert is_refused(TypeAdapter(CurrentPage), 2**31)
