"""Tests the name that identifies one user."""

from __future__ import annotations

import pytest

from shared.names import MAX_LABEL, signature, user_label


@pytest.mark.parametrize(
    ("name", "username", "label"),
    [
        ("张三", "zhang3", "张三 (zhang3)"),
        (None, "zhang3", "zhang3"),
        ("", "zhang3", "zhang3"),
        ("zhang3", "zhang3", "zhang3"),
        ("admin", "zhang3", "admin (zhang3)"),
        ("张三 (zhang3)", "li4", "张三 (zhang3) (li4)"),
        ("张三\n\n \u3000  ", "zhang3", "张三 (zhang3)"),
    ],
)
def test_label_names_one_user(name: str | None, username: str, label: str) -> None:
    assert user_label(name, username) == label


def test_long_name_does_not_push_the_username_out() -> None:
    label = user_label("长" * 255, "z" * 64)
    assert len(label) == MAX_LABEL
    assert label.endswith(f"… ({'z' * 64})")


def test_older_signature_gets_the_username() -> None:
    assert signature("张三", "zhang3") == "张三 (zhang3)"
    for name in ("张三 (zhang3)", "zhang3"):
        assert signature(name, "zhang3") == name
    assert signature("张三", None) == "张三"
