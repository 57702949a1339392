"""Compares one frame: a window of the reference and its place in the photo, at one resolution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.alignment import lens, residual_warp
from service.detection.reference_difference.data import (
    Alignment,
    Bytes,
    Floats,
    Matrix,
    Pyramid,
    apply,
    corners,
    inverse,
    local_scale,
    shift_scale,
)
from service.detection.reference_difference.difference import boxes
from service.detection.reference_difference.difference.compensate import (
    match_focus,
    match_light,
    match_width,
)
from service.detection.reference_difference.difference.difference import Difference, differ
from service.detection.reference_difference.difference.sampling import differences, ranked
from service.detection.reference_difference.light import highlights
from service.detection.reference_difference.light.light import Light
from service.detection.reference_difference.threads import side_by_side
from shared.geometry import Rect
from shared.images.cv import cv2

_MOST_CHANGED = 0.5
# Grey levels from which a picture is taken to be clipped, and how much brighter what it shows may have been.
_WHITE = 250
_BEYOND_WHITE = 1.25
# About how many px say what difference is usual.
_SAMPLES = 5_000
# px of the reference image along its edge, and by how many px a photo may leave a plain cut-out of it.
_RIM = 5
_PLAIN = 1.5


@dataclass(frozen=True, slots=True)
class ComparisonFrame:
    """Where the px of a frame of `size` (width, height) lie: frame px -> reference px, and -> photo px."""

    to_reference: Matrix
    to_photo: Matrix
    size: tuple[int, int]

    @property
    def scale(self) -> float:
        """Photo px per frame px."""
        return local_scale(self.to_photo, Rect(0, 0, *self.size))

    @property
    def pixels(self) -> int:
        """How many px it has."""
        return self.size[0] * self.size[1]

    def window(self, area: Rect, scale: float) -> ComparisonFrame:
        """The frame of `area` (px of this one), with `scale` px for each of this one."""
        size = (max(round(area.w * scale), 8), max(round(area.h * scale), 8))
        into = inverse(shift_scale(area.x, area.y, size[0] / area.w, size[1] / area.h))
        return ComparisonFrame(self.to_reference @ into, self.to_photo @ into, size)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What one comparison saw.

    found: the differing parts in frame px. was, now: the compensated frames, float32 (height, width, 3 or 1).
    shift: by how many frame px more the photo lies off at each px (height, width, 2), None where it does not.
    radius: px of the frame that an edge may be off. light: the photo's, across the frame. usual: by how many
    grey levels the frames differ, the median.
    """

    found: list[boxes.DifferencePart]
    frame: ComparisonFrame
    was: Floats
    now: Floats
    shift: Floats | None
    radius: int
    light: Light
    usual: float


@dataclass(frozen=True, slots=True)
class Examined:
    """A comparison before its findings are weighed.

    looks: the region as a whole, and windows of a large one at full resolution. threshold: the strength that
    a part had to exceed. scanned, bilevel: as in `Search`.
    """

    looks: list[Comparison]
    alignment: Alignment
    scanned: bool
    bilevel: bool
    threshold: float

    @property
    def found(self) -> list[boxes.DifferencePart]:
        """All differing parts, each in px of its look."""
        return [part for view in self.looks for part in view.found]

    @property
    def pixels(self) -> int:
        """How many px the region as a whole was compared at."""
        return self.looks[0].frame.pixels


@dataclass(frozen=True, slots=True)
class Search:
    """What a look is to find: parts stronger than `threshold` and at least `least` px of the frame long.

    allowed: takes the px that the photo shows (255 on 0) to those in which findings are search. wanders: the
    photo may lie off by more than the homography says. scanned: both are black and white. bilevel: the
    reference alone is. bend: of the photo's lens, see `lens`.
    """

    threshold: float
    least: float
    allowed: Callable[[Bytes], Bytes]
    wanders: bool
    scanned: bool
    bilevel: bool
    bend: float = 0.0


def compare(
    reference: Pyramid, photo: Pyramid, frame: ComparisonFrame, search: Search, light: Light | None = None
) -> Comparison | None:
    """Compare a frame of the two pictures (both BGR or both grey); None when they differ nearly everywhere.

    light: of the photo within the frame, where it is known; otherwise it is measured.
    """
    (known, _), (seen, valid) = side_by_side(
        [
            partial(_seen, reference, frame.to_reference, frame.size),
            partial(_seen, photo, frame.to_photo, frame.size, search.bend),
        ]
    )
    white = _white(known)
    was, now = known.astype(np.float32), seen.astype(np.float32)
    if not valid.all():
        square = np.ones((5, 5), np.uint8)
        valid = np.asarray(cv2.erode(valid, square, borderType=cv2.BORDER_REPLICATE), np.uint8)
    valid = _without_rim(valid, frame, reference.size)
    shift = residual_warp.leftover(_grey(was), _grey(now), valid, search.scanned) if search.wanders else None
    if shift is not None:
        now, valid = residual_warp.moved(now, shift), residual_warp.still_seen(valid, shift)
    if search.bend:
        bent = lens.shift(frame.to_photo, frame.size, photo.size, search.bend)
        shift = bent if shift is None else shift + bent
    if search.bilevel:
        was = match_width(was, now, valid)
    was, now = match_focus(was, now, valid)
    measured = light is None
    if light is None:
        was, light = match_light(was, now, valid, search.scanned, search.bilevel)
    else:
        was = light.shaded(light.on(was), now)
    if white is not None:
        # The reference may have been any brighter there; a photo exposed less tells by how much.
        brighter = np.clip(now, was, was * _BEYOND_WHITE)
        was = np.where(white, brighter, was)
    if measured and not search.bilevel and not search.scanned:
        light = replace(light, glare=highlights.find(was, now, valid))
    hidden = light.glare.hidden(valid) if measured and light.glare is not None else None
    was = light.glaring(was, now)
    difference = differ(was, now, valid, search.scanned or search.bilevel)
    if _strange(difference, valid, search.threshold):
        return None
    allowed = search.allowed(valid)
    found = boxes.difference_parts(difference, allowed, search.threshold, search.least)
    if hidden is not None:
        found += boxes.hidden_parts(cv2.copyTo(hidden, allowed), search.threshold)
    usual = _usual_difference(was, now, valid)
    return Comparison(found, frame, was, now, shift, difference.radius, light, usual)


def _usual_difference(was: Floats, now: Floats, valid: Bytes) -> float:
    """The median difference in grey levels, of the channel that differs most, where the photo is seen."""
    step = int(np.ceil(np.sqrt(valid.size / _SAMPLES)))
    off = differences(was, now, step)[valid[::step, ::step] > 0]
    return ranked(off, off.size // 2) if off.size else 0.0


def _without_rim(valid: Bytes, frame: ComparisonFrame, reference_size: tuple[int, int]) -> Bytes:
    """`valid` without the rim of the reference image, unless the photo is about a cut-out of what it shows.

    The photo may show what lies beyond the edge of the reference image, blurred into the rim.
    """
    moved = apply(frame.to_photo, corners(Rect(0, 0, *frame.size)))
    if np.abs(moved - moved[0] - corners(Rect(0, 0, *frame.size))).max() < _PLAIN:
        return valid
    inner = Rect(_RIM, _RIM, reference_size[0] - 2 * _RIM, reference_size[1] - 2 * _RIM)
    ((left, top), (right, bottom)) = apply(
        inverse(frame.to_reference), np.array([[inner.x, inner.y], [inner.right, inner.bottom]])
    ).tolist()
    within = valid.copy()
    within[: max(round(top), 0)] = within[max(round(bottom), 0) :] = 0
    within[:, : max(round(left), 0)] = within[:, max(round(right), 0) :] = 0
    return within


def _seen(image: Pyramid, to_image: Matrix, size: tuple[int, int], bend: float = 0.0) -> tuple[Bytes, Bytes]:
    seen, valid = lens.seen(image, to_image, size, bend, cv2.INTER_CUBIC, 1.9)
    return seen if seen.ndim == 3 else seen[..., None], valid


def _white(image: Bytes) -> NDArray[np.bool_] | None:
    """Where the picture is as bright as it can say, per channel; None where it is nowhere."""
    if image.max() < _WHITE:
        return None
    white = cv2.dilate(image, np.ones((3, 3), np.uint8)) >= _WHITE
    return np.asarray(white, np.bool_).reshape(image.shape)


def _grey(image: Floats) -> Floats:
    return (
        image[..., 0]
        if image.shape[2] == 1
        else np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.float32)
    )


def _strange(difference: Difference, valid: Bytes, threshold: float) -> bool:
    # Both maps are 0 where the photo does not show the frame.
    changed = np.count_nonzero((difference.strength > threshold) & (difference.raw > 12))
    return bool(changed > _MOST_CHANGED * np.count_nonzero(valid)) or not valid.any()
