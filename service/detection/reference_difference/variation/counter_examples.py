"""Finds the differences that a memory may not explain: those similar to a confirmed defect.

A person confirms a finding by failing its item.

Such a finding may contain old differences beside the defect, as dirt beside a crack. The defect is the new
part of the finding: its new dark lines, else its new tiles. If nothing of it was new, the defect is the whole
finding: people had passed it before by mistake. Photos that show the defect do not explain similar
differences. These do:

- two photos before the failure that are more similar to today's tile than the defect is;
- two photos that passed after the repair, that is after two photos in a row that show nothing at its place;
- a finding that a person rejected after the failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Matrix
from service.detection.reference_difference.variation.dark_lines import (
    SHOWN,
    DarkLine,
    dark_lines,
    is_same,
    share_shown,
)
from service.detection.reference_difference.variation.likeness import TiledPart
from service.detection.reference_difference.variation.memory import (
    SUPPORT,
    Appearance,
    PhotoVariation,
    RegionMemory,
    is_new,
)
from shared.record.geometry import Rect
from shared.wire.memory import MemoryKind

EXPLAINED: Final = 0.16
"""The share of the squared features of a tile that an explanation may leave. Lamps, digits and cables that
were seen before leave 0.02 to 0.12, drawn damage on them 0.2 to 0.6."""

# The least share of the squared difference of a finding that is new; less is noise at its edge.
_NEW = 0.05
# The least share of a defect that a photo shows.
_SHOWN = 0.5
# The factor between the shares that two photos of one object leave, and a share up to which the factor does
# not count.
_AS_NEAR = 2.0
_NEAR = 0.06


@dataclass(frozen=True, slots=True)
class _Defect:
    """A defect that a person confirmed in a photo: lines, else places, both in px of the reference image.

    shown_by: indices of the photos that passed before and show the difference at the places.
    """

    failed: PhotoVariation
    lines: Sequence[DarkLine] = ()
    places: Sequence[Rect] = ()
    shown_by: frozenset[int] = frozenset()


def forbidden_tiles(memory: RegionMemory, part: TiledPart) -> NDArray[np.bool_]:
    """Whether each tile looks like a defect that was confirmed nearby and that nothing permits."""
    banned = np.zeros(part.energies.size, np.bool_)
    cache: dict[int, Matrix] = {}

    def unlikeness(index: int) -> Matrix:
        if index not in cache:
            cache[index] = part.unlikeness(memory.photos[index].appearances)
        return cache[index]

    for defect in _defects(memory, part.around):
        near = part.unlikeness(defect.failed.appearances, defect.places)
        like = near <= EXPLAINED
        if not like.any():
            continue
        votes = np.zeros(banned.size, np.int64)
        for index in _passed_photos(memory, defect.failed, before=True):
            if index not in defect.shown_by:
                votes += unlikeness(index) <= near
        closely = np.clip(_AS_NEAR * near, _NEAR, EXPLAINED)
        for index, weight in _permitting_photos(memory, defect.failed, _is_clean(defect.places)):
            votes += weight * (unlikeness(index) <= closely)
        banned |= like & (votes < SUPPORT)
    return banned


def forbidden_lines(memory: RegionMemory, lines: Sequence[DarkLine], around: Rect) -> list[DarkLine]:
    """The lines that a confirmed defect has at the same place and that nothing permits since.

    around: the place of the lines, px of the reference image.
    """
    forbidden: dict[int, DarkLine] = {}
    for defect in _defects(memory, around):
        for index, line in enumerate(lines):
            if not is_same(line, defect.lines):
                continue
            clean = _is_without(line)
            votes = sum(
                weight * (not clean(memory.photos[later]))
                for later, weight in _permitting_photos(memory, defect.failed, clean)
            )
            if votes < SUPPORT:
                forbidden[index] = line
    return list(forbidden.values())


def _defects(memory: RegionMemory, around: Rect) -> Iterator[_Defect]:
    """The confirmed defects that reach into `around`."""
    for photo in memory.photos:
        if photo.kind is MemoryKind.FAILED:
            for finding in photo.appearances:
                if not finding.box.intersection(around).is_empty:
                    yield _defect(memory, photo, finding)


def _defect(memory: RegionMemory, failed: PhotoVariation, finding: Appearance) -> _Defect:
    before = _passed_photos(memory, failed, before=True)
    lines = dark_lines([finding])
    if lines:
        shown_before = [[_shows(memory.photos[index], line) for line in lines] for index in before]
        new = is_new(np.array(shown_before, np.bool_).reshape(len(before), len(lines)))
        if new.any():
            return _Defect(failed, [line for line, fresh in zip(lines, new.tolist(), strict=True) if fresh])
    mask = np.asarray(finding.values.any(axis=2), np.uint8)
    part = TiledPart.of(failed.appearances, finding.box, mask)
    if part is None or not before:
        return _Defect(failed, lines, [finding.box])
    shown = np.stack([part.unlikeness(memory.photos[index].appearances) for index in before]) <= EXPLAINED
    defect = is_new(shown)
    if part.energies[defect].sum() < _NEW * part.energies.sum():
        defect = np.ones_like(defect)
    energies = np.where(defect, part.energies, 0.0)
    shares = np.einsum("pt,t->p", shown, energies) / max(float(energies.sum()), 1e-6)
    showing = (index for index, share in zip(before, shares.tolist(), strict=True) if share >= _SHOWN)
    return _Defect(failed, lines if defect.all() else (), part.places(defect), frozenset(showing))


def _passed_photos(memory: RegionMemory, failed: PhotoVariation, *, before: bool) -> list[int]:
    """The photos that passed before a failure, or after it: their indices, the oldest first."""
    return [
        index
        for index, photo in enumerate(memory.photos)
        if photo.kind is MemoryKind.PASSED and (photo.order <= failed.order) is before
    ]


def _permitting_photos(
    memory: RegionMemory, failed: PhotoVariation, is_clean: Callable[[PhotoVariation], bool]
) -> Iterator[tuple[int, int]]:
    """The photos that may permit differences like the failed one, each with its weight.

    They are photos that passed after the repair, with weight 1, and findings that a person examined and
    rejected after the failure, with weight 2. is_clean: whether a photo shows nothing of the defect.
    """
    clean = 0
    for index in _passed_photos(memory, failed, before=False):
        if clean >= SUPPORT:
            yield index, 1
        else:
            clean = clean + 1 if is_clean(memory.photos[index]) else 0
    for index, photo in enumerate(memory.photos):
        if photo.kind is MemoryKind.REJECTED and photo.order > failed.order:
            yield index, SUPPORT


def _is_clean(places: Sequence[Rect]) -> Callable[[PhotoVariation], bool]:
    """A function that says whether nothing differs at these places, however faint."""

    def is_clean(photo: PhotoVariation) -> bool:
        boxes = (*(appearance.box for appearance in photo.appearances), *photo.faint)
        return all(box.intersection(place).is_empty for box in boxes for place in places)

    return is_clean


def _is_without(line: DarkLine) -> Callable[[PhotoVariation], bool]:
    return lambda photo: not _shows(photo, line)


def _shows(photo: PhotoVariation, line: DarkLine) -> bool:
    """Whether a photo shows the line at its place."""
    return (share_shown(line, photo.appearances) or 0.0) >= SHOWN
