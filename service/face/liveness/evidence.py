"""Weighs what was measured of the turns: a head against a picture, and a head against a morph.

Both are one number for a film, summed over its turns, so that two weak turns count as much as one strong
turn. The constants come from rendered films that are in no published figure (docs/faces.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from service.face.liveness.turns import Turn
from service.face.liveness.unrest import Unrest

# What a picture can feign, as a sine: anyhow, for each unit of the sine by which it is tilted, and for each
# standard error of the measurement. The errors of neighbouring points agree more than the fit knows, hence 2.
_FEIGNED = 0.025
_FEIGNED_BY_TILT = 0.1
_FEIGNED_BY_ERROR = 2.0
_HIGHEST_NOSE = 3.0
# The narrowing of heads with an average nose (more is as good as it) and of morphs, as mean and standard
# deviation, and by how much the errors are larger than the fit knows.
_HEAD_NARROWING = (0.7, 0.35)
_MORPH_NARROWING = (0.0, 0.06)
_NARROWING_ERRORS = 2.0
# How high noses are, against the average.
_NOSE_HEIGHTS = (0.6, 1.6)
# No one holds the head so still before a movement from frame to frame, in distances of the eyes (0.025 mm):
# this much in favour of a morph.
_STILL = 0.0004
_FROZEN = 3.0
# A head that is held still usually turns by half a degree within a quarter of a second, as a sine. A picture
# seems to turn by so many standard errors, which are larger than the fit knows, and by a little in any case,
# because depths are wrong. The scatter of the logarithms of both.
_USUAL_UNREST = 0.009
_UNREST_ERRORS = 2.4
_PICTURE_UNREST = 0.0015
_UNREST_SCATTER, _STILL_SCATTER = 0.5, 0.4
MAX_ARC = 2.0
"""The most that the arc of a turn from the front speaks for a head: a tenth of the morphs seem to have it."""
# As `MAX_ARC`, for a turn that begins at the side: half of the morphs seem to have such an arc, because no
# program finds the way from one side of a face to the other. So it only speaks against a head.
_MAX_LATER_ARC = 0.0
# The most that the unrest of a film speaks for a head, because a program can feign it.
_MAX_UNREST = 1.0
# The most that both speak against a head.
_MIN_ARC, _MIN_UNREST = -3.0, -4.0


def weigh_relief(turn: Turn) -> float:
    """How many times more the nose moves in the requested direction than a picture can feign. None is as high
    as `_HIGHEST_NOSE`.
    """
    if turn.nose > _HIGHEST_NOSE:
        return 0.0
    error = turn.nose_error * turn.sine
    tilt = np.sqrt(2 * abs(turn.narrowing)) * turn.size
    feigned = np.sqrt(_FEIGNED**2 + (_FEIGNED_BY_TILT * tilt) ** 2 + (_FEIGNED_BY_ERROR * error) ** 2)
    return float(turn.nose * turn.sine / feigned)


def combine_reliefs(reliefs: Sequence[float]) -> float:
    """The relief of independent turns together (Stouffer's method)."""
    return float(sum(reliefs) / np.sqrt(len(reliefs)))


def weigh_arc(turn: Turn, *, sway: float, is_first: bool = True) -> float:
    """The logarithm of the likelihood ratio of a head to a morph, between `_MIN_ARC` and `MAX_ARC`.

    `sway` is the usual motion between frames before the turn in distances of the eyes. A turn that is not the
    first of its film may begin at the side.
    """
    # A turn by a nose that is higher than the average is smaller than it was measured.
    nose = float(np.clip(turn.nose, *_NOSE_HEIGHTS))
    size = min(turn.narrowing / nose**2, _HEAD_NARROWING[0])
    error = _NARROWING_ERRORS * turn.narrowing_error / nose**2
    # No head becomes wider: what does is at least as surely a morph as what stays.
    ratio = min(_log_ratio(size, error), _log_ratio(max(size, 0.0), error))
    if sway < _STILL:
        ratio -= _FROZEN
    return float(np.clip(ratio, _MIN_ARC, MAX_ARC if is_first else _MAX_LATER_ARC))


def weigh_unrest(unrest: Unrest | None) -> float:
    """The logarithm of the likelihood ratio of a head to a picture that no one turns, between `_MIN_UNREST`
    and `_MAX_UNREST`; 0 if there is no `unrest`.

    The axis about which the face is stillest counts.
    """
    if unrest is None:
        return 0.0
    still = np.hypot(_UNREST_ERRORS * unrest.error, _PICTURE_UNREST)
    restless = np.hypot(still, _USUAL_UNREST)
    # A picture that is stiller than usual is a picture.
    turned = np.maximum(unrest.turned, still)
    # Where the errors are large, heads scatter as pictures do.
    part = (_USUAL_UNREST / restless) ** 2
    scatter = np.sqrt(part * _UNREST_SCATTER**2 + (1 - part) * _STILL_SCATTER**2)
    # Some heads turn much more than is usual.
    as_head = np.minimum(np.log(turned / restless), 0.0) / scatter
    as_picture = np.log(turned / still) / _STILL_SCATTER
    ratios = (as_picture**2 - as_head**2) / 2 - np.log(scatter / _STILL_SCATTER)
    return float(np.clip(ratios.min(), _MIN_UNREST, _MAX_UNREST))


def _log_ratio(size: float, error: float) -> float:
    return _log_likelihood(size, *_HEAD_NARROWING, error) - _log_likelihood(size, *_MORPH_NARROWING, error)


def _log_likelihood(value: float, mean: float, deviation: float, error: float) -> float:
    variance = deviation**2 + error**2
    return float(-0.5 * ((value - mean) ** 2 / variance + np.log(variance)))
