"""Reads previews and tiles in the background and caches them.

The view requests its tiles at each frame, the most important ones first. A few threads read them. Tiles that
are no longer requested are not read. A bounded cache keeps the tiles that were used last.
"""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QImage

from desktop.background.threads import BackgroundThread
from desktop.imaging.decoding.decoder import shrink_image
from desktop.imaging.decoding.errors import CancelledError, ImageError
from desktop.imaging.decoding.pixels import Tone
from desktop.imaging.sources.cut import is_large
from desktop.imaging.sources.source import ImageSource

CACHE_BYTES = 32 * 1024**2
"""Maximum number of bytes of the tiles in memory. Tiles of the present view are always kept."""

OVERVIEW = 340
"""Longer side of `TileLoader.overview` in px."""

_FALLBACK_PREVIEW = 1024
"""Longer side in px of the preview that is kept after `prepared`, as a substitute for missing tiles."""
_RELEASE_MS = 200
"""Releasing the pixels of 24 MP takes 9 ms, so it waits until what replaces the picture is shown."""


class TileKey(NamedTuple):
    """The position of a tile: the index of its level in `ImageSource.levels`, its column and row."""

    level: int
    column: int
    row: int


class _Look(NamedTuple):
    """What changes the pixels of a tile: the tone, and the number of calls of `show_as`."""

    tone: Tone
    number: int


class _SharedState:
    """The state that the threads share with the loader. It outlives the loader's C++ object."""

    def __init__(self) -> None:
        self.condition = threading.Condition()
        self.source: ImageSource | None = None
        self.requested: list[TileKey] = []
        self.reading: set[TileKey] = set()
        self.resting = False
        self.stopping = False
        self.deleted = False

    def next_requested(self) -> TileKey | None:
        """The first requested tile that no thread is reading; None when there is none."""
        return next((key for key in self.requested if key not in self.reading), None)

    def stop(self) -> None:
        """Cancel the source and end the threads."""
        if self.source is not None:
            self.source.cancel()
        with self.condition:
            self.stopping = True
            self.condition.notify_all()

    def mark_deleted(self) -> None:
        """Stop all calls of the loader, because its C++ object is deleted."""
        with self.condition:
            self.deleted = True
        self.stop()


class TileLoader(QObject):
    """Reads one ImageSource for one view. All methods belong to the GUI thread and return at once."""

    preview_ready = Signal()
    """`preview` has a picture, or a new one after the tone changed."""
    prepared = Signal()
    """The levels of the source are known and its tiles can be read."""
    tile_ready = Signal()
    """A tile was added to the cache."""
    progress = Signal(float)
    """The progress of preparing a large picture, 0..1."""
    stopped = Signal()
    """`stop_preparing` ended the preparing."""
    failed = Signal(str)
    """The picture cannot be read. The text is for the user."""
    _result_ready = Signal(int, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.preview: QImage | None = None
        self.overview: QImage | None = None
        """The picture in at most `OVERVIEW` px, for a minimap."""
        self._state = _SharedState()
        self._generation = 0
        self._raw_preview: QImage | None = None
        self._tone = Tone()
        self._look = 0
        """Changes with `show_as`."""
        self._cache: OrderedDict[TileKey, tuple[_Look, QImage]] = OrderedDict()
        self._bytes = 0
        self._seen: set[TileKey] = set()
        """The tiles of the last request."""
        self._unreadable: set[TileKey] = set()
        self._unused: list[object] = []
        self._release_timer = QTimer(self, singleShot=True, interval=_RELEASE_MS)
        self._release_timer.timeout.connect(self._release)
        self._stop_preparing = False
        self._readers: list[BackgroundThread] = []
        self._result_ready.connect(self._on_result)
        # The widget that owns the loader may be deleted without a call of `shutdown`.
        self.destroyed.connect(self._state.mark_deleted)

    def open(self, source: ImageSource | None) -> None:
        """Cancel the present source and read this one; None reads nothing."""
        self._clear()
        self._state.source, self._state.resting = source, False
        if source is None:
            return
        self._stop_preparing = False
        generation = self._generation
        self._start_thread(lambda: self._open_source(source, generation), "image-open")
        while sum(reader.name == "image-tile" for reader in self._readers) < source.readers:
            self._start_thread(self._read_tiles, "image-tile")

    def tile(self, key: TileKey) -> QImage | None:
        """The cached tile, possibly still in the previous tone; None if it is not cached."""
        entry = self._cache.get(key)
        if entry is None:
            return None
        self._cache.move_to_end(key)
        return entry[1]

    def request(self, keys: Sequence[TileKey]) -> None:
        """Replace the tiles to read, the most important ones first."""
        missing = [
            key
            for key in keys
            if key not in self._unreadable
            and (key not in self._cache or self._cache[key][0] != _Look(self._tone, self._look))
        ]
        with self._state.condition:
            self._state.requested, self._state.resting = missing, False
            if missing:
                self._state.condition.notify_all()
        self._seen = set(keys)
        self._trim(CACHE_BYTES)

    def release_unseen(self) -> None:
        """Release all tiles but those of the last request, as when the view is hidden."""
        self._trim(0)

    def release_pixels(self) -> None:
        """Read no tile until the next request, and soon release the pixels of the source."""
        with self._state.condition:
            self._state.requested, self._state.resting = [], True
        self._release_soon()

    def set_tone(self, tone: Tone) -> None:
        """Set brightness and contrast. Tiles get the tone when they are requested again."""
        if tone == self._tone:
            return
        self._tone = tone
        if self._raw_preview is not None:
            self.preview = tone.apply(self._raw_preview)
            self.preview_ready.emit()

    def show_as(self, source: ImageSource) -> None:
        """Show the open picture as `source` does, such as in other greys. Both are prepared.

        Tiles are read again when they are requested.
        """
        self._state.source = source
        self._look += 1
        self._raw_preview = source.preview()
        self.preview = self._tone.apply(self._raw_preview)
        self.preview_ready.emit()

    def stop_preparing(self) -> None:
        """Stop preparing a large picture. The preview stays."""
        self._stop_preparing = True

    def shutdown(self) -> None:
        """Cancel reading and wait for the end of the threads (well under a second)."""
        self._clear()
        self._unused.clear()
        self._state.source = None
        self._state.stop()
        for reader in self._readers:
            reader.join()
        self._readers.clear()
        self._state.stopping = False

    def _emit(self, generation: int, subject: object, value: object) -> None:
        # `mark_deleted` waits for this lock, so Qt does not delete the loader during an emit. PySide raises a
        # RuntimeError if the deletion has begun.
        with self._state.condition, contextlib.suppress(RuntimeError):
            if not self._state.deleted:
                self._result_ready.emit(generation, subject, value)

    def _release_soon(self) -> None:
        if not self._release_timer.isActive():
            self._release_timer.start()

    def _release(self) -> None:
        self._unused.clear()
        with self._state.condition:
            is_resting = self._state.resting and not self._state.reading
        if self._state.source is not None and is_resting:
            self._state.source.release()

    def _clear(self) -> None:
        if self._state.source is not None:
            self._state.source.cancel()
            # The tiles may hold pixels of the source.
            self._unused += [self._state.source, self._cache]
            self._release_soon()
        self._generation += 1
        self.preview = self.overview = self._raw_preview = None
        self._cache = OrderedDict()
        self._unreadable.clear()
        self._bytes = 0
        with self._state.condition:
            self._state.requested = []

    def _start_thread(self, work: Callable[[], None], name: str) -> None:
        self._readers = [reader for reader in self._readers if reader.is_alive()]
        self._readers.append(BackgroundThread(work, name))

    def _open_source(self, source: ImageSource, generation: int) -> None:
        try:
            if not is_large(source):
                # Decoding twice would take longer than waiting for all pixels.
                source.prepare(lambda _share: True)
            preview = source.preview()
            self._emit(generation, "preview", (preview, shrink_image(preview, OVERVIEW)))
            source.prepare(lambda share: self._report_progress(generation, share))
            self._emit(generation, "prepared", shrink_image(preview, _FALLBACK_PREVIEW))
        except CancelledError:
            self._emit(generation, "stopped", None)
        except ImageError as error:
            self._emit(generation, "failed", str(error))

    def _report_progress(self, generation: int, share: float) -> bool:
        self._emit(generation, "progress", share)
        return not self._stop_preparing

    def _read_tiles(self) -> None:
        while self._read_tile():
            pass

    def _read_tile(self) -> bool:
        """Wait for a requested tile and read it. Return False when the thread must end.

        This is a separate function, so that a waiting thread keeps neither a picture nor a tile in memory.
        """
        state = self._state
        with state.condition:
            while (key := state.next_requested()) is None and not state.stopping:
                state.condition.wait()
            if key is None or state.stopping:
                return False
            state.requested.remove(key)
            state.reading.add(key)
            source, generation, look = state.source, self._generation, _Look(self._tone, self._look)
        try:
            if source is not None:
                image = look.tone.apply(source.tile(*key))
                self._emit(generation, key, (look, image))
        except CancelledError:
            pass
        except ImageError as error:
            self._emit(generation, key, str(error))
        finally:
            with state.condition:
                state.reading.discard(key)
                rests = state.resting and not state.reading
            if rests and source is not None:
                source.release()
        return True

    def _on_result(self, generation: int, subject: object, value: object) -> None:
        if generation != self._generation:
            return
        match subject, value:
            case TileKey() as key, (_Look() as look, QImage() as image):
                if (old := self._cache.pop(key, None)) is not None:
                    self._bytes -= old[1].sizeInBytes()
                self._cache[key] = (look, image)
                self._bytes += image.sizeInBytes()
                self.tile_ready.emit()
            case TileKey() as key, str() as text:
                self._unreadable.add(key)
                self.failed.emit(text)
            case "preview", (QImage() as image, QImage() as overview):
                self._raw_preview, self.overview = image, overview
                self.preview = self._tone.apply(image)
                self.preview_ready.emit()
            case "progress", float() as share:
                self.progress.emit(share)
            case "prepared", QImage() as image:
                self._raw_preview, self.preview = image, self._tone.apply(image)
                self.prepared.emit()
            case "stopped", _:
                self.stopped.emit()
            case "failed", str() as text:
                self.failed.emit(text)

    def _trim(self, limit: int) -> None:
        for key in list(self._cache):
            if self._bytes <= limit:
                return
            if key not in self._seen:
                self._bytes -= self._cache.pop(key)[1].sizeInBytes()
