"""Finds a region of a reference image in camera frames and says how to move the camera until it fits.

Light enough for a few frames a second: ORB features of small pictures and a similarity by RANSAC (Rublee et
al., "ORB", ICCV 2011; Fischler and Bolles, 1981). It only guides; where a region lies in the photo that was
taken is found again by the service, and exactly.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from desktop.camera.sources import Frame
from shared.geometry import Rect
from shared.images.cv import cv2

TARGET_SHARE = 0.7
"""How much of the frame's width or height the region takes when it fits."""

_LOOK_SECONDS = 0.2
_FRAME_PX = 480
_LOOK_FAR_EVERY = 3
"""Of the looks that find nothing: looking far takes ten times as long."""
_REFERENCE_PX = 480
_FEATURES = 900
_FAR_FEATURES = 2_500
_LEAST_FEATURES = 25
# Lowe's ratio test; then the number of matches that have to agree, and their share.
_RATIO = 0.8
_LEAST_MATCHES = 12
_LEAST_SHARE = 0.3
_WITHIN_PX = 4.0
# Grey levels 0..255 of the whole frame.
_DARK = 35.0
# How far off it may be: in parts of the target's size, in degrees, in parts of the frame.
_TOO_SMALL, _TOO_LARGE = 0.85, 1.18
_TURNED = 6.0
_ASIDE = 0.07
_MOVED = 0.02
# Sharpness of the region in the frame by that of the reference at the same size.
_SHARP = 0.35

Grey = npt.NDArray[np.uint8]
Points = npt.NDArray[np.float64]


class GuideHint(StrEnum):
    """What to do with the camera, one at a time."""

    SEARCH = "search"
    """The region is not in the picture."""
    DARK = "dark"
    CLOSER = "closer"
    FARTHER = "farther"
    ROTATE_LEFT = "rotate_left"
    ROTATE_RIGHT = "rotate_right"
    LEFT = "left"
    RIGHT = "right"
    UP = "up"
    DOWN = "down"
    STILL = "still"
    """It moves, or is not sharp."""
    GOOD = "good"


@dataclass(frozen=True, slots=True)
class GuideLook:
    """What one frame shows. `corners` of the region in fractions of the frame, clockwise; () when not found.

    `sharpness`: of the region, by that of the reference image at the same size.
    """

    hint: GuideHint
    corners: tuple[tuple[float, float], ...] = ()
    sharpness: float = 0.0

    @property
    def is_good(self) -> bool:
        """Whether the photo can be taken now."""
        return self.hint is GuideHint.GOOD


def target_rect(region_w: float, region_h: float, frame_w: float, frame_h: float) -> Rect:
    """Where a region of this shape shall lie in a frame: in the middle, `TARGET_SHARE` of it."""
    scale = TARGET_SHARE * min(frame_w / region_w, frame_h / region_h)
    w, h = region_w * scale, region_h * scale
    return Rect((frame_w - w) / 2, (frame_h - h) / 2, w, h)


class RegionGuide:
    """Looks for one region. Used from one thread between its construction and its end."""

    def __init__(self, reference: Frame, region: Rect, now: Callable[[], float] = time.monotonic) -> None:
        """`reference`: a part of the reference image, blue green red; `region` in px of it."""
        height, width = reference.shape[:2]
        scale = min(1.0, _REFERENCE_PX / max(height, width))
        size = max(1, round(width * scale)), max(1, round(height * scale))
        self._reference = cv2.cvtColor(
            cv2.resize(reference, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY
        )
        self._region = Rect(region.x * scale, region.y * scale, region.w * scale, region.h * scale)
        self._orb = cv2.ORB.create(nfeatures=_FEATURES, fastThreshold=8)
        self._far_orb = cv2.ORB.create(nfeatures=_FAR_FEATURES, fastThreshold=8)
        self._matcher = cv2.BFMatcher(cv2.NORM_HAMMING)
        self._points, self._descriptors = _features(self._orb, self._reference)
        self._before: Points | None = None
        self._misses = 0
        self._now, self._due = now, 0.0

    @property
    def is_usable(self) -> bool:
        """Whether the region has enough structure to be found again."""
        return len(self._points) >= _LEAST_FEATURES

    def look(self, frame: Frame) -> GuideLook | None:
        """Judge `frame`; None for one that comes sooner than a fifth of a second after the last."""
        if self._now() < self._due:
            return None
        self._due = self._now() + _LOOK_SECONDS
        return self.judge(frame)

    def judge(self, frame: Frame) -> GuideLook:
        """Judge `frame` by itself and, for its movement, by the one before."""
        height, width = frame.shape[:2]
        scale = _FRAME_PX / max(height, width)
        size = max(1, round(width * scale)), max(1, round(height * scale))
        grey = cv2.cvtColor(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
        before, self._before = self._before, None
        if float(np.mean(grey)) < _DARK:
            return GuideLook(GuideHint.DARK)
        matrix = self._place(self._orb, grey)
        if matrix is not None:
            self._misses = 0
        elif scale <= 0.5 and self._misses % _LOOK_FAR_EVERY == 0:
            # A region that is far away has its details in the larger picture only.
            larger = cv2.resize(frame, (2 * size[0], 2 * size[1]), interpolation=cv2.INTER_AREA)
            matrix = self._place(self._far_orb, cv2.cvtColor(larger, cv2.COLOR_BGR2GRAY))
            matrix = None if matrix is None else matrix / 2
        if matrix is None:
            self._misses += 1
            return GuideLook(GuideHint.SEARCH)
        r = self._region
        corners = np.array([[r.x, r.y], [r.right, r.y], [r.right, r.bottom], [r.x, r.bottom]])
        placed = corners @ matrix[:, :2].T + matrix[:, 2]
        self._before = placed
        sharpness = self._sharpness(grey, matrix)
        hint = self._movement(matrix, placed, size)
        if hint is GuideHint.GOOD:
            moved = before is not None and float(np.max(np.abs(placed - before))) > _MOVED * size[0]
            if moved or sharpness < _SHARP:
                hint = GuideHint.STILL
        shares = tuple((float(x) / size[0], float(y) / size[1]) for x, y in placed)
        return GuideLook(hint, shares, sharpness)

    def _place(self, orb: cv2.ORB, grey: Grey) -> Points | None:
        """Reference px to frame px, 2 x 3; None where the region is not seen."""
        points, descriptors = _features(orb, grey)
        if len(points) < _LEAST_MATCHES or not self.is_usable:
            return None
        pairs = self._matcher.knnMatch(self._descriptors, descriptors, k=2)
        good = [pair[0] for pair in pairs if len(pair) == 2 and pair[0].distance < _RATIO * pair[1].distance]
        if len(good) < _LEAST_MATCHES:
            return None
        in_reference = np.array([self._points[match.queryIdx] for match in good])
        in_frame = np.array([points[match.trainIdx] for match in good])
        matrix, inliers = cv2.estimateAffinePartial2D(
            in_reference, in_frame, ransacReprojThreshold=_WITHIN_PX
        )
        if matrix is None:
            return None
        agreeing = int(np.count_nonzero(inliers))
        if agreeing < _LEAST_MATCHES or agreeing < _LEAST_SHARE * len(good):
            return None
        return np.asarray(matrix, np.float64)

    def _movement(self, matrix: Points, placed: Points, size: tuple[int, int]) -> GuideHint:
        target = target_rect(self._region.w, self._region.h, *size)
        ratio = math.hypot(matrix[0, 0], matrix[1, 0]) * self._region.w / target.w
        turn = math.degrees(math.atan2(matrix[1, 0], matrix[0, 0]))
        x, y = np.mean(placed, axis=0) / size - 0.5
        if abs(turn) > 45:
            # Upside down first: moving aside would lead the wrong way.
            return GuideHint.ROTATE_RIGHT if turn > 0 else GuideHint.ROTATE_LEFT
        if ratio < _TOO_SMALL:
            return GuideHint.CLOSER
        if ratio > _TOO_LARGE:
            return GuideHint.FARTHER
        if abs(turn) > _TURNED:
            # What is seen turned clockwise stands upright when the camera turns clockwise, too.
            return GuideHint.ROTATE_RIGHT if turn > 0 else GuideHint.ROTATE_LEFT
        if max(abs(x), abs(y)) <= _ASIDE:
            return GuideHint.GOOD
        if abs(x) >= abs(y):
            return GuideHint.LEFT if x < 0 else GuideHint.RIGHT
        return GuideHint.UP if y < 0 else GuideHint.DOWN

    def _sharpness(self, grey: Grey, matrix: Points) -> float:
        """How sharp the region is in the frame, by how sharp the reference is at that size; 0 upwards."""
        drawn = cv2.warpAffine(self._reference, matrix, (grey.shape[1], grey.shape[0]))
        inside = cv2.warpAffine(np.full_like(self._reference, 255), matrix, (grey.shape[1], grey.shape[0]))
        kernel = np.ones((5, 5), np.uint8)
        mask = cv2.erode(inside, kernel) > 0
        if np.count_nonzero(mask) < 100:
            return 0.0
        return _detail(grey, mask) / max(_detail(drawn, mask), 1e-9)


def _features(orb: cv2.ORB, grey: Grey) -> tuple[Sequence[tuple[float, float]], Grey]:
    points, descriptors = orb.detectAndCompute(grey, None)
    if descriptors is None:
        return (), np.zeros((0, 32), np.uint8)
    return [point.pt for point in points], descriptors


def _detail(grey: Grey, mask: npt.NDArray[np.bool_]) -> float:
    """The variance of the Laplacian by that of the grey levels: light that differs changes neither."""
    spread = float(np.var(grey[mask]))
    return float(np.var(cv2.Laplacian(grey, cv2.CV_64F)[mask])) / max(spread, 1e-9)
