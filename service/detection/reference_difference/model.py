"""The built-in model: compares a photo with the marked region of its reference image, without training."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

import numpy as np

from service.detection.reference_difference import boxes, settle
from service.detection.reference_difference.align import align
from service.detection.reference_difference.compensate import match_focus, match_light
from service.detection.reference_difference.confidence import confidence
from service.detection.reference_difference.difference import differ
from service.detection.reference_difference.labels import label
from service.detection.reference_difference.parts import (
    Alignment,
    AlignmentFailed,
    Bytes,
    Floats,
    Found,
    Matrix,
    Parameters,
    Pyramid,
    Result,
    apply,
    grey,
    inside_mask,
    inverse,
    local_scale,
    shift_scale,
)
from service.detection.reference_difference.threads import side_by_side
from shared.cv import cv2
from shared.geometry import Rect

VERSION = 1
_MOST_PIXELS = 4_000_000
_MOST_CHANGED = 0.5
# px of the photo; where the homography fits better than this, nothing is left that wanders.
_SETTLED = 0.1
# A box reaches beyond the pixels that differ by two thirds of the tolerance for edges, since about so much of
# a defect can not be told from its edge, and by a share of its shorter side (px).
_RIM = 0.65
_RIM_SHARE = 0.1
_MOST_RIM_SHARE = 3.0
# In black-and-white scans a threshold has moved every edge by some px, and boxes are drawn wide: those of
# DeepPCB (Tang et al. 2019) leave about 8 px around what changed. This (px of the photo) fits both.
_SCAN_RIM = 4.5
_SCAN_SHARE = 0.95
# Without findings a photo passes, so then the alignment must be beyond doubt (see `align._BELONGS`).
_LEAST_TO_PASS = 0.75


@dataclass(frozen=True, slots=True)
class Examined:
    """A comparison before its findings are weighed.

    found: the differing parts in frame px. was, now: the compensated frames, float32 (height, width, 3 or 1).
    to_photo: frame px -> photo px. shift: by how many frame px more the photo lies off at each px (height,
    width, 2), None where it does not. radius: px of the frame that an edge may be off. scale: photo px per
    frame px. threshold: the strength that a part had to exceed.
    """

    found: list[boxes.Part]
    alignment: Alignment
    was: Floats
    now: Floats
    to_photo: Matrix
    shift: Floats | None
    radius: int
    scale: float
    scanned: bool
    threshold: float


def detect(
    reference: Bytes,
    region: Rect,
    photo: Bytes,
    parameters: Parameters | None = None,
    start: Matrix | None = None,
) -> Result:
    """Compare `photo` with `region` (px) of `reference`; both BGR uint8, upright.

    The photo may show the whole reference, the region, or anything between. Boxes are in px of the photo,
    clipped to it, the most confident first. `start` is the alignment that a person set, see `align`. Raises
    AlignmentFailed when the photo does not show the region.
    """
    begun = time.perf_counter()
    wanted = parameters or Parameters()
    seen = examine(reference, region, photo, wanted, start)
    size = (photo.shape[1], photo.shape[0])
    kept = []
    for part in seen.found:
        sure = confidence(part, seen.found, seen.threshold)
        box = in_photo(part, seen, size)
        if sure >= wanted.min_confidence and not box.empty:
            kept.append(Found(label(part, seen.was, seen.now), sure, box))
    doubted = start is None and seen.alignment.inliers and seen.alignment.score < _LEAST_TO_PASS
    if not kept and doubted:
        raise AlignmentFailed("no_match")
    kept.sort(key=lambda one: -one.confidence)
    return Result(tuple(kept), seen.alignment, time.perf_counter() - begun)


def examine(
    reference: Bytes, region: Rect, photo: Bytes, wanted: Parameters, start: Matrix | None = None
) -> Examined:
    """The steps of `detect` up to the differing parts. Raises AlignmentFailed."""
    area = region.clamped(reference.shape[1], reference.shape[0])
    reference_levels, photo_levels = Pyramid(reference), Pyramid(photo)
    alignment = align(Pyramid(grey(reference)), area, Pyramid(grey(photo)), start)
    to_reference, size = _frame(area, alignment.homography)
    to_photo = alignment.homography @ to_reference
    was, now = side_by_side(
        [
            partial(_seen, reference_levels, to_reference, size),
            partial(_seen, photo_levels, to_photo, size),
        ]
    )
    if not (_coloured(was) or _coloured(now)):
        was, now = was[..., 1:2].copy(), now[..., 1:2].copy()
    scanned = _black_and_white(reference) and _black_and_white(photo)
    valid = inside_mask(to_photo, size, photo_levels.size)
    valid = np.asarray(cv2.erode(valid, np.ones((5, 5), np.uint8), borderType=cv2.BORDER_REPLICATE), np.uint8)
    shift = None
    if alignment.error_px > _SETTLED:
        shift = settle.leftover(_grey(was), _grey(now), valid)
    if shift is not None:
        now = settle.moved(now, shift)
    was, now = match_focus(was, now, valid)
    was = match_light(was, now, valid)
    difference = differ(was, now, valid, scanned)
    threshold = 6.0 * 4.0 ** (0.5 - wanted.sensitivity)
    _refuse_strangers(difference.strength, difference.raw, valid, threshold)
    allowed = _allowed(valid, wanted, inverse(to_reference))
    found = boxes.parts(difference, allowed, threshold, _least(wanted, 1 / to_reference[0, 0]))
    scale = local_scale(to_photo, Rect(0, 0, *size))
    return Examined(found, alignment, was, now, to_photo, shift, difference.radius, scale, scanned, threshold)


def _frame(area: Rect, homography: Matrix) -> tuple[Matrix, tuple[int, int]]:
    """The frame of the comparison: the region at the coarser of the two resolutions, within a limit."""
    scale = min(1.0, local_scale(homography, area), np.sqrt(_MOST_PIXELS / area.area))
    scale = 1.0 if scale > 0.97 else scale
    size = (max(round(area.w * scale), 8), max(round(area.h * scale), 8))
    return inverse(shift_scale(area.x, area.y, size[0] / area.w, size[1] / area.h)), size


def _seen(image: Pyramid, to_image: Matrix, size: tuple[int, int]) -> Floats:
    return image.warped(to_image, size, cv2.INTER_CUBIC, 1.9).astype(np.float32)


def _grey(image: Floats) -> Floats:
    return (
        image[..., 0]
        if image.shape[2] == 1
        else np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.float32)
    )


def _coloured(image: Floats) -> bool:
    part = image[::4, ::4]
    return bool(np.abs(part - part.mean(axis=2, keepdims=True)).max() > 6)


def _black_and_white(image: Bytes) -> bool:
    """Whether a scanner made it that knows only black and white; resampled, its edges would be grey."""
    part = image[::4, ::4]
    return float(np.mean((part < 24) | (part > 231))) >= _SCAN_SHARE and float(np.ptp(part)) > 207


def _refuse_strangers(strength: Floats, raw: Floats, valid: Bytes, threshold: float) -> None:
    # Both maps are 0 where the photo does not show the frame.
    changed = np.count_nonzero((strength > threshold) & (raw > 12))
    if changed > _MOST_CHANGED * np.count_nonzero(valid) or not valid.any():
        raise AlignmentFailed("too_different")


def _allowed(valid: Bytes, wanted: Parameters, to_frame: Matrix) -> Bytes:
    if not wanted.ignored:
        return valid
    allowed = valid.copy()
    for rect in wanted.ignored:
        (x1, y1), (x2, y2) = apply(to_frame, np.array([[rect.x, rect.y], [rect.right, rect.bottom]]))
        allowed[max(int(y1), 0) : max(int(np.ceil(y2)), 0), max(int(x1), 0) : max(int(np.ceil(x2)), 0)] = 0
    return allowed


def _least(wanted: Parameters, scale: float) -> float:
    if wanted.smallest is None:
        return 3.0
    in_reference = wanted.smallest / wanted.mm_per_pixel if wanted.mm_per_pixel else wanted.smallest
    return max(in_reference * scale, 2.0)


def in_photo(part: boxes.Part, seen: Examined, photo_size: tuple[int, int]) -> Rect:
    """The bounds in the photo of the part's own pixels (not of its turned box), and its rim."""
    rows, columns = np.nonzero(part.mask)
    points = np.stack([columns, rows], axis=1).astype(np.int32)
    hull = cv2.convexHull(points).reshape(-1, 2).astype(np.float64)
    rims = np.array([(0, 0), (0, 1), (1, 0), (1, 1)], np.float64)
    hull = (hull[:, None, :] + rims[None]).reshape(-1, 2) + np.array([part.box.x, part.box.y])
    if seen.shift is not None:
        x, y = (int(v) for v in hull.mean(axis=0))
        hull += seen.shift[y, x]
    there = apply(seen.to_photo, hull)
    (x1, y1), (x2, y2) = there.min(axis=0), there.max(axis=0)
    rim = _RIM * seen.radius * seen.scale + min(_RIM_SHARE * min(x2 - x1, y2 - y1), _MOST_RIM_SHARE)
    rim = max(rim, _SCAN_RIM) if seen.scanned else rim
    box = Rect(x1 - rim, y1 - rim, x2 - x1 + 2 * rim, y2 - y1 + 2 * rim).clamped(*photo_size)
    return Rect(*(round(float(value), 1) for value in (box.x, box.y, box.w, box.h)))
