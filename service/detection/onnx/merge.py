"""Merges overlapping boxes, and the pieces of a finding from the slices of a large photo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.detection.onnx.decode import Array, Decoded
from shared.images.cv import cv2

MAX_FOUND: Final = 3000
"""The most findings of a photo; the most confident stay."""
_MAX_CANDIDATES: Final = 10_000
_MAX_PIECES: Final = 1500
_NEAR_EDGE: Final = 0.015
"""A box is cut off if it ends this near to the edge of its slice, in parts of the slice's side."""
_COMMON_SHARE: Final = 0.1
"""The least share of the shorter piece's side that two pieces of one finding have in common at the edge."""
_SAME_SHARE: Final = 0.5
"""Pieces with a larger share of the longer one's side in common belong together in any case."""
_INSIDE_SHARE: Final = 0.7
_EQUAL_CONFIDENCE: Final = 0.8


@dataclass(frozen=True, slots=True)
class SliceFindings:
    """The findings of one slice: boxes in photo px.

    cut: (n, 4), whether each is cut off at the left, upper, right and lower edge of the slice, if that is not
    an edge of the photo.
    """

    decoded: Decoded
    cut: NDArray[np.bool_]


def slice_findings(
    findings: Decoded, place: tuple[int, int, int, int], width: int, height: int, iou: float
) -> SliceFindings:
    """The findings of the slice x, y, w, h of a photo; those that overlap by more than `iou` are merged."""
    x, y, w, h = place
    findings = suppress_overlaps(findings, iou)
    near = np.array([w, h, w, h]) * _NEAR_EDGE
    edges = np.array([x, y, x + w, y + h])
    within = np.array([x > 0, y > 0, x + w < width, y + h < height])
    sign = np.array([1, 1, -1, -1])
    return SliceFindings(findings, within & (sign * (findings.boxes - edges) <= near))


def suppress_overlaps(findings: Decoded, iou: float, rank: Array | None = None) -> Decoded:
    """Class-aware non-maximum suppression, the highest confidence first, or the highest `rank` if given.

    Boxes may start left of or above the photo: they are clipped after they are merged.
    """
    rank = findings.confidences if rank is None else rank
    if len(rank) > _MAX_CANDIDATES:
        surest = np.argsort(-rank, kind="stable")[:_MAX_CANDIDATES]
        findings, rank = _select(findings, surest), rank[surest]
    if not len(findings.boxes):
        return findings
    corners = _separate_classes(findings)
    sizes = np.concatenate([corners[:, :2], corners[:, 2:] - corners[:, :2]], axis=1)
    indexes = cv2.dnn.NMSBoxes(sizes.tolist(), rank.tolist(), 0.0, iou)
    return _select(findings, np.asarray(indexes).reshape(-1).astype(np.int64))


def merge_slices(parts: Sequence[SliceFindings], iou: float) -> Decoded:
    """Merge the findings of slices, the first of which is the whole photo; the most confident come first."""
    if len(parts) == 1:
        return _select(parts[0].decoded, np.arange(len(parts[0].decoded.boxes))[:MAX_FOUND])
    # Of equally confident boxes, those of the smaller slices are finer.
    parts = [*parts[1:], parts[0]]
    boxes, confidences, classes = (
        np.concatenate([getattr(part.decoded, name) for part in parts])
        for name in ("boxes", "confidences", "classes")
    )
    joined, pieces = _join_pieces(
        Decoded(boxes, confidences, classes), np.concatenate([part.cut for part in parts])
    )
    # A whole box replaces a piece, also if it is a little less confident.
    decoded = suppress_overlaps(joined, iou, np.where(pieces, _EQUAL_CONFIDENCE, 1.0) * joined.confidences)
    return _select(decoded, _indexes_without_fragments(decoded)[:MAX_FOUND])


def _select(findings: Decoded, indexes: NDArray[np.int64]) -> Decoded:
    return Decoded(findings.boxes[indexes], findings.confidences[indexes], findings.classes[indexes])


def _separate_classes(findings: Decoded) -> Array:
    """Shift the boxes so that classes do not overlap, which makes one pass class-aware.

    `cv2.dnn.NMSBoxesBatched` (OpenCV 5.0) shifts the classes by the largest coordinate alone. With it a box
    at (-11, -11) of class 1 would be placed on a box at (40, 40) of class 0 and be lost.
    """
    place = findings.classes[:, None] * (np.abs(findings.boxes).max() * 2 + 1)
    return np.asarray(findings.boxes + place, np.float64)


def _join_pieces(findings: Decoded, cut: NDArray[np.bool_]) -> tuple[Decoded, NDArray[np.bool_]]:
    """Join the pieces of findings that edges cut. Returns them, and whether each still lacks a piece."""
    groups = list(range(len(findings.boxes)))

    def group(index: int) -> int:
        while groups[index] != index:
            index = groups[index] = groups[groups[index]]
        return index

    for axis in (0, 1):
        for first, second in _matching_pieces(findings, cut, axis):
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


def _matching_pieces(findings: Decoded, cut: NDArray[np.bool_], axis: int) -> list[tuple[int, int]]:
    """Pairs of pieces, the second of which continues where the first is cut off, along x (axis 0) or y (1).

    Pieces that have most of the edge in common belong together, in all slices that show them. With less in
    common, each piece has at most one partner, the one with the largest share: a slanting crack has little in
    common with its continuation, and an edge may cut several objects that are side by side.
    """
    surest = np.argsort(-findings.confidences, kind="stable")
    before = surest[cut[surest, axis + 2]][:_MAX_PIECES]
    after = surest[cut[surest, axis]][:_MAX_PIECES]
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
    goes_on &= high - low > _COMMON_SHARE * np.minimum(*sides)
    common = np.where(goes_on, (high - low) / np.maximum(*sides), 0.0)
    goes_on &= common > _SAME_SHARE
    best, rows = common.argmax(axis=1), np.arange(len(before))
    goes_on[rows, best] |= (common.argmax(axis=0)[best] == rows) & (common[rows, best] > 0)
    return [(int(before[row]), int(after[column])) for row, column in zip(*np.nonzero(goes_on), strict=True)]


def _indexes_without_fragments(findings: Decoded) -> NDArray[np.int64]:
    """The indexes of boxes without those of which 70 % is inside a larger one of the class that is about as
    confident or more."""
    if not len(findings.boxes):
        return np.zeros(0, np.int64)
    corners = _separate_classes(findings)
    areas = np.prod(corners[:, 2:] - corners[:, :2], axis=1)
    indexes: list[int] = []
    for index in np.argsort(-areas, kind="stable").tolist():
        low = np.maximum(corners[index, :2], corners[indexes, :2])
        high = np.minimum(corners[index, 2:], corners[indexes, 2:])
        common = np.prod(np.clip(high - low, 0, None), axis=1)
        as_sure = findings.confidences[indexes] >= _EQUAL_CONFIDENCE * findings.confidences[index]
        if not bool(np.any((common > _INSIDE_SHARE * areas[index]) & as_sure)):
            indexes.append(index)
    return np.array(sorted(indexes, key=lambda index: -findings.confidences[index]), np.int64)
