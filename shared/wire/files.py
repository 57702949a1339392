"""Bodies of the file store."""

from __future__ import annotations

from shared.wire.common import ItemTime, Wire


class StoredFile(Wire):
    """A file of the service: named by its content, never changed.

    `download_url` is the path below the service's address; `width` and `height` are upright pixels and null
    for a file that is no image.
    """

    file_id: str
    sha256: str
    ipfs_cid: str
    filename: str
    mime_type: str
    size: int
    width: int | None
    height: int | None
    download_url: str
    created_at: ItemTime
