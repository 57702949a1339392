"""Reading in the background: what is wanted arrives, what is not wanted any more is left."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import shiboken6
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from desktop.background.threads import running_threads
from desktop.imaging import CancelledError, ImageError, Level, TileLoader, loader, open_image
from desktop.imaging.decoding import decoder
from desktop.imaging.decoding.pixels import Tone
from desktop.imaging.loader import TileKey
from shared.record.geometry import Rect
from tests.pictures import encode_picture, gradient_pixels


def grey(value: int, side: int = 8) -> QImage:
    image = QImage(side, side, QImage.Format.Format_RGB32)
    image.fill(0xFF000000 | value * 0x010101)
    return image


class Picture:
    """An ImageSource that records what was asked of it and waits on request."""

    name = "p"
    readers = 2

    def __init__(self, fail: str = "", side: int = 8) -> None:
        # Larger than what is decoded before there is a preview.
        self.size = (8192, 8192)
        self.levels: tuple[Level, ...] = ()
        self.go_on = threading.Event()
        self.go_on.set()
        self.read: list[tuple[int, int, int]] = []
        self.cancelled = False
        self.released_after: list[tuple[int, int, int]] | None = None
        self.fail = fail
        self.side = side

    def preview(self) -> QImage:
        if self.fail == "preview":
            raise ImageError("no picture")
        return grey(100)

    def prepare(self, progress: Callable[[float], bool]) -> None:
        for step in range(1000):
            if not progress(step / 1000):
                raise CancelledError
            if self.go_on.wait(0.005):
                break
        self.levels = (Level(1024, 1024, 1), Level(512, 512, 2))

    def tile(self, level: int, column: int, row: int) -> QImage:
        self.go_on.wait(2)
        self.read.append((level, column, row))
        if self.fail == "tile":
            raise ImageError("no tile")
        return grey(10 * column + row, self.side)

    def crop(self, rect: Rect) -> QImage:
        raise AssertionError("not asked for here")

    def release(self) -> None:
        self.released_after = list(self.read)

    def cancel(self) -> None:
        self.cancelled = True
        self.go_on.set()


@pytest.fixture
def tiles(qapp: object) -> Iterator[TileLoader]:
    loader = TileLoader()
    yield loader
    loader.shutdown()


def test_preview_then_tiles(tiles: TileLoader, qtbot: QtBot) -> None:
    picture = Picture()
    with qtbot.waitSignals([tiles.preview_ready, tiles.prepared], order="strict"):
        tiles.open(picture)
    assert tiles.preview is not None
    keys = [TileKey(0, 1, 0), TileKey(0, 0, 1)]
    assert tiles.tile(keys[0]) is None
    tiles.request(keys)
    qtbot.waitUntil(lambda: all(tiles.tile(key) is not None for key in keys))
    image = tiles.tile(keys[0])
    assert image is not None
    assert image.pixelColor(0, 0).red() == 10
    tiles.request(keys)
    assert sorted(picture.read) == [(0, 0, 1), (0, 1, 0)]


def test_closed_picture_is_released(tiles: TileLoader, qtbot: QtBot) -> None:
    picture = Picture()
    reference = weakref.ref(picture)
    with qtbot.waitSignal(tiles.prepared):
        tiles.open(picture)
    # Each of the threads reads one, and then waits for the next.
    keys = [TileKey(0, column, 0) for column in range(2)]
    tiles.request(keys)
    qtbot.waitUntil(lambda: all(tiles.tile(key) is not None for key in keys))
    tiles.open(None)
    del picture
    qtbot.waitUntil(lambda: reference() is None)


def test_preview_is_reduced_when_tiles_are_readable(tiles: TileLoader, qtbot: QtBot) -> None:
    source = open_image(encode_picture(gradient_pixels(2000, 1000)))
    sizes: list[int] = []
    tiles.preview_ready.connect(lambda: sizes.append(tiles.preview.width() if tiles.preview else 0))
    with qtbot.waitSignal(tiles.prepared):
        tiles.open(source)
    assert sizes == [2000]
    assert tiles.preview is not None
    assert (tiles.preview.width(), tiles.preview.height()) == (1024, 512)


def test_a_picture_in_memory_is_decoded_once(
    tiles: TileLoader, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded: list[tuple[int, int]] = []
    evaluate = decoder.evaluate

    def count(image: Any, cancellation: decoder.Cancellation) -> Any:
        decoded.append((image.width, image.height))
        return evaluate(image, cancellation)

    monkeypatch.setattr(decoder, "evaluate", count)
    with qtbot.waitSignals([tiles.preview_ready, tiles.prepared], order="strict"):
        tiles.open(open_image(encode_picture(gradient_pixels(3000, 1200), "JPEG")))
    tiles.request([TileKey(0, 1, 0)])
    qtbot.waitUntil(lambda: tiles.tile(TileKey(0, 1, 0)) is not None, timeout=60_000)
    assert decoded == [(3000, 1200)]


def test_tiles_that_are_no_longer_requested_are_not_read(tiles: TileLoader, qtbot: QtBot) -> None:
    picture = Picture()
    with qtbot.waitSignal(tiles.prepared):
        tiles.open(picture)
    picture.go_on.clear()
    tiles.request([TileKey(0, column, 0) for column in range(8)])
    tiles.request([TileKey(1, 0, 0)])
    picture.go_on.set()
    qtbot.waitUntil(lambda: tiles.tile(TileKey(1, 0, 0)) is not None)
    assert len(picture.read) <= 3


def test_another_picture_cancels_the_first(tiles: TileLoader, qtbot: QtBot) -> None:
    first, second = Picture(), Picture()
    first.go_on.clear()
    with qtbot.waitSignal(tiles.preview_ready):
        tiles.open(first)
    with qtbot.waitSignal(tiles.prepared):
        tiles.open(second)
    assert first.cancelled
    tiles.open(None)
    assert tiles.preview is None


def test_preparing_reports_progress_and_can_be_stopped(tiles: TileLoader, qtbot: QtBot) -> None:
    picture = Picture()
    picture.go_on.clear()
    with qtbot.waitSignal(tiles.progress):
        tiles.open(picture)
    with qtbot.waitSignal(tiles.stopped):
        tiles.stop_preparing()
    assert tiles.preview is not None
    assert not picture.cancelled


@pytest.mark.parametrize(("fail", "text"), [("preview", "no picture"), ("tile", "no tile")])
def test_failure_is_reported_once(tiles: TileLoader, qtbot: QtBot, fail: str, text: str) -> None:
    picture = Picture(fail)
    messages: list[str] = []
    tiles.failed.connect(messages.append)
    tiles.open(picture)
    if fail == "tile":
        qtbot.waitUntil(lambda: bool(picture.levels))
        tiles.request([TileKey(0, 0, 0)])
    qtbot.waitUntil(lambda: bool(messages))
    tiles.request([TileKey(0, 0, 0)])
    assert messages == [text]
    assert len(picture.read) == (1 if fail == "tile" else 0)


def test_cache_is_bounded_but_keeps_visible_tiles(
    tiles: TileLoader, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loader, "CACHE_BYTES", 4 * 8 * 8 * 4)
    with qtbot.waitSignal(tiles.prepared):
        tiles.open(Picture())
    keys = [TileKey(0, column, 0) for column in range(6)]
    tiles.request(keys)
    qtbot.waitUntil(lambda: all(tiles.tile(key) is not None for key in keys))
    tiles.request(keys)
    assert all(tiles.tile(key) is not None for key in keys)
    tiles.request(keys[:1])
    assert sum(tiles.tile(key) is not None for key in keys) == 4
    assert tiles.tile(keys[0]) is not None


def test_hidden_view_releases_what_it_would_not_show(tiles: TileLoader, qtbot: QtBot) -> None:
    with qtbot.waitSignal(tiles.prepared):
        tiles.open(Picture())
    keys = [TileKey(0, column, 0) for column in range(3)]
    tiles.request(keys)
    qtbot.waitUntil(lambda: all(tiles.tile(key) is not None for key in keys), timeout=60_000)
    tiles.request(keys[:1])
    tiles.release_unseen()
    assert [tiles.tile(key) is not None for key in keys] == [True, False, False]


def test_pixels_are_released_when_the_last_tile_is_read(tiles: TileLoader, qtbot: QtBot) -> None:
    picture = Picture()
    with qtbot.waitSignal(tiles.prepared):
        tiles.open(picture)
    picture.go_on.clear()
    keys = [TileKey(0, column, 0) for column in range(5)]
    tiles.request(keys)
    qtbot.waitUntil(lambda: len(tiles._state.reading) == picture.readers)
    tiles.release_pixels()
    assert picture.released_after is None
    picture.go_on.set()
    qtbot.waitUntil(lambda: picture.released_after is not None)
    assert sorted(picture.released_after or ()) == keys[: picture.readers]
    assert sorted(picture.read) == keys[: picture.readers]
    tiles.request(keys[2:3])
    qtbot.waitUntil(lambda: tiles.tile(keys[2]) is not None)


def test_pixels_are_released_soon_but_not_those_of_the_next_picture(tiles: TileLoader, qtbot: QtBot) -> None:
    first, second, third = Picture(), Picture(), Picture()
    with qtbot.waitSignal(tiles.prepared):
        tiles.open(first)
    tiles.release_pixels()
    assert first.released_after is None
    qtbot.waitUntil(lambda: first.released_after is not None)
    with qtbot.waitSignal(tiles.prepared):
        tiles.open(second)
    tiles.release_pixels()
    tiles.open(third)
    reference = weakref.ref(second)
    del second
    qtbot.waitUntil(lambda: reference() is None)
    assert third.released_after is None


def test_tone_is_applied_to_preview_and_tiles(tiles: TileLoader, qtbot: QtBot) -> None:
    with qtbot.waitSignal(tiles.prepared):
        tiles.open(Picture())
    key = TileKey(0, 5, 0)
    for tone, expected in ((Tone(brightness=50), 114), (Tone(), 50), (Tone(contrast=-100), 128)):
        tiles.set_tone(tone)

        def is_tile_shown(expected: int = expected) -> bool:
            tiles.request([key])
            image = tiles.tile(key)
            return image is not None and abs(image.pixelColor(0, 0).red() - expected) <= 1

        qtbot.waitUntil(is_tile_shown)
    assert tiles.preview is not None
    assert abs(tiles.preview.pixelColor(0, 0).red() - 128) <= 1


def test_deleted_loader_ends_its_threads(qapp: object, qtbot: QtBot) -> None:
    loader = TileLoader()
    with qtbot.waitSignal(loader.prepared):
        loader.open(Picture())
    shiboken6.delete(loader)
    qtbot.waitUntil(lambda: not running_threads())
