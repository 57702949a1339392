"""Looks up stored files inside a transaction."""

from __future__ import annotations

from sqlmodel import Session

from service.db.write_queue import WRITES
from service.files.tables import FileRow
from shared.content import cid
from shared.wire.files import CameraData, StoredFile


def download_url(file_id: str) -> str:
    """The path below the service's address that gives the content of a file."""
    return f"/api/files/{file_id}/content"


def stored_file(row: FileRow) -> StoredFile:
    """A file as clients see it."""
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
        camera=_camera(row.camera),
    )


def _camera(text: str | None) -> CameraData | None:
    """What a row keeps; None when it is nothing, or was not read."""
    if text is None:
        return None
    camera = CameraData.model_validate_json(text)
    return None if camera == CameraData() else camera


def file_info(session: Session, file_id: str) -> StoredFile | None:
    """What is known of a file; None when there is no such file.

    In a transaction that writes, the file is there until its end: what names it is seen by a collection.
    """
    if session.info.get(WRITES) and session.get_bind().dialect.name == "postgresql":
        row = session.get(FileRow, file_id, with_for_update={"read": True, "key_share": True})
    else:
        row = session.get(FileRow, file_id)
    return None if row is None else stored_file(row)
