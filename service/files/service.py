"""Implements the file store: uploads, metadata, content and thumbnails."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlmodel import Session, col, select

from service.changes import ObjectChange, announce
from service.db.database import Database, now
from service.db.upsert import insert_or_ignore
from service.files import images, lookup
from service.files.rules import IMAGE_TYPES, clean_name, type_by_content
from service.files.tables import FileRow
from service.files.tiles import TileStore
from service.files.upload import BadUploadError, Upload
from service.files.usage import UploadRoom, Usage, stored_bytes
from service.settings import Settings
from service.stores.contents import IncomingContent, file_contents
from service.stores.port import PIECE, Pieces
from service.web.envelope import Problem
from shared import atomic
from shared.codes import ErrorCode
from shared.content import file_id_of, sha256_of
from shared.geometry import Rect
from shared.images.tiles import MAX_CROP_PIXELS
from shared.wire.files import StoredFile, Tiles

T = TypeVar("T")

_UPLOADED_AGAIN = dt.timedelta(hours=1)

KEPT_SIZES = frozenset({64, 128, 256, 512, 1024})
"""Thumbnails of these sizes stay on the disk; others are rebuilt."""


def _unreadable_problem(error: BadUploadError) -> Problem:
    fields = [{"field": "file", "type": "upload", "message": str(error)}]
    return Problem(422, ErrorCode.INVALID_INPUT, str(error), fields=fields)


class FilesService:
    """Files named by their content. Nothing is ever changed or removed, and no address is ever fetched."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._limit = settings.max_upload_bytes
        self._camera_position = settings.camera_position
        self._contents = file_contents(settings)
        # The one process that owns a SQLite data directory can have no other upload under way.
        self._contents.clean(0.0) if settings.is_sqlite else self._contents.clean()
        self._room = UploadRoom(settings, self._contents.incoming_folder)
        self._thumbnails = settings.data_dir / "cache" / "thumbnails"
        self.tiles = TileStore(settings.data_dir / "cache" / "tiles")
        self._disk = ThreadPoolExecutor(4, thread_name_prefix="files")
        self._decoders = ThreadPoolExecutor(2, thread_name_prefix="thumbnails")

    async def ensure_reachable(self) -> None:
        """Look whether files can be found and added. Raises OSError or StoreUnavailableError when not."""
        await self._run_on_disk(self._contents.ensure_reachable)

    def close(self) -> None:
        """Release the threads and processes."""
        self.tiles.close()
        self._disk.shutdown(wait=True)
        self._contents.close()
        self._decoders.shutdown(wait=True, cancel_futures=True)

    async def _run_on_disk(self, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._disk, work, *arguments)

    # Uploads

    async def receive(
        self, content_type: str | None, body: AsyncIterator[bytes], by: str | None, address: str | None = None
    ) -> StoredFile:
        """Store the file of a multipart body while it arrives, never more than about 1 MB of it in memory.

        Raises Problem 413 over the limits, 415 without a multipart body, 422 for a body without exactly one
        whole file, an empty file, or an image that cannot be read, and 507 when there is no room for it.
        """
        incoming, write = await self._begin_write()
        try:
            upload = _begin_upload(content_type, write)
            waiting = bytearray()
            async for piece in body:
                waiting += piece
                if len(waiting) >= PIECE:
                    await self._run_on_disk(upload.feed, bytes(waiting))
                    waiting.clear()
            await self._run_on_disk(upload.feed, bytes(waiting))
            return await self._end_write(incoming, upload.finish(), by, address)
        except BadUploadError as error:
            raise _unreadable_problem(error) from error
        finally:
            await asyncio.shield(self._run_on_disk(incoming.discard))

    async def receive_pieces(
        self, name: str, pieces: AsyncIterator[bytes], by: str | None, address: str | None = None
    ) -> StoredFile:
        """Store what `pieces` give as a file called `name`. Raises the Problems of `receive`."""
        incoming, write = await self._begin_write()
        try:
            async for piece in pieces:
                await self._run_on_disk(write, piece)
            return await self._end_write(incoming, name, by, address)
        except BadUploadError as error:
            raise _unreadable_problem(error) from error
        finally:
            await asyncio.shield(self._run_on_disk(incoming.discard))

    async def ensure_room(self, size: int) -> None:
        """Raises Problem 507 when there is no room for a file of `size` bytes."""
        if size > await self._largest():
            raise self._room.full_problem(size)

    async def _largest(self) -> int:
        """The bytes that there is room for. Raises Problem 507."""
        if self._room.is_stale():
            self._room.set_sum((await self._database.read(stored_bytes))[1])
        return await self._run_on_disk(self._room.largest)

    async def _begin_write(self) -> tuple[IncomingContent, Callable[[bytes], None]]:
        """Where a file goes, and what adds a piece to it within the limits. Raises Problem 507."""
        largest = await self._largest()
        incoming = await self._run_on_disk(self._contents.new_incoming)

        def write(piece: bytes) -> None:
            if incoming.size + len(piece) > self._limit:
                raise self._too_large()
            if incoming.size + len(piece) > largest:
                raise self._room.full_problem(incoming.size + len(piece))
            incoming.write(piece)

        return incoming, write

    async def _end_write(
        self, incoming: IncomingContent, name: str, by: str | None, address: str | None
    ) -> StoredFile:
        row = await self._run_on_disk(self._keep, name, incoming, by)
        if not incoming.existed_before:
            self._room.add(row.size)
        stored = await self._database.write(lambda session: _add(session, row, address))
        if incoming.existed_before:
            await self._run_on_disk(self._contents.ensure, incoming)
        return stored

    def keep(self, name: str, data: bytes, by: str | None) -> Callable[[Session], StoredFile]:
        """Write `data` to the disk, on this thread; gives what stores it under `name` in a transaction.

        Raises the Problems of `receive`.
        """
        incoming = self._contents.new_incoming()
        try:
            if len(data) > self._limit:
                raise self._too_large()
            incoming.write(data)
            row = self._keep(name, incoming, by)
            existed_before = incoming.existed_before
        except BadUploadError as error:
            raise _unreadable_problem(error) from error
        finally:
            incoming.discard()

        def add(session: Session) -> StoredFile:
            stored = _add(session, row, None)
            if existed_before and not self._contents.contains(row.sha256):
                # A collection removed it between; none runs while this transaction has its row.
                self._contents.keep(self._write_incoming(data))
            return stored

        return add

    def _write_incoming(self, data: bytes) -> IncomingContent:
        incoming = self._contents.new_incoming()
        incoming.write(data)
        incoming.finish()
        return incoming

    def usage(self) -> Usage:
        """How much room the stored files take, and how much is left. Blocks."""
        return self._room.usage(*self._database.read_now(stored_bytes))

    def _too_large(self) -> Problem:
        msg = f"文件过大，上限为 {self._limit // 2**20} MB"
        return Problem(413, ErrorCode.TOO_LARGE, msg, headers={"Connection": "close"}, limit=self._limit)

    def _keep(self, given_name: str, incoming: IncomingContent, by: str | None) -> FileRow:
        if not incoming.size:
            raise Problem(415, ErrorCode.UNSUPPORTED_MEDIA, "文件为空，请选择其他文件")
        incoming.finish()
        mime_type = type_by_content(incoming.head)
        try:
            size = images.upright_size(incoming.path, mime_type)
        except images.BadImageError as error:
            raise BadUploadError("图片已损坏，无法读取，请选择其他图片") from error
        except images.OverloadedImageError as error:
            raise BadUploadError("图片包含过多的文本信息或颜色通道，请另存为普通图片后上传") from error
        except images.TooManyPixelsError as error:
            msg = f"图片像素过多（{error}），请缩小后上传"
            raise Problem(413, ErrorCode.TOO_LARGE, msg, limit=images.MAX_PIXELS) from error
        camera = images.camera_data(incoming.path, mime_type, position=self._camera_position)
        # The content first: a row never names a content that is not there.
        self._contents.keep(incoming)
        width, height = size or (None, None)
        return FileRow(
            sha256=incoming.sha256,
            filename=clean_name(given_name),
            mime_type=mime_type,
            size=incoming.size,
            width=width,
            height=height,
            added_by=by,
            camera=camera.model_dump_json(exclude_none=True),
        )

    # What other domains ask

    def file_info(self, session: Session, file_id: str) -> StoredFile | None:
        """What is known of a file; None when there is no such file."""
        return lookup.file_info(session, file_id)

    def find(self, session: Session, file_info: Mapping[str, Any]) -> StoredFile | None:
        """The file that a `fileInfo` of an item names, by its download_url or ipfs_cid; None when it is not a
        file of this service."""
        file_id = file_id_of(file_info.get("download_url"))
        stored = None if file_id is None else self.file_info(session, file_id)
        if stored is not None:
            return stored
        try:
            sha256 = sha256_of(str(file_info.get("ipfs_cid") or ""))
        except ValueError:
            return None
        row = session.exec(
            select(FileRow).where(FileRow.sha256 == sha256).order_by(col(FileRow.created_at)).limit(1)
        ).first()
        return None if row is None else lookup.stored_file(row)

    def path(self, file_id: str) -> Path:
        """A file with the content on this machine; for callers outside a transaction.

        Raises FileNotFoundError, and StoreUnavailableError.
        """
        stored = self._database.read_now(lambda session: self.file_info(session, file_id))
        if stored is None:
            raise FileNotFoundError(f"no file {file_id}")
        return self.path_of(stored)

    def path_of(self, stored: StoredFile) -> Path:
        """A file with the content of `stored` on this machine.

        Raises FileNotFoundError when the content is lost, and StoreUnavailableError.
        """
        return self._contents.path(stored.sha256)

    def stored_hash(self, sha256: str) -> str | None:
        """The SHA-256 of the bytes that are stored under `sha256`; None when there are none."""
        return self._contents.stored_hash(sha256)

    # Downloads

    async def info(self, file_id: str) -> StoredFile:
        """What is known of a file. Raises Problem 404."""
        stored = await self._database.read(lambda session: self.file_info(session, file_id))
        if stored is None:
            raise Problem(404, ErrorCode.NOT_FOUND, "文件不存在")
        return stored

    async def open(self, stored: StoredFile, byte_range: range) -> Pieces:
        """The bytes in `byte_range` of a file, for `pieces`. Raises Problem 404 when the content is lost."""
        try:
            return await self._run_on_disk(self._contents.open, stored.sha256, byte_range)
        except FileNotFoundError as error:
            raise _lost_problem(stored) from error

    async def pieces(self, opened: Pieces) -> AsyncIterator[bytes]:
        """The bytes of what was opened, in pieces of about 1 MB."""
        try:
            while piece := await self._run_on_disk(opened.read):
                yield piece
        finally:
            opened.close()

    async def thumbnail(self, stored: StoredFile, size: int) -> bytes:
        """A JPEG that fits into `size` x `size`. Raises Problem 404 and 415 when it is no readable image."""
        self._require_picture(stored, "该文件不是图片，无法生成缩略图")
        cached_path = self._thumbnails / stored.sha256[:2] / f"{stored.sha256[2:]}-{size}.jpg"
        if size in KEPT_SIZES and (data := await self._run_on_disk(_read, cached_path)) is not None:
            return data
        path = await self._path_for_download(stored)
        loop = asyncio.get_running_loop()
        try:
            data = await loop.run_in_executor(self._decoders, images.thumbnail, path, stored.mime_type, size)
        except images.BadImageError as error:
            raise Problem(
                415, ErrorCode.UNSUPPORTED_MEDIA, "图片已损坏，无法生成缩略图，请重新上传"
            ) from error
        if size in KEPT_SIZES:
            await self._run_on_disk(_write, cached_path, data)
        return data

    async def crop(self, stored: StoredFile, rect: Rect) -> bytes:
        """A PNG of `rect` (whole upright px) from the stored bytes, at most `MAX_CROP_PIXELS` of them.

        Raises Problem 404 and 415 like `thumbnail`, 404 when it is not inside the image, 413 above the limit.
        """
        self._require_picture(stored, "该文件不是图片，无法裁剪")
        if rect.right > (stored.width or 0) or rect.bottom > (stored.height or 0):
            msg = f"裁剪区域超出图片范围（{stored.width} x {stored.height} 像素）"
            raise Problem(404, ErrorCode.NOT_FOUND, msg)
        if rect.area > MAX_CROP_PIXELS:
            msg = f"裁剪区域过大，最多 {MAX_CROP_PIXELS // 1_000_000} 百万像素"
            raise Problem(413, ErrorCode.TOO_LARGE, msg, limit=MAX_CROP_PIXELS)
        path = await self._path_for_download(stored)
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._decoders, images.crop, path, stored.mime_type, rect)
        except images.BadImageError as error:
            raise Problem(415, ErrorCode.UNSUPPORTED_MEDIA, "图片已损坏，无法裁剪，请重新上传") from error

    async def region_picture(self, stored: StoredFile, rect: Rect, side: int) -> bytes:
        """A JPEG of `rect` (upright px) with its surroundings, framed, that fits into `side` x `side` px.

        Raises Problem 404 and 415 like `thumbnail`.
        """
        self._require_picture(stored, "该文件不是图片，无法裁剪")
        path = await self._path_for_download(stored)
        size = (stored.width or 1, stored.height or 1)
        make = partial(images.region_picture, path, stored.mime_type, size, rect, side)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._decoders, make)
        except images.BadImageError as error:
            raise Problem(415, ErrorCode.UNSUPPORTED_MEDIA, "图片已损坏，无法裁剪，请重新上传") from error

    async def describe_tiles(self, stored: StoredFile) -> Tiles:
        """`TileStore.describe`; Problem 404 and 415 like `thumbnail`."""
        source = await self._tile_source(stored)
        return await self._run_on_disk(self.tiles.describe, stored, source)

    async def tile(self, stored: StoredFile, level: int, column: int, row: int) -> bytes:
        """`TileStore.tile`; Problem 404 and 415 like `thumbnail`."""
        source = await self._tile_source(stored)
        return await self._run_on_disk(self.tiles.tile, stored, source, level, column, row)

    async def _tile_source(self, stored: StoredFile) -> Callable[[], Path]:
        """What gives the picture when its tiles have to be made."""
        self._require_picture(stored, "该文件不是图片，无法分块显示")
        if await self._run_on_disk(self._contents.is_lost, stored.sha256):
            raise _lost_problem(stored)
        return partial(self.path_of, stored)

    @staticmethod
    def _require_picture(stored: StoredFile, otherwise: str) -> None:
        if stored.mime_type not in IMAGE_TYPES:
            raise Problem(415, ErrorCode.UNSUPPORTED_MEDIA, otherwise)

    async def _path_for_download(self, stored: StoredFile) -> Path:
        try:
            return await self._run_on_disk(self.path_of, stored)
        except FileNotFoundError as error:
            raise _lost_problem(stored) from error


def _lost_problem(stored: StoredFile) -> Problem:
    msg = "文件内容已丢失，请联系管理员从备份恢复"
    return Problem(404, ErrorCode.NOT_FOUND, msg, sha256=stored.sha256)


def _begin_upload(content_type: str | None, write: Callable[[bytes], None]) -> Upload:
    try:
        return Upload(content_type, write)
    except BadUploadError as error:
        raise Problem(415, ErrorCode.UNSUPPORTED_MEDIA, str(error)) from error


def _add(session: Session, row: FileRow, address: str | None) -> StoredFile:
    same = select(FileRow).where(FileRow.sha256 == row.sha256, FileRow.filename == row.filename)
    if (row_before := session.exec(same.with_for_update()).first()) is not None:
        if now() - (row_before.uploaded_at or row_before.created_at) > _UPLOADED_AGAIN:
            row_before.uploaded_at = now()
        if row_before.camera is None:
            row_before.camera = row.camera
        return lookup.stored_file(row_before)
    if not insert_or_ignore(session, FileRow.__table__, [row.model_dump()], ["sha256", "filename"]):
        # Another service process stored the same file at the same moment.
        return lookup.stored_file(session.exec(same).one())
    details = {"filename": row.filename, "sha256": row.sha256, "size": row.size}
    announce(session, ObjectChange("create", "file", row.file_id, row.added_by, address, details))
    return lookup.stored_file(row)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic.write(path, data, durable=False)
