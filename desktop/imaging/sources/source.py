"""Declares the interface of pictures for the canvas: size, levels, tiles, crops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtGui import QImage

from shared.images.tiles import TILE, tile_counts
from shared.record.geometry import Rect

__all__ = ["PREVIEW", "TILE", "ImageSource", "Level"]

PREVIEW = 2048
"""Approximate longer side of a preview in px, about the width of a window."""


@dataclass(frozen=True, slots=True)
class Level:
    """One resolution of a picture: `width` x `height` px, each covering `factor` px of the picture.

    `left` and `top` are the position of its first pixel in the picture, in px: 0, or down to -`factor` if the
    picture is rotated and its size is not a multiple of `factor`. The first or last pixels may therefore
    extend beyond the picture.
    """

    width: int
    height: int
    factor: int
    left: int = 0
    top: int = 0

    @property
    def columns(self) -> int:
        """The number of columns of tiles."""
        return tile_counts(self.width, self.height)[0]

    @property
    def rows(self) -> int:
        """The number of rows of tiles."""
        return tile_counts(self.width, self.height)[1]

    def tile_rect(self, column: int, row: int) -> Rect:
        """The rectangle of a tile, in px of this level."""
        x, y = column * TILE, row * TILE
        return Rect(x, y, min(TILE, self.width - x), min(TILE, self.height - y))


class ImageSource(Protocol):
    """A picture in upright pixels. Reading blocks: call everything but the properties off the GUI thread.

    The methods may be called from several threads at once. They raise ImageError when the picture cannot be
    read, and CancelledError after `cancel`.
    """

    @property
    def size(self) -> tuple[int, int]:
        """Upright width and height in px."""

    @property
    def name(self) -> str:
        """The name for the user: the file name, or an empty text."""

    @property
    def levels(self) -> tuple[Level, ...]:
        """The resolutions of `tile`, finest first; () before `prepare` is complete."""

    @property
    def readers(self) -> int:
        """The number of tiles to read at the same time."""

    def preview(self) -> QImage:
        """The whole picture in about `PREVIEW` px, or less if that is faster."""

    def prepare(self, progress: Callable[[float], bool]) -> None:
        """Prepare the tiles. Returns immediately if they are ready.

        `progress` gets 0..1, in any thread. It returns False to stop, which raises CancelledError. The
        picture then has only its preview and crops until `prepare` is called again.
        """

    def tile(self, level: int, column: int, row: int) -> QImage:
        """One tile as QImage.Format_RGB32. `level` is an index of `levels`."""

    def crop(self, rect: Rect) -> QImage:
        """The pixels of the original that `rect` (upright px) covers. Raises ValueError when there are
        none."""

    def release(self) -> None:
        """Release the memory of pixels that can be read again, as when nobody looks at the picture.

        Returns at once. What is read later is read again from the file.
        """

    def cancel(self) -> None:
        """Cancel current and later work. The picture cannot be used afterwards."""
