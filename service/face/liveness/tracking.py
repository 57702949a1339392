"""Tracks the texture of a face through a sequence of grey frames.

Each frame is aligned to the reference, the first frame, by the similarity found for the frame before. Points
of the reference are matched in it with pyramidal Lucas-Kanade, and back again as a check. A cubic surface
motion is fitted to the matches and removed from the frame, and the points are matched again. Only the
parallax is left between both images then, so that windows on a turned face match exactly (plane and parallax,
Irani and Anandan, 1996). Brightness and contrast are normalized around each px, because shading changes while
a head turns. Points do not drift, because each frame is compared with the reference itself.

A far turned face no longer looks like the reference. Points that are not found there are matched with the key
frame, the last frame that showed most of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.noses import Nose, ridge
from shared.images.cv import cv2
from shared.images.similarity import fit_similarity

Pixels = NDArray[np.uint8]
Points = NDArray[np.float32]

EYE_DISTANCE = 56.0
"""Px between the eyes of the reference, after it is brought to this size."""
SIDE = (224, 256)
"""Width and height of the reference, px; the eyes lie `EYES_AT` from its corner."""
EYES_AT = (112.0, 92.0)
MAX_POINTS = 320
_WINDOW = (17, 17)
# A point that is not found back within this many px was not found.
_RETURN_PX = 0.7
_FEWEST_POINTS = 12
# The part of the points that is enough to align a frame, and for a key frame.
_FOUND_WELL = 0.6
# Windows of the reference and of a frame that correlate less do not show the same skin.
_MIN_CORRELATION = 0.5
_OFFSETS = np.stack(np.meshgrid(np.arange(-5, 6), np.arange(-5, 6)), axis=-1).reshape(-1, 2)
# Shading is wider than this, px; contrast below this many grey levels is noise.
_SHADE_PX = (25, 25)
_MIN_CONTRAST = 4.0
# Frames are halved until the reference is at least this large in them.
_SMALLER = 0.6
# How strongly the surface is pulled towards no motion, for each point.
_PULL = 1e-4
# The surface is computed on a grid, and interpolated.
_GRID_PX = 4
_GRID_SHAPE = (SIDE[1] // _GRID_PX, SIDE[0] // _GRID_PX)
_GRID = np.stack(
    np.meshgrid(*((np.arange(0, side, _GRID_PX) + (_GRID_PX - 1) / 2) for side in SIDE)), axis=-1
).reshape(-1, 2)
_NOSE = Nose(0.64, 0.17, 0.0)
_NOSE_MOVED = 3.0
# By the sine of a turn by 40 degrees.
_FARTHEST_NOSE = 0.65 * EYE_DISTANCE
# The eyes, nose and mouth in the reference (x, y, width, height), and the scale at which they are looked for.
_MIDDLE = (60, 64, 104, 104)
_COARSE = 0.25
_CRITERIA = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 12, 0.02)


@dataclass(frozen=True, slots=True, eq=False)
class Tracks:
    """Where points of the face are in every frame.

    `points` (n, 2) float32: in the reference, in distances of the eyes from their middle, x to the right and
    y down. `positions` (frames, n, 2) float32: in each frame, in the same unit, without the frame's
    similarity; NaN where a point was not found. `scale` (frames,): the size of the face against the
    reference; `shift` (frames, 2): where the middle of the eyes went, in distances of the eyes; `roll`
    (frames,) degrees.
    `patches` (frames, height, width) uint8: the frames, aligned to the reference.
    `is_direct` (frames, n): which points were found by the reference itself, and not by a key frame.
    """

    points: Points
    positions: Points
    scale: NDArray[np.float64]
    shift: NDArray[np.float64]
    roll: NDArray[np.float64]
    patches: NDArray[np.uint8]
    is_direct: NDArray[np.bool_]

    @property
    def direct(self) -> Tracks:
        """The same tracks with the points alone that the reference shows: they are fewer, and more exact."""
        positions = np.where(self.is_direct[:, :, None], self.positions, np.float32(np.nan))
        return replace(self, positions=positions)

    @property
    def found_share(self) -> NDArray[np.float64]:
        """The part of the points that each frame has (frames,)."""
        return np.asarray(np.isfinite(self.positions[:, :, 0]).sum(axis=1) / max(len(self.points), 1))


def measure_sway(tracks: Tracks, frames: NDArray[np.bool_]) -> float:
    """How far the face usually moves from one of `frames` to the next, in distances of the eyes."""
    steps = np.abs(np.diff(tracks.shift[frames], axis=0))
    return float(np.median(steps)) if len(steps) else 0.0


def track(greys: Sequence[Pixels], eyes: Points) -> Tracks:
    """Track the face whose eye centres in the first frame are `eyes` (2, 2) px through `greys` (height,
    width).
    """
    half = EYE_DISTANCE / 2
    target = np.array(((EYES_AT[0] - half, EYES_AT[1]), (EYES_AT[0] + half, EYES_AT[1])))
    to_reference = fit_similarity(eyes, target)
    reference = _align(greys[0], to_reference)
    normalized_reference = _normalize(reference)
    points = _choose_points(normalized_reference)
    found_positions = np.full((len(greys), len(points), 2), np.nan, np.float32)
    scale, roll = np.ones(len(greys)), np.zeros(len(greys))
    shift = np.zeros((len(greys), 2))
    patches = np.zeros((len(greys), *reference.shape), np.uint8)
    patches[0] = reference
    is_direct = np.zeros((len(greys), len(points)), bool)
    if len(points) == 0:
        return Tracks(_to_eye_distances(points), found_positions, scale, shift, roll, patches, is_direct)
    found_positions[0], is_direct[0] = _to_eye_distances(points), True
    first_factor, start = _complex_factor(to_reference), _eye_middle(to_reference)
    here = _Start(to_reference, _identity_surface(), points, points, normalized_reference)
    key = _KeyFrame(normalized_reference, points, is_direct[0])
    for index, grey in enumerate(greys[1:], 1):
        to_reference, positions, found = _find_face(normalized_reference, grey, points, here)
        surface, guess, previous = here.surface, here.guess, here.patch
        patches[index] = _align(grey, to_reference)
        if found.sum() >= _FEWEST_POINTS:
            previous = _normalize(patches[index])
            surface = _identity_surface()
            for _ in range(2):
                before = surface
                surface = _fit_surface(points[found], positions[found])
                matched, found = _match_on_surface(normalized_reference, previous, points, surface)
                positions = np.where(found[:, None], _move_by_surface(matched, surface), positions)
                if found.sum() < _FEWEST_POINTS or np.abs(surface - before)[-1].max() < _NOSE_MOVED:
                    break
            guess = np.where(found[:, None], matched, points)
            is_direct[index] = found
            positions, found = _match_with_key(key, previous, positions, found, here.positions)
            if is_direct[index].mean() >= _FOUND_WELL:
                key = _KeyFrame(previous, positions, found)
            found_positions[index, found] = _to_eye_distances(positions[found])
        here = _Start(to_reference, surface, guess, positions, previous)
        factor = first_factor / _complex_factor(to_reference)
        scale[index], roll[index] = abs(factor), np.degrees(np.angle(factor))
        shift[index] = (_eye_middle(to_reference) - start) / np.hypot(*(eyes[1] - eyes[0]))
    return Tracks(_to_eye_distances(points), found_positions, scale, shift, roll, patches, is_direct)


@dataclass(frozen=True, slots=True, eq=False)
class _KeyFrame:
    """An aligned frame, where the points are in it (n, 2), and which of them are known (n,)."""

    patch: Pixels
    positions: Points
    known: NDArray[np.bool_]


def _match_with_key(
    key: _KeyFrame, patch: Pixels, positions: Points, found: NDArray[np.bool_], guess: Points
) -> tuple[Points, NDArray[np.bool_]]:
    """`positions` in `patch` and which are `found`, with the points that are found by `key` near `guess`."""
    wanted = np.flatnonzero(key.known & ~found)
    if len(wanted) == 0:
        return positions, found
    matched, matches = _match(key.patch, patch, key.positions[wanted], guess[wanted])
    matches &= _is_similar(key.patch, patch, key.positions[wanted], matched)
    positions, found = positions.copy(), found.copy()
    positions[wanted[matches]], found[wanted[matches]] = matched[matches], True
    return positions, found


@dataclass(frozen=True, slots=True, eq=False)
class _Start:
    """Where a frame showed the face: the similarity to the reference, the motion of the surface, the points
    without that motion (`guess`) and with it (`positions`), and the aligned frame.
    """

    to_reference: NDArray[np.float64]
    surface: NDArray[np.float64]
    guess: Points
    positions: Points
    patch: Pixels


def _find_face(
    reference: Pixels, grey: Pixels, points: Points, start: _Start
) -> tuple[NDArray[np.float64], Points, NDArray[np.bool_]]:
    """Look for `points` in `grey` from `start`, then from where the face looks most like the reference: the
    similarity to the reference, the positions, and which are found.
    """
    best = _match_from(reference, grey, points, start, start.to_reference, start.surface, start.guess)
    if best[0] <= _FOUND_WELL * len(points):
        located = _locate(reference, grey, start.to_reference)
        for alignment in (start.to_reference, located):
            other = _match_from(reference, grey, points, start, alignment, _identity_surface(), points)
            if other[0] > best[0]:
                best = other
    return best[1:]


def _match_from(
    reference: Pixels,
    grey: Pixels,
    points: Points,
    start: _Start,
    to_reference: NDArray[np.float64],
    surface: NDArray[np.float64],
    guess: Points,
) -> tuple[int, NDArray[np.float64], Points, NDArray[np.bool_]]:
    """Match `points` in `grey`, aligned by `to_reference` and without `surface`, near `guess`: how many are
    found, the similarity to the reference, the positions, and which are found there or in `start`.
    """
    patch = _normalize(_align(grey, to_reference))
    matched, found = _match(reference, _flatten(patch, surface), points, guess)
    found_at, positions = _move_by_surface(matched, surface), start.positions
    # Points that are matched with the frame before alone drift: they do not show where the face is.
    count = int(found.sum())
    if not found.all():
        found_at[~found], found[~found] = _match(start.patch, patch, positions[~found], positions[~found])
    if found.sum() >= _FEWEST_POINTS:
        step = _fit_similarity(found_at[found], points[found])
        to_reference = _compose(step, to_reference)
        moved = cv2.transform(found_at[None], step)[0]
        positions = np.where(found[:, None], moved, positions).astype(np.float32)
    return count, to_reference, positions, found


def _locate(reference: Pixels, grey: Pixels, to_reference: NDArray[np.float64]) -> NDArray[np.float64]:
    """`to_reference` moved to where `grey` looks most like the middle of the reference."""
    x, y, width, height = _MIDDLE
    margin = round(EYE_DISTANCE)
    shifted = _compose(np.array(((1.0, 0, margin), (0, 1.0, margin))), to_reference)
    size = (SIDE[0] + 2 * margin, SIDE[1] + 2 * margin)
    around = cv2.warpAffine(grey, shifted, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    small, middle = (
        cv2.resize(image, None, fx=_COARSE, fy=_COARSE, interpolation=cv2.INTER_AREA)
        for image in (_normalize(around), reference[y : y + height, x : x + width])
    )
    likeness = cv2.matchTemplate(small, middle, cv2.TM_CCOEFF_NORMED)
    column, row = cv2.minMaxLoc(likeness)[3]
    offset = np.array((x + margin - column / _COARSE, y + margin - row / _COARSE))
    return _compose(np.array(((1.0, 0, offset[0]), (0, 1.0, offset[1]))), to_reference)


def _match_on_surface(
    reference: Pixels, patch: Pixels, points: Points, surface: NDArray[np.float64]
) -> tuple[Points, NDArray[np.bool_]]:
    """Match `points` in `patch` without the motion of the face by `surface`: the positions there, and which
    of them are found.

    A face that turns narrows, so that the windows around its points change. What is left without that motion
    is small.
    """
    flattened = _flatten(patch, surface)
    matched, found = _match(reference, flattened, points, points)
    return matched, found & _is_similar(reference, flattened, points, matched)


def _flatten(patch: Pixels, surface: NDArray[np.float64]) -> Pixels:
    """`patch` without the motion by `surface`."""
    grid = _GRID_TERMS @ surface
    map_x, map_y = (
        cv2.resize(each.reshape(_GRID_SHAPE).astype(np.float32), SIDE, interpolation=cv2.INTER_CUBIC)
        for each in grid.T
    )
    flattened = cv2.remap(patch, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flattened, np.uint8)


def _move_by_surface(points: Points, surface: NDArray[np.float64]) -> Points:
    """Where `surface` moves `points` (n, 2) px of the reference."""
    return np.asarray(_surface_terms(points) @ surface, np.float32)


def _choose_points(reference: Pixels) -> Points:
    """Points of the reference with texture, inside the face, at most `MAX_POINTS` (n, 2) px."""
    mask = np.zeros_like(reference)
    middle = (round(EYES_AT[0]), round(EYES_AT[1] + 0.45 * EYE_DISTANCE))
    cv2.ellipse(mask, middle, (round(1.1 * EYE_DISTANCE), round(1.4 * EYE_DISTANCE)), 0, 0, 360, 255, -1)
    # Of every cell the best: skin has little texture, and hair must not take all the places.
    strength = cv2.cornerMinEigenVal(reference, 7)
    strength[mask == 0] = 0
    cell = 7
    chosen = []
    for y in range(0, reference.shape[0] - cell, cell):
        for x in range(0, reference.shape[1] - cell, cell):
            block = strength[y : y + cell, x : x + cell]
            best = int(block.argmax())
            if block.flat[best] > 0:
                chosen.append((float(block.flat[best]), x + best % cell, y + best // cell))
    if not chosen:
        return np.zeros((0, 2), np.float32)
    chosen.sort(reverse=True)
    return np.array([(x, y) for _, x, y in chosen[:MAX_POINTS]], np.float32)


def _match(source: Pixels, target: Pixels, points: Points, guess: Points) -> tuple[Points, NDArray[np.bool_]]:
    """Where `points` of `source` are in `target`, and which of them are found there and back."""
    positions, forward_status = _flow(source, target, points, guess)
    returned, backward_status = _flow(target, source, positions, points)
    near = np.hypot(*(returned - points).T) < _RETURN_PX
    return positions, near & forward_status & backward_status


def _flow(source: Pixels, target: Pixels, points: Points, guess: Points) -> tuple[Points, NDArray[np.bool_]]:
    positions, status, _ = cv2.calcOpticalFlowPyrLK(
        source,
        target,
        points[:, None],
        guess[:, None].copy(),
        winSize=_WINDOW,
        maxLevel=2,
        criteria=_CRITERIA,
        flags=cv2.OPTFLOW_USE_INITIAL_FLOW,
    )
    return np.asarray(positions[:, 0], np.float32), np.asarray(status[:, 0] == 1)


def _is_similar(reference: Pixels, patch: Pixels, points: Points, matched: Points) -> NDArray[np.bool_]:
    """Whether the windows around `points` and `matched` correlate (n,): hidden points match by chance."""
    windows = []
    for image, centres in ((reference, points), (patch, matched)):
        x = (centres[:, 0, None] + _OFFSETS[None, :, 0]).astype(np.float32)
        y = (centres[:, 1, None] + _OFFSETS[None, :, 1]).astype(np.float32)
        window = cv2.remap(image, x, y, cv2.INTER_LINEAR).astype(np.float32)
        window -= window.mean(axis=1, keepdims=True)
        windows.append(window / np.maximum(np.linalg.norm(window, axis=1, keepdims=True), 1e-3))
    return np.asarray((windows[0] * windows[1]).sum(axis=1) > _MIN_CORRELATION)


def _fit_similarity(source: Points, target: Points) -> NDArray[np.float64]:
    """The similarity (2, 3) that brings most of `source` to `target` (n, 2), without the outliers."""
    step = fit_similarity(source, target)
    for _ in range(2):
        off = np.hypot(*(cv2.transform(source[None], step)[0] - target).T)
        near = off <= max(2 * float(np.median(off)), 0.3)
        step = fit_similarity(source[near], target[near])
    return step


def _fit_surface(points: Points, positions: Points) -> NDArray[np.float64]:
    """The coefficients (terms, 2) of the cubic that brings most of `points` to `positions` (n, 2)."""
    terms = _surface_terms(points)
    weights: NDArray[Any] = np.ones((len(points), 1))
    # A weak pull towards the identity keeps the edges of the face in place where few points are found.
    identity = _identity_surface()
    pull = np.eye(terms.shape[1]) * (_PULL * len(points))
    offset = np.zeros_like(identity)
    for _ in range(4):
        weighted = terms * weights
        offset = np.linalg.solve(weighted.T @ terms + pull, weighted.T @ (positions - terms @ identity))
        off = np.hypot(*(positions - terms @ (identity + offset)).T)
        weights = 1 / np.maximum(1, off / max(1.5 * float(np.median(off)), 0.2))[:, None]
    surface = identity + offset
    # Highlights on the nose and wrong matches would move it further than any turn.
    surface[-1] *= min(1.0, _FARTHEST_NOSE / max(float(np.hypot(*surface[-1])), 1e-6))
    return np.asarray(surface)


def _identity_surface() -> NDArray[np.float64]:
    """The surface that moves no point."""
    identity = np.zeros((11, 2))
    identity[0], identity[1, 0], identity[2, 1] = EYES_AT, EYE_DISTANCE, EYE_DISTANCE
    return identity


def _surface_terms(points: NDArray[Any]) -> NDArray[np.float64]:
    """The powers up to the third of `points` (n, 2) px of the reference, in distances of the eyes, and the
    height of a nose there (n, 11).
    """
    places = (points - np.array(EYES_AT)) / EYE_DISTANCE
    x, y = places.T
    nose = ridge(places, _NOSE)
    return np.stack(
        (np.ones_like(x), x, y, x * x, x * y, y * y, x**3, x * x * y, x * y * y, y**3, nose), axis=1
    )


_GRID_TERMS = _surface_terms(_GRID)


def _align(grey: Pixels, matrix: NDArray[np.float64]) -> Pixels:
    """`grey` brought to the reference by `matrix`, without aliasing where it becomes smaller."""
    factor = abs(_complex_factor(matrix))
    if factor < _SMALLER:
        # Halves until little is left to do: reading all px costs less than blurring them.
        halved = cv2.resize(grey, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        doubled = np.array(((2.0, 0.0, 0.5), (0.0, 2.0, 0.5)))
        return _align(np.asarray(halved, np.uint8), _compose(matrix, doubled))
    aligned: Pixels = cv2.warpAffine(
        grey, matrix, SIDE, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return aligned


def _normalize(patch: Pixels) -> Pixels:
    """`patch` with the same mean and contrast everywhere: shading changes while a head turns."""
    values = patch.astype(np.float32)
    centred = values - cv2.blur(values, _SHADE_PX)
    contrast = cv2.sqrt(cv2.blur(centred * centred, _SHADE_PX))
    normalized: Pixels = cv2.convertScaleAbs(centred / (contrast + _MIN_CONTRAST) * 40 + 128)
    return normalized


def _compose(after: NDArray[np.float64], before: NDArray[np.float64]) -> NDArray[np.float64]:
    """The affine map (2, 3) that applies `before`, then `after`."""
    row = np.array(((0.0, 0.0, 1.0),))
    return np.asarray((np.vstack((after, row)) @ np.vstack((before, row)))[:2])


def _to_eye_distances(points: Points) -> Points:
    return ((points - np.array(EYES_AT, np.float32)) / np.float32(EYE_DISTANCE)).astype(np.float32)


def _eye_middle(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where the middle of the eyes of the reference lies in the frame, px."""
    return np.asarray(cv2.transform(np.array([[EYES_AT]]), cv2.invertAffineTransform(matrix))[0, 0])


def _complex_factor(matrix: NDArray[np.float64]) -> complex:
    """The turn and scale of a similarity as one complex number."""
    return complex(matrix[0, 0], matrix[1, 0])
