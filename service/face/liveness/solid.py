"""Fits a solid body to the motion of the points of a face: the depth of each point, the turn of each frame.

A point p of the face with the depth z, on a head that turns by the sines d, appears to the second order at

    p + z d - narrowing d (d p)

up to a similarity in each frame. The narrowing of a distant head is 1/2, and of a near one more, because its
turned away half becomes smaller. Depths and turns are fitted alternately, as in structure from motion (Tomasi
and Kanade, Shape and Motion from Image Streams, 1992): the depths by least squares, the turns by Gauss-Newton
steps. So all points of the face determine the turn of a frame, also where half of the face is hidden.

Depths and turns have a common scale that the motion hardly shows. It comes from the height of the nose in a
film, and from the start in a turn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

_ROUNDS = 6
_TURN_ROUNDS = 8
_STEPS = 2
# What a step changes at most, as a sine.
_MAX_STEP = 0.2
# Of heads at the distances of a webcam.
_NARROWING = 0.6
# Points that hardly move have no depth: of the turns, squared.
_RIDGE = 1e-3
# How exactly a point is tracked, in distances of the eyes.
_NOISE = 0.002
# A frame that is fitted worse than this many times the usual counts less.
_USUAL_FIT = 2.0
# Frames that a solid body fits so well, in distances of the eyes, are all usual.
_SMALL_MISFIT = 0.01
# A start from a neighbouring frame has to fit better by this part. The neighbours are so many frames away: a
# face that is turned far is caught in a wrong place in several frames in a row.
_BETTER = 0.02
_NEIGHBOURS = (1, 4)
# Neighbours share their windows: about a third of the points are independent.
_INDEPENDENT = 1 / 3
# How much a round changes the scale at most.
_MAX_SCALE = 1.25
# The turns of a fit that found what it looked for correlate with its start.
_MIN_CORRELATION = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class FilmFit:
    """A solid body that makes the motion of a film: `turn` (frames, 2) the sines of yaw and pitch, their
    standard `error` (frames, 2), and the `depths` (n,) of the points. `misfit` (frames,) is the residual of a
    frame as a multiple of the usual one.
    """

    turn: Values
    error: Values
    depths: Values
    misfit: Values


@dataclass(frozen=True, slots=True, eq=False)
class TurnFit:
    """A solid body that makes one turn, without a known narrowing: the fitted `narrowing` and its standard
    `error`, `turn` (frames, 2) and `depths` (n,).
    """

    narrowing: float
    error: float
    turn: Values
    depths: Values


def fit_film(
    points: Values, motion: Values, weights: Values, start: Values, height: Callable[[Values], float]
) -> FilmFit:
    """Fit a solid body to all frames: `points` (n, 2) that move by `motion` (frames, n, 2), weighted by
    `weights` (frames, n), 0 where a point was not found. The first frame is the reference; `start`
    (frames, 2) are the turns to begin with. `height` returns by which factor a nose in depths (n,) is higher
    than usual.
    """
    found, frames = weights > 0, np.arange(len(start))
    similarities = _similarity_fields(points)
    turn, robust = start, weights
    similarity = np.zeros((len(turn), similarities.shape[2]))
    ridge = _RIDGE * float((start**2).sum()) + 1e-12
    for iteration in range(_ROUNDS):
        rest = motion - np.einsum("nik,fk->fni", similarities, similarity) - _narrow(points, turn, _NARROWING)
        depths = (robust * (rest * turn[:, None]).sum(axis=2)).sum(axis=0)
        depths /= (robust * (turn**2).sum(axis=1)[:, None]).sum(axis=0) + ridge
        scene = _Scene(points, motion, robust, depths, _NARROWING, similarities)
        best = _fit_turns(scene, turn)
        # A frame that is hard to match can be caught where the face was not.
        for distance in _NEIGHBOURS if iteration else ():
            for neighbours in (frames - distance, frames + distance):
                other_start = turn[np.clip(neighbours, 0, len(turn) - 1)]
                best = _choose_better(best, _fit_turns(scene, other_start), found)
        turn, similarity = best.turn - best.turn[0], best.similarity
        usual = _usual(best.distances[found])
        misfit = _misfit(best.distances, found)
        part = np.minimum(1, (_USUAL_FIT / np.maximum(misfit, 1e-9)) ** 2)[:, None]
        robust = weights * part / np.maximum(1, best.distances / usual)
        scale = float(np.clip(height(depths), 1 / _MAX_SCALE, _MAX_SCALE))
        turn, depths = turn * scale, depths / scale
    variance = np.stack((best.covariance[:, 0, 0], best.covariance[:, 1, 1]), axis=1)
    noise = np.maximum(misfit, 1)[:, None] * usual / 1.5
    error = noise * np.sqrt(variance / _INDEPENDENT * np.clip(weights.max(axis=1), 0.05, 1)[:, None])
    return FilmFit(turn, error, depths, misfit)


def fit_turn(points: Values, motion: Values, weights: Values, start: Values) -> TurnFit:
    """Fit a solid body and its narrowing to the frames of one turn; the arguments are as for `fit_film`.

    The points may be anywhere at the beginning, because the turn need not start where the film does. The
    turns keep mean and size of `start`, to which the narrowing relates.
    """
    fit = _fit_turn(points, motion, weights, start, _TURN_ROUNDS)
    before, after = start - start.mean(axis=0), fit.turn - fit.turn.mean(axis=0)
    size = np.sqrt((before**2).sum() * (after**2).sum())
    if (before * after).sum() < _MIN_CORRELATION * size:
        # It fits something else that moves.
        return _fit_turn(points, motion, weights, start, 1)
    return fit


def _fit_turn(points: Values, motion: Values, weights: Values, start: Values, rounds: int) -> TurnFit:
    found = weights > 0
    similarities = _similarity_fields(points)
    turn, robust = start, weights
    similarity = np.zeros((len(turn), similarities.shape[2]))
    centre, size = start.mean(axis=0), float(np.sqrt(((start - start.mean(axis=0)) ** 2).sum()))
    for iteration in range(rounds):
        rest = motion - np.einsum("nik,fk->fni", similarities, similarity)
        fields, rest = _remove_fields(rest, robust, turn)
        narrow_fields, shape = _remove_fields(_narrow(points, turn, 1.0), robust, turn)
        rest = _remove_similarity(rest, robust, similarities)
        shape = _remove_similarity(shape, robust, similarities)
        power = max(float((robust[:, :, None] * shape**2).sum()), 1e-12)
        narrowing = float((robust[:, :, None] * shape * rest).sum() / power)
        fields = fields - narrowing * narrow_fields
        residual = rest - narrowing * shape
        distances = np.linalg.norm(residual, axis=2)
        weighted = robust
        robust = weights / np.maximum(1, distances / _usual(distances[found]))
        if iteration < rounds - 1:
            moved = motion - fields[None, :, :2]
            scene = _Scene(points, moved, robust, fields[:, 2], narrowing, similarities)
            fitted = _fit_turns(scene, turn)
            similarity = fitted.similarity
            away = fitted.turn - fitted.turn.mean(axis=0)
            turn = centre + away * (size / max(float(np.sqrt((away**2).sum())), 1e-9))
    # The errors of a point are alike in all frames.
    scatter = (weighted[:, :, None] * shape * residual).sum(axis=(0, 2))
    error = np.sqrt((scatter**2).sum() / _INDEPENDENT) / power
    return TurnFit(narrowing, float(error), turn, fields[:, 2])


@dataclass(frozen=True, slots=True, eq=False)
class _Scene:
    """What the turns of the frames are fitted to."""

    points: Values
    motion: Values
    weights: Values
    depths: Values
    narrowing: float
    similarities: Values


@dataclass(frozen=True, slots=True, eq=False)
class _Turns:
    """The fitted turns and similarities, the distances of the points (frames, n) from their places, and the
    covariance (frames, 2, 2) of a turn for points of unit variance.
    """

    turn: Values
    similarity: Values
    distances: Values
    covariance: Values


def _fit_turns(scene: _Scene, turn: Values) -> _Turns:
    """Fit the turn and the similarity of each frame, from `turn` (frames, 2)."""
    frames, count = scene.weights.shape
    nuisance = np.broadcast_to(scene.similarities[None], (frames, *scene.similarities.shape))
    unit = np.eye(2)[None, None]
    pull = np.diag([1e-3, 1e-3] + [1e-6] * scene.similarities.shape[2])
    for _ in range(_STEPS):
        along = turn @ scene.points.T
        slope = (scene.depths[None] - scene.narrowing * along)[:, :, None, None] * unit
        slope = slope - scene.narrowing * turn[:, None, :, None] * scene.points[None, :, None, :]
        design = np.concatenate((slope, nuisance), axis=3).reshape(frames, 2 * count, -1)
        rest = (scene.motion - _move(scene, turn)).reshape(frames, 2 * count, 1)
        weighted = design * np.repeat(scene.weights, 2, axis=1)[:, :, None]
        normal = weighted.transpose(0, 2, 1) @ design + pull
        solved = np.linalg.solve(normal, weighted.transpose(0, 2, 1) @ rest)[..., 0]
        turn = turn + np.clip(solved[:, :2], -_MAX_STEP, _MAX_STEP)
    similarity: Values = np.asarray(solved[:, 2:], float)
    residual = scene.motion - _move(scene, turn) - np.einsum("nik,fk->fni", scene.similarities, similarity)
    covariance = np.linalg.inv(normal)[:, :2, :2]
    distances: Values = np.linalg.norm(residual, axis=2)
    return _Turns(turn, similarity, distances, np.asarray(covariance, float))


def _choose_better(first: _Turns, second: _Turns, found: NDArray[np.bool_]) -> _Turns:
    """In each frame the turn that fits more of the `found` (frames, n) points."""
    usual = _usual(first.distances[found])
    costs = []
    for each in (first, second):
        part = each.distances / usual
        costs.append((found * np.where(part < 1, part**2 / 2, part - 0.5)).sum(axis=1))
    better = costs[1] < (1 - _BETTER) * costs[0]

    def choose(one: Values, other: Values) -> Values:
        chosen: Values = one.copy()
        chosen[better] = other[better]
        return chosen

    return _Turns(
        choose(first.turn, second.turn),
        choose(first.similarity, second.similarity),
        choose(first.distances, second.distances),
        choose(first.covariance, second.covariance),
    )


def _move(scene: _Scene, turn: Values) -> Values:
    """How `turn` moves the points (frames, n, 2)."""
    return scene.depths[None, :, None] * turn[:, None] + _narrow(scene.points, turn, scene.narrowing)


def _narrow(points: Values, turn: Values, narrowing: float) -> Values:
    """How a face narrows when it turns (frames, n, 2)."""
    return -narrowing * turn[:, None] * (turn @ points.T)[:, :, None]


def _similarity_fields(points: Values) -> Values:
    """The fields (n, 2, 4) of a small similarity."""
    x, y = points.T
    one, none = np.ones_like(x), np.zeros_like(x)
    return np.stack(((one, none), (none, one), (x, y), (-y, x))).transpose(2, 1, 0)


def _remove_fields(motion: Values, weights: Values, turn: Values) -> tuple[Values, Values]:
    """Fit an offset and a depth of each point to `motion` (frames, n, 2): (n, 3), and what they leave."""
    count = weights.shape[1]
    total, first = weights.sum(axis=0), weights.T @ turn
    normal = np.zeros((count, 3, 3))
    normal[:, 0, 0] = normal[:, 1, 1] = total + 1e-9
    normal[:, 2, 2] = weights.T @ (turn**2).sum(axis=1) + 1e-5 * float((turn**2).sum()) + 1e-9
    normal[:, :2, 2] = normal[:, 2, :2] = first
    offsets = (weights[:, :, None] * motion).sum(axis=0)
    depths = (weights * (motion * turn[:, None]).sum(axis=2)).sum(axis=0)
    fields = np.linalg.solve(normal, np.column_stack((offsets, depths))[..., None])[..., 0]
    return fields, motion - fields[None, :, :2] - fields[None, :, 2, None] * turn[:, None]


def _remove_similarity(motion: Values, weights: Values, similarities: Values) -> Values:
    """`motion` (frames, n, 2) without the similarity that all points have in a frame."""
    frames, count = weights.shape
    design = similarities.reshape(2 * count, -1)
    weighted = design[None] * np.repeat(weights, 2, axis=1)[:, :, None]
    normal = weighted.transpose(0, 2, 1) @ design + 1e-6 * np.eye(design.shape[1])
    right = weighted.transpose(0, 2, 1) @ motion.reshape(frames, 2 * count, 1)
    return np.asarray(motion - (design @ np.linalg.solve(normal, right)).reshape(motion.shape))


def _usual(distances: Values) -> float:
    """A distance that is still usual."""
    return max(1.5 * float(np.median(distances)), _NOISE) if distances.size else _NOISE


def _misfit(distances: Values, found: NDArray[np.bool_]) -> Values:
    """The median distance in each frame, as a multiple of the usual one or of `_SMALL_MISFIT`."""
    usual = np.array(
        [np.median(row[here]) if here.any() else 0.0 for row, here in zip(distances, found, strict=True)]
    )
    return np.asarray(usual / max(float(np.median(usual)), _SMALL_MISFIT))
