"""Finds the dark lines of a difference that are not variation, such as a crack through dirt that varies.

Thin lines are explained by thin lines only, never by what is broad. Other lines nearby explain a line that is
new, because then the fine structure itself varies. The line itself, at its place in earlier photos, explains
it only if it comes and goes or was always there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from service.detection.reference_difference.difference.comparison import Comparison
from service.detection.reference_difference.variation.counter_examples import forbidden_lines
from service.detection.reference_difference.variation.dark_lines import (
    ABSENT,
    DIRECTIONS,
    SHOWN,
    DarkLine,
    dark_lines,
    is_dark,
    is_moved,
    is_same,
    share_shown,
    similar_directions,
)
from service.detection.reference_difference.variation.memory import (
    SUPPORT,
    Appearance,
    RegionMemory,
    has_stayed,
    is_new,
)
from shared.wire.memory import MemoryKind, MemoryReason

# The ratio of the lengths of a line and of a rejected one up to which it is the same one. A line that has
# grown since is reported again.
_GROWN = 1.25
# The most steps between the directions of two lines in about the same direction.
_ALIGNED = 2


def defect_lines(
    memory: RegionMemory, today: Appearance, view: Comparison
) -> Iterator[tuple[DarkLine, MemoryReason]]:
    """The dark lines of a part that are not variation, each with the reason."""
    lines = [line for line in dark_lines([today]) if is_dark(line, view)]
    for line in lines:
        reason = _reason(memory, line)
        if reason is not None and not is_moved(line, view):
            yield line, reason
    for line in forbidden_lines(memory, lines, today.box):
        yield line, MemoryReason.FAILED


def _reason(memory: RegionMemory, line: DarkLine) -> MemoryReason | None:
    """Why a line is not variation; None if it may be."""
    if _was_rejected(memory, line):
        return None
    # A photo that shows a part of the line, or in which dirt hides a part, says nothing.
    shares = [(photo, share_shown(line, photo.appearances)) for photo in memory.passed]
    shown = {
        photo.key: share >= SHOWN
        for photo, share in shares
        if share is not None and not ABSENT <= share < SHOWN
    }
    history = np.array([*shown.values()], np.bool_).reshape(len(shown), 1)
    if has_stayed(history)[0]:
        return MemoryReason.LASTING
    if not line.is_crack_like or _is_explained(memory, line, shown, new=bool(is_new(history)[0])):
        return None
    return MemoryReason.NEW_LINE


def _was_rejected(memory: RegionMemory, line: DarkLine) -> bool:
    """Whether a person rejected a finding with this line, which was about as long."""
    for photo in memory.photos:
        if photo.kind is MemoryKind.REJECTED and (share_shown(line, photo.appearances) or 0.0) >= SHOWN:
            same = [other for other in dark_lines(photo.appearances) if is_same(other, [line])]
            if line.length < _GROWN * max((other.length for other in same), default=0.0):
                return True
    return False


def _is_explained(memory: RegionMemory, line: DarkLine, shown: Mapping[str, bool], *, new: bool) -> bool:
    """Whether enough photos show a similar line.

    A line in another direction is similar only if the directions of the lines in the memory vary. shown: by
    the key of a passed photo, whether it shows the line at its place.
    """
    aligned, similar, known = 0, 0, set[int]()
    for photo in reversed(memory.photos):
        if photo.kind is MemoryKind.FAILED:
            continue
        directions = similar_directions(line, photo.appearances, elsewhere=new)
        known.update(directions)
        weight = SUPPORT if photo.kind is MemoryKind.REJECTED else 1
        shows = shown.get(photo.key, False) and not new
        aligned += weight * (shows or any(_is_aligned(line.direction, other) for other in directions))
        similar += weight * (shows or bool(directions))
        vary = any(not _is_aligned(*pair) for pair in combinations(known, 2))
        if aligned >= SUPPORT or (vary and similar >= SUPPORT):
            return True
    return False


def _is_aligned(one: int, other: int) -> bool:
    turn = abs(one - other) % DIRECTIONS
    return min(turn, DIRECTIONS - turn) <= _ALIGNED
