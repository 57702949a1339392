"""Reads films of borescopes and drones, frame by frame. Blocking: use it off the GUI thread."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import Any, Final

import numpy as np
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QImage

from desktop.background.workers import ProgressReport
from desktop.imaging.conversion.jpeg import add_xmp
from desktop.imaging.conversion.uploads import PreparedUpload
from desktop.imaging.decoding.decoder import shrink_image
from desktop.imaging.decoding.errors import ImageError
from desktop.imaging.decoding.pixels import to_qimage
from shared.images.camera_data import film_frame_packet
from shared.images.cv import cv2
from shared.images.films import (
    MAX_SECONDS,
    MAX_SIDE,
    can_read,
    frames_per_second,
    is_within_limits,
    open_capture,
    read_frame,
    read_type,
)
from shared.wire.files import FilmFrame

MAX_BYTES: Final = 8 * 2**30
_QUALITY = 95


class Film:
    """An open film. Every method may be called from any thread."""

    def __init__(self, path: Path) -> None:
        """Open a film. Raises ImageError with a sentence for the user, OSError."""
        _check_file(path)
        self.name = path.name
        self._path = path
        self._lock = threading.Lock()
        self._digest = ""
        self._last: tuple[int, Any, float] | None = None
        self._capture = _open(path)
        self.fps = frames_per_second(self._capture)
        self.count = int(self._get(cv2.CAP_PROP_FRAME_COUNT))
        """The number of frames, as the file says it."""
        if not is_within_limits(self._capture):
            self.close()
            raise ImageError(
                QCoreApplication.translate(
                    "imaging",
                    "{0} is longer than {1} hours, has frames of more than {2} px, or is not complete.",
                ).format(path.name, MAX_SECONDS // 3600, MAX_SIDE)
            )

    def close(self) -> None:
        """Release the file. May be called twice."""
        with self._lock:
            self._capture.release()
            self._last = None

    def seconds(self, number: int) -> float:
        """The time of a frame since the start of the film, exact once it has been read.

        Phones and screen recorders leave frames out, so its number alone does not tell it.
        """
        last = self._last
        return last[2] if last is not None and last[0] == number else number / self.fps

    def frame(self, number: int, longest: int) -> QImage:
        """A frame by its number from 0, with at most `longest` px on its longer side. Raises ImageError."""
        pixels = cv2.cvtColor(self._read(number)[0], cv2.COLOR_BGR2RGB)
        return shrink_image(to_qimage(np.ascontiguousarray(pixels)), longest)

    def take(self, number: int) -> PreparedUpload:
        """A frame as a JPEG for the upload, which names film, time and the SHA-256 of the film (XMP).

        Reads the whole film the first time. Raises ImageError, OSError.
        """
        pixels, seconds = self._read(number)
        at = clock(seconds)
        _, data = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
        frame = FilmFrame(film=self.name, sha256=self._sha256(), number=number, at=at)
        photo = add_xmp(bytes(data), film_frame_packet(frame))
        return PreparedUpload(photo, f"{self.name} {at.replace(':', '-')}.jpg")

    def _read(self, number: int) -> tuple[Any, float]:
        """The pixels of a frame (uint8, height x width x 3, BGR) and its time.

        The frame that was read last is not read again: in a film that leaves frames out, a jump to a number
        leads to another frame than the steps before it, and what was shown has to be what is taken.
        """
        with self._lock:
            if self._last is None or self._last[0] != number:
                if number != round(self._get(cv2.CAP_PROP_POS_FRAMES)):
                    self._capture.set(cv2.CAP_PROP_POS_FRAMES, number)
                pixels = read_frame(self._capture)
                if pixels is None:
                    raise ImageError(
                        QCoreApplication.translate(
                            "imaging", "Cannot read the film at {0}. It may be damaged."
                        ).format(clock(number / self.fps))
                    )
                # 0 where the file has no times.
                seconds = self._get(cv2.CAP_PROP_POS_MSEC) / 1000 or number / self.fps
                self._last = number, pixels, seconds
            return self._last[1:]

    def _sha256(self) -> str:
        if not self._digest:
            with self._path.open("rb") as file:
                self._digest = hashlib.file_digest(file, "sha256").hexdigest()
        return self._digest

    def _get(self, property_id: int) -> float:
        return float(self._capture.get(property_id))


def read_strip(report: ProgressReport, path: Path, count: int, longest: int) -> None:
    """Report (number, seconds, QImage) of `count` frames at equal distances, at most `longest` px long.

    Frames that cannot be read are left out. Raises ImageError, OSError.
    """
    film = Film(path)
    try:
        for number in strip_numbers(film.count, count):
            report.check()
            try:
                image = film.frame(number, longest)
                report((number, film.seconds(number), image))
            except ImageError:
                continue
    finally:
        film.close()


def strip_numbers(frames: int, count: int) -> list[int]:
    """The numbers of `count` frames at equal distances, the first included; fewer if there are fewer."""
    shown = min(frames, count)
    return [index * frames // shown for index in range(shown)]


def clock(seconds: float) -> str:
    """A time in a film, such as 01:02:03.480, without hours if there are none."""
    milliseconds = round(seconds * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    text = f"{minutes:02}:{rest // 1000:02}.{rest % 1000:03}"
    return f"{hours:02}:{text}" if hours else text


def _check_file(path: Path) -> None:
    kind = read_type(path)
    if kind is None:
        raise ImageError(
            QCoreApplication.translate("imaging", "{0} is not a film in MP4, MOV or AVI.").format(path.name)
        )
    if kind != "video/x-msvideo" and not can_read(".mp4"):
        raise ImageError(
            QCoreApplication.translate(
                "imaging", "This program reads only films in AVI with Motion JPEG. Convert {0} first."
            ).format(path.name)
        )
    if path.stat().st_size > MAX_BYTES:
        raise ImageError(
            QCoreApplication.translate("imaging", "{0} is larger than {1} GB. Cut the film first.").format(
                path.name, MAX_BYTES // 2**30
            )
        )


def _open(path: Path) -> Any:
    capture = open_capture(path)
    if capture is None:
        raise ImageError(
            QCoreApplication.translate(
                "imaging",
                "Cannot open {0}. It is damaged or encoded in a way that this program does not read.",
            ).format(path.name)
        )
    return capture
