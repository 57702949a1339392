"""Choosing a password."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from desktop.pages.common.forms.passwords import StrengthLine, follows_rules, strength


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


def test_longer_and_mixed_is_stronger() -> None:
    assert strength("short") == 0
    assert strength("aaaaaaaaaaaaaaaa") == 1
    assert strength("abcdefghijklmnop") == 1
    assert strength("12345678") == 1
    assert strength("kdjfhgnw") < strength("kdjfhgnwqpzm") <= strength("kdJf7gnw!pzm#2Lq") == 4


def test_strength_is_shown_as_a_word(qtbot: QtBot) -> None:
    line = StrengthLine()
    qtbot.addWidget(line)
    assert line.word() == ""
    line.show_password("abc")
    assert line.word() == "Too short"
    line.show_password("kdJf7gnw!pzm#2Lq")
    assert line.word() == "Strong"
