"""Tests that another tone curve is followed, and that it explains nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.detection.reference_difference import detect
from service.detection.reference_difference.difference.compensate import match_light
from service.detection.reference_difference.light import light
from shared import samples
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples import Image

SIZE = 480
WHOLE = Rect(0, 0, SIZE, SIZE)
PANEL = samples.draw_panel(SIZE, SIZE, 8).image


def apply_gamma(image: Image, exponent: float) -> Image:
    grain = np.random.default_rng(3).normal(0, 2, image.shape)
    return np.asarray(np.clip((image / 255) ** exponent * 255 + grain, 0, 255), np.uint8)


@given(st.floats(0.52, 1.95))
def test_exponent_with_the_least_error_is_found(exponent: float) -> None:
    found = light.find_exponent(lambda each, _least: abs(float(np.log(each / exponent))))
    expected = 1.0 if abs(np.log(exponent)) < 0.03 else exponent
    assert abs(np.log(found / expected)) < 0.05


def test_without_a_clear_gain_there_is_no_exponent() -> None:
    assert light.find_exponent(lambda each, _least: 1.0 - 0.05 * float(each == 1.25)) == 1.0


@given(st.floats(0.52, 1.95))
def test_errors_above_the_least_so_far_do_not_change_the_exponent(exponent: float) -> None:
    def error(each: float, least: float) -> float:
        whole = abs(float(np.log(each / exponent)))
        return whole if whole <= least else least + 1e-6

    assert light.find_exponent(error) == light.find_exponent(
        lambda each, _least: abs(float(np.log(each / exponent)))
    )


@given(st.floats(0.5, 2.0))
def test_curve_keeps_black_white_and_order(exponent: float) -> None:
    values = np.arange(256, dtype=np.float32)[None, :, None]
    curved = light.apply_exponent(values, exponent)
    assert curved.shape == values.shape
    assert curved[0, 0, 0] == 0
    assert curved[0, 255, 0] == pytest.approx(255, rel=1e-5)
    assert (np.diff(curved[0, :, 0]) >= 0).all()


def test_rare_tones_are_sampled_as_often_as_common_ones() -> None:
    luminance = np.full((200, 200), 40, np.float32)
    luminance[:10, :10] = 200
    chosen = light.sample_all_tones(luminance, np.ones(luminance.shape, np.bool_))
    rare = chosen[:10, :10].sum()
    assert rare == 100
    assert 50 <= chosen.sum() - rare <= 150


def test_only_visible_tones_are_sampled() -> None:
    seen = np.zeros((50, 50), np.bool_)
    seen[20:30] = True
    chosen = light.sample_all_tones(np.full((50, 50), 90, np.float32), seen)
    assert chosen.any()
    assert not (chosen & ~seen).any()


@pytest.mark.parametrize("exponent", [0.65, 1.5])
def test_light_has_the_exponent_of_the_photo(exponent: float) -> None:
    valid = np.full((SIZE, SIZE), 255, np.uint8)
    surface = samples.draw_panel(SIZE, SIZE, 8).image
    cv2.rectangle(surface, (40, 300), (240, 440), (30, 40, 50), -1)
    photo = apply_gamma(surface, exponent).astype(np.float32)
    matched, light = match_light(surface.astype(np.float32), photo, valid)
    assert light.exponent == pytest.approx(exponent, rel=0.15)
    assert np.abs(matched - photo).mean() < 3


@pytest.mark.parametrize("exponent", [0.65, 1.5])
def test_tone_curve_is_not_a_finding_and_a_stain_is(exponent: float) -> None:
    assert detect(PANEL, WHOLE, apply_gamma(PANEL, exponent)).boxes == ()
    hurt = PANEL.copy()
    cv2.circle(hurt, (300, 200), 20, (60, 90, 120), -1, cv2.LINE_AA)
    (found,) = detect(PANEL, WHOLE, apply_gamma(hurt, exponent)).boxes
    assert found.box.iou(Rect(280, 180, 41, 41)) > 0.5


def test_faded_object_of_one_colour_is_found() -> None:
    surface = PANEL.copy()
    surface[200:260, 180:300] = (40, 40, 190)
    faded = PANEL.copy()
    faded[200:260, 180:300] = (110, 110, 205)
    found = detect(surface, WHOLE, apply_gamma(faded, 1.0)).boxes
    assert any(one.box.iou(Rect(180, 200, 120, 60)) > 0.5 for one in found)
