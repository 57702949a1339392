"""Finds the region of the reference image in a photo, and refuses photos that do not show it.

Cheap guesses come first (the photo has the shape of the reference or of the region), then features. Each
guess is refined block by block from coarse to fine. It is accepted only if the structure of both pictures
agrees (`blocks`), so a guess that fits by accident is refused.

Finds the bend of a wide lens for a photo that a homography alone does not align well.

Aligns a photo that the camera blurred by moving, which fine structure no longer agrees with.

In a coarse picture the motion is short, so the photo is first aligned there. Whether it shows the region is
then judged as for every photo, with the reference blurred along the same line: a coarse picture alone would
also agree with a similar part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

import numpy as np

from service.detection.reference_difference.alignment import blocks, checks, features, lens, repeating
from service.detection.reference_difference.data import (
    Alignment,
    AlignmentFailed,
    Matrix,
    Pyramid,
    apply,
    corners,
    inside_mask,
    inverse,
    local_scale,
    shift_scale,
)
from service.detection.reference_difference.difference.focus import motion_between
from service.detection.reference_difference.light.direction import Line, line_kernel
from service.detection.reference_difference.threads import run_parallel
from shared.record.geometry import Rect

# Bends (see `lens`) that are tried first, in both directions and then in the better one, and the steps by
# which the best one is then changed. The lens of a phone bends by 0.02, a wide one by 0.1.
_USUAL: Final = 0.04
_WIDE: Final = 0.085
_STEPS: Final = (0.02, 0.01, 0.005)
# Longest side of the windows that are tried, px, and the px that a guess may be off in them.
_BENDING_SIDE = 320
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
    small = checks.reference_window(window.reference, around, _BENDING_SIDE, 1.0)
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


# Longest side of the coarse windows, px: a motion of 26 px in 640 is 6 px there.
_MOTION_SIDE: Final = 160
_REACH, _NEAR = 8, 4


def through_motion(
    photo: Pyramid, region: Rect, window: checks.ReferenceWindow, guesses: Iterable[Matrix]
) -> checks.CandidateHomography | None:
    """The alignment with the reference blurred along the line of the photo; None without a clear line.

    window: of the surroundings of the region. guesses: homographies, reference px -> photo px. The structure
    must agree as much as without motion.
    """
    around = checks.surroundings(region, window.reference.size)
    coarse, less = (
        checks.reference_window(window.reference, around, side, 1.0)
        for side in (_MOTION_SIDE, 3 * checks.SIDE // 4)
    )
    tried: list[Matrix] = []
    places: list[Matrix] = []
    for guess in guesses:
        if any(checks.is_same_place(coarse, place, guess) for place in places):
            continue
        places.append(guess)
        there = checks.check(photo, coarse, guess, _REACH)
        if there is None or there.score < checks.BELONGS:
            continue
        # Most guesses lead to the same place, where no other line would be found.
        if any(checks.is_near(there.homography, other, region) for other in tried):
            continue
        tried.append(there.homography)
        places.append(there.homography)
        line = _line(photo, less, there.homography)
        if line is None:
            continue
        kernel = line_kernel(line, window.scale / less.scale)
        found = checks.check(photo, window, there.homography, _NEAR, motion=kernel)
        if (
            found is not None
            and found.score >= checks.BELONGS
            and checks.is_plausible(found.homography, region, photo.size)
        ):
            return found
    return None


def _line(photo: Pyramid, frame: checks.ReferenceWindow, homography: Matrix) -> Line | None:
    """The line of the motion in px of the frame; None without a clear one."""
    levels, valid = lens.view(photo, homography @ frame.to_reference, frame.size, 0.0)
    return motion_between(frame.smooth[..., None], blocks.smooth(levels)[..., None], valid)


# px of the region and its surroundings in which features are searched: more of them, up to 1,200 px, align no
# more photos of DeepPCB at any turn or of FGCD, and take three times as long.
_FEATURE_SIDE = 480
_FINE_SIDE = 1600
_CLEARLY_BELONGS = 0.85
_MEASURING_ERROR = 0.2
# The least score of an alignment that a user set: with less, nothing could be compared.
_MIN_SET_SCORE = 0.12


def align(reference: Pyramid, region: Rect, photo: Pyramid, start: Matrix | None = None) -> Alignment:
    """The alignment of `region` (px of the reference image) with the photo; both pyramids have grey images.

    start: the alignment that a user set (3 x 3, reference px -> photo px). It is refined if the structure
    agrees with it, and refused only if almost nothing agrees. Raises AlignmentFailed.
    """
    if min(region.w, region.h) < 16 or min(photo.size) < 16:
        raise AlignmentFailed("too_small")
    around = checks.surroundings(region, reference.size)
    window = checks.reference_window(reference, around, checks.SIDE, 1.0)
    if start is not None:
        return _to_alignment(photo, region, _align_from_start(photo, region, window, start))
    best: checks.CandidateHomography | None = None
    proposed: list[Matrix] = []
    places: list[tuple[Matrix, int]] = []
    for guess, reach in chain(
        _guess_by_shape(reference, region, photo), _guess_by_features(reference, region, photo, proposed)
    ):
        # A search that reached farther has ended there, so this one would, too.
        if any(reach < far and checks.is_same_place(window, place, guess) for place, far in places):
            continue
        tried = checks.check(photo, window, guess, reach)
        if tried is not None:
            places.append((tried.homography, reach))
        if tried is None or not checks.is_plausible(tried.homography, region, photo.size):
            continue
        if best is None or tried.score > best.score:
            best = tried
        if best.score > _CLEARLY_BELONGS:
            break
    # Where features tell places apart, the surface does not repeat itself.
    if not proposed and (best is None or not (best.score >= checks.BELONGS or best.blank)):
        for guess, reach in repeating.propose(reference, around, photo):
            tried = checks.check(photo, window, guess, reach)
            # In a field of equal objects a wrong place mostly agrees too, so the score must be higher.
            if (
                tried is not None
                and tried.score > checks.SURELY_BELONGS
                and checks.is_plausible(tried.homography, region, photo.size)
            ):
                best = tried
                break
    if best is None or not (best.score > checks.SURELY_BELONGS or best.blank):
        likely = proposed[:1] if best is None else [best.homography]
        for guess in likely:
            bent = through_lens(photo, region, window, guess, 0.0 if best is None else best.score)
            best = bent or best
    if best is None or not (best.score >= checks.BELONGS or best.blank):
        shapes = [guess for guess, _ in _guess_by_shape(reference, region, photo)]
        best = through_motion(photo, region, window, [*shapes[:2], *proposed[:2]])
    if best is None:
        raise AlignmentFailed("no_match")
    return _to_alignment(photo, region, _refine(photo, region, window, best))


def _align_from_start(
    photo: Pyramid, region: Rect, window: checks.ReferenceWindow, start: Matrix
) -> checks.CandidateHomography:
    """The alignment that a user set, refined if it is right up to the precision of a click."""
    if not checks.is_plausible(start, region, photo.size):
        raise AlignmentFailed("no_match")
    tried = checks.check(photo, window, start, 10)
    if (
        tried is not None
        and tried.score >= checks.BELONGS
        and checks.is_near(tried.homography, start, region)
    ):
        finer = _refine(photo, region, window, tried)
        if checks.is_near(finer.homography, start, region):
            return finer
    to_photo = start @ window.to_reference
    seen = blocks.smooth(photo.warped(to_photo, window.size))
    valid = inside_mask(to_photo, window.size, photo.size)
    block = min(checks.BLOCK, min(window.size) // 2)
    fit = blocks.fit(blocks.measure(window.smooth, seen, valid, block, 8, 64), window.size, 2.0)
    if fit.score < _MIN_SET_SCORE and not (tried is not None and tried.blank):
        raise AlignmentFailed("no_match")
    return _scale_residuals(
        checks.CandidateHomography(start, fit, False), window.scale, local_scale(start, region)
    )


def _to_alignment(photo: Pyramid, region: Rect, best: checks.CandidateHomography) -> Alignment:
    visible = checks.visible_share(best.homography, region, photo.size)
    if visible < checks.MIN_VISIBLE:
        raise AlignmentFailed("not_visible")
    best = _snap_to_pixels(best, region)
    agreeing = best.fit.residuals[best.fit.agreeing]
    return Alignment(
        best.homography / best.homography[2, 2],
        int(best.fit.agreeing.sum()),
        float(np.median(agreeing)) if agreeing.size else 0.0,
        best.score,
        visible,
        best.bend,
    )


def _guess_by_shape(reference: Pyramid, region: Rect, photo: Pyramid) -> Iterator[tuple[Matrix, int]]:
    """Homographies to try, reference px -> photo px, each with the px of the check that it may be off.

    They are first tried within a short reach: most scans and fixed cameras fit at once.
    """
    width, height = photo.size
    shape = width / height
    whole = Rect(0, 0, *reference.size)
    alike = [
        shift_scale(area.x, area.y, width / area.w, height / area.h)
        for area in ([whole] if region == whole else [whole, region])
        if abs(np.log(shape / (area.w / area.h))) < 0.03
    ]
    # A small region has few blocks, so each must be searched within the full reach.
    reaches = (4, 10) if min(region.w, region.h) > 2 * checks.BLOCK else (10,)
    yield from ((matrix, reach) for reach in reaches for matrix in alike)


def _guess_by_features(
    reference: Pyramid, region: Rect, photo: Pyramid, proposed: list[Matrix]
) -> Iterator[tuple[Matrix, int]]:
    """As `_guess_by_shape`, from features. Each homography is added to `proposed`."""
    whole, seen_whole = Rect(0, 0, *reference.size), Rect(0, 0, *photo.size)
    views = [whole]
    context = checks.surroundings(region, reference.size)
    share = max(context.w, context.h) / max(whole.w, whole.h)
    if share < 0.6:
        views.append(context)
    side = min(round(_FEATURE_SIDE / share), checks.FEATURE_SIDE)
    known, seen = run_parallel(
        [
            lambda: features.join([checks.extract(reference, area, side) for area in views]),
            lambda: checks.extract(photo, seen_whole, side),
        ]
    )
    tolerance = 3 * max(max(photo.size) / side, 1.0)
    for matrix in features.propose(known, seen, tolerance, photo.size):
        proposed.append(matrix)
        yield matrix, 8


def _refine(
    photo: Pyramid, region: Rect, window: checks.ReferenceWindow, guess: checks.CandidateHomography
) -> checks.CandidateHomography:
    """Refine the homography at the resolution of the region; the score stays that of the check."""
    scale = min(1.0, local_scale(guess.homography, region))
    frame = checks.reference_window(window.reference, region, _FINE_SIDE, scale)
    if guess.blank or frame.scale < 1.15 * window.scale:
        return _scale_residuals(guess, window.scale, scale)
    to_photo = guess.homography @ frame.to_reference
    seen, valid = lens.view(photo, to_photo, frame.size, guess.bend)
    found = blocks.measure(frame.smooth, blocks.smooth(seen), valid, checks.BLOCK, 5, 144)
    fit = blocks.fit(found, frame.size, 1.2, 0.3)
    if fit.score < 0.5 * guess.score:
        return _scale_residuals(guess, window.scale, scale)
    refined = guess.homography @ frame.to_reference @ fit.update @ inverse(frame.to_reference)
    better = blocks.Fit(fit.update, fit.residuals, fit.agreeing, guess.score)
    refined_candidate = checks.CandidateHomography(refined, better, guess.blank, guess.bend)
    return _scale_residuals(refined_candidate, frame.scale, scale)


def _snap_to_pixels(guess: checks.CandidateHomography, region: Rect) -> checks.CandidateHomography:
    """Replace a homography by a shift by whole pixels if they differ by no more than the measuring error.

    Such a photo is already aligned, and resampling would only blur it.
    """
    points = corners(region)
    moved = apply(guess.homography, points) - points
    shift = np.rint(moved.mean(axis=0))
    if guess.bend or np.abs(moved - shift).max() > _MEASURING_ERROR:
        return guess
    return checks.CandidateHomography(
        inverse(shift_scale(float(shift[0]), float(shift[1]), 1.0)), guess.fit, guess.blank
    )


def _scale_residuals(
    guess: checks.CandidateHomography, frame_scale: float, photo_scale: float
) -> checks.CandidateHomography:
    fit = guess.fit
    residuals = fit.residuals * photo_scale / frame_scale
    return checks.CandidateHomography(
        guess.homography, blocks.Fit(fit.update, residuals, fit.agreeing, fit.score), guess.blank, guess.bend
    )
