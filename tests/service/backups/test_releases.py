"""Tests that backups of releases are restored with the current code: records, files, seals, audit log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from service.commands import verify_audit
from service.commands.backup import main
from service.db.database import Database
from service.db.schema import current_revision, newest_revision
from service.inspection.sealing.seal_check import seal_checks
from service.settings import Settings
from service.stores.contents import file_contents
from tests.postgresql import Server
from tests.service.backups.release_archive import PIXEL

FOLDER = Path(__file__).parent


@pytest.fixture(params=["sqlite-format-1", pytest.param("postgresql-format-2", marks=pytest.mark.postgresql)])
def release(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def empty_settings(release: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Settings]:
    """Settings of an empty installation, on the kind of database of the archive."""
    if release.startswith("sqlite"):
        yield Settings(data_dir=tmp_path / "data", database_url="")
        return
    server: Server = request.getfixturevalue("postgresql_server")
    server.execute("CREATE DATABASE restored")
    yield Settings(data_dir=tmp_path / "data", database_url=server.url("restored"))
    server.execute("DROP DATABASE restored WITH (FORCE)")


def test_backup_of_a_release_is_restored(release: str, empty_settings: Settings) -> None:
    facts: dict[str, Any] = json.loads((FOLDER / f"{release}.json").read_text("utf-8"))
    assert main(["restore", str(FOLDER / f"{release}.zip")], empty_settings) == 0
    assert verify_audit.main(["audit", "verify", "--record", facts["sealed"]], empty_settings) == 0
    database = Database(empty_settings.url)
    try:
        assert current_revision(database) == newest_revision()

        def rows(query: str) -> list[Any]:
            return [
                tuple(row) for row in database.read_now(lambda session: session.execute(text(query)).all())
            ]

        assert dict(rows("SELECT inspection_id, inspection_name FROM record")) == facts["records"]
        assert rows("SELECT item_name FROM item") == [(facts["item_name"],)]
        assert rows("SELECT seal FROM record_edition") == [(facts["seal"],)]
        [(photo,)] = rows(f"SELECT sha256 FROM file WHERE file_id = '{facts['photo']}'")
        assert file_contents(empty_settings).path(photo).read_bytes() == PIXEL
        # The log continues with the entry of the restore, signed with the secret of this installation.
        assert rows("SELECT max(seq) FROM audit_event") == [(facts["audit_rows"] + 1,)]
        check = seal_checks(database, empty_settings).check_now(facts["sealed"])
        assert (check.seal, check.intact) == (facts["seal"], True)
    finally:
        database.close()
    # The restored data can be backed up again. A restore needs an empty directory.
    again = empty_settings.data_dir.parent / "again.zip"
    assert main(["backup", str(again)], empty_settings) == 0
    assert main(["backup", "verify", str(again)], empty_settings) == 0
    assert main(["restore", str(again)], empty_settings) == 1
