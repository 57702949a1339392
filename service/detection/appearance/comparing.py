"""Compares the patches of a photo with those of the photos that passed.

The distance of a patch is the cosine distance to its nearest neighbour among the patches of the passed
photos, as in PatchCore (Roth et al. 2022) and AnomalyDINO (Damm et al. 2024). Where places count, it is the
mean of two: to the nearest patch anywhere, which finds small defects, and to the nearest one at about the
same place, which finds misplaced parts. How unusual a photo is follows from its most distant patches. The
passed photos are compared with each other in the same way (leave one out), so the result is a share of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.detection.appearance.backbone import Features
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.wire.inspection import Place

Distances = NDArray[np.float32]
"""(rows, columns): the distance of each patch, 0 (equal) to 2."""

MAX_PHOTOS: Final = 24
"""The most photos of a memory: 4.5 MB of features. Of more, those that differ most from each other stay."""
PASSING_SHARE: Final = 0.02
"""A photo passes if at least this share of passed photos is as unusual. With 3 %, fewer than 90 % of the good
photos of MVTec transistor pass when the first ones by name passed."""
MOST_UNUSUAL: Final = 0.5
"""The share of unusual patches from which a photo shows something else than the passed ones."""

_RADIUS: Final = 1
"""In patches: how far an object may lie from the same place."""
_COUNTED: Final = 0.03
"""The share of the patches that count, the most distant ones."""
_ANYWHERE: Final = 1.5
"""Places count unless the passed photos are this many times as far from each other at the same place as
anywhere. They are 1.0 to 1.44 times as far under a fixed camera (MVTec bottle, transistor), and to 3.8 times
where objects lie anywhere (MTOC)."""
_AT_ONCE: Final = 32
"""Patches of a passed photo that are compared anywhere, before the rest may be known not to count."""
_LEFT_OUT: Final = 6
"""The most photos that are compared with the others, spread over all of them."""
_LEAST_SPREAD: Final = 0.145
"""Standard deviation of the logarithm: it puts the limit of `PASSING_SHARE` at 1.35 times the usual distance.
Good photos of MVTec bottle and transistor have 0.05 to 0.17."""
_SPREAD_PHOTOS: Final = 4
"""The least spread counts as much as this many photos against the measured one."""
_GROSS: Final = 0.34
"""The limit with one passed photo: nothing says how much photos differ, so only gross changes exceed it. 0.97
of the good photos of MVTec transistor are below, and all of bottle."""
_LEAST_DISTANCE: Final = 1e-3
"""A smaller usual distance is rounding, since features have half precision."""


@dataclass(frozen=True, slots=True)
class UnusualPart:
    """A part of a photo that is unlike the passed photos.

    box: in fractions of the picture. ratio: of its distance to the limit, at least 1.
    """

    box: Rect
    ratio: float


@dataclass(frozen=True, slots=True)
class Appearance:
    """How a photo looks beside the passed photos.

    heat: the distance of each patch in units of the limit. distance: of the photo. share: the expected share
    of passed photos that are as unusual, 0 to 1; None with one passed photo. parts: the most unusual first.
    order: the indices of the passed photos, those that differ least from this one first.
    """

    heat: Distances
    distance: float
    share: float | None
    passed: bool
    parts: tuple[UnusualPart, ...]
    order: tuple[int, ...]

    def most_heat(self, box: Rect) -> float:
        """The most heat of the patches that `box` touches, in fractions of the picture."""
        rows, columns = self.heat.shape
        down, across = _span(box.y, box.bottom, rows), _span(box.x, box.right, columns)
        return float(self.heat[down, across].max())


@dataclass(frozen=True, slots=True)
class AppearanceMemory:
    """The patches of the passed photos, float16 (photos, rows, columns, channels).

    indices: of these photos among those that `of` was given. usual: the distance of passed photos from each
    other (geometric mean); None with one photo. spread: the standard deviation of its logarithm.
    """

    patches: NDArray[np.float16]
    indices: tuple[int, ...]
    place: Place
    usual: float | None
    spread: float

    @classmethod
    def of(cls, photos: Sequence[Features], place: Place | None = None) -> AppearanceMemory:
        """The memory of photos that passed, at least one, all of the same size.

        place: `FIXED` or `ANYWHERE`; None lets the photos choose. Of one photo it is `FIXED`.
        """
        indices = _differing(photos)
        patches = np.stack([photos[index] for index in indices])
        if len(patches) == 1:
            return cls(patches, indices, place or Place.FIXED, None, _LEAST_SPREAD)
        chosen, distances = _leave_out(np.asarray(patches, np.float32), place)
        logarithms = np.log(np.maximum(distances, _LEAST_DISTANCE))
        squares = float(((logarithms - logarithms.mean()) ** 2).sum())
        measured = (_SPREAD_PHOTOS * _LEAST_SPREAD**2 + squares) / (_SPREAD_PHOTOS + len(distances) - 1)
        spread = max(math.sqrt(measured), _LEAST_SPREAD)
        return cls(patches, indices, chosen, math.exp(float(logarithms.mean())), spread)

    @property
    def limit(self) -> float:
        """The largest distance of a photo that passes."""
        if self.usual is None:
            return _GROSS
        return self.usual * math.exp(NormalDist(0, self.spread).inv_cdf(1 - PASSING_SHARE))

    def judge(self, photo: Features, ignored: Sequence[Rect] = ()) -> Appearance:
        """How a photo looks beside the passed ones; `ignored` are parts of it, in fractions."""
        measured = _measure(np.asarray(photo, np.float32), np.asarray(self.patches, np.float32), self.place)
        *_, rows, columns = measured.shape
        for area in ignored:
            # The second way has patches averaged with their neighbours.
            for way, grown in zip(measured, (0, 1), strict=False):
                down = _inside(area.y - grown / rows, area.bottom + grown / rows, rows)
                across = _inside(area.x - grown / columns, area.right + grown / columns, columns)
                way[:, down, across] = 0
        order = np.argsort([photo_distance(alone) for alone in measured.mean(axis=0)], kind="stable")
        distances = np.asarray(measured.min(axis=1).mean(axis=0))
        distance = photo_distance(distances)
        share = None
        if self.usual is not None:
            ratio = max(distance, _LEAST_DISTANCE) / self.usual
            share = 1 - NormalDist(0, self.spread).cdf(math.log(ratio))
        heat = np.asarray(distances / self.limit, np.float32)
        passed = distance <= self.limit
        parts = () if passed else _parts(heat)
        indices = tuple(self.indices[index] for index in order.tolist())
        return Appearance(heat, distance, share, passed, parts, indices)


def _measure(photo: NDArray[np.float32], others: NDArray[np.float32], place: Place) -> NDArray[np.float32]:
    """The distance of each patch of a photo to the nearest one of each of the `others`, in each way that
    counts at `place`: (ways, others, rows, columns).
    """
    anywhere = np.stack([_distances_anywhere(photo, other) for other in others])
    if place is Place.ANYWHERE:
        return anywhere[None]
    smooth = _smooth(photo[None])[0]
    return np.stack([anywhere, np.stack([_distances_here(smooth, other) for other in _smooth(others)])])


def _distances_anywhere(photo: NDArray[np.float32], other: NDArray[np.float32]) -> Distances:
    rows, columns, channels = photo.shape
    alike = photo.reshape(-1, channels) @ other.reshape(-1, channels).T
    return np.asarray(np.clip(1 - alike.max(axis=1).reshape(rows, columns), 0, 2), np.float32)


def _distances_here(photo: NDArray[np.float32], other: NDArray[np.float32]) -> Distances:
    rows, columns, _ = photo.shape
    best = np.full((rows, columns), -1, np.float32)
    for down in range(-_RADIUS, _RADIUS + 1):
        for across in range(-_RADIUS, _RADIUS + 1):
            here = _shifted(rows, -down), _shifted(columns, -across)
            there = _shifted(rows, down), _shifted(columns, across)
            alike = np.einsum("rck,rck->rc", photo[here], other[there])
            np.maximum(best[here], alike, out=best[here])
    return np.asarray(np.clip(1 - best, 0, 2), np.float32)


def _smooth(patches: NDArray[np.float32]) -> NDArray[np.float32]:
    """Patches (photos, rows, columns, channels) averaged over 3 x 3 neighbours, of length 1, as in
    PatchCore: a patch then says less about where in it an edge runs.
    """
    padded = np.pad(patches, ((0, 0), (1, 1), (1, 1), (0, 0)), "edge")
    down = padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]
    summed = down[:, :, :-2] + down[:, :, 1:-1] + down[:, :, 2:]
    return np.asarray(summed / np.maximum(np.linalg.norm(summed, axis=3, keepdims=True), 1e-6), np.float32)


def _leave_out(patches: NDArray[np.float32], place: Place | None) -> tuple[Place, list[float]]:
    """Where the object lies, which these photos choose if `place` is None, and the distances of some of them,
    spread over all, to the others.
    """
    numbers = np.linspace(0, len(patches) - 1, min(len(patches), _LEFT_OUT)).round().astype(int).tolist()
    smooth = _smooth(patches)
    here = {number: _nearest_here(smooth, number) for number in numbers}
    if place is None:
        # Every other one, because patches anywhere take long to compare.
        same = np.mean([photo_distance(here[number]) for number in numbers[::2]])
        other = np.mean([_distance_anywhere(smooth, number, here[number]) for number in numbers[::2]])
        place = Place.ANYWHERE if same > _ANYWHERE * other else Place.FIXED
    beside = here if place is Place.FIXED else {}
    return place, [
        _distance_anywhere(patches, number, _distances_there(patches, number), beside.get(number))
        for number in numbers
    ]


def _nearest_here(photos: NDArray[np.float32], number: int) -> Distances:
    """The distances of the patches of a photo to the nearest ones at about the same place of the others."""
    others = (_distances_here(photos[number], other) for at, other in enumerate(photos) if at != number)
    return np.asarray(np.minimum.reduce(list(others)), np.float32)


def _distances_there(photos: NDArray[np.float32], number: int) -> Distances:
    """The distances of the patches of a photo to the nearest ones at exactly the same place of the others."""
    alike = np.einsum("rck,nrck->nrc", photos[number], photos)
    alike[number] = -1
    return np.asarray(np.clip(1 - alike.max(axis=0), 0, 2), np.float32)


def _distance_anywhere(
    photos: NDArray[np.float32], number: int, most: Distances, beside: Distances | None = None
) -> float:
    """The distance of a photo to the others, by the nearest patches anywhere.

    most: what the distance of each patch is at most. beside: other distances, of which the mean counts. Only
    the patches are compared that may be among the most distant ones, usually a quarter of them.
    """
    patches = photos.reshape(len(photos), -1, photos.shape[-1])
    every = patches.reshape(-1, photos.shape[-1])
    bounds = np.asarray(most if beside is None else (most + beside) / 2, np.float32).ravel()
    order, counted = np.argsort(-bounds), _count(bounds)
    found = np.zeros(0, np.float32)
    for start in range(0, len(order), _AT_ONCE):
        if len(found) >= counted and found[counted - 1] >= bounds[order[start]]:
            break
        some = order[start : start + _AT_ONCE]
        alike = (patches[number, some] @ every.T).reshape(len(some), len(photos), -1)
        alike[:, number] = -1
        distances = np.clip(1 - alike.max(axis=(1, 2)), 0, 2)
        if beside is not None:
            distances = (distances + beside.ravel()[some]) / 2
        found = -np.sort(-np.concatenate([found, distances]))
    return float(found[:counted].mean())


def photo_distance(distances: Distances) -> float:
    """The distance of a photo: the mean of its most distant patches."""
    return float(np.sort(distances, axis=None)[-_count(distances) :].mean())


def _count(distances: NDArray[np.float32]) -> int:
    """How many of these patches of a photo count."""
    return max(round(distances.size * _COUNTED), 1)


def _span(start: float, end: float, count: int) -> slice:
    """The patches of a row or column that a span of fractions touches, at least one."""
    first = min(max(math.floor(start * count), 0), count - 1)
    return slice(first, min(max(math.ceil(end * count), first + 1), count))


def _inside(start: float, end: float, count: int) -> slice:
    """The patches of a row or column whose middle is in a span of fractions."""
    return slice(max(math.ceil(start * count - 0.5), 0), max(math.ceil(end * count - 0.5), 0))


def _shifted(length: int, by: int) -> slice:
    return slice(max(by, 0), length + min(by, 0))


def _differing(photos: Sequence[Features]) -> tuple[int, ...]:
    """The indices of at most `MAX_PHOTOS` photos: each is the one that differs most from those before it.

    Differences at the same place suffice, so a hundred photos are compared in a moment.
    """
    if len(photos) <= MAX_PHOTOS:
        return tuple(range(len(photos)))
    flat = np.stack([photo.ravel() for photo in photos]).astype(np.float32)
    flat /= np.linalg.norm(flat, axis=1, keepdims=True)
    chosen = [0]
    alike = flat @ flat[0]
    while len(chosen) < MAX_PHOTOS:
        chosen.append(int(alike.argmin()))
        np.maximum(alike, flat @ flat[chosen[-1]], out=alike)
    return tuple(sorted(chosen))


def _parts(heat: Distances) -> tuple[UnusualPart, ...]:
    rows, columns = heat.shape
    _, labels, boxes, _ = cv2.connectedComponentsWithStats((heat > 1).astype(np.uint8))
    parts = [
        UnusualPart(Rect(x / columns, y / rows, w / columns, h / rows), float(heat[labels == number].max()))
        for number, (x, y, w, h, _) in enumerate(boxes.tolist())
        if number
    ]
    return tuple(sorted(parts, key=lambda part: -part.ratio))
