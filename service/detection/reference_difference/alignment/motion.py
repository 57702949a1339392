"""Aligns a photo that the camera blurred by moving, which fine structure no longer agrees with.

In a coarse picture the motion is short, so the photo is first aligned there. Whether it shows the region is
then judged as for every photo, with the reference blurred along the same line: a coarse picture alone would
also agree with a similar part.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from service.detection.reference_difference.alignment import blocks, checks, lens
from service.detection.reference_difference.data import Matrix, Pyramid
from service.detection.reference_difference.difference.focus import motion_between
from service.detection.reference_difference.light.direction import Line, line_kernel
from shared.record.geometry import Rect

# Longest side of the coarse windows, px: a motion of 26 px in 640 is 6 px there.
_SIDE: Final = 160
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
        checks.reference_window(window.reference, around, side, 1.0) for side in (_SIDE, 3 * checks.SIDE // 4)
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
