"""Judges a part of a difference by the memory of its region.

Explains a difference by similar differences that passed photos showed nearby.

A part is cut into tiles (`likeness`). A tile is explained if enough photos showed a difference that looks
nearly the same. A finding that a person confirmed by failing the item forbids that (`counter_examples`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Bytes
from service.detection.reference_difference.difference.boxes import DifferencePart, restrict_part
from service.detection.reference_difference.difference.comparison import Comparison, Examined
from service.detection.reference_difference.difference.confidence import confidence
from service.detection.reference_difference.variation.appearance import PAD, difference_of
from service.detection.reference_difference.variation.counter_examples import EXPLAINED, forbidden_tiles
from service.detection.reference_difference.variation.dark_lines import line_mask
from service.detection.reference_difference.variation.defect_lines import defect_lines
from service.detection.reference_difference.variation.likeness import TiledPart
from service.detection.reference_difference.variation.memory import LASTING, SUPPORT, Appearance, RegionMemory
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.wire.memory import MemoryKind, MemoryReason


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a part by a memory.

    left: bool (height, width) of the part, True where it is not explained. forbidden: the same, True where it
    may not be explained. share: the share of its squared difference that is explained, 0..1. remaining: the
    share of the unexplained tiles that no photo showed, 0..1. photos: the keys of the photos that explain
    some of it.
    """

    left: NDArray[np.bool_]
    forbidden: NDArray[np.bool_]
    share: float
    remaining: float
    photos: tuple[str, ...]


def explain(
    memory: RegionMemory, today: Sequence[Appearance], box: Rect, mask: Bytes, once: bool = False
) -> Explanation:
    """Explain a part of today's photo by `memory`.

    box: the place of the part, px of the reference image. mask: uint8, not 0 on the part. today: all
    differences of today's photo, including the part. once: a single photo suffices, but not the newest: what
    it shows may have come to stay.
    """
    part = TiledPart.of(today, box, mask)
    nothing = np.zeros(mask.shape, np.bool_)
    if part is None:
        return Explanation(mask > 0, nothing, 0.0, 1.0, ())
    # For each tile the shares that the two photos leave which explain it best.
    support = 1 if once else SUPPORT
    newest = memory.passed[-1] if once and memory.passed else None
    best = np.ones((support, part.energies.size))
    photos = []
    for photo in reversed(memory.photos):
        if (best[-1] <= EXPLAINED).all():
            break
        if photo.kind is MemoryKind.FAILED or photo is newest:
            continue
        rest = part.unlikeness(photo.appearances)
        if (rest <= EXPLAINED).any():
            photos.append(photo.key)
        # A person examined a finding that they rejected, so it counts as two photos that passed.
        votes = [rest] * (support if photo.kind is MemoryKind.REJECTED else 1)
        best = np.sort(np.vstack([best, *votes]), axis=0)[:support]
    rest = best[-1]
    banned = forbidden_tiles(memory, part)
    rest[banned] = 1.0
    unclear = rest > EXPLAINED
    total, open_energy = max(float(part.energies.sum()), 1e-6), float(part.energies[unclear].sum())
    remaining = float((part.energies * rest)[unclear].sum()) / open_energy if open_energy > 0 else 0.0
    return Explanation(
        part.tile_mask(unclear), part.tile_mask(banned), 1 - open_energy / total, remaining, tuple(photos)
    )


# Share of a part's squared difference below which an explanation changes nothing.
_LITTLE = 0.5
# The weight of the logarithm of the remaining share in the confidence, about as for the residual of a shift
# (`confidence`), and the remaining share from which a tile counts as unexplained: any two tiles are a little
# similar.
_WEIGHT = 1.5
_UNLIKE = 0.35
# The most ratio of the lengths of a lasting change in two photos in a row, and the share of the steps that
# keep it.
_JUMP = 1.35
_STEADILY = 0.8
# The least ratio of the last and first lengths of a growing change, and the least rank correlation (Kendall)
# of its length with time.
_GROWN = 1.1
_STEADY = 0.4
# Thickness of a crack in parts of its length.
_CRACK_LIKE = 0.25
# px of the reference image by which an earlier difference may reach beyond today's, and its least length in
# parts of today's.
_OFF = 6.0
_SAME = 0.2
_ONE_PIECE = 0.7
# The ratio of the lengths of a change and of a rejected one up to which it is the same one.
_REJECTED_GROWTH = 1.2
# The reasons of which a finding has several, the first one counts.
_REASONS = (MemoryReason.FAILED, MemoryReason.LASTING, MemoryReason.NEW_LINE)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a memory leaves of a part.

    rest: the unexplained rest; None if all is explained. sure: its confidence. photos: the keys of the photos
    that explain the part. reason: why the rest is reported, if it is.
    """

    rest: DifferencePart | None
    sure: float
    photos: tuple[str, ...] = ()
    reason: MemoryReason = MemoryReason.REST

    def is_explained(self, least: float) -> bool:
        """Whether nothing is left with a confidence of at least `least`."""
        return self.rest is None or self.sure < least


def judge(
    memory: RegionMemory,
    today: Sequence[Appearance],
    part: DifferencePart,
    view: Comparison,
    examined: Examined,
    sure: float,
    once: bool = False,
) -> Judgement | None:
    """The judgement of a part; None if `memory` explains too little of it.

    today: all differences of the photo, including the part. sure: the confidence in the part without a
    memory. A defect that was confirmed there keeps it, and so does a crack that appeared and stayed. once: as
    in `explain`.
    """
    box, change, mask = difference_of(part, view)
    explanation = explain(memory, today, box, mask, once)
    top, left = (int(at) - max(int(at) - PAD, 0) for at in (part.box.y, part.box.x))
    inside = np.s_[top : top + part.mask.shape[0], left : left + part.mask.shape[1]]
    if explanation.share < _LITTLE:
        if not (part.mask & explanation.forbidden[inside]).any():
            return None
        return Judgement(part, sure, reason=MemoryReason.FAILED)
    if is_lasting(memory, part, box):
        return Judgement(part, sure, reason=MemoryReason.LASTING)
    banned, reasons = explanation.forbidden.copy(), set[MemoryReason]()
    for line, reason in defect_lines(memory, Appearance.of(box, change), view):
        banned |= line_mask(line, box, mask.shape)
        reasons.add(reason)
    rest = part.mask & (explanation.left | banned)[inside]
    if not rest.any():
        return Judgement(None, 0.0, explanation.photos)
    if (part.mask & banned[inside]).any():
        reason = next((reason for reason in _REASONS if reason in reasons), MemoryReason.FAILED)
        return Judgement(restrict_part(part, rest, part.peak), sure, explanation.photos, reason)
    size = np.abs(change[inside]).max(axis=2)
    peak = part.peak * min(float(size[rest].max()) / max(float(size[part.mask].max()), 1e-3), 1.0)
    remaining = restrict_part(part, rest, peak)
    unlike = min(explanation.remaining / _UNLIKE, 1.0) ** _WEIGHT
    return Judgement(
        remaining, _shift_ratio(confidence(remaining, view, examined), unlike), explanation.photos
    )


def _shift_ratio(sure: float, factor: float) -> float:
    """The probability whose odds are `factor` times those of `sure`."""
    odds = sure * factor
    return round(odds / (odds + 1 - sure), 3) if odds > 0 else 0.0


def is_lasting(memory: RegionMemory, part: DifferencePart, box: Rect) -> bool:
    """Whether a part at `box` (px of the reference image) is a lasting change and not variation.

    A lasting change is one object that nearly all photos since its first one show at this place. It has
    grown, or it is thin like a crack and appeared after the oldest photo. A difference that comes and goes,
    or moves, is variation, and so is one that was always there and does not grow, or that a person rejected
    and that has not grown since.
    """
    if not _is_one_piece(part) or _was_rejected(memory, box):
        return False
    lengths: list[float] = []
    for photo in memory.passed:
        same = [appearance.box for appearance in photo.appearances if _is_within(appearance.box, box)]
        lengths.append(max((_length(other) for other in same), default=0.0))
    first = next((index for index, length in enumerate(lengths) if length), len(lengths))
    since = lengths[first:]
    shown = [length for length in since if length]
    if len(shown) < SUPPORT or len(shown) < LASTING * len(since):
        return False
    # Today it may be longer by any factor: failed photos are not in the memory, so it may have grown since.
    alike = sum(1 / _JUMP < now / before < _JUMP for before, now in pairwise(shown))
    series = [*shown, _length(box)]
    if alike < _STEADILY * (len(shown) - 1) or series[-1] < shown[-1] / _JUMP:
        return False
    if first > 0 and part.thickness < _CRACK_LIKE * _length(part.box):
        return True
    return _has_grown(series)


def _was_rejected(memory: RegionMemory, box: Rect) -> bool:
    """Whether a person rejected a finding here that was about as long."""
    return any(
        _is_within(finding.box, box) and _length(box) < _REJECTED_GROWTH * _length(finding.box)
        for photo in memory.photos
        if photo.kind is MemoryKind.REJECTED
        for finding in photo.appearances
    )


def _has_grown(series: Sequence[float]) -> bool:
    """Whether these lengths, the oldest first, have increased, and did so steadily."""
    quarter = max(len(series) // 4, 1)
    if float(np.median(series[-quarter:])) < _GROWN * float(np.median(series[:quarter])):
        return False
    pairs = [(a, b) for index, a in enumerate(series) for b in series[index + 1 :]]
    return sum(float(np.sign(b - a)) for a, b in pairs) >= _STEADY * len(pairs)


def _length(box: Rect) -> float:
    return float(np.hypot(box.w, box.h))


def _is_one_piece(part: DifferencePart) -> bool:
    """Whether a part is one object, as a crack, and not a group of scuffs."""
    joined = cv2.dilate(part.mask.astype(np.uint8), np.ones((3, 3), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    return bool(stats[1:, 4].max() >= _ONE_PIECE * stats[1:, 4].sum())


def _is_within(earlier: Rect, today: Rect) -> bool:
    inside = (
        earlier.x >= today.x - _OFF
        and earlier.y >= today.y - _OFF
        and earlier.right <= today.right + _OFF
        and earlier.bottom <= today.bottom + _OFF
    )
    return inside and _length(earlier) >= _SAME * _length(today)
