"""Choosing a password."""

from __future__ import annotations

import pytest

from desktop.pages.common.forms.passwords import follows_rules


@pytest.mark.parametrize(
    ("password", "follows"),
    [
        ("1234567", False),
        ("12345678", True),
        ("x" * 128, True),
        ("x" * 129, False),
        ("ZhangSan88", False),
        ("ｚｈａｎｇｓａｎ88", False),
        ("汽车电池订书钉正确", True),
    ],
)
def test_the_rules_are_those_of_the_service(password: str, follows: bool) -> None:
    from service.account.rules import password_fault

    assert follows_rules(password, "zhangsan88") is follows
    fault = password_fault(password, "zhangsan88")
    assert follows == (fault is None or fault.value == "password_common")
