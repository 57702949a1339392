"""Aligns a photo that the camera blurred by moving, which fine structure no longer agrees with.

In a coarse picture the motion is short, so the photo is first aligned there. Whether it shows the region is
then judged as for every photo, with the reference blurred along the same line: a coarse picture alone would
also agree with a similar part.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from service.detection.reference_difference.alignment import blocks, checks, lens
from service.detection.reference_difference.data import Bytes, Floats, Matrix, Pyramid
from service.detection.reference_difference.light.direction import Line, find_motion, line_kernel
from shared.images.cv import cv2
from shared.record.geometry import Rect

# Longest side of the coarse windows, px: a motion of 26 px in 640 is 6 px there.
_SIDE: Final = 160
_REACH, _NEAR = 8, 4
# Sigma in px: light is coarser.
_LIGHT: Final = 4.0


def through_motion(
    reference: Pyramid, photo: Pyramid, region: Rect, guesses: Iterable[Matrix]
) -> checks.CandidateHomography | None:
    """The alignment with the reference blurred along the line of the photo; None without a clear line.

    guesses: homographies, reference px -> photo px. The structure must agree as much as without motion.
    """
    around = checks.surroundings(region, reference.size)
    coarse, less, fine = (
        checks.reference_window(around, side, 1.0) for side in (_SIDE, 3 * checks.SIDE // 4, checks.SIDE)
    )
    tried: list[Matrix] = []
    for guess in guesses:
        there = checks.check(reference, photo, coarse, guess, _REACH)
        if there is None or there.score < checks.BELONGS:
            continue
        # Most guesses lead to the same place, where no other line would be found.
        if any(checks.is_near(there.homography, other, region) for other in tried):
            continue
        tried.append(there.homography)
        line = _line(reference, photo, less, there.homography)
        if line is None:
            continue
        kernel = line_kernel(line, fine.scale / less.scale)
        found = checks.check(reference, photo, fine, there.homography, _NEAR, motion=kernel)
        if (
            found is not None
            and found.score >= checks.BELONGS
            and checks.is_plausible(found.homography, region, photo.size)
        ):
            return found
    return None


def _line(
    reference: Pyramid, photo: Pyramid, frame: checks.ReferenceWindow, homography: Matrix
) -> Line | None:
    """The line of the motion in px of the frame; None without a clear one.

    In three quarters of the size the same lines are found in half the time; in half of it one of 64 is lost.
    """
    known = blocks.smooth(reference.warped(frame.to_reference, frame.size))
    levels, valid = lens.view(photo, homography @ frame.to_reference, frame.size, 0.0)
    seen = blocks.smooth(levels)
    target = _high_pass(seen)

    def error(blurred: Floats) -> float:
        return _mean(np.abs(_high_pass(blurred) - target), valid)

    return find_motion(known, seen, valid, error)


def _high_pass(image: Floats) -> Floats:
    return np.asarray(image - cv2.GaussianBlur(image, (0, 0), _LIGHT), np.float32)


def _mean(values: Floats, valid: Bytes) -> float:
    return float(cv2.mean(values, valid)[0])
