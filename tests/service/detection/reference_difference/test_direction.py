"""Photos that moved: what structure in one direction shows."""

from __future__ import annotations

import numpy as np
import pytest

from service.detection.reference_difference import AlignmentFailed, detect
from service.detection.reference_difference.alignment import align, checks
from service.detection.reference_difference.data import Floats, Pyramid, apply, corners, grey, shift_scale
from service.detection.reference_difference.difference.focus import motion_between
from service.detection.reference_difference.light import direction
from service.detection.reference_difference.light.direction import extremes, line_kernel, structure
from shared import samples
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples import Image

SIDE = 480
WHOLE = Rect(0, 0, SIDE, SIDE)
CRACK = Rect(300, 200, 40, 30)
PANEL = samples.draw_panel(SIDE, SIDE, 8).image


def relief(angle: float, seed: int = 1, is_cracked: bool = False) -> Image:
    """A painted surface with relief under a lamp at this angle, in degrees from the x axis."""
    random = np.random.default_rng(2)
    height, paint = (
        cv2.GaussianBlur(random.normal(size=(SIDE, SIDE)).astype(np.float32), (0, 0), sigma) * sigma
        for sigma in (3, 9)
    )
    down, across = np.gradient(height)
    slope = across * np.cos(np.radians(angle)) + down * np.sin(np.radians(angle))
    image = np.repeat((120 + 70 * paint + 120 * slope)[..., None], 3, axis=2)
    if is_cracked:
        cv2.line(image, (300, 200), (340, 230), (25.0, 25.0, 25.0), 3, cv2.LINE_AA)
    return noisy(image, seed)


def noisy(image: np.ndarray, seed: int = 1) -> Image:
    grain = np.random.default_rng(seed).normal(0, 2, image.shape)
    return np.asarray(np.clip(image + grain, 0, 255), np.uint8)


def moved(image: Image, length: float, angle: float) -> Image:
    return noisy(cv2.filter2D(image.astype(np.float32), -1, line_kernel((length, angle))))


def test_a_crack_is_found_under_the_same_lamp() -> None:
    (found,) = detect(relief(20), WHOLE, relief(20, 5, is_cracked=True)).boxes

    assert not found.box.intersection(CRACK).is_empty


def test_light_from_another_side_leaves_a_crack_and_doubts_it() -> None:
    result = detect(relief(20), WHOLE, relief(70, 5, is_cracked=True))

    assert result.aside
    assert any(not found.box.intersection(CRACK).is_empty for found in result.boxes)
    assert max(found.confidence for found in result.boxes) == 0.5


def test_no_light_from_another_side_is_seen_under_the_same_lamp_or_in_an_oblique_photo() -> None:
    cracked = relief(20, 5, is_cracked=True)
    squeeze = np.diag([0.8, 1.0, 1.0])
    oblique = cv2.warpPerspective(relief(70, 5, is_cracked=True), squeeze, (round(0.8 * SIDE), SIDE))

    assert not detect(relief(20), WHOLE, cracked).aside
    assert not detect(relief(20), WHOLE, np.asarray(oblique, np.uint8), start=squeeze).aside


@pytest.mark.parametrize(("length", "angle"), [(11, 0.9), (15, 1.6), (15, 2.4)])
def test_motion_gives_no_finding(length: float, angle: float) -> None:
    assert detect(PANEL, WHOLE, moved(PANEL, length, angle)).boxes == ()


def test_a_defect_in_a_photo_that_moved_is_found() -> None:
    hurt = PANEL.copy()
    cv2.circle(hurt, (240, 250), 14, (20, 20, 160), -1, cv2.LINE_AA)

    (found,) = detect(PANEL, WHOLE, moved(hurt, 13, 0.9)).boxes

    assert found.box.contains(240, 250)


def test_the_least_ratio_is_along_the_motion() -> None:
    everywhere = np.full((SIDE, SIDE), 255, np.uint8)
    sharp, soft = (
        cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32)
        for image in (relief(0), moved(relief(0), 9, 0.5))
    )

    least, greatest, angle = extremes(structure(sharp, everywhere), structure(soft, everywhere))

    assert least < 0.85 * greatest
    assert angle % np.pi == pytest.approx(0.5, abs=0.15)


def test_a_kernel_keeps_the_brightness_and_its_length() -> None:
    kernel = line_kernel((9, 0.0))

    assert kernel.sum() == pytest.approx(1)
    assert np.count_nonzero(kernel[len(kernel) // 2]) == 9
    assert np.array_equal(line_kernel((9, 0.5), 2), line_kernel((18, 0.5)))


def test_a_photo_that_moved_far_is_aligned_and_a_similar_one_is_refused() -> None:
    found = detect(PANEL, WHOLE, moved(PANEL, 20, 0.7))

    assert found.boxes == ()
    assert np.abs(apply(found.alignment.homography, corners(WHOLE)) - corners(WHOLE)).max() < 1.5
    similar = samples.draw_panel(SIDE, SIDE, 9).image
    with pytest.raises(AlignmentFailed):
        detect(PANEL, WHOLE, moved(similar, 20, 0.7))


def test_a_line_is_searched_once_at_each_place(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []

    def find_none(*_: object) -> None:
        searched.append(True)

    monkeypatch.setattr(align, "motion_between", find_none)
    reference, photo = (Pyramid(grey(image)) for image in (PANEL, moved(PANEL, 20, 0.7)))
    near = shift_scale(-2, 1, 1, 1)

    window = checks.reference_window(reference, WHOLE, SIDE, 1.0)
    assert align.through_motion(photo, WHOLE, window, [np.eye(3), np.eye(3), near]) is None
    assert len(searched) == 1


def test_each_line_of_a_search_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = []

    def record(line: direction.Line) -> Floats:
        lines.append(line)
        return line_kernel(line)

    monkeypatch.setattr(direction, "line_kernel", record)
    sharp, soft = (grey(image)[..., None].astype(np.float32) for image in (PANEL, moved(PANEL, 12, 0.7)))

    found = motion_between(sharp, soft, np.full((SIDE, SIDE), 255, np.uint8))

    assert found == pytest.approx((12, 0.7), abs=1.5)
    assert len(lines) == len(set(lines))
