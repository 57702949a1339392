"""Builds and reads pyramids of large pictures: JPEG tiles in a zip, cached by content.

A pyramid contains the pixels in stored orientation, so that creating it reads the original once from top to
bottom in little memory. Tiles are rotated when they are read. The layout is that of Deep Zoom, which libvips
writes. The tiles are not compressed again in the zip, so that reading one takes a seek and a decode.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np
import platformdirs
from PySide6.QtGui import QImage

from desktop.imaging.decoding.decoder import (
    Cancellation,
    Data,
    Progress,
    as_rgb,
    open_stream,
    report_progress,
)
from desktop.imaging.decoding.pixels import Pixels, decode_tile, from_qimage
from shared.images.tiles import DZSAVE_OPTIONS, TILE, tile_name
from shared.system import atomic
from shared.system.cache_limit import trim_cache
from shared.system.paths import ensure_private_folder

CACHE_LIMIT = 8 * 1024**3
"""Maximum number of bytes of all pyramids. The longest unused ones are deleted first."""

_READ_BYTES = 1 << 20
_TEMPORARY_PREFIX = "making-"
_ABANDONED_SECONDS = 24 * 3600


class PyramidCache:
    """The folder of pyramids. Several programs may use it at once."""

    def __init__(self, folder: Path | None = None, limit: int = CACHE_LIMIT) -> None:
        """Use `folder`, by default a folder in the user's cache folder. It is created when it is needed."""
        self.folder = folder or Path(platformdirs.user_cache_dir("walkaround", appauthor=False)) / "pyramids"
        self._limit = limit

    def path(self, length: int, digest: str) -> Path:
        """The path of the pyramid of a content with this length in bytes and SHA-256. It need not exist."""
        return self.folder / f"{length}-{digest}-{TILE}.zip"

    def may_have(self, length: int) -> bool:
        """Whether a pyramid of a content with this length exists. If not, the content need not be hashed."""
        return any(self.folder.glob(f"{length}-*-{TILE}.zip"))

    def find(self, length: int, digest: str) -> Path | None:
        """The path of the pyramid, marked as used now; None when there is none."""
        path = self.path(length, digest)
        try:
            os.utime(path)
        except OSError:
            return None
        return path

    def make(self, data: Data, path: Path, progress: Progress, cancellation: Cancellation) -> Path:
        """Create the pyramid at `path` and delete the longest unused ones above the limit.

        Raises OSError when the folder cannot be written, pyvips.Error when the picture cannot be read.
        """
        ensure_private_folder(self.folder)
        image = as_rgb(open_stream(data)).copy()
        image.remove("orientation")
        report_progress(image, progress, cancellation)
        # libvips writes the rest of a cancelled file when it is released, after the folder was deleted.
        with (
            tempfile.TemporaryDirectory(
                prefix=_TEMPORARY_PREFIX, dir=self.folder, ignore_cleanup_errors=True
            ) as scratch,
            cancellation.watch(image),
        ):
            archive = Path(scratch) / "made.zip"
            image.dzsave(str(archive), **DZSAVE_OPTIONS)
            atomic.replace_file(archive, path, durable=False)
        self.trim(keep=path)
        return path

    def trim(self, keep: Path | None = None) -> None:
        """Delete the longest unused pyramids until the rest is below the limit. `keep` is never deleted."""
        now = time.time()
        for scratch in self.folder.glob(f"{_TEMPORARY_PREFIX}*"):
            with contextlib.suppress(OSError):
                if now - scratch.stat().st_mtime > _ABANDONED_SECONDS:
                    shutil.rmtree(scratch)
        trim_cache(self.folder.glob("*.zip"), self._limit, keep)


class Pyramid:
    """An open pyramid. Its methods may be called from several threads at once.

    Level 0 is the finest. A pixel of level n covers 2**n x 2**n stored pixels.
    """

    def __init__(self, path: Path) -> None:
        """Open the file. Raises OSError when it is not a pyramid."""
        try:
            self._zip = zipfile.ZipFile(path)
        except zipfile.BadZipFile as error:
            raise OSError(str(error)) from error
        parts = [name.split("/") for name in self._zip.namelist()]
        self.levels = len({part[1] for part in parts if len(part) == 3})
        """The number of levels."""

    def tile(self, level: int, column: int, row: int) -> QImage:
        """A tile in stored orientation. Raises OSError when it cannot be read."""
        name = tile_name(level, self.levels, column, row)
        try:
            return decode_tile(self._zip.read(name))
        except (KeyError, ValueError, zipfile.BadZipFile) as error:
            raise OSError(str(error)) from error

    def read_level(self, level: int, width: int, height: int) -> Pixels:
        """Read a whole level of `width` x `height` px, in stored orientation."""
        pixels = np.empty((height, width), np.uint32)
        for row in range(-(-height // TILE)):
            for column in range(-(-width // TILE)):
                image = self.tile(level, column, row)
                part = from_qimage(image)
                window = np.s_[row * TILE : (row + 1) * TILE, column * TILE : (column + 1) * TILE]
                pixels[window] = part[: pixels[window].shape[0], : pixels[window].shape[1]]
        return pixels


def content_length(data: Data) -> int:
    """The number of bytes of a file or of bytes. Raises OSError."""
    return len(data) if isinstance(data, bytes) else data.stat().st_size


def content_digest(data: Data, cancellation: Cancellation) -> str:
    """SHA-256 of a file or of bytes, 64 hexadecimal digits. Raises OSError, CancelledError."""
    if isinstance(data, bytes):
        return hashlib.sha256(data).hexdigest()
    digest = hashlib.sha256()
    with data.open("rb") as file:
        while block := file.read(_READ_BYTES):
            cancellation.check()
            digest.update(block)
    return digest.hexdigest()
