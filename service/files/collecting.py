"""Finds and removes stored files that nothing names, beside a running service."""

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
from shared.content import sha256_of

BATCH = 500
"""Files of one transaction, which other writers wait for."""

PATIENCE_SECONDS = 60.0
"""How long a transaction tries to get its locks."""

_LOCK_MILLISECONDS = 300
"""Less than PostgreSQL's `deadlock_timeout` (1 s): it is the collection that gives way, never the service."""

_PAUSE_SECONDS = 0.2
_NO_LOCK = "55P03"

_SKEW = dt.timedelta(hours=1)
"""By how much the clocks of several machines may differ."""

# An id of a file, a SHA-256, or a content id (`shared.content.cid`, whose first letters are always these).
_NAMES = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}|bafkrei[a-z2-7]{52}", re.IGNORECASE
)
_FILE = FileRow.__table__.c
_UPLOADED = func.coalesce(_FILE.uploaded_at, _FILE.created_at)
_ITEM = (_FILE.sha256, _FILE.size, _UPLOADED, _FILE.file_id, _FILE.filename)

Texts = Callable[[Session, dt.datetime | None], Iterable[str]]
"""The texts of the database that may name files; those that changed since a time, or all."""


class UnusedFile(NamedTuple):
    """What may be removed: a file with its id and name, or a content that no file has."""

    sha256: str
    size: int
    at: dt.datetime
    file_id: str | None = None
    filename: str | None = None


class UnusedFiles(NamedTuple):
    """What nothing uses: files, contents without a file, and files of models."""

    files: list[UnusedFile]
    contents: list[UnusedFile]
    models: list[UnusedFile]

    @property
    def all(self) -> list[UnusedFile]:
        """All of it, the oldest first."""
        return sorted((*self.files, *self.contents, *self.models), key=lambda item: item.at)


class CollectionResult(NamedTuple):
    """What a run removed; `size` counts each content once, in bytes."""

    files: int
    contents: int
    size: int


class BusyError(Exception):
    """Others write so much that the locks were not to be had."""


class Collector:
    """Collects what is older than `grace` and named by no text of `texts`, whose tables are `tables`."""

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
        """What is unused now. Raises StoreUnavailableError."""
        before = now() - self._grace
        stored = dict(_old_contents(self._contents, before))
        models = dict(_old_contents(self._models, before))

        def read(session: Session) -> UnusedFiles:
            if not self._database.is_sqlite:
                # One moment for all tables, as SQLite's transactions have it.
                session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
                self._database.lift_statement_limit(session)
            rows = session.execute(core_select(*_ITEM).where(before > _UPLOADED))
            files = [UnusedFile(*row) for row in rows]
            names = {item.file_id or "" for item in files} | {item.sha256 for item in files}
            used_names = _used_names(self._texts(session, None), names | stored.keys() | models.keys())
            with_file = set(session.exec(select(FileRow.sha256).distinct()))
            return UnusedFiles(
                [item for item in files if not {item.file_id, item.sha256} & used_names],
                [item for sha, item in stored.items() if sha not in with_file and sha not in used_names],
                [item for sha, item in models.items() if sha not in used_names],
            )

        return self._database.read_now(read)

    def remove(self, actor: str | None = None) -> CollectionResult:
        """Remove what is unused, in several transactions. Raises StoreUnavailableError and BusyError.

        What is uploaded again or named meanwhile stays.
        """
        since = now() - _SKEW
        unused = self.find()
        total = CollectionResult(0, 0, 0)
        for batch in _batches(unused):
            done = self._run_locked(partial(self._remove, batch=batch, since=since, actor=actor))
            total = CollectionResult(*(part + other for part, other in zip(total, done, strict=True)))
        return total

    def _run_locked(self, work: Callable[[Session], CollectionResult]) -> CollectionResult:
        ends = time.monotonic() + PATIENCE_SECONDS

        def write(session: Session) -> CollectionResult:
            if not self._database.is_sqlite:
                self._database.lift_statement_limit(session)
                connection = session.connection()
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = {_LOCK_MILLISECONDS}")
                tables = ", ".join(f'"{table.name}"' for table in self._tables)
                # Who is about to name a file ends first, who begins waits until the file is gone.
                connection.exec_driver_sql(f"LOCK TABLE {tables} IN SHARE MODE")
                connection.exec_driver_sql(f'LOCK TABLE "{FileRow.__tablename__}" IN EXCLUSIVE MODE')
            return work(session)

        while True:
            try:
                return self._database.write_now(write)
            except OperationalError as problem:
                if getattr(problem.orig, "sqlstate", None) != _NO_LOCK:
                    raise
                if time.monotonic() >= ends:
                    raise BusyError from problem
            time.sleep(_PAUSE_SECONDS)

    def _remove(
        self, session: Session, batch: UnusedFiles, since: dt.datetime, actor: str | None
    ) -> CollectionResult:
        before = now() - self._grace
        names = {item.sha256 for item in batch.all} | {item.file_id or "" for item in batch.files}
        used_names = _used_names(self._texts(session, since), names)
        ids = [item.file_id for item in batch.files if not {item.file_id, item.sha256} & used_names]
        old = select(FileRow.file_id).where(col(FileRow.file_id).in_(ids), before > _UPLOADED)
        removed_ids = set(session.exec(old).all())
        session.exec(delete(FileRow).where(col(FileRow.file_id).in_(removed_ids)))
        files = [item for item in batch.files if item.file_id in removed_ids]
        sizes = {
            item.sha256: item.size for item in (*files, *batch.contents) if item.sha256 not in used_names
        }
        in_use = select(FileRow.sha256).where(col(FileRow.sha256).in_(sizes))
        for sha256 in set(session.exec(in_use).all()):
            del sizes[sha256]
        models = {item.sha256: item.size for item in batch.models if item.sha256 not in used_names}
        removed = CollectionResult(
            len(files), len(sizes) + len(models), sum((*sizes.values(), *models.values()))
        )
        if files or sizes or models:
            details = {
                "files": removed.files,
                "contents": removed.contents,
                "bytes": removed.size,
                "older_than_days": self._grace.total_seconds() / 86400,
                "sha256": sorted(sizes.keys() | models.keys()),
            }
            announce(session, ObjectChange("delete", "file", None, actor, None, details))
        # In this transaction: an upload of the same content has its row before, or stores the content again.
        session.flush()
        self._contents.delete(list(sizes))
        self._models.delete(list(models))
        return removed


def _old_contents(contents: Contents, before: dt.datetime) -> Iterator[tuple[str, UnusedFile]]:
    for sha256, stored in contents.list_all():
        if stored.written_at < before:
            yield sha256, UnusedFile(sha256, stored.size, stored.written_at)


def _used_names(texts: Iterable[str], names: Collection[str]) -> set[str]:
    """Those of the ids and SHA-256 that the texts name."""
    names_found = set()
    for text in texts:
        for name in _NAMES.findall(text):
            token = name.lower()
            if token.startswith("bafkrei"):
                token = sha256_of(token)
            if token in names:
                names_found.add(token)
    return names_found


def _batches(unused: UnusedFiles) -> Iterator[UnusedFiles]:
    for start in range(0, max(map(len, unused)), BATCH):
        yield UnusedFiles(*(each[start : start + BATCH] for each in unused))
