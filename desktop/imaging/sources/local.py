"""Implements what every picture on this machine shares."""

from __future__ import annotations

import threading

from desktop.imaging.decoding.decoder import Cancellation, Data, Header
from desktop.imaging.sources.source import Level


class LocalImage:
    """The part of an ImageSource that a picture on this machine needs in any case."""

    def __init__(self, data: Data, header: Header, name: str) -> None:
        self._data = data
        self._header = header
        self._name = name
        self._cancellation = Cancellation()
        self._guard = threading.Lock()
        self._levels: tuple[Level, ...] = ()

    @property
    def size(self) -> tuple[int, int]:
        """Upright width and height in px."""
        return self._header.width, self._header.height

    @property
    def name(self) -> str:
        """The file name, or what it was opened with."""
        return self._name

    @property
    def levels(self) -> tuple[Level, ...]:
        """Finest first; () before `prepare` is through."""
        return self._levels

    @property
    def readers(self) -> int:
        """Two: the GUI thread keeps a core."""
        return 2

    def cancel(self) -> None:
        """End what is under way."""
        self._cancellation.cancel()
