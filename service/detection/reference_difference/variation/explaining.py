"""Explains a difference by similar differences that passed photos showed nearby.

A part is cut into tiles (`likeness`). A tile is explained if enough photos showed a difference that looks
nearly the same. A finding that a person confirmed by failing the item forbids that (`counter_examples`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Bytes
from service.detection.reference_difference.variation.counter_examples import EXPLAINED, forbidden_tiles
from service.detection.reference_difference.variation.lasting import SUPPORT
from service.detection.reference_difference.variation.likeness import TiledPart
from service.detection.reference_difference.variation.memory import Appearance, RegionMemory
from shared.record.geometry import Rect
from shared.wire.memory import MemoryKind


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
