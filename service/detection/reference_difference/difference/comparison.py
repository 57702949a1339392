"""Compares one frame: a window of the reference and its place in the photo, at one resolution.

In this package `was` is the compensated reference image, and `now` the photo.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.alignment import lens, residual_warp
from service.detection.reference_difference.data import (
    Alignment,
    AlignmentFailed,
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
from service.detection.reference_difference.difference.compensate import match_light
from service.detection.reference_difference.difference.difference import Difference, differ
from service.detection.reference_difference.difference.focus import match_focus, match_width
from service.detection.reference_difference.difference.sampling import differences, value_at_rank
from service.detection.reference_difference.light import highlights
from service.detection.reference_difference.light.light import Light
from service.detection.reference_difference.threads import run_parallel
from shared.images.cv import cv2
from shared.record.geometry import Rect

_MAX_CHANGED = 0.5
# Grey levels from which a picture counts as clipped, and the factor by which the clipped surface may be
# brighter.
_WHITE = 250
_BEYOND_WHITE = 1.25
# The share of the region up to which glare or exposure may hide it. Three highlights hide up to 0.05.
_MAX_HIDDEN = 0.1
# About the number of px from which the usual difference is computed.
_SAMPLES = 5_000
# px along the edge of the reference image that are not compared, and the px by which a photo may deviate from
# a plain cut-out of it without this.
_RIM = 5
_PLAIN = 1.5


@dataclass(frozen=True)
class ComparisonFrame:
    """A frame of `size` (width, height) with its homographies: frame px -> reference px, and -> photo px."""

    to_reference: Matrix
    to_photo: Matrix
    size: tuple[int, int]

    @cached_property
    def scale(self) -> float:
        """Photo px per frame px."""
        return local_scale(self.to_photo, Rect(0, 0, *self.size))

    @property
    def pixels(self) -> int:
        """The number of its px."""
        return self.size[0] * self.size[1]

    def window(self, area: Rect, scale: float) -> ComparisonFrame:
        """The frame of `area` (px of this frame), with `scale` px for each px of this frame."""
        size = (max(round(area.w * scale), 8), max(round(area.h * scale), 8))
        into = inverse(shift_scale(area.x, area.y, size[0] / area.w, size[1] / area.h))
        return ComparisonFrame(self.to_reference @ into, self.to_photo @ into, size)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of comparing one frame.

    found: the differing parts in frame px. was, now: the compensated frames, float32 (height, width, 3 or 1).
    shift: the remaining shift of the photo at each px (height, width, 2), in frame px; None without one.
    radius: px of the frame that an edge may be off. light: of the photo across the frame. usual: the median
    difference of the frames in grey levels.
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
    """The comparisons of a pair before their parts are weighed.

    looks: the comparison of the whole region, and those of windows of a large one at full resolution.
    threshold: the strength that a part had to exceed. scanned, bilevel: as in `Search`.
    """

    looks: list[Comparison]
    alignment: Alignment
    scanned: bool
    bilevel: bool
    threshold: float

    @property
    def found(self) -> list[boxes.DifferencePart]:
        """All differing parts, each in px of the frame of its comparison."""
        return [part for view in self.looks for part in view.found]

    @property
    def pixels(self) -> int:
        """The number of px at which the whole region was compared."""
        return self.looks[0].frame.pixels


@dataclass(frozen=True, slots=True)
class Search:
    """The parameters of a comparison. It finds parts above `threshold` that are at least `least` px long.

    allowed: takes the mask of the px that the photo shows (255 on 0) and returns the mask of those in which
    parts are searched. wanders: the photo may deviate from the homography. scanned: both pictures are black
    and white. bilevel: only the reference image is. bend: of the photo's lens, see `lens`.
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
    """Compare a frame of the two pictures (both BGR or both grey); None if they differ nearly everywhere.

    light: of the photo within the frame, if it is known; otherwise it is measured. Raises AlignmentFailed.
    """
    (known, _), (seen, valid) = run_parallel(
        [
            partial(_view, reference, frame.to_reference, frame.size),
            partial(_view, photo, frame.to_photo, frame.size, search.bend),
        ]
    )
    white = _clipped_white(known)
    if light is None and not (search.scanned or search.bilevel) and _is_hidden(known, seen, valid):
        raise AlignmentFailed("overexposed")
    was, now = known.astype(np.float32), seen.astype(np.float32)
    if not valid.all():
        square = np.ones((5, 5), np.uint8)
        valid = np.asarray(cv2.erode(valid, square, borderType=cv2.BORDER_REPLICATE), np.uint8)
    valid = _without_rim(valid, frame, reference.size)
    shift = (
        residual_warp.residual_shift(_grey(was), _grey(now), valid, search.scanned)
        if search.wanders
        else None
    )
    if shift is not None:
        now, valid = residual_warp.shift_image(now, shift), residual_warp.visible_after(valid, shift)
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
        was = light.apply_shade(light.apply(was), now)
    if white is not None:
        # The surface may be brighter than the reference shows, and a darker photo shows by how much.
        brighter = np.minimum(np.maximum(now, was), was * np.float32(_BEYOND_WHITE))
        was = np.asarray(cv2.copyTo(brighter, white, was.copy()), np.float32).reshape(was.shape)
    if measured and not search.bilevel and not search.scanned:
        light = replace(light, glare=highlights.find(was, now, valid, light.glare))
    hidden = light.glare.hidden(valid) if measured and light.glare is not None else None
    if hidden is not None and _is_too_much(hidden, valid):
        raise AlignmentFailed("overexposed")
    was = light.apply_glare(was, now)
    difference = differ(was, now, valid, search.scanned or search.bilevel)
    if _differs_nearly_everywhere(difference, valid, search.threshold):
        return None
    allowed = search.allowed(valid)
    found = boxes.difference_parts(difference, allowed, search.threshold, search.least)
    if hidden is not None:
        found += boxes.hidden_parts(cv2.copyTo(hidden, allowed), search.threshold)
    usual = _usual_difference(was, now, valid)
    return Comparison(found, frame, was, now, shift, difference.radius, light, usual)


def _usual_difference(was: Floats, now: Floats, valid: Bytes) -> float:
    """The median difference in grey levels of the channel that differs most, where the photo is visible."""
    step = int(np.ceil(np.sqrt(valid.size / _SAMPLES)))
    off = differences(was, now, step)[valid[::step, ::step] > 0]
    return value_at_rank(off, off.size // 2) if off.size else 0.0


def _without_rim(valid: Bytes, frame: ComparisonFrame, reference_size: tuple[int, int]) -> Bytes:
    """`valid` without the rim of the reference image, unless the photo is almost a plain cut-out of it.

    In the photo, what is beyond the edge of the reference image may be blurred into the rim.
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


def _view(image: Pyramid, to_image: Matrix, size: tuple[int, int], bend: float = 0.0) -> tuple[Bytes, Bytes]:
    seen, valid = lens.view(image, to_image, size, bend, cv2.INTER_CUBIC, 1.9)
    return seen if seen.ndim == 3 else seen[..., None], valid


def _clipped_white(image: Bytes) -> Bytes | None:
    """A mask of the px at which the picture is clipped at white, per channel; None if there are none."""
    if image.max() < _WHITE:
        return None
    white = cv2.dilate(image, np.ones((3, 3), np.uint8)) >= _WHITE
    return np.asarray(white, np.uint8).reshape(image.shape)


def _is_hidden(known: Bytes, seen: Bytes, valid: Bytes) -> bool:
    """Whether too much is white in every channel of the photo, and clearly darker in the reference."""
    if seen.max() < _WHITE:
        return False
    hidden = (seen.min(axis=2) >= _WHITE) & (known.min(axis=2) < _WHITE / _BEYOND_WHITE) & (valid > 0)
    return _is_too_much(hidden, valid)


def _is_too_much(hidden: Bytes | NDArray[np.bool_], valid: Bytes) -> bool:
    """Whether more is hidden than the rest of the region can speak for."""
    return bool(np.count_nonzero(hidden) > _MAX_HIDDEN * np.count_nonzero(valid))


def _grey(image: Floats) -> Floats:
    return (
        image[..., 0]
        if image.shape[2] == 1
        else np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.float32)
    )


def _differs_nearly_everywhere(difference: Difference, valid: Bytes, threshold: float) -> bool:
    # Both maps are 0 where the photo does not show the frame.
    changed = np.count_nonzero((difference.strength > threshold) & (difference.raw > 12))
    return bool(changed > _MAX_CHANGED * np.count_nonzero(valid)) or not valid.any()
