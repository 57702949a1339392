"""Routes of the file store: upload, metadata, content with ranges, thumbnails, tiles and crops."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from starlette.requests import ClientDisconnect

from service.files.rules import byte_range, disposition
from service.files.service import FilesService
from service.files.tiles import has_tile
from service.web import etags
from service.web.envelope import Problem, failures
from service.web.routing import api_router
from service.web.security import Caller, require
from shared.images.tiles import TILE
from shared.record.codes import ErrorCode, Permission
from shared.record.geometry import Rect
from shared.wire.common import Envelope, Id
from shared.wire.files import StoredFile, Tiles, TilesState
from shared.wire.text import fill

_MAY_READ = require(Permission.FILE_READ)

_FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "string", "format": "binary"}},
                }
            }
        },
    }
}
_BINARY: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
_CONTENT: dict[int | str, dict[str, Any]] = {
    200: {"description": "The whole content", "content": {"*/*": _BINARY}},
    206: {"description": "The requested range", "content": {"*/*": _BINARY}},
    304: {"description": "Not modified"},
}
_JPEG: dict[int | str, dict[str, Any]] = {
    200: {"description": "The thumbnail", "content": {"image/jpeg": _BINARY}},
    304: {"description": "Not modified"},
}
_TILE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The tile", "content": {"image/jpeg": _BINARY}},
    304: {"description": "Not modified"},
}
_PNG: dict[int | str, dict[str, Any]] = {
    200: {"description": "The part of the image", "content": {"image/png": _BINARY}},
    304: {"description": "Not modified"},
}
# A content never changes, so neither do its tiles; `private` because a shared proxy must not cache them.
_CACHE_FOREVER = "private, max-age=31536000, immutable"

_Index = Annotated[int, Path(ge=0, le=100_000)]
_Offset = Annotated[int, Query(ge=0, le=2**31 - 1)]
_Length = Annotated[int, Query(ge=1, le=2**31 - 1)]


def router(service: FilesService) -> APIRouter:
    """The routes below `/files`."""
    files = api_router("/files", tags=["files"])

    @files.post("", responses=failures(401, 403, 413, 415, 422, 503, 507), openapi_extra=_FORM)
    async def upload_file(
        request: Request, caller: Caller = require(Permission.FILE_ADD)
    ) -> Envelope[StoredFile]:
        """Store a file: the multipart field `file`. The same content is stored once."""
        try:
            file = await service.receive(
                request.headers.get("content-type"), request.stream(), caller.user_id, caller.address
            )
        except ClientDisconnect as error:
            raise Problem(400, ErrorCode.INVALID_INPUT, "上传不完整，请重新上传") from error
        return Envelope(data=file, msg="文件上传成功")

    @files.get("/{file_id}", responses=failures(401, 403, 404, 422))
    async def get_file(file_id: Id, caller: Caller = _MAY_READ) -> Envelope[StoredFile]:
        """Return the metadata of a file."""
        return Envelope(data=await service.info(file_id), msg="文件获取成功")

    @files.get(
        "/{file_id}/content",
        response_class=StreamingResponse,
        responses={**failures(401, 403, 404, 416, 422, 503), **_CONTENT},
    )
    async def get_content(
        file_id: Id,
        range_header: Annotated[str | None, Header(alias="Range")] = None,
        if_range: Annotated[str | None, Header()] = None,
        if_none_match: etags.IfNoneMatch = None,
        caller: Caller = _MAY_READ,
    ) -> Response:
        """Return the content of a file, or one range of it."""
        file = await service.info(file_id)
        etag = etags.content_etag(file.sha256)
        if etags.is_not_modified(if_none_match, etag):
            return Response(status_code=304, headers={"ETag": etag})
        try:
            part = byte_range(range_header if if_range in {None, etag} else None, file.size)
        except ValueError as error:
            msg = fill("请求范围超出文件大小（{size} 字节）", size=file.size)
            headers = {"Content-Range": f"bytes */{file.size}"}
            raise Problem(
                416, ErrorCode.RANGE_NOT_SATISFIABLE, msg, headers=headers, size=file.size
            ) from error
        bytes_sent = range(file.size) if part is None else part
        headers = {
            "ETag": etag,
            "Accept-Ranges": "bytes",
            "Content-Length": str(len(bytes_sent)),
            "Content-Disposition": disposition(file.filename),
            "X-Content-Type-Options": "nosniff",
            # If a browser opens the file anyway, its content may run nothing.
            "Content-Security-Policy": "default-src 'none'; sandbox",
        }
        if part is not None:
            headers["Content-Range"] = f"bytes {bytes_sent.start}-{bytes_sent.stop - 1}/{file.size}"
        stream = await service.open(file, bytes_sent)
        return StreamingResponse(
            service.pieces(stream),
            status_code=200 if part is None else 206,
            headers=headers,
            media_type=file.mime_type,
        )

    @files.get(
        "/{file_id}/thumbnail",
        response_class=Response,
        responses={**failures(401, 403, 404, 415, 422, 503), **_JPEG},
    )
    async def get_thumbnail(
        file_id: Id,
        size: Annotated[int, Query(ge=64, le=1024)] = 256,
        if_none_match: etags.IfNoneMatch = None,
        caller: Caller = _MAY_READ,
    ) -> Response:
        """Return a JPEG of the upright image that fits into `size` x `size` pixels."""
        file = await service.info(file_id)
        etag = etags.content_etag(file.sha256, size)
        if etags.is_not_modified(if_none_match, etag):
            return Response(status_code=304, headers={"ETag": etag})
        data = await service.thumbnail(file, size)
        headers = {"ETag": etag, "X-Content-Type-Options": "nosniff"}
        return Response(data, media_type="image/jpeg", headers=headers)

    @files.get("/{file_id}/tiles", responses=failures(401, 403, 404, 415, 422, 503))
    async def get_tiles(file_id: Id, caller: Caller = _MAY_READ) -> Envelope[Tiles]:
        """Return the tile layout of an image and whether the tiles are ready. The request starts their
        creation.
        """
        tiles = await service.describe_tiles(await service.info(file_id))
        ready = tiles.state is TilesState.READY
        return Envelope(data=tiles, msg="图片分块已就绪" if ready else "图片分块正在生成")

    @files.get(
        "/{file_id}/tiles/{level}/{column}/{row}",
        response_class=Response,
        responses={**failures(401, 403, 404, 409, 415, 422, 503), **_TILE},
    )
    async def get_tile(
        file_id: Id,
        level: _Index,
        column: _Index,
        row: _Index,
        if_none_match: etags.IfNoneMatch = None,
        caller: Caller = _MAY_READ,
    ) -> Response:
        """Return a tile as JPEG. 409 with Retry-After while the tiles are created."""
        file = await service.info(file_id)
        if file.width is not None and not has_tile(file, level, column, row):
            raise Problem(404, ErrorCode.NOT_FOUND, "图片分块不存在")
        etag = etags.content_etag(file.sha256, TILE, level, column, row)
        headers = {"ETag": etag, "Cache-Control": _CACHE_FOREVER, "X-Content-Type-Options": "nosniff"}
        if file.width is not None and etags.is_not_modified(if_none_match, etag):
            return Response(status_code=304, headers=headers)
        data = await service.tile(file, level, column, row)
        return Response(data, media_type="image/jpeg", headers=headers)

    @files.get(
        "/{file_id}/crop",
        response_class=Response,
        responses={**failures(401, 403, 404, 413, 415, 422, 503), **_PNG},
    )
    async def get_crop(
        file_id: Id,
        x: _Offset,
        y: _Offset,
        w: _Length,
        h: _Length,
        if_none_match: etags.IfNoneMatch = None,
        caller: Caller = _MAY_READ,
    ) -> Response:
        """Return a part of an image, in upright pixels of the stored file, without loss as PNG."""
        file = await service.info(file_id)
        etag = etags.content_etag(file.sha256, x, y, w, h)
        headers = {"ETag": etag, "X-Content-Type-Options": "nosniff"}
        if file.width is not None and etags.is_not_modified(if_none_match, etag):
            return Response(status_code=304, headers=headers)
        data = await service.crop(file, Rect(x, y, w, h))
        return Response(data, media_type="image/png", headers=headers)

    return files
