"""Compares the patches of a photo with those of the photos that passed.

The distance of a patch is the cosine distance to its nearest neighbour among the patches of the passed
photos, as in PatchCore (Roth et al. 2022) and AnomalyDINO (Damm et al. 2024): of all patches, or only of
those at about the same place. How unusual a photo is follows from its most distant patches. The passed
photos are compared with each other in the same way (leave one out), so the result is a share of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
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
_ANYWHERE: Final = 1.3
"""Places count unless the passed photos are this many times as far from each other when they do. They are 1.0
to 1.1 times under a fixed camera (MVTec bottle, transistor), to 1.8 where objects lie anywhere (MTOC)."""
_LEFT_OUT: Final = 10
"""The most photos that are compared with the others, spread over all of them."""
_CHOOSING: Final = 3
"""The same to choose whether places count: patches anywhere take ten times as long to compare."""
_LEAST_SPREAD: Final = 0.252
"""Standard deviation of the logarithm: it puts the limit of `PASSING_SHARE` at 1.7 times the usual distance.
Good photos of MVTec bottle and transistor have 0.14 to 0.26."""
_SPREAD_PHOTOS: Final = 4
"""The least spread counts as much as this many photos against the measured one."""
_GROSS: Final = 0.4
"""The limit with one passed photo: nothing says how much photos differ, so only gross changes exceed it."""
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
        photos_left_out = partial(_distances_left_out, np.asarray(patches, np.float32))
        chosen = place
        if chosen is None:
            few = {
                candidate: photos_left_out(candidate, _CHOOSING)
                for candidate in (Place.FIXED, Place.ANYWHERE)
            }
            chosen = _choose(few[Place.FIXED], few[Place.ANYWHERE])
        distances = photos_left_out(chosen, _LEFT_OUT)
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
        alone = np.stack([distances_to(photo, other, self.place) for other in self.patches])
        _, rows, columns = alone.shape
        for area in ignored:
            alone[:, _inside(area.y, area.bottom, rows), _inside(area.x, area.right, columns)] = 0
        order = np.argsort([photo_distance(distances) for distances in alone], kind="stable")
        distances = alone.min(axis=0)
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


def distances_to(photo: Features, other: Features, place: Place) -> Distances:
    """The distance of each patch of `photo` to the nearest one of the `other`."""
    queries, neighbours = np.asarray(photo, np.float32), np.asarray(other, np.float32)
    rows, columns, channels = queries.shape
    if place is Place.ANYWHERE:
        alike = queries.reshape(-1, channels) @ neighbours.reshape(-1, channels).T
        best = alike.max(axis=1).reshape(rows, columns)
    else:
        best = np.full((rows, columns), -1, np.float32)
        for down in range(-_RADIUS, _RADIUS + 1):
            for across in range(-_RADIUS, _RADIUS + 1):
                here = _shifted(rows, -down), _shifted(columns, -across)
                there = _shifted(rows, down), _shifted(columns, across)
                alike = np.einsum("rck,rck->rc", queries[here], neighbours[there])
                np.maximum(best[here], alike, out=best[here])
    return np.asarray(np.clip(1 - best, 0, 2), np.float32)


def _distances_left_out(patches: NDArray[np.float32], place: Place, most: int) -> list[float]:
    """The distances of at most `most` of these photos, spread over all of them, to the others."""
    numbers = np.linspace(0, len(patches) - 1, min(len(patches), most)).round().astype(int).tolist()
    return [
        photo_distance(
            np.minimum.reduce(
                [distances_to(patches[number], other, place) for other in np.delete(patches, number, axis=0)]
            )
        )
        for number in numbers
    ]


def photo_distance(distances: Distances) -> float:
    """The distance of a photo: the mean of its most distant patches."""
    counted = max(round(distances.size * _COUNTED), 1)
    return float(np.sort(distances, axis=None)[-counted:].mean())


def _span(start: float, end: float, count: int) -> slice:
    """The patches of a row or column that a span of fractions touches, at least one."""
    first = min(max(math.floor(start * count), 0), count - 1)
    return slice(first, min(max(math.ceil(end * count), first + 1), count))


def _inside(start: float, end: float, count: int) -> slice:
    """The patches of a row or column whose middle is in a span of fractions."""
    return slice(max(math.ceil(start * count - 0.5), 0), max(math.ceil(end * count - 0.5), 0))


def _shifted(length: int, by: int) -> slice:
    return slice(max(by, 0), length + min(by, 0))


def _choose(same: Sequence[float], anywhere: Sequence[float]) -> Place:
    return Place.ANYWHERE if np.mean(same) > _ANYWHERE * np.mean(anywhere) else Place.FIXED


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
