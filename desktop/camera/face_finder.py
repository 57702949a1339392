"""Finds frontal faces by a boosted cascade over local binary patterns, on a small grey picture.

Method: S. Liao, X. Zhu, Z. Lei, L. Zhang, S. Z. Li, Learning multi-scale block local binary patterns for face
recognition, 2007, as a cascade of stages after P. Viola and M. Jones, 2001. The trained cascade is the file
in OpenCV's format that scikit-image contains. Only that file is used, because the package takes half a second
to import and is not part of the frozen program.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from shared.images.cv import cv2
from shared.system.paths import find_package_file

Grey = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

_FILE = "lbpcascade_frontalface_opencv.xml"
# Factor between two scales, and step between two windows in px of the scaled picture.
_SCALE = 1.15
_STEP = 2
# Minimum number of overlapping windows of a face. A single window may be a false alarm.
_NEIGHBOURS = 2
_OVERLAP = 0.35
# The blocks around the middle one of 3 x 3, clockwise from the upper left, in the order of the bits 7..0.
_NEIGHBOUR_BLOCKS = (0, 1, 2, 5, 8, 7, 6, 3)


@dataclass(frozen=True, slots=True)
class _Stage:
    """The weak classifiers of one stage: index of the feature, 256-bit subset and two votes; the
    threshold."""

    features: list[int]
    subsets: npt.NDArray[np.bool_]
    votes: Floats
    threshold: float


@dataclass(frozen=True, slots=True)
class _Cascade:
    side: int
    stages: tuple[_Stage, ...]
    rects: Ints
    """Each feature's upper left block as x, y, w, h in the window."""


def cascade_file() -> Path:
    """The path of the trained cascade. Raises FileNotFoundError when scikit-image's data is missing."""
    path = find_package_file("skimage", "data", _FILE)
    if path is None:
        raise FileNotFoundError(_FILE)
    return path


@lru_cache(maxsize=1)
def _cascade() -> _Cascade:
    tree = ET.fromstring(cascade_file().read_text(encoding="utf-8"))  # noqa: S314 - a file of our own
    cascade = tree.find("cascade")
    assert cascade is not None
    stages = tuple(_stage(stage) for stage in _entries(cascade, "stages"))
    rects = [[int(number) for number in _text(entry, "rect")] for entry in _entries(cascade, "features")]
    return _Cascade(int(_text(cascade, "width")[0]), stages, np.array(rects, dtype=np.int32))


def _entries(node: ET.Element, name: str) -> list[ET.Element]:
    parent = node.find(name)
    return [] if parent is None else parent.findall("_")


def _text(node: ET.Element, name: str) -> list[str]:
    return (node.findtext(name) or "").split()


def _stage(stage: ET.Element) -> _Stage:
    features: list[int] = []
    subsets: list[npt.NDArray[np.bool_]] = []
    votes: list[list[float]] = []
    for weak in _entries(stage, "weakClassifiers"):
        numbers = [int(number) for number in _text(weak, "internalNodes")]
        features.append(numbers[2])
        masks = np.array(numbers[3:11], dtype=np.int64)
        subsets.append(((masks[:, None] >> np.arange(32)) & 1).astype(bool).ravel())
        votes.append([float(number) for number in _text(weak, "leafValues")])
    threshold = float(_text(stage, "stageThreshold")[0])
    return _Stage(features, np.array(subsets), np.array(votes), threshold)


Square = tuple[int, int, int]
"""x, y, side in px."""


def find_faces(
    grey: Grey, smallest: int, previous: Square | None = None, largest: int | None = None
) -> list[Square]:
    """Find the frontal faces of `grey` (height x width, uint8). Returns squares, largest first.

    `smallest` and `largest` are the limits of the side of a face in px. `previous` is the place of a face in
    the previous frame, where a weaker signal is enough. A picture of 160 x 120 px takes about 20 ms.
    """
    cascade = _cascade()
    sums: list[Ints] = []
    places: list[npt.NDArray[np.float64]] = []
    starts: list[Ints] = []
    row_lengths: list[Ints] = []
    begin, scale = 0, smallest / cascade.side
    while min(size := (round(grey.shape[1] / scale), round(grey.shape[0] / scale))) >= cascade.side:
        if largest is not None and scale * cascade.side > largest:
            break
        small = cv2.resize(grey, size, interpolation=cv2.INTER_AREA if scale > 1 else cv2.INTER_LINEAR)
        table: Ints = cv2.integral(small)
        row_length = table.shape[1]
        ys, xs = np.mgrid[0 : size[1] - cascade.side + 1 : _STEP, 0 : size[0] - cascade.side + 1 : _STEP]
        xs, ys = xs.ravel(), ys.ravel()
        sums.append(table.ravel())
        starts.append((begin + ys * row_length + xs).astype(np.int32))
        row_lengths.append(np.full(xs.size, row_length, dtype=np.int32))
        places.append(np.stack([xs * scale, ys * scale, np.full(xs.size, cascade.side * scale)], axis=1))
        begin += table.size
        scale *= _SCALE
    if not sums:
        return []
    passing = _passing_windows(
        cascade, np.concatenate(sums), np.concatenate(starts), np.concatenate(row_lengths)
    )
    windows = np.concatenate(places)[passing]
    # Half of the moving faces give a single window. The previous square counts as the second.
    return _group_windows(windows if previous is None else np.vstack((windows, previous)))


def _passing_windows(cascade: _Cascade, sums: Ints, starts: Ints, row_lengths: Ints) -> Ints:
    """The indices of the windows of all scales that pass every stage.

    `sums` contains the integral images one after another. A window is given by its offset in `sums` and the
    row length of its integral image.
    """
    remaining: Ints = np.arange(starts.size, dtype=np.int32)
    for stage in cascade.stages:
        patterns = _patterns(sums, starts[remaining], row_lengths[remaining], cascade.rects[stage.features])
        inside = stage.subsets[np.arange(len(stage.features)), patterns]
        total = np.where(inside, stage.votes[:, 0], stage.votes[:, 1]).sum(axis=1)
        remaining = remaining[total >= stage.threshold]
        if remaining.size == 0:
            break
    return remaining


def _patterns(sums: Ints, starts: Ints, row_lengths: Ints, rects: Ints) -> Grey:
    """The local binary patterns (0..255), windows x features. A bit is set for a block that is not darker."""
    steps = np.arange(4, dtype=np.int32)
    rows = rects[:, 1, None] + rects[:, 3, None] * steps
    columns = rects[:, 0, None] + rects[:, 2, None] * steps
    lines = starts[:, None, None] + rows[None] * row_lengths[:, None, None]
    corners = sums[lines[..., None] + columns[None, :, None, :]]
    row_length = corners[..., 1:] - corners[..., :-1]
    blocks = row_length[:, :, 1:] - row_length[:, :, :-1]
    blocks = blocks.reshape(*blocks.shape[:2], 9)
    brighter = blocks[..., _NEIGHBOUR_BLOCKS] >= blocks[..., 4:5]
    return np.packbits(brighter, axis=-1)[..., 0]


def _group_windows(windows: Floats) -> list[Square]:
    """Average each group of overlapping windows that is large enough to one square, largest first."""
    faces: list[Square] = []
    while len(windows):
        overlap = _overlap(windows)
        best = int(np.argmax(overlap.sum(axis=1)))
        group = overlap[best]
        if group.sum() < _NEIGHBOURS:
            break
        x, y, side = windows[group].mean(axis=0)
        faces.append((round(x), round(y), round(side)))
        # A window that is centred inside a found face is the same face at another scale.
        middle = windows[:, :2] + windows[:, 2:] / 2
        inside = np.all((middle >= (x, y)) & (middle <= (x + side, y + side)), axis=1)
        windows = windows[~(group | inside)]
    return sorted(faces, key=lambda face: -face[2])


def _overlap(windows: Floats) -> npt.NDArray[np.bool_]:
    """Whether the intersection of each pair of squares exceeds `_OVERLAP` of their union."""
    low = np.maximum(windows[:, None, :2], windows[None, :, :2])
    ends = windows[:, :2] + windows[:, 2:]
    high = np.minimum(ends[:, None], ends[None])
    intersection = np.clip(high - low, 0, None).prod(axis=2)
    areas = windows[:, 2] ** 2
    union = areas[:, None] + areas[None] - intersection
    return np.asarray(intersection / union > _OVERLAP)
