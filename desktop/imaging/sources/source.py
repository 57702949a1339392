"""Declares what every picture looks like to the canvas: a size, levels, tiles, crops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtGui import QImage

from shared.geometry import Rect
from shared.images.tiles import TILE, tile_counts

__all__ = ["PREVIEW", "TILE", "ImageSource", "Level"]

PREVIEW = 2048
"""About the longer side of a preview in px: a window's width, so that the first picture is a useful one."""


@dataclass(frozen=True, slots=True)
class Level:
    """One resolution of a picture: `width` x `height` px, each covering `factor` px of the picture.

    `left`, `top`: where in the picture its first pixel begins, in px: 0, or up to `factor` less when the
    picture is turned and its size no multiple of `factor`. So the last or first pixels may reach beyond it.
    """

    width: int
    height: int
    factor: int
    left: int = 0
    top: int = 0

    @property
    def columns(self) -> int:
        """How many tiles lie side by side."""
        return tile_counts(self.width, self.height)[0]

    @property
    def rows(self) -> int:
        """How many tiles lie one below the other."""
        return tile_counts(self.width, self.height)[1]

    def tile_rect(self, column: int, row: int) -> Rect:
        """What a tile covers, in px of this level."""
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
        """What to call it to a person: the file name, or an empty text."""

    @property
    def levels(self) -> tuple[Level, ...]:
        """The resolutions that `tile` knows, finest first; () before `prepare` is through."""

    @property
    def readers(self) -> int:
        """How many tiles are best read at the same time."""

    def preview(self) -> QImage:
        """The whole picture in about `PREVIEW` px, or less where that is sooner."""

    def prepare(self, progress: Callable[[float], bool]) -> None:
        """Make the tiles readable; returns at once when they are.

        `progress` gets 0..1, from any thread, and answers False to have it stopped with CancelledError; the
        picture then has its preview and crops only, until `prepare` is called again.
        """

    def tile(self, level: int, column: int, row: int) -> QImage:
        """One tile, QImage.Format_RGB32. `level` counts in `levels`."""

    def crop(self, rect: Rect) -> QImage:
        """The pixels that `rect` (upright px) touches, from the original. ValueError when there are none."""

    def cancel(self) -> None:
        """End what is under way. The picture is of no use afterwards, except to be dropped."""
