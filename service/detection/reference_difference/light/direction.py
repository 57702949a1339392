"""Finds motion in a photo, and light from another side, by the structure of two aligned frames by direction.

Motion blurs along its line only, and a lamp shows relief by its slopes along the light (Chantler 1995). So
both change the strength of gradients in one direction against another, which damage, focus, exposure and
colour do not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Bytes, Floats
from shared.images.cv import cv2

_SMOOTH: Final = 1.0
"""Sigma in px, against noise."""
_NOISE: Final = 0.3
"""Grey levels per px that are added in every direction: an even surface has noise only."""

_OTHER: Final = 0.87
"""The ratio of `extremes` below which motion is searched."""
_ASIDE: Final = 0.95
"""The ratio in frames of half the resolution below which the light comes from another side. On FGCD (Feng et
al. 2015) it is 0.98 and more under the same lamp, with damage, and 0.69 to 0.93 under another one."""
_ANGLES: Final = 12
"""Directions in which motion is searched: where the structure has few of its own, gradients mislead."""
_LENGTHS: Final = (5, 8, 11, 15, 20, 26)
"""Lengths in px of the lines that are tried as motion."""
_STEPS: Final = ((1, 0.1), (0.5, 0.05))
"""Px and radians by which the best line is then changed."""
_BLURRED: Final = 0.6
"""The greatest ratio up to which motion is searched in any case: at 45 degrees structure across and structure
down lose as much."""
_MOTION: Final = 0.8
"""The most error with a line, relative to the error without: another lamp lies above."""
Line = tuple[float, float]
"""The length of a motion in px, and its angle in radians from the x axis."""
Tensor = NDArray[np.float64]
"""(2, 2): the mean squares of the gradient across and down, and their mean product."""


def structure(luminance: Floats, valid: Bytes) -> Tensor:
    """The gradients of a frame (height, width), where `valid` is not 0."""
    soft = cv2.GaussianBlur(luminance, (0, 0), _SMOOTH)
    across, down = (cv2.Sobel(soft, cv2.CV_32F, *order, scale=1 / 8) for order in ((1, 0), (0, 1)))
    xx, yy, xy = (
        cv2.mean(cv2.multiply(a, b), valid)[0] for a, b in ((across,) * 2, (down,) * 2, (across, down))
    )
    return np.array([[xx, xy], [xy, yy]]) + np.eye(2) * _NOISE**2


def extremes(reference: Tensor, photo: Tensor) -> tuple[float, float, float]:
    """The least and greatest ratio of the photo's gradients to the reference's, and the angle of the least.

    The ratios are of mean sizes over all directions, the angle is in radians from the x axis.
    """
    # The photo's tensor in coordinates in which the reference's is round.
    values, axes = np.linalg.eigh(reference)
    half = axes / np.sqrt(values)
    ratios, directions = np.linalg.eigh(half.T @ photo @ half)
    x, y = half @ directions[:, 0]
    return float(np.sqrt(ratios[0])), float(np.sqrt(ratios[1])), float(np.arctan2(y, x))


def is_lit_from_aside(reference: Floats, photo: Floats, beside: Bytes) -> bool:
    """Whether the light of the photo comes from another side, or the camera moved.

    reference, photo: luminances (height, width) at half the resolution, after motion was followed, which
    count where `beside` is not 0: beside all damage.
    """
    least, greatest, _ = extremes(structure(reference, beside), structure(photo, beside))
    return least < _ASIDE * greatest


def find_motion(
    reference: Floats, photo: Floats, valid: Bytes, error: Callable[[Floats], float]
) -> Line | None:
    """The line along which the photo is blurred; None without clear motion.

    reference, photo: luminances (height, width) that count where `valid` is not 0. error: of a blurred
    reference against the photo.
    """
    least, greatest, _ = extremes(structure(reference, valid), structure(photo, valid))
    if least >= _OTHER * greatest and greatest > _BLURRED:
        return None
    sharp = min(
        error(soft) for soft in (reference, *(cv2.GaussianBlur(reference, (0, 0), s) for s in (1.2, 2.8)))
    )

    @cache
    def of_line(line: Line) -> float:
        return error(cv2.filter2D(reference, -1, line_kernel(line)))

    tried = [(length, np.pi * turn / _ANGLES) for length in _LENGTHS[1:4:2] for turn in range(_ANGLES)]
    best: Line = min(tried, key=of_line)
    best = min(((length, best[1]) for length in _LENGTHS), key=of_line)
    for px, turn in _STEPS:
        best = min(((best[0], best[1] + by) for by in (-turn, 0, turn)), key=of_line)
        best = min(((best[0] + by, best[1]) for by in (-px, 0, px)), key=of_line)
    return best if of_line(best) < _MOTION * sharp else None


def line_kernel(line: Line, scale: float = 1.0) -> Floats:
    """The blur of a motion along a line in a frame that is `scale` times as large."""
    length, angle = line[0] * scale, line[1]
    reach = int(np.ceil(length / 2)) + 1
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1].astype(np.float32)
    along, beside = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    kernel = np.clip(length / 2 + 0.5 - np.abs(along), 0, 1) * np.clip(1 - np.abs(beside), 0, 1)
    return np.asarray(kernel / kernel.sum(), np.float32)
