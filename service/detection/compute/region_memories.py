"""Puts the memory of a region together from what single photos add to it."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from service.detection.reference_difference import PhotoVariation, RegionMemory
from service.detection.reference_difference.variation.serial import MemoryUnreadable, from_bytes, to_bytes
from shared.content import sha256
from shared.entries import EntryMemory
from shared.geometry import Rect


def together(region: Rect, contents: Sequence[bytes]) -> RegionMemory | None:
    """The memory of a region that has the photos of these memories (`variation.serial`); None without any."""
    photos: list[PhotoVariation] = []
    for content in contents:
        # What another version of the program kept is made again by and by.
        with contextlib.suppress(MemoryUnreadable):
            photos.extend(from_bytes(content).photos)
    return RegionMemory.of(region, photos) if photos else None


def used(memory: RegionMemory | None) -> EntryMemory | None:
    """What a result entry says of the memory that was used."""
    if memory is None:
        return None
    return {"photos": len({photo.key for photo in memory.photos}), "sha256": sha256(to_bytes(memory))}


def disagreeing(memory: RegionMemory | None, width: int, height: int) -> list[list[float]]:
    """Where a memory disagrees with its reference image, which is so large (px as decoded).

    x, y, w, h in fractions of the reference image.
    """
    places = () if memory is None else memory.disagreements()
    inside = [place.clamped(width, height) for place in places]
    return [
        [round(value, 6) for value in (place.x / width, place.y / height, place.w / width, place.h / height)]
        for place in inside
        if not place.empty
    ]


def scaled(rect: Rect, scale: float) -> Rect:
    """A rectangle of a photo file in px of the photo as decoded at `scale`."""
    return Rect(rect.x * scale, rect.y * scale, rect.w * scale, rect.h * scale)
