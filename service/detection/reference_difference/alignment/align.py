"""Finds where the region of the reference image lies in a photo, and refuses when it is not there.

Cheap guesses first (the photo has the shape of the reference or of the region), then features. Each guess is
laid over the reference, mended block by block from coarse to fine, and believed only when the structure of
the two agrees (`blocks`); so a guess that fits by accident is refused, wherever it came from.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from service.detection.reference_difference.alignment import (
    bending,
    blocks,
    checks,
    features,
    lens,
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
from service.detection.reference_difference.threads import side_by_side
from shared.geometry import Rect

_FINE_SIDE = 1600
_CLEARLY_BELONGS = 0.85
_SURELY_BELONGS = 0.9
_MEASURING_ERROR = 0.2
# A person vouches for the alignment that they set; where less than this agrees, nothing could be compared.
_LEAST_SET = 0.12


def align(reference: Pyramid, region: Rect, photo: Pyramid, start: Matrix | None = None) -> Alignment:
    """Where `region` (px of the reference image) lies in the photo; both pyramids are of grey images.

    `start` (3 x 3, reference px -> photo px) is where a user says that it lies: it is only mended where the
    structure agrees with it, and refused only where next to nothing does. Raises AlignmentFailed.
    """
    if min(region.w, region.h) < 16 or min(photo.size) < 16:
        raise AlignmentFailed("too_small")
    check = checks.frame_of(checks.surroundings(region, reference.size), checks.SIDE, 1.0)
    if start is not None:
        return _checked_alignment(photo, region, _from_person(reference, photo, region, check, start))
    best: checks.CandidateHomography | None = None
    guesses: list[Matrix] = []
    for guess, reach in _guesses(reference, region, photo):
        guesses.append(guess)
        tried = checks.check(reference, photo, check, guess, reach)
        if tried is None or not checks.plausible(tried.homography, region, photo.size):
            continue
        if best is None or tried.score > best.score:
            best = tried
        if best.score > _CLEARLY_BELONGS:
            break
    if best is None or not (best.score >= checks.BELONGS or best.blank):
        for guess, reach in repeating.propose(reference, checks.surroundings(region, reference.size), photo):
            tried = checks.check(reference, photo, check, guess, reach)
            # In a field of equal things a wrong place agrees by and large too.
            if (
                tried is not None
                and tried.score > _SURELY_BELONGS
                and checks.plausible(tried.homography, region, photo.size)
            ):
                best = tried
                break
    if best is None or not (best.score > _SURELY_BELONGS or best.blank):
        likely = guesses[::-1] if best is None else [best.homography, *guesses[::-1]]
        belongs = best is not None and best.score >= checks.BELONGS
        bent = bending.through_lens(
            reference, photo, region, likely[:1] if belongs else likely, 0.0 if best is None else best.score
        )
        best = bent or best
    if best is None or not (best.score >= checks.BELONGS or best.blank):
        raise AlignmentFailed("no_match")
    return _checked_alignment(photo, region, _finer(reference, photo, region, best))


def _from_person(
    reference: Pyramid, photo: Pyramid, region: Rect, check: checks.ReferenceWindow, start: Matrix
) -> checks.CandidateHomography:
    """The alignment that a person set, mended when it is right but for what a click is off."""
    if not checks.plausible(start, region, photo.size):
        raise AlignmentFailed("no_match")
    tried = checks.check(reference, photo, check, start, 10)
    if tried is not None and tried.score >= checks.BELONGS and checks.near(tried.homography, start, region):
        finer = _finer(reference, photo, region, tried)
        if checks.near(finer.homography, start, region):
            return finer
    to_photo = start @ check.to_reference
    known = blocks.smoothed(reference.warped(check.to_reference, check.size))
    seen = blocks.smoothed(photo.warped(to_photo, check.size))
    valid = inside_mask(to_photo, check.size, photo.size)
    block = min(checks.BLOCK, min(check.size) // 2)
    fit = blocks.fit(blocks.measure(known, seen, valid, block, 8, 64), check.size, 2.0)
    if fit.score < _LEAST_SET and not (tried is not None and tried.blank):
        raise AlignmentFailed("no_match")
    return _in_photo_px(
        checks.CandidateHomography(start, fit, False), check.scale, local_scale(start, region)
    )


def _checked_alignment(photo: Pyramid, region: Rect, best: checks.CandidateHomography) -> Alignment:
    visible = checks.visible(best.homography, region, photo.size)
    if visible < checks.LEAST_VISIBLE:
        raise AlignmentFailed("not_visible")
    best = _snapped(best, region)
    agreeing = best.fit.residuals[best.fit.agreeing]
    return Alignment(
        best.homography / best.homography[2, 2],
        int(best.fit.agreeing.sum()),
        float(np.median(agreeing)) if agreeing.size else 0.0,
        best.score,
        visible,
        best.bend,
    )


def _guesses(reference: Pyramid, region: Rect, photo: Pyramid) -> Iterator[tuple[Matrix, int]]:
    """Homographies to try, reference px -> photo px, and by how many px of the check each may be off.

    Those that come from the image shapes are tried close by first: most scans and fixed cameras fit at once.
    """
    width, height = photo.size
    shape = width / height
    whole = Rect(0, 0, *reference.size)
    alike = [
        shift_scale(area.x, area.y, width / area.w, height / area.h)
        for area in ([whole] if region == whole else [whole, region])
        if abs(np.log(shape / (area.w / area.h))) < 0.03
    ]
    # In a small region few blocks have a say: there each must be free to lie anywhere.
    reaches = (4, 10) if min(region.w, region.h) > 2 * checks.BLOCK else (10,)
    yield from ((matrix, reach) for reach in reaches for matrix in alike)
    views = [whole]
    context = checks.surroundings(region, reference.size)
    if max(context.w, context.h) < 0.6 * max(whole.w, whole.h):
        views.append(context)
    known, seen = side_by_side(
        [
            lambda: features.join([checks.extract(reference, area) for area in views]),
            lambda: checks.extract(photo, Rect(0, 0, width, height)),
        ]
    )
    tolerance = 3 * max(max(photo.size) / checks.FEATURE_SIDE, 1.0)
    for matrix, inliers in features.propose(known, seen, tolerance, photo.size):
        if inliers >= 6:
            yield matrix, 8


def _finer(
    reference: Pyramid, photo: Pyramid, region: Rect, guess: checks.CandidateHomography
) -> checks.CandidateHomography:
    """Mend the homography again at the region's own resolution; the score stays that of the check."""
    scale = min(1.0, local_scale(guess.homography, region))
    context = checks.frame_of(checks.surroundings(region, reference.size), checks.SIDE, 1.0)
    frame = checks.frame_of(region, _FINE_SIDE, scale)
    if guess.blank or frame.scale < 1.15 * context.scale:
        return _in_photo_px(guess, context.scale, scale)
    to_photo = guess.homography @ frame.to_reference
    known = blocks.smoothed(reference.warped(frame.to_reference, frame.size))
    seen, valid = lens.seen(photo, to_photo, frame.size, guess.bend)
    found = blocks.measure(known, blocks.smoothed(seen), valid, checks.BLOCK, 5, 144)
    fit = blocks.fit(found, frame.size, 1.2, 0.3)
    if fit.score < 0.5 * guess.score:
        return _in_photo_px(guess, context.scale, scale)
    mended = guess.homography @ frame.to_reference @ fit.update @ inverse(frame.to_reference)
    better = blocks.Fit(fit.update, fit.residuals, fit.agreeing, guess.score)
    mended_guess = checks.CandidateHomography(mended, better, guess.blank, guess.bend)
    return _in_photo_px(mended_guess, frame.scale, scale)


def _snapped(guess: checks.CandidateHomography, region: Rect) -> checks.CandidateHomography:
    """A homography that is a shift by whole pixels but for the measuring error becomes that shift.

    Such a photo is already aligned, and resampling it would only blur it.
    """
    points = corners(region)
    moved = apply(guess.homography, points) - points
    shift = np.rint(moved.mean(axis=0))
    if guess.bend or np.abs(moved - shift).max() > _MEASURING_ERROR:
        return guess
    return checks.CandidateHomography(
        inverse(shift_scale(float(shift[0]), float(shift[1]), 1.0)), guess.fit, guess.blank
    )


def _in_photo_px(
    guess: checks.CandidateHomography, frame_scale: float, photo_scale: float
) -> checks.CandidateHomography:
    fit = guess.fit
    residuals = fit.residuals * photo_scale / frame_scale
    return checks.CandidateHomography(
        guess.homography, blocks.Fit(fit.update, residuals, fit.agreeing, fit.score), guess.blank, guess.bend
    )
