"""Weighs what was measured of the turns: a head against a picture, and a head against a morph.

Both are one number for a film, summed over its turns, so that two weak turns count as much as one strong
turn. The constants come from rendered films that are in no published figure (docs/faces.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from service.face.liveness.rigidity import Arc
from service.face.liveness.turns import Turn

# What a picture can feign, as a sine: anyhow, for each unit of the sine by which it is tilted, and for each
# standard error of the measurement. The errors of neighbouring points agree more than the fit knows, hence 2.
_FEIGNED = 0.025
_FEIGNED_BY_TILT = 0.1
_FEIGNED_BY_ERROR = 2.0
# The arc over the square of the sine, as mean and standard deviation: of heads, to the side, where a turning
# plane has the same, and up, where faces rise and fall more, and of morphs. It depends on the height of the
# nose. More than the mean is as good as it.
_HEAD_ARC = 0.5
_HEAD_ARC_UP = 0.4
_HEAD_DEVIATION = 0.25
_MORPH_ARC = (0.0, 0.06)
# No one holds the head so still before a movement from frame to frame, in distances of the eyes (0.025 mm):
# this much in favour of a morph.
_STILL = 0.0004
_FROZEN = 3.0
# One turn decides no more than this: a true arc cannot make up for one that is surely a line.
_MIN_RATIO, _MAX_RATIO = -4.0, 1.0


def weigh_relief(turn: Turn, toward: float) -> float:
    """How many times more the nose moves than a picture can feign; `toward` is its sine in the requested
    direction.
    """
    error = float(np.max(turn.error))
    tilt = np.sqrt(2 * abs(turn.narrowing))
    return float(
        toward / np.sqrt(_FEIGNED**2 + (_FEIGNED_BY_TILT * tilt) ** 2 + (_FEIGNED_BY_ERROR * error) ** 2)
    )


def combine_reliefs(reliefs: Sequence[float]) -> float:
    """The relief of independent turns together (Stouffer's method)."""
    return float(sum(reliefs) / np.sqrt(len(reliefs)))


def weigh_arc(arc: Arc, *, up: float, sway: float) -> float:
    """The logarithm of the likelihood ratio of a head to a morph, between `_MIN_RATIO` and `_MAX_RATIO`.

    `up` is 0..1 for a turn to a side or upwards, `sway` the usual motion between frames before the turn in
    distances of the eyes.
    """
    if not np.isfinite(arc.error):
        return 0.0
    usual = _HEAD_ARC + (_HEAD_ARC_UP - _HEAD_ARC) * up
    size, error = min(arc.size, usual), 2 * arc.error
    ratio = _log_likelihood(size, usual, _HEAD_DEVIATION, error) - _log_likelihood(size, *_MORPH_ARC, error)
    if sway < _STILL:
        ratio -= _FROZEN
    return float(np.clip(ratio, _MIN_RATIO, _MAX_RATIO))


def _log_likelihood(value: float, mean: float, deviation: float, error: float) -> float:
    variance = deviation**2 + error**2
    return float(-0.5 * ((value - mean) ** 2 / variance + np.log(variance)))
