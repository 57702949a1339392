"""Looks up stored files inside a transaction, and the bytes they stand for."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from sqlmodel import Session

from service.files.tables import FileRow
from shared.content import cid
from shared.wire.files import StoredFile


def download_url(file_id: str) -> str:
    """The path below the service's address that gives the content of a file."""
    return f"/api/files/{file_id}/content"


def stored(row: FileRow) -> StoredFile:
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
    )


def file_info(session: Session, file_id: str) -> StoredFile | None:
    """What is known of a file; None when there is no such file."""
    row = session.get(FileRow, file_id)
    return None if row is None else stored(row)


def blob_path(folder: Path, sha256: str) -> Path:
    """Where the content with that SHA-256 lies in the folder of contents, or would lie."""
    return folder / sha256[:2] / sha256[2:]


def stored_hash(folder: Path, sha256: str) -> str | None:
    """The SHA-256 of the bytes that are stored under `sha256`; None when there are none."""
    if re.fullmatch(r"[0-9a-f]{64}", sha256) is None:
        return None
    try:
        with blob_path(folder, sha256).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None
