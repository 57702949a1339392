"""Checks a sealed record: the database, the stored files and the audit log against its editions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select, text
from sqlmodel import Session

from service.audit.service import entries_of_object
from service.db.database import Database
from service.files.lookup import file_info
from service.inspection import problems
from service.inspection.sealing import seal
from service.inspection.sealing.contents import stored_rows, table_content
from service.inspection.tables import EDITION, RECORD
from service.settings import Settings
from service.stores.contents import file_contents, model_contents
from shared.wire.audit import AuditEntry
from shared.wire.seal import DifferenceKind, SealCheck, SealDifference

Json = Any
Row = Mapping[str, Any]

_MESSAGES = {
    DifferenceKind.CHANGED: "与封存时不同",
    DifferenceKind.ADDED: "是封存后新增的",
    DifferenceKind.MISSING: "已不存在",
    DifferenceKind.FILE_CHANGED: "的内容与封存时不同",
    DifferenceKind.FILE_MISSING: "已丢失",
    DifferenceKind.FILE_RENAMED: "的信息与封存时不同",
    DifferenceKind.SEAL_BROKEN: "与封存码不符",
    DifferenceKind.LOG_DIFFERS: "与审计日志不符",
    DifferenceKind.UNREADABLE: "无法读取",
}


_LOGGED_ACTIONS = ("seal", "release", "reopen")

StoredHash = Callable[[str], str | None]
"""The SHA-256 of the bytes that are stored under a SHA-256; None if there are none."""


class NeverSealedError(LookupError):
    """There is no edition to check: the record is not known or was never finished."""


@dataclass(slots=True)
class _CheckState:
    """What one transaction sees; `current`: the record is sealed, so it is to be as in the newest edition."""

    inspection_id: str
    edition: int
    seal: str
    current: bool
    content: Mapping[str, Json] = field(default_factory=dict)
    differences: list[SealDifference] = field(default_factory=list)

    @property
    def files(self) -> Sequence[Mapping[str, Json]]:
        files: Sequence[Mapping[str, Json]] = self.content.get("files", [])
        return files

    def differs(
        self,
        kind: DifferenceKind,
        path: str,
        item: Mapping[str, Json] | None = None,
        file: Mapping[str, Json] | None = None,
        model: Mapping[str, Json] | None = None,
    ) -> None:
        item_id = None if item is None else str(item["item_id"])
        item_name = None if item is None else str(item["item_name"])
        within = path.partition(".")[2] if item is not None else path
        subject = "" if item is None else f"检查项“{item_name}”"
        if file is not None:
            subject += f"{'的' if subject else ''}文件“{file['filename']}”"
        elif model is not None:
            subject = f"检测模型“{model['model_name'] or model['model_id']}”的文件"
        elif within:
            subject += f"{'的 ' if subject else ''}{within} "
        self.differences.append(
            SealDifference(
                kind=kind,
                path=path,
                item_id=item_id,
                item_name=item_name,
                file_id=None if file is None else str(file["file_id"]),
                message=f"{subject}{_MESSAGES[kind]}",
            )
        )


class SealChecks:
    """Checks records of one database; `stored_hash` reads the stored files, `model_hash` those of models."""

    def __init__(
        self,
        database: Database,
        stored_hash: StoredHash,
        model_hash: StoredHash,
    ) -> None:
        self._database = database
        self._stored_hash = stored_hash
        self._model_hash = model_hash
        # Reading every file of a record takes the disk: one record at a time.
        self._lock = asyncio.Lock()

    async def check(self, inspection_id: str) -> SealCheck:
        """Compare what is there with the editions of a record.

        Raises Problem 404 for an unknown record, and 409 for one that was never finished.
        """
        async with self._lock:
            try:
                state = await self._database.read(lambda session: self._read(session, inspection_id))
            except NeverSealedError:
                query = select(RECORD.c.inspection_id).where(RECORD.c.inspection_id == inspection_id)
                row = await self._database.read(lambda session: session.execute(query).one_or_none())
                raise (problems.no_record() if row is None else problems.not_sealed()) from None
            return await asyncio.to_thread(self._judge, state)

    def check_now(self, inspection_id: str) -> SealCheck:
        """`check` on this thread. Raises NeverSealedError."""
        return self._judge(self._database.read_now(lambda session: self._read(session, inspection_id)))

    def _read(self, session: Session, inspection_id: str) -> _CheckState:
        if not self._database.is_sqlite:
            # Record, editions and log as of one moment, while others write.
            session.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
        rows = stored_rows(session, EDITION, EDITION.c.inspection_id == inspection_id, EDITION.c.edition)
        log = entries_of_object(session, "record", inspection_id, _LOGGED_ACTIONS)
        state = _initial_state(inspection_id, rows, log)
        _compare_log(state, rows, log)
        for row in rows:
            content = _content(state, row)
            if row is rows[-1]:
                state.content = content
        with _reports_unreadable(state):
            if state.current and state.content:
                self._compare_tables(session, state)
            for at, file in enumerate(state.files):
                self._compare_file(session, state, at, file)
        return state

    def _compare_tables(self, session: Session, state: _CheckState) -> None:
        now = table_content(session, state.inspection_id, state.content.get("format", seal.FORM))
        if now is None:
            state.differs(DifferenceKind.MISSING, "record")
            return
        for discrepancy in seal.differences(state.content, seal.parse_content(seal.canonical(now))):
            state.differs(discrepancy.kind, discrepancy.path, discrepancy.item)
        # It follows from the edition and is no part of its content.
        query = select(RECORD.c.record_state).where(RECORD.c.inspection_id == state.inspection_id)
        if session.execute(query).scalar_one() != state.content["outcome"]:
            state.differs(DifferenceKind.CHANGED, "record.record_state")

    def _compare_file(self, session: Session, state: _CheckState, at: int, file: Mapping[str, Json]) -> None:
        try:
            stored = file_info(session, file["file_id"])
        except ValueError:
            # SQLite keeps any text in place of a time.
            state.differs(DifferenceKind.UNREADABLE, f"files[{at}]", _owner(state, file), file)
            return
        if stored is None:
            state.differs(DifferenceKind.FILE_MISSING, f"files[{at}]", _owner(state, file), file)
        elif seal.parse_content(seal.canonical(seal.file_content(stored))) != file:
            state.differs(DifferenceKind.FILE_RENAMED, f"files[{at}]", _owner(state, file), file)

    def _judge(self, state: _CheckState) -> SealCheck:
        """Read the stored files too, outside of the transaction."""
        with _reports_unreadable(state):
            for at, file in enumerate(state.files):
                stored_hash = self._stored_hash(file["sha256"])
                if stored_hash != file["sha256"]:
                    lost = DifferenceKind.FILE_MISSING if stored_hash is None else DifferenceKind.FILE_CHANGED
                    state.differs(lost, f"files[{at}]", _owner(state, file), file)
            self._judge_models(state)
        return SealCheck(
            inspection_id=state.inspection_id,
            edition=state.edition,
            seal=state.seal,
            intact=not state.differences,
            current=state.current,
            files=len(state.files),
            differences=state.differences,
        )

    def _judge_models(self, state: _CheckState) -> None:
        """The file of a model never changes, and stays: each entry that it made names it."""
        models: Sequence[Mapping[str, Json]] = state.content.get("models", [])
        hashes = {model["model_sha256"] for model in models} - {None}
        stored = {sha256: self._model_hash(sha256) for sha256 in hashes}
        for at, model in enumerate(models):
            sha256 = model["model_sha256"]
            if sha256 is not None and stored[sha256] != sha256:
                lost = DifferenceKind.FILE_MISSING if stored[sha256] is None else DifferenceKind.FILE_CHANGED
                state.differs(lost, f"models[{at}]", model=model)


def seal_checks(database: Database, settings: Settings, *, reads_files: bool = True) -> SealChecks:
    """The checks of records on a database, for a command; without `reads_files` of the database alone."""
    if not reads_files:
        return SealChecks(database, _claimed_hash, _claimed_hash)
    return SealChecks(database, file_contents(settings).stored_hash, model_contents(settings).stored_hash)


def _claimed_hash(sha256: str) -> str:
    return sha256


@contextmanager
def _reports_unreadable(state: _CheckState) -> Iterator[None]:
    """A content that someone changed may lack what every content has: that is a difference, not a fault."""
    try:
        yield
    except (KeyError, TypeError, AttributeError):
        state.differs(DifferenceKind.UNREADABLE, f"editions[{state.edition}].content")


def _initial_state(inspection_id: str, rows: Sequence[Row], log: Sequence[AuditEntry]) -> _CheckState:
    if rows:
        newest = rows[-1]
        return _CheckState(inspection_id, newest["edition"], newest["seal"], newest["reopened_at"] is None)
    finished = [entry.details for entry in log if entry.action == "seal"]
    if not finished:
        raise NeverSealedError(inspection_id)
    return _CheckState(inspection_id, finished[-1]["edition"], finished[-1]["seal"], current=False)


def _content(state: _CheckState, row: Row) -> Mapping[str, Json]:
    """The content of an edition, compared with its seal and with what its row says beside it."""
    path = f"editions[{row['edition']}]"
    if seal.seal_of(row["content"]) != row["seal"]:
        state.differs(DifferenceKind.SEAL_BROKEN, f"{path}.content")
    try:
        content: Mapping[str, Json] = seal.parse_content(row["content"])
        sealed = {"edition": content["edition"], "outcome": content["outcome"], **content["finished"]}
    except (seal.UnreadableError, KeyError, TypeError):
        state.differs(DifferenceKind.UNREADABLE, f"{path}.content")
        return {}
    beside = {
        "edition": row["edition"],
        "outcome": row["outcome"],
        "by": row["finished_by"],
        "by_name": row["finished_by_name"],
        "at": row["finished_at"],
        "needs_release": row["needs_release"],
        "accepted_opinions": row["accepted_opinions"],
    }
    now = seal.parse_content(seal.canonical(beside))
    for name in sorted(now):
        if sealed.get(name) != now[name]:
            state.differs(DifferenceKind.CHANGED, f"{path}.{name}")
    return content


def _compare_log(state: _CheckState, rows: Sequence[Row], log: Sequence[AuditEntry]) -> None:
    """The log has one entry for each seal, release and reopening, and each says the same as the edition."""
    by_edition = {row["edition"]: row for row in rows}
    logged = {(entry.action, entry.details.get("edition")): entry for entry in log}
    for action, number in logged:
        if action == "seal" and number not in by_edition:
            state.differs(DifferenceKind.MISSING, f"editions[{number}]")
    for number, row in by_edition.items():
        for action, done in _DONE.items():
            entry = logged.get((action, number))
            if not _agree(row, action, done, entry):
                state.differs(DifferenceKind.LOG_DIFFERS, f"editions[{number}].{action}")


# What the log says of an action, by the columns of an edition.
_DONE = {
    "seal": ("seal", "outcome", "accepted_opinions"),
    "release": ("seal", "released_by", "released_by_name", "released_at"),
    "reopen": ("seal", "reopened_by", "reopened_by_name", "reopened_at", "reopen_reason"),
}


def _agree(row: Row, action: str, names: Sequence[str], entry: AuditEntry | None) -> bool:
    who = {"seal": "finished_by", "release": "released_by", "reopen": "reopened_by"}[action]
    if entry is None:
        return all(row[name] is None for name in names[1:]) and action != "seal"
    logged = {name: entry.details.get(name) for name in names}
    now = {name: row[name] for name in names}
    return entry.actor == row[who] and seal.canonical(logged) == seal.canonical(now)


def _owner(state: _CheckState, file: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """An item that names the file."""
    items: Sequence[Mapping[str, Json]] = state.content.get("items", [])
    return next((item for item in items if file["file_id"] in seal.canonical(item)), None)
