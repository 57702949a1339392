"""Large pictures of a service far away, against a real service process."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips
from PIL import Image
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.client.http.errors import Conflict, NotFound, ServerFault, Unreachable, Unsupported
from desktop.imaging import CancelledError, ImageError, TileLoader
from desktop.imaging.loader import TileKey
from desktop.imaging.sources import remote
from desktop.imaging.sources.local import TiledImage
from desktop.imaging.sources.remote import RemoteImage, TileCache, choose_source
from shared.images.tiles import TILE, level_sizes
from shared.record.content import cid
from shared.record.geometry import Rect
from shared.wire.files import StoredFile, TileLevel, Tiles, TilesState
from tests.client_session import open_session
from tests.desktop.imaging.pictures import rgb
from tests.narrowing import reread
from tests.service_process import service_process

SIZE = (6000, 5000)
DIGEST = "0" * 64


@pytest.fixture(scope="module")
def original() -> bytes:
    """A JPEG of 30 MP that is stored lying on its side (EXIF orientation 6)."""
    wide = pyvips.Image.grey(*SIZE).linear(200, 20)
    down = pyvips.Image.grey(SIZE[1], SIZE[0]).rot90().linear(200, 20)
    waves = pyvips.Image.sines(*SIZE, hfreq=40, vfreq=30).linear(60, 128)
    image = wide.bandjoin([down, waves]).cast("uchar").copy(interpretation="srgb").rot270().copy()
    image.set_type(pyvips.GValue.gint_type, "orientation", 6)
    data: bytes = image.jpegsave_buffer(Q=90)
    return data


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with service_process(tmp_path_factory.mktemp("data")) as address:
        yield address


@pytest.fixture(scope="module")
def session(url: str) -> Iterator[Session]:
    with open_session(url) as session:
        yield session


@pytest.fixture(scope="module")
def stored_file(session: Session, original: bytes) -> StoredFile:
    return session.files.upload(original, "翼.jpg")


def remote_image(files: remote.Files, cache: Path, file: StoredFile | None = None) -> RemoteImage:
    if file is None:
        return RemoteImage(files, "f", DIGEST, (1300, 700), "翼", TileCache(cache))
    assert file.width is not None
    assert file.height is not None
    size = file.width, file.height
    return RemoteImage(files, file.file_id, file.sha256, size, file.filename, TileCache(cache))


@pytest.fixture
def image(session: Session, stored_file: StoredFile, tmp_path: Path) -> Iterator[RemoteImage]:
    image = remote_image(session.files, tmp_path / "tiles", stored_file)
    yield image
    image.cancel()


def upright(original: bytes) -> np.ndarray:
    pixels = pyvips.Image.new_from_buffer(original, "").autorot()
    return np.frombuffer(pixels.write_to_memory(), np.uint8).reshape(SIZE[1], SIZE[0], 3)


def record_progress(steps: list[float]) -> Callable[[float], bool]:
    """Notes in `steps` how far it is, and goes on."""

    def progress(done: float) -> bool:
        steps.append(done)
        return True

    return progress


def test_remote_picture_equals_the_original(image: RemoteImage, original: bytes) -> None:
    steps: list[float] = []
    assert image.size == SIZE
    preview = image.preview()
    assert max(preview.width(), preview.height()) == remote.PREVIEW
    assert reread(image.levels) == ()
    image.prepare(record_progress(steps))
    assert steps == sorted(steps)
    assert [(level.width, level.height) for level in image.levels] == level_sizes(*SIZE)
    pixels = upright(original)
    for column, row in ((0, 0), (11, 9), (5, 4)):
        x, y = column * TILE, row * TILE
        wanted = pixels[y : y + TILE, x : x + TILE].astype(int)
        got = rgb(image.tile(0, column, row))
        assert got.shape == wanted.shape
        assert np.abs(got - wanted).mean() < 4
    coarsest = len(image.levels) - 1
    assert image.tile(coarsest, 0, 0).width() == image.levels[coarsest].width


def test_a_crop_is_the_original_px_for_px(
    image: RemoteImage, original: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    pixels = upright(original)
    assert np.array_equal(rgb(image.crop(Rect(2000.5, 1000, 99, 50))), pixels[1000:1050, 2000:2100])
    monkeypatch.setattr(remote, "MAX_CROP_PIXELS", 100 * 20)
    assert np.array_equal(rgb(image.crop(Rect(5900, 4950, 200, 90))), pixels[4950:, 5900:])
    with pytest.raises(ValueError):
        image.crop(Rect(6000, 0, 10, 10))


def test_cached_tiles_need_no_service(
    image: RemoteImage, session: Session, stored_file: StoredFile, tmp_path: Path
) -> None:
    image.preview()
    image.prepare(lambda _: True)
    pixels = rgb(image.tile(1, 1, 1))
    away = remote_image(UnreachableService(), tmp_path / "tiles", stored_file)
    assert away.preview().width() == remote.PREVIEW
    assert np.array_equal(rgb(away.tile(1, 1, 1)), pixels)
    away.cancel()


def test_loader_reads_a_remote_picture(image: RemoteImage, qtbot: QtBot) -> None:
    loader = TileLoader()
    with qtbot.waitSignal(loader.prepared):
        loader.open(image)
    assert loader.preview is not None
    wanted = [TileKey(2, column, row) for column in range(2) for row in range(2)]
    loader.request(wanted)
    qtbot.waitUntil(lambda: all(loader.tile(key) is not None for key in wanted))
    loader.shutdown()


def test_reading_continues_after_a_service_outage(url: str, tmp_path: Path) -> None:
    with open_session(url) as session:
        session._transport._patience = 0.1
        file = session.files.upload(jpeg(1300, 700), "a.jpg")
        image = remote_image(session.files, tmp_path / "tiles", file)
        image.prepare(lambda _: True)
        session.rebase("http://127.0.0.1:9")
        got: list[QImage] = []
        reader = threading.Thread(target=lambda: got.append(image.tile(0, 2, 1)))
        reader.start()
        reader.join(0.4)
        assert reader.is_alive()
        session.rebase(url)
        reader.join(60)
        assert got[0].size().toTuple() == (1300 - 2 * TILE, 700 - TILE)
        image.cancel()


# Without a service


def jpeg(width: int = 8, height: int = 8) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height)).save(out, "JPEG")
    return out.getvalue()


class UnreachableService:
    """A service that is not there: it counts who asked."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error or Unreachable()
        self.calls = 0

    def _fail(self) -> None:
        self.calls += 1
        raise self.error

    def thumbnail(self, file_id: str, size: int = 256) -> bytes:
        self._fail()
        return b""

    def tiles(self, file_id: str) -> Tiles:
        self._fail()
        raise AssertionError

    def tile(self, file_id: str, level: int, column: int, row: int) -> bytes:
        self._fail()
        return b""

    def crop(self, file_id: str, x: int, y: int, w: int, h: int) -> bytes:
        self._fail()
        return b""


class FlakyService(UnreachableService):
    """A service that fails a given number of times, then answers."""

    def __init__(self, failures: list[Exception], tile_px: int = TILE) -> None:
        super().__init__()
        self.failures = failures
        self.tile_px = tile_px
        self.percents = [10, 60]

    def _fail(self) -> None:
        self.calls += 1
        if self.failures:
            raise self.failures.pop(0)

    def tiles(self, file_id: str) -> Tiles:
        self._fail()
        percent = self.percents.pop(0) if self.percents else 100
        state = TilesState.BUILDING if percent < 100 else TilesState.READY
        levels = [TileLevel(width=w, height=h) for w, h in level_sizes(1300, 700)]
        return Tiles(
            width=1300, height=700, tile_px=self.tile_px, levels=levels, state=state, percent=percent
        )

    def tile(self, file_id: str, level: int, column: int, row: int) -> bytes:
        self._fail()
        return jpeg()


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "_PAUSE_SECONDS", 0.01)


def test_progress_never_decreases_and_levels_arrive_last(tmp_path: Path) -> None:
    files = FlakyService([])
    files.percents = [10, 60, 30]
    image = remote_image(files, tmp_path)
    steps: list[float] = []
    image.prepare(record_progress(steps))
    assert steps == sorted(steps)
    assert 0.6 in steps
    assert len(image.levels) == 3
    image.cancel()


def test_temporary_errors_are_retried(tmp_path: Path) -> None:
    files = FlakyService([Unreachable(), Conflict(), ServerFault(code="unavailable")])
    image = remote_image(files, tmp_path)
    assert image.tile(0, 0, 0).width() == 8
    assert files.calls == 4
    image.cancel()


@pytest.mark.parametrize(
    "error", [NotFound(), Unsupported(), ServerFault(), ServerFault("磁盘空间不足", code="unavailable")]
)
def test_permanent_errors_are_reported(tmp_path: Path, error: Exception) -> None:
    files = UnreachableService(error)
    image = remote_image(files, tmp_path)
    for work in (image.preview, lambda: image.tile(0, 0, 0), lambda: image.prepare(lambda _: True)):
        with pytest.raises(ImageError, match="翼"):
            work()
    assert files.calls == 3
    image.cancel()


def test_preview_and_crops_are_not_retried(tmp_path: Path) -> None:
    image = remote_image(UnreachableService(), tmp_path)
    for work in (image.preview, lambda: image.crop(Rect(0, 0, 5, 5))):
        with pytest.raises(ImageError):
            work()
    image.cancel()


def test_tiles_of_another_size_are_refused(tmp_path: Path) -> None:
    image = remote_image(FlakyService([], tile_px=256), tmp_path)
    with pytest.raises(ImageError):
        image.prepare(lambda _: True)
    image.cancel()


def test_preparing_stops_on_request(tmp_path: Path) -> None:
    image = remote_image(UnreachableService(), tmp_path)
    going = iter([True, True, True])
    with pytest.raises(CancelledError):
        image.prepare(lambda _: next(going, False))
    image.cancel()


def test_cancel_ends_a_call_that_hangs(tmp_path: Path) -> None:
    has_begun, go_on = threading.Event(), threading.Event()

    class Hanging(UnreachableService):
        def tile(self, file_id: str, level: int, column: int, row: int) -> bytes:
            has_begun.set()
            go_on.wait(60)
            return jpeg()

    image = remote_image(Hanging(), tmp_path)
    ended: list[type[Exception]] = []

    def read() -> None:
        try:
            image.tile(0, 0, 0)
        except CancelledError:
            ended.append(CancelledError)

    reader = threading.Thread(target=read)
    reader.start()
    assert has_begun.wait(20)
    image.cancel()
    reader.join(20)
    assert ended == [CancelledError]
    go_on.set()
    with pytest.raises(CancelledError):
        image.tile(0, 0, 0)
    image.cancel()


def test_damaged_cached_tile_is_fetched_again(tmp_path: Path) -> None:
    files = FlakyService([])
    image = remote_image(files, tmp_path)
    image.tile(0, 0, 0)
    (tile,) = tmp_path.rglob("0-0-0.jpg")
    tile.write_bytes(b"damaged")
    assert image.tile(0, 0, 0).width() == 8
    assert files.calls == 2
    image.tile(0, 0, 0)
    assert files.calls == 2
    image.cancel()


def test_read_only_cache_folder_prevents_only_caching(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    files = FlakyService([])
    image = remote_image(files, blocked)
    for calls in (1, 2):
        assert image.tile(0, 0, 0).width() == 8
        assert files.calls == calls
    image.cancel()


def test_longest_unused_picture_is_removed_from_the_cache(tmp_path: Path) -> None:
    cache = TileCache(tmp_path, limit=2500)
    for number in range(3):
        cache.open(str(number))
        cache.store(str(number), "a.jpg", bytes(1000))
        time.sleep(0.01)
    cache.open("2")
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"1-{TILE}", f"2-{TILE}"]


@pytest.mark.parametrize(
    ("address", "width", "content", "far"),
    [
        ("https://walkaround.example", 6000, cid(DIGEST), True),
        ("http://127.0.0.1:8177", 6000, cid(DIGEST), False),
        ("https://walkaround.example", 5000, cid(DIGEST), False),
        ("https://walkaround.example", None, cid(DIGEST), False),
        ("https://walkaround.example", 6000, None, False),
    ],
)
def test_only_a_large_remote_picture_is_read_by_tiles(
    tmp_path: Path,
    original: bytes,
    make_stored_file: Callable[..., StoredFile],
    address: str,
    width: int | None,
    content: str | None,
    far: bool,
) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(original)
    session = Session(address)
    source = choose_source(session, make_stored_file(width, content), "翼", lambda: path)
    assert isinstance(source, RemoteImage if far else TiledImage)
    assert source.name == "翼"
    source.cancel()
    session.close()


@pytest.fixture
def make_stored_file() -> Callable[..., StoredFile]:
    def make(width: int | None, content: str | None) -> StoredFile:
        fields: dict[str, Any] = {"file_id": "f", "ipfs_cid": content, "width": width, "height": 5000}
        return StoredFile.model_construct(**fields)

    return make
