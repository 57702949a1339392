"""Finds which regions of a reference image a photo shows, and where.

One homography is looked for that lays the whole photo over the reference image, and believed when the
structure agrees all over the part that both show; a look-alike place agrees in itself and not around it. Each
region is then checked with it. Where no such homography is found (a curved surface, a photo that shows little
of it), the regions are tried one by one, and those are kept that agree with each other.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from service.detection.reference_difference.alignment import checks, features
from service.detection.reference_difference.data import Matrix, Pyramid, apply, corners, inverse, shift_scale
from shared.geometry import Rect

# Above so many px of the longer side, the parts of a reference image are looked at too: in the whole, what
# fills a close-up is a few px large.
_LARGE = 1.6 * checks.FEATURE_SIDE
# What shows the reference image reaches 0.95, also when it is damaged; other panels of the same make 0.83.
_SURE = 0.9
# Of a photo or of the reference image, so much is seen in the other: a corner agrees by accident.
_IN_COMMON = 0.5
# What fills a close-up is found where the photo is as coarse as the reference image there.
_COARSE_SIDES = (600, 300)
# Two places that agree nearly as well as each other: nobody can tell which of them the photo shows.
_AS_GOOD = 0.03
# Most regions agree so well; where a look-alike does by and large, many do not.
_USUAL = 0.85
# Where the homography of the photo is known, so much structure is enough: the rest may be damage.
_EXPECTED = 0.35
# A region that lies in the photo with so large a share is one that the photo shows.
_SHOWN = 0.9
# So many of the regions that the photo would then show have to be found in it.
_MOST_OF_THEM = 0.6
_LEAST_INLIERS = 6
_REACH = 10


@dataclass(frozen=True, slots=True)
class Covered:
    """Where a region lies in a photo.

    homography: 3 x 3 float64, reference px -> photo px. score: share of the structure around the region that
    agrees, 0..1. visible: share of the region inside the photo, 0..1. covered: the photo shows the region.
    """

    homography: Matrix = field(repr=False)
    score: float
    visible: float
    covered: bool


class ReferenceFeatures:
    """A reference image (grey) and its features, kept for several photos."""

    def __init__(self, image: Pyramid) -> None:
        self.image = image
        self._whole: features.Features | None = None
        self._parts: features.Features | None = None

    @property
    def area(self) -> Rect:
        """All of it, in px."""
        return Rect(0, 0, *self.image.size)

    def whole(self) -> features.Features:
        """The features of the whole image."""
        if self._whole is None:
            self._whole = checks.extract(self.image, self.area)
        return self._whole

    def parts(self) -> features.Features | None:
        """Those of the whole and of its quarters, for a close-up; None for an image that is small."""
        if max(self.image.size) <= _LARGE:
            return None
        if self._parts is None:
            width, height = self.image.size
            quarters = [
                Rect(x * width / 2, y * height / 2, width / 2, height / 2) for y in (0, 1) for x in (0, 1)
            ]
            self._parts = features.join(
                [self.whole(), *(checks.extract(self.image, one) for one in quarters)]
            )
        return self._parts


def cover(
    known: ReferenceFeatures, regions: Sequence[Rect], photo: Pyramid, seconds: float
) -> list[Covered | None]:
    """Where each of `regions` (px of the reference image) lies in the photo (grey); None: it was not found.

    Regions are tried one by one for at most so many `seconds`.
    """
    if min(photo.size) < 16 or min(known.image.size) < 16:
        return [None] * len(regions)
    everything = Rect(0, 0, *photo.size)
    sides = (checks.FEATURE_SIDE, *_COARSE_SIDES)
    seen = features.join([checks.extract(photo, everything, side) for side in sides])
    best = _of_photo(known, photo, seen)
    if len(best) == 1:
        places = [_within(known, region, photo, best[0].homography) for region in regions]
        scores = [place.score for place in places if place is not None and place.visible > _SHOWN]
        return [None] * len(regions) if scores and np.median(scores) < _USUAL else places
    if best:
        return [None] * len(regions)
    return _one_by_one(known, regions, photo, seen, time.monotonic() + seconds)


def _tolerance(photo: Pyramid) -> float:
    return 3 * max(max(photo.size) / checks.FEATURE_SIDE, 1.0)


def _of_photo(
    known: ReferenceFeatures, photo: Pyramid, seen: features.Features
) -> list[checks.CandidateHomography]:
    """The places at which the photo as a whole agrees, the best first, those that are as good with it."""
    found: list[checks.CandidateHomography] = []
    for guesses in (_by_shape(known, photo), _by_whole(known, photo, seen), _by_parts(known, photo, seen)):
        for homography in guesses:
            if any(_alike(homography, one.homography, photo) for one in found):
                continue
            tried = _over_photo(known, photo, homography)
            if tried is not None and not any(
                _alike(tried.homography, one.homography, photo) for one in found
            ):
                found.append(tried)
        best = _best(found)
        if best:
            return best
    return []


def _best(found: Sequence[checks.CandidateHomography]) -> list[checks.CandidateHomography]:
    """The sure ones of `found` that agree as well as the best."""
    most = max((one.score for one in found), default=0.0)
    return [one for one in found if one.score >= max(_SURE, most - _AS_GOOD)]


def _by_shape(known: ReferenceFeatures, photo: Pyramid) -> Iterator[Matrix]:
    """A scan or a fixed camera shows the reference image as it is, perhaps without a single feature."""
    width, height = photo.size
    if abs(np.log(width / height / (known.area.w / known.area.h))) < 0.03:
        yield shift_scale(0, 0, width / known.area.w, height / known.area.h)


def _by_whole(known: ReferenceFeatures, photo: Pyramid, seen: features.Features) -> Iterator[Matrix]:
    return _proposed(known.whole(), photo, seen)


def _by_parts(known: ReferenceFeatures, photo: Pyramid, seen: features.Features) -> Iterator[Matrix]:
    parts = known.parts()
    if parts is not None:
        yield from _proposed(parts, photo, seen)


def _proposed(reference: features.Features, photo: Pyramid, seen: features.Features) -> Iterator[Matrix]:
    for homography, inliers in features.propose(reference, seen, _tolerance(photo), photo.size):
        if inliers >= _LEAST_INLIERS:
            yield homography


def _alike(one: Matrix, other: Matrix, photo: Pyramid) -> bool:
    """Whether two homographies show the middle of the photo at about the same place of the reference."""
    width, height = photo.size
    points = np.array([[0.5, 0.5], [0.25, 0.25], [0.75, 0.75]]) * (width, height)
    off = np.abs(apply(other @ inverse(one), points) - points).max()
    return bool(off < 0.05 * max(width, height))


def _over_photo(
    known: ReferenceFeatures, photo: Pyramid, homography: Matrix
) -> checks.CandidateHomography | None:
    """The homography mended over all that the photo shows of the reference; None when it cannot be."""
    area = _shown(known, photo, homography)
    if area is None or not checks.plausible(homography, area, photo.size):
        return None
    if not _overlaps(known, photo, homography):
        return None
    frame = checks.frame_of(area, checks.SIDE, 1.0)
    tried = checks.check(known.image, photo, frame, homography, _REACH)
    # Surfaces without structure agree anywhere.
    if tried is None or tried.blank or not checks.plausible(tried.homography, area, photo.size):
        return None
    return tried


def _overlaps(known: ReferenceFeatures, photo: Pyramid, homography: Matrix) -> bool:
    """Whether the photo and the reference image have enough in common."""
    area = _shown(known, photo, homography)
    if area is None:
        return False
    of_photo = checks.visible(inverse(homography), Rect(0, 0, *photo.size), known.image.size)
    return max(of_photo, area.area / known.area.area) >= _IN_COMMON


def _shown(known: ReferenceFeatures, photo: Pyramid, homography: Matrix) -> Rect | None:
    """The part of the reference image that the photo reaches to; None when there is none."""
    if abs(np.linalg.det(homography)) < 1e-12:
        return None
    back = inverse(homography)
    points = corners(Rect(0, 0, *photo.size))
    depth = points @ back[2, :2] + back[2, 2]
    if depth.min() * depth.max() <= 0:
        return None
    (x1, y1), (x2, y2) = apply(back, points).min(axis=0), apply(back, points).max(axis=0)
    area = Rect(float(x1), float(y1), float(x2 - x1), float(y2 - y1)).clamped(*known.image.size)
    return None if min(area.w, area.h) < 16 else area


def _within(known: ReferenceFeatures, region: Rect, photo: Pyramid, homography: Matrix) -> Covered | None:
    """A region of a photo whose homography is known, mended where the structure around it lets it."""
    if min(region.w, region.h) < 4 or not checks.plausible(homography, region, photo.size):
        return None
    visible = checks.visible(homography, region, photo.size)
    if visible == 0:
        return None
    tried = _tried(known, region, photo, homography)
    if tried is None:
        return Covered(homography / homography[2, 2], 0.0, visible, covered=False)
    mended = homography
    if tried.score >= checks.BELONGS and checks.near(tried.homography, homography, region):
        mended = tried.homography
        visible = checks.visible(mended, region, photo.size)
    agrees = tried.blank or tried.score >= _EXPECTED
    return Covered(
        mended / mended[2, 2], tried.score, visible, covered=agrees and visible >= checks.LEAST_VISIBLE
    )


def _tried(
    known: ReferenceFeatures, region: Rect, photo: Pyramid, homography: Matrix
) -> checks.CandidateHomography | None:
    around = checks.frame_of(checks.surroundings(region, known.image.size), checks.SIDE, 1.0)
    return checks.check(known.image, photo, around, homography, _REACH)


def _one_by_one(
    known: ReferenceFeatures, regions: Sequence[Rect], photo: Pyramid, seen: features.Features, until: float
) -> list[Covered | None]:
    found: dict[int, checks.CandidateHomography] = {}
    for number in sorted(range(len(regions)), key=lambda one: -regions[one].area):
        if time.monotonic() > until:
            break
        if min(regions[number].w, regions[number].h) < 16:
            continue
        guess = _by_itself(known, regions[number], photo, seen)
        if guess is not None:
            found[number] = guess
    agreeing = _agreeing(known, found, regions, photo)
    result: list[Covered | None] = [None] * len(regions)
    for number in agreeing:
        guess = found[number]
        visible = checks.visible(guess.homography, regions[number], photo.size)
        result[number] = Covered(
            guess.homography / guess.homography[2, 2],
            guess.score,
            visible,
            covered=visible >= checks.LEAST_VISIBLE,
        )
    return result


def _by_itself(
    known: ReferenceFeatures, region: Rect, photo: Pyramid, seen: features.Features
) -> checks.CandidateHomography | None:
    """The one place at which the structure around a region agrees; None when there is none, or several."""
    around = checks.extract(known.image, checks.surroundings(region, known.image.size))
    found: list[checks.CandidateHomography] = []
    for homography in _proposed(around, photo, seen):
        tried = _tried(known, region, photo, homography)
        if tried is None or tried.blank or not checks.plausible(tried.homography, region, photo.size):
            continue
        if not _overlaps(known, photo, tried.homography):
            continue
        if not any(checks.near(tried.homography, one.homography, region) for one in found):
            found.append(tried)
    best = _best(found)
    return best[0] if len(best) == 1 else None


def _agreeing(
    known: ReferenceFeatures,
    found: Mapping[int, checks.CandidateHomography],
    regions: Sequence[Rect],
    photo: Pyramid,
) -> Sequence[int]:
    """The largest group of regions of which one says where the others lie.

    None when two groups are as large, or when many of the regions that the photo would then show are not
    found in it: on a surface of the same make, some regions look alike.
    """
    groups = {
        number: [
            other
            for other, guess in found.items()
            if _next_to(one.homography, guess.homography, regions[other])
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
        # One region alone looks like a part of much else.
        whole = _over_photo(known, photo, homography)
        return best if whole is not None and whole.score >= _SURE else []
    shown = sum(checks.visible(homography, region, photo.size) > _SHOWN for region in regions)
    return best if len(best) >= _MOST_OF_THEM * shown else []


def _next_to(one: Matrix, other: Matrix, region: Rect) -> bool:
    """Whether a homography puts the region where the other one does, within the region's own size."""
    points = corners(region)
    there = apply(other, points)
    return bool(np.abs(apply(one, points) - there).max() < np.ptp(there, axis=0).max())
