"""Merges overlapping boxes, and pieces from the parts of a large photo, into one finding each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.detection.onnx.decode import Array, Decoded
from shared.images.cv import cv2

MOST_FOUND: Final = 3000
"""A photo has no more findings; the surest stay."""
_MOST_CANDIDATES: Final = 10_000
_MOST_PIECES: Final = 1500
_NEAR_EDGE: Final = 0.015
"""A box that ends so near the edge of its part, of the part's side, is taken for cut off there."""
_COMMON: Final = 0.1
"""Pieces of one thing share so much of the shorter one's side along the edge between their parts."""
_SAME: Final = 0.5
"""Pieces that share more of the longer one's side are of one thing, whatever else the edge cuts."""
_INSIDE: Final = 0.7
_AS_SURE: Final = 0.8


@dataclass(frozen=True, slots=True)
class SliceFindings:
    """What one part of a photo shows: boxes in photo px, and (n, 4) whether each is cut off at the left,
    upper, right and lower edge of the part, where that is not the edge of the photo."""

    decoded: Decoded
    cut: NDArray[np.bool_]


def slice_findings(
    findings: Decoded, place: tuple[int, int, int, int], width: int, height: int, iou: float
) -> SliceFindings:
    """The findings of the part x, y, w, h of a photo, those that overlap by more than `iou` being one."""
    x, y, w, h = place
    findings = suppressed(findings, iou)
    near = np.array([w, h, w, h]) * _NEAR_EDGE
    edges = np.array([x, y, x + w, y + h])
    within = np.array([x > 0, y > 0, x + w < width, y + h < height])
    sign = np.array([1, 1, -1, -1])
    return SliceFindings(findings, within & (sign * (findings.boxes - edges) <= near))


def suppressed(findings: Decoded, iou: float, rank: Array | None = None) -> Decoded:
    """Class-aware non-maximum suppression, by the confidences or by a `rank` instead, the highest first.

    Boxes may begin left of or above the photo: they are clipped only after they are merged.
    """
    rank = findings.confidences if rank is None else rank
    if len(rank) > _MOST_CANDIDATES:
        surest = np.argsort(-rank, kind="stable")[:_MOST_CANDIDATES]
        findings, rank = _some(findings, surest), rank[surest]
    if not len(findings.boxes):
        return findings
    corners = _apart(findings)
    sizes = np.concatenate([corners[:, :2], corners[:, 2:] - corners[:, :2]], axis=1)
    indexes = cv2.dnn.NMSBoxes(sizes.tolist(), rank.tolist(), 0.0, iou)
    return _some(findings, np.asarray(indexes).reshape(-1).astype(np.int64))


def merged(parts: Sequence[SliceFindings], iou: float) -> Decoded:
    """The findings of a photo from those of its parts, of which the first is all of it; the surest first."""
    if len(parts) == 1:
        return _some(parts[0].decoded, np.arange(len(parts[0].decoded.boxes))[:MOST_FOUND])
    # Of boxes that are as sure, those of the smaller parts are finer.
    parts = [*parts[1:], parts[0]]
    boxes, confidences, classes = (
        np.concatenate([getattr(part.decoded, name) for part in parts])
        for name in ("boxes", "confidences", "classes")
    )
    joined, pieces = _joined(
        Decoded(boxes, confidences, classes), np.concatenate([part.cut for part in parts])
    )
    # A piece yields to the whole, also when that is a little less sure.
    decoded = suppressed(joined, iou, np.where(pieces, _AS_SURE, 1.0) * joined.confidences)
    return _some(decoded, _without_fragments(decoded)[:MOST_FOUND])


def _some(findings: Decoded, indexes: NDArray[np.int64]) -> Decoded:
    return Decoded(findings.boxes[indexes], findings.confidences[indexes], findings.classes[indexes])


def _apart(findings: Decoded) -> Array:
    """The boxes with each class in a place of its own, so that one pass is class-aware.

    Not `cv2.dnn.NMSBoxesBatched` (OpenCV 5.0): it moves the classes apart by the largest coordinate alone, so
    a box at (-11, -11) of class 1 comes to lie on one at (40, 40) of class 0, and is lost.
    """
    place = findings.classes[:, None] * (np.abs(findings.boxes).max() * 2 + 1)
    return np.asarray(findings.boxes + place, np.float64)


def _joined(findings: Decoded, cut: NDArray[np.bool_]) -> tuple[Decoded, NDArray[np.bool_]]:
    """The findings, with the pieces of what the edges of parts cut made one, and which still lack some."""
    groups = list(range(len(findings.boxes)))

    def group(index: int) -> int:
        while groups[index] != index:
            index = groups[index] = groups[groups[index]]
        return index

    for axis in (0, 1):
        for first, second in _pieces(findings, cut, axis):
            groups[group(second)] = group(first)
    members: dict[int, list[int]] = {}
    for index in range(len(groups)):
        members.setdefault(group(index), []).append(index)
    if len(members) == len(groups):
        return findings, np.any(cut, axis=1)
    boxes, confidences, classes, pieces = [], [], [], []
    for some in members.values():
        low, high = findings.boxes[some, :2].min(axis=0), findings.boxes[some, 2:].max(axis=0)
        box = np.concatenate([low, high])
        boxes.append(box)
        confidences.append(findings.confidences[some].max())
        classes.append(findings.classes[some[0]])
        pieces.append(bool(np.any(cut[some] & (findings.boxes[some] == box))))
    return Decoded(np.array(boxes), np.array(confidences), np.array(classes)), np.array(pieces)


def _pieces(findings: Decoded, cut: NDArray[np.bool_], axis: int) -> list[tuple[int, int]]:
    """Pairs of which one goes on where the other is cut off, along x (axis 0) or y (1).

    Those that share most of the edge belong together, in as many parts as show them. Where it is less, each
    has one partner at most, the one that shares more than others: a crack that runs aslant has little in
    common with itself, and an edge may cut several things that lie side by side.
    """
    surest = np.argsort(-findings.confidences, kind="stable")
    before = surest[cut[surest, axis + 2]][:_MOST_PIECES]
    after = surest[cut[surest, axis]][:_MOST_PIECES]
    if not len(before) or not len(after):
        return []
    first, second = findings.boxes[before][:, None], findings.boxes[after][None]
    along, beside = (axis, axis + 2), (1 - axis, 3 - axis)
    goes_on = (
        (findings.classes[before][:, None] == findings.classes[after][None])
        & (second[..., along[0]] < first[..., along[1]])
        & (second[..., along[1]] >= first[..., along[1]])
        & (first[..., along[0]] <= second[..., along[0]])
        & (before[:, None] != after[None])
    )
    low = np.maximum(first[..., beside[0]], second[..., beside[0]])
    high = np.minimum(first[..., beside[1]], second[..., beside[1]])
    sides = [both[..., beside[1]] - both[..., beside[0]] for both in (first, second)]
    goes_on &= high - low > _COMMON * np.minimum(*sides)
    common = np.where(goes_on, (high - low) / np.maximum(*sides), 0.0)
    goes_on &= common > _SAME
    best, rows = common.argmax(axis=1), np.arange(len(before))
    goes_on[rows, best] |= (common.argmax(axis=0)[best] == rows) & (common[rows, best] > 0)
    return [(int(before[row]), int(after[column])) for row, column in zip(*np.nonzero(goes_on), strict=True)]


def _without_fragments(findings: Decoded) -> NDArray[np.int64]:
    """Leave out boxes that lie to 70 % inside a surer or about equally sure larger one of the class."""
    if not len(findings.boxes):
        return np.zeros(0, np.int64)
    corners = _apart(findings)
    areas = np.prod(corners[:, 2:] - corners[:, :2], axis=1)
    indexes: list[int] = []
    for index in np.argsort(-areas, kind="stable").tolist():
        low = np.maximum(corners[index, :2], corners[indexes, :2])
        high = np.minimum(corners[index, 2:], corners[indexes, 2:])
        common = np.prod(np.clip(high - low, 0, None), axis=1)
        as_sure = findings.confidences[indexes] >= _AS_SURE * findings.confidences[index]
        if not bool(np.any((common > _INSIDE * areas[index]) & as_sure)):
            indexes.append(index)
    return np.array(sorted(indexes, key=lambda index: -findings.confidences[index]), np.int64)
