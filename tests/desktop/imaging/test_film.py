"""Tests that frames of films become photos that name their film."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest
import pyvips
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from desktop.background.workers import run
from desktop.imaging import film as film_module
from desktop.imaging.decoding.errors import ImageError
from desktop.imaging.film import Film, clock, read_strip, strip_numbers
from shared.images.camera_data import read_camera_data
from shared.images.cv import cv2
from shared.wire.files import FilmFrame
from tests.films import make_film

_SOON = 60_000


@pytest.mark.parametrize("suffix", [".avi", ".mp4", ".mov"])
def test_frames_are_read_in_any_order(tmp_path: Path, suffix: str) -> None:
    film = Film(make_film(tmp_path / f"孔探{suffix}"))
    assert (film.count, film.fps) == (40, 10)
    for number in (30, 0, 31, 7, 39):
        image = film.frame(number, 100)
        assert (image.width(), image.height()) == (100, 75)
        assert abs(image.pixelColor(50, 40).red() - 40 - 4 * number) <= 3
    film.close()
    film.close()


def test_the_frame_that_was_shown_is_taken_at_its_own_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    film = Film(make_film(tmp_path / "x.mp4"))
    read = film._get
    # A film that leaves frames out: the times are not those of an even rate.
    monkeypatch.setattr(film, "_get", lambda name: 12_340.0 if name == cv2.CAP_PROP_POS_MSEC else read(name))
    assert film.seconds(25) == 2.5
    shown = film.frame(25, 320)
    assert film.seconds(25) == 12.34
    assert film.seconds(26) == 2.6
    # The place in the file is another one now.
    monkeypatch.setattr(film_module, "read_frame", lambda _capture: pytest.fail("it is read again"))
    taken = film.take(25)
    film.close()
    assert taken.name == "x.mp4 00-12.340.jpg"
    assert isinstance(taken.source, bytes)
    again = QImage.fromData(taken.source).pixelColor(50, 40)
    assert abs(again.red() - shown.pixelColor(50, 40).red()) <= 3


@pytest.mark.parametrize("name", ["engine 1.avi", "孔探 & <2>, SHA-256 '3'.avi"])
def test_a_taken_frame_names_film_time_and_hash(tmp_path: Path, name: str) -> None:
    path = make_film(tmp_path / name)
    film = Film(path)
    taken = film.take(25)
    film.close()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert taken.name == f"{name} 00-02.500.jpg"
    assert isinstance(taken.source, bytes)
    frame = read_camera_data(pyvips.Image.jpegload_buffer(taken.source)).frame
    assert frame == FilmFrame(film=name, sha256=digest, number=25, at="00:02.500")
    assert QImage.fromData(taken.source).width() == 320


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"#EXTM3U\nfile:///etc/passwd\n",
        b"\x00" * 40,
        b"RIFF\x10\0\0\0AVI LIST",
        b"\0\0\0\x18ftypisom" * 9,
    ],
)
def test_an_odd_file_is_refused_with_a_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.mp4"
    path.write_bytes(content)
    with pytest.raises(ImageError, match=r"x\.mp4"):
        Film(path)


def test_a_cut_film_ends_with_a_sentence(tmp_path: Path) -> None:
    path = make_film(tmp_path / "x.avi")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(ImageError):
        _last_frame(path)


def _last_frame(path: Path) -> QImage:
    return Film(path).frame(39, 100)


def test_the_packaged_program_never_calls_ffmpeg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    avi, mp4 = make_film(tmp_path / "a.avi"), make_film(tmp_path / "a.mp4")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(ImageError, match="Motion JPEG"):
        Film(mp4)
    film = Film(avi)
    assert film._capture.getBackendName() == "CV_MJPEG"
    film.close()


def test_a_strip_shows_the_whole_film(qtbot: QtBot, tmp_path: Path) -> None:
    path = make_film(tmp_path / "a.avi")
    frames: list[tuple[int, float, QImage]] = []
    ended: list[None] = []
    run(read_strip, path, 8, 60, owner=None, progress=frames.append, done=ended.append)
    qtbot.waitUntil(lambda: bool(ended), timeout=_SOON)
    assert [number for number, _, _ in frames] == [0, 5, 10, 15, 20, 25, 30, 35]
    assert [seconds for _, seconds, _ in frames] == [number / 10 for number, _, _ in frames]
    assert all(abs(image.pixelColor(9, 9).red() - 40 - 4 * number) <= 3 for number, _, image in frames)


def test_a_short_film_has_a_short_strip() -> None:
    assert strip_numbers(3, 20) == [0, 1, 2]
    assert strip_numbers(7, 3) == [0, 2, 4]


def test_times_are_read_by_people() -> None:
    assert [clock(seconds) for seconds in (0, 59.9996, 3723.48)] == ["00:00.000", "01:00.000", "01:02:03.480"]
