"""What docs/words.py finds in sources, and what it leaves alone."""

from __future__ import annotations

import pytest

from docs.words import catalogue_faults, python_faults

NAMES = """
kept: int = 0


class Answer:
    own: int = 0


def f(given, /, said, *told, mine=1, **theirs):
    answer.heard = 2
    for _own in said:
        print(own_files)
    match said:
        case [kept, *heard]:
            told_names = 1


answer = lambda said: said
"""


def names(source: str, path: str) -> list[tuple[int, str]]:
    return [(line, name) for line, name, _instead in python_faults(source, path)]


@pytest.mark.parametrize("folder", ["desktop", "service", "shared"])
def test_parameters_and_local_variables_that_say_nothing_are_found(folder: str) -> None:
    assert names(NAMES, f"{folder}/a.py") == [
        (9, "mine"),
        (9, "said"),
        (9, "theirs"),
        (9, "told"),
        (11, "_own"),
        (14, "heard"),
        (14, "kept"),
        (18, "said"),
    ]


def test_a_name_in_a_nested_function_is_found_once() -> None:
    source = "def f():\n    def g():\n        told = 1\n    return g\n"
    assert names(source, "service/a.py") == [(3, "told")]


def test_names_of_tests_and_of_quotations_are_left_alone() -> None:
    assert names(NAMES, "tests/shared/test_a.py") == []
    assert names("def f(said):  # words: allow\n    return said\n", "shared/a.py") == []


def test_phrases_in_comments_docstrings_and_names_are_found() -> None:
    source = '"""A user is told."""\n\n\ndef show_anew() -> None:  # once more\n    pass\n'
    assert sorted(names(source, "shared/a.py")) == [(1, "is told"), (4, "once more"), (4, "show_anew")]


@pytest.mark.parametrize(
    ("english", "chinese", "found"),
    [
        ("Run detection", "执行检测任务", ["检测任务", "任务"]),
        ("Reopen record", "重新打开记录", ["重新打开"]),
        ("Open the record again.", "请重新打开检查记录。", []),
        ("Searching for cameras…", "正在检测摄像头…", ["检测摄像头"]),
        ("Confirm review", "放行", ["放行"]),
        ("New task", "新建任务", []),
    ],
)
def test_a_chinese_word_for_another_thing_is_found(english: str, chinese: str, found: list[str]) -> None:
    catalogue = f"<source>{english}</source>\n<translation>{chinese}</translation>"
    assert [word for _line, word, _instead in catalogue_faults(catalogue)] == found
