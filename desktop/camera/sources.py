"""Reads frames from cameras, a video file or pictures. Blocking: use it off the GUI thread."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from shared.images.cv import cv2
from shared.images.formats import is_picture_name

Frame = npt.NDArray[np.uint8]
"""A picture of shape height x width x 3, uint8, in the order blue, green, red."""

WIDTH, HEIGHT = 640, 480
"""The requested frame size (px): enough for a face, and small enough to analyse every frame."""

PHOTO_SIZE = 1920, 1080
"""The requested frame size (px) for photos of parts."""

_SYSTEM = platform.system()
_MAX_CAMERAS = 4
_V4L = Path("/sys/class/video4linux")
_BACKENDS = {"Linux": cv2.CAP_V4L2, "Windows": cv2.CAP_DSHOW, "Darwin": cv2.CAP_AVFOUNDATION}

# The page reports a busy or missing camera. OpenCV would repeat it on stderr.
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


class SourceError(Exception):
    """The source cannot be opened: it is missing or used by another program."""


class FrameSource(Protocol):
    """A source of frames. It is used by one thread between `open` and `close`."""

    @property
    def name(self) -> str:
        """The name for the user."""

    def open(self) -> None:
        """Open the source. Raises SourceError."""

    def read(self) -> Frame | None:
        """Read the next frame; None when there is none."""

    def close(self) -> None:
        """Release the source. May be called twice."""


class _CaptureSource:
    """The common part of cameras and video files, based on OpenCV's VideoCapture."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._capture: Any = None

    @property
    def name(self) -> str:
        return self._name

    def _use_capture(self, capture: Any) -> None:
        if not capture.isOpened():
            capture.release()
            raise SourceError(self._name)
        self._capture = capture

    def read(self) -> Frame | None:
        if self._capture is None:
            return None
        try:
            good, frame = self._capture.read()
        except cv2.error:
            # Some drivers raise this when the camera is unplugged.
            return None
        return frame if good and frame is not None and frame.ndim == 3 else None

    def close(self) -> None:
        capture, self._capture = self._capture, None
        if capture is not None:
            capture.release()


class Camera(_CaptureSource):
    """A camera of this computer, identified by its number."""

    def __init__(
        self,
        number: int,
        name: str,
        size: tuple[int, int] = (WIDTH, HEIGHT),
        *,
        is_software: bool = False,
    ) -> None:
        """Create a closed camera.

        `size` is the requested frame size in px. The camera chooses the nearest one that it supports.
        `is_software` is True if the system reports a driver without a device.
        """
        super().__init__(name)
        self.number, self._size, self.is_software = number, size, is_software

    def open(self) -> None:
        """Begin. Raises SourceError."""
        capture = cv2.VideoCapture(self.number, _BACKENDS.get(_SYSTEM, cv2.CAP_ANY))
        if self._size[0] > WIDTH:
            # USB 2 is fast enough for larger frames only if the camera compresses them.
            capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, self._size[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, self._size[1])
        # With a longer buffer, the preview would be late.
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        self._use_capture(capture)


class VideoFile(_CaptureSource):
    """A video file (Motion JPEG in AVI) that is repeated.

    OpenCV itself reads it, because the packaged program does not contain FFmpeg.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path.name)
        self._path = path

    def open(self) -> None:
        """Begin. Raises SourceError."""
        self._use_capture(cv2.VideoCapture(str(self._path), cv2.CAP_OPENCV_MJPEG))

    def read(self) -> Frame | None:
        """Read the next frame. The first one follows the last one."""
        frame = super().read()
        if frame is None and self._capture is not None:
            self._capture.set(cv2.CAP_PROP_POS_FRAMES, 0)
            frame = super().read()
        return frame


class ImageSequence:
    """Repeats a sequence of pictures.

    `pictures` is a folder, whose pictures are ordered by name, or a sequence of paths.
    """

    def __init__(self, pictures: Path | Sequence[Path], name: str = "") -> None:
        self._pictures = pictures
        self._name = name or (pictures.name if isinstance(pictures, Path) else "pictures")
        self._paths: list[Path] = []
        self._next_index = 0

    @property
    def name(self) -> str:
        """The name for the user."""
        return self._name

    def open(self) -> None:
        """Open the source. Raises SourceError when there is no picture."""
        if isinstance(self._pictures, Path):
            if not self._pictures.is_dir():
                raise SourceError(self._name)
            self._paths = sorted(p for p in self._pictures.iterdir() if is_picture_name(p.name))
        else:
            self._paths = list(self._pictures)
        self._next_index = 0
        if not self._paths:
            raise SourceError(self._name)

    def read(self) -> Frame | None:
        """Read the next picture; None when it cannot be read."""
        if not self._paths:
            return None
        path = self._paths[self._next_index % len(self._paths)]
        self._next_index += 1
        try:
            data = np.frombuffer(path.read_bytes(), dtype=np.uint8)
        except OSError:
            return None
        return cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None

    def close(self) -> None:
        """Release the source."""
        self._paths = []


def sources(size: tuple[int, int] = (WIDTH, HEIGHT)) -> list[FrameSource]:
    """The sources of this computer: its cameras, or the source that `WALKAROUND_CAMERA` names.

    The variable names a folder of pictures or a video file (Motion JPEG in AVI), for a computer whose camera
    is available as files.
    """
    override = os.environ.get("WALKAROUND_CAMERA")
    if override:
        path = Path(override)
        return [ImageSequence(path) if path.is_dir() else VideoFile(path)]
    return list(cameras(size))


def cameras(size: tuple[int, int] = (WIDTH, HEIGHT)) -> list[Camera]:
    """The cameras of this computer with their names in the system.

    On other systems than Linux, cameras are numbered and tried one by one, which may take seconds.
    """
    if _SYSTEM == "Linux":
        return _named_cameras(_V4L, size)
    working_cameras: list[Camera] = []
    for number in range(_MAX_CAMERAS):
        camera = Camera(number, f"Camera {number + 1}", size)
        try:
            camera.open()
        except SourceError:
            # Another program may use it. The next one may be free.
            continue
        camera.close()
        working_cameras.append(camera)
    return working_cameras


def _named_cameras(devices: Path, size: tuple[int, int] = (WIDTH, HEIGHT)) -> list[Camera]:
    named_cameras: list[Camera] = []
    for device in devices.glob("video*"):
        try:
            # A camera has several devices. The one with index 0 provides pictures, the others metadata.
            if (device / "index").read_text().strip() != "0":
                continue
            name = (device / "name").read_text().strip()
            number = int(device.name.removeprefix("video"))
        except (OSError, ValueError):
            continue
        # The system repeats the name of many cameras after a colon: "HD Webcam: HD Webcam".
        name = name.partition(": ")[0] or f"Camera {number + 1}"
        # In Linux, drivers without a device, such as v4l2loopback, are in this folder whatever their name is.
        is_software = "virtual" in device.resolve().parts
        named_cameras.append(Camera(number, name, size, is_software=is_software))
    return sorted(named_cameras, key=lambda camera: camera.number)


# Parts of the names that programs use, in lower case.
_NAMES = (
    "obs virtual",
    "obs-camera",
    "obs camera",
    "v4l2loopback",
    "v4l2 loopback",
    "virtual camera",
    "virtual video",
    "virtual webcam",
    "virtual cam",
    "virtualcam",
    "dummy video device",
    "manycam",
    "xsplit",
    "snap camera",
    "splitcam",
    "sparkocam",
    "webcamoid",
    "akvcam",
    "droidcam",
    "iriun",
    "epoccam",
    "ivcam",
    "mmhmm",
    "reincubate",
    "youcam",
    "chromacam",
    "nvidia broadcast",
    "unity video capture",
    "e2esoft",
    "vcam",
    "logi capture",
    "altercam",
    "deepfacelive",
)


def is_virtual_name(name: str) -> bool:
    """Whether a camera of this name is a known virtual camera, which plays the pictures of a program."""
    normalized = " ".join(name.casefold().replace("_", " ").split())
    return any(part in normalized for part in _NAMES)


def is_virtual(source: FrameSource) -> bool:
    """Whether `source` is a virtual camera, by its name or place in the system, or files.

    Only Linux provides the names and places of cameras. A driver can have any name, so this check prevents
    mistakes. It does not stop an attacker who controls the computer.
    """
    if not isinstance(source, Camera):
        return True
    return source.is_software or is_virtual_name(source.name)
