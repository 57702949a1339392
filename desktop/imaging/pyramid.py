"""Pyramids of large pictures: a tiled TIFF each, made once, kept in the user's cache folder by content.

A pyramid holds the pixels as stored, unturned: turning is done tile by tile, so that making one reads the
original once from top to bottom in little memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from desktop.imaging.decode import (
    Cancellation,
    Data,
    Progress,
    as_rgb32,
    evaluate,
    report_progress,
    stream,
)
from desktop.imaging.pixels import Pixels
from desktop.imaging.source import TILE
from desktop.imaging.vips import pyvips

CACHE_LIMIT = 8 * 1024**3
"""Bytes that all pyramids may take; the longest unused go first."""

# 85 halves the file against 90, where libvips stops subsampling colour, and decodes twice as fast
_QUALITY = 85
_READ = 1 << 20


class PyramidCache:
    """The folder of pyramids. Several programs may use it at once."""

    def __init__(self, folder: Path | None = None, limit: int = CACHE_LIMIT) -> None:
        """`folder` is made when it is missing; without one it is the user's cache folder."""
        self.folder = folder or Path(platformdirs.user_cache_dir("walkaround", appauthor=False)) / "pyramids"
        self._limit = limit

    def path(self, digest: str) -> Path:
        """Where the pyramid of the content with this SHA-256 is, or will be."""
        return self.folder / f"{digest}-{TILE}.tif"

    def find(self, digest: str) -> Path | None:
        """The pyramid, marked as used now; None when there is none."""
        path = self.path(digest)
        try:
            os.utime(path)
        except OSError:
            return None
        return path

    def make(self, data: Data, digest: str, progress: Progress, cancellation: Cancellation) -> Path:
        """Make the pyramid and drop the longest unused ones above the limit.

        Raises OSError when the folder cannot be written, pyvips.Error when the picture cannot be read.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.path(digest)
        part = self.folder / f"{digest}.{uuid.uuid4().hex}.part"
        image = as_rgb(stream(data))
        width, height = (_padded(image.width, image.height, side) for side in (image.width, image.height))
        image = image.embed(0, 0, width, height, extend="copy")
        report_progress(image, progress, cancellation)
        try:
            with cancellation.watch(image):
                image.tiffsave(
                    str(part),
                    tile=True,
                    pyramid=True,
                    compression="jpeg",
                    Q=_QUALITY,
                    tile_width=TILE,
                    tile_height=TILE,
                    bigtiff=True,
                    keep="none",
                )
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        self.trim(keep=path)
        return path

    def trim(self, keep: Path | None = None) -> None:
        """Drop the longest unused pyramids until the rest is below the limit; `keep` stays in any case."""
        found = []
        for path in self.folder.glob("*.tif"):
            with contextlib.suppress(OSError):
                state = path.stat()
                found.append((state.st_mtime_ns, state.st_size, path))
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= self._limit:
                return
            if path != keep:
                # on Windows a pyramid that somebody looks at cannot go; it goes next time
                with contextlib.suppress(OSError):
                    path.unlink()
                    total -= size


class _Regions(threading.local):
    """A libvips region belongs to one thread: each has its own, by level."""

    def __init__(self) -> None:
        self.by_level: dict[int, Any] = {}


class Pyramid:
    """An open pyramid. `read` may be called from several threads at once."""

    def __init__(self, path: Path) -> None:
        """Raises pyvips.Error when the file is no pyramid."""
        self._path = path
        first = self._page(0)
        self.levels = int(first.get("n-pages"))
        """How many levels there are. A pixel of level n covers 2**n x 2**n stored ones."""
        self._regions = _Regions()

    def read(self, level: int, x: int, y: int, width: int, height: int) -> Pixels:
        """A rectangle of a level, in stored orientation."""
        regions = self._regions.by_level
        if level not in regions:
            regions[level] = pyvips.Region.new(as_rgb32(self._page(level)))
        memory = regions[level].fetch(x, y, width, height)
        return np.frombuffer(memory, np.uint32).reshape(height, width)

    def whole(self, level: int, width: int, height: int, cancellation: Cancellation) -> Pixels:
        """The first `width` x `height` px of a level, in stored orientation."""
        return evaluate(as_rgb32(self._page(level)).crop(0, 0, width, height), cancellation)

    def _page(self, level: int) -> Any:
        return pyvips.Image.tiffload_source(pyvips.Source.new_from_file(str(self._path)), page=level)


def _padded(width: int, height: int, side: int) -> int:
    """`side` rounded up so that in each level it is a multiple of 16 px, the unit of subsampled JPEG.

    What is added repeats the last pixels; without it the black beyond the edge would ring into the picture.
    """
    unit = 16
    while max(width, height) * 16 > TILE * unit:
        unit *= 2
    return -(-side // unit) * unit


def as_rgb(image: Any) -> Any:
    """Three bytes a pixel: what a pyramid holds."""
    rgb32 = as_rgb32(image)
    return rgb32[2].bandjoin([rgb32[1], rgb32[0]]).copy(interpretation="srgb")


def content_digest(data: Data, cancellation: Cancellation) -> str:
    """SHA-256 of a file or of bytes, 64 hexadecimal digits. Raises OSError, CancelledError."""
    if isinstance(data, bytes):
        return hashlib.sha256(data).hexdigest()
    digest = hashlib.sha256()
    with data.open("rb") as file:
        while block := file.read(_READ):
            cancellation.check()
            digest.update(block)
    return digest.hexdigest()
