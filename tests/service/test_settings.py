"""Tests that the settings in the documents exist."""

from __future__ import annotations

import re

import pytest

from service.settings import Settings
from shared.system.paths import program_folder

_NAME = re.compile(r"\bWALKAROUND_([A-Z][A-Z_]*[A-Z])")
_SETTINGS_OF_OTHER_PROGRAMS = {"URL", "USERNAME", "PASSWORD", "UPDATE_URL"}
"""Read by scripts (`desktop.client.scripts.credentials`) and the desktop (`desktop.client.updates`)."""


@pytest.mark.parametrize(
    "path", ["README.md", *(f"docs/{path.name}" for path in program_folder().glob("docs/*.md"))]
)
def test_settings_that_a_document_names_exist(path: str) -> None:
    names_in_document = set(_NAME.findall((program_folder() / path).read_text("utf-8")))
    unknown = {name for name in names_in_document if name.lower() not in Settings.model_fields}
    assert {name for name in unknown - _SETTINGS_OF_OTHER_PROGRAMS if not name.startswith("TEST_")} == set()
