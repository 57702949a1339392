"""Measures how unusual patches of a photo are among those of the reference image and of passed photos.

The distance of a patch is the cosine distance to the nearest neighbour among the patches of other pictures,
as in PatchCore (Roth et al. 2022) and AnomalyDINO (Damm et al. 2024). In contrast to these methods, only
patches at about the same place count, because the pictures are aligned: a bolt is unusual where there was
none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.detection.onnx.backbone import Features
from service.detection.second_opinion.windows import Cells

Distances = NDArray[np.float32]
"""(rows, columns): the distance of each patch, 0 (equal) to 2."""

_RADIUS: Final = 1
"""In patches: the pictures are aligned to a few px, and a patch has about 16."""
_COUNTED: Final = 0.25
"""The share of the patches of a finding that counts, the most distant ones, because its box has a margin."""
_TWICE: Final = 2.0
"""The ratio to the usual distance at which the value is 0.5."""
_MIN_DISTANCE: Final = 1e-3
"""The least usual distance: a smaller one is rounding, since features have half precision."""


def unusualness(
    today: Features, reference: Features, passed: Sequence[Features], findings: Sequence[Cells]
) -> list[float]:
    """The unusualness of each finding in `today`, 0 to 1; all maps show the same window.

    0.5 is twice the usual distance. The usual distance is the larger of two: the median of the other patches
    of today's photo, and the distance of passed photos from each other at the place of the finding (leave one
    out).
    """
    distances = nearest_distances(today, [reference, *passed])
    spreads = [
        nearest_distances(photo, [reference, *passed[:at], *passed[at + 1 :]])
        for at, photo in enumerate(passed)
    ]
    elsewhere = _distance_elsewhere(distances, findings)
    values = []
    for cells in findings:
        usual = max([elsewhere, _MIN_DISTANCE, *(_distance(spread, cells) for spread in spreads)])
        ratio = _distance(distances, cells) / usual
        values.append(float(ratio**2 / (ratio**2 + _TWICE**2)))
    return values


def nearest_distances(patches: Features, others: Sequence[Features]) -> Distances:
    """The distance of each patch to the nearest patch of `others` at about the same place."""
    rows, columns = patches.shape[:2]
    queries = patches.astype(np.float32)
    best = np.full((rows, columns), -1, np.float32)
    for other in others:
        neighbours = other.astype(np.float32)
        for down in range(-_RADIUS, _RADIUS + 1):
            for across in range(-_RADIUS, _RADIUS + 1):
                here = _shifted(rows, -down), _shifted(columns, -across)
                there = _shifted(rows, down), _shifted(columns, across)
                alike = np.einsum("rck,rck->rc", queries[here], neighbours[there])
                np.maximum(best[here], alike, out=best[here])
    return np.asarray(np.clip(1 - best, 0, 2), np.float32)


def _shifted(length: int, by: int) -> slice:
    return slice(max(by, 0), length + min(by, 0))


def _distance(distances: Distances, cells: Cells) -> float:
    values = np.sort(distances[cells.top : cells.bottom, cells.left : cells.right], axis=None)
    return float(values[-max(round(values.size * _COUNTED), 1) :].mean())


def _distance_elsewhere(distances: Distances, findings: Sequence[Cells]) -> float:
    """The median distance of the patches that belong to no finding; of all patches if there are none."""
    outside = np.ones(distances.shape, np.bool_)
    for cells in findings:
        outside[cells.top : cells.bottom, cells.left : cells.right] = False
    return float(np.median(distances[outside] if outside.any() else distances))
