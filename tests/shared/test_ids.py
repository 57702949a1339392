"""Tests that ids have the forms that columns and journals need, and do not repeat."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import UUID

import pytest

from shared.ids import new_id, new_key, random_name


@pytest.mark.parametrize(
    ("make", "form"),
    [
        (new_id, r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"),
        (new_key, r"[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}"),
        (random_name, r"[0-9a-f]{16}"),
    ],
)
def test_each_kind_of_id_has_its_form_and_does_not_repeat(make: Callable[[], str], form: str) -> None:
    ids = [make() for _ in range(1000)]
    assert [name for name in ids if re.fullmatch(form, name) is None] == []
    assert len(set(ids)) == len(ids)


def test_row_id_and_key_are_random_uuids() -> None:
    assert UUID(new_id()).version == UUID(new_key()).version == 4
