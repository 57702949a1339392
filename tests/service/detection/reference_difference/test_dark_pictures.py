"""Tests pictures that are mostly black, such as of lights at night."""

import numpy as np
import pytest

from service.detection.reference_difference import model
from service.detection.reference_difference.difference.compensate import match_light
from shared.images.cv import cv2
from shared.samples import Image
from tests.material import scans

SIDE = 320


def lights(seed: int = 3) -> Image:
    """A dark picture (BGR) with coloured lights that fade out, few of which clip."""
    rng = np.random.default_rng(seed)
    image = np.full((SIDE, SIDE, 3), 12, np.float32)
    y, x = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32)
    for _ in range(40):
        at, wide = rng.uniform(0, SIDE, 2), rng.uniform(2, 5)
        spot = np.exp(-((x - at[0]) ** 2 + (y - at[1]) ** 2) / (2 * wide**2))
        image += spot[..., None] * rng.permutation([60.0, 130.0, 250.0]).astype(np.float32)
    image += rng.standard_normal(image.shape).astype(np.float32) * 1.5
    return np.clip(np.rint(image), 0, 255).astype(np.uint8)


def test_dark_picture_with_lights_is_not_bilevel() -> None:
    image = lights()
    image[5:9, 5:9] = 255
    assert np.mean(image[..., 1] < 24) > 0.85
    assert not model._black_and_white(image, 0.85)


@pytest.mark.parametrize("size", [320, 250])
def test_drawn_sheet_is_bilevel_at_any_size(size: int) -> None:
    sheet = cv2.merge([scans.draw_board(SIDE, SIDE, 4)] * 3)
    smaller = cv2.resize(sheet, (size, size), interpolation=cv2.INTER_AREA)
    assert model._black_and_white(np.asarray(smaller, np.uint8), 0.8)


def test_grey_photo_of_coloured_lights_is_compared_by_brightness() -> None:
    grey = cv2.merge([cv2.cvtColor(lights(), cv2.COLOR_BGR2GRAY)] * 3)
    assert not model._in_colour(lights(), grey)
    assert model._in_colour(lights(), lights(4))


def test_bands_of_light_are_seen_in_the_bright_part_of_a_dark_picture() -> None:
    was = lights().astype(np.float32)
    wave = 1 + 0.13 * np.sin(np.arange(SIDE) / SIDE * 8 * np.pi)
    noise = np.random.default_rng(5).standard_normal(was.shape) * 3
    now = np.clip(was * wave[:, None, None] + noise, 0, 255).astype(np.float32)
    matched, light = match_light(was, now, np.full((SIDE, SIDE), 255, np.uint8))
    bright = was.max(axis=2) > 100
    assert light.shade is not None
    assert np.abs(matched - now)[bright].mean() < 0.5 * np.abs(was - now)[bright].mean()
