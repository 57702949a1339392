"""Weighs what was measured of the turns: a head against a picture, and a head against a morph.

Both are one number for a film, summed over its turns, so that two weak turns count as much as one strong
turn. The constants come from rendered films that are in no published figure (docs/faces.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from service.face.liveness.turns import Turn

# What a picture can feign, as a sine: anyhow, for each unit of the sine by which it is tilted, and for each
# standard error of the measurement. The errors of neighbouring points agree more than the fit knows, hence 2.
_FEIGNED = 0.025
_FEIGNED_BY_TILT = 0.1
_FEIGNED_BY_ERROR = 2.0
# The arc over the square of the sine, as mean and standard deviation: of heads, whose noses differ in height,
# to the side and up, where faces rise and fall more, and of morphs. More than the mean is as good as it.
_HEAD_ARC = 0.8
_HEAD_ARC_UP = 0.6
_HEAD_DEVIATION = 0.3
_MORPH_ARC = (0.0, 0.12)
# From this sine on the turn is overestimated: the far side of the nose hides.
_LARGE = 0.45
# Blending loses detail half way: this much in favour of a morph for all detail.
_BLENDED = 3.0
# No one holds the head so still before a movement from frame to frame, in distances of the eyes (0.025 mm):
# this much in favour of a morph.
_STILL = 0.0004
_FROZEN = 3.0
# One turn decides no more than this.
_MOST = 4.0


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


def weigh_arc(turn: Turn, *, lost_detail: float, sway: float) -> float:
    """The logarithm of the likelihood ratio of a head to a morph, at most `_MOST` either way.

    `lost_detail` is 0..1, `sway` the usual motion between frames before the turn in distances of the eyes.
    """
    if not np.isfinite(turn.arc.error):
        return 0.0
    size = float(np.hypot(*turn.sine))
    up = (turn.sine[1] / max(size, 1e-6)) ** 2
    square = np.clip(size, 0.01, _LARGE) ** 2
    usual = _HEAD_ARC + (_HEAD_ARC_UP - _HEAD_ARC) * up
    arc, error = min(turn.arc.size / square, usual), 2 * turn.arc.error / square
    ratio = _log_likelihood(arc, usual, _HEAD_DEVIATION, error) - _log_likelihood(arc, *_MORPH_ARC, error)
    ratio -= _BLENDED * lost_detail
    if sway < _STILL:
        ratio -= _FROZEN
    return float(np.clip(ratio, -_MOST, _MOST))


def _log_likelihood(value: float, mean: float, deviation: float, error: float) -> float:
    variance = deviation**2 + error**2
    return float(-0.5 * ((value - mean) ** 2 / variance + np.log(variance)))
