"""Implements the built-in model: compares a photo with its marked region of the reference image."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial, reduce

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.alignment.align import align
from service.detection.reference_difference.data import (
    AlignmentFailed,
    Bytes,
    DetectedDifference,
    Floats,
    Matrix,
    Parameters,
    Pyramid,
    Result,
    SuppressedDifference,
    apply,
    foreshortening,
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
from service.detection.reference_difference.difference.confidence import confidence, label
from service.detection.reference_difference.difference.sampling import thin
from service.detection.reference_difference.light.direction import is_lit_from_aside
from service.detection.reference_difference.light.light import Light
from service.detection.reference_difference.threads import in_order_if_small
from service.detection.reference_difference.variation.appearance import difference_of
from service.detection.reference_difference.variation.judging import Judgement, judge
from service.detection.reference_difference.variation.memory import (
    MAX_APPEARANCES,
    MAX_FAINT,
    Appearance,
    PhotoVariation,
    RegionMemory,
)
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.wire.memory import MemoryKind

VERSION = 1
# The most px of a frame that is compared at full resolution, and the px of the coarse frame of a larger
# region, in which `fine_search` searches thin differences again.
_MAX_AT_ONCE = 6_000_000
_AT_ONCE = 3_000_000
# px of the photo. If the homography fits better, no residual shift is searched.
_SETTLED = 0.1
# A box reaches beyond the differing pixels by about two thirds of the tolerance for edges, in which a defect
# cannot be distinguished from its edge, and by a share of its shorter side (at most these px).
_RIM = 0.65
_RIM_SHARE = 0.1
_MAX_RIM_SHARE = 3.0
# In black-and-white scans a threshold has moved each edge by some px, and annotators draw wide boxes: those
# of DeepPCB (Tang et al. 2019) have a margin of about 8 px (px of the photo).
_SCAN_RIM = 8.0
_SCAN_SHARE = 0.95
# The least share of black and white in a drawn or resampled bilevel picture, which has grey edges.
_BILEVEL_SHARE = 0.85
# The area of the rarer of black and white relative to the grey area, which is edges in a bilevel picture. A
# night sky has much more grey than lights.
_LESSER_TO_GREY = 0.25
# Grey levels between the channels from which a picture has colour, and up to which it can have none.
_TINT = 9
_GREY = 5
# Grey levels of the brightest channel up to which a tint is not visible.
_DARK = 32
# Without findings a photo passes, so then the alignment must be beyond doubt (see `checks.BELONGS`).
_MIN_TO_PASS = 0.75
# The most confidence in a finding under light from another side, the least that is reported by default. Of
# those that had 0.9 and more in photos of damage, a sixth was real on FGCD (Feng et al. 2015).
_MOST_FROM_ASIDE = 0.5
# An oblique photo loses structure along the tilt, which says nothing about the light.
_OBLIQUE = 0.9
_CLIPPED = 250
_MEAN = np.full((1, 3), 1 / 3, np.float32)
# The least confidence of a difference that shows that a repaired place is not clean.
_FAINT = 0.25


def detect(
    reference: Bytes,
    region: Rect,
    photo: Bytes,
    parameters: Parameters | None = None,
    start: Matrix | None = None,
    memory: RegionMemory | None = None,
    once: bool = False,
    levels: Pyramid | None = None,
) -> Result:
    """Compare `photo` with `region` (px) of `reference`; both BGR uint8, upright.

    The photo may show the whole reference, the region, or anything between. Boxes are in px of the photo,
    clipped to it, the most confident first. start: the alignment that a user set, see `align`. memory:
    differences that it explains are suppressed; a memory without photos has no effect. once: those that a
    single photo explains are suppressed too, with what is to be reported `instead` if nothing else confirms
    it. levels: of the grey reference image, see `examine`. Raises AlignmentFailed if the photo does not show
    the region.
    """
    begun = time.perf_counter()
    wanted = parameters or Parameters()
    seen = examine(reference, region, photo, wanted, start, levels)
    size = (photo.shape[1], photo.shape[0])
    reported_differences, suppressed = [], []
    known = memory if memory is not None and memory.photos else None
    today = () if known is None else appearances(reported_parts(seen, wanted.min_confidence))
    for view, part, sure in reported_parts(seen, wanted.min_confidence):
        judgements: list[Judgement | None] = [None]
        if known is not None:
            judgements = [
                judge(known, today, part, view, seen, sure, single)
                for single in ([False, True] if once else [False])
            ]
        judged = judgements[0]
        box = photo_box(part, view, seen.scanned, size)
        if box.is_empty:
            continue
        one = reported = DetectedDifference(label(part, view.was, view.now), sure, box)
        if judged is not None and judged.rest is not None:
            box = photo_box(judged.rest, view, seen.scanned, size)
            rest_label = label(judged.rest, view.was, view.now)
            reported = DetectedDifference(rest_label, judged.sure, box, judged.reason)
        for judgement in judgements:
            if judgement is not None and judgement.is_explained(wanted.min_confidence):
                instead = None if judgement is judged else reported
                suppressed.append(SuppressedDifference(one, judgement.sure, judgement.photos, instead))
                break
        else:
            reported_differences.append(reported)
    doubted = start is None and seen.alignment.inliers and seen.alignment.score < _MIN_TO_PASS
    if not reported_differences and not suppressed and doubted:
        raise AlignmentFailed("no_match")
    reported_differences.sort(key=lambda one: -one.confidence)
    suppressed.sort(key=lambda one: -one.difference.confidence)
    aside = bool(reported_differences or suppressed) and _is_lit_from_aside(seen, region)
    if aside:
        reported_differences = [_doubt(one) for one in reported_differences]
        suppressed = [
            replace(one, difference=_doubt(one.difference), instead=one.instead and _doubt(one.instead))
            for one in suppressed
        ]
    return Result(
        tuple(reported_differences), seen.alignment, time.perf_counter() - begun, tuple(suppressed), aside
    )


def _doubt(difference: DetectedDifference) -> DetectedDifference:
    return replace(difference, confidence=min(difference.confidence, _MOST_FROM_ASIDE))


def _is_lit_from_aside(seen: Examined, region: Rect) -> bool:
    """Whether relief may differ because of the light; False for an oblique photo, and for black and white."""
    if seen.scanned or seen.bilevel or foreshortening(seen.alignment.homography, region) < _OBLIQUE:
        return False
    view = seen.looks[0]
    width, height = (max(side // 2, 1) for side in view.frame.size)
    was, now = (_half(image, (width, height)) for image in (view.was, view.now))
    beside = ((now > 1) & (now < _CLIPPED) & (was < _CLIPPED)).view(np.uint8)
    for part in view.found:
        at = part.box
        beside[int(at.y / 2) : int(at.bottom / 2) + 1, int(at.x / 2) : int(at.right / 2) + 1] = 0
    beside = np.asarray(cv2.erode(beside, np.ones((5, 5), np.uint8)), np.uint8)
    return is_lit_from_aside(was, now, beside)


def _half(image: Floats, size: tuple[int, int]) -> Floats:
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    return np.asarray(small if small.ndim == 2 else cv2.transform(small, _MEAN), np.float32)


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
    describe: Callable[[Pyramid, Matrix], NDArray[np.int8]] | None = None,
    levels: Pyramid | None = None,
) -> PhotoVariation:
    """The contribution of `photo` to the memory of the region: the differences reported without a memory.

    A difference too faint to be reported was not shown to a person, so a passed photo does not permit it.
    key, order, kind: of the photo, see `PhotoVariation`. judged: places, px of the photo, where a person
    rejected or confirmed findings, if the photo did not pass; nothing else of it counts, and confirmed
    findings count however faint they are. without: places, px of the photo, where a person kept a finding.
    describe: gives the look of a photo that passed as a whole, from the photo and its alignment (reference px
    -> photo px). levels: of the grey reference image, see `examine`. Raises AlignmentFailed.
    """
    wanted = parameters or Parameters()
    seen = examine(reference, region, photo, wanted, start, levels)
    size = (photo.shape[1], photo.shape[0])
    found, faint = [], []
    for view, part, sure in reported_parts(seen, min(_FAINT, wanted.min_confidence)):
        box = photo_box(part, view, seen.scanned, size)
        if any(_is_same(box, other) for other in without):
            continue
        if kind is not MemoryKind.PASSED and not any(_is_same(box, other) for other in judged):
            continue
        if sure >= wanted.min_confidence or kind is MemoryKind.FAILED:
            found.append((view, part, sure))
        elif kind is MemoryKind.PASSED:
            faint.append((view, part, sure))
    faint = sorted(faint, key=lambda one: -one[2])[:MAX_FAINT]
    places = tuple(difference_of(part, view)[0] for view, part, _ in faint)
    look = None
    if describe is not None and kind is MemoryKind.PASSED and not without:
        look = describe(Pyramid(photo), seen.alignment.homography)
    return PhotoVariation(key, order, appearances(found), kind, places, look)


def appearances(found: Iterable[tuple[Comparison, DifferencePart, float]]) -> tuple[Appearance, ...]:
    """The appearances of the most confident parts, in px and light of the reference image."""
    chosen = sorted(found, key=lambda one: -one[2])[:MAX_APPEARANCES]
    return tuple(Appearance.of(*difference_of(part, view)[:2]) for view, part, _ in chosen)


def _is_same(box: Rect, other: Rect) -> bool:
    return box.intersection(other).area >= 0.5 * min(box.area, other.area) > 0


def reported_parts(seen: Examined, least: float) -> Iterator[tuple[Comparison, DifferencePart, float]]:
    """The parts with a confidence of at least `least` without a memory, with comparison and confidence."""
    for view in seen.looks:
        for part in view.found:
            sure = confidence(part, view, seen)
            if sure >= least:
                yield view, part, sure


def examine(
    reference: Bytes,
    region: Rect,
    photo: Bytes,
    wanted: Parameters,
    start: Matrix | None = None,
    levels: Pyramid | None = None,
) -> Examined:
    """The steps of `detect` up to the differing parts. Raises AlignmentFailed.

    levels: of the grey reference image, if they are kept with its features for several photos.
    """
    area = region.clamp(reference.shape[1], reference.shape[0])
    grey_levels = levels or Pyramid(grey(reference)), Pyramid(grey(photo))
    alignment = align(grey_levels[0], area, grey_levels[1], start)
    compared = (Pyramid(reference), Pyramid(photo)) if _in_colour(reference, photo) else grey_levels
    scanned = _black_and_white(reference) and _black_and_white(photo)
    bilevel = not scanned and _black_and_white(reference, _BILEVEL_SHARE)
    threshold = 6.0 * 4.0 ** (0.5 - wanted.sensitivity)

    def compare_frame(frame: ComparisonFrame, light: Light | None = None) -> Comparison | None:
        search = Search(
            threshold,
            _shortest_part(wanted, 1 / frame.to_reference[0, 0]),
            partial(_allowed_mask, wanted=wanted, to_frame=inverse(frame.to_reference)),
            alignment.error_px > _SETTLED,
            scanned,
            bilevel,
            alignment.bend,
        )
        with in_order_if_small(frame.pixels):
            return compare(*compared, frame, search, light)

    full = _frame(area, alignment.homography)
    coarse = np.sqrt(_AT_ONCE / full.pixels) if full.pixels > _MAX_AT_ONCE else 1.0
    first = compare_frame(full.window(Rect(0, 0, *full.size), coarse))
    if first is None:
        raise AlignmentFailed("too_different")
    looks = [first]
    if full.pixels > first.frame.pixels:
        again = [compare_frame(*window) for window in fine_search.windows(*grey_levels, first, full)]
        looks = fine_search.combine(first, [seen for seen in again if seen is not None])
    return Examined(looks, alignment, scanned, bilevel, threshold)


def _frame(area: Rect, homography: Matrix) -> ComparisonFrame:
    """The region at the coarser of the two resolutions."""
    scale = min(1.0, local_scale(homography, area))
    scale = 1.0 if scale > 0.97 else scale
    size = (max(round(area.w * scale), 8), max(round(area.h * scale), 8))
    to_reference = inverse(shift_scale(area.x, area.y, size[0] / area.w, size[1] / area.h))
    return ComparisonFrame(to_reference, homography @ to_reference, size)


def _in_colour(reference: Bytes, photo: Bytes) -> bool:
    """Whether there is colour to compare: one picture has colour, and the other could show it."""
    small = [thin(image, 4) for image in (reference, photo)]
    if max(int(_spread(image).max()) for image in small) <= _TINT:
        return False
    # The colour of noise disappears in the mean. A small stain may be the only colour.
    soft = [np.asarray(cv2.blur(image, (5, 5)), np.uint8) for image in small]
    grey, coloured = sorted(soft, key=lambda image: float(_spread(image).mean()))
    if _spread(grey).max() > _GREY:
        return True
    # The dark part of a picture has no colour in any case.
    shown = _spread(coloured)[coloured.max(axis=2) > _DARK]
    return bool(not shown.size or np.quantile(shown, 0.75) <= _TINT)


def _spread(image: Bytes) -> Bytes:
    """The difference of the greatest and the least channel at each px, in grey levels."""
    channels = cv2.split(image)
    return np.asarray(cv2.subtract(reduce(cv2.max, channels), reduce(cv2.min, channels)), np.uint8)


def _black_and_white(image: Bytes, share: float = _SCAN_SHARE) -> bool:
    """Whether the image is black and white, as from a scanner; resampling would make its edges grey.

    share: the least share of pixels that are black or white.
    """
    counts = np.bincount(image[::4, ::4, 1].ravel(), minlength=256)
    black, white, every = int(counts[:24].sum()), int(counts[232:].sum()), int(counts.sum())
    grey_levels = every - black - white
    return black + white >= share * every and min(black, white) > _LESSER_TO_GREY * grey_levels


def _allowed_mask(valid: Bytes, wanted: Parameters, to_frame: Matrix) -> Bytes:
    if not wanted.ignored:
        return valid
    allowed = valid.copy()
    for rect in wanted.ignored:
        (x1, y1), (x2, y2) = apply(to_frame, np.array([[rect.x, rect.y], [rect.right, rect.bottom]]))
        allowed[max(int(y1), 0) : max(int(np.ceil(y2)), 0), max(int(x1), 0) : max(int(np.ceil(x2)), 0)] = 0
    return allowed


def _shortest_part(wanted: Parameters, scale: float) -> float:
    if wanted.smallest is None:
        return 3.0
    in_reference = wanted.smallest / wanted.mm_per_pixel if wanted.mm_per_pixel else wanted.smallest
    return max(in_reference * scale, 2.0)


def photo_box(part: DifferencePart, seen: Comparison, scanned: bool, photo_size: tuple[int, int]) -> Rect:
    """The bounds in the photo of the part's pixels (not of its rotated box), with a margin."""
    hull = cv2.convexHull(cv2.findNonZero(part.mask.view(np.uint8))).reshape(-1, 2).astype(np.float64)
    rims = np.array([(0, 0), (0, 1), (1, 0), (1, 1)], np.float64)
    hull = (hull[:, None, :] + rims[None]).reshape(-1, 2) + np.array([part.box.x, part.box.y])
    if seen.shift is not None:
        x, y = (int(v) for v in hull.mean(axis=0))
        hull += seen.shift[y, x]
    there = apply(seen.frame.to_photo, hull)
    (x1, y1), (x2, y2) = there.min(axis=0), there.max(axis=0)
    rim = _RIM * seen.radius * seen.frame.scale + min(_RIM_SHARE * min(x2 - x1, y2 - y1), _MAX_RIM_SHARE)
    rim = max(rim, _SCAN_RIM) if scanned else rim
    box = Rect(x1 - rim, y1 - rim, x2 - x1 + 2 * rim, y2 - y1 + 2 * rim).clamp(*photo_size)
    return Rect(*(round(float(value), 1) for value in (box.x, box.y, box.w, box.h)))
