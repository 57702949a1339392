"""Decodes bytes or files to upright pixels, in all formats and all 8 EXIF orientations.

libvips applies the orientation of JPEG, PNG, WebP and TIFF (Qt ignores that of PNG and WebP), opens paths in
any script, has no limit of 256 MB, and releases Python's interpreter lock. No function changes the original.
Every function may be called from any thread and raises ImageError when the picture cannot be read.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QImage

from desktop.imaging.decoding.errors import CancelledError, ImageError
from desktop.imaging.decoding.pixels import Pixels, Rgb, to_qimage, upright
from desktop.imaging.decoding.vips import pyvips
from shared.images.colours import finite_grey, grey_levels, is_deep_grey, to_srgb
from shared.images.opening import RareFormError, open_picture
from shared.images.png import has_too_much_text
from shared.images.upright import stored_rect, upright_size
from shared.record.geometry import Rect

Data = Path | bytes

Progress = Callable[[float], bool]
"""A function that gets the progress, 0..1, in any thread. It returns False to stop the work."""

MAX_PIXELS = 2_000_000_000
"""Maximum number of pixels. No camera has more, and a small file can claim any size."""

MAX_BANDS = 5
"""Cyan, magenta, yellow, black and alpha. A small file with many more would unpack to gigabytes."""

STRIP: Final = 512
"""Rows of a deep grey picture that are read at once."""

_decode_lock = threading.Lock()
_CHECK_INTERVAL = 0.02
"""Seconds between two checks for cancellation while a picture waits for the lock."""


@dataclass(frozen=True, slots=True)
class Header:
    """The upright size in px and the EXIF orientation (1..8) of a file.

    `has_deep_greys`: `read_greys` can read it.
    """

    width: int
    height: int
    orientation: int
    has_deep_greys: bool = False

    @property
    def stored_size(self) -> tuple[int, int]:
        """Width and height of the stored pixels."""
        return upright_size(self.width, self.height, self.orientation)


class Cancellation:
    """Cancels work of libvips from another thread: after `cancel`, the work soon raises CancelledError."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Images of pyvips compare pixel by pixel, so that they cannot be removed from a list.
        self._images: dict[int, Any] = {}
        self._cancelled = False

    def cancel(self) -> None:
        """Cancel current and later work. May be called twice."""
        with self._lock:
            self._cancelled = True
            for image in self._images.values():
                image.set_kill(True)

    def check(self) -> None:
        """Raise CancelledError when `cancel` was called."""
        if self._cancelled:
            raise CancelledError

    @contextmanager
    def watch(self, image: Any) -> Iterator[None]:
        """Let `cancel` stop the computation of the vips image within the block."""
        with self._lock:
            self.check()
            self._images[id(image)] = image
        try:
            yield
        except pyvips.Error:
            self.check()
            raise
        finally:
            with self._lock:
                del self._images[id(image)]


def read_header(data: Data) -> Header:
    """Read size and orientation without decoding pixels. Raises ImageError."""
    _refuse_text(data)
    with translate_errors(data):
        image = _load(data)
        if image.bands > MAX_BANDS:
            raise ImageError(_overload_text())
        orientation = image.get("orientation") if image.get_typeof("orientation") else 1
        if image.width * image.height > MAX_PIXELS:
            raise ImageError(
                QCoreApplication.translate(
                    "imaging", "Cannot open an image with {0} x {1} pixels. Scale it down first."
                ).format(image.width, image.height)
            )
        size = upright_size(image.width, image.height, orientation)
        return Header(*size, orientation, is_deep_grey(image) and image.bands == 1)


def read_whole(data: Data, header: Header, cancellation: Cancellation) -> Rgb:
    """Decode all pixels, upright.

    One picture is decoded at a time, because two would leave no core for the window.
    """
    while not _decode_lock.acquire(timeout=_CHECK_INTERVAL):
        cancellation.check()
    try:
        return _decode_whole(data, header, cancellation)
    finally:
        _decode_lock.release()


def _decode_whole(data: Data, header: Header, cancellation: Cancellation) -> Rgb:
    with translate_errors(data):
        rgb = as_rgb(_load(data))
        pixels = np.frombuffer(evaluate(rgb, cancellation), np.uint8).reshape(rgb.height, rgb.width, 3)
        return upright(pixels, header.orientation)


def read_greys(
    data: Data, cancellation: Cancellation
) -> tuple[tuple[float, float], Iterator[npt.NDArray[Any]]]:
    """Decode a grey picture of more than 8 bits at its depth, in stored orientation.

    Returns its `grey_levels`, and its strips from top to bottom as uint16 or float32 (rows, width).
    """
    with translate_errors(data):
        image = finite_grey(_load(data))
        levels = grey_levels(image)
    kind, dtype = ("ushort", np.uint16) if image.format == "ushort" else ("float", np.float32)
    grey = image.cast(kind)

    def strips() -> Iterator[npt.NDArray[Any]]:
        with translate_errors(data):
            for top in range(0, grey.height, STRIP):
                strip = grey.crop(0, top, grey.width, min(STRIP, grey.height - top))
                yield np.frombuffer(evaluate(strip, cancellation), dtype).reshape(-1, grey.width)

    return levels, strips()


def read_preview(data: Data, header: Header, longest: int, cancellation: Cancellation) -> Pixels:
    """Decode the upright picture, scaled down to about `longest` px on its longer side. It is never enlarged.

    JPEG is decoded at an eighth, quarter or half of its size if that suffices, which is faster.
    """
    with translate_errors(data):
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
    """Decode the pixels that an upright rectangle covers at least partly.

    Raises ValueError when the rectangle contains no pixel.
    """
    left, top, width, height = pixel_rect(rect, header.width, header.height)
    stored = stored_rect(Rect(left, top, width, height), *header.stored_size, header.orientation)
    with translate_errors(data):
        image = as_rgb32(_load(data))
        part = image.crop(int(stored.x), int(stored.y), int(stored.w), int(stored.h))
        return _upright32(part, header, cancellation)


def shrink_image(image: QImage, longest: int) -> QImage:
    """Scale a QImage.Format_RGB32 down to at most `longest` px on its longer side. It is never enlarged.

    Scaling releases Python's interpreter lock, unlike QImage.scaled.
    """
    size = image.width(), image.height()
    if max(size) <= longest:
        return image
    resized = pyvips.Image.new_from_memory(image.constBits(), *size, 4, "uchar").resize(longest / max(size))
    return to_qimage(
        np.frombuffer(resized.write_to_memory(), np.uint32).reshape(resized.height, resized.width)
    )


def pixel_rect(rect: Rect, width: int, height: int) -> tuple[int, int, int, int]:
    """Left, top, width and height of the pixels of the picture that `rect` covers at least partly.

    Raises ValueError when there are none.
    """
    inside = rect.clamp(width, height)
    if inside.is_empty:
        raise ValueError("the rectangle has no pixel of the picture")
    left, top = math.floor(inside.x), math.floor(inside.y)
    return left, top, math.ceil(inside.right) - left, math.ceil(inside.bottom) - top


def open_stream(data: Data) -> Any:
    """Open `data` as a vips image in stored orientation that can be read once from top to bottom."""
    return _load(data)


def as_rgb(image: Any) -> Any:
    """Convert a vips image to three bytes per pixel, sRGB, with alpha blended over white."""
    return to_srgb(image)


def as_rgb32(image: Any) -> Any:
    """Convert a vips image to the layout of QImage.Format_RGB32: blue, green, red, 255."""
    rgb = as_rgb(image)
    return rgb[2].bandjoin([rgb[1], rgb[0], 255])


def evaluate(image: Any, cancellation: Cancellation) -> Any:
    """Compute an image of `as_rgb` or `as_rgb32` into a buffer of bytes."""
    with cancellation.watch(image):
        return image.write_to_memory()


def _upright32(rgb32: Any, header: Header, cancellation: Cancellation) -> Pixels:
    memory = evaluate(rgb32, cancellation)
    pixels = np.frombuffer(memory, np.uint32).reshape(rgb32.height, rgb32.width)
    return upright(pixels, header.orientation)


def report_progress(image: Any, progress: Progress, cancellation: Cancellation) -> None:
    """Call `progress` with 0 before the image is computed and with 0..1 meanwhile, in any thread."""

    def report(_image: Any, state: Any) -> None:
        if not progress(state.percent / 100):
            cancellation.cancel()

    image.set_progress(True)
    # A small image may be complete before the thread that signals "eval" runs for the first time.
    image.signal_connect("preeval", report)
    image.signal_connect("eval", report)


def _load(data: Data, **options: Any) -> Any:
    return open_picture(data, access="sequential", fail_on="truncated", **options)


def _refuse_text(data: Data) -> None:
    # libvips unpacks all embedded text when it opens the file.
    try:
        if isinstance(data, bytes):
            is_refused = has_too_much_text(data)
        else:
            with data.open("rb") as file:
                is_refused = has_too_much_text(file)
    except OSError:
        # Opening it as a picture reports the error.
        return
    if is_refused:
        raise ImageError(_overload_text())


def _overload_text() -> str:
    return QCoreApplication.translate(
        "imaging",
        "The image has too much embedded text or too many colour channels. Save it again "
        "with an image editor.",
    )


@contextmanager
def translate_errors(data: Data) -> Iterator[None]:
    """Convert errors of libvips to ImageError with a text for the user."""
    try:
        yield
    except RareFormError as error:
        text = QCoreApplication.translate(
            "imaging",
            "Cannot read an image stored in this form ({form}). Save it as PNG, or as TIFF with 8 or 16 bits "
            "and LZW or Deflate, and select that file.",
        )
        raise ImageError(text.format(form=error.form)) from error
    except pyvips.Error as error:
        if isinstance(data, Path) and not data.is_file():
            text = QCoreApplication.translate("imaging", "{0} no longer exists. Select another file.").format(
                data.name
            )
        else:
            text = QCoreApplication.translate(
                "imaging",
                "Cannot read the image. It is damaged or not a JPEG, PNG, WebP, TIFF or "
                "BMP file. Select another image.",
            )
        raise ImageError(text) from error


_FORMATS: Final = {"jpegload": ".jpg[Q=95]", "webpload": ".webp[Q=95]", "tiffload": ".tif"}


def upright_copy(data: bytes) -> bytes:
    """Rotate and encode a picture whose pixels are not stored upright. Other pictures are not changed.

    Raises ImageError when `data` is not a picture.
    """
    if read_header(data).orientation == 1:
        return data
    with translate_errors(data):
        image = pyvips.Image.new_from_buffer(data, "", fail_on="truncated")
        loader = str(image.get("vips-loader")).removesuffix("_buffer")
        encoded: bytes = image.autorot().write_to_buffer(_FORMATS.get(loader, ".png"))
        return encoded
