"""Implements the built-in model: compares a photo with its marked region of the reference image."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial, reduce

import numpy as np

from service.detection.reference_difference.alignment.align import align
from service.detection.reference_difference.data import (
    AlignmentFailed,
    Bytes,
    DetectedDifference,
    Matrix,
    Parameters,
    Pyramid,
    Result,
    SuppressedDifference,
    apply,
    grey,
    inverse,
    local_scale,
    shift_scale,
)
from service.detection.reference_difference.difference import fine_search
from service.detection.reference_difference.difference.boxes import DifferencePart
from service.detection.reference_difference.difference.comparison import (
    Comparison,
    ComparisonFrame,
    Examined,
    Search,
    compare,
)
from service.detection.reference_difference.difference.confidence import confidence
from service.detection.reference_difference.difference.labels import label
from service.detection.reference_difference.light.light import Light
from service.detection.reference_difference.variation.appearance import difference_of
from service.detection.reference_difference.variation.judging import judge, surer
from service.detection.reference_difference.variation.memory import (
    MOST_APPEARANCES,
    MOST_FAINT,
    Appearance,
    PhotoVariation,
    RegionMemory,
)
from shared.geometry import Rect
from shared.images.cv import cv2
from shared.wire.memory import MemoryKind

VERSION = 1
# px of a frame that is compared at once at full resolution, and of one that stands for a larger one: what is
# thin is looked for again in `fine`.
_MOST_AT_ONCE = 6_000_000
_AT_ONCE = 3_000_000
# px of the photo; where the homography fits better than this, nothing is left that wanders.
_SETTLED = 0.1
# A box reaches beyond the pixels that differ by two thirds of the tolerance for edges, since about so much of
# a defect cannot be distinguished from its edge, and by a share of its shorter side (px).
_RIM = 0.65
_RIM_SHARE = 0.1
_MOST_RIM_SHARE = 3.0
# In black-and-white scans a threshold has moved every edge by some px, and boxes are drawn wide: those of
# DeepPCB (Tang et al. 2019) leave about 8 px around what changed. This much (px of the photo) fits boxes that
# leave 5 to 10.
_SCAN_RIM = 5.5
_SCAN_SHARE = 0.95
# Drawn or resampled, what is bilevel has grey edges.
_BILEVEL_SHARE = 0.85
# Edges are grey between black and white, so the rarer of the two covers at least about so much of what is
# grey. A night sky has many more tones than lights.
_LESSER_TO_GREY = 0.25
# Grey levels by which the channels of a picture lie apart that has colour, and up to which it can have none.
_TINT = 9
_GREY = 5
# Grey levels of the brightest channel up to which a tint is not seen.
_DARK = 32
# Without findings a photo passes, so then the alignment must be beyond doubt (see `checks.BELONGS`).
_LEAST_TO_PASS = 0.75
# The confidence from which something at a place that never varied may become a finding, and from which a
# place is one that varies.
_FAINT = 0.25


def detect(
    reference: Bytes,
    region: Rect,
    photo: Bytes,
    parameters: Parameters | None = None,
    start: Matrix | None = None,
    memory: RegionMemory | None = None,
) -> Result:
    """Compare `photo` with `region` (px) of `reference`; both BGR uint8, upright.

    The photo may show the whole reference, the region, or anything between. Boxes are in px of the photo,
    clipped to it, the most confident first. `start` is the alignment that a person set, see `align`. What
    `memory` explains is suppressed; without one, or with one of no photos, the result is the same. Raises
    AlignmentFailed when the photo does not show the region.
    """
    begun = time.perf_counter()
    wanted = parameters or Parameters()
    seen = examine(reference, region, photo, wanted, start)
    size = (photo.shape[1], photo.shape[0])
    reported_differences, suppressed = [], []
    known = memory if memory is not None and memory.photos else None
    today = () if known is None else appearances(reported(seen, wanted.min_confidence))
    for view, part, sure in reported(seen, wanted.min_confidence if known is None else _FAINT):
        judged = (
            None
            if known is None or sure < wanted.min_confidence
            else judge(known, today, part, view, seen, sure)
        )
        if judged is None and known is not None:
            sure = surer(known, part, view, sure)
        box = in_photo(part, view, seen.scanned, size)
        if sure < wanted.min_confidence or box.empty:
            continue
        one = DetectedDifference(label(part, view.was, view.now), sure, box)
        if judged is None:
            reported_differences.append(one)
        elif judged.rest is None or judged.sure < wanted.min_confidence:
            suppressed.append(SuppressedDifference(one, judged.sure, judged.photos))
        else:
            box = in_photo(judged.rest, view, seen.scanned, size)
            reported_differences.append(
                DetectedDifference(label(judged.rest, view.was, view.now), judged.sure, box)
            )
    doubted = start is None and seen.alignment.inliers and seen.alignment.score < _LEAST_TO_PASS
    if not reported_differences and not suppressed and doubted:
        raise AlignmentFailed("no_match")
    reported_differences.sort(key=lambda one: -one.confidence)
    suppressed.sort(key=lambda one: -one.difference.confidence)
    return Result(tuple(reported_differences), seen.alignment, time.perf_counter() - begun, tuple(suppressed))


def photo_variation(
    reference: Bytes,
    region: Rect,
    photo: Bytes,
    key: str,
    order: float,
    parameters: Parameters | None = None,
    start: Matrix | None = None,
    kind: MemoryKind = MemoryKind.PASSED,
    judged: Sequence[Rect] = (),
    without: Sequence[Rect] = (),
) -> PhotoVariation:
    """What `photo` adds to the memory of the region: the differences that are reported without a memory.

    A difference too faint to be reported was seen by nobody, so a photo that a person passed permits none.
    key, order, kind: of the photo, see `PhotoVariation`. judged: px of a photo that did not pass, where a
    person rejected or confirmed findings; nothing else of it counts. What a person confirmed counts however
    faint it is. without: px of the photo where a person kept a finding. Raises AlignmentFailed.
    """
    wanted = parameters or Parameters()
    seen = examine(reference, region, photo, wanted, start)
    size = (photo.shape[1], photo.shape[0])
    found, faint = [], []
    for view, part, sure in reported(seen, min(_FAINT, wanted.min_confidence)):
        box = in_photo(part, view, seen.scanned, size)
        if any(_is_same(box, other) for other in without):
            continue
        if kind is not MemoryKind.PASSED and not any(_is_same(box, other) for other in judged):
            continue
        if sure >= wanted.min_confidence or kind is MemoryKind.FAILED:
            found.append((view, part, sure))
        elif kind is MemoryKind.PASSED:
            faint.append((view, part, sure))
    faint = sorted(faint, key=lambda one: -one[2])[:MOST_FAINT]
    places = tuple(difference_of(part, view)[0] for view, part, _ in faint)
    return PhotoVariation(key, order, appearances(found), kind, places)


def appearances(found: Iterable[tuple[Comparison, DifferencePart, float]]) -> tuple[Appearance, ...]:
    """How parts look in px and light of the reference image, of the most confident ones."""
    chosen = sorted(found, key=lambda one: -one[2])[:MOST_APPEARANCES]
    return tuple(Appearance.of(*difference_of(part, view)[:2]) for view, part, _ in chosen)


def _is_same(box: Rect, other: Rect) -> bool:
    return box.intersection(other).area >= 0.5 * min(box.area, other.area) > 0


def reported(seen: Examined, least: float) -> Iterator[tuple[Comparison, DifferencePart, float]]:
    """The parts with a confidence of `least` or more without a memory, each with its look and confidence."""
    for view in seen.looks:
        for part in view.found:
            sure = confidence(part, view, seen)
            if sure >= least:
                yield view, part, sure


def examine(
    reference: Bytes, region: Rect, photo: Bytes, wanted: Parameters, start: Matrix | None = None
) -> Examined:
    """The steps of `detect` up to the differing parts. Raises AlignmentFailed."""
    area = region.clamped(reference.shape[1], reference.shape[0])
    grey_levels = Pyramid(grey(reference)), Pyramid(grey(photo))
    alignment = align(grey_levels[0], area, grey_levels[1], start)
    levels = (Pyramid(reference), Pyramid(photo)) if _in_colour(reference, photo) else grey_levels
    scanned = _black_and_white(reference) and _black_and_white(photo)
    bilevel = not scanned and _black_and_white(reference, _BILEVEL_SHARE)
    threshold = 6.0 * 4.0 ** (0.5 - wanted.sensitivity)

    def compared(frame: ComparisonFrame, light: Light | None = None) -> Comparison | None:
        search = Search(
            threshold,
            _least(wanted, 1 / frame.to_reference[0, 0]),
            partial(_allowed, wanted=wanted, to_frame=inverse(frame.to_reference)),
            alignment.error_px > _SETTLED,
            scanned,
            bilevel,
            alignment.bend,
        )
        return compare(*levels, frame, search, light)

    full = _frame(area, alignment.homography)
    coarse = np.sqrt(_AT_ONCE / full.pixels) if full.pixels > _MOST_AT_ONCE else 1.0
    first = compared(full.window(Rect(0, 0, *full.size), coarse))
    if first is None:
        raise AlignmentFailed("too_different")
    looks = [first]
    if full.pixels > first.frame.pixels:
        again = [compared(*window) for window in fine_search.windows(*grey_levels, first, full)]
        looks = fine_search.combined(first, [seen for seen in again if seen is not None])
    return Examined(looks, alignment, scanned, bilevel, threshold)


def _frame(area: Rect, homography: Matrix) -> ComparisonFrame:
    """The region at the coarser of the two resolutions."""
    scale = min(1.0, local_scale(homography, area))
    scale = 1.0 if scale > 0.97 else scale
    size = (max(round(area.w * scale), 8), max(round(area.h * scale), 8))
    to_reference = inverse(shift_scale(area.x, area.y, size[0] / area.w, size[1] / area.h))
    return ComparisonFrame(to_reference, homography @ to_reference, size)


def _in_colour(reference: Bytes, photo: Bytes) -> bool:
    """Whether there is colour to compare: one of the two has it, and the other could have shown it."""
    small = [np.ascontiguousarray(image[::4, ::4]) for image in (reference, photo)]
    if max(int(_spread(image).max()) for image in small) <= _TINT:
        return False
    # Noise has colour too, but not in the mean. A small stain may be all the colour that there is.
    soft = [np.asarray(cv2.blur(image, (5, 5)), np.uint8) for image in small]
    grey, coloured = sorted(soft, key=lambda image: float(_spread(image).mean()))
    if _spread(grey).max() > _GREY:
        return True
    # The dark part of a picture has no colour, whatever the rest has.
    shown = _spread(coloured)[coloured.max(axis=2) > _DARK]
    return bool(not shown.size or np.quantile(shown, 0.75) <= _TINT)


def _spread(image: Bytes) -> Bytes:
    """How far the channels lie apart at each px, in grey levels."""
    channels = cv2.split(image)
    return np.asarray(cv2.subtract(reduce(cv2.max, channels), reduce(cv2.min, channels)), np.uint8)


def _black_and_white(image: Bytes, share: float = _SCAN_SHARE) -> bool:
    """Whether a scanner made it that knows only black and white; resampled, its edges would be grey.

    share: of the pixels that are black or white, where less than all but a few will do.
    """
    counts = np.bincount(image[::4, ::4, 1].ravel(), minlength=256)
    black, white, every = int(counts[:24].sum()), int(counts[232:].sum()), int(counts.sum())
    grey_levels = every - black - white
    return black + white >= share * every and min(black, white) > _LESSER_TO_GREY * grey_levels


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


def in_photo(part: DifferencePart, seen: Comparison, scanned: bool, photo_size: tuple[int, int]) -> Rect:
    """The bounds in the photo of the part's own pixels (not of its turned box), and its rim."""
    hull = cv2.convexHull(cv2.findNonZero(part.mask.view(np.uint8))).reshape(-1, 2).astype(np.float64)
    rims = np.array([(0, 0), (0, 1), (1, 0), (1, 1)], np.float64)
    hull = (hull[:, None, :] + rims[None]).reshape(-1, 2) + np.array([part.box.x, part.box.y])
    if seen.shift is not None:
        x, y = (int(v) for v in hull.mean(axis=0))
        hull += seen.shift[y, x]
    there = apply(seen.frame.to_photo, hull)
    (x1, y1), (x2, y2) = there.min(axis=0), there.max(axis=0)
    rim = _RIM * seen.radius * seen.frame.scale + min(_RIM_SHARE * min(x2 - x1, y2 - y1), _MOST_RIM_SHARE)
    rim = max(rim, _SCAN_RIM) if scanned else rim
    box = Rect(x1 - rim, y1 - rim, x2 - x1 + 2 * rim, y2 - y1 + 2 * rim).clamped(*photo_size)
    return Rect(*(round(float(value), 1) for value in (box.x, box.y, box.w, box.h)))
