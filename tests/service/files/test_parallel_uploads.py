"""Tests uploads of the same file at the same moment."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlmodel import select

from service.changes import ObjectChange
from service.db.database import Database
from service.db.upsert import insert_or_ignore
from service.files import service
from service.files.tables import FileRow

SHA256 = "c" * 64


@pytest.mark.parametrize("database_kind", [pytest.param("postgresql", marks=pytest.mark.postgresql)])
def test_file_stored_by_two_processes_is_one_row(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    # Neither sees the other's row before it inserts its own.
    both_have_read, insert = threading.Barrier(2), insert_or_ignore
    changes: list[ObjectChange] = []
    database.after_commit.append(changes.extend)

    def insert_together(*arguments: Any) -> int:
        both_have_read.wait(20)
        return insert(*arguments)

    monkeypatch.setattr(service, "insert_or_ignore", insert_together)

    def store(_number: int) -> str:
        row = FileRow(sha256=SHA256, filename="左翼.jpg", mime_type="image/jpeg", size=3)
        return database.write_now(lambda session: service._add_row(session, row, None)).file_id

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(store, range(2))
    (stored,) = database.read_now(lambda session: session.exec(select(FileRow.file_id)).all())
    assert first == second == stored
    assert [change.object_id for change in changes] == [stored]
