"""Proposes homographies from local features, also for surfaces that repeat themselves.

The features are SIFT (Lowe 2004) with the square-root descriptor distance (Arandjelovic and Zisserman 2012).
In rows of equal rivets the usual comparison of the best with the second-best match fails. So each match also
votes for the similarity that the scales and angles of its two keypoints imply (Lowe's Hough clustering). The
largest clusters and the matches that pass the usual test each give one homography by MAGSAC++ (Barath 2020,
OpenCV's USAC).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Bytes, Floats, Matrix, apply
from shared.images.cv import cv2

_MAX_FEATURES = 2500
# A picture has at most one feature for so many px: 1,920 at the size of `align`. With 2,500 there, no more
# photos of FGCD, DeepPCB at any turn and bilevel boards are aligned; with 1,200, one of 82 boards is lost.
_PIXELS_PER_FEATURE = 120
_RATIO = 0.8
_NEIGHBOURS = 4
"""The features of the reference image that a feature of the photo is compared with, the nearest ones."""
_MINIMAL = 4
"""Matches that determine a homography."""


@dataclass(frozen=True, slots=True)
class Features:
    """n keypoints: positions (n, 2), sizes in px, angles in radians, descriptors (n, 128) of length 1."""

    points: Matrix
    sizes: NDArray[np.float64]
    angles: NDArray[np.float64]
    descriptors: Floats


def extract(image: Bytes, to_whole: Matrix) -> Features:
    """The features of a grey image, with positions and sizes in the px that `to_whole` leads to."""
    most = min(image.size // _PIXELS_PER_FEATURE, _MAX_FEATURES)
    sift = cv2.SIFT_create(nfeatures=most, contrastThreshold=0.012)  # type: ignore[attr-defined]
    equal = cv2.createCLAHE(2.0, (4, 4)).apply(image)
    keypoints, descriptors = sift.detectAndCompute(equal, None)
    if descriptors is None:
        return Features(np.zeros((0, 2)), np.zeros(0), np.zeros(0), np.zeros((0, 128), np.float32))
    root = np.sqrt(descriptors / np.maximum(descriptors.sum(axis=1, keepdims=True), 1e-9))
    scale = float(np.sqrt(abs(np.linalg.det(to_whole[:2, :2]))))
    points = np.array([keypoint.pt for keypoint in keypoints], np.float64) + 0.5
    return Features(
        apply(to_whole, points),
        np.array([keypoint.size for keypoint in keypoints]) * scale,
        np.deg2rad([keypoint.angle for keypoint in keypoints]),
        root.astype(np.float32),
    )


def join(parts: Sequence[Features]) -> Features:
    """All features of several images of the same surface."""
    return Features(
        np.concatenate([part.points for part in parts]),
        np.concatenate([part.sizes for part in parts]),
        np.concatenate([part.angles for part in parts]),
        np.concatenate([part.descriptors for part in parts]),
    )


def propose(
    reference: Features, photo: Features, tolerance: float, photo_size: tuple[int, int]
) -> Iterator[Matrix]:
    """Homographies (reference px -> photo px) that chance does not explain, the likelier first.

    tolerance: px of the photo within which a match agrees.
    """
    if len(reference.points) < 6 or len(photo.points) < 6:
        return
    likeness = photo.descriptors @ reference.descriptors.T
    nearest, value = _most_alike(likeness, min(_NEIGHBOURS, likeness.shape[1]))
    distance = np.sqrt(np.maximum(2 - 2 * value, 0))
    rows = np.arange(len(photo.points))
    sure = distance[:, 0] < _RATIO * distance[:, 1]
    whole = photo_size[0] * photo_size[1]
    yield from _homography(reference.points[nearest[sure, 0]], photo.points[rows[sure]], tolerance, whole)
    wide_rows, wide = np.repeat(rows, 3), nearest[:, :3].ravel()
    close = distance[:, :3].ravel() < np.maximum(np.repeat(distance[:, 0], 3) * 1.25, 0.35)
    for in_photo, in_reference in _clusters(reference, photo, wide_rows[close], wide[close], photo_size):
        # All of a cluster lead to about the same place, so more of them agree by chance.
        place = (2 * _place_step(photo_size)) ** 2
        yield from _homography(reference.points[in_reference], photo.points[in_photo], tolerance, place)


def _most_alike(likeness: Floats, count: int) -> tuple[NDArray[np.int64], Floats]:
    """The columns of the `count` largest values of each row, the largest first, and the values.

    It overwrites `likeness`. A few passes take a quarter of the time of `np.argpartition`.
    """
    rows = np.arange(len(likeness))
    nearest = np.empty((len(likeness), count), np.int64)
    value = np.empty((len(likeness), count), np.float32)
    for rank in range(count):
        nearest[:, rank] = likeness.argmax(axis=1)
        value[:, rank] = likeness[rows, nearest[:, rank]]
        likeness[rows, nearest[:, rank]] = -1
    return nearest, value


def _clusters(
    reference: Features,
    photo: Features,
    in_photo: NDArray[np.int64],
    in_reference: NDArray[np.int64],
    size: tuple[int, int],
    most: int = 4,
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The `most` largest groups of matches that imply about the same rotation, scale and place."""
    if in_photo.size < 4:
        return []
    turn = photo.angles[in_photo] - reference.angles[in_reference]
    scale = photo.sizes[in_photo] / np.maximum(reference.sizes[in_reference], 1e-6)
    middle = reference.points.mean(axis=0)
    arm = (middle - reference.points[in_reference]) * scale[:, None]
    cos, sin = np.cos(turn), np.sin(turn)
    place = photo.points[in_photo] + np.stack(
        [cos * arm[:, 0] - sin * arm[:, 1], sin * arm[:, 0] + cos * arm[:, 1]], axis=1
    )
    # Bins of 24 degrees, a factor 1.5 and 1/12 of the photo; each match votes for both neighbours per axis.
    step = _place_step(size)
    axes = (turn / np.deg2rad(24), np.log(scale) / np.log(1.5), place[:, 0] / step, place[:, 1] / step)
    low = [np.floor(axis - 0.5).astype(np.int64) for axis in axes]
    bins = np.stack(
        [[part + ((corner >> bit) & 1) for bit, part in enumerate(low)] for corner in range(16)], 1
    )
    bins[0] = np.mod(bins[0], 15)
    bins = bins.reshape(4, -1) - bins.reshape(4, -1).min(axis=1, keepdims=True)
    numbers = np.ravel_multi_index(tuple(bins), tuple(bins.max(axis=1) + 1))
    order = np.argsort(numbers)
    voters, edges = order % in_photo.size, np.flatnonzero(np.diff(numbers[order], prepend=-1, append=-1))
    votes = np.diff(edges)
    chosen: list[set[int]] = []
    for largest in np.argsort(-votes, kind="stable")[:80].tolist():
        members = set(voters[edges[largest] : edges[largest + 1]].tolist())
        if len(members) >= 4 and all(len(members & other) < 0.6 * len(members) for other in chosen):
            chosen.append(members)
        if len(chosen) == most:
            break
    picks = [np.fromiter(sorted(members), np.int64) for members in chosen]
    return [(in_photo[pick], in_reference[pick]) for pick in picks]


def _place_step(photo_size: tuple[int, int]) -> float:
    return max(photo_size) / 12


def _homography(source: Matrix, target: Matrix, tolerance: float, area: float) -> Iterator[Matrix]:
    """The homography of these matches unless chance explains it. area: px in which unrelated ones lie."""
    if len(source) < 5:
        return
    matrix, mask = cv2.findHomography(
        source, target, cv2.USAC_MAGSAC, tolerance, maxIters=3000, confidence=0.995
    )
    if matrix is None or mask is None or not np.all(np.isfinite(matrix)):
        return
    agreeing = mask.ravel().astype(bool)
    every = _distinct(target, tolerance)
    count = min(_distinct(target[agreeing], tolerance), _distinct(source[agreeing], tolerance))
    by_chance = min(math.pi * tolerance**2 / area, 1.0)
    if false_alarms(every, count, by_chance) < 1:
        yield np.asarray(matrix, np.float64)


def _distinct(points: Matrix, tolerance: float) -> int:
    """The number of places: a corner has several features, which agree or not together."""
    return len(np.unique(np.rint(points / tolerance), axis=0))


def false_alarms(matches: int, agreeing: int, by_chance: float) -> float:
    """How many homographies with this many agreeing matches are expected between unrelated pictures.

    by_chance: the probability that a match agrees with an unrelated homography. It is the number of false
    alarms of Moisan, Moulon and Monasse (2012, Automatic Homographic Registration of a Pair of Images, with A
    Contrario Elimination of Outliers, IPOL 2) for one tolerance and four matches a homography.
    """
    if agreeing <= _MINIMAL:
        return math.inf
    ways = math.comb(matches, agreeing) * math.comb(agreeing, _MINIMAL) * (matches - _MINIMAL)
    return 10 ** min(math.log10(ways) + (agreeing - _MINIMAL) * math.log10(by_chance), 300)
