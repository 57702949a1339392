"""Reads a large picture of a remote service. Tiles are fetched when they become visible, and cached."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import platformdirs
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QImage

from desktop.client import Session
from desktop.client.http.address import is_local
from desktop.client.http.errors import (
    ClientError,
    Conflict,
    NotLoggedIn,
    ServerFault,
    TooMany,
    Unreachable,
    Unsupported,
)
from desktop.imaging.decoding.decoder import Cancellation, Progress, pixel_rect, read_header, read_whole
from desktop.imaging.decoding.errors import CancelledError, ImageError
from desktop.imaging.decoding.pixels import Rgb, decode_tile, to_qimage
from desktop.imaging.sources.local import WHOLE_LIMIT
from desktop.imaging.sources.opening import open_image
from desktop.imaging.sources.source import TILE, ImageSource, Level
from shared.images.tiles import MAX_CROP_PIXELS, level_sizes
from shared.record.content import sha256_from_cid
from shared.record.geometry import Rect
from shared.system import atomic
from shared.system.cache_limit import trim_cache
from shared.system.paths import ensure_private_folder
from shared.wire.files import Tiles, TilesState

T = TypeVar("T")

CACHE_LIMIT = 4 * 1024**3
"""Maximum number of bytes of the tiles of all pictures. The longest unused pictures are deleted first."""

PREVIEW = 1024
"""Longer side of the preview in px: the largest thumbnail that the service stores."""

_CONNECTIONS = 6
_CHECK_SECONDS = 0.25
_PAUSE_SECONDS = 0.2
_MAX_PAUSE_SECONDS = 3.0


class StoredPicture(Protocol):
    """A picture of the service, such as a StoredFile or a ReferenceImage."""

    @property
    def file_id(self) -> str: ...
    @property
    def ipfs_cid(self) -> str | None: ...
    @property
    def width(self) -> int | None: ...
    @property
    def height(self) -> int | None: ...


class Files(Protocol):
    """The calls that a RemoteImage needs. `desktop.client.Session.files` implements them."""

    def thumbnail(self, file_id: str, size: int = 256) -> bytes: ...
    def tiles(self, file_id: str) -> Tiles: ...
    def tile(self, file_id: str, level: int, column: int, row: int) -> bytes: ...
    def crop(self, file_id: str, x: int, y: int, w: int, h: int) -> bytes: ...


def choose_source(
    session: Session, picture: StoredPicture, name: str, fetch: Callable[[], Path]
) -> ImageSource:
    """Open a picture of the service.

    A large picture is read by its tiles if the service runs on another computer. Otherwise `fetch` downloads
    the file. Raises ImageError and the errors of `fetch`.
    """
    if not is_local(session.base_url) and picture.width and picture.height:
        size = picture.width, picture.height
        with contextlib.suppress(ValueError):
            digest = sha256_from_cid(picture.ipfs_cid or "")
            if size[0] * size[1] > WHOLE_LIMIT:
                return RemoteImage(session.files, picture.file_id, digest, size, name)
    return open_image(fetch(), name)


class TileCache:
    """The folder of fetched tiles, a folder in it for each picture. Several programs may use it at once."""

    def __init__(self, folder: Path | None = None, limit: int = CACHE_LIMIT) -> None:
        """Use `folder`, by default a folder in the user's cache folder. It is created when it is needed."""
        self.folder = folder or Path(platformdirs.user_cache_dir("walkaround", appauthor=False)) / "tiles"
        self._limit = limit

    def open(self, digest: str) -> None:
        """Mark the picture with this SHA-256 as used, and delete the longest unused ones above the limit."""
        folder = self._picture_folder(digest)
        with contextlib.suppress(OSError):
            ensure_private_folder(self.folder)
            folder.mkdir(exist_ok=True)
            os.utime(folder)
            trim_cache(self.folder.iterdir(), self._limit, folder)

    def read(self, digest: str, name: str) -> QImage | None:
        """The cached image with this name; None if it is missing or damaged."""
        try:
            return decode_tile((self._picture_folder(digest) / name).read_bytes())
        except (OSError, ValueError):
            return None

    def store(self, digest: str, name: str, data: bytes) -> None:
        """Store a JPEG, completely or not at all. Errors, such as a full disk, are ignored."""
        path = self._picture_folder(digest) / name
        with contextlib.suppress(OSError):
            ensure_private_folder(self.folder)
            path.parent.mkdir(exist_ok=True)
            atomic.write_file(path, data, durable=False)

    def _picture_folder(self, digest: str) -> Path:
        # Writing into a folder changes its time, so pictures in use are not deleted.
        return self.folder / f"{digest}-{TILE}"


class RemoteImage:
    """A large picture of a service as an ImageSource (docs/adr/0030-one-decoder-and-tiled-pyramids.md).

    Calls are repeated until `cancel` while the service is unreachable, restarts or still creates the tiles.
    Crops and the preview are not repeated.
    """

    def __init__(
        self,
        files: Files,
        file_id: str,
        digest: str,
        size: tuple[int, int],
        name: str,
        cache: TileCache | None = None,
    ) -> None:
        """Create a picture. `digest` is the original's SHA-256 (64 hexadecimal digits), `size` is in upright
        px."""
        self._files = files
        self._file_id = file_id
        self._digest = digest
        self._size = size
        self._name = name
        self._cache = cache or TileCache()
        self._levels: tuple[Level, ...] = ()
        self._cancelled: Future[None] = Future()
        self._pool = ThreadPoolExecutor(_CONNECTIONS, thread_name_prefix="remote-image")

    @property
    def size(self) -> tuple[int, int]:
        """Upright width and height in px."""
        return self._size

    @property
    def name(self) -> str:
        """The name that it was opened with."""
        return self._name

    @property
    def levels(self) -> tuple[Level, ...]:
        """The resolutions, finest first; () before `prepare` is complete."""
        return self._levels

    @property
    def readers(self) -> int:
        """The number of connections, because most of the time is spent on the network."""
        return _CONNECTIONS

    def preview(self) -> QImage:
        """The picture in at most `PREVIEW` px, from the cache or the service."""
        self._check()
        self._cache.open(self._digest)
        return self._cached_or("preview.jpg", self._files.thumbnail, PREVIEW, patient=False)

    def prepare(self, progress: Progress) -> None:
        """Wait until the service has created the tiles."""
        share, pause = 0.0, _PAUSE_SECONDS
        while True:
            tiles = self._call(self._files.tiles, may_continue=partial(progress, share))
            if tiles.state is TilesState.READY:
                break
            share = max(share, tiles.percent / 100)
            self._pause(pause, partial(progress, share))
            pause = min(pause * 1.5, 1.0)
        sizes = level_sizes(*self._size)
        if tiles.tile_px != TILE or [(level.width, level.height) for level in tiles.levels] != sizes:
            raise self._image_error()
        self._levels = tuple(Level(*level, 1 << index) for index, level in enumerate(sizes))

    def tile(self, level: int, column: int, row: int) -> QImage:
        """One tile, from the cache or the service."""
        self._check()
        return self._cached_or(f"{level}-{column}-{row}.jpg", self._files.tile, level, column, row)

    def crop(self, rect: Rect) -> QImage:
        """The pixels that `rect` covers, which the service crops from the original without loss."""
        left, top, width, height = pixel_rect(rect, *self._size)
        pixels: Rgb = np.empty((height, width, 3), np.uint8)
        rows_per_request = max(MAX_CROP_PIXELS // width, 1)
        for start in range(0, height, rows_per_request):
            rows = min(rows_per_request, height - start)
            data = self._call(self._files.crop, left, top + start, width, rows, patient=False)
            part = read_whole(data, read_header(data), Cancellation())
            if part.shape[:2] != (rows, width):
                raise self._image_error()
            pixels[start : start + rows] = part
        return to_qimage(pixels)

    def release(self) -> None:
        """Release nothing: the tiles are in files."""

    def cancel(self) -> None:
        """Cancel current and later work. A request that has begun is not interrupted."""
        with contextlib.suppress(Exception):
            self._cancelled.set_result(None)
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _cached_or(
        self, name: str, fetch: Callable[..., bytes], *arguments: int, patient: bool = True
    ) -> QImage:
        cached_image = self._cache.read(self._digest, name)
        if cached_image is not None:
            return cached_image
        data = self._call(fetch, *arguments, patient=patient)
        try:
            image = decode_tile(data)
        except ValueError as error:
            raise self._image_error() from error
        self._cache.store(self._digest, name, data)
        return image

    def _call(
        self,
        call: Callable[..., T],
        *arguments: int,
        patient: bool = True,
        may_continue: Callable[[], bool] = lambda: True,
    ) -> T:
        """Call the service. With `patient`, repeat the call after temporary errors.

        Raises CancelledError after `cancel` or when `may_continue` returns False, ImageError for other
        errors.
        """
        pause = _PAUSE_SECONDS
        while True:
            self._check()
            try:
                answer = self._pool.submit(call, self._file_id, *arguments)
            except RuntimeError as error:
                raise CancelledError from error
            futures: list[Future[Any]] = [answer, self._cancelled]
            while not answer.done():
                wait(futures, _CHECK_SECONDS, FIRST_COMPLETED)
                if self._cancelled.done() or not may_continue():
                    raise CancelledError
            try:
                return answer.result()
            except ClientError as error:
                if not (patient and _is_temporary(error)):
                    raise self._image_error(error) from error
            self._pause(pause, may_continue)
            pause = min(pause * 2, _MAX_PAUSE_SECONDS)

    def _pause(self, seconds: float, may_continue: Callable[[], bool]) -> None:
        deadline = time.monotonic() + seconds
        while True:
            if not may_continue():
                raise CancelledError
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                return
            wait([self._cancelled], min(remaining, _CHECK_SECONDS))
            self._check()

    def _check(self) -> None:
        if self._cancelled.done():
            raise CancelledError

    def _image_error(self, error: ClientError | None = None) -> ImageError:
        if isinstance(error, Unsupported):
            text = QCoreApplication.translate(
                "imaging", "Cannot read image {0} completely. The file is damaged; upload it again."
            )
        else:
            text = QCoreApplication.translate(
                "imaging", "Cannot download image {0} from the service. Open it again in a moment."
            )
        return ImageError(text.format(self._name))


def _is_temporary(error: ClientError) -> bool:
    """Whether the error is temporary: the service is unreachable, busy or still creates the tiles."""
    if isinstance(error, ServerFault):
        # With a message of the service the error is final. Without one it comes from a proxy.
        return error.code == "unavailable" and error.server_message is None
    return isinstance(error, Unreachable | NotLoggedIn | TooMany | Conflict)
