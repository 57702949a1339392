"""Implements the file store: uploads, metadata, content and thumbnails."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlmodel import Session, select

from service.changes import ObjectChange, announce
from service.db.database import Database, now
from service.db.upsert import insert_or_ignore
from service.files import film_process, lookup
from service.files.rules import clean_name, type_by_content
from service.files.tables import FileRow
from service.files.tiles import TileStore
from service.files.upload import BadUploadError, Upload
from service.files.usage import UploadRoom, Usage, count_stored_bytes
from service.settings import Settings
from service.stores.contents import IncomingContent, file_contents
from service.stores.port import PIECE, Pieces
from service.web.envelope import Problem
from shared.images.formats import IMAGE_TYPES
from shared.images.tiles import MAX_CROP_PIXELS
from shared.record.codes import ErrorCode
from shared.record.geometry import Rect
from shared.system import atomic
from shared.wire.files import StoredFile, Tiles
from shared.wire.text import fill

T = TypeVar("T")

_UPLOAD_TIME_PRECISION = dt.timedelta(hours=1)

CACHED_SIZES = frozenset({64, 128, 256, 512, 1024})
"""The sizes of thumbnails that are cached on the disk; others are computed each time."""


def _unreadable_problem(error: BadUploadError) -> Problem:
    fields = [{"field": "file", "type": "upload", "message": str(error)}]
    return Problem(422, ErrorCode.INVALID_INPUT, str(error), fields=fields)


class FilesService:
    """Stores files by their content. It never changes or removes a content, and never fetches a URL."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._limit = settings.max_upload_bytes
        self._camera_position = settings.camera_position
        self._contents = file_contents(settings)
        # On SQLite there is no other process, so at its start every incomplete upload is abandoned.
        self._contents.clean(0.0) if settings.is_sqlite else self._contents.clean()
        self._room = UploadRoom(settings, self._contents.incoming_folder)
        self._thumbnails = settings.data_dir / "cache" / "thumbnails"
        self.tiles = TileStore(settings.data_dir / "cache" / "tiles")
        self._disk = ThreadPoolExecutor(4, thread_name_prefix="files")
        self._decoders = ThreadPoolExecutor(2, thread_name_prefix="thumbnails")

    async def ensure_reachable(self) -> None:
        """Check that files can be found and added. Raises OSError or StoreUnavailableError if not."""
        await self._run_on_disk(self._contents.ensure_reachable)

    def close(self) -> None:
        """Release the threads and processes."""
        self.tiles.close()
        self._disk.shutdown(wait=True)
        self._contents.close()
        self._decoders.shutdown(wait=True, cancel_futures=True)

    async def _run_on_disk(self, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._disk, work, *arguments)

    async def _decode(self, why: str, work: Callable[..., bytes], *arguments: Any) -> bytes:
        """Decode a picture. Raises Problem 415 with the text `why` for a damaged one."""
        # Imported here and below because the service starts sooner without libvips and NumPy.
        from service.files import images

        try:
            return await asyncio.get_running_loop().run_in_executor(self._decoders, work, *arguments)
        except images.BadImageError as error:
            raise Problem(415, ErrorCode.UNSUPPORTED_MEDIA, why) from error

    # Uploads

    async def receive(
        self,
        content_type: str | None,
        body: AsyncIterator[bytes],
        user_id: str | None,
        address: str | None = None,
    ) -> StoredFile:
        """Store the file of a multipart body while it arrives, with about 1 MB of it in memory.

        Raises Problem 413 over the limits, 415 for an empty file or a body that is not multipart, 422 for a
        body without exactly one complete file or an image that cannot be read, and 507 without room for it.
        """
        incoming, write = await self._begin_write()
        try:
            upload = _begin_upload(content_type, write)
            buffer = bytearray()
            async for piece in body:
                buffer += piece
                if len(buffer) >= PIECE:
                    await self._run_on_disk(upload.feed, bytes(buffer))
                    buffer.clear()
            await self._run_on_disk(upload.feed, bytes(buffer))
            return await self._end_write(incoming, upload.finish(), user_id, address)
        except BadUploadError as error:
            raise _unreadable_problem(error) from error
        finally:
            await asyncio.shield(self._run_on_disk(incoming.discard))

    async def receive_pieces(
        self, name: str, pieces: AsyncIterator[bytes], user_id: str | None, address: str | None = None
    ) -> StoredFile:
        """Store the bytes of `pieces` as a file called `name`. Raises the Problems of `receive`."""
        incoming, write = await self._begin_write()
        try:
            async for piece in pieces:
                await self._run_on_disk(write, piece)
            return await self._end_write(incoming, name, user_id, address)
        except BadUploadError as error:
            raise _unreadable_problem(error) from error
        finally:
            await asyncio.shield(self._run_on_disk(incoming.discard))

    async def ensure_room(self, size: int) -> None:
        """Raise Problem 507 if there is no room for a file of `size` bytes."""
        if size > await self._largest():
            raise self._room.full_problem(size)

    async def _largest(self) -> int:
        """Return the size of the largest file that fits, in bytes. Raises Problem 507."""
        if self._room.is_stale():
            self._room.set_stored_bytes((await self._database.read(count_stored_bytes))[1])
        return await self._run_on_disk(self._room.largest_upload)

    async def _begin_write(self) -> tuple[IncomingContent, Callable[[bytes], None]]:
        """Return a new content and a function that adds a piece within the limits. Raises Problem 507."""
        largest_upload = await self._largest()
        incoming = await self._run_on_disk(self._contents.new_incoming)

        def write(piece: bytes) -> None:
            if incoming.size + len(piece) > self._limit:
                raise self._too_large()
            if incoming.size + len(piece) > largest_upload:
                raise self._room.full_problem(incoming.size + len(piece))
            incoming.write(piece)

        return incoming, write

    async def _end_write(
        self, incoming: IncomingContent, name: str, user_id: str | None, address: str | None
    ) -> StoredFile:
        row = await self._run_on_disk(self._store_incoming, name, incoming, user_id)
        if not incoming.existed_before:
            self._room.add(row.size)
        stored = await self._database.write(lambda session: _add_row(session, row, address))
        if incoming.existed_before:
            await self._run_on_disk(self._contents.ensure, incoming)
        return stored

    def keep(self, name: str, data: bytes, user_id: str | None) -> Callable[[Session], StoredFile]:
        """Write `data` to the disk on this thread; return the function that adds the file in a transaction.

        Raises the Problems of `receive`.
        """
        incoming = self._contents.new_incoming()
        try:
            if len(data) > self._limit:
                raise self._too_large()
            incoming.write(data)
            row = self._store_incoming(name, incoming, user_id)
            existed_before = incoming.existed_before
        except BadUploadError as error:
            raise _unreadable_problem(error) from error
        finally:
            incoming.discard()

        def add(session: Session) -> StoredFile:
            stored = _add_row(session, row, None)
            if existed_before and not self._contents.contains(row.sha256):
                # A collection removed it in between; none runs while this transaction holds the row.
                self._contents.keep(self._write_incoming(data))
            return stored

        return add

    def _write_incoming(self, data: bytes) -> IncomingContent:
        incoming = self._contents.new_incoming()
        incoming.write(data)
        incoming.finish()
        return incoming

    def usage(self) -> Usage:
        """Return how much space the stored files use, and how much is left. Blocks."""
        return self._room.usage(*self._database.read_now(count_stored_bytes))

    def _too_large(self) -> Problem:
        msg = fill("文件过大，上限为 {limit} MB", limit=self._limit // 2**20)
        return Problem(413, ErrorCode.TOO_LARGE, msg, headers={"Connection": "close"}, limit=self._limit)

    def _store_incoming(
        self, name_from_client: str, incoming: IncomingContent, user_id: str | None
    ) -> FileRow:
        if not incoming.size:
            raise Problem(415, ErrorCode.UNSUPPORTED_MEDIA, "文件为空，请选择其他文件")
        from service.files import images

        incoming.finish()
        mime_type = type_by_content(incoming.head)
        try:
            size = images.upright_size(incoming.path, mime_type)
            images.check_pixels(incoming.path, mime_type)
        except images.UnsupportedFormError as error:
            msg = fill(
                "不支持此图片的存储格式（{name}），请另存为 PNG，或 8、16 位的 LZW、Deflate TIFF 后上传",
                name=str(error),
            )
            raise Problem(415, ErrorCode.UNSUPPORTED_MEDIA, msg) from error
        except images.BadImageError as error:
            raise BadUploadError("图片已损坏，无法读取，请选择其他图片") from error
        except images.OverloadedImageError as error:
            raise BadUploadError("图片的文本信息、色彩配置或颜色通道过多，请另存为普通图片后上传") from error
        except images.TooManyPixelsError as error:
            msg = fill("图片像素过多（{size}），请缩小后上传", size=str(error))
            raise Problem(413, ErrorCode.TOO_LARGE, msg, limit=images.MAX_PIXELS) from error
        camera = images.camera_data(incoming.path, mime_type, position=self._camera_position)
        # The content comes first: a row must never name a missing content.
        self._contents.keep(incoming)
        width, height = size or (None, None)
        return FileRow(
            sha256=incoming.sha256,
            filename=clean_name(name_from_client),
            mime_type=mime_type,
            size=incoming.size,
            width=width,
            height=height,
            added_by=user_id,
            camera=camera.model_dump_json(exclude_none=True),
        )

    # For other domains

    def path(self, file_id: str) -> Path:
        """The path of a local file with the content. Raises FileNotFoundError and StoreUnavailableError."""
        stored = self._database.read_now(lambda session: lookup.file_info(session, file_id))
        if stored is None:
            raise FileNotFoundError(f"no file {file_id}")
        return self.path_of_file(stored)

    def path_of_file(self, stored: StoredFile) -> Path:
        """`path` of a file that was looked up. Raises FileNotFoundError and StoreUnavailableError."""
        return self._contents.path(stored.sha256)

    async def opens_as_film(self, stored: StoredFile) -> bool:
        """Whether the file is a film that this program opens. Raises Problem 404 if its content is lost."""
        return await self._run_on_disk(film_process.opens, await self._path_for_download(stored))

    def stored_hash(self, sha256: str) -> str | None:
        """Compute the SHA-256 of the bytes that are stored under `sha256`; None if there are none."""
        return self._contents.stored_hash(sha256)

    # Downloads

    async def info(self, file_id: str) -> StoredFile:
        """Return the facts about a file. Raises Problem 404."""
        stored = await self._database.read(lambda session: lookup.file_info(session, file_id))
        if stored is None:
            raise Problem(404, ErrorCode.NOT_FOUND, "文件不存在")
        return stored

    async def open(self, file: StoredFile, byte_range: range) -> Pieces:
        """The bytes in `byte_range` of a file, for `pieces`. Raises Problem 404 when the content is lost."""
        try:
            return await self._run_on_disk(self._contents.open, file.sha256, byte_range)
        except FileNotFoundError as error:
            raise _lost_problem(file) from error

    async def pieces(self, stream: Pieces) -> AsyncIterator[bytes]:
        """Yield the bytes of an opened stream in pieces of about 1 MB, and close it."""
        try:
            while piece := await self._run_on_disk(stream.read):
                yield piece
        finally:
            stream.close()

    async def thumbnail(self, stored: StoredFile, size: int) -> bytes:
        """Return a JPEG within `size` x `size` px. Raises Problem 404; 415 if the image is not readable."""
        _require_picture(stored, "该文件不是图片，无法生成缩略图")
        cached_path = self._thumbnails / stored.sha256[:2] / f"{stored.sha256[2:]}-{size}.jpg"
        if size in CACHED_SIZES and (data := await self._run_on_disk(_read_cached, cached_path)) is not None:
            return data
        from service.files import images

        path = await self._path_for_download(stored)
        data = await self._decode("图片已损坏，无法生成缩略图，请重新上传", images.thumbnail, path, size)
        if size in CACHED_SIZES:
            await self._run_on_disk(_write_cached, cached_path, data)
        return data

    async def crop(self, stored: StoredFile, rect: Rect) -> bytes:
        """Return a PNG of `rect` (whole upright px) from the stored bytes, with at most `MAX_CROP_PIXELS`.

        Raises Problem 404 and 415 like `thumbnail`, 404 if `rect` is not inside the image, 413 above the
        limit.
        """
        _require_picture(stored, "该文件不是图片，无法裁剪")
        if rect.right > (stored.width or 0) or rect.bottom > (stored.height or 0):
            msg = fill(
                "裁剪区域超出图片范围（{width} x {height} 像素）", width=stored.width, height=stored.height
            )
            raise Problem(404, ErrorCode.NOT_FOUND, msg)
        if rect.area > MAX_CROP_PIXELS:
            msg = fill("裁剪区域过大，最多 {limit} 百万像素", limit=MAX_CROP_PIXELS // 1_000_000)
            raise Problem(413, ErrorCode.TOO_LARGE, msg, limit=MAX_CROP_PIXELS)
        from service.files import images

        path = await self._path_for_download(stored)
        return await self._decode("图片已损坏，无法裁剪，请重新上传", images.crop, path, rect)

    async def region_picture(self, stored: StoredFile, rect: Rect, side: int) -> bytes:
        """Return a JPEG of `rect` (upright px) in a frame with its surroundings, within `side` x `side` px.

        Raises Problem 404 and 415 like `thumbnail`.
        """
        _require_picture(stored, "该文件不是图片，无法裁剪")
        from service.files import images

        path = await self._path_for_download(stored)
        size = (stored.width or 1, stored.height or 1)
        return await self._decode(
            "图片已损坏，无法裁剪，请重新上传", images.region_picture, path, size, rect, side
        )

    async def describe_tiles(self, stored: StoredFile) -> Tiles:
        """Return the result of `TileStore.describe`. Also raises Problem 404 and 415 like `thumbnail`."""
        source = await self._tile_source(stored)
        return await self._run_on_disk(self.tiles.describe, stored, source)

    async def tile(self, stored: StoredFile, level: int, column: int, row: int) -> bytes:
        """Return the result of `TileStore.tile`. Also raises Problem 404 and 415 like `thumbnail`."""
        source = await self._tile_source(stored)
        return await self._run_on_disk(self.tiles.tile, stored, source, level, column, row)

    async def _tile_source(self, stored: StoredFile) -> Callable[[], Path]:
        """Return a function that returns the path of the picture, for the case that its tiles must be cut."""
        _require_picture(stored, "该文件不是图片，无法分块显示")
        if await self._run_on_disk(self._contents.is_lost, stored.sha256):
            raise _lost_problem(stored)
        return partial(self.path_of_file, stored)

    async def _path_for_download(self, stored: StoredFile) -> Path:
        try:
            return await self._run_on_disk(self.path_of_file, stored)
        except FileNotFoundError as error:
            raise _lost_problem(stored) from error


def _lost_problem(stored: StoredFile) -> Problem:
    msg = "文件内容已丢失，请联系管理员从备份恢复"
    return Problem(404, ErrorCode.NOT_FOUND, msg, sha256=stored.sha256)


def _require_picture(stored: StoredFile, message: str) -> None:
    if stored.mime_type not in IMAGE_TYPES:
        raise Problem(415, ErrorCode.UNSUPPORTED_MEDIA, message)


def _begin_upload(content_type: str | None, write: Callable[[bytes], None]) -> Upload:
    try:
        return Upload(content_type, write)
    except BadUploadError as error:
        raise Problem(415, ErrorCode.UNSUPPORTED_MEDIA, str(error)) from error


def _add_row(session: Session, row: FileRow, address: str | None) -> StoredFile:
    query = select(FileRow).where(FileRow.sha256 == row.sha256, FileRow.filename == row.filename)
    if (existing := session.exec(query.with_for_update()).first()) is not None:
        if now() - (existing.uploaded_at or existing.created_at) > _UPLOAD_TIME_PRECISION:
            existing.uploaded_at = now()
        if existing.camera is None:
            existing.camera = row.camera
        return lookup.to_stored_file(existing)
    if not insert_or_ignore(session, FileRow.__table__, [row.model_dump()], ["sha256", "filename"]):
        # Another service process stored the same file at the same moment.
        return lookup.to_stored_file(session.exec(query).one())
    details = {"filename": row.filename, "sha256": row.sha256, "size": row.size}
    announce(session, ObjectChange("create", "file", row.file_id, row.added_by, address, details))
    return lookup.to_stored_file(row)


def _read_cached(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _write_cached(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic.write_file(path, data, durable=False)
