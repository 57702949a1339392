"""Implements the common part of pictures on this computer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QCoreApplication

from desktop.imaging.decoding.decoder import Cancellation, Data, Header
from desktop.imaging.decoding.errors import ImageError
from desktop.imaging.decoding.vips import pyvips
from desktop.imaging.sources.source import Level


class LocalImage:
    """The base class of pictures on this computer, with a part of ImageSource."""

    def __init__(self, data: Data, header: Header, name: str) -> None:
        self._data = data
        self._header = header
        self._name = name
        self._cancellation = Cancellation()
        self._lock = threading.Lock()
        self._levels: tuple[Level, ...] = ()

    @property
    def size(self) -> tuple[int, int]:
        """Upright width and height in px."""
        return self._header.width, self._header.height

    @property
    def name(self) -> str:
        """The file name, or the name that it was opened with."""
        return self._name

    @property
    def levels(self) -> tuple[Level, ...]:
        """The resolutions, finest first; () before `prepare` is complete."""
        return self._levels

    @property
    def readers(self) -> int:
        """The number of reading threads: two, so that the GUI thread keeps a core."""
        return 2

    def release(self) -> None:
        """Release nothing: what this picture holds in memory cannot be read again quickly."""

    def cancel(self) -> None:
        """Cancel current and later work."""
        self._cancellation.cancel()

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Convert errors of libvips and the disk to ImageError."""
        try:
            yield
        except pyvips.Error as error:
            text = QCoreApplication.translate(
                "imaging", "Cannot read image {0} completely. The file is damaged; upload it again."
            )
            raise ImageError(text.format(self._name)) from error
        except OSError as error:
            text = QCoreApplication.translate(
                "imaging", "Cannot prepare image {0} for zooming: {1}. Free disk space."
            )
            raise ImageError(text.format(self._name, error.strerror or error)) from error
