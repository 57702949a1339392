"""The live feed: bounded, cancelled cleanly, alive after unplugging."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.background import workers
from desktop.camera import CameraFeed, FeedState, Hint, SourceError
from desktop.camera import feed as feed_module
from desktop.camera.hints import FrameAnalysis
from desktop.camera.sources import Frame
from shared.images.cv import cv2
from tests.desktop.camera.pictures import empty_frame, face_frame
from tests.narrowing import not_none, reread


class ScriptedSource:
    """A source that a test plugs in and out."""

    name = "played"

    def __init__(self, frame: Frame) -> None:
        self.frame: Frame | None = frame
        self.connected = True
        self.opened = 0
        self.closed = threading.Event()

    def open(self) -> None:
        if not self.connected:
            raise SourceError(self.name)
        self.opened += 1
        self.closed.clear()

    def read(self) -> Frame | None:
        return self.frame if self.connected else None

    def close(self) -> None:
        self.closed.set()


@pytest.fixture
def feed(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[CameraFeed]:
    monkeypatch.setattr(feed_module, "_LOST_SECONDS", 0.4)
    monkeypatch.setattr(feed_module, "_RETRY_SECONDS", 0.05)
    feed = CameraFeed()
    yield feed
    feed.stop()
    assert workers.shutdown()


def test_feed_emits_frames_and_analyses(qtbot: QtBot, feed: CameraFeed) -> None:
    source = ScriptedSource(face_frame())
    images: list[QImage] = []
    looks: list[FrameAnalysis] = []
    feed.frame_ready.connect(images.append)
    feed.frame_analysed.connect(looks.append)
    feed.start(source)
    assert reread(feed.state) is FeedState.OPENING
    qtbot.waitUntil(lambda: len(images) >= 4 and len(looks) >= 2)
    assert feed.state is FeedState.LIVE
    assert (images[0].width(), images[0].height()) == (640, 480)
    pixel = images[0].pixelColor(320, 240)
    assert [pixel.blue(), pixel.green(), pixel.red()] == not_none(source.frame)[240, 320].tolist()

    assert looks[0].hint is Hint.GOOD


def test_stop_releases_the_source_and_ends_signals(qtbot: QtBot, feed: CameraFeed) -> None:
    source = ScriptedSource(face_frame())
    with qtbot.waitSignal(feed.frame_ready):
        feed.start(source)
    feed.stop()
    late: list[object] = []
    feed.frame_ready.connect(late.append)
    assert source.closed.wait(20)
    qtbot.wait(50)
    assert late == []
    assert feed.state is FeedState.IDLE
    assert feed.best() is None


def test_deleting_the_feed_releases_the_source(qtbot: QtBot, feed: CameraFeed) -> None:
    source = ScriptedSource(face_frame())
    other = CameraFeed()
    with qtbot.waitSignal(other.frame_ready):
        other.start(source)
    other.deleteLater()
    qtbot.waitUntil(source.closed.is_set)


def test_slow_analysis_does_not_lose_the_camera(qtbot: QtBot, feed: CameraFeed) -> None:
    class Slow:
        def analyse(self, _frame: Frame) -> None:
            time.sleep(feed_module._LOST_SECONDS)

    states: list[FeedState] = []
    shown: list[QImage] = []
    feed.state_changed.connect(states.append)
    feed.frame_ready.connect(shown.append)
    feed.start(ScriptedSource(face_frame()), Slow())
    qtbot.waitUntil(lambda: len(shown) >= 2)
    assert states == [FeedState.OPENING, FeedState.LIVE]


def test_unplugged_camera_is_reopened(qtbot: QtBot, feed: CameraFeed) -> None:
    source = ScriptedSource(face_frame())
    states: list[FeedState] = []
    feed.state_changed.connect(states.append)
    feed.start(source)
    qtbot.waitUntil(lambda: feed.state is FeedState.LIVE)
    source.connected = False
    qtbot.waitUntil(lambda: feed.state is FeedState.LOST)
    source.connected = True
    qtbot.waitUntil(lambda: feed.state is FeedState.LIVE)
    assert states == [FeedState.OPENING, FeedState.LIVE, FeedState.LOST, FeedState.LIVE]
    assert source.opened == 2


def test_missing_camera_is_reported_and_tried_again(qtbot: QtBot, feed: CameraFeed) -> None:
    source = ScriptedSource(empty_frame())
    source.connected = False
    feed.start(source)
    qtbot.waitUntil(lambda: feed.state is FeedState.UNAVAILABLE)
    source.connected = True
    qtbot.waitUntil(lambda: feed.state is FeedState.LIVE)


def test_best_frame_is_the_sharpest_good_one_and_is_returned_once(
    qtbot: QtBot, feed: CameraFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = [face_frame(blur=1), face_frame(), face_frame(blur=1), empty_frame()]
    source = ScriptedSource(frames[0])
    numbers = itertools.count()
    monkeypatch.setattr(source, "read", lambda: frames[next(numbers) // 3 % len(frames)])
    looks: list[FrameAnalysis] = []
    feed.frame_analysed.connect(looks.append)
    feed.start(source)
    qtbot.waitUntil(lambda: len(looks) >= 4)
    shot = feed.best(seconds=60)
    assert shot is not None
    assert np.array_equal(shot.frame, frames[1])
    decoded = not_none(cv2.imdecode(np.frombuffer(shot.jpeg(), np.uint8), cv2.IMREAD_COLOR))
    assert float(np.abs(decoded.astype(int) - shot.frame).mean()) < 3
    assert feed.best(seconds=0) is None
    assert "frame=" not in repr(shot)


def test_distant_face_gets_hint_to_come_closer(
    qtbot: QtBot, feed: CameraFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "_ANALYSE_EVERY", 1)
    source = ScriptedSource(face_frame(0.13))
    hints: list[Hint] = []
    feed.frame_analysed.connect(lambda look: hints.append(look.hint))
    feed.start(source)
    qtbot.waitUntil(lambda: len(hints) >= 6)
    # Also between two looks into the distance.
    assert hints == [Hint.CLOSER] * len(hints)
    source.frame = face_frame()
    qtbot.waitUntil(lambda: hints[-1] is Hint.GOOD)
    source.frame = empty_frame()
    qtbot.waitUntil(lambda: hints[-1] is Hint.NO_FACE)


def test_frames_without_a_face_give_no_best_frame(qtbot: QtBot, feed: CameraFeed) -> None:
    with qtbot.waitSignal(feed.frame_analysed) as looked:
        feed.start(ScriptedSource(empty_frame()))
    assert looked.args[0].hint is Hint.NO_FACE
    assert feed.best(seconds=60) is None


def test_slow_window_gets_fewer_frames_without_delay(
    qtbot: QtBot, feed: CameraFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = ScriptedSource(empty_frame())
    feed.start(source)
    qtbot.waitUntil(lambda: feed.state is FeedState.LIVE)
    count: list[int] = []
    feed.frame_ready.connect(lambda _: count.append(1))
    reads = 0

    def read_and_count() -> Frame | None:
        nonlocal reads
        reads += 1
        return source.frame

    monkeypatch.setattr(source, "read", read_and_count)
    # The event loop stands still while the camera goes on.
    while reads < 8:
        threading.Event().wait(0.01)
    qtbot.wait(1)
    assert len(count) <= 2
