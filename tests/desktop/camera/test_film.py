"""Frames for the answer to a challenge: at even times, small enough, not mirrored."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from desktop.background import workers
from desktop.camera import CameraFeed, Film, FilmedFrame, feed, is_choppy
from desktop.camera.sources import Frame
from service.face.engines.dlib_engine import DlibEngine
from service.face.engines.sequence import judge
from service.face.liveness.movements import Reason
from shared.images.cv import cv2
from shared.limits import MAX_FRAME_LENGTH, MAX_FRAMES
from tests.desktop.camera.pictures import empty_frame, face_frame
from tests.material import heads
from tests.material.heads import Pixels, Pose
from tests.service.face.liveness import films


def record_film(length_ms: int, every_ms: float, frame: Frame) -> Film:
    film = Film(length_ms)
    at = 100.0
    while not film.is_complete:
        film.add(frame, at)
        at += every_ms / 1000
    return film


def decoded_picture(frame: FilmedFrame) -> Frame:
    return np.asarray(cv2.imdecode(np.frombuffer(frame.picture, np.uint8), cv2.IMREAD_COLOR), np.uint8)


@pytest.mark.parametrize("every_ms", [1000 / 30, 1000 / 15, 1000 / 12, 1000 / 60])
def test_film_has_about_twelve_frames_a_second(every_ms: float) -> None:
    frames = record_film(4000, every_ms, empty_frame()).frames()
    assert 45 <= len(frames) <= 52
    assert not is_choppy(frames)
    assert frames[0].at_ms == 0
    assert frames[-1].at_ms >= 3900
    assert sorted({frame.at_ms for frame in frames}) == [frame.at_ms for frame in frames]


def test_a_slow_camera_is_choppy() -> None:
    assert is_choppy(record_film(2500, 400, empty_frame()).frames())
    assert is_choppy([FilmedFrame(0, b"")])


def test_film_has_at_most_the_frames_that_the_service_accepts() -> None:
    assert len(record_film(20_000, 80, empty_frame()).frames()) == MAX_FRAMES


def test_a_frame_of_noise_is_small_enough_and_large_ones_are_reduced() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (1080, 1920, 3), np.uint8)
    film = Film(100)
    film.add(noise, 5.0)
    (frame,) = film.frames()
    assert len(frame.picture) * 4 / 3 <= MAX_FRAME_LENGTH
    decoded = decoded_picture(frame)
    assert decoded.shape == (360, 640, 3)


def test_a_frame_is_not_mirrored() -> None:
    frame = np.zeros((480, 640, 3), np.uint8)
    frame[:, :320] = 255
    film = Film(100)
    film.add(frame, 5.0)
    decoded = decoded_picture(film.frames()[0])
    assert decoded[:, 10].mean() > 250
    assert decoded[:, 630].mean() < 5


class GatedSource:
    """A source whose frames come one at a time as a test lets them."""

    name = "Wall"

    def __init__(self) -> None:
        self.frame = face_frame()
        self.closed = threading.Event()

    def open(self) -> None:
        pass

    def read(self) -> Frame | None:
        return self.frame

    def close(self) -> None:
        self.closed.set()


def test_feed_reports_start_and_end_of_a_film(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "FRAMES_PER_SECOND", 200)
    camera, source = CameraFeed(), GatedSource()
    began: list[Film] = []
    ended: list[Film] = []
    camera.film_started.connect(began.append)
    camera.film_ready.connect(ended.append)
    with qtbot.waitSignal(camera.frame_ready):
        camera.start(source)
    dropped = camera.film(60_000)
    qtbot.waitUntil(lambda: began == [dropped])
    film = camera.film(200)
    qtbot.waitUntil(lambda: ended == [film])
    assert film.is_complete
    assert film.frames()[0].at_ms == 0
    assert dropped not in ended
    # Faces are looked for again afterwards.
    with qtbot.waitSignal(camera.frame_analysed):
        pass
    camera.stop()
    qtbot.waitUntil(source.closed.is_set)
    assert workers.shutdown()


@pytest.mark.parametrize(("draw", "live"), [(films.draw_head, True), (films.draw_flat_picture, False)])
def test_the_service_judges_films_of_the_desktop(draw: Callable[[Pose, int], Pixels], live: bool) -> None:
    film = Film(1300)
    # A camera of 15 frames a second.
    times = [number * 1000 / 15 for number in range(20)]
    for number, (at, pose) in enumerate(
        zip(times, heads.interpolate_poses(films.TO_THE_LEFT, times), strict=True)
    ):
        film.add(draw(pose, number), 7.0 + at / 1000)
    sent = film.frames()
    frames = [decoded_picture(each) for each in sent]
    seen = judge(DlibEngine(), frames, [float(each.at_ms) for each in sent], [films.STEP])
    assert (seen.reason is Reason.LIVE) is live
