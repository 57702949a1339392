"""Virtual cameras are recognised by name, by where the system has them, and files are no cameras."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.camera import Camera, ImageSequence, VideoFile, is_virtual
from desktop.camera.sources import _named_cameras, is_virtual_name


@pytest.mark.parametrize(
    "name",
    [
        "OBS Virtual Camera",
        "OBS-Camera",
        "v4l2loopback device",
        "Dummy video device (0x0000)",
        "ManyCam Virtual Webcam",
        "Snap Camera",
        "XSplit VCam",
        "e2eSoft VCam",
        "mmhmm Camera",
        "NVIDIA Broadcast",
        "AkVCam",
    ],
)
def test_known_programs_are_virtual(name: str) -> None:
    assert is_virtual(Camera(0, name))


@pytest.mark.parametrize(
    "name",
    [
        "Integrated Camera",
        "HD Pro Webcam C920",
        "Logitech BRIO",
        "FaceTime HD Camera",
        "Camera 1",
        "USB2.0 HD UVC",
    ],
)
def test_devices_are_not_virtual(name: str) -> None:
    assert not is_virtual_name(name)
    assert not is_virtual(Camera(0, name))


def test_files_count_as_virtual(tmp_path: Path) -> None:
    assert is_virtual(ImageSequence(tmp_path))
    assert is_virtual(VideoFile(tmp_path / "film.avi"))


def test_driver_without_a_device_is_virtual(tmp_path: Path) -> None:
    devices = tmp_path / "class"
    devices.mkdir()
    for number, place in enumerate(("pci0000:00/usb1/video4linux", "virtual/video4linux")):
        real = tmp_path / "devices" / place / f"video{number}"
        real.mkdir(parents=True)
        (real / "index").write_text("0\n")
        (real / "name").write_text("HD Webcam\n")
        (devices / f"video{number}").symlink_to(real)
    assert [is_virtual(camera) for camera in _named_cameras(devices)] == [False, True]
