"""Finds and removes stored files that nothing refers to, also while a service runs."""

from __future__ import annotations

import datetime as dt
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from sqlalchemy import Table, delete, func
from sqlalchemy import select as core_select
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from service.changes import ObjectChange, announce
from service.db.database import Database, now
from service.files.tables import FileRow
from service.stores.contents import Contents
from shared.record.content import sha256_from_cid

BATCH = 500
"""How many files are removed in one transaction, during which other writers wait."""

PATIENCE_SECONDS = 60.0
"""How long to try to get the locks for a transaction."""

_LOCK_MILLISECONDS = 300
"""Less than PostgreSQL's `deadlock_timeout` (1 s), so that in a deadlock the collection gives way."""

_PAUSE_SECONDS = 0.2
_LOCK_NOT_AVAILABLE = "55P03"

_CLOCK_SKEW = dt.timedelta(hours=1)
"""How much the clocks of several machines may differ."""

# An id of a file, a SHA-256, or a content id (`content.cid`, which always begins with these letters).
_NAME_PATTERN = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}|bafkrei[a-z2-7]{52}", re.IGNORECASE
)
_FILE = FileRow.__table__.c
_UPLOAD_TIME = func.coalesce(_FILE.uploaded_at, _FILE.created_at)
_ITEM_COLUMNS = (_FILE.sha256, _FILE.size, _UPLOAD_TIME, _FILE.file_id, _FILE.filename)

Texts = Callable[[Session, dt.datetime | None], Iterable[str]]
"""Returns the texts of the database that may name files: those changed since a time, or all."""


class UnusedFile(NamedTuple):
    """A file with its id and name, or a content without a file, that can be removed."""

    sha256: str
    size: int
    at: dt.datetime
    file_id: str | None = None
    filename: str | None = None


class UnusedFiles(NamedTuple):
    """Unused files, contents without a file, and files of models."""

    files: list[UnusedFile]
    contents: list[UnusedFile]
    models: list[UnusedFile]

    @property
    def all_items(self) -> list[UnusedFile]:
        """All of them, the oldest first."""
        return sorted((*self.files, *self.contents, *self.models), key=lambda item: item.at)


class CollectionResult(NamedTuple):
    """The numbers of removed files and contents; `size` is in bytes and counts each content once."""

    files: int
    contents: int
    size: int


class BusyError(Exception):
    """Raised if other transactions held the locks for longer than `PATIENCE_SECONDS`."""


class Collector:
    """Collects files that are older than `grace` and not named in `texts`, which read the tables `tables`."""

    def __init__(
        self,
        database: Database,
        contents: Contents,
        models: Contents,
        texts: Texts,
        tables: Sequence[Table],
        grace: dt.timedelta,
    ) -> None:
        self._database = database
        self._contents = contents
        self._models = models
        self._texts = texts
        self._tables = tables
        self._grace = grace

    def find(self) -> UnusedFiles:
        """Find the files that are unused now. Raises StoreUnavailableError."""
        limit = now() - self._grace
        contents = dict(_old_contents(self._contents, limit))
        models = dict(_old_contents(self._models, limit))

        def read(session: Session) -> UnusedFiles:
            if not self._database.is_sqlite:
                # Read all tables at one moment, as transactions of SQLite do.
                session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
                self._database.lift_statement_limit(session)
            rows = session.execute(core_select(*_ITEM_COLUMNS).where(limit > _UPLOAD_TIME))
            files = [UnusedFile(*row) for row in rows]
            names = {item.file_id or "" for item in files} | {item.sha256 for item in files}
            used_names = _find_used_names(self._texts(session, None), names | contents.keys() | models.keys())
            hashes_with_file = set(session.exec(select(FileRow.sha256).distinct()))
            return UnusedFiles(
                [item for item in files if not {item.file_id, item.sha256} & used_names],
                [
                    item
                    for sha, item in contents.items()
                    if sha not in hashes_with_file and sha not in used_names
                ],
                [item for sha, item in models.items() if sha not in used_names],
            )

        return self._database.read_now(read)

    def remove(self, actor: str | None = None) -> CollectionResult:
        """Remove unused files in several transactions. Raises StoreUnavailableError and BusyError.

        Files that are uploaded again or named in the meantime stay.
        """
        since = now() - _CLOCK_SKEW
        unused = self.find()
        total = CollectionResult(0, 0, 0)
        for batch in _batches(unused):
            result = self._write_locked(partial(self._remove_batch, batch=batch, since=since, actor=actor))
            total = CollectionResult(*(part + addend for part, addend in zip(total, result, strict=True)))
        return total

    def _write_locked(self, work: Callable[[Session], CollectionResult]) -> CollectionResult:
        deadline = time.monotonic() + PATIENCE_SECONDS

        def write(session: Session) -> CollectionResult:
            if not self._database.is_sqlite:
                self._database.lift_statement_limit(session)
                connection = session.connection()
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = {_LOCK_MILLISECONDS}")
                tables = ", ".join(f'"{table.name}"' for table in self._tables)
                # Transactions that are about to name a file end first; later ones wait until it is deleted.
                connection.exec_driver_sql(f"LOCK TABLE {tables} IN SHARE MODE")
                connection.exec_driver_sql(f'LOCK TABLE "{FileRow.__tablename__}" IN EXCLUSIVE MODE')
            return work(session)

        while True:
            try:
                return self._database.write_now(write)
            except OperationalError as problem:
                if getattr(problem.orig, "sqlstate", None) != _LOCK_NOT_AVAILABLE:
                    raise
                if time.monotonic() >= deadline:
                    raise BusyError from problem
            time.sleep(_PAUSE_SECONDS)

    def _remove_batch(
        self, session: Session, batch: UnusedFiles, since: dt.datetime, actor: str | None
    ) -> CollectionResult:
        limit = now() - self._grace
        names = {item.sha256 for item in batch.all_items} | {item.file_id or "" for item in batch.files}
        used_names = _find_used_names(self._texts(session, since), names)
        ids = [item.file_id for item in batch.files if not {item.file_id, item.sha256} & used_names]
        query = select(FileRow.file_id).where(col(FileRow.file_id).in_(ids), limit > _UPLOAD_TIME)
        removed_ids = set(session.exec(query).all())
        session.exec(delete(FileRow).where(col(FileRow.file_id).in_(removed_ids)))
        files = [item for item in batch.files if item.file_id in removed_ids]
        sizes = {
            item.sha256: item.size for item in (*files, *batch.contents) if item.sha256 not in used_names
        }
        still_used = select(FileRow.sha256).where(col(FileRow.sha256).in_(sizes))
        for sha256 in set(session.exec(still_used).all()):
            del sizes[sha256]
        models = {item.sha256: item.size for item in batch.models if item.sha256 not in used_names}
        result = CollectionResult(
            len(files), len(sizes) + len(models), sum((*sizes.values(), *models.values()))
        )
        if files or sizes or models:
            details = {
                "files": result.files,
                "contents": result.contents,
                "bytes": result.size,
                "older_than_days": self._grace.total_seconds() / 86400,
                "sha256": sorted(sizes.keys() | models.keys()),
            }
            announce(session, ObjectChange("delete", "file", None, actor, None, details))
        # Inside this transaction: an upload of the same content has its row already, or stores it again.
        session.flush()
        self._contents.delete(list(sizes))
        self._models.delete(list(models))
        return result


def _old_contents(contents: Contents, limit: dt.datetime) -> Iterator[tuple[str, UnusedFile]]:
    for sha256, content in contents.list_all():
        if content.written_at < limit:
            yield sha256, UnusedFile(sha256, content.size, content.written_at)


def _find_used_names(texts: Iterable[str], names: Collection[str]) -> set[str]:
    """Return those of the ids and SHA-256 that the texts name."""
    used_names = set()
    for text in texts:
        for name in _NAME_PATTERN.findall(text):
            token = name.lower()
            if token.startswith("bafkrei"):
                token = sha256_from_cid(token)
            if token in names:
                used_names.add(token)
    return used_names


def _batches(unused: UnusedFiles) -> Iterator[UnusedFiles]:
    for start in range(0, max(map(len, unused)), BATCH):
        yield UnusedFiles(*(part[start : start + BATCH] for part in unused))
