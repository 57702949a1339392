"""Explains a difference by differences that passed photos showed nearby.

A part is cut into tiles. How a tile looks, and what is around it, is put into a few numbers: brightness,
hue, what is brighter and darker, how steep it is. A photo explains a tile when it showed something with
nearly the same numbers within reach. That generalises as an average cannot: a lamp is like one of its two
states, a digit like strokes of others, a highlight like one a little further off (compare patches in a
memory of normal ones, Roth et al. 2022; here they are few, local and of differences alone).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Bytes, Floats, Matrix
from service.detection.reference_difference.variation.memory import Appearance, RegionMemory, paste
from shared.geometry import Rect
from shared.images.cv import cv2

SUPPORT = 2
"""Photos that must each explain a tile, so that a memory that lacks any one of them explains it as well."""

EXPLAINED = 0.16
"""Share of the square of what a tile looks like that its explanation may leave. Lamps, digits and cables that
were seen before leave 0.02 to 0.12, drawn damage on them 0.2 to 0.6."""

Tile = tuple[slice, slice]

# px of a tile at the scale at which a part is compared, and of the place around it that counts too: a thing
# is known by how far it reaches.
_TILE = 10
_WIDE = 24
_AROUND = _WIDE // 2
# px that a part covers at most at that scale: a thick one is compared coarsely.
_MOST_PX = 1200
# A thing may have moved by so much of its length, px at that scale at least and at most.
_MOVES = 0.7
_LEAST_REACH, _MOST_REACH = 10, 30
_STRIDE = 2
# How strong a difference may be in parts of what was seen.
_FAINTEST, _STRONGEST = 0.6, 1.25
# Grey levels that are never left.
_NOISE = 4.0
# What counts how much: steepness and the wider place against brightness; of the three channels brightness,
# and blue and red against it, since the hue tells dirt from a dent.
_STEEP, _WIDER = 4.0, 2.0
_HUE = 6.0
_TINT = np.array(
    [[3**0.5] * 3, [2 * _HUE, -_HUE, -_HUE], [-_HUE, -_HUE, 2 * _HUE]],
    np.float32,
) / np.float32(3)


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a memory explains of a part.

    left: bool (height, width) of the part, True where it does not. share: of its squared difference that is
    explained, 0..1. remaining: of what is `left`, the share that is unlike anything that was seen, 0..1.
    photos: the keys of the photos that explain something.
    """

    left: NDArray[np.bool_]
    share: float
    remaining: float
    photos: tuple[str, ...]


def explained(memory: RegionMemory, today: Sequence[Appearance], box: Rect, mask: Bytes) -> Explanation:
    """What `memory` explains of a part of today's photo.

    box: where it lies, px of the reference image. mask: uint8, not 0 on the part. today: all that differs
    today, the part among it.
    """
    height, width = mask.shape
    shrink = min(1.0, float(np.sqrt(_MOST_PX / max(cv2.countNonZero(mask), 1))))
    size = max(round(width * shrink), 1), max(round(height * shrink), 1)
    scale = size[0] / box.w
    inside = np.asarray(cv2.resize(mask.astype(np.float32), size, interpolation=cv2.INTER_AREA), np.float32)
    tiles = list(_tiles(inside))
    change, wider = (_window(today, box, scale, size, pad) for pad in (0, _AROUND))
    if change is None or wider is None:
        return Explanation(mask > 0, 0.0, 1.0, ())
    looks = _features(wider)
    ours = [looks[y + _AROUND, x + _AROUND] for y, x in map(_middle, tiles)]
    reach = int(np.clip(round(_MOVES * max(size)), _LEAST_REACH, _MOST_REACH))
    # Of each tile the share that is left by the photo which explains it best, and by the one after that.
    best = np.ones((SUPPORT, len(tiles)))
    photos = []
    for photo in reversed(memory.photos):
        if (best[-1] <= EXPLAINED).all():
            break
        window = _window(photo.appearances, box, scale, size, reach)
        if window is None:
            continue
        rest = _rest(ours, tiles, _features(window), reach)
        if (rest <= EXPLAINED).any():
            photos.append(photo.key)
        # A person looked at a finding that they rejected, so that counts as much as two photos that passed.
        votes = [rest] * (SUPPORT if photo.rejected else 1)
        best = np.sort(np.vstack([best, *votes]), axis=0)[:SUPPORT]
    rest = best[-1]
    unclear = rest > EXPLAINED
    left = np.zeros(inside.shape, np.uint8)
    for tile, open_still in zip(tiles, unclear.tolist(), strict=True):
        if open_still:
            left[tile] = 1
    energy = np.array([float((change[tile] ** 2).sum()) for tile in tiles])
    total, open_energy = max(float(energy.sum()), 1e-6), float(energy[unclear].sum())
    remaining = float((energy * rest)[unclear].sum()) / open_energy if open_energy > 0 else 0.0
    enlarged = cv2.resize(left, (width, height), interpolation=cv2.INTER_NEAREST) > 0
    return Explanation(np.asarray(enlarged, np.bool_), 1 - open_energy / total, remaining, tuple(photos))


def _tiles(inside: Floats) -> Iterator[Tile]:
    """The tiles of a part that it covers at all."""
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
    """How a photo differed over `box` and `pad` px around it, `scale` px for each; None where it did not."""
    beyond = pad / scale
    around = Rect(box.x - beyond, box.y - beyond, box.w + 2 * beyond, box.h + 2 * beyond)
    near = [one for one in appearances if not one.box.intersection(around).empty]
    if not near:
        return None
    window = np.zeros((size[1] + 2 * pad, size[0] + 2 * pad, 3), np.float32)
    for one in near:
        at = Rect(one.box.x - around.x, one.box.y - around.y, one.box.w, one.box.h)
        paste(window, one.difference, at, scale)
    return window


def _features(change: Floats) -> Floats:
    """How a tile around each px looks: float32 (height, width, 11), in grey levels.

    Brightness and hue, what is brighter, what is darker, the root of the mean square, the steepness across
    and down; of the wider place what is brighter, what is darker and the root of the mean square.
    """
    bright = np.asarray(cv2.transform(change, np.full((1, 3), 1 / 3, np.float32)), np.float32)
    steep = [cv2.Sobel(bright, cv2.CV_32F, x, 1 - x, scale=_STEEP / 8) for x in (1, 0)]
    signs = [np.maximum(bright, 0), np.maximum(-bright, 0)]
    squares = [part * part for part in (bright, *steep)]
    tile = cv2.merge([cv2.transform(change, _TINT), *signs, *squares])
    near = cv2.boxFilter(tile, cv2.CV_32F, (_TILE, _TILE), borderType=cv2.BORDER_CONSTANT)
    wide = cv2.merge([*signs, squares[0]])
    wide = cv2.boxFilter(wide, cv2.CV_32F, (_WIDE, _WIDE), borderType=cv2.BORDER_CONSTANT)
    # What a running sum leaves of nothing may lie a little below it.
    np.sqrt(np.maximum(near[..., 5:], 0), out=near[..., 5:])
    np.sqrt(np.maximum(wide[..., 2:], 0), out=wide[..., 2:])
    return np.concatenate([near, wide * np.float32(_WIDER)], axis=2)


def _rest(ours: Sequence[Floats], tiles: Sequence[Tile], theirs: Floats, reach: int) -> Matrix:
    """For each tile the share (0..1) of what it looks like that is nowhere within reach in a photo."""
    left = np.ones(len(tiles))
    for index, (own, tile) in enumerate(zip(ours, tiles, strict=True)):
        y, x = _middle(tile)
        there = theirs[y : y + 2 * reach + 1 : _STRIDE, x : x + 2 * reach + 1 : _STRIDE]
        # Not `@`: BLAS would start threads of its own for so little.
        both = np.einsum("yxf,f->yx", there, own)
        squared = np.einsum("yxf,yxf->yx", there, there)
        power = float(np.einsum("f,f->", own, own))
        factor = np.clip(both / np.maximum(squared, 1e-3), _FAINTEST, _STRONGEST)
        rest = float((power - 2 * factor * both + factor * factor * squared).min())
        left[index] = max(rest - _NOISE * _NOISE, 0) / max(power, 1.0)
    return np.minimum(left, 1)
