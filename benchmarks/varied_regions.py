"""Makes photos of generated regions with places that vary although nothing is wrong, and of damaged ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from service.detection.reference_difference import (
    AlignmentFailed,
    PhotoVariation,
    RegionMemory,
    detect,
    photo_variation,
)
from service.detection.reference_difference.data import apply, corners
from shared import samples
from shared.record.geometry import Rect, rect_from_corners
from shared.samples.defects import damage_panel
from tests.material.varied_regions import VariedRegion, seasonal_view

SIZE = 480
REGION = Rect(0, 0, SIZE, SIZE)


@dataclass(frozen=True)
class Check:
    """A photo, where its defects lie in it, and where it varies."""

    photo: samples.Image
    defects: tuple[Rect, ...]
    varies: tuple[Rect, ...]


def take_photo(
    region: VariedRegion, image: samples.Image, number: int
) -> tuple[samples.Image, samples.Matrix]:
    """A photo of inspection `number`, and reference px -> photo px."""
    return samples.photograph(image, seasonal_view(number, region.seed), region.seed * 100 + number)


def move_box(box: Rect, matrix: samples.Matrix) -> Rect:
    """The bounds of `box` of the reference image in the photo."""
    points = apply(matrix, corners(box))
    return rect_from_corners(*points.min(axis=0).tolist(), *points.max(axis=0).tolist())


def passed_variations(
    region: VariedRegion, images: Sequence[samples.Image], first: int = 1
) -> list[PhotoVariation]:
    """What photos of these images, taken at the inspections from number `first` on, add to a memory."""
    reference, added = region.reference, []
    for number, image in enumerate(images, first):
        photo, _ = take_photo(region, image, number)
        try:
            added.append(photo_variation(reference, REGION, photo, str(number), number))
        except AlignmentFailed:
            continue
    return added


def checks(region: VariedRegion, after: int, count: int) -> Iterator[Check]:
    """`count` photos after inspection `after`, the first without damage, the others with five defects."""
    for index in range(count):
        number = after + 1 + index
        state = region.draw_state(number)
        image, defects = damage_panel(state, (), region.seed)
        if index:
            kinds = np.random.default_rng([region.seed, index]).permutation(samples.KINDS)[:5].tolist()
            image, defects = damage_panel(state, kinds, region.seed * 50 + index)
        photo, matrix = take_photo(region, image, number)
        around = (Rect(p.zone.x - 8, p.zone.y - 8, p.zone.w + 16, p.zone.h + 16) for p in region.places)
        yield Check(
            photo,
            tuple(move_box(defect.box, matrix) for defect in defects),
            tuple(move_box(zone, matrix) for zone in around),
        )


def finds(box: Rect, defect: Rect) -> bool:
    """Whether a finding is that defect: they overlap, or one has the other's middle and is not far larger."""
    common = box.intersection(defect).area
    if common <= 0:
        return False
    inside = defect.contains(*box.centre) and common > 0.5 * box.area
    around = box.contains(*defect.centre) and common >= 0.25 * box.area
    return box.iou(defect) >= 0.2 or inside or around


def find_boxes(region: VariedRegion, photo: samples.Image, memory: RegionMemory | None) -> list[Rect] | None:
    """Return the boxes of the findings in a photo, in px of the photo; None if it cannot be aligned."""
    try:
        return [finding.box for finding in detect(region.reference, REGION, photo, memory=memory).boxes]
    except AlignmentFailed:
        return None
