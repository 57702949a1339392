"""A tile is decoded as it is stored, and the window goes on meanwhile."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PySide6.QtGui import QImage

from desktop.imaging.decoding.pixels import decode_thumbnail, decode_tile
from shared.system.paths import program_folder
from tests.desktop.imaging.pictures import rgb
from tests.pictures import encode_picture, gradient_pixels


@pytest.fixture
def threads_that_keep_the_lock() -> Iterator[None]:
    """Threads lose the interpreter's lock only where they release it themselves."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    yield
    sys.setswitchinterval(interval)


def runs_during(decode: Callable[[bytes], QImage], data: bytes) -> bool:
    """Whether this thread runs while another one decodes."""
    images: list[QImage] = []
    starts, ended = threading.Event(), False

    def work() -> None:
        nonlocal ended
        starts.set()
        # Deleting the image would release the lock too.
        images.append(decode(data))
        ended = True

    thread = threading.Thread(target=work)
    thread.start()
    starts.wait()
    is_decoding = not ended
    thread.join()
    return is_decoding


@pytest.mark.usefixtures("threads_that_keep_the_lock")
def test_a_tile_is_decoded_without_the_interpreter_lock() -> None:
    data = encode_picture(gradient_pixels(2000, 2000), "JPEG")
    assert any(runs_during(decode_tile, data) for _ in range(20))
    assert any(runs_during(decode_thumbnail, data) for _ in range(20))
    assert not runs_during(QImage.fromData, data)


@pytest.mark.parametrize("orientation", [1, 6])
def test_a_tile_is_decoded_as_it_is_stored(orientation: int) -> None:
    picture = gradient_pixels(64, 40)
    image = decode_tile(encode_picture(picture, "PNG", orientation))
    assert image.format() is QImage.Format.Format_RGB32
    assert image.pixel(3, 5) >> 24 == 255
    stored = rgb(QImage.fromData(encode_picture(picture, "PNG", orientation)).convertToFormat(image.format()))
    assert np.array_equal(rgb(image), stored)


@pytest.mark.parametrize("data", [b"", b"no picture"])
def test_other_bytes_are_not_decoded(data: bytes) -> None:
    with pytest.raises(ValueError, match="not a picture"):
        decode_tile(data)
    assert decode_thumbnail(data).isNull()


# With QImage.fromData in place of decode_thumbnail, 11 of 12 runs stood still.
_READ_WHILE_DELETING = """
import threading
from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QGuiApplication
from desktop.imaging.decoding.pixels import decode_thumbnail

application = QGuiApplication([])
ends, kept = threading.Event(), []

def read():
    while not ends.is_set():
        decode_thumbnail(b"no picture")

def delete():
    parent, timers = QObject(), [QTimer() for _ in range(100)]
    for timer in timers:
        timer.timeout.connect(QObject(parent).deleteLater)
    # Which lock an object has follows from its address, so addresses vary.
    kept.extend(timers)
    del kept[:-300]
    parent.deleteLater()

threads = [threading.Thread(target=read) for _ in range(2)]
for thread in threads:
    thread.start()
ticks = QTimer()
ticks.timeout.connect(delete)
ticks.start(0)
QTimer.singleShot(2000, application.quit)
application.exec()
ends.set()
for thread in threads:
    thread.join()
"""


def test_objects_are_deleted_while_threads_read_thumbnails() -> None:
    subprocess.run([sys.executable, "-c", _READ_WHILE_DELETING], cwd=program_folder(), check=True, timeout=60)


def test_no_thread_decodes_with_the_interpreter_lock() -> None:
    """A worker that holds it and waits for a lock of Qt stops the window, which may hold that one."""
    folder = program_folder() / "desktop"
    assert [path for path in folder.rglob("*.py") if "QImage.fromData(" in path.read_text("utf-8")] == []
