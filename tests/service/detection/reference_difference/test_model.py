"""Tests reference-difference on drawn surfaces: damage is found, photos of other surfaces are refused."""

from __future__ import annotations

import numpy as np
import pytest

from service.detection.reference_difference import AlignmentFailed, Parameters, detect
from service.detection.reference_difference.data import apply, corners
from service.detection.reference_difference.difference import boxes
from service.detection.reference_difference.difference.difference import Difference
from shared import samples
from shared.images.cv import cv2
from shared.record.geometry import Rect, rect_from_corners
from shared.samples import View
from tests.material import scans, surfaces
from tests.pictures import panel_image

ALIGNED = View(light=0.15, noise=3, jpeg=90)
HARD = View(rotation=8, scale=0.9, perspective=0.03, light=0.35, gain=0.9, noise=4, blur=0.8, jpeg=85)


def whole(image: samples.Image) -> Rect:
    return Rect(0, 0, image.shape[1], image.shape[0])


def in_photo(box: Rect, matrix: samples.Matrix) -> Rect:
    (x1, y1), (x2, y2) = apply(matrix, corners(box)).min(axis=0), apply(matrix, corners(box)).max(axis=0)
    return rect_from_corners(x1, y1, x2, y2)


@pytest.mark.parametrize("view", [ALIGNED, HARD])
def test_every_kind_of_damage_is_found_at_its_place(view: View) -> None:
    scene = samples.draw_scene(900, 700, 3, view=view)
    result = detect(scene.reference, whole(scene.reference), scene.photo)
    expected = [in_photo(defect.box, scene.homography) for defect in scene.defects]
    overlaps = [max((finding.box.iou(box) for finding in result.boxes), default=0) for box in expected]
    assert sum(iou > 0.33 for iou in overlaps) >= len(expected) - 1
    assert len(result.boxes) <= len(expected) + 1
    assert all(0.5 <= finding.confidence <= 1 for finding in result.boxes)


@pytest.mark.parametrize("view", [View(), ALIGNED, HARD])
def test_an_unharmed_surface_has_no_findings(view: View) -> None:
    panel = panel_image(900, 700, 8)
    photo, _ = samples.photograph(panel, view, 4)
    assert detect(panel, whole(panel), photo).boxes == ()


def test_homography_matches_view() -> None:
    panel = panel_image(900, 700, 8)
    photo, matrix = samples.photograph(panel, HARD, 4)
    alignment = detect(panel, whole(panel), photo).alignment
    off = apply(alignment.homography, corners(whole(panel))) - apply(matrix, corners(whole(panel)))
    assert np.abs(off).max() < 1.0
    assert alignment.error_px < 0.5
    assert alignment.inliers > 20
    assert 0.8 < alignment.visible < 1


def test_a_photo_of_the_region_alone() -> None:
    scene = samples.draw_scene(1200, 900, 9, kinds=("added",), view=View(noise=2))
    box = scene.defects[0].box
    region = Rect(box.x - 150, box.y - 120, 330, 280).clamp(1200, 900)
    part = np.s_[int(region.y) : int(region.bottom), int(region.x) : int(region.right)]
    photo = cv2.resize(scene.photo[part], None, fx=1.5, fy=1.5, interpolation=cv2.INTER_CUBIC)
    (finding,) = detect(scene.reference, region, photo).boxes
    expected = Rect((box.x - int(region.x)) * 1.5, (box.y - int(region.y)) * 1.5, box.w * 1.5, box.h * 1.5)
    assert finding.box.iou(expected) > 0.5


def test_only_the_region_counts() -> None:
    scene = samples.draw_scene(900, 700, 3, kinds=("added",), view=View(rotation=3))
    box = scene.defects[0].box
    left = Rect(0, 0, box.x - 40, 700) if box.x > 450 else Rect(box.right + 40, 0, 860 - box.right, 700)
    assert detect(scene.reference, left, scene.photo).boxes == ()


def test_ignored_parts_report_nothing() -> None:
    scene = samples.draw_scene(900, 700, 3, kinds=("added", "crack"), view=ALIGNED)
    first, second = scene.defects
    around = Rect(first.box.x - 12, first.box.y - 12, first.box.w + 24, first.box.h + 24)
    findings = detect(
        scene.reference, whole(scene.reference), scene.photo, Parameters(ignored=(around,))
    ).boxes
    assert [finding.box.iou(second.box) > 0.33 for finding in findings] == [True]


def test_smallest_in_millimetres_drops_what_is_shorter() -> None:
    scene = samples.draw_scene(900, 700, 3, kinds=("added",), view=ALIGNED)
    length = max(scene.defects[0].box.w, scene.defects[0].box.h)
    larger = Parameters(smallest=length * 0.5 * 1.5, mm_per_pixel=0.5)
    smaller = Parameters(smallest=length * 0.5 * 0.5, mm_per_pixel=0.5)
    assert detect(scene.reference, whole(scene.reference), scene.photo, larger).boxes == ()
    assert len(detect(scene.reference, whole(scene.reference), scene.photo, smaller).boxes) == 1


@pytest.mark.parametrize("turned", [False, True])
def test_a_photo_of_something_else_is_refused(turned: bool) -> None:
    panel = panel_image(700, 700, 8)
    rng = np.random.default_rng(1)
    noise = cv2.GaussianBlur(rng.integers(0, 255, (700, 700, 3), np.uint8), (0, 0), 4)
    other = cv2.normalize(noise, None, 0, 255, cv2.NORM_MINMAX)
    if turned:
        other, _ = samples.photograph(other, HARD, 1)
    with pytest.raises(AlignmentFailed) as refused:
        detect(panel, whole(panel), other)
    assert refused.value.reason in AlignmentFailed.REASONS


@pytest.mark.parametrize("region", [Rect(100, 100, 600, 20), Rect(300, 90, 17, 400), Rect(100, 100, 17, 17)])
def test_a_region_narrower_than_a_block_is_compared(region: Rect) -> None:
    panel = panel_image(900, 700, 8)
    part = np.s_[int(region.y) : int(region.bottom), int(region.x) : int(region.right)]
    photo = panel.copy()
    photo[part] = np.clip(photo[part] + np.float32(3), 0, 255).astype(np.uint8)
    result = detect(panel, region, photo)
    assert result.boxes == ()
    assert np.abs(result.alignment.homography - np.eye(3)).max() < 0.01


def test_a_photo_that_shows_too_little_of_the_region_is_refused() -> None:
    panel = panel_image(900, 700, 8)
    photo = panel[:, 480:].copy()
    with pytest.raises(AlignmentFailed) as refused:
        detect(panel, whole(panel), photo)
    assert refused.value.reason in {"not_visible", "no_match"}


def test_a_bare_surface_of_the_same_size_is_compared() -> None:
    bare = np.full((400, 400, 3), 150, np.uint8)
    hurt = bare.copy()
    cv2.line(hurt, (120, 200), (230, 150), (40, 40, 40), 2)
    assert detect(bare, whole(bare), bare).boxes == ()
    (finding,) = detect(bare, whole(bare), hurt).boxes
    assert finding.label == "crack"
    assert finding.box.iou(Rect(119, 149, 112, 52)) > 0.7


@pytest.mark.parametrize("size", [(3, 3), (15, 200)])
def test_too_small_region_is_refused(size: tuple[int, int]) -> None:
    with pytest.raises(AlignmentFailed, match="too small"):
        detect(np.zeros((400, 400, 3), np.uint8), Rect(0, 0, *size), np.zeros((400, 400, 3), np.uint8))


def test_boxes_never_leave_the_photo() -> None:
    panel = panel_image(640, 640, 8)
    photo = panel.copy()
    photo[:40, :60] = 20
    photo[600:, 590:] = 235
    findings = detect(panel, whole(panel), photo).boxes
    assert len(findings) == 2
    for finding in findings:
        assert finding.box.x >= 0
        assert finding.box.y >= 0
        assert finding.box.right <= 640
        assert finding.box.bottom <= 640


def plain(rng: np.random.Generator) -> samples.Image:
    """A green board with traces to align by, and the noise of a camera."""
    image = np.full((480, 480, 3), (52, 84, 22), np.uint8)
    for at in range(30, 480, 60):
        cv2.line(image, (at, 0), (at, 480), (84, 140, 66), 8)
        cv2.line(image, (0, at + 15), (480, at + 15), (84, 140, 66), 6)
    return noisy(image, rng)


def noisy(image: samples.Image, rng: np.random.Generator) -> samples.Image:
    grain = rng.standard_normal(image.shape) * 2
    return np.asarray(np.clip(image + grain, 0, 255), np.uint8)


def differing(raw: samples.Image) -> Difference:
    """Maps in which the strength of each px is its difference in `raw` (grey levels)."""
    values = raw.astype(np.float32)
    return Difference(values, values, values, 1)


def test_a_part_with_bright_pins_and_a_dark_body_is_one_finding() -> None:
    raw = np.zeros((640, 640), np.uint8)
    raw[40:120, 50:110] = 30
    for x in range(52, 110, 10):
        raw[35:40, x : x + 5] = raw[120:125, x : x + 5] = 220
    (part,) = boxes.difference_parts(differing(raw), np.full_like(raw, 255), 6.0, 3.0)
    assert part.box.iou(rect_from_corners(50, 35, 110, 125)) > 0.9


def test_a_line_that_crosses_a_trace_of_its_colour_is_one_finding() -> None:
    raw = np.zeros((400, 400), np.uint8)
    cv2.line(raw, (150, 150), (162, 159), 90, 4)
    cv2.line(raw, (178, 171), (190, 180), 90, 4)
    (part,) = boxes.difference_parts(differing(raw), np.full_like(raw, 255), 6.0, 3.0)
    assert part.box.iou(rect_from_corners(148, 148, 192, 182)) > 0.8


def test_two_stains_side_by_side_are_two_findings() -> None:
    rng = np.random.default_rng(5)
    intact = plain(rng)
    mask = np.zeros(intact.shape[:2], np.uint8)
    for y in (200, 252):
        cv2.ellipse(mask, (240, y), (22, 13), 0, 0, 360, 255, -1)
    soft = cv2.GaussianBlur(mask, (0, 0), 2.0)[..., None] / 255 * 0.5
    stained = np.asarray(intact * (1 - soft) + np.array([120, 140, 150]) * soft, np.uint8)
    findings = detect(intact, Rect(0, 0, 480, 480), noisy(stained, rng)).boxes
    assert len(findings) == 2
    for y in (200, 252):
        assert max(finding.box.iou(Rect(218, y - 13, 45, 27)) for finding in findings) > 0.5


def test_two_large_objects_near_each_other_are_two_findings() -> None:
    raw = np.zeros((640, 640), np.uint8)
    raw[200:270, 150:220] = raw[200:270, 248:318] = 90
    assert len(boxes.difference_parts(differing(raw), np.full_like(raw, 255), 6.0, 3.0)) == 2


def with_knob(intact: samples.Image, x: int, y: int) -> samples.Image:
    """The board with a knob at (x, y)."""
    image = intact.copy()
    cv2.circle(image, (x, y), 26, (120, 120, 130), -1, cv2.LINE_AA)
    return image


def test_knob_seen_slightly_from_the_side_is_not_a_finding_but_a_missing_one_is() -> None:
    rng = np.random.default_rng(5)
    intact = np.full((480, 480, 3), (60, 70, 80), np.uint8)
    for at in (40, 400):
        intact[at : at + 30] = intact[:, at : at + 30] = (150, 160, 150)
    was = with_knob(intact, 240, 235)
    assert detect(was, whole(was), noisy(with_knob(intact, 243, 236), rng)).boxes == ()
    assert len(detect(was, whole(was), noisy(intact, rng)).boxes) == 1


def test_surface_clipped_in_the_reference_may_be_darker_in_the_photo() -> None:
    rng = np.random.default_rng(5)
    light = plain(rng).astype(np.float32)
    light[180:300, 150:330] = np.linspace(240, 300, 180, dtype=np.float32)[None, :, None]
    was = np.asarray(np.clip(light, 0, 255), np.uint8)
    today = noisy(np.clip(light * 0.8, 0, 255), rng)
    assert detect(was, whole(was), today).boxes == ()
    today[230:250, 200:220] = 60
    assert len(detect(was, whole(was), today).boxes) == 1


def test_a_grey_photo_is_compared_with_a_coloured_reference_by_brightness() -> None:
    board = surfaces.draw_board(640, 480, 3).image
    board[120:240, 200:420] = (40, 60, 190)
    photo, _ = samples.photograph(board, View(noise=2, jpeg=90), 4)
    cv2.circle(photo, (500, 330), 14, (235, 235, 235), -1, cv2.LINE_AA)
    grey = cv2.cvtColor(cv2.cvtColor(photo, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    (finding,) = detect(board, whole(board), grey).boxes
    assert finding.box.iou(Rect(486, 316, 29, 29)) > 0.5


def test_stain_with_the_only_colour_is_found() -> None:
    panel = cv2.cvtColor(panel_image(900, 700, 8), cv2.COLOR_BGR2GRAY)
    reference = cv2.cvtColor(panel, cv2.COLOR_GRAY2BGR)
    photo = reference.copy()
    # Of the same brightness, so a comparison of that alone would not show it.
    mask = cv2.GaussianBlur(cv2.circle(np.zeros(panel.shape, np.float32), (300, 420), 26, 1.0, -1), (0, 0), 2)
    photo = np.clip(photo + mask[..., None] * np.array([-80, 0, 30.5]), 0, 255).astype(np.uint8)
    assert any(
        finding.box.iou(Rect(274, 394, 53, 53)) > 0.33
        for finding in detect(reference, whole(panel), photo).boxes
    )


def test_a_finding_in_scans_has_the_margin_of_annotators() -> None:
    board = scans.draw_board(320, 320, 5)
    reference = cv2.merge([board] * 3)
    photo = reference.copy()
    photo[150:170, 200:220] = 255 - photo[150:170, 200:220]

    (found,) = detect(reference, whole(reference), photo).boxes

    for side, expected in zip(
        (found.box.x, found.box.y, found.box.right, found.box.bottom), (192, 142, 228, 178), strict=True
    ):
        assert side == pytest.approx(expected, abs=1.5)
