"""Tests the rules of profiles and email addresses."""

from __future__ import annotations

from typing import Any

import pytest

from service.account.rules import (
    PROFILE_SENTENCES,
    ProfileFaultError,
    profile_changes,
)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "长" * 255),
        ("department", "d" * 255),
        ("gender", "g" * 32),
        ("work_years", 0),
        ("work_years", 80),
        ("email", "a@b.c"),
        ("email", "a" * 250 + "@b.c"),
        ("phone", "12345"),
        ("phone", "+86 (10) 1234-5678"),
        ("phone", "1" * 32),
    ],
)
def test_profile_values_up_to_their_limits_are_accepted(field: str, value: object) -> None:
    assert profile_changes({field: value}) == {field: value}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "长" * 256),
        ("name", 7),
        ("department", "d" * 256),
        ("department", ["d"]),
        ("gender", "g" * 33),
        ("gender", True),
        ("work_years", -1),
        ("work_years", 81),
        ("work_years", "81"),
        ("work_years", "5 "),
        ("work_years", 5.0),
        ("work_years", True),
        ("email", "a" * 251 + "@b.c"),
        ("email", "nobody"),
        ("email", "a@b"),
        ("email", "a b@c.d"),
        ("email", 7),
        ("phone", "1234"),
        ("phone", "1" * 33),
        ("phone", "12345x"),
        ("phone", "-12345"),
        ("phone", 12345),
    ],
)
def test_profile_value_beyond_its_limit_is_refused_with_its_field(field: str, value: object) -> None:
    with pytest.raises(ProfileFaultError) as caught:
        profile_changes({"name": "李", field: value})
    assert str(caught.value) == f"{field}：{PROFILE_SENTENCES[field]}"
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("field", ["email", "phone", "name", "gender", "department"])
def test_surrounding_blanks_are_removed_and_an_empty_text_clears_the_field(field: str) -> None:
    value = {"email": "a@b.c", "phone": "12345"}.get(field, "x")
    assert profile_changes({field: f" {value}\t"}) == {field: value}
    for empty in ("", None):
        assert profile_changes({field: empty}) == {field: None}


@pytest.mark.parametrize("blanks", [" ", "\t", "\u3000 \n"])
def test_blank_name_is_refused(blanks: str) -> None:
    with pytest.raises(ProfileFaultError):
        profile_changes({"name": blanks})


def test_only_the_sent_fields_of_a_profile_change() -> None:
    body: dict[str, Any] = {"username": "root", "enabled": False, "work_years": None, "faceInfo": "x"}
    assert profile_changes(body) == {"work_years": None}
    assert profile_changes({}) == {}
