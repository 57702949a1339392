"""Tests that thin differences in large regions are found, and that the work is bounded."""

from __future__ import annotations

import numpy as np

from service.detection.reference_difference import DetectedDifference, detect
from service.detection.reference_difference.data import Pyramid, inverse, shift_scale
from service.detection.reference_difference.difference import fine_search
from service.detection.reference_difference.difference.comparison import Comparison, ComparisonFrame
from service.detection.reference_difference.light.light import Light
from shared import samples
from shared.images.cv import cv2
from shared.record.geometry import Rect, rect_from_corners

WIDE, TALL = 6000, 4000


def large(seed: int) -> samples.Image:
    """24 MP of panels, with the noise of a camera from `seed`."""
    panel = samples.draw_panel(1500, 1000, 8).image
    grain = np.random.default_rng(seed).integers(-12, 13, panel.shape, np.int16)
    noisy = np.clip(panel + grain, 0, 255).astype(np.uint8)
    return np.ascontiguousarray(np.tile(noisy, (4, 4, 1)))


def crack(image: samples.Image, points: list[tuple[int, int]], width: int, darker: int) -> Rect:
    """Darken a line of `width` px and return its box."""
    xs, ys = zip(*points, strict=True)
    box = rect_from_corners(min(xs) - 2, min(ys) - 2, max(xs) + 2, max(ys) + 2)
    area = np.s_[int(box.y) : int(box.bottom), int(box.x) : int(box.right)]
    mask = np.zeros(image[area].shape[:2], np.uint8)
    line = np.array(points, np.int32) - np.array([int(box.x), int(box.y)])
    cv2.polylines(mask, [line.astype(np.int32)], False, 255, width, cv2.LINE_AA)
    part = image[area].astype(np.float32) - mask[..., None] / np.float32(255) * darker
    image[area] = np.clip(part, 0, 255).astype(np.uint8)
    return box


def best(found: tuple[DetectedDifference, ...], box: Rect) -> float:
    return max((one.box.iou(box) for one in found), default=0.0)


def test_hair_cracks_in_a_photo_of_24_megapixels_are_found() -> None:
    reference, photo = large(1), large(2)
    cracks = [
        crack(photo, [(2200, 1240), (2290, 1290), (2370, 1275), (2440, 1330)], 2, 20),
        crack(photo, [(4700, 2700), (4760, 2790), (4745, 2880)], 3, 20),
    ]
    found = detect(reference, Rect(0, 0, WIDE, TALL), photo).boxes
    assert [best(found, box) > 0.5 for box in cracks] == [True, True]
    assert len(found) == len(cracks)


def test_size_of_windows_is_bounded() -> None:
    rng = np.random.default_rng(3)
    known = np.full((2400, 3200), 128, np.uint8)
    photo = known.copy()
    for _ in range(60):
        x, y = (int(v) for v in rng.integers(100, 2300, 2))
        cv2.line(photo, (x, y), (x + 90, y + 60), 60, 2)
    # A line across all of it: its window cannot be had at full resolution.
    cv2.line(photo, (20, 20), (3180, 2380), 60, 2)
    full = ComparisonFrame(np.eye(3), np.eye(3), (3200, 2400))
    coarse = np.zeros((1200, 1600, 1), np.float32)
    half = inverse(shift_scale(0, 0, 0.5))
    first = Comparison(
        [], ComparisonFrame(half, half, (1600, 1200)), coarse, coarse, None, 1, Light(1, None), 0.0
    )
    found = [frame for frame, _ in fine_search.windows(Pyramid(known), Pyramid(photo), first, full)]
    assert found
    assert sum(frame.pixels for frame in found) <= 3_010_000
    assert all(frame.scale <= 1 / 1.2 * 2 for frame in found)


def test_without_differences_no_window_is_compared_again() -> None:
    known = np.random.default_rng(3).integers(90, 150, (1600, 2000), np.uint8)
    full = ComparisonFrame(np.eye(3), np.eye(3), (2000, 1600))
    half = inverse(shift_scale(0, 0, 0.5))
    coarse = np.zeros((800, 1000, 1), np.float32)
    first = Comparison(
        [], ComparisonFrame(half, half, (1000, 800)), coarse, coarse, None, 1, Light(1, None), 0.0
    )
    assert list(fine_search.windows(Pyramid(known), Pyramid(known.copy()), first, full)) == []
