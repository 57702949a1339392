"""Finds the region of the reference image in a photo, and refuses photos that do not show it.

Cheap guesses come first (the photo has the shape of the reference or of the region), then features. Each
guess is refined block by block from coarse to fine. It is accepted only if the structure of both pictures
agrees (`blocks`), so a guess that fits by accident is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from service.detection.reference_difference.alignment import (
    bending,
    blocks,
    checks,
    features,
    lens,
    motion,
    repeating,
)
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
from service.detection.reference_difference.threads import run_parallel
from shared.record.geometry import Rect

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
            bent = bending.through_lens(photo, region, window, guess, 0.0 if best is None else best.score)
            best = bent or best
    if best is None or not (best.score >= checks.BELONGS or best.blank):
        shapes = [guess for guess, _ in _guess_by_shape(reference, region, photo)]
        best = motion.through_motion(photo, region, window, [*shapes[:2], *proposed[:2]])
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
