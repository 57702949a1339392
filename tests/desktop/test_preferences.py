"""Preferences: written at each change, read back, tolerant of a bad file, free of secrets."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from desktop.preferences import Preferences, PreferenceValues
from desktop.theme import Mode
from desktop.user_folders import preferences_file


def test_change_is_stored_for_the_next_start(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "preferences.json"
    Preferences(file).change(language="zh_CN", theme=Mode.DARK, splitters={"work": [270, 900, 336]})
    again = Preferences(file).values
    assert (again.language, again.theme, again.splitters) == ("zh_CN", Mode.DARK, {"work": [270, 900, 336]})
    assert [path.name for path in file.parent.iterdir()] == ["preferences.json"]


def test_file_is_in_the_configuration_folder_of_the_user() -> None:
    assert preferences_file().name == "preferences.json"
    assert not preferences_file().exists()


def test_invalid_value_is_refused(tmp_path: Path) -> None:
    preferences = Preferences(tmp_path / "p.json")
    with pytest.raises(ValidationError):
        preferences.change(theme="pink")
    assert preferences.values.theme is Mode.SYSTEM


def test_valid_values_of_a_damaged_file_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text(
        json.dumps({"theme": "pink", "language": "en", "camera": 3, "future": {}}), encoding="utf-8"
    )
    values = Preferences(file).values
    assert (values.theme, values.language, values.camera) == (Mode.SYSTEM, "en", "")


@given(st.one_of(st.binary(max_size=40), st.sampled_from([b"", b"{", b"[]", b"null", b'"x"', b'{"theme":'])))
@settings(deadline=None, max_examples=30)
def test_no_file_stops_the_program(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.mktemp("p") / "p.json"
    file.write_bytes(content)
    assert Preferences(file).values == PreferenceValues()


def test_a_folder_that_cannot_be_written_leaves_the_value_in_force(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    preferences = Preferences(tmp_path / "file" / "p.json")
    preferences.change(language="en")
    assert preferences.values.language == "en"


def test_file_can_be_written_by_another_thread(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    preferences = Preferences(file)
    waiting: list[Callable[[], None]] = []
    preferences.write_by(waiting.append)
    preferences.change(language="en")
    preferences.change(language="zh_CN")
    assert not file.exists()
    waiting.pop(0)()
    assert Preferences(file).values.language == "zh_CN"
    # The newest value is written already.
    file.unlink()
    waiting.pop(0)()
    assert not file.exists()
    # At the end of the program nothing is left unwritten.
    preferences.change(language="en")
    preferences.write_by(None)
    assert Preferences(file).values.language == "en"
    preferences.change(theme=Mode.DARK)
    assert Preferences(file).values.theme is Mode.DARK


def test_preferences_have_no_field_for_a_secret() -> None:
    assert not [name for name in PreferenceValues.model_fields if "password" in name or "token" in name]
