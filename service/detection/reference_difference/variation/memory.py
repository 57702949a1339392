"""Defines the memory of a region: the differences of its photos, bounded in size.

Distinguishes changes that appeared and stayed from variation, by the photos that show them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.detection.messages import NEWEST, OLDEST
from service.detection.reference_difference.data import Floats
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.wire.memory import MemoryKind

MAX_APPEARANCES: Final = 64
"""Differences of one photo, the strongest: a populated board has 31 to 54."""
MAX_FAINT: Final = 64
MAX_SIDE: Final = 96
"""The most px of a side of an appearance."""
# Grey levels per step of a stored difference, which has seven bits and a sign.
_STEP = 2.0


@dataclass(frozen=True, slots=True)
class Appearance:
    """A difference from the reference image in one photo.

    box: px of the reference image. values: int8 (height, width, 3), the signed difference in BGR in steps of
    two grey levels of the reference's light, 0 beside the difference. They have at most `MAX_SIDE` px per
    side, so they may be coarser than the reference image.
    """

    box: Rect
    values: NDArray[np.int8] = field(repr=False)

    @staticmethod
    def of(box: Rect, difference: Floats) -> Appearance:
        """The appearance of `difference`, float32 (height, width, 3) in grey levels, at `box`."""
        height, width = difference.shape[:2]
        shrink = min(1.0, MAX_SIDE / max(height, width))
        if shrink < 1:
            size = max(round(width * shrink), 1), max(round(height * shrink), 1)
            difference = np.asarray(cv2.resize(difference, size, interpolation=cv2.INTER_AREA), np.float32)
        steps = np.clip(np.rint(difference / _STEP), -127, 127).astype(np.int8)
        return Appearance(Rect(*(round(value, 3) for value in (box.x, box.y, box.w, box.h))), steps)

    @property
    def difference(self) -> Floats:
        """The difference in grey levels, float32."""
        return np.asarray(self.values * np.float32(_STEP), np.float32)


@dataclass(frozen=True, slots=True)
class PhotoVariation:
    """The contribution of one photo to a memory.

    key: identifies the photo, such as the SHA-256 of its file. order: a number that grows with the time of
    the photo. kind: whether the photo passed, or a person rejected these findings, or confirmed them by
    failing the item; in the last two cases the rest of the photo does not count. faint: places of differences
    too faint to be reported, px of the reference image, which permit nothing. look: the patch features of the
    region in a photo that passed, int8 (rows, columns, channels), see `compute.appearances`; None without.
    section: the same of the photo as it is, where the region lies in the reference image. is_aligned: whether
    the photo could be compared; otherwise it has its section only.
    """

    key: str
    order: float
    appearances: tuple[Appearance, ...]
    kind: MemoryKind = MemoryKind.PASSED
    faint: tuple[Rect, ...] = ()
    look: NDArray[np.int8] | None = field(default=None, repr=False)
    section: NDArray[np.int8] | None = field(default=None, repr=False)
    is_aligned: bool = True


@dataclass(frozen=True, slots=True)
class RegionMemory:
    """The permitted variation of one region of a reference image.

    region: px of the reference image. photos: sorted by order, then key, so that the order in which they are
    added does not matter.
    """

    region: Rect
    photos: tuple[PhotoVariation, ...] = ()

    @staticmethod
    def of(region: Rect, photos: Iterable[PhotoVariation]) -> RegionMemory:
        """The memory of these photos: one for each key and kind; of too many the oldest and the newest."""
        unique = {(variation.key, variation.kind): variation for variation in photos}
        ordered = sorted(unique.values(), key=_by_age)
        chosen = [
            photo
            for kind in MemoryKind
            for photo in _keep_oldest_and_newest(
                [variation for variation in ordered if variation.kind is kind]
            )
        ]
        return RegionMemory(region, tuple(sorted(chosen, key=_by_age)))

    def aligned(self) -> RegionMemory:
        """The memory of the photos that could be compared."""
        return RegionMemory(self.region, tuple(photo for photo in self.photos if photo.is_aligned))

    def sections(self) -> dict[str, NDArray[np.int8]]:
        """The looks of its passed photos as they are, by the keys of the photos, the oldest first."""
        return {photo.key: photo.section for photo in self.passed if photo.section is not None}

    def looks(self) -> list[NDArray[np.int8]]:
        """The looks of its passed photos as aligned, the oldest first."""
        return [photo.look for photo in self.passed if photo.look is not None]

    @property
    def passed(self) -> tuple[PhotoVariation, ...]:
        """The photos that passed, the oldest first."""
        return tuple(photo for photo in self.photos if photo.kind is MemoryKind.PASSED)

    @property
    def count(self) -> int:
        """The number of its passed photos."""
        return len(self.passed)

    def disagreements(self) -> tuple[Rect, ...]:
        """The places where nearly all newer photos differ from the reference image, in px of it.

        There the reference image is outdated. Of at least four photos the newer half counts, of which nine
        tenths must differ.
        """
        passed = self.passed
        if len(passed) < _MIN_TO_DISAGREE:
            return ()
        newer = passed[len(passed) // 2 :]
        scale = min(1.0, _MAP_SIDE / max(self.region.w, self.region.h))
        size = max(round(self.region.w * scale), 1), max(round(self.region.h * scale), 1)
        often = np.zeros(size[::-1], np.float32)
        for photo in newer:
            often += _cover(photo.appearances, self.region, scale, size)
        lasting = (often >= _NEARLY_ALL * len(newer)).astype(np.uint8)
        lasting = cv2.morphologyEx(lasting, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        count, _, stats, _ = cv2.connectedComponentsWithStats(lasting, connectivity=8)
        places = sorted(stats[1:count].tolist(), key=lambda row: -row[4])
        return tuple(
            Rect(self.region.x + x / scale, self.region.y + y / scale, w / scale, h / scale)
            for x, y, w, h, _ in places[:_MAX_PLACES]
        )


_MIN_TO_DISAGREE = 4
_NEARLY_ALL = 0.9
_MAX_PLACES = 8
# px of the map in which lasting differences are counted. Places thinner than three of them are left out.
_MAP_SIDE = 640


def _by_age(photo: PhotoVariation) -> tuple[float, str, str]:
    return photo.order, photo.key, photo.kind


def _keep_oldest_and_newest(ordered: Sequence[PhotoVariation]) -> Sequence[PhotoVariation]:
    if len(ordered) <= OLDEST + NEWEST:
        return ordered
    return [*ordered[:OLDEST], *ordered[-NEWEST:]]


def _cover(appearances: Iterable[Appearance], region: Rect, scale: float, size: tuple[int, int]) -> Floats:
    """A map of the region that is 1 where a photo differs; float32 (height, width)."""
    cover = np.zeros((size[1], size[0]), np.float32)
    for appearance in appearances:
        mask = np.asarray(appearance.values.any(axis=2), np.float32)
        paste(
            cover,
            mask,
            Rect(
                appearance.box.x - region.x, appearance.box.y - region.y, appearance.box.w, appearance.box.h
            ),
            scale,
        )
    return (cover > 0).astype(np.float32)


def paste(canvas: Floats, image: Floats, box: Rect, scale: float) -> None:
    """Add `image`, which covers `box`, to `canvas`, which has `scale` px for each px of the box."""
    x1, y1 = round(box.x * scale), round(box.y * scale)
    width, height = max(round(box.w * scale), 1), max(round(box.h * scale), 1)
    left, top = max(-x1, 0), max(-y1, 0)
    right, bottom = min(width, canvas.shape[1] - x1), min(height, canvas.shape[0] - y1)
    if right <= left or bottom <= top:
        return
    how = cv2.INTER_AREA if width * height < image.shape[0] * image.shape[1] else cv2.INTER_LINEAR
    resized = np.asarray(cv2.resize(image, (width, height), interpolation=how), np.float32)
    canvas[y1 + top : y1 + bottom, x1 + left : x1 + right] += resized[top:bottom, left:right]


SUPPORT: Final = 2
"""The number of photos that must explain a difference, so that no single photo decides."""

LASTING: Final = 0.75
"""The least share of the photos since its first one that show a lasting change."""


def is_new(shown: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each object appeared after the oldest photo and stayed, or was never shown; bool (objects).

    shown: bool (photos, objects), the oldest photo first: whether the photo shows the object. An object that
    enough photos showed before it stayed varies, so it is not new.
    """
    first = _find_appearance(shown)
    earlier = (shown & (np.arange(shown.shape[0])[:, None] < first)).sum(axis=0)
    return np.asarray((first > 0) & (earlier < SUPPORT), np.bool_)


def has_stayed(shown: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each object is new and at least two photos show it since then; bool (objects)."""
    since = shown & (np.arange(shown.shape[0])[:, None] >= _find_appearance(shown))
    return np.asarray(is_new(shown) & (since.sum(axis=0) >= SUPPORT), np.bool_)


def _find_appearance(shown: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The index of the first photo from which on nearly all show the object; the count of photos if none."""
    count = shown.shape[0]
    share = np.cumsum(shown[::-1], axis=0)[::-1] / np.arange(count, 0, -1)[:, None]
    begins = shown & (share >= LASTING)
    return np.asarray(np.where(begins.any(axis=0), begins.argmax(axis=0) if count else 0, count), np.int64)
