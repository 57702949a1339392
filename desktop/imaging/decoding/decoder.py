"""Decodes bytes or files to upright pixels, in all formats and all 8 EXIF orientations.

libvips reads the orientation of JPEG, PNG, WebP and TIFF alike (Qt leaves PNG and WebP unturned), takes paths
of any script, knows no 256 MB limit, and works while other Python threads run. Nothing here writes to the
original. Every function may be called from any thread and raises ImageError when the picture cannot be read.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QImage

from desktop.imaging.decoding.errors import CancelledError, ImageError
from desktop.imaging.decoding.pixels import Pixels, Rgb, to_qimage, upright
from desktop.imaging.decoding.vips import pyvips
from shared.geometry import Rect
from shared.images.png import has_too_much_text
from shared.images.upright import stored_rect, upright_size

Data = Path | bytes

Progress = Callable[[float], bool]
"""Called with how far the work is, 0..1, from any thread; answers False to have it stopped."""

MAX_PIXELS = 2_000_000_000
"""More is refused: no camera makes it, and a small file can claim any size."""

MAX_BANDS = 5
"""Cyan, magenta, yellow, black and alpha. A small file of many more would unpack to gigabytes."""

_one_whole = threading.Lock()
_LOOK_EVERY = 0.02
"""Seconds after which a picture that waits for its turn looks whether it is still wanted."""


@dataclass(frozen=True, slots=True)
class Header:
    """What the head of a file says: the upright size in px, and how the stored pixels are turned (1..8)."""

    width: int
    height: int
    orientation: int

    @property
    def stored_size(self) -> tuple[int, int]:
        """Width and height of the stored, unturned pixels."""
        return upright_size(self.width, self.height, self.orientation)


class Cancellation:
    """Lets another thread end work in libvips: `cancel` makes the work raise CancelledError soon."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        # By id: images of pyvips compare pixel by pixel, so that a list cannot remove one of them.
        self._images: dict[int, Any] = {}
        self._cancelled = False

    def cancel(self) -> None:
        """End what is under way and all that would start later. May be called twice."""
        with self._guard:
            self._cancelled = True
            for image in self._images.values():
                image.set_kill(True)

    def check(self) -> None:
        """Raise CancelledError when `cancel` was called."""
        if self._cancelled:
            raise CancelledError

    @contextmanager
    def watch(self, image: Any) -> Iterator[None]:
        """Within the block, `cancel` stops the computation of the vips image."""
        with self._guard:
            self.check()
            self._images[id(image)] = image
        try:
            yield
        except pyvips.Error:
            self.check()
            raise
        finally:
            with self._guard:
                del self._images[id(image)]


def read_header(data: Data) -> Header:
    """Size and orientation, without decoding pixels."""
    _refuse_text(data)
    with failures(data):
        image = _load(data)
        if image.bands > MAX_BANDS:
            raise ImageError(_overloaded())
        orientation = image.get("orientation") if image.get_typeof("orientation") else 1
        if image.width * image.height > MAX_PIXELS:
            raise ImageError(
                QCoreApplication.translate(
                    "imaging", "Cannot open an image with {0} x {1} pixels. Scale it down first."
                ).format(image.width, image.height)
            )
        return Header(*upright_size(image.width, image.height, orientation), orientation)


def read_whole(data: Data, header: Header, cancellation: Cancellation) -> Rgb:
    """All pixels, upright. One picture after the other: two at once would take every core from the window."""
    while not _one_whole.acquire(timeout=_LOOK_EVERY):
        cancellation.check()
    try:
        return _whole(data, header, cancellation)
    finally:
        _one_whole.release()


def _whole(data: Data, header: Header, cancellation: Cancellation) -> Rgb:
    with failures(data):
        rgb = as_rgb(_load(data))
        pixels = np.frombuffer(evaluate(rgb, cancellation), np.uint8).reshape(rgb.height, rgb.width, 3)
        return upright(pixels, header.orientation)


def read_preview(data: Data, header: Header, longest: int, cancellation: Cancellation) -> Pixels:
    """The whole picture scaled down so that its longer side has about `longest` px (never enlarged), upright.

    JPEG is decoded at an eighth, quarter or half where that suffices, which is what makes it quick.
    """
    with failures(data):
        scale = max(header.width, header.height) / longest
        shrink = next((step for step in (8, 4, 2) if step <= scale), 1)
        image = _load(data)
        if shrink > 1 and image.get("vips-loader").startswith("jpegload"):
            image = _load(data, shrink=shrink)
            scale /= shrink
        rgb = as_rgb32(image)
        if scale >= 2:
            rgb = rgb.shrink(int(scale), int(scale))
        return _upright32(rgb, header, cancellation)


def read_crop(data: Data, header: Header, rect: Rect, cancellation: Cancellation) -> Pixels:
    """The pixels that an upright rectangle touches, upright. A rectangle without a pixel is a ValueError."""
    left, top, width, height = pixel_rect(rect, header.width, header.height)
    stored = stored_rect(Rect(left, top, width, height), *header.stored_size, header.orientation)
    with failures(data):
        image = as_rgb32(_load(data))
        part = image.crop(int(stored.x), int(stored.y), int(stored.w), int(stored.h))
        return _upright32(part, header, cancellation)


def shrunk(image: QImage, longest: int) -> QImage:
    """A QImage.Format_RGB32 scaled down so that its longer side has at most `longest` px."""
    size = image.width(), image.height()
    scale = longest / max(size)
    if scale >= 1:
        return image
    whole = pyvips.Image.new_from_memory(image.constBits(), *size, 4, "uchar").resize(scale)
    return to_qimage(np.frombuffer(whole.write_to_memory(), np.uint32).reshape(whole.height, whole.width))


def pixel_rect(rect: Rect, width: int, height: int) -> tuple[int, int, int, int]:
    """Left, top, width and height of the whole pixels that `rect` touches within the picture.

    Raises ValueError when there are none.
    """
    inside = rect.clamped(width, height)
    if inside.empty:
        raise ValueError("the rectangle has no pixel of the picture")
    left, top = math.floor(inside.x), math.floor(inside.y)
    return left, top, math.ceil(inside.right) - left, math.ceil(inside.bottom) - top


def stream(data: Data) -> Any:
    """The vips image of `data` in stored orientation, to be read once from top to bottom."""
    return _load(data)


def as_rgb(image: Any) -> Any:
    """The vips image as three bytes a pixel, sRGB, alpha laid over white."""
    rgb = image.colourspace("srgb")
    if rgb.hasalpha():
        rgb = rgb.flatten(background=255)
    return rgb.cast("uchar")


def as_rgb32(image: Any) -> Any:
    """The vips image as QImage.Format_RGB32 has it: blue, green, red, 255."""
    rgb = as_rgb(image)
    return rgb[2].bandjoin([rgb[1], rgb[0], 255])


def evaluate(image: Any, cancellation: Cancellation) -> Any:
    """The memory of what `as_rgb` or `as_rgb32` gave, a buffer of bytes."""
    with cancellation.watch(image):
        return image.write_to_memory()


def _upright32(rgb32: Any, header: Header, cancellation: Cancellation) -> Pixels:
    memory = evaluate(rgb32, cancellation)
    pixels = np.frombuffer(memory, np.uint32).reshape(rgb32.height, rgb32.width)
    return upright(pixels, header.orientation)


def report_progress(image: Any, progress: Progress, cancellation: Cancellation) -> None:
    """Have `progress` called with 0..1, from a thread of libvips, while the image is computed."""

    def report(_image: Any, state: Any) -> None:
        if not progress(state.percent / 100):
            cancellation.cancel()

    image.set_progress(True)
    image.signal_connect("eval", report)


def _load(data: Data, **options: Any) -> Any:
    if isinstance(data, Path):
        source = pyvips.Source.new_from_file(str(data))
    else:
        source = pyvips.Source.new_from_memory(data)
    return pyvips.Image.new_from_source(source, "", access="sequential", fail_on="truncated", **options)


def _refuse_text(data: Data) -> None:
    # libvips unpacks all of the text when it opens the file.
    try:
        if isinstance(data, bytes):
            refused = has_too_much_text(data)
        else:
            with data.open("rb") as file:
                refused = has_too_much_text(file)
    except OSError:
        # Opening it as a picture says what is wrong.
        return
    if refused:
        raise ImageError(_overloaded())


def _overloaded() -> str:
    return QCoreApplication.translate(
        "imaging",
        "The image has too much embedded text or too many colour channels. Save it again "
        "with an image editor.",
    )


@contextmanager
def failures(data: Data) -> Iterator[None]:
    """What libvips cannot do becomes an ImageError with a sentence."""
    try:
        yield
    except pyvips.Error as error:
        if isinstance(data, Path) and not data.is_file():
            text = QCoreApplication.translate("imaging", "{0} no longer exists. Select another file.").format(
                data.name
            )
        else:
            text = QCoreApplication.translate(
                "imaging",
                "Cannot read the image. It is damaged or not a JPEG, PNG, WebP or TIFF "
                "file. Select another image.",
            )
        raise ImageError(text) from error
