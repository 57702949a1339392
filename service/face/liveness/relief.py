"""Measures how far the nose stands out of the face, by its parallax while the head turns.

A flat picture, however it is tilted, moves every point by one homography, and a picture bent around an axis
by a smooth function of the distance from it. Both are polynomials of low degree over the face. A nose is a
narrow ridge: what its points move beyond such a polynomial is its height times the sine of the turn. That one
number is estimated for each frame by least squares with robust weights, and with it how uncertain it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.tracking import Tracks

Values = NDArray[np.float64]

# Generic nose, in distances of the eyes: its tip lies this far below the eyes and stands out this far
# (average adult: 40 mm below and 24 mm before the cheeks at 63 mm between the pupils; Farkas, Anthropometry
# of the Head and Face).
NOSE_TIP = 0.65
NOSE_HEIGHT = 0.38
NOSE_WIDTH = 0.17
# Eyes move by themselves, blink, and look through the holes of a mask.
_EYE_RADIUS = 0.48
# The mouth and chin speak and smile.
_LOWEST = 1.75
_FEWEST_POINTS = 45
_FEWEST_ON_NOSE = 8


@dataclass(frozen=True, slots=True, eq=False)
class Relief:
    """The turn of each frame against the first one as the nose shows it.

    `turn` (frames, 2): the sine of yaw (to the right of the picture) and of pitch (downwards in the picture)
    of a generic nose; `error` (frames, 2): its standard error; both NaN where too few points are left. `flat`
    (frames,): root mean square of what one polynomial leaves, in distances of the eyes.
    `narrowed` (frames,): how much narrower than before the face is against its height, 1 - cos of the turn.
    """

    turn: Values
    error: Values
    flat: Values
    narrowed: Values


def ridge(places: NDArray[np.float32]) -> Values:
    """How far a generic nose stands out at `places` (n, 2)."""
    x, y = places[:, 0].astype(float), places[:, 1].astype(float)
    up = np.clip(y / NOSE_TIP, 0, 1)
    down = np.clip(1 - (y - NOSE_TIP) / 0.28, 0, 1)
    return np.asarray(
        NOSE_HEIGHT
        * up
        * np.where(y > NOSE_TIP, down, 1)
        * np.exp(-0.5 * (x / (NOSE_WIDTH * (0.6 + 0.5 * up))) ** 2)
    )


def relief(tracks: Tracks) -> Relief:
    """The relief of every frame of `tracks` against the first."""
    frames = len(tracks.moved)
    turn, error = np.full((frames, 2), np.nan), np.full((frames, 2), np.nan)
    flat, narrowed = np.full(frames, np.nan), np.zeros(frames)
    places = tracks.places.astype(float)
    x, y = places[:, 0], places[:, 1]
    eyes = np.minimum(np.hypot(x - 0.5, y), np.hypot(x + 0.5, y))
    inside = (eyes > _EYE_RADIUS) & (np.abs(x) < 1.0) & (y > -0.75) & (y < _LOWEST)
    nose = ridge(tracks.places)
    base = np.stack(
        [np.ones_like(x), x, y, x * x, x * y, y * y, x**3, y**3, x * x * y, x * y * y, x**4], axis=1
    )
    design = np.column_stack((base, nose))
    for index in range(frames):
        good = inside & np.isfinite(tracks.moved[index, :, 0])
        if good.sum() < _FEWEST_POINTS or (nose[good] > 0.4 * NOSE_HEIGHT).sum() < _FEWEST_ON_NOSE:
            continue
        motion = tracks.moved[index, good].astype(float) - places[good]
        narrowed[index] = _narrowed(places[good], motion)
        values, errors, left = _fitted(design[good], motion)
        turn[index], error[index], flat[index] = values, errors, left
    return Relief(turn, error, flat, narrowed)


def _narrowed(places: Values, motion: Values) -> float:
    """How much the width of the points shrinks against their height, by a robust affine fit."""
    design = np.column_stack((np.ones(len(places)), places))
    weights = np.ones(len(places))
    for _ in range(3):
        solved = np.linalg.lstsq(design * weights[:, None], motion * weights[:, None], rcond=None)[0]
        rest = np.hypot(*(motion - design @ solved).T)
        weights = 1 / np.maximum(1, rest / (1.5 * max(float(np.median(rest)), 0.001)))
    return float(solved[2, 1] - solved[1, 0])


def _fitted(design: Values, motion: Values) -> tuple[Values, Values, float]:
    """The last coefficient of both columns, its standard errors, and the rest that the others leave."""
    weights = np.ones(len(design))
    for _ in range(4):
        root = np.sqrt(weights)[:, None]
        solved = np.linalg.lstsq(design * root, motion * root, rcond=None)[0]
        rest = np.hypot(*(motion - design @ solved).T)
        limit = 1.5 * max(float(np.median(rest)), 0.004)
        weights = np.minimum(1, limit / np.maximum(rest, 1e-9))
    inverse = np.linalg.pinv((design * weights[:, None]).T @ design)
    # Neighbours share their windows: about a third of them say something of their own.
    freedom = max(float(weights.sum()) / 3 - 4, 1)
    spread = (
        (weights[:, None] * (motion - design @ solved) ** 2).sum(axis=0)
        / (weights.sum() / 1)
        * (weights.sum() / 3 / freedom)
    )
    errors = np.sqrt(3 * inverse[-1, -1] * spread)
    return solved[-1], errors, float(np.sqrt(np.mean((motion - design @ solved) ** 2)))
