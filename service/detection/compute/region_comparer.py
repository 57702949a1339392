"""Compares photos with a region of a reference image: aligned, or else by their appearance.

Merges the memories of single photos into the memory of a region.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from service.detection.compute.appearances import Appearances, Look, is_enough
from service.detection.compute.comparing import (
    Judged,
    comparison_parameters,
    difference_box,
    entry_thresholds,
    suppressed_boxes,
)
from service.detection.compute.placing import (
    NOT_ALIGNED,
    alignment_failure,
    entry_alignment,
    fixed_alignment,
    with_start,
)
from service.detection.failure import DetectionFailed
from service.detection.messages import Request, item_settings
from service.detection.reference_difference import (
    AlignmentFailed,
    Parameters,
    PhotoVariation,
    RegionMemory,
    Result,
    detect,
    photo_variation,
)
from service.detection.reference_difference.data import Matrix, Pyramid
from service.detection.reference_difference.variation.serial import MemoryUnreadable, from_bytes, to_bytes
from shared.record.content import sha256
from shared.record.entries import EntryMemory
from shared.record.geometry import Rect
from shared.wire.inspection import Place
from shared.wire.memory import MemoryKind


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


T = TypeVar("T")

Picture = tuple[NDArray[np.uint8], float]
"""The result of `pictures.load`."""


@dataclass(frozen=True, slots=True)
class MarkedRegion:
    """The reference image (BGR uint8) as decoded at `scale`, its grey levels, and the region in px of it."""

    reference: NDArray[np.uint8]
    levels: Pyramid
    region: Rect
    scale: float

    @property
    def section(self) -> Rect:
        """The region in fractions of the reference image."""
        height, width = self.reference.shape[:2]
        region = self.region
        return Rect(region.x / width, region.y / height, region.w / width, region.h / height)

    def in_section(self, area: Rect) -> Rect:
        """An area (px) in fractions of the region."""
        region = self.region
        x, y = (area.x - region.x) / region.w, (area.y - region.y) / region.h
        return Rect(x, y, area.w / region.w, area.h / region.h)


class RegionComparer:
    """Compares photos; keeps what it knows of the photos that passed."""

    def __init__(self) -> None:
        self._appearances = Appearances()

    def compare(
        self, request: Request, marked: MarkedRegion, photo: Picture, contents: Sequence[bytes]
    ) -> Judged:
        """The findings in a photo. contents: as in `Computer.run`. Raises DetectionFailed."""
        self._appearances.use(request)
        memory = _memory(request, marked.region, contents)
        aligned = None if memory is None else memory.aligned()
        parameters = comparison_parameters(request, marked.reference, marked.scale)
        pixels, scale = photo
        once = aligned is not None and is_enough(aligned.looks())

        def work(start: Matrix | None) -> Result:
            return detect(
                marked.reference, marked.region, pixels, parameters, start, aligned, once, marked.levels
            )

        result = _align(request, marked.scale, scale, work)
        if result is None:
            return self._by_appearance(request, marked, pixels, memory, parameters)
        result = self._appearances.weigh(aligned, pixels, result)
        findings = [difference_box(difference) for difference in result.boxes]
        return Judged(
            findings,
            not findings,
            entry_thresholds(request, parameters),
            entry_alignment(result.alignment, marked.scale, request, result.aside),
            suppressed_boxes(result),
            memory_entry(memory),
        )

    def _by_appearance(
        self,
        request: Request,
        marked: MarkedRegion,
        photo: NDArray[np.uint8],
        memory: RegionMemory | None,
        parameters: Parameters,
    ) -> Judged:
        looks = self._passed_looks(request, marked, memory)
        ignored = [marked.in_section(area) for area in parameters.ignored]
        judged = None
        if looks:
            judged = self._appearances.judge(photo, marked.section, looks, place_of(request), ignored)
        if judged is None:
            raise DetectionFailed(NOT_ALIGNED)
        boxes, appearance = judged
        is_fixed = place_of(request) is Place.FIXED
        alignment = fixed_alignment(marked.reference, marked.scale, photo) if is_fixed else None
        used = entry_thresholds(request, parameters)
        return Judged(boxes, not boxes, used, alignment, appearance=appearance)

    def photo_memory(
        self,
        request: Request,
        marked: MarkedRegion,
        photo: Picture,
        key: str,
        order: float,
        kind: MemoryKind,
        judged: Sequence[Rect],
        without: Sequence[Rect],
    ) -> RegionMemory:
        """As `Computer.photo_memory`. A photo that passed and cannot be aligned has its look only."""
        self._appearances.use(request)
        pixels, photo_scale = photo
        parameters = comparison_parameters(request, marked.reference, marked.scale)
        is_usual = kind is MemoryKind.PASSED and not without
        section = self._appearances.look(pixels, marked.section) if is_usual else None

        def measure(start: Matrix | None) -> PhotoVariation:
            return photo_variation(
                marked.reference,
                marked.region,
                pixels,
                key,
                order,
                parameters,
                start,
                kind,
                [scale_rect(rect, photo_scale) for rect in judged],
                [scale_rect(rect, photo_scale) for rect in without],
                self._describe_in(marked.region),
                marked.levels,
            )

        variation = _align(request, marked.scale, photo_scale, measure)
        if variation is None:
            if section is None:
                raise DetectionFailed(NOT_ALIGNED)
            variation = PhotoVariation(key, order, (), kind, is_aligned=False)
        return RegionMemory.of(marked.region, [replace(variation, section=section)])

    def distance(self, reference: NDArray[np.uint8], photo: NDArray[np.uint8]) -> float | None:
        """How unlike the reference image (BGR uint8) a photo of a fixed camera looks, 0 to 2.

        None if it shows something else. Raises DetectionFailed.
        """
        whole = Rect(0, 0, 1, 1)
        looks = {"": self._appearances.look(reference, whole)}
        judged = self._appearances.judge(photo, whole, looks, Place.FIXED)
        return None if judged is None else judged[1]["distance"]

    def propose_place(self, memory: RegionMemory) -> Place:
        """How photos are best compared: aligned if at least half of those that passed are."""
        aligned = sum(photo.is_aligned for photo in memory.passed)
        sections = memory.sections()
        if 2 * aligned >= memory.count or not sections:
            return Place.ALIGN
        return self._appearances.usual_place(list(sections.values()))

    def _describe_in(self, region: Rect) -> Callable[[Pyramid, Matrix], Look]:
        return lambda photo, homography: self._appearances.aligned_look(photo, region, homography)

    def _passed_looks(
        self, request: Request, marked: MarkedRegion, memory: RegionMemory | None
    ) -> dict[str, Look]:
        """The looks of the photos that passed, by their paths or keys in the memory.

        With a chosen place and no such photo it is the look of the reference image, by its path.
        """
        looks = self._appearances.looks_of_files(request.passed, marked.section)
        looks |= {} if memory is None else memory.sections()
        if not looks and place_of(request) is not Place.ALIGN and request.reference is not None:
            looks[request.reference] = self._appearances.look(marked.reference, marked.section)
        return looks


def place_of(request: Request) -> Place:
    """Where the item's region lies in photos."""
    return item_settings(request).place or Place.ALIGN


def _align(
    request: Request, scale: float, photo_scale: float, work: Callable[[Matrix | None], T]
) -> T | None:
    """The result of `with_start`; None if the photo cannot or must not be aligned. Raises DetectionFailed."""
    if place_of(request) is not Place.ALIGN:
        return None
    try:
        return with_start(request, scale, photo_scale, work)
    except AlignmentFailed as error:
        refusal = alignment_failure(error)
        if refusal.code != NOT_ALIGNED:
            raise refusal from error
        return None


def _memory(request: Request, region: Rect, contents: Sequence[bytes]) -> RegionMemory | None:
    if request.memory is None:
        return merge_memories(region, contents)
    try:
        return from_bytes(Path(request.memory).read_bytes())
    except OSError as error:
        raise DetectionFailed("file_lost") from error
