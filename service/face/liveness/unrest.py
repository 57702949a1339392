"""Measures how much a head turns while it is held still.

No one holds the head still: it turns by some tenths of a degree within a quarter of a second, about both
axes. A photo does not turn at all, and a morph not before, between and after its movements. The turn between
two frames is what the points move in proportion to their depth, beyond a homography, which is how a flat
picture moves in a hand or on a screen. Only the stillest part of the film is measured, so that the movements
themselves do not count.

This shows a morph between photos, however a program moves its frames in their plane. One that goes to and fro
on its way turns about one axis, and is still about the other. What it does not show: a face that a program
turns in depth without rest, and photos so noisy that their turn is uncertain.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.parallax import measure_between
from service.face.liveness.tracking import Tracks

Values = NDArray[np.float64]

# Frames that are compared are about so far apart: by then, slow heads turn more than the tracking errs.
_APART_MS = 250
# This part of the steps is the stillest: a morph rests for at least a third of a film.
_STILLEST = 0.2
# What is the same part of normal values without their signs, in standard deviations.
_STILLEST_VALUE = NormalDist().inv_cdf(0.5 + _STILLEST / 2)
_FEWEST_POINTS = 60
_FEWEST_STEPS = 8


@dataclass(frozen=True, slots=True, eq=False)
class Unrest:
    """How much a face usually turns between frames when it is stillest: the standard deviation `turned` (2,)
    of the sines about both axes, and the standard `error` (2,) of one such turn.
    """

    turned: Values
    error: Values


def measure_unrest(times: Values, tracks: Tracks, depths: Values) -> Unrest | None:
    """Measure the unrest of the face in `tracks`, whose points have `depths` (n,), NaN where they have none;
    `times` (frames,) ms. None if too little of it is tracked.
    """
    steps = []
    for first, at in enumerate(times):
        second = int(np.abs(times - at - _APART_MS).argmin())
        if second > first:
            step = measure_between(tracks, depths, first, second, fewest=_FEWEST_POINTS)
            if step is not None:
                steps.append(step)
    if len(steps) < _FEWEST_STEPS:
        return None
    turns, errors = np.moveaxis(np.array(steps), 1, 0)
    turns = np.abs(turns)
    limits = np.quantile(turns, _STILLEST, axis=0)
    error = [np.median(errors[turns[:, axis] <= limits[axis], axis]) for axis in (0, 1)]
    return Unrest(limits / _STILLEST_VALUE, np.array(error))
