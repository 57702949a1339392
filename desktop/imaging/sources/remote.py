"""Reads a large picture of a remote service: tiles are fetched when they are seen, and cached."""

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
from desktop.imaging.decoding.pixels import Rgb, to_qimage
from desktop.imaging.sources.opening import open_image
from desktop.imaging.sources.source import TILE, ImageSource, Level
from desktop.imaging.sources.whole import WHOLE_LIMIT
from shared import atomic
from shared.content import sha256_of
from shared.geometry import Rect
from shared.images.tiles import MAX_CROP_PIXELS, level_sizes
from shared.paths import private_folder
from shared.unused import drop_unused
from shared.wire.files import Tiles, TilesState

T = TypeVar("T")

CACHE_LIMIT = 4 * 1024**3
"""Bytes that the tiles of all pictures may take; the picture longest unopened goes first."""

PREVIEW = 1024
"""Longer side of the first picture in px: the largest thumbnail that the service keeps."""

_CONNECTIONS = 6
_LOOK_SECONDS = 0.25
_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE = 3.0


class StoredPicture(Protocol):
    """What is known of a picture of the service; a StoredFile or a ReferenceImage."""

    @property
    def file_id(self) -> str: ...
    @property
    def ipfs_cid(self) -> str | None: ...
    @property
    def width(self) -> int | None: ...
    @property
    def height(self) -> int | None: ...


class Files(Protocol):
    """The calls that a RemoteImage needs; `desktop.client.Session.files` has them."""

    def thumbnail(self, file_id: str, size: int = 256) -> bytes: ...
    def tiles(self, file_id: str) -> Tiles: ...
    def tile(self, file_id: str, level: int, column: int, row: int) -> bytes: ...
    def crop(self, file_id: str, x: int, y: int, w: int, h: int) -> bytes: ...


def choose_source(
    session: Session, picture: StoredPicture, name: str, fetch: Callable[[], Path]
) -> ImageSource:
    """The picture by its tiles when it is large and the service is not on this machine; else as a file.

    `fetch` gives the file, and is called only then. Raises ImageError and what `fetch` raises.
    """
    if not is_local(session.base_url) and picture.width and picture.height:
        size = picture.width, picture.height
        with contextlib.suppress(ValueError):
            digest = sha256_of(picture.ipfs_cid or "")
            if size[0] * size[1] > WHOLE_LIMIT:
                return RemoteImage(session.files, picture.file_id, digest, size, name)
    return open_image(fetch(), name)


class TileCache:
    """The folder of fetched tiles, a folder in it for each picture. Several programs may use it at once."""

    def __init__(self, folder: Path | None = None, limit: int = CACHE_LIMIT) -> None:
        """`folder` is made when it is missing; without one it is the user's cache folder."""
        self.folder = folder or Path(platformdirs.user_cache_dir("walkaround", appauthor=False)) / "tiles"
        self._limit = limit

    def open(self, digest: str) -> None:
        """The picture with this SHA-256 is looked at: drop those longest unopened above the limit."""
        folder = self._picture_folder(digest)
        with contextlib.suppress(OSError):
            private_folder(self.folder)
            folder.mkdir(exist_ok=True)
            os.utime(folder)
            drop_unused(self.folder.iterdir(), self._limit, folder)

    def read(self, digest: str, name: str) -> QImage | None:
        """What was kept under the name; None when there is nothing, or nothing that can be read."""
        try:
            return _decoded((self._picture_folder(digest) / name).read_bytes())
        except (OSError, ValueError):
            return None

    def keep(self, digest: str, name: str, data: bytes) -> None:
        """Keep a JPEG, whole or not at all: a full disk costs only the keeping."""
        path = self._picture_folder(digest) / name
        with contextlib.suppress(OSError):
            private_folder(self.folder)
            path.parent.mkdir(exist_ok=True)
            atomic.write(path, data, durable=False)

    def _picture_folder(self, digest: str) -> Path:
        # writing into a folder changes its time, so what is looked at does not go
        return self.folder / f"{digest}-{TILE}"


class RemoteImage:
    """A large picture of a service as an ImageSource (docs/adr/0034-pictures-far-away-come-in-tiles.md).

    A service that is away, restarts, or still makes the tiles is asked again until `cancel`; crops wait only
    as long as the session's patience.
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
        """`digest`: SHA-256 of the original, 64 hexadecimal digits; `size`: upright px."""
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
        """What it was opened with."""
        return self._name

    @property
    def levels(self) -> tuple[Level, ...]:
        """Finest first; () before `prepare` is through."""
        return self._levels

    @property
    def readers(self) -> int:
        """As many as there are connections: the time goes into the way, not into the work."""
        return _CONNECTIONS

    def preview(self) -> QImage:
        """The picture in at most `PREVIEW` px: as kept, else from the service."""
        self._check()
        self._cache.open(self._digest)
        return self._cached_or("preview.jpg", self._files.thumbnail, PREVIEW, patient=False)

    def prepare(self, progress: Progress) -> None:
        """Wait until the service has made the tiles."""
        done, pause = 0.0, _PAUSE_SECONDS
        while True:
            tiles = self._ask(self._files.tiles, goes_on=partial(progress, done))
            if tiles.state is TilesState.READY:
                break
            done = max(done, tiles.percent / 100)
            self._pause(pause, partial(progress, done))
            pause = min(pause * 1.5, 1.0)
        sizes = level_sizes(*self._size)
        if tiles.tile_px != TILE or [(level.width, level.height) for level in tiles.levels] != sizes:
            raise self._failure()
        self._levels = tuple(Level(*level, 1 << index) for index, level in enumerate(sizes))

    def tile(self, level: int, column: int, row: int) -> QImage:
        """One tile: as kept, else from the service."""
        self._check()
        return self._cached_or(f"{level}-{column}-{row}.jpg", self._files.tile, level, column, row)

    def crop(self, rect: Rect) -> QImage:
        """The pixels that `rect` touches: cut from the original by the service, without loss."""
        left, top, width, height = pixel_rect(rect, *self._size)
        pixels: Rgb = np.empty((height, width, 3), np.uint8)
        most = max(MAX_CROP_PIXELS // width, 1)
        for start in range(0, height, most):
            rows = min(most, height - start)
            data = self._ask(self._files.crop, left, top + start, width, rows, patient=False)
            part = read_whole(data, read_header(data), Cancellation())
            if part.shape[:2] != (rows, width):
                raise self._failure()
            pixels[start : start + rows] = part
        return to_qimage(pixels)

    def cancel(self) -> None:
        """End what is under way; a call to the service that has begun is left to itself."""
        with contextlib.suppress(Exception):
            self._cancelled.set_result(None)
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _cached_or(self, name: str, fetch: Callable[..., bytes], *where: int, patient: bool = True) -> QImage:
        cached_image = self._cache.read(self._digest, name)
        if cached_image is not None:
            return cached_image
        data = self._ask(fetch, *where, patient=patient)
        try:
            image = _decoded(data)
        except ValueError as error:
            raise self._failure() from error
        self._cache.keep(self._digest, name, data)
        return image

    def _ask(
        self,
        call: Callable[..., T],
        *where: int,
        patient: bool = True,
        goes_on: Callable[[], bool] = lambda: True,
    ) -> T:
        """What the service gives to `call`; a patient one is repeated while it may still give it."""
        pause = _PAUSE_SECONDS
        while True:
            self._check()
            try:
                answer = self._pool.submit(call, self._file_id, *where)
            except RuntimeError as error:
                raise CancelledError from error
            either: list[Future[Any]] = [answer, self._cancelled]
            while not answer.done():
                wait(either, _LOOK_SECONDS, FIRST_COMPLETED)
                if self._cancelled.done() or not goes_on():
                    raise CancelledError
            try:
                return answer.result()
            except ClientError as error:
                if not (patient and _passes(error)):
                    raise self._failure(error) from error
            self._pause(pause, goes_on)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _pause(self, seconds: float, goes_on: Callable[[], bool]) -> None:
        ends = time.monotonic() + seconds
        while True:
            if not goes_on():
                raise CancelledError
            left = ends - time.monotonic()
            if left <= 0:
                return
            wait([self._cancelled], min(left, _LOOK_SECONDS))
            self._check()

    def _check(self) -> None:
        if self._cancelled.done():
            raise CancelledError

    def _failure(self, error: ClientError | None = None) -> ImageError:
        if isinstance(error, Unsupported):
            text = QCoreApplication.translate(
                "imaging", "Cannot read image {0} completely. The file is damaged; upload it again."
            )
        else:
            text = QCoreApplication.translate(
                "imaging", "Cannot download image {0} from the service. Open it again in a moment."
            )
        return ImageError(text.format(self._name))


def _passes(error: ClientError) -> bool:
    """Whether it is worth asking again: the service is away, is busy, or still makes the tiles."""
    if isinstance(error, ServerFault):
        # with a sentence of the service it is final, without one it comes from something in between
        return error.code == "unavailable" and error.server_message is None
    return isinstance(error, Unreachable | NotLoggedIn | TooMany | Conflict)


def _decoded(data: bytes) -> QImage:
    """A tile or preview of the service, which are never turned. Raises ValueError."""
    image = QImage.fromData(data)
    if image.isNull():
        raise ValueError("not a picture")
    return image.convertToFormat(QImage.Format.Format_RGB32)
