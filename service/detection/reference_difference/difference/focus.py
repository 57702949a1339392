"""Adapts the reference to the focus, the motion and the width of lines of the photo."""

from __future__ import annotations

from typing import Final

import numpy as np

from service.detection.reference_difference.data import Bytes, Floats
from service.detection.reference_difference.difference.sampling import luminance, value_at_rank
from service.detection.reference_difference.light.direction import Line, find_motion, line_kernel
from shared.images.cv import cv2

_SIGMAS: Final = (0.0, 0.5, 0.7, 0.9, 1.2, 1.6, 2.1, 2.8)
# px along the edges of a tile that a blur mixes with the tile beside it.
_RIM: Final = 6
# Grey levels from which a noisy photo counts as clipped.
_WHITE: Final = 247
# Levels of a blur (sigma in px) at which a bilevel picture is cut again: by up to about 2 px either way.
_WIDTHS: Final = (0.0, -0.35, 0.35, -0.6, 0.6, -0.8, 0.8)
_WIDEN = 1.8


def match_focus(reference: Floats, photo: Floats, valid: Bytes) -> tuple[Floats, Floats]:
    """Blur the sharper of two aligned frames so that both are equally sharp; the reference along motion too.

    reference, photo: float32 (height, width, channels). The Gaussian with the least robust difference of the
    high-pass parts is chosen. A smaller one that is nearly as good is preferred, because blur hides cracks.
    """
    tiles = _structured_tiles(reference, photo, valid)
    if tiles is None:
        return reference, photo
    one, other = (_high_pass(part) for part in tiles)
    line = _motion_of_tiles(*tiles)
    if line is not None:
        motion = line_kernel(line)
        reference = np.asarray(cv2.filter2D(reference, -1, motion), np.float32).reshape(reference.shape)
        one = _high_pass(cv2.filter2D(tiles[0], -1, motion))
    soften_reference = _best_sigma(one, other)
    if soften_reference > 0:
        return _blur(reference, soften_reference), photo
    soften_photo = _best_sigma(other, one)
    return (reference, _blur(photo, soften_photo)) if soften_photo > 0 else (reference, photo)


def motion_between(reference: Floats, photo: Floats, valid: Bytes) -> Line | None:
    """The line along which the photo is blurred, from the tiles with most structure; None if unclear.

    reference, photo: aligned frames, float32 (height, width, channels), which count where `valid` is not 0.
    """
    tiles = _structured_tiles(reference, photo, valid)
    return None if tiles is None else _motion_of_tiles(*tiles)


def _motion_of_tiles(reference: Floats, photo: Floats) -> Line | None:
    target = _inner(_high_pass(photo))
    inner = np.zeros(photo.shape, np.uint8)
    inner.reshape(len(inner), -1, len(inner))[_RIM:-_RIM, :, _RIM:-_RIM] = 255
    return find_motion(
        reference, photo, inner, lambda blurred: _robust_distance(_inner(_high_pass(blurred)), target)
    )


def _high_pass(image: Floats) -> Floats:
    return np.asarray(image - cv2.GaussianBlur(image, (0, 0), 4.0), np.float32)


def match_width(reference: Floats, photo: Floats, valid: Bytes) -> Floats:
    """Give a bilevel reference lines as wide as those of the photo; float32 (height, width, channels).

    The threshold of a bilevel picture makes all its lines wider or thinner by some px. The shift of all edges
    with the least robust difference of the high-pass parts is chosen.
    """
    tiles = _structured_tiles(reference, photo, valid)
    if tiles is None:
        return reference
    one, other = tiles
    target = _inner(_high_pass(other))
    least, chosen = np.inf, 0.0
    for level in _WIDTHS:
        tried = _high_pass(_widen(one, level))
        error = min(_robust_distance(_inner(_blur(tried, sigma)), target) for sigma in (0.0, 0.9, 1.6))
        if error < least * (0.95 if level else 1.0):
            least, chosen = error, level
    return _widen(reference, chosen) if chosen else reference


def _widen(image: Floats, level: float) -> Floats:
    """Widen the white of the image (level > 0, up to 1) or narrow it, by a threshold on its blur."""
    if not level:
        return image
    soft = cv2.GaussianBlur(image, (0, 0), _WIDEN)
    steep = (soft - (127.5 - 127.5 * level)) * 3 + 127.5
    return np.asarray(np.clip(steep, 0, 255), np.float32).reshape(image.shape)


def _blur(image: Floats, sigma: float) -> Floats:
    if sigma <= 0:
        return image
    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), np.float32).reshape(image.shape)


def _structured_tiles(
    reference: Floats, photo: Floats, valid: Bytes, tile: int = 96, most: int = 6
) -> tuple[Floats, Floats] | None:
    """The tiles with the most structure in the reference, side by side, as luminance; None without tiles.

    Structure that is white in the photo does not count: glare hides it, which looks like blur.
    """
    height, width = valid.shape
    tile = min(tile, height, width)
    found: list[tuple[float, int, int]] = []
    bright, seen = luminance(reference), luminance(photo)
    shown = cv2.compare(cv2.min(*_neighbours(seen)), _WHITE, cv2.CMP_LT)
    steps = cv2.copyTo(cv2.absdiff(*_neighbours(bright)), shown)
    for top in range(0, height - tile + 1, tile):
        for left in range(0, width - tile + 1, tile):
            if valid[top : top + tile, left : left + tile].min():
                y, x = -(-top // 2), -(-left // 2)
                part = steps[y : -(-(top + tile) // 2), x : -(-(left + tile) // 2) - 1]
                found.append((cv2.mean(part)[0], top, left))
    found = sorted(found, reverse=True)[:most]
    if not found:
        return None
    cut = [np.s_[top : top + tile, left : left + tile] for _, top, left in found]
    one = np.concatenate([bright[area] for area in cut], axis=1)
    other = np.concatenate([seen[area] for area in cut], axis=1)
    return one, other


def _neighbours(bright: Floats) -> tuple[Floats, Floats]:
    """Every second px of a frame (height, width), and the next one in its row."""
    few = np.ascontiguousarray(bright[::2, ::2])
    return few[:, :-1], few[:, 1:]


def _inner(tiles: Floats) -> Floats:
    """The px of tiles side by side that are not near the edge of their tile, flat."""
    side = len(tiles)
    return tiles.reshape(side, -1, side)[_RIM:-_RIM, :, _RIM:-_RIM].ravel()


def _best_sigma(high: Floats, soft: Floats) -> float:
    """The blur of high-pass tiles that makes them most similar to other ones."""
    target = _inner(soft)
    least, chosen, worse = np.inf, 0.0, 0
    for sigma in _SIGMAS:
        error = _robust_distance(_inner(_blur(high, sigma)), target)
        if error < least * 0.98 - 0.01:
            least, chosen, worse = error, sigma, 0
        else:
            worse += 1
        if worse == 2:
            break
    return chosen


def _robust_distance(detail: Floats, target: Floats) -> float:
    """The robust mean difference of two high-pass pictures, up to a gain, since the brightness may differ."""
    gain = float(np.clip(np.dot(detail, target) / max(np.dot(detail, detail), 1e-6), 0.4, 2.5))
    off = np.abs(detail * gain - target)
    # Clipping limits the effect of damage.
    return float(np.minimum(off, np.float32(value_at_rank(off, off.size * 19 // 20))).mean())
