# ruff: noqa: N815 - Qt signals
"""Reads previews and tiles in the background and keeps what the view needs.

The view says at each frame which tiles it wants, the most wanted first; a few threads read them, and what
nobody wants any more is not read. A bounded cache keeps the tiles last used.
"""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from desktop.background.thread_priority import yield_to_gui
from desktop.imaging.decoding.decoder import shrunk
from desktop.imaging.decoding.errors import CancelledError, ImageError
from desktop.imaging.decoding.tone import Tone
from desktop.imaging.sources.source import ImageSource

CACHE_BYTES = 64 * 1024**2
"""What the tiles in memory may take; those wanted for the present view always stay."""

OVERVIEW = 340
"""Longer side of `TileLoader.overview` in px."""

_KEPT_PREVIEW = 1024
"""Longer side in px of what is kept of a preview once tiles can be read: it stands in for missing ones."""


class TileKey(NamedTuple):
    """Which tile: the index of its level in `ImageSource.levels`, its column and row."""

    level: int
    column: int
    row: int


class _Shared:
    """What the threads share with the loader; it outlives the loader's C++ half."""

    def __init__(self) -> None:
        self.condition = threading.Condition()
        self.source: ImageSource | None = None
        self.wanted: list[TileKey] = []
        self.reading: set[TileKey] = set()
        self.stopping = False
        self.ended = False

    def next_wanted(self) -> TileKey | None:
        """The most wanted tile that no thread reads yet; None when there is none."""
        return next((key for key in self.wanted if key not in self.reading), None)

    def stop(self) -> None:
        """Cancel the source and have the threads end."""
        if self.source is not None:
            self.source.cancel()
        with self.condition:
            self.stopping = True
            self.condition.notify_all()

    def end(self) -> None:
        """The loader's C++ half is deleted: from now on no thread calls it."""
        with self.condition:
            self.ended = True
        self.stop()


class TileLoader(QObject):
    """Reads one ImageSource for one view. All methods belong to the GUI thread and return at once."""

    previewReady = Signal()
    """`preview` has a picture, or a new one after the tone changed."""
    prepared = Signal()
    """The source's levels are known and its tiles readable."""
    tileReady = Signal()
    """`tile` has more than before."""
    progress = Signal(float)
    """How far the preparing of a large picture is, 0..1."""
    stopped = Signal()
    """The preparing ended as `stop_preparing` asked."""
    failed = Signal(str)
    """The picture cannot be read; the text is for the person."""
    _delivered = Signal(int, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.preview: QImage | None = None
        self.overview: QImage | None = None
        """The picture in at most `OVERVIEW` px, for a minimap."""
        self._shared = _Shared()
        self._generation = 0
        self._raw_preview: QImage | None = None
        self._tone = Tone()
        self._cache: OrderedDict[TileKey, tuple[Tone, QImage]] = OrderedDict()
        self._bytes = 0
        self._broken: set[TileKey] = set()
        self._stop_preparing = False
        self._readers: list[threading.Thread] = []
        self._delivered.connect(self._deliver)
        # the loader may go with the widget that owns it, without `shutdown`
        self.destroyed.connect(self._shared.end)

    def open(self, source: ImageSource | None) -> None:
        """Read this source from now on (None for nothing); the one before is cancelled."""
        self._forget()
        self._shared.source = source
        if source is None:
            return
        self._stop_preparing = False
        generation = self._generation
        self._start(lambda: self._open_source(source, generation), "image-open")
        while sum(reader.name == "image-tile" for reader in self._readers) < source.readers:
            self._start(self._read_tiles, "image-tile")

    def tile(self, key: TileKey) -> QImage | None:
        """The tile when it is here, perhaps still in the tone before; None when it is not."""
        entry = self._cache.get(key)
        if entry is None:
            return None
        self._cache.move_to_end(key)
        return entry[1]

    def want(self, keys: Sequence[TileKey]) -> None:
        """The tiles to read, the most wanted first, instead of those wanted before."""
        missing = [
            key
            for key in keys
            if key not in self._broken and (key not in self._cache or self._cache[key][0] != self._tone)
        ]
        with self._shared.condition:
            self._shared.wanted = missing
            if missing:
                self._shared.condition.notify_all()
        self._trim(set(keys))

    def set_tone(self, tone: Tone) -> None:
        """Show brightness and contrast differently; tiles follow as they are wanted again."""
        if tone == self._tone:
            return
        self._tone = tone
        if self._raw_preview is not None:
            self.preview = tone.apply(self._raw_preview)
            self.previewReady.emit()

    def stop_preparing(self) -> None:
        """Give up the tiles of a large picture that is still being prepared; the preview stays."""
        self._stop_preparing = True

    def shutdown(self) -> None:
        """Cancel and end the threads; returns when they are gone (well under a second)."""
        self._forget()
        self._shared.source = None
        self._shared.stop()
        for reader in self._readers:
            reader.join()
        self._readers.clear()
        self._shared.stopping = False

    def _emit(self, generation: int, what: object, value: object) -> None:
        # `end` waits for this lock, so Qt does not take the loader away under an emit;
        # a RuntimeError is how PySide says that it is already half gone
        with self._shared.condition, contextlib.suppress(RuntimeError):
            if not self._shared.ended:
                self._delivered.emit(generation, what, value)

    def _forget(self) -> None:
        if self._shared.source is not None:
            self._shared.source.cancel()
        self._generation += 1
        self.preview = self.overview = self._raw_preview = None
        self._cache.clear()
        self._broken.clear()
        self._bytes = 0
        with self._shared.condition:
            self._shared.wanted = []

    def _start(self, work: Callable[[], None], name: str) -> None:
        self._readers = [reader for reader in self._readers if reader.is_alive()]
        reader = threading.Thread(target=work, name=name, daemon=True)
        self._readers.append(reader)
        reader.start()

    def _open_source(self, source: ImageSource, generation: int) -> None:
        yield_to_gui()
        try:
            preview = source.preview()
            self._emit(generation, "preview", (preview, shrunk(preview, OVERVIEW)))
            source.prepare(lambda done: self._report(generation, done))
            self._emit(generation, "prepared", shrunk(preview, _KEPT_PREVIEW))
        except CancelledError:
            self._emit(generation, "stopped", None)
        except ImageError as error:
            self._emit(generation, "failed", str(error))

    def _report(self, generation: int, done: float) -> bool:
        self._emit(generation, "progress", done)
        return not self._stop_preparing

    def _read_tiles(self) -> None:
        yield_to_gui()
        while self._read_tile():
            pass

    def _read_tile(self) -> bool:
        """Wait for a tile that is wanted and read it; False when the thread shall end.

        In a function of its own, so that a thread that waits holds neither a picture nor a tile.
        """
        shared = self._shared
        with shared.condition:
            while (key := shared.next_wanted()) is None and not shared.stopping:
                shared.condition.wait()
            if key is None or shared.stopping:
                return False
            shared.wanted.remove(key)
            shared.reading.add(key)
            source, generation, tone = shared.source, self._generation, self._tone
        try:
            if source is not None:
                image = tone.apply(source.tile(*key))
                self._emit(generation, key, (tone, image))
        except CancelledError:
            pass
        except ImageError as error:
            self._emit(generation, key, str(error))
        finally:
            with shared.condition:
                shared.reading.discard(key)
        return True

    def _deliver(self, generation: int, what: object, value: object) -> None:
        if generation != self._generation:
            return
        match what, value:
            case TileKey() as key, (Tone() as tone, QImage() as image):
                if (old := self._cache.pop(key, None)) is not None:
                    self._bytes -= old[1].sizeInBytes()
                self._cache[key] = (tone, image)
                self._bytes += image.sizeInBytes()
                self.tileReady.emit()
            case TileKey() as key, str() as text:
                self._broken.add(key)
                self.failed.emit(text)
            case "preview", (QImage() as image, QImage() as overview):
                self._raw_preview, self.overview = image, overview
                self.preview = self._tone.apply(image)
                self.previewReady.emit()
            case "progress", float() as done:
                self.progress.emit(done)
            case "prepared", QImage() as image:
                self._raw_preview, self.preview = image, self._tone.apply(image)
                self.prepared.emit()
            case "stopped", _:
                self.stopped.emit()
            case "failed", str() as text:
                self.failed.emit(text)

    def _trim(self, keep: set[TileKey]) -> None:
        for key in list(self._cache):
            if self._bytes <= CACHE_BYTES:
                return
            if key not in keep:
                self._bytes -= self._cache.pop(key)[1].sizeInBytes()
