"""Compares a part of today's difference with the differences of other photos nearby, tile by tile.

A few features describe a tile and its surroundings: brightness, hue, brighter and darker parts, steepness.
They generalise better than an average: a lamp is similar to one of its two states, a digit to strokes of
others, a highlight to one a little further off (compare patches in a memory of normal ones, Roth et al. 2022;
here they are few, local and of differences alone).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Bytes, Floats, Matrix
from service.detection.reference_difference.variation.memory import Appearance, paste
from shared.images.cv import cv2
from shared.record.geometry import Rect

Tile = tuple[slice, slice]

# px of a tile at the scale at which a part is compared, and of its surroundings, which count too because the
# extent of an object distinguishes it.
_TILE = 10
_WIDE = 24
_AROUND = _WIDE // 2
# The most px of a part at that scale: a thick one is compared coarsely.
_MAX_PX = 1200
# The distance that an object may have moved in parts of its length, and its limits in px at that scale.
_MOVES = 0.7
_MIN_REACH, _MAX_REACH = 10, 30
_STRIDE = 2
# The limits of the strength of a difference in parts of the one that explains it.
_FAINTEST, _STRONGEST = 0.6, 1.25
# Grey levels of noise, which do not count as a remaining difference.
_NOISE = 4.0
# Weights of the features relative to brightness: steepness and the wider surroundings; and the hue, of blue
# and red relative to brightness, which distinguishes dirt from a dent.
_STEEP, _WIDER = 4.0, 2.0
_HUE = 6.0
_TINT = np.array(
    [[3**0.5] * 3, [2 * _HUE, -_HUE, -_HUE], [-_HUE, -_HUE, 2 * _HUE]],
    np.float32,
) / np.float32(3)


@dataclass(frozen=True, slots=True)
class TiledPart:
    """A part of today's difference, cut into tiles of about 10 px at the scale at which it is compared.

    shape: (height, width) of the part in px. energies: float64, the squared difference in each tile.
    """

    shape: tuple[int, int]
    energies: Matrix
    _box: Rect
    _scale: float
    _size: tuple[int, int]
    _tiles: tuple[Tile, ...] = field(repr=False)
    _looks: tuple[Floats, ...] = field(repr=False)

    @staticmethod
    def of(today: Sequence[Appearance], box: Rect, mask: Bytes) -> TiledPart | None:
        """The part with `mask` (uint8, not 0 on it) at `box` (px of the reference image).

        today: all differences of today's photo. None if none of them is there.
        """
        height, width = mask.shape
        shrink = min(1.0, float(np.sqrt(_MAX_PX / max(cv2.countNonZero(mask), 1))))
        size = max(round(width * shrink), 1), max(round(height * shrink), 1)
        scale = size[0] / box.w
        inside = cv2.resize(mask.astype(np.float32), size, interpolation=cv2.INTER_AREA)
        tiles = tuple(_tiles(np.asarray(inside, np.float32)))
        change, wider = (_window(today, box, scale, size, pad) for pad in (0, _AROUND))
        if change is None or wider is None:
            return None
        looks = _features(wider)
        middles = map(_middle, tiles)
        tile_looks = tuple(looks[y + _AROUND, x + _AROUND] for y, x in middles)
        energies = np.array([float((change[tile] ** 2).sum()) for tile in tiles])
        return TiledPart((height, width), energies, box, scale, size, tiles, tile_looks)

    @property
    def around(self) -> Rect:
        """The area in which similar differences are searched, px of the reference image."""
        beyond = self._reach / self._scale
        at = self._box
        return Rect(at.x - beyond, at.y - beyond, at.w + 2 * beyond, at.h + 2 * beyond)

    def unlikeness(self, appearances: Sequence[Appearance], at: Sequence[Rect] | None = None) -> Matrix:
        """The share of the squared features of each tile that a photo shows nowhere nearby, float64 0..1.

        It is 1 if the photo with these `appearances` shows nothing. at: if given, only these places count, px
        of the reference image.
        """
        reach = self._reach
        window = _window(appearances, self._box, self._scale, self._size, reach)
        if window is None:
            return np.ones(len(self._tiles))
        features = _features(window)
        counts = None if at is None else self._covered_px(at, reach)
        return np.array(
            [
                self._least(look, tile, features, counts)
                for look, tile in zip(self._looks, self._tiles, strict=True)
            ]
        )

    def places(self, chosen: NDArray[np.bool_]) -> list[Rect]:
        """The places of the chosen tiles, px of the reference image."""
        return [
            Rect(
                self._box.x + columns.start / self._scale,
                self._box.y + rows.start / self._scale,
                (columns.stop - columns.start) / self._scale,
                (rows.stop - rows.start) / self._scale,
            )
            for (rows, columns), is_chosen in zip(self._tiles, chosen.tolist(), strict=True)
            if is_chosen
        ]

    def tile_mask(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The px of the chosen tiles, bool (height, width) of the part."""
        small = np.zeros((self._size[1], self._size[0]), np.uint8)
        for tile, is_chosen in zip(self._tiles, chosen.tolist(), strict=True):
            if is_chosen:
                small[tile] = 1
        height, width = self.shape
        return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_NEAREST) > 0, np.bool_)

    @property
    def _reach(self) -> int:
        return int(np.clip(round(_MOVES * max(self._size)), _MIN_REACH, _MAX_REACH))

    def _covered_px(self, places: Sequence[Rect], pad: int) -> NDArray[np.bool_]:
        """The px of the part and `pad` around it, at the scale of the comparison, that `places` cover."""
        covered = np.zeros((self._size[1] + 2 * pad, self._size[0] + 2 * pad), np.bool_)
        for place in places:
            left, top, right, bottom = (
                max(round((side - corner) * self._scale) + pad, 0)
                for side, corner in (
                    (place.x, self._box.x),
                    (place.y, self._box.y),
                    (place.right, self._box.x),
                    (place.bottom, self._box.y),
                )
            )
            covered[top:bottom, left:right] = True
        return covered

    def _least(self, look: Floats, tile: Tile, features: Floats, counts: NDArray[np.bool_] | None) -> float:
        """The share of what a tile looks like that is nowhere within reach in `features`."""
        (y, x), reach = _middle(tile), self._reach
        near = np.s_[y : y + 2 * reach + 1 : _STRIDE, x : x + 2 * reach + 1 : _STRIDE]
        if counts is not None and not counts[near].any():
            return 1.0
        nearby = features[near]
        # Not `@`: BLAS would start threads for this small product.
        both = np.einsum("yxf,f->yx", nearby, look)
        squared = np.einsum("yxf,yxf->yx", nearby, nearby)
        power = float(np.einsum("f,f->", look, look))
        factor = np.clip(both / np.maximum(squared, 1e-3), _FAINTEST, _STRONGEST)
        rest = power - 2 * factor * both + factor * factor * squared
        least = float((rest if counts is None else rest[counts[near]]).min())
        return min(max(least - _NOISE * _NOISE, 0) / max(power, 1.0), 1.0)


def _tiles(inside: Floats) -> Iterator[Tile]:
    """The tiles that a part covers to some extent."""
    height, width = inside.shape
    rows, columns = (max(round(length / _TILE), 1) for length in (height, width))
    ys = np.linspace(0, height, rows + 1).round().astype(int).tolist()
    xs = np.linspace(0, width, columns + 1).round().astype(int).tolist()
    for top, bottom in pairwise(ys):
        for left, right in pairwise(xs):
            tile = np.s_[top:bottom, left:right]
            if (inside[tile] > 0.25).any():
                yield tile


def _middle(tile: Tile) -> tuple[int, int]:
    rows, columns = tile
    return (rows.start + rows.stop) // 2, (columns.start + columns.stop) // 2


def _window(
    appearances: Sequence[Appearance], box: Rect, scale: float, size: tuple[int, int], pad: int
) -> Floats | None:
    """The difference of a photo over `box` with `pad` px around it, at `scale`; None without a difference."""
    beyond = pad / scale
    around = Rect(box.x - beyond, box.y - beyond, box.w + 2 * beyond, box.h + 2 * beyond)
    near = [appearance for appearance in appearances if not appearance.box.intersection(around).is_empty]
    if not near:
        return None
    window = np.zeros((size[1] + 2 * pad, size[0] + 2 * pad, 3), np.float32)
    for appearance in near:
        at = Rect(
            appearance.box.x - around.x, appearance.box.y - around.y, appearance.box.w, appearance.box.h
        )
        paste(window, appearance.difference, at, scale)
    return window


def _features(change: Floats) -> Floats:
    """The features of a tile around each px: float32 (height, width, 11), in grey levels.

    They are brightness and hue, the brighter part, the darker part, the root mean square, and the steepness
    across and down; of the wider surroundings the brighter part, the darker part and the root mean square.
    """
    bright = np.asarray(cv2.transform(change, np.full((1, 3), 1 / 3, np.float32)), np.float32)
    steep = [cv2.Sobel(bright, cv2.CV_32F, x, 1 - x, scale=_STEEP / 8) for x in (1, 0)]
    signs = [np.maximum(bright, 0), np.maximum(-bright, 0)]
    squares = [part * part for part in (bright, *steep)]
    tile = cv2.merge([cv2.transform(change, _TINT), *signs, *squares])
    near = cv2.boxFilter(tile, cv2.CV_32F, (_TILE, _TILE), borderType=cv2.BORDER_CONSTANT)
    wide = cv2.merge([*signs, squares[0]])
    wide = cv2.boxFilter(wide, cv2.CV_32F, (_WIDE, _WIDE), borderType=cv2.BORDER_CONSTANT)
    # Rounding of the running sum may give values a little below 0.
    np.sqrt(np.maximum(near[..., 5:], 0), out=near[..., 5:])
    np.sqrt(np.maximum(wide[..., 2:], 0), out=wide[..., 2:])
    return np.concatenate([near, wide * np.float32(_WIDER)], axis=2)
