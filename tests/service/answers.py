"""Reads what an operation answered, and fails with the answer's text if the operation failed."""

from __future__ import annotations

from typing import Any

from tests.service_app import Answer


def read_body(answer: Answer) -> dict[str, Any]:
    """The body of a success. An operation of one item answers the bare item."""
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def read_data(answer: Answer) -> dict[str, Any]:
    """The object in the envelope of a success."""
    data: dict[str, Any] = read_body(answer)["data"]
    return data


def read_list(answer: Answer) -> list[Any]:
    """The list in the envelope of a success."""
    data: list[Any] = read_body(answer)["data"]
    return data
