"""Defines the values that the steps of reference-difference exchange, and warps between frames.

A frame is a rectangle of px in which both pictures are compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.wire.memory import MemoryReason

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
Matrix = NDArray[np.float64]

# Here pixel (0, 0) covers [0, 1); for OpenCV's warps and keypoints pixel centres are whole numbers.
_HALF: Final[Matrix] = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]], np.float64)
_HALF_BACK: Final[Matrix] = np.array([[1, 0, -0.5], [0, 1, -0.5], [0, 0, 1]], np.float64)


class AlignmentFailed(Exception):  # noqa: N818 - an answer, not a fault
    """The photo could not be aligned with the region. `reason` is a stable word, str() is an English text."""

    REASONS: Final = {
        "too_small": "the region or the photo is too small to compare",
        "no_match": "the photo could not be matched with this region",
        "not_visible": "the photo shows too little of the region",
        "overexposed": "glare or exposure hides a part of the region",
        "too_different": "the photo differs from the region nearly everywhere",
    }

    def __init__(self, reason: str) -> None:
        super().__init__(self.REASONS[reason])
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Parameters:
    """The settings of a comparison.

    sensitivity: 0..1; a higher one finds fainter differences. smallest: length of the shortest defect that is
    reported, in px of the reference image, or in mm if mm_per_pixel (of the reference image) is known.
    ignored: parts of the reference image (px) in which nothing is reported. min_confidence: findings below
    are dropped.
    """

    sensitivity: float = 0.5
    smallest: float | None = None
    mm_per_pixel: float | None = None
    ignored: tuple[Rect, ...] = ()
    min_confidence: float = 0.5


@dataclass(frozen=True, slots=True)
class Alignment:
    """The place of the region in the photo.

    homography: 3 x 3 float64, reference px -> photo px. inliers: the number of blocks that agree with it.
    error_px: median residual of these blocks in photo px. score: share of the structure that agrees, 0..1.
    visible: share of the region inside the photo, 0..1. bend: of the photo's lens, see `lens`, which the
    homography does not include.
    """

    homography: Matrix = field(repr=False)
    inliers: int
    error_px: float
    score: float
    visible: float
    bend: float = 0.0


@dataclass(frozen=True, slots=True)
class DetectedDifference:
    """A difference: label, confidence 0..1, and its half-open box in px of the upright photo as decoded.

    `computer` converts the box to px of the photo file. reason: why it is reported although the memory of the
    region explains it, or a part of it.
    """

    label: str
    confidence: float
    box: Rect
    reason: MemoryReason | None = None


@dataclass(frozen=True, slots=True)
class SuppressedDifference:
    """A difference that the memory of the region explains, as it would be reported without a memory.

    left: the confidence 0..1 in the part that the memory does not explain. photos: the keys of the photos
    that explain the rest. instead: if a single photo explains it, what is reported unless something else
    confirms that.
    """

    difference: DetectedDifference
    left: float
    photos: tuple[str, ...]
    instead: DetectedDifference | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The differences, the alignment and the seconds of one comparison.

    suppressed: the differences that a memory explains, the most confident first. aside: the light comes from
    another side than in the reference image, or the camera moved, so relief differs too and confidences end
    at 0.5.
    """

    boxes: tuple[DetectedDifference, ...]
    alignment: Alignment
    seconds: float
    suppressed: tuple[SuppressedDifference, ...] = ()
    aside: bool = False


def shift_scale(x: float, y: float, scale_x: float, scale_y: float | None = None) -> Matrix:
    """The mapping p -> (p - (x, y)) * scale."""
    tall = scale_x if scale_y is None else scale_y
    return np.array([[scale_x, 0, -x * scale_x], [0, tall, -y * tall], [0, 0, 1]], np.float64)


def apply(matrix: Matrix, points: NDArray[Any]) -> Matrix:
    """`points` (n, 2) through the homography `matrix`, float64 (n, 2)."""
    homogeneous = np.concatenate([points, np.ones((len(points), 1))], axis=1) @ matrix.T
    depth = homogeneous[:, 2:]
    return np.asarray(homogeneous[:, :2] / np.where(np.abs(depth) < 1e-12, 1e-12, depth), np.float64)


def inverse(matrix: Matrix) -> Matrix:
    """The inverse mapping."""
    return np.asarray(np.linalg.inv(matrix), np.float64)


def corners(rect: Rect) -> Matrix:
    """The four corners of `rect`, clockwise from the top left, (4, 2)."""
    return np.array(
        [[rect.x, rect.y], [rect.right, rect.y], [rect.right, rect.bottom], [rect.x, rect.bottom]], np.float64
    )


def local_scale(matrix: Matrix, rect: Rect) -> float:
    """Photo px per reference px around `rect`: the root of the ratio of the areas."""
    x, y = apply(matrix, corners(rect)).T
    # Not np.roll, which takes ten times as long for four numbers.
    following = [1, 2, 3, 0]
    area = abs(float(np.dot(x, y[following]) - np.dot(y, x[following]))) / 2
    return float(np.sqrt(max(area, 1e-9) / max(rect.area, 1e-9)))


def foreshortening(matrix: Matrix, rect: Rect) -> float:
    """How much the middle of `rect` is shorter in the photo along one line than across it, 0 to 1 (not)."""
    x, y = rect.centre
    middle, right, below = apply(matrix, np.array([[x, y], [x + 1, y], [x, y + 1]]))
    longest, shortest = np.linalg.svd(np.array([right - middle, below - middle]), compute_uv=False)
    return float(shortest / longest)


def warp(image: Bytes, to_image: Matrix, size: tuple[int, int], flags: int = cv2.INTER_LINEAR) -> Bytes:
    """`image` resampled through `to_image` (frame px -> image px) in a frame of `size` (width, height)."""
    part = _crop(image, to_image, size)
    if part is not None:
        return part
    inverse = _HALF_BACK @ to_image @ _HALF
    inverse /= inverse[2, 2]
    if np.abs(inverse[2, :2]).max() * max(size) < 1e-7:
        return np.asarray(
            cv2.warpAffine(
                image,
                inverse[:2],
                size,
                flags=flags | cv2.WARP_INVERSE_MAP,
                borderMode=cv2.BORDER_REPLICATE,
            ),
            np.uint8,
        )
    return np.asarray(
        cv2.warpPerspective(
            image, inverse, size, flags=flags | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
        ),
        np.uint8,
    )


def _crop(image: Bytes, to_image: Matrix, size: tuple[int, int]) -> Bytes | None:
    """The frame if it is a plain cut-out of the image (to a hundredth of a pixel), else None."""
    frame = corners(Rect(0, 0, *size))
    moved = apply(to_image, frame)
    x, y = (round(v) for v in moved[0])
    if np.abs(moved - frame - (x, y)).max() > 0.01:
        return None
    height, width = image.shape[:2]
    if x < 0 or y < 0 or x + size[0] > width or y + size[1] > height:
        return None
    return image[y : y + size[1], x : x + size[0]]


def inside_mask(to_image: Matrix, size: tuple[int, int], image_size: tuple[int, int]) -> Bytes:
    """A mask of a frame of `size` (width, height): 255 where its px are inside an image of `image_size`."""
    frame = apply(inverse(to_image), corners(Rect(0, 0, *image_size)))
    mask = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillConvexPoly(mask, np.rint((frame - 0.5) * 16).astype(np.int32), 255, cv2.LINE_8, 4)
    return mask


def grey(image: Bytes) -> Bytes:
    """Luminance of a BGR image, uint8."""
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)


class Pyramid:
    """An image (BGR or grey) and its halved versions, which are computed when they are first needed."""

    def __init__(self, image: Bytes) -> None:
        self._levels = [image]

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) of the image itself."""
        return self._levels[0].shape[1], self._levels[0].shape[0]

    def warped(
        self, to_image: Matrix, size: tuple[int, int], flags: int = cv2.INTER_LINEAR, sharp: float = 1.5
    ) -> Bytes:
        """The image in a frame of `size`, from the level with at most `sharp` px for each of the frame.

        to_image: frame px -> image px.
        """
        chosen, (x, y) = self.level(to_image, size, sharp)
        return warp(chosen, shift_scale(0, 0, x, y) @ to_image, size, flags)

    def level(
        self, to_image: Matrix, size: tuple[int, int], sharp: float
    ) -> tuple[Bytes, tuple[float, float]]:
        """The level that `warped` uses, and its px per px of the image, across and down."""
        step = local_scale(to_image, Rect(0, 0, *size))
        level = 0
        while step > sharp and min(self._levels[level].shape[:2]) > 32:
            level, step = level + 1, step / 2
            if level == len(self._levels):
                above = self._levels[-1]
                half = (max(above.shape[1] // 2, 1), max(above.shape[0] // 2, 1))
                self._levels.append(
                    np.asarray(cv2.resize(above, half, interpolation=cv2.INTER_AREA), np.uint8)
                )
        chosen = self._levels[level]
        width, height = self.size
        return chosen, (chosen.shape[1] / width, chosen.shape[0] / height)
