"""Tests deviations that one homography cannot correct: wandering scans, thresholds that widen lines."""

from __future__ import annotations

import numpy as np
import pytest

from service.detection.reference_difference import detect
from service.detection.reference_difference.alignment import residual_warp
from service.detection.reference_difference.data import Floats
from shared.images.cv import cv2
from shared.record.geometry import Rect
from tests.material import scans

SIZE = 640


def grey(copper: scans.Mask, shift: Floats | None, seed: int) -> Floats:
    return scans.scan(copper, shift, np.random.default_rng(seed))[..., 1].astype(np.float32)


def test_a_wandering_scan_is_followed_to_a_part_of_a_pixel() -> None:
    copper = scans.draw_board(SIZE, SIZE, 4)
    shift = scans.draw_shift(SIZE, SIZE, np.random.default_rng(3))
    valid = np.full(copper.shape, 255, np.uint8)
    one, other = grey(copper, None, 1), grey(copper, shift, 2)
    warp = residual_warp.residual_shift(one, other, valid)
    assert warp is not None
    before, after = np.abs(shift), np.abs(warp - shift)
    assert after.mean() < 0.5 * before.mean()
    moved = residual_warp.shift_image(other[..., None], warp)[..., 0]
    assert (
        np.abs(cv2.GaussianBlur(moved - one, (0, 0), 1)).mean()
        < np.abs(cv2.GaussianBlur(other - one, (0, 0), 1)).mean()
    )


def test_a_lens_is_followed_further_than_a_block_is_searched() -> None:
    rng = np.random.default_rng(2)
    surface = sum(
        cv2.GaussianBlur(rng.standard_normal((SIZE, SIZE)).astype(np.float32), (0, 0), size) * size * 40
        for size in (2, 5, 12)
    )
    y, x = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32) - SIZE / 2
    # Barrel distortion as a lens has it: 10 px in the middle of a side, more in the corners.
    further = 0.03 * (x**2 + y**2) / (SIZE / 2) ** 2
    shift = np.stack([-x * further, -y * further], axis=2)
    photo = residual_warp.shift_image(np.asarray(surface, np.float32)[..., None], shift)[..., 0]
    valid = np.full(photo.shape, 255, np.uint8)
    warp = residual_warp.residual_shift(photo, np.asarray(surface, np.float32), valid)
    assert warp is not None
    off = np.hypot(*np.moveaxis(warp - shift, 2, 0))
    assert np.quantile(off, 0.95) < 0.5


def test_px_read_from_beyond_the_photo_are_not_visible() -> None:
    valid = np.full((SIZE, SIZE), 255, np.uint8)
    shift = np.zeros((SIZE, SIZE, 2), np.float32)
    assert residual_warp.visible_after(valid, shift).all()
    shift[..., 0] = 20
    visible = residual_warp.visible_after(valid, shift)
    assert not visible[:, SIZE - 20 :].any()
    assert visible[:, : SIZE - 24].all()


def test_aligned_photo_is_not_shifted() -> None:
    copper = scans.draw_board(SIZE, SIZE, 4)
    valid = np.full(copper.shape, 255, np.uint8)
    assert residual_warp.residual_shift(grey(copper, None, 1), grey(copper, None, 2), valid) is None
    part = np.s_[:40, :40]
    assert (
        residual_warp.residual_shift(grey(copper, None, 1)[part], grey(copper, None, 2)[part], valid[part])
        is None
    )


@pytest.mark.parametrize("seed", [1, 4])
def test_wandering_scans_have_few_findings_beside_faults(seed: int) -> None:
    copper = scans.draw_board(SIZE, SIZE, seed)
    hurt, faults = scans.add_faults(copper, 6, seed)
    shift = scans.draw_shift(SIZE, SIZE, np.random.default_rng(seed))
    reference = scans.scan(copper, None, np.random.default_rng(seed + 10))
    photo = scans.scan(hurt, shift, np.random.default_rng(seed + 20))
    findings = detect(reference, Rect(0, 0, SIZE, SIZE), photo).boxes
    hits = 0
    for box in (fault.box for fault in faults):
        x, y = shift[int(box.y + box.h / 2), int(box.x + box.w / 2)].tolist()
        # As the boxes of DeepPCB are drawn, 8 px around what changed.
        around = Rect(box.x + x - 8, box.y + y - 8, box.w + 16, box.h + 16)
        hits += any(finding.box.iou(around) > 0.33 for finding in findings)
    assert hits >= len(faults) - 1
    assert len(findings) <= len(faults) + 1


def test_lines_that_are_all_wider_are_not_a_finding() -> None:
    copper = scans.draw_board(SIZE, SIZE, 2)
    wider = cv2.dilate(copper, np.ones((3, 3), np.uint8))
    one, other = (cv2.merge([image] * 3) for image in (copper, wider))
    assert detect(one, Rect(0, 0, SIZE, SIZE), other).boxes == ()
