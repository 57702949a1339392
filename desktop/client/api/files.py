"""Calls the service for files: upload with progress, download, thumbnails, tiles and crops."""

from __future__ import annotations

import io
import mimetypes
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from desktop.client.http.errors import NotFound
from desktop.client.http.transport import PREFIX, Calls, segment
from shared.wire.files import StoredFile, Tiles

Progress = Callable[[int, int], None]
"""A function that gets the transferred and the total bytes (0 if unknown). Its errors end the transfer."""

_UPLOAD_SECONDS = 300.0
_PIECE = 2**16


class CountingReader:
    """A readable file that reports its progress."""

    def __init__(self, file: BinaryIO, progress: Progress) -> None:
        self._file = file
        self._progress = progress
        self._size = file.seek(0, io.SEEK_END)
        file.seek(0)

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._progress(self._file.tell(), self._size)
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()


class Files(Calls):
    """The file store of the service."""

    def upload(
        self, source: Path | bytes, name: str | None = None, progress: Progress | None = None
    ) -> StoredFile:
        """Upload a file or bytes. The same content is stored once.

        `name` is by default the name of the file. Raises OSError when it cannot be read, TooLarge,
        Unsupported.
        """
        if isinstance(source, bytes):
            return self._send(io.BytesIO(source), name or "image", progress)
        with source.open("rb") as file:
            return self._send(file, name or source.name, progress)

    def _send(self, file: BinaryIO, name: str, progress: Progress | None) -> StoredFile:
        mime = mimetypes.guess_type(name)[0] or "application/octet-stream"
        body = CountingReader(file, progress) if progress is not None else file
        return self._transport.call(
            "POST", "/files", files={"file": (name, body, mime)}, repeatable=True, seconds=_UPLOAD_SECONDS
        ).data(StoredFile)

    def get(self, file_id: str) -> StoredFile:
        """The metadata of a file. Raises NotFound."""
        return self._transport.get(f"/files/{segment(file_id)}", StoredFile)

    def download(self, file_id: str, progress: Progress | None = None) -> bytes:
        """The bytes of a file. Raises NotFound."""
        return self._download(f"/files/{segment(file_id)}/content", progress)

    def save(self, file_id: str, path: Path, progress: Progress) -> None:
        """Write the bytes of a file to `path`, about 64 KiB in memory. Raises NotFound, OSError."""
        with (
            self._transport.stream(f"/files/{segment(file_id)}/content") as response,
            path.open("wb") as file,
        ):
            total = int(response.headers.get("Content-Length", 0))
            for piece in response.iter_bytes(_PIECE):
                file.write(piece)
                progress(file.tell(), total)

    def thumbnail(self, file_id: str, size: int = 256) -> bytes:
        """A small upright picture, its longer side at most `size` px. Raises NotFound."""
        return self._download(f"/files/{segment(file_id)}/thumbnail?size={size}", None)

    def tiles(self, file_id: str) -> Tiles:
        """The tiles of a picture. The service creates them on the first call. Raises NotFound,
        Unsupported."""
        return self._transport.get(f"/files/{segment(file_id)}/tiles", Tiles)

    def tile(self, file_id: str, level: int, column: int, row: int) -> bytes:
        """A tile as JPEG. `level` 0 is the finest. Raises Conflict while tiles are being created,
        NotFound."""
        return self._download(f"/files/{segment(file_id)}/tiles/{level}/{column}/{row}", None)

    def crop(self, file_id: str, x: int, y: int, w: int, h: int) -> bytes:
        """A part of a picture (upright px) from the original, as PNG. Raises NotFound, Unsupported, TooLarge.

        At most `shared.images.tiles.MAX_CROP_PIXELS`.
        """
        return self._download(f"/files/{segment(file_id)}/crop?x={x}&y={y}&w={w}&h={h}", None)

    def fetch(self, download_url: str, progress: Progress | None = None) -> bytes:
        """The bytes behind the `download_url` of a fileInfo.

        Only paths of the service are fetched, because another address would receive the login. Raises
        NotFound for such an address.
        """
        path = download_url.removeprefix(PREFIX)
        if not path.startswith("/files/") or ".." in path:
            raise NotFound
        return self._download(path, progress)

    def _download(self, path: str, progress: Progress | None) -> bytes:
        with self._transport.stream(path) as response:
            if progress is None:
                return response.read()
            total = int(response.headers.get("Content-Length", 0))
            pieces = bytearray()
            for piece in response.iter_bytes():
                pieces += piece
                progress(len(pieces), total)
            return bytes(pieces)
