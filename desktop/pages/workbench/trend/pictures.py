"""Makes the pictures of a film strip: each photo laid on the same place, off the GUI thread, a few at a time.

A `View` is a part of that place in fractions of it: (0, 0, 1, 1) is all of it. So the frames of a strip move
and zoom together, whatever their photos' sizes are.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.canvas.layers.finding_layer import Matrix
from desktop.canvas.views.alignment import warp_crop
from desktop.client import Session
from desktop.client.http.errors import ClientError
from desktop.imaging import ImageError
from desktop.imaging.sources.cut import map_rect, original_crop, preview_crop
from desktop.imaging.sources.source import ImageSource
from desktop.messages.error_messages import sentence
from desktop.pages.workbench.photos.photo_files import PhotoRef
from desktop.record.loading import fetch_file, fetch_photo
from desktop.record.region_link import ReferenceFile
from shared.record.geometry import Rect

WHOLE = Rect(0.0, 0.0, 1.0, 1.0)
"""The view of all of a place."""
LONGEST_PX = 1024
"""Longer side of a frame's picture of the whole place, px."""
FINE_PX = 1600
"""Longer side of a picture of a part of it at most, px."""
MAX_BYTES = 160_000_000
"""Maximum number of bytes of cached pictures. The least recently shown are removed first."""
_MAX_RUNNING = 3
"""Number of pictures that one task creates. Then the requests are read again."""
_GATHER_MS = 40
_SMALLEST_PX = 200
_PX_BYTES = 4


@dataclass(frozen=True, slots=True)
class FrameSource:
    """The source of a frame's picture.

    `photo` is a photo or the file of the region. `to_photo` (3 x 3) maps fractions of the place to px of the
    picture; None for a photo without an alignment, which is shown as a whole, centred.
    """

    photo: PhotoRef | ReferenceFile
    to_photo: tuple[tuple[float, float, float], ...] | None


class FramePicture(NamedTuple):
    """The picture of a view of a frame in several sizes, largest first.

    `to_photo` maps fractions of the place to px of the photo.
    """

    view: Rect
    sizes: tuple[QImage, ...]
    to_photo: Matrix

    def smallest_fitting(self, width: float) -> QImage:
        """The smallest picture that has `width` px for its view, or the largest there is."""
        enough = [image for image in self.sizes if image.width() >= width]
        return enough[-1] if enough else self.sizes[0]

    @property
    def bytes(self) -> int:
        """The memory of its pixels."""
        return sum(image.width() * image.height() * _PX_BYTES for image in self.sizes)


class _Request(NamedTuple):
    key: str
    view: Rect
    longest: int


class FramePictures(QObject):
    """Caches pictures of frames up to `MAX_BYTES`, and creates requested ones."""

    ready = Signal(str)
    """Emits the key of a frame whose picture is ready or failed."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._sources: Mapping[str, FrameSource] = {}
        self._aspect = 1.0
        self._cache: OrderedDict[tuple[str, Rect], FramePicture] = OrderedDict()
        self._failures: dict[str, str] = {}
        self._requests: list[_Request] = []
        self._task: Task | None = None
        self._soon = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._soon.timeout.connect(self._start_next)

    def show(self, sources: Mapping[str, FrameSource], aspect: float) -> None:
        """Make pictures of these, by key, of a place that is `aspect` times as wide as high."""
        if aspect != self._aspect:
            self._cache.clear()
        self._sources, self._aspect = sources, aspect
        self._failures.clear()

    @property
    def keys(self) -> Collection[str]:
        """The frames that can have a picture."""
        return self._sources.keys()

    @property
    def bytes(self) -> int:
        """The memory of all pictures."""
        return sum(picture.bytes for picture in self._cache.values())

    def best(self, key: str, view: Rect) -> FramePicture | None:
        """The picture of a frame for a view, or else of the whole place; None while neither is ready."""
        for slot in ((key, view), (key, WHOLE)):
            if slot in self._cache:
                self._cache.move_to_end(slot)
                return self._cache[slot]
        return None

    def failure(self, key: str) -> str:
        """Why a frame has no picture; empty if there is no failure."""
        return self._failures.get(key, "")

    def is_settled(self, key: str) -> bool:
        """True when a frame's picture is ready, failed, or will never exist."""
        return key not in self._sources or key in self._failures or (key, WHOLE) in self._cache

    def want(self, keys: Iterable[str], view: Rect, longest: int) -> None:
        """Request pictures of these frames for a view of `longest` px, in this order.

        Earlier requests that are not running are dropped.
        """
        available = [key for key in keys if key in self._sources and key not in self._failures]
        wanted = [_Request(key, WHOLE, LONGEST_PX) for key in available if (key, WHOLE) not in self._cache]
        if view != WHOLE:
            share = max(view.w, view.h)
            if longest > LONGEST_PX * share:
                side = min(longest, FINE_PX)
                wanted += [_Request(key, view, side) for key in available if (key, view) not in self._cache]
        self._requests = wanted
        if wanted and self._task is None and not self._soon.isActive():
            self._soon.start()

    def stop(self) -> None:
        """Cancel the running work and release the pictures."""
        self._soon.stop()
        self._requests = []
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._cache.clear()

    def _start_next(self) -> None:
        batch, self._requests = self._requests[:_MAX_RUNNING], self._requests[_MAX_RUNNING:]
        todo = [(request, self._sources[request.key]) for request in batch if request.key in self._sources]
        if not todo:
            return
        self._task = run(
            _make_pictures,
            self._session,
            todo,
            self._aspect,
            owner=self,
            progress=self._on_picture,
            done=lambda _: self._on_ended(),
            failed=lambda _: self._on_ended(),
            lane=Lane.LONG,
        )

    def _on_picture(self, result: tuple[str, FramePicture | str] | float) -> None:
        if isinstance(result, float | int):
            return
        key, picture = result
        if isinstance(picture, str):
            self._failures[key] = picture
        else:
            self._cache[key, picture.view] = picture
            self._tidy()
        self.ready.emit(key)

    def _tidy(self) -> None:
        held = self.bytes
        while held > MAX_BYTES and len(self._cache) > 1:
            _, dropped = self._cache.popitem(last=False)
            held -= dropped.bytes

    def _on_ended(self) -> None:
        self._task = None
        if self._requests:
            self._soon.start()


def _make_pictures(
    report: ProgressReport, session: Session, todo: list[tuple[_Request, FrameSource]], aspect: float
) -> None:
    """Report a key with its picture or its error for each request."""
    for wanted, source in todo:
        report.check()
        try:
            report((wanted.key, _picture(report, session, source, wanted, aspect)))
        except ImageError as error:
            report((wanted.key, str(error)))
        except (ClientError, OSError) as error:
            report((wanted.key, sentence(error)))


def _picture(
    report: ProgressReport, session: Session, source: FrameSource, wanted: _Request, aspect: float
) -> FramePicture:
    if isinstance(source.photo, ReferenceFile):
        photo = fetch_file(report, session, source.photo)
    else:
        photo = fetch_photo(report, session, source.photo.content_id, source.photo.file_id, source.photo.url)
    try:
        if source.to_photo is None:
            to_photo = in_the_middle(photo.size, aspect)
        else:
            to_photo = np.array(source.to_photo, np.float64)
        try:
            return render_view(photo, to_photo, wanted.view, wanted.longest, aspect)
        except ValueError:
            # A mapping that cannot be inverted gives no place.
            return render_view(photo, in_the_middle(photo.size, aspect), wanted.view, wanted.longest, aspect)
    finally:
        photo.cancel()


def in_the_middle(size: tuple[int, int], aspect: float) -> Matrix:
    """Fractions of a place, `aspect` times as wide as high, to px of a photo that is wholly seen in it."""
    width, height = size
    wide, high = max(width, height * aspect), max(height, width / aspect)
    return np.array([[wide, 0.0, (width - wide) / 2], [0.0, high, (height - high) / 2], [0.0, 0.0, 1.0]])


def render_view(
    photo: ImageSource, to_photo: Matrix, view: Rect, longest: int, aspect: float
) -> FramePicture:
    """A photo as a view shows it, `longest` px the longer side, with smaller copies. Raises ImageError."""
    ratio = aspect * view.w / view.h
    width, height = (longest, longest / ratio) if ratio >= 1 else (longest * ratio, longest)
    size = max(round(width), 1), max(round(height), 1)
    fraction = np.array(
        [[view.w / size[0], 0.0, view.x], [0.0, view.h / size[1], view.y], [0.0, 0.0, 1.0]], np.float64
    )
    mapping = to_photo @ fraction
    part = map_rect(Rect(0, 0, *size), mapping)
    cut = preview_crop(photo)
    per_px = float("inf") if part is None else max(part.w / size[0], part.h / size[1])
    # The preview is read in a fraction of the time; the original is used only where it is too coarse.
    if part is not None and per_px * cut.from_picture[0, 0] < 0.9 and cut.image.width() < photo.size[0]:
        cut = original_crop(photo, part) or cut
    sizes = [warp_crop(cut, mapping, *size)]
    while max(sizes[-1].width(), sizes[-1].height()) > 2 * _SMALLEST_PX:
        half = QSize(max(sizes[-1].width() // 2, 1), max(sizes[-1].height() // 2, 1))
        sizes.append(
            sizes[-1].scaled(
                half, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
            )
        )
    return FramePicture(view, tuple(sizes), to_photo)
