"""Tests that the settings in the documents exist, and that paths and addresses name one database."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import settings as limits
from hypothesis import strategies as st
from pydantic import ValidationError
from sqlalchemy import text

from service.backups.archive.taking import copy_database, examine
from service.commands import doctor
from service.db.database import Database
from service.settings import Settings
from shared.system.checkup import Level
from shared.system.paths import program_folder

_NAME = re.compile(r"\bWALKAROUND_([A-Z][A-Z_]*[A-Z])")
_SETTINGS_OF_OTHER_PROGRAMS = {"URL", "USERNAME", "PASSWORD", "FINGERPRINT", "UPDATE_URL"}
"""Read by scripts (`desktop.client.scripts.credentials`) and the desktop (`desktop.client.updates`)."""


@pytest.mark.parametrize(
    "path", ["README.md", *(f"docs/{path.name}" for path in program_folder().glob("docs/*.md"))]
)
def test_settings_that_a_document_names_exist(path: str) -> None:
    names_in_document = set(_NAME.findall((program_folder() / path).read_text("utf-8")))
    unknown = {name for name in names_in_document if name.lower() not in Settings.model_fields}
    assert {name for name in unknown - _SETTINGS_OF_OTHER_PROGRAMS if not name.startswith("TEST_")} == set()


ODD_NAMES = st.text(st.sampled_from("?#%&=+;@: 23Fabé绕\\'\""), min_size=1, max_size=12)


@pytest.mark.skipif(os.name != "posix", reason="Windows forbids most of these names")
@limits(max_examples=25, deadline=None)
@given(name=ODD_NAMES)
@example(name="a?b")
@example(name="a#b")
@example(name="a%20b")
@example(name="a?mode=memory")
def test_database_and_its_copy_lie_where_the_data_directory_is(name: str) -> None:
    with tempfile.TemporaryDirectory() as parent:
        settings = Settings(data_dir=Path(parent) / name, database_url="")
        settings.prepare()
        database = Database(settings.url)
        database.write_now(lambda session: session.execute(text("CREATE TABLE here (x)")))
        database.close()
        assert settings.database_file == settings.data_dir / "walkaround.db"
        copy = settings.data_dir / "copy.db"
        copy_database(settings.database_file, copy)
        assert examine(copy).revision is None
        assert [result.level for result in doctor.database(settings)][:1] == [Level.OK]
        assert sorted(path.name for path in settings.data_dir.iterdir()) == ["copy.db", "walkaround.db"]
        assert [path.name for path in Path(parent).iterdir()] == [name]


@pytest.mark.parametrize(
    "url", ["sqlite:////a?b/x.db", "sqlite:///file:/a/x.db?uri=true", "sqlite:///file:x"]
)
def test_address_that_names_another_file_than_its_path_is_refused(url: str) -> None:
    with pytest.raises(ValidationError, match=r"write \? as %3F"):
        Settings(database_url=url)


def test_level_of_the_log_may_be_lower_case_and_must_be_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WALKAROUND_LOG_LEVEL", "info")
    assert Settings().log_level == "INFO"
    monkeypatch.setenv("WALKAROUND_LOG_LEVEL", "loud")
    with pytest.raises(ValidationError, match="log_level"):
        Settings()
