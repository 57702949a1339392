"""Sources of frames."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from desktop.camera import Camera, FrameSource, ImageSequence, SourceError, VideoFile, cameras
from desktop.camera.sources import Frame, _named_cameras
from shared.images.cv import cv2
from tests.desktop.camera.pictures import empty_frame, write
from tests.narrowing import not_none


def shade(value: int) -> Frame:
    frame = empty_frame()
    frame[:] = value
    return frame


def test_sequence_repeats_its_pictures_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "照片"
    folder.mkdir()
    write(folder / "b.png", shade(20))
    write(folder / "a.png", shade(10))
    (folder / "notes.txt").write_text("no picture")
    source = ImageSequence(folder)
    source.open()
    shades = [int(not_none(frame)[0, 0, 0]) for frame in (source.read(), source.read(), source.read())]
    assert shades == [10, 20, 10]
    assert source.name == "照片"
    source.close()
    assert source.read() is None


def test_a_picture_that_cannot_be_read_gives_no_frame(tmp_path: Path) -> None:
    bad = tmp_path / "a.jpg"
    bad.write_bytes(b"\xff\xd8 broken")
    source = ImageSequence([bad, tmp_path / "missing.jpg"])
    source.open()
    assert source.read() is None
    assert source.read() is None


@pytest.mark.parametrize("missing", [Path("nowhere"), []])
def test_an_empty_sequence_cannot_be_opened(missing: Path | list[Path]) -> None:
    with pytest.raises(SourceError):
        ImageSequence(missing).open()


def test_video_restarts_at_its_end(tmp_path: Path) -> None:
    path = tmp_path / "v.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (64, 48))
    for value in (40, 200):
        writer.write(np.full((48, 64, 3), value, dtype=np.uint8))
    writer.release()
    source = VideoFile(path)
    source.open()
    shades = [int(not_none(source.read())[24, 32, 0]) for _ in range(3)]
    assert shades == pytest.approx([40, 200, 40], abs=8)
    source.close()
    assert source.read() is None


def test_failing_driver_of_an_unplugged_camera_gives_no_frame() -> None:
    class Pulled:
        def read(self) -> tuple[bool, None]:
            raise cv2.error("Unknown C++ exception from OpenCV code")

        def release(self) -> None:
            pass

    camera = Camera(0, "Cam")
    camera._capture = Pulled()
    assert camera.read() is None
    camera.close()


@pytest.mark.parametrize("source", [Camera(63, "nothing there"), VideoFile(Path("nowhere.mp4"))])
def test_missing_source_cannot_be_opened(source: FrameSource, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SourceError):
        source.open()
    source.close()
    assert capfd.readouterr().err == ""


def test_cameras_have_the_names_of_the_system(tmp_path: Path) -> None:
    for number, index, name in ((10, 0, "USB Cam"), (0, 0, "HD Webcam: HD Webcam"), (1, 1, "HD Webcam")):
        device = tmp_path / f"video{number}"
        device.mkdir()
        (device / "index").write_text(f"{index}\n")
        (device / "name").write_text(f"{name}\n")
    (tmp_path / "video7").mkdir()
    found = _named_cameras(tmp_path)
    assert [(camera.number, camera.name) for camera in found] == [(0, "HD Webcam"), (10, "USB Cam")]


def test_no_devices_give_no_cameras(tmp_path: Path) -> None:
    assert _named_cameras(tmp_path / "none") == []


def test_a_busy_camera_does_not_hide_the_next_on_other_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    def open_second(camera: Camera) -> None:
        if camera.number != 1:
            raise SourceError("busy")

    # The package has a function with the name of the module.
    monkeypatch.setattr(import_module("desktop.camera.sources"), "_SYSTEM", "Windows")
    monkeypatch.setattr(Camera, "open", open_second)
    assert [camera.number for camera in cameras()] == [1]
