"""Finds the bend of a wide lens for a photo that a homography alone does not align well."""

from __future__ import annotations

from typing import Final

import numpy as np

from service.detection.reference_difference.alignment import checks
from service.detection.reference_difference.data import Matrix, Pyramid
from shared.record.geometry import Rect

# Bends (see `lens`) that are tried first, in both directions and then in the better one, and the steps by
# which the best one is then changed. The lens of a phone bends by 0.02, a wide one by 0.1.
_USUAL: Final = 0.04
_WIDE: Final = 0.085
_STEPS: Final = (0.02, 0.01, 0.005)
# Longest side of the windows that are tried, px, and the px that a guess may be off in them.
_SIDE = 320
_REACH, _NEAR = 8, 4
# The share of the structure that must agree, and its least gain over the share without a bend.
_BELONGS = 0.75
_MIN_GAIN = 0.04
# The mean residual of agreeing blocks, px of a window, at which the closeness is 0.
_MAX_RESIDUAL = 2.0


def through_lens(
    photo: Pyramid, region: Rect, window: checks.ReferenceWindow, guess: Matrix, least: float
) -> checks.CandidateHomography | None:
    """The alignment with the bend under which most of the structure agrees.

    window: of the surroundings of the region. guess: the homography without a bend. least: the share that
    agrees without a bend, 0..1. None if a bend does not increase it clearly.
    """
    around = checks.surroundings(region, window.reference.size)
    small = checks.reference_window(window.reference, around, _SIDE, 1.0)
    enough = max(_BELONGS, least + _MIN_GAIN)

    def check_guess(guess: Matrix, bend: float, reach: int) -> checks.CandidateHomography | None:
        found = checks.check(photo, small, guess, reach, bend)
        return found if found and checks.is_plausible(found.homography, region, photo.size) else None

    def better(
        one: checks.CandidateHomography | None, other: checks.CandidateHomography | None
    ) -> checks.CandidateHomography | None:
        return other if one is None or (other is not None and _closeness(other) > _closeness(one)) else one

    best: checks.CandidateHomography | None = None
    for bend in (0.0, -_USUAL, _USUAL):
        best = better(best, check_guess(guess, bend, _REACH))
    if best is not None and best.bend:
        wide = float(np.copysign(_WIDE, best.bend))
        best = better(best, check_guess(guess, wide, _REACH))
    if best is None or best.score < checks.BELONGS or not (best.bend or least >= checks.BELONGS):
        return None
    if best.bend:
        # In the fine window, a lens gains at once. What the coarse one gains may be chance.
        rough = checks.check(photo, window, best.homography, _REACH, best.bend)
        if rough is None or rough.score < enough:
            return None
    for step in _STEPS:
        start = best
        for bend in (start.bend - step, start.bend + step):
            best = better(best, check_guess(start.homography, bend, _NEAR)) or best
    whole = checks.check(photo, window, best.homography, _NEAR, best.bend)
    if whole is None or whole.score < enough:
        return None
    return whole if checks.is_plausible(whole.homography, region, photo.size) else None


def _closeness(one: checks.CandidateHomography) -> float:
    """The share of the structure that agrees, reduced by the residuals, because many bends nearly fit."""
    agreeing = one.fit.residuals[one.fit.agreeing]
    return one.score * (1 - float(agreeing.mean()) / _MAX_RESIDUAL) if agreeing.size else 0.0
