"""Finds a region of a reference image in camera frames and gives hints for moving the camera.

It uses ORB features of small pictures and a similarity transform by RANSAC (Rublee et al., "ORB", ICCV 2011;
Fischler and Bolles, 1981), which is fast enough for a few frames a second. The service later aligns the photo
exactly.
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
from shared.images.cv import cv2
from shared.record.geometry import Rect

TARGET_SHARE = 0.7
"""The share of the frame's width or height that a fitting region fills."""

_ANALYSE_SECONDS = 0.2
_FRAME_PX = 480
_SEARCH_DISTANT_EVERY = 3
"""Number of analyses without a result between two searches in the larger picture, which take ten times as
long."""
_REFERENCE_PX = 480
_FEATURES = 900
_DISTANT_FEATURES = 2_500
_MIN_FEATURES = 25
# Limit of Lowe's ratio test; minimum number and share of inliers; maximum error of an inlier.
_RATIO = 0.8
_MIN_MATCHES = 12
_MIN_SHARE = 0.3
_MAX_ERROR_PX = 4.0
# Grey levels 0..255 of the whole frame.
_DARK = 35.0
# Tolerances of a fitting region: size relative to the target, degrees, shares of the frame.
_MIN_SIZE_RATIO, _MAX_SIZE_RATIO = 0.85, 1.18
_MAX_TURN_DEGREES = 6.0
_MAX_OFFSET = 0.07
_MAX_MOVEMENT = 0.02
# Sharpness of the region relative to the reference at the same size.
_MIN_SHARPNESS = 0.35

Grey = npt.NDArray[np.uint8]
Points = npt.NDArray[np.float64]


class GuideHint(StrEnum):
    """The hint for moving the camera."""

    SEARCH = "search"
    """The region is not in the frame."""
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
    """The camera moves, or the region is not sharp."""
    GOOD = "good"


@dataclass(frozen=True, slots=True)
class GuideResult:
    """The result of analysing a frame.

    `corners` are those of the region in fractions of the frame, clockwise; () if it was not found.
    `sharpness` is relative to that of the reference image at the same size.
    """

    hint: GuideHint
    corners: tuple[tuple[float, float], ...] = ()
    sharpness: float = 0.0

    @property
    def is_good(self) -> bool:
        """Whether the photo can be taken now."""
        return self.hint is GuideHint.GOOD


def target_rect(region_w: float, region_h: float, frame_w: float, frame_h: float) -> Rect:
    """The target place of a region of this shape: in the middle of the frame, filling `TARGET_SHARE` of
    it."""
    scale = TARGET_SHARE * min(frame_w / region_w, frame_h / region_h)
    w, h = region_w * scale, region_h * scale
    return Rect((frame_w - w) / 2, (frame_h - h) / 2, w, h)


class RegionGuide:
    """Finds one region in frames. All calls must come from one thread."""

    def __init__(self, reference: Frame, region: Rect, clock: Callable[[], float] = time.monotonic) -> None:
        """Create a guide for `region`, in px of `reference`, a part of the reference image (blue, green,
        red)."""
        height, width = reference.shape[:2]
        scale = min(1.0, _REFERENCE_PX / max(height, width))
        size = max(1, round(width * scale)), max(1, round(height * scale))
        self._reference = cv2.cvtColor(
            cv2.resize(reference, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY
        )
        self._region = Rect(region.x * scale, region.y * scale, region.w * scale, region.h * scale)
        self._orb = cv2.ORB.create(nfeatures=_FEATURES, fastThreshold=8)
        self._distant_orb = cv2.ORB.create(nfeatures=_DISTANT_FEATURES, fastThreshold=8)
        self._matcher = cv2.BFMatcher(cv2.NORM_HAMMING)
        self._points, self._descriptors = _features(self._orb, self._reference)
        self._previous_corners: Points | None = None
        self._misses = 0
        self._clock, self._next_time = clock, 0.0

    @property
    def is_usable(self) -> bool:
        """Whether the region has enough structure to be found."""
        return len(self._points) >= _MIN_FEATURES

    def analyse(self, frame: Frame) -> GuideResult | None:
        """Analyse `frame`. Returns None for a frame less than a fifth of a second after the last one."""
        if self._clock() < self._next_time:
            return None
        self._next_time = self._clock() + _ANALYSE_SECONDS
        return self.judge(frame)

    def judge(self, frame: Frame) -> GuideResult:
        """Find the region in `frame`, and compare its place with that in the previous frame."""
        height, width = frame.shape[:2]
        scale = _FRAME_PX / max(height, width)
        size = max(1, round(width * scale)), max(1, round(height * scale))
        grey = cv2.cvtColor(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
        previous_corners, self._previous_corners = self._previous_corners, None
        if float(np.mean(grey)) < _DARK:
            return GuideResult(GuideHint.DARK)
        matrix = self._find_region(self._orb, grey)
        if matrix is not None:
            self._misses = 0
        elif scale <= 0.5 and self._misses % _SEARCH_DISTANT_EVERY == 0:
            # Only the larger picture shows the details of a distant region.
            larger = cv2.resize(frame, (2 * size[0], 2 * size[1]), interpolation=cv2.INTER_AREA)
            matrix = self._find_region(self._distant_orb, cv2.cvtColor(larger, cv2.COLOR_BGR2GRAY))
            matrix = None if matrix is None else matrix / 2
        if matrix is None:
            self._misses += 1
            return GuideResult(GuideHint.SEARCH)
        r = self._region
        corners = np.array([[r.x, r.y], [r.right, r.y], [r.right, r.bottom], [r.x, r.bottom]])
        corners_in_frame = corners @ matrix[:, :2].T + matrix[:, 2]
        self._previous_corners = corners_in_frame
        sharpness = self._sharpness(grey, matrix)
        hint = self._choose_hint(matrix, corners_in_frame, size)
        if hint is GuideHint.GOOD:
            has_moved = (
                previous_corners is not None
                and float(np.max(np.abs(corners_in_frame - previous_corners))) > _MAX_MOVEMENT * size[0]
            )
            if has_moved or sharpness < _MIN_SHARPNESS:
                hint = GuideHint.STILL
        shares = tuple((float(x) / size[0], float(y) / size[1]) for x, y in corners_in_frame)
        return GuideResult(hint, shares, sharpness)

    def _find_region(self, orb: cv2.ORB, grey: Grey) -> Points | None:
        """The transform from reference px to frame px (2 x 3); None if the region was not found."""
        points, descriptors = _features(orb, grey)
        if len(points) < _MIN_MATCHES or not self.is_usable:
            return None
        pairs = self._matcher.knnMatch(self._descriptors, descriptors, k=2)
        good = [pair[0] for pair in pairs if len(pair) == 2 and pair[0].distance < _RATIO * pair[1].distance]
        if len(good) < _MIN_MATCHES:
            return None
        in_reference = np.array([self._points[match.queryIdx] for match in good])
        in_frame = np.array([points[match.trainIdx] for match in good])
        matrix, inliers = cv2.estimateAffinePartial2D(
            in_reference, in_frame, ransacReprojThreshold=_MAX_ERROR_PX
        )
        if matrix is None:
            return None
        inlier_count = int(np.count_nonzero(inliers))
        if inlier_count < _MIN_MATCHES or inlier_count < _MIN_SHARE * len(good):
            return None
        return np.asarray(matrix, np.float64)

    def _choose_hint(self, matrix: Points, corners_in_frame: Points, size: tuple[int, int]) -> GuideHint:
        target = target_rect(self._region.w, self._region.h, *size)
        ratio = math.hypot(matrix[0, 0], matrix[1, 0]) * self._region.w / target.w
        turn = math.degrees(math.atan2(matrix[1, 0], matrix[0, 0]))
        x, y = np.mean(corners_in_frame, axis=0) / size - 0.5
        if abs(turn) > 45:
            # While the camera is upside down, a hint to move sideways would be wrong.
            return GuideHint.ROTATE_RIGHT if turn > 0 else GuideHint.ROTATE_LEFT
        if ratio < _MIN_SIZE_RATIO:
            return GuideHint.CLOSER
        if ratio > _MAX_SIZE_RATIO:
            return GuideHint.FARTHER
        if abs(turn) > _MAX_TURN_DEGREES:
            # A region that appears rotated clockwise becomes upright when the camera is rotated clockwise.
            return GuideHint.ROTATE_RIGHT if turn > 0 else GuideHint.ROTATE_LEFT
        if max(abs(x), abs(y)) <= _MAX_OFFSET:
            return GuideHint.GOOD
        if abs(x) >= abs(y):
            return GuideHint.LEFT if x < 0 else GuideHint.RIGHT
        return GuideHint.UP if y < 0 else GuideHint.DOWN

    def _sharpness(self, grey: Grey, matrix: Points) -> float:
        """The sharpness of the region in the frame, relative to the reference at that size; at least 0."""
        warped_reference = cv2.warpAffine(self._reference, matrix, (grey.shape[1], grey.shape[0]))
        inside = cv2.warpAffine(np.full_like(self._reference, 255), matrix, (grey.shape[1], grey.shape[0]))
        kernel = np.ones((5, 5), np.uint8)
        mask = cv2.erode(inside, kernel) > 0
        if np.count_nonzero(mask) < 100:
            return 0.0
        return _detail(grey, mask) / max(_detail(warped_reference, mask), 1e-9)


def _features(orb: cv2.ORB, grey: Grey) -> tuple[Sequence[tuple[float, float]], Grey]:
    points, descriptors = orb.detectAndCompute(grey, None)
    if descriptors is None:
        return (), np.zeros((0, 32), np.uint8)
    return [point.pt for point in points], descriptors


def _detail(grey: Grey, mask: npt.NDArray[np.bool_]) -> float:
    """The variance of the Laplacian divided by that of the grey levels, which is independent of the light."""
    spread = float(np.var(grey[mask]))
    return float(np.var(cv2.Laplacian(grey, cv2.CV_64F)[mask])) / max(spread, 1e-9)


HOLD_SECONDS = 1.0
_GRACE_SECONDS = 0.35
"""A single frame that does not fit in between does not restart the second."""


class AutoShutter:
    """A shutter that fires once. Before it fires again, the picture must not fit for a moment."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._last_fit = 0.0
        self._is_armed = True

    def update(self, fits: bool, time: float) -> float:
        """Update the shutter with a frame at `time` (seconds of any clock).

        Returns the share of the second that has passed, 0..1. It is 1 once, when the photo is to be taken.
        """
        if fits:
            self._last_fit = time
            if not self._is_armed:
                return 0.0
            self._since = time if self._since is None else self._since
        elif self._since is None or time - self._last_fit > _GRACE_SECONDS:
            self._is_armed, self._since = True, None
        if self._since is None:
            return 0.0
        share = min(1.0, (time - self._since) / HOLD_SECONDS)
        if share == 1.0 and fits:
            self._is_armed, self._since = False, None
            return 1.0
        return min(share, 0.99)

    def reset(self) -> None:
        """Start over. The picture must not fit for a moment before the second begins."""
        self._is_armed, self._since = False, None
