"""Looks up stored files inside a transaction."""

from __future__ import annotations

from sqlmodel import Session

from service.db.write_queue import WRITES
from service.files.tables import FileRow
from shared.content import cid
from shared.wire.files import CameraData, StoredFile


def download_url(file_id: str) -> str:
    """Return the path of a file's content below the service's address."""
    return f"/api/files/{file_id}/content"


def to_stored_file(row: FileRow) -> StoredFile:
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
    if session.info.get(WRITES) and session.get_bind().dialect.name == "postgresql":
        row = session.get(FileRow, file_id, with_for_update={"read": True, "key_share": True})
    else:
        row = session.get(FileRow, file_id)
    return None if row is None else to_stored_file(row)
