"""Finds the regions of a reference image that a photo shows, and their places.

One homography is searched that aligns the whole photo with the reference image. It is accepted if the
structure agrees in all of the part that both show: at a similar place the structure agrees, but not around
it. Each region is then checked with the homography. If no homography is found (a curved surface, a photo that
shows little of it), the regions are tried one by one, and the regions that agree with each other are found.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from service.detection.reference_difference.alignment import checks, features
from service.detection.reference_difference.data import Matrix, Pyramid, apply, corners, inverse, shift_scale
from shared.record.geometry import Rect

# If the longer side of a reference image has more px, features of its parts are used too: in the whole image
# the content of a close-up has a few px.
_LARGE = 1.6 * checks.FEATURE_SIDE
# Photos of the reference image reach 0.95, also of damaged surfaces; other panels of the same type reach
# 0.83.
_SURE_SCORE = 0.9
# The least share of the photo or of the reference image that the other one shows: a corner agrees by
# accident.
_IN_COMMON = 0.5
# Longest sides, px, of coarser copies of the photo: the content of a close-up is found at the scale of the
# reference image.
_COARSE_SIDES = (600, 300)
# Places whose scores differ by less cannot be distinguished.
_EQUAL_SCORE = 0.03
# The median score of the regions; in a photo of a similar surface many regions have less.
_USUAL = 0.85
# The least score of a region if the homography of the photo is known: the rest may be damage.
_EXPECTED = 0.35
# A photo shows a region if a larger share of it is inside.
_SHOWN_SHARE = 0.9
# The share of the regions inside the photo that must be found in it.
_MIN_FOUND_SHARE = 0.6
_REACH = 10


@dataclass(frozen=True, slots=True)
class RegionPlace:
    """The place of a region in a photo.

    homography: 3 x 3 float64, reference px -> photo px. score: share of the structure around the region that
    agrees, 0..1. visible: share of the region inside the photo, 0..1. covered: the photo shows the region.
    """

    homography: Matrix = field(repr=False)
    score: float
    visible: float
    covered: bool


def find_regions(
    known: Pyramid, regions: Sequence[Rect], photo: Pyramid, seconds: float
) -> list[RegionPlace | None]:
    """The place of each of `regions` (px of the reference image) in the photo (grey); None if not found.

    Regions are tried one by one for at most `seconds` of processor time. known: the reference image (grey).
    """
    if min(photo.size) < 16 or min(known.size) < 16:
        return [None] * len(regions)
    everything = _area(photo)
    sides = (checks.FEATURE_SIDE, *_COARSE_SIDES)
    seen = features.join([checks.extract(photo, everything, side) for side in sides])
    best = _photo_candidates(known, photo, seen)
    if len(best) == 1:
        places = [_place_region(known, region, photo, best[0].homography) for region in regions]
        scores = [place.score for place in places if place is not None and place.visible > _SHOWN_SHARE]
        return [None] * len(regions) if scores and np.median(scores) < _USUAL else places
    if best:
        return [None] * len(regions)
    return _find_one_by_one(known, regions, photo, seen, time.process_time() + seconds)


def _area(image: Pyramid) -> Rect:
    return Rect(0, 0, *image.size)


def _tolerance(photo: Pyramid) -> float:
    return 3 * max(max(photo.size) / checks.FEATURE_SIDE, 1.0)


def _photo_candidates(
    known: Pyramid, photo: Pyramid, seen: features.Features
) -> list[checks.CandidateHomography]:
    """The homographies with which the whole photo agrees: the best one and those that are equally good."""
    found: list[checks.CandidateHomography] = []
    for guesses in (_by_shape(known, photo), _by_whole(known, photo, seen), _by_parts(known, photo, seen)):
        for homography in guesses:
            if any(_equal_places(homography, one.homography, photo) for one in found):
                continue
            tried = _check_whole_photo(known, photo, homography)
            if tried is not None and not any(
                _equal_places(tried.homography, one.homography, photo) for one in found
            ):
                found.append(tried)
        best = _best_candidates(found)
        if best:
            return best
    return []


def _best_candidates(found: Sequence[checks.CandidateHomography]) -> list[checks.CandidateHomography]:
    """The candidates with a sure score that agree as well as the best."""
    most = max((one.score for one in found), default=0.0)
    return [one for one in found if one.score >= max(_SURE_SCORE, most - _EQUAL_SCORE)]


def _by_shape(known: Pyramid, photo: Pyramid) -> Iterator[Matrix]:
    """The scaling of a photo with the shape of the reference image, as of a scan or a fixed camera."""
    (width, height), (known_width, known_height) = photo.size, known.size
    if abs(np.log(width / height / (known_width / known_height))) < 0.03:
        yield shift_scale(0, 0, width / known_width, height / known_height)


def _by_whole(known: Pyramid, photo: Pyramid, seen: features.Features) -> Iterator[Matrix]:
    return _propose_homographies(checks.extract(known, _area(known)), photo, seen)


def _by_parts(known: Pyramid, photo: Pyramid, seen: features.Features) -> Iterator[Matrix]:
    if max(known.size) <= _LARGE:
        return
    width, height = known.size
    quarters = [Rect(x * width / 2, y * height / 2, width / 2, height / 2) for y in (0, 1) for x in (0, 1)]
    parts = features.join([checks.extract(known, part) for part in (_area(known), *quarters)])
    yield from _propose_homographies(parts, photo, seen)


def _propose_homographies(
    reference: features.Features, photo: Pyramid, seen: features.Features
) -> Iterator[Matrix]:
    return features.propose(reference, seen, _tolerance(photo), photo.size)


def _equal_places(one: Matrix, other: Matrix, photo: Pyramid) -> bool:
    """Whether two homographies map the middle of the photo to about the same place of the reference."""
    width, height = photo.size
    points = np.array([[0.5, 0.5], [0.25, 0.25], [0.75, 0.75]]) * (width, height)
    off = np.abs(apply(other @ inverse(one), points) - points).max()
    return bool(off < 0.05 * max(width, height))


def _check_whole_photo(
    known: Pyramid, photo: Pyramid, homography: Matrix
) -> checks.CandidateHomography | None:
    """The homography refined over the whole common part of photo and reference; None if that fails."""
    area = _shown_area(known, photo, homography)
    if area is None or not checks.is_plausible(homography, area, photo.size):
        return None
    if not _has_enough_overlap(known, photo, homography):
        return None
    frame = checks.reference_window(known, area, checks.SIDE, 1.0)
    tried = checks.check(photo, frame, homography, _REACH)
    # Surfaces without structure agree everywhere.
    if tried is None or tried.blank or not checks.is_plausible(tried.homography, area, photo.size):
        return None
    return tried


def _has_enough_overlap(known: Pyramid, photo: Pyramid, homography: Matrix) -> bool:
    """Whether the photo and the reference image have enough in common."""
    area = _shown_area(known, photo, homography)
    if area is None:
        return False
    of_photo = checks.visible_share(inverse(homography), Rect(0, 0, *photo.size), known.size)
    return max(of_photo, area.area / _area(known).area) >= _IN_COMMON


def _shown_area(known: Pyramid, photo: Pyramid, homography: Matrix) -> Rect | None:
    """The part of the reference image that the photo covers; None if there is none."""
    if abs(np.linalg.det(homography)) < 1e-12:
        return None
    back = inverse(homography)
    points = corners(Rect(0, 0, *photo.size))
    depth = points @ back[2, :2] + back[2, 2]
    if depth.min() * depth.max() <= 0:
        return None
    (x1, y1), (x2, y2) = apply(back, points).min(axis=0), apply(back, points).max(axis=0)
    area = Rect(float(x1), float(y1), float(x2 - x1), float(y2 - y1)).clamp(*known.size)
    return None if min(area.w, area.h) < 16 else area


def _place_region(known: Pyramid, region: Rect, photo: Pyramid, homography: Matrix) -> RegionPlace | None:
    """The place of a region in a photo with a known homography, refined if the structure around permits."""
    if min(region.w, region.h) < 4 or not checks.is_plausible(homography, region, photo.size):
        return None
    visible = checks.visible_share(homography, region, photo.size)
    if visible == 0:
        return None
    tried = _check_region(known, region, photo, homography)
    if tried is None:
        return RegionPlace(homography / homography[2, 2], 0.0, visible, covered=False)
    refined = homography
    if tried.score >= checks.BELONGS and checks.is_near(tried.homography, homography, region):
        refined = tried.homography
        visible = checks.visible_share(refined, region, photo.size)
    agrees = tried.blank or tried.score >= _EXPECTED
    return RegionPlace(
        refined / refined[2, 2], tried.score, visible, covered=agrees and visible >= checks.MIN_VISIBLE
    )


def _check_region(
    known: Pyramid, region: Rect, photo: Pyramid, homography: Matrix
) -> checks.CandidateHomography | None:
    around = checks.reference_window(known, checks.surroundings(region, known.size), checks.SIDE, 1.0)
    return checks.check(photo, around, homography, _REACH)


def _find_one_by_one(
    known: Pyramid, regions: Sequence[Rect], photo: Pyramid, seen: features.Features, until: float
) -> list[RegionPlace | None]:
    found: dict[int, checks.CandidateHomography] = {}
    for number in sorted(range(len(regions)), key=lambda one: -regions[one].area):
        if time.process_time() > until:
            break
        if min(regions[number].w, regions[number].h) < 16:
            continue
        guess = _find_alone(known, regions[number], photo, seen)
        if guess is not None:
            found[number] = guess
    agreeing = _agreeing_regions(known, found, regions, photo)
    result: list[RegionPlace | None] = [None] * len(regions)
    for number in agreeing:
        guess = found[number]
        visible = checks.visible_share(guess.homography, regions[number], photo.size)
        result[number] = RegionPlace(
            guess.homography / guess.homography[2, 2],
            guess.score,
            visible,
            covered=visible >= checks.MIN_VISIBLE,
        )
    return result


def _find_alone(
    known: Pyramid, region: Rect, photo: Pyramid, seen: features.Features
) -> checks.CandidateHomography | None:
    """The only place at which the structure around a region agrees; None if there is none, or several."""
    around = checks.extract(known, checks.surroundings(region, known.size))
    found: list[checks.CandidateHomography] = []
    for homography in _propose_homographies(around, photo, seen):
        tried = _check_region(known, region, photo, homography)
        if tried is None or tried.blank or not checks.is_plausible(tried.homography, region, photo.size):
            continue
        if not _has_enough_overlap(known, photo, tried.homography):
            continue
        if not any(checks.is_near(tried.homography, one.homography, region) for one in found):
            found.append(tried)
    best = _best_candidates(found)
    return best[0] if len(best) == 1 else None


def _agreeing_regions(
    known: Pyramid,
    found: Mapping[int, checks.CandidateHomography],
    regions: Sequence[Rect],
    photo: Pyramid,
) -> Sequence[int]:
    """The largest group of regions in which one region predicts the places of the others.

    It is empty if two groups are equally large, or if many of the regions that the photo should then show are
    not found: on surfaces of the same type some regions look alike.
    """
    groups = {
        number: [
            other
            for other, guess in found.items()
            if _is_beside(one.homography, guess.homography, regions[other])
        ]
        for number, one in found.items()
    }
    leader = max(groups, key=lambda number: len(groups[number]), default=None)
    if leader is None:
        return []
    best, homography = groups[leader], found[leader].homography
    if any(len(group) == len(best) for number, group in groups.items() if number not in best):
        return []
    if len(best) == 1:
        # A single region looks like parts of many surfaces.
        whole = _check_whole_photo(known, photo, homography)
        return best if whole is not None and whole.score >= _SURE_SCORE else []
    shown = sum(checks.visible_share(homography, region, photo.size) > _SHOWN_SHARE for region in regions)
    return best if len(best) >= _MIN_FOUND_SHARE * shown else []


def _is_beside(one: Matrix, other: Matrix, region: Rect) -> bool:
    """Whether two homographies map the region to the same place, up to the size of the region."""
    points = corners(region)
    there = apply(other, points)
    return bool(np.abs(apply(one, points) - there).max() < np.ptp(there, axis=0).max())
