"""What docs/developing.md names exists."""

from __future__ import annotations

import re

from shared.system.paths import program_folder

TEXT = (program_folder() / "docs" / "developing.md").read_text("utf-8")
CODE = re.findall(r"`([^`\n]+)`", TEXT)
# What a person fills in.
BLANKS = re.compile(r"NAME|CODE")


def test_paths_exist() -> None:
    paths = [word for word in CODE if "/" in word and not BLANKS.search(word)]
    assert len(paths) > 40
    assert [path for path in paths if not (program_folder() / path).exists()] == []


def test_names_are_in_the_files_that_are_named_with_them() -> None:
    """A name in a sentence with a file of Python is found in one of the sentence's files."""
    missing = []
    for sentence in re.split(r"(?<=\.)\s|\n\d\. |\n\n", TEXT):
        names_in_code = [word for word in re.findall(r"`([^`\n]+)`", sentence) if not BLANKS.search(word)]
        files = [program_folder() / word for word in names_in_code if "/" in word and word.endswith(".py")]
        names = [word for word in names_in_code if re.fullmatch(r"_?[A-Za-z][A-Za-z_]+", word)]
        if files:
            source = "".join(file.read_text("utf-8") for file in files)
            missing += [name for name in names if name not in source]
    assert missing == []


def test_files_that_the_list_of_security_tests_names_exist() -> None:
    tests = program_folder() / "tests"
    text = (tests / "security" / "README.md").read_text("utf-8")
    paths = re.findall(r"`((?:[a-z]+/)+(?:\w+\.py)?)`", text.replace("`tests/", "`"))
    assert len(paths) > 60
    # Below tests/, or a file of the same package as the one named before it.
    assert [path for path in paths if not list(tests.rglob(path.rstrip("/")))] == []
