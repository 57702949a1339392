"""Finds where the region of the reference image lies in a photo, and refuses when it is not there.

Cheap guesses first (the photo has the shape of the reference or of the region), then features. Each guess is
laid over the reference, mended block by block from coarse to fine, and believed only when the structure of
the two agrees (`blocks`); so a guess that fits by accident is refused, wherever it came from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from service.detection.reference_difference import blocks, features
from service.detection.reference_difference.parts import (
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
from shared.cv import cv2
from shared.geometry import Rect

_CHECK_SIDE = 640
_FINE_SIDE = 1600
_FEATURE_SIDE = 1200
_BLOCK = 40
# Share of the structure that must agree. On the benchmark's surfaces pairs that belong together reach 0.90
# and more; of those that do not, nearly all stay below 0.4, and look-alike panels reach 0.7.
_BELONGS = 0.6
_CLEARLY_BELONGS = 0.85
_LEAST_VISIBLE = 0.6
_MEASURING_ERROR = 0.2
# A person vouches for the alignment that they set; where less than this agrees, nothing could be compared.
_LEAST_SET = 0.12
# Three clicks of a person are off by a few px; at the corners of a region around them that may be this share.
_CLICKS_OFF = 0.15


@dataclass(frozen=True, slots=True)
class _Frame:
    """A window of the reference: to_reference maps frame px -> reference px; size is (width, height)."""

    to_reference: Matrix
    size: tuple[int, int]

    @property
    def scale(self) -> float:
        return float(1 / self.to_reference[0, 0])


@dataclass(frozen=True, slots=True)
class _Guess:
    homography: Matrix
    fit: blocks.Fit
    blank: bool

    @property
    def score(self) -> float:
        return self.fit.score


def align(reference: Pyramid, region: Rect, photo: Pyramid, start: Matrix | None = None) -> Alignment:
    """Where `region` (px of the reference image) lies in the photo; both pyramids are of grey images.

    `start` (3 x 3, reference px -> photo px) is where a person says that it lies: it is only mended where the
    structure agrees with it, and refused only where next to nothing does. Raises AlignmentFailed.
    """
    if min(region.w, region.h) < 16 or min(photo.size) < 16:
        raise AlignmentFailed("too_small")
    check = _frame(_context(region, reference.size), _CHECK_SIDE, 1.0)
    if start is not None:
        return _told(photo, region, _from_person(reference, photo, region, check, start))
    best: _Guess | None = None
    for guess, reach in _guesses(reference, region, photo):
        tried = _check(reference, photo, check, guess, reach)
        if tried is None or not _plausible(tried.homography, region, photo.size):
            continue
        if best is None or tried.score > best.score:
            best = tried
        if best.score > _CLEARLY_BELONGS:
            break
    if best is None or not (best.score >= _BELONGS or best.blank):
        raise AlignmentFailed("no_match")
    return _told(photo, region, _finer(reference, photo, region, best))


def _from_person(reference: Pyramid, photo: Pyramid, region: Rect, check: _Frame, start: Matrix) -> _Guess:
    """The alignment that a person set, mended when it is right but for what a click is off."""
    if not _plausible(start, region, photo.size):
        raise AlignmentFailed("no_match")
    tried = _check(reference, photo, check, start, 10)
    if tried is not None and tried.score >= _BELONGS and _near(tried.homography, start, region):
        finer = _finer(reference, photo, region, tried)
        if _near(finer.homography, start, region):
            return finer
    to_photo = start @ check.to_reference
    known = blocks.smoothed(reference.warped(check.to_reference, check.size))
    seen = blocks.smoothed(photo.warped(to_photo, check.size))
    valid = inside_mask(to_photo, check.size, photo.size)
    block = min(_BLOCK, min(check.size) // 2)
    fit = blocks.fit(blocks.measure(known, seen, valid, block, 8, 64), check.size, 2.0)
    if fit.score < _LEAST_SET and not (tried is not None and tried.blank):
        raise AlignmentFailed("no_match")
    return _in_photo_px(_Guess(start, fit, False), check.scale, local_scale(start, region))


def _near(homography: Matrix, start: Matrix, region: Rect) -> bool:
    """Whether an alignment says the same as the one that a person set, but for what clicks are off."""
    points = corners(region)
    there = apply(start, points)
    off = np.abs(apply(homography, points) - there).max()
    return bool(off <= _CLICKS_OFF * np.ptp(there, axis=0).max())


def _told(photo: Pyramid, region: Rect, best: _Guess) -> Alignment:
    visible = _visible(best.homography, region, photo.size)
    if visible < _LEAST_VISIBLE:
        raise AlignmentFailed("not_visible")
    best = _snapped(best, region)
    agreeing = best.fit.residuals[best.fit.agreeing]
    return Alignment(
        best.homography / best.homography[2, 2],
        int(best.fit.agreeing.sum()),
        float(np.median(agreeing)) if agreeing.size else 0.0,
        best.score,
        visible,
    )


def _context(region: Rect, size: tuple[int, int]) -> Rect:
    """The region and half of its size around it, inside the reference: what the alignment is judged by."""
    margin = 0.5 * max(region.w, region.h)
    return Rect(region.x - margin, region.y - margin, region.w + 2 * margin, region.h + 2 * margin).clamped(
        *size
    )


def _frame(area: Rect, side: int, finest: float) -> _Frame:
    scale = min(finest, side / max(area.w, area.h))
    size = (max(round(area.w * scale), 8), max(round(area.h * scale), 8))
    return _Frame(inverse(shift_scale(area.x, area.y, size[0] / area.w, size[1] / area.h)), size)


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
    reaches = (4, 10) if min(region.w, region.h) > 2 * _BLOCK else (10,)
    yield from ((matrix, reach) for reach in reaches for matrix in alike)
    views = [whole]
    context = _context(region, reference.size)
    if max(context.w, context.h) < 0.6 * max(whole.w, whole.h):
        views.append(context)
    known, seen = side_by_side(
        [
            lambda: features.join([_extract(reference, area) for area in views]),
            lambda: _extract(photo, Rect(0, 0, width, height)),
        ]
    )
    tolerance = 3 * max(max(photo.size) / _FEATURE_SIDE, 1.0)
    for matrix, inliers in features.propose(known, seen, tolerance, photo.size):
        if inliers >= 6:
            yield matrix, 8


def _extract(image: Pyramid, area: Rect) -> features.Features:
    frame = _frame(area, _FEATURE_SIDE, 1.0)
    return features.extract(image.warped(frame.to_reference, frame.size), frame.to_reference)


def _plausible(homography: Matrix, region: Rect, photo_size: tuple[int, int]) -> bool:
    """No mirror, no fold, no absurd size: what a camera cannot do to a flat surface is no alignment."""
    points = corners(region)
    depth = points @ homography[2, :2] + homography[2, 2]
    if np.any(depth / depth.mean() < 0.2) or np.any(depth / depth.mean() > 4):
        return False
    quad = apply(homography, points)
    sides = np.roll(quad, -1, axis=0) - quad
    turns = sides[:, 0] * np.roll(sides[:, 1], -1) - sides[:, 1] * np.roll(sides[:, 0], -1)
    lengths = np.hypot(*sides.T) / np.array([region.w, region.h, region.w, region.h])
    return bool(np.all(turns > 0) and lengths.max() < 4 * lengths.min() and lengths.max() < 40)


def _check(
    reference: Pyramid, photo: Pyramid, frame: _Frame, homography: Matrix, reach: int
) -> _Guess | None:
    """Lay the photo over the frame, mend the guess twice, and say how much of the structure agrees."""
    known = blocks.smoothed(reference.warped(frame.to_reference, frame.size))
    fit: blocks.Fit | None = None
    blank = False
    for turn in range(3):
        to_photo = homography @ frame.to_reference
        valid = inside_mask(to_photo, frame.size, photo.size)
        if np.count_nonzero(valid) < 0.2 * valid.size:
            return None
        seen = blocks.smoothed(photo.warped(to_photo, frame.size))
        block = min(_BLOCK, min(frame.size) // 2)
        found = blocks.measure(known, seen, valid, block, reach if turn == 0 else 4, 64)
        fit = blocks.fit(found, frame.size, 2.0 if turn == 0 else 1.2)
        structured = len(found.centres)
        blank = structured <= 0.06 * found.total and found.photo_only <= 0.3 * found.total and found.total > 0
        if blank or structured == 0:
            break
        if fit.score < 0.12:
            return None
        homography = homography @ frame.to_reference @ fit.update @ inverse(frame.to_reference)
        if _moved(fit.update, frame.size) < (0.3 if turn > 0 else 0.12):
            break
    if fit is None:
        return None
    return _Guess(homography, fit, blank and _same_tone(reference, photo, frame, homography))


def _moved(update: Matrix, size: tuple[int, int]) -> float:
    points = corners(Rect(0, 0, *size))
    return float(np.abs(apply(update, points) - points).max())


def _same_tone(reference: Pyramid, photo: Pyramid, frame: _Frame, homography: Matrix) -> bool:
    """Whether two surfaces without structure could be the same one, by their brightness alone."""
    one = reference.warped(frame.to_reference, frame.size)
    other = photo.warped(homography @ frame.to_reference, frame.size)
    return bool(abs(np.median(one) - np.median(other)) < 40)


def _finer(reference: Pyramid, photo: Pyramid, region: Rect, guess: _Guess) -> _Guess:
    """Mend the homography once more at the region's own resolution; the score stays that of the check."""
    scale = min(1.0, local_scale(guess.homography, region))
    context = _frame(_context(region, reference.size), _CHECK_SIDE, 1.0)
    frame = _frame(region, _FINE_SIDE, scale)
    if guess.blank or frame.scale < 1.15 * context.scale:
        return _in_photo_px(guess, context.scale, scale)
    to_photo = guess.homography @ frame.to_reference
    known = blocks.smoothed(reference.warped(frame.to_reference, frame.size))
    seen = blocks.smoothed(photo.warped(to_photo, frame.size))
    valid = inside_mask(to_photo, frame.size, photo.size)
    found = blocks.measure(known, seen, valid, _BLOCK, 5, 144)
    fit = blocks.fit(found, frame.size, 1.2, 0.3)
    if fit.score < 0.5 * guess.score:
        return _in_photo_px(guess, context.scale, scale)
    mended = guess.homography @ frame.to_reference @ fit.update @ inverse(frame.to_reference)
    better = blocks.Fit(fit.update, fit.residuals, fit.agreeing, guess.score)
    return _in_photo_px(_Guess(mended, better, guess.blank), frame.scale, scale)


def _snapped(guess: _Guess, region: Rect) -> _Guess:
    """A homography that is a shift by whole pixels but for the measuring error becomes that shift.

    Such a photo is already aligned, and resampling it would only blur it.
    """
    points = corners(region)
    moved = apply(guess.homography, points) - points
    shift = np.rint(moved.mean(axis=0))
    if np.abs(moved - shift).max() > _MEASURING_ERROR:
        return guess
    return _Guess(inverse(shift_scale(float(shift[0]), float(shift[1]), 1.0)), guess.fit, guess.blank)


def _in_photo_px(guess: _Guess, frame_scale: float, photo_scale: float) -> _Guess:
    fit = guess.fit
    residuals = fit.residuals * photo_scale / frame_scale
    return _Guess(guess.homography, blocks.Fit(fit.update, residuals, fit.agreeing, fit.score), guess.blank)


def _visible(homography: Matrix, region: Rect, photo_size: tuple[int, int]) -> float:
    quad = apply(homography, corners(region)).astype(np.float32)
    photo = corners(Rect(0, 0, *photo_size)).astype(np.float32)
    common, _ = cv2.intersectConvexConvex(quad, photo)
    whole = cv2.contourArea(quad)
    return float(np.clip(common / whole, 0, 1)) if whole > 0 else 0.0
