"""Tests that light which no smooth fit follows gives no finding and hides none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from service.detection.reference_difference import detect
from service.detection.reference_difference.difference.compensate import match_light
from service.detection.reference_difference.light import shade
from shared import samples
from shared.images.cv import cv2
from shared.record.geometry import Rect

Change = Callable[[samples.Image], samples.Image]


def add_dirt(image: samples.Image) -> samples.Image:
    """The image with fine and coarse dirt."""
    rng = np.random.default_rng(5)
    dirt = np.zeros(image.shape[:2], np.float32)
    for size, depth in ((2, 14), (6, 14), (20, 18)):
        grain = cv2.GaussianBlur(rng.standard_normal(dirt.shape).astype(np.float32), (0, 0), size)
        dirt += grain / grain.std() * depth
    return np.asarray(np.clip(image + dirt[..., None], 0, 255), np.uint8)


PANEL = add_dirt(samples.draw_panel(900, 700, 8).image)
WHOLE = Rect(0, 0, 900, 700)


def shadow(image: samples.Image) -> samples.Image:
    """A slanting shadow with an edge, from the top to the bottom."""
    mask = np.zeros(image.shape[:2], np.float32)
    cv2.fillPoly(mask, [np.array([[520, 0], [900, 0], [900, 700], [330, 700]])], 1.0)
    return np.asarray(image * (1 - 0.42 * cv2.GaussianBlur(mask, (0, 0), 3))[..., None], np.uint8)


def bands(image: samples.Image) -> samples.Image:
    """The bands of a lamp that flickers under a rolling shutter."""
    wave = 1 + 0.12 * np.sin(np.arange(len(image)) / len(image) * 2 * np.pi * 6)
    return np.clip(image * wave[:, None, None], 0, 255).astype(np.uint8)


def noisy(image: samples.Image) -> samples.Image:
    grain = np.random.default_rng(3).normal(0, 2, image.shape)
    return np.clip(image + grain, 0, 255).astype(np.uint8)


def test_light_is_measured_where_nothing_clips() -> None:
    rng = np.random.default_rng(4)
    spots = cv2.GaussianBlur(rng.standard_normal((400, 400, 3)).astype(np.float32), (0, 0), 2.5)
    was = np.clip(135 + spots / spots.std() * 35, 0, 255).astype(np.float32)
    now = np.clip(was * 1.6, 0, 255).astype(np.float32)
    matched, _ = match_light(was, now, np.full((400, 400), 255, np.uint8))
    assert np.abs(matched - now).mean() < 1


@pytest.mark.parametrize("change", [shadow, bands])
def test_change_of_light_is_not_a_finding(change: Change) -> None:
    assert detect(PANEL, WHOLE, noisy(change(PANEL))).boxes == ()


@pytest.mark.parametrize("change", [shadow, bands])
def test_a_hole_is_found_in_that_light(change: Change) -> None:
    hurt = PANEL.copy()
    cv2.circle(hurt, (640, 352), 22, (30, 30, 34), -1, cv2.LINE_AA)
    (found,) = detect(PANEL, WHOLE, noisy(change(hurt))).boxes
    assert found.box.iou(Rect(618, 330, 45, 45)) > 0.5


def test_object_as_wide_as_a_shadow_is_found() -> None:
    covered = PANEL.copy()
    covered[60:640, 560:880] = (70, 62, 58)
    found = detect(PANEL, WHOLE, noisy(covered)).boxes
    assert max(one.box.iou(Rect(560, 60, 320, 580)) for one in found) > 0.5


def test_stripe_across_picture_is_not_light() -> None:
    taped = PANEL.copy()
    taped[300:340] = (60, 66, 72)
    found = detect(PANEL, WHOLE, noisy(taped)).boxes
    assert max(one.box.iou(Rect(0, 300, 900, 40)) for one in found) > 0.5


def test_bands_are_believed_on_a_plain_surface_beside_one_with_structure() -> None:
    grain = np.random.default_rng(6).standard_normal((320, 320)).astype(np.float32)
    was = np.full((320, 320), 120, np.float32)
    was[:160] += cv2.GaussianBlur(grain, (0, 0), 3)[:160] * 200
    bands_of_light = 0.12 * np.sin(np.arange(320, dtype=np.float32) / 320 * 8 * np.pi)
    now = was * np.exp(bands_of_light)[:, None]
    low, high = shade.shade_range(was, now, np.full((320, 320), 255, np.uint8))
    at = bands_of_light.reshape(len(low), -1).mean(axis=1)
    assert np.abs((low + high) / 2 - at[:, None])[90:150].max() < 0.05
