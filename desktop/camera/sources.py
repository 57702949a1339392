"""Reads frames from cameras, a video file or pictures; not for the GUI thread. Nothing here belongs on the
GUI thread."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from shared.images.cv import cv2

Frame = npt.NDArray[np.uint8]
"""A picture as height x width x 3, uint8, blue green red."""

WIDTH, HEIGHT = 640, 480
"""What a camera is asked for (px): enough for a face, light enough for every frame to be looked at."""

PHOTO_SIZE = 1920, 1080
"""What a camera is asked for to take photos of parts (px)."""

_SYSTEM = platform.system()
_MOST_CAMERAS = 4
_V4L = Path("/sys/class/video4linux")
_PICTURES = {".jpg", ".jpeg", ".png", ".webp", ".bmp"}
_BACKENDS = {"Linux": cv2.CAP_V4L2, "Windows": cv2.CAP_DSHOW, "Darwin": cv2.CAP_AVFOUNDATION}

# A camera that is busy or gone is said on the page; OpenCV's lines on stderr would say it again and again.
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


class SourceError(Exception):
    """The source cannot be opened: not there, or in use by another program."""


class FrameSource(Protocol):
    """Frames one after another. Used from one thread between `open` and `close`."""

    @property
    def name(self) -> str:
        """What a person knows it by."""

    def open(self) -> None:
        """Begin. Raises SourceError."""

    def read(self) -> Frame | None:
        """The next frame; None when it gives none (any more)."""

    def close(self) -> None:
        """Release it; may be called twice."""


class _Captured:
    """What cameras and video files share: OpenCV's capture."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._capture: Any = None

    @property
    def name(self) -> str:
        return self._name

    def _begin(self, capture: Any) -> None:
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
            # Some drivers fail so when the camera is pulled out.
            return None
        return frame if good and frame is not None and frame.ndim == 3 else None

    def close(self) -> None:
        capture, self._capture = self._capture, None
        if capture is not None:
            capture.release()


class Camera(_Captured):
    """A camera of this machine by its number."""

    def __init__(
        self,
        number: int,
        name: str,
        size: tuple[int, int] = (WIDTH, HEIGHT),
        *,
        is_software: bool = False,
    ) -> None:
        """`size` is asked for; the camera gives what comes nearest. `is_software`: the system says that no
        device is behind it.
        """
        super().__init__(name)
        self.number, self._size, self.is_software = number, size, is_software

    def open(self) -> None:
        """Begin. Raises SourceError."""
        capture = cv2.VideoCapture(self.number, _BACKENDS.get(_SYSTEM, cv2.CAP_ANY))
        if self._size[0] > WIDTH:
            # Larger frames fit through USB 2 only when the camera compresses them.
            capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, self._size[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, self._size[1])
        # One frame waiting at most: the preview shows now, not a second ago.
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        self._begin(capture)


class VideoFile(_Captured):
    """A video file (Motion JPEG in AVI), from its beginning again when it is at its end.

    Read by OpenCV itself, not by FFmpeg, which the packaged program goes without.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path.name)
        self._path = path

    def open(self) -> None:
        """Begin. Raises SourceError."""
        self._begin(cv2.VideoCapture(str(self._path), cv2.CAP_OPENCV_MJPEG))

    def read(self) -> Frame | None:
        """The next frame, after the last one the first."""
        frame = super().read()
        if frame is None and self._capture is not None:
            self._capture.set(cv2.CAP_PROP_POS_FRAMES, 0)
            frame = super().read()
        return frame


class ImageSequence:
    """Pictures shown one after another, from the first again after the last.

    `pictures` is a folder (its pictures by name) or paths. Each is read when it is its turn.
    """

    def __init__(self, pictures: Path | Sequence[Path], name: str = "") -> None:
        self._pictures = pictures
        self._name = name or (pictures.name if isinstance(pictures, Path) else "pictures")
        self._paths: list[Path] = []
        self._next = 0

    @property
    def name(self) -> str:
        """What a person knows it by."""
        return self._name

    def open(self) -> None:
        """Begin. Raises SourceError when there is no picture."""
        if isinstance(self._pictures, Path):
            if not self._pictures.is_dir():
                raise SourceError(self._name)
            self._paths = sorted(p for p in self._pictures.iterdir() if p.suffix.lower() in _PICTURES)
        else:
            self._paths = list(self._pictures)
        self._next = 0
        if not self._paths:
            raise SourceError(self._name)

    def read(self) -> Frame | None:
        """The next picture; None when it cannot be read."""
        if not self._paths:
            return None
        path = self._paths[self._next % len(self._paths)]
        self._next += 1
        try:
            data = np.frombuffer(path.read_bytes(), dtype=np.uint8)
        except OSError:
            return None
        return cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None

    def close(self) -> None:
        """Release it."""
        self._paths = []


def sources(size: tuple[int, int] = (WIDTH, HEIGHT)) -> list[FrameSource]:
    """What can be filmed here: the cameras, or what `WALKAROUND_CAMERA` names instead.

    That is a folder of pictures or a video file (Motion JPEG in AVI), for a machine whose camera is reached
    as a stream of files.
    """
    override = os.environ.get("WALKAROUND_CAMERA")
    if override:
        path = Path(override)
        return [ImageSequence(path) if path.is_dir() else VideoFile(path)]
    return list(cameras(size))


def cameras(size: tuple[int, int] = (WIDTH, HEIGHT)) -> list[Camera]:
    """The cameras of this machine, with the names that the system gives them.

    Where the system gives none (not Linux), cameras are tried one by one, which may take seconds.
    """
    if _SYSTEM == "Linux":
        return _named_cameras(_V4L, size)
    working: list[Camera] = []
    for number in range(_MOST_CAMERAS):
        camera = Camera(number, f"Camera {number + 1}", size)
        try:
            camera.open()
        except SourceError:
            break
        camera.close()
        working.append(camera)
    return working


def _named_cameras(devices: Path, size: tuple[int, int] = (WIDTH, HEIGHT)) -> list[Camera]:
    named_cameras: list[Camera] = []
    for device in devices.glob("video*"):
        try:
            # A camera shows several devices; the one with index 0 gives pictures, the others metadata.
            if (device / "index").read_text().strip() != "0":
                continue
            name = (device / "name").read_text().strip()
            number = int(device.name.removeprefix("video"))
        except (OSError, ValueError):
            continue
        # The system repeats the name after a colon for many cameras: "HD Webcam: HD Webcam".
        name = name.partition(": ")[0] or f"Camera {number + 1}"
        # Linux has drivers without a device here, v4l2loopback among them, whatever they are called.
        is_software = "virtual" in device.resolve().parts
        named_cameras.append(Camera(number, name, size, is_software=is_software))
    return sorted(named_cameras, key=lambda camera: camera.number)
