"""Corrects deviations that one homography cannot express: scan lines, lenses, warped boards.

The remaining shift is small and smooth: a pixel or two that change slowly across the frame. It is fitted on a
coarse lattice to the offsets of blocks (`blocks.measure`), each along the directions in which it has
structure. A membrane connects the nodes of the lattice, so that a damaged block follows its neighbours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.alignment import blocks
from service.detection.reference_difference.data import Bytes, Floats
from shared.images.cv import cv2

_LATTICE = 8
_BLOCK = 48
# Longest side of the frames that are measured, px.
_SIDE = 1280
_REACH = 4
# The same for larger shifts, as by a lens or a bent board, which are searched in a frame that is this many
# times smaller.
_SHRINK = 4
_FAR_BLOCK = 24
_FAR_REACH = 7
# A block is found if it correlates as much.
_FOUND_CORRELATION = 0.6
_POWERS = tuple((right, down) for right in range(4) for down in range(4 - right))
_TERMS = len(_POWERS)
_MAX_LOST = 0.2
_MAX_BLOCKS = 144
# px. Blocks disagree with a good lattice by about 0.3 px; a block that disagrees by more than this is
# damaged.
_OUTLIER = 1.5
# The strength of the membrane between neighbouring nodes, relative to the weight of a block (0..1).
_MEMBRANE = 0.15
# px. A smaller shift is within the tolerance of the comparison, and resampling would only blur.
_MIN_SHIFT = 0.35


def residual_shift(reference: Floats, photo: Floats, valid: Bytes, flat: bool = False) -> Floats | None:
    """The shift of the photo at each px: float32 (height, width, 2), x and y; None if it is negligible.

    reference, photo: grey frames of the same region, float32 (height, width). valid: 255 where both are
    visible. flat: no lens was used, so no shift exceeds the reach of the search for blocks.
    """
    full = (valid.shape[1], valid.shape[0])
    scale = min(_SIDE / max(full), 1.0)
    if scale < 1:
        small = (round(full[0] * scale), round(full[1] * scale))
        reference, photo = (
            np.asarray(cv2.resize(image, small, interpolation=cv2.INTER_AREA), np.float32)
            for image in (reference, photo)
        )
        valid = np.asarray(cv2.resize(valid, small, interpolation=cv2.INTER_NEAREST), np.uint8)
    height, width = valid.shape
    if min(height, width) < 2 * _BLOCK:
        return None
    known, seen = (
        np.asarray(cv2.GaussianBlur(image, (0, 0), 1.0), np.float32) for image in (reference, photo)
    )
    found = blocks.measure(known, seen, valid, _BLOCK, _REACH, _MAX_BLOCKS)
    if len(found.centres) < 8:
        return None
    far = None if flat or _lost_share(found) <= _MAX_LOST else _large_shift(known, seen, valid)
    if far is not None:
        there = shift_image(seen, far)
        found = blocks.measure(known, there, valid, _BLOCK, _REACH, _MAX_BLOCKS)
    nodes = _lattice(found, (width, height))
    if far is None and np.abs(nodes).max() < _MIN_SHIFT:
        return None
    shift = cv2.resize(nodes, (width, height), interpolation=cv2.INTER_LINEAR)
    shift = shift if far is None else shift + far
    if scale < 1:
        shift = cv2.resize(shift / scale, full, interpolation=cv2.INTER_LINEAR)
    return np.asarray(shift, np.float32)


def _large_shift(known: Floats, seen: Floats, valid: Bytes) -> Floats | None:
    """The shift at each px if much of it exceeds the reach of the search, as with a wide lens.

    It is a cubic polynomial, which describes the bend of a lens. None if that does not fit.
    """
    size = (valid.shape[1], valid.shape[0])
    shift = np.zeros((*valid.shape, 2), np.float32)
    for shrink, reach in ((_SHRINK, _FAR_REACH), (1, _REACH), (1, _REACH)):
        there = shift_image(seen, shift)
        small = (max(size[0] // shrink, 1), max(size[1] // shrink, 1))
        one, other = (
            np.asarray(cv2.resize(image, small, interpolation=cv2.INTER_AREA), np.float32)
            for image in (known, there)
        )
        covered = np.asarray(cv2.resize(valid, small, interpolation=cv2.INTER_AREA), np.uint8)
        block = min(_BLOCK if shrink == 1 else _FAR_BLOCK, min(small) // 2)
        found = blocks.measure(one, other, covered, block, reach, _MAX_BLOCKS)
        if len(found.centres) < 2 * _TERMS:
            return None
        shift = shift + _bend(found, small, size) * np.float32(shrink)
    found = blocks.measure(known, shift_image(seen, shift), valid, _BLOCK, _REACH, _MAX_BLOCKS)
    return shift if _lost_share(found) < _MAX_LOST else None


def _bend(found: blocks.Offsets, size: tuple[int, int], full: tuple[int, int]) -> Floats:
    """The cubic shift that fits the blocks of a frame of `size`, at each px of one of `full` size."""
    count = len(found.centres)
    half = np.array(size) / 2
    rows = _cubic((found.centres - half) / half.max())
    trace = np.trace(found.tensors, axis1=1, axis2=2)
    along = found.tensors / np.maximum(trace, 1e-9)[:, None, None]
    pulled = np.einsum("bt,bxy->bxty", rows, along).reshape(2 * count, 2 * _TERMS)
    flat = np.einsum("bt,xy->bxty", rows, np.eye(2)).reshape(2 * count, 2 * _TERMS)
    start = np.clip(found.correlation - 0.25, 0, None) ** 2
    weights, width = start, 4 * _OUTLIER
    numbers = np.zeros(2 * _TERMS)
    for _ in range(8):
        weighted = pulled * np.repeat(weights, 2)[:, None]
        system = np.einsum("ri,rj->ij", flat, weighted) + np.eye(2 * _TERMS) * 1e-3
        numbers = np.linalg.solve(system, np.einsum("ri,r->i", weighted, found.offsets.ravel()))
        off = found.offsets - np.einsum("bt,tx->bx", rows, numbers.reshape(_TERMS, 2))
        residual = np.sqrt(np.maximum(np.einsum("bx,bxy,by->b", off, along, off), 0))
        weights = start * np.clip(1 - (residual / width) ** 2, 0, None) ** 2
        width = max(width * 0.75, _OUTLIER)
    x, y = ((np.arange(length) + 0.5 - length / 2) / (max(full) / 2) for length in full)
    powers = [np.outer(y**down, x**right) for right, down in _POWERS]
    shift = np.einsum("tyx,tc->yxc", np.array(powers), numbers.reshape(_TERMS, 2))
    return np.asarray(shift, np.float32)


def _cubic(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """The terms of a cubic polynomial at `places` (n, 2): (n, _TERMS)."""
    return np.stack([places[:, 0] ** right * places[:, 1] ** down for right, down in _POWERS], axis=1)


def _lost_share(found: blocks.Offsets) -> float:
    """The share of the blocks that are not found, or are found at the end of the reach."""
    ends = np.abs(found.offsets).max(axis=1) > _REACH - 1
    return float(np.mean(ends | (found.correlation < _FOUND_CORRELATION)))


def visible_after(valid: Bytes, shift: Floats) -> Bytes:
    """The part of `valid` (255 where the photo is visible) that is still visible after the shift."""
    if np.abs(shift).max() < 2:
        return valid
    height, width = valid.shape
    x = shift[..., 0] + np.arange(width, dtype=np.float32)
    y = shift[..., 1] + np.arange(height, dtype=np.float32)[:, None]
    there = cv2.remap(valid, x, y, cv2.INTER_NEAREST, borderMode=cv2.BORDER_CONSTANT, borderValue=0)
    return np.asarray(cv2.erode(cv2.min(valid, there), np.ones((5, 5), np.uint8)), np.uint8)


def shift_image(image: Floats, shift: Floats) -> Floats:
    """The image (height, width, channels), read at each px plus `shift`."""
    height, width = image.shape[:2]
    x = shift[..., 0] + np.arange(width, dtype=np.float32)
    y = shift[..., 1] + np.arange(height, dtype=np.float32)[:, None]
    seen = cv2.remap(image, x, y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.float32).reshape(image.shape)


def _lattice(found: blocks.Offsets, size: tuple[int, int]) -> Floats:
    """The shifts at the nodes, (_LATTICE, _LATTICE, 2), by iteratively reweighted least squares."""
    count, nodes = len(found.centres), _LATTICE * _LATTICE
    place = np.clip(found.centres / np.array(size) * _LATTICE - 0.5, 0, _LATTICE - 1 - 1e-6)
    low = place.astype(np.int64)
    part = place - low
    # The four nodes around each block, and their shares of its shift, (count, 4).
    corner = np.array([(0, 0), (1, 0), (0, 1), (1, 1)])
    at = (low[:, None] + corner) @ np.array([1, _LATTICE])
    share = np.abs(1 - corner - part[:, None]).prod(axis=2)
    trace = np.trace(found.tensors, axis1=1, axis2=2)
    along = found.tensors / np.maximum(trace, 1e-9)[:, None, None]
    # The contribution of each block to the equations of its nodes, each of which has an x and a y.
    squares = np.einsum("bi,bj,bxy->bixjy", share, share, along).reshape(count, 64)
    pull = np.einsum("bi,bxy,by->bix", share, along, found.offsets).reshape(count, 8)
    row = (2 * at[..., None] + np.arange(2)).reshape(count, 8)
    place = (row[:, :, None] * (2 * nodes) + row[:, None, :]).ravel()
    system = np.kron(_membrane() * _MEMBRANE + np.eye(nodes) * 1e-4, np.eye(2))
    start = np.clip(found.correlation - 0.25, 0, None) ** 2
    weights = start
    shifts = np.zeros((2 * nodes, 1))
    for _ in range(5):
        left = np.bincount(place, (squares * weights[:, None]).ravel(), system.size).reshape(system.shape)
        right = np.bincount(row.ravel(), (pull * weights[:, None]).ravel(), 2 * nodes)
        # Not NumPy's solver: BLAS would start threads for this small system.
        shifts = cv2.solve(system + left, right[:, None], flags=cv2.DECOMP_CHOLESKY)[1]
        off = found.offsets - np.einsum("bi,bix->bx", share, shifts.reshape(nodes, 2)[at])
        residual = np.sqrt(np.maximum(np.einsum("bx,bxy,by->b", off, along, off), 0))
        weights = start * np.clip(1 - (residual / _OUTLIER) ** 2, 0, None) ** 2
    return np.clip(shifts, -_REACH, _REACH).astype(np.float32).reshape(_LATTICE, _LATTICE, 2)


def _membrane() -> NDArray[np.float64]:
    """The sum of squared steps between neighbouring nodes, as a matrix."""
    step = np.diff(np.eye(_LATTICE), axis=0)
    bend = step.T @ step
    return np.asarray(np.kron(bend, np.eye(_LATTICE)) + np.kron(np.eye(_LATTICE), bend), np.float64)
