"""Merges the memories of single photos into the memory of a region."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from service.detection.reference_difference import PhotoVariation, RegionMemory
from service.detection.reference_difference.variation.serial import MemoryUnreadable, from_bytes, to_bytes
from shared.record.content import sha256
from shared.record.entries import EntryMemory
from shared.record.geometry import Rect


def merge_memories(region: Rect, contents: Sequence[bytes]) -> RegionMemory | None:
    """The memory of a region with the photos of these memories (`variation.serial`); None without photos."""
    photos: list[PhotoVariation] = []
    for content in contents:
        # A memory of another version is rebuilt later.
        with contextlib.suppress(MemoryUnreadable):
            photos.extend(from_bytes(content).photos)
    return RegionMemory.of(region, photos) if photos else None


def memory_entry(memory: RegionMemory | None) -> EntryMemory | None:
    """The memory that was used, in the form of a result entry."""
    if memory is None:
        return None
    return {"photos": len({photo.key for photo in memory.photos}), "sha256": sha256(to_bytes(memory))}


def disagreement_places(memory: RegionMemory | None, width: int, height: int) -> list[list[float]]:
    """The places where a memory disagrees with its reference image: x, y, w, h in fractions of the image.

    width, height: of the reference image, px as decoded.
    """
    places = () if memory is None else memory.aligned().disagreements()
    inside = [place.clamp(width, height) for place in places]
    return [
        [round(value, 6) for value in (place.x / width, place.y / height, place.w / width, place.h / height)]
        for place in inside
        if not place.is_empty
    ]


def scale_rect(rect: Rect, scale: float) -> Rect:
    """Convert a rectangle from px of a photo file to px of the photo as decoded at `scale`."""
    return Rect(rect.x * scale, rect.y * scale, rect.w * scale, rect.h * scale)
