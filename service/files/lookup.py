"""Looks up stored files inside a transaction."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import bindparam, select
from sqlmodel import Session

from service.db import statements
from service.db.statements import ResultRow
from service.db.write_queue import WRITES
from service.files.tables import FileRow
from shared.record.content import cid, file_id_from_url, sha256_from_cid
from shared.wire.files import CameraData, StoredFile
from shared.wire.inspection import FileInfo

_FILE = FileRow.__table__
_BY_ID = select(_FILE).where(_FILE.c.file_id == bindparam("file_id"))
_LOCKED = _BY_ID.with_for_update(read=True, key_share=True)
"""Locks the file on PostgreSQL; SQLite has one writer and ignores it."""


def download_url(file_id: str) -> str:
    """Return the path of a file's content below the service's address."""
    return f"/api/files/{file_id}/content"


def to_stored_file(row: FileRow | ResultRow) -> StoredFile:
    """Return a file as a body of the API."""
    return StoredFile(
        file_id=row.file_id,
        sha256=row.sha256,
        ipfs_cid=cid(row.sha256),
        filename=row.filename,
        mime_type=row.mime_type,
        size=row.size,
        width=row.width,
        height=row.height,
        download_url=download_url(row.file_id),
        created_at=row.created_at,
        camera=_parse_camera(row.camera),
    )


def _parse_camera(text: str | None) -> CameraData | None:
    """Parse the camera data of a row; None if there is none or it was not read."""
    if text is None:
        return None
    camera = CameraData.model_validate_json(text)
    return None if camera == CameraData() else camera


def file_info(session: Session, file_id: str) -> StoredFile | None:
    """Return the facts about a file; None if it does not exist.

    In a transaction that writes, this locks the file: it is not deleted before the end, when a collection
    sees the text that names it.
    """
    rows = statements.run(
        session.connection(), _LOCKED if session.info.get(WRITES) else _BY_ID, {"file_id": file_id}
    )
    return to_stored_file(rows[0]) if rows else None


def find_file(session: Session, named: Mapping[str, Any]) -> StoredFile | None:
    """Return the file that an item's `fileInfo` names by download_url or ipfs_cid.

    Returns None if it is not a file of this service.
    """
    file_id = file_id_from_url(named.get("download_url"))
    stored = None if file_id is None else file_info(session, file_id)
    if stored is not None:
        return stored
    try:
        sha256 = sha256_from_cid(str(named.get("ipfs_cid") or ""))
    except ValueError:
        return None
    of_content = select(_FILE).where(_FILE.c.sha256 == sha256).order_by(_FILE.c.created_at).limit(1)
    row = session.execute(of_content).one_or_none()
    return None if row is None else to_stored_file(row)


def same_content(session: Session, file_ids: Collection[str]) -> Mapping[str, Collection[str]]:
    """Return the ids of all files with the content of each of these files, itself included."""
    same = _FILE.alias()
    pairs = session.execute(
        select(_FILE.c.file_id, same.c.file_id)
        .join(same, same.c.sha256 == _FILE.c.sha256)
        .where(_FILE.c.file_id.in_(file_ids))
    )
    by_file: dict[str, set[str]] = {}
    for file_id, other_id in pairs:
        by_file.setdefault(file_id, set()).add(other_id)
    return by_file


def to_file_info(stored: StoredFile) -> FileInfo:
    """A stored file as an item names it."""
    return FileInfo(
        download_url=stored.download_url,
        filename=stored.filename,
        ipfs_cid=stored.ipfs_cid,
        mime_type=stored.mime_type,
        size=stored.size,
    )
