"""Tests that detection reads pictures upright in every orientation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from service.detection.compute.pictures import load
from tests.pictures import encode_picture, gradient_pixels


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("file_format", ["JPEG", "PNG"])
def test_every_orientation_is_read_upright(tmp_path: Path, file_format: str, orientation: int) -> None:
    pixels = gradient_pixels(240, 160)
    path = tmp_path / "photo"
    path.write_bytes(encode_picture(pixels, file_format, orientation))
    image, scale = load(path)
    assert scale == 1
    assert image.shape == (160, 240, 3)
    assert np.abs(image[..., ::-1].astype(int) - pixels).max() <= 6


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("shrink", [2, 4, 8])
def test_a_reduced_photo_keeps_every_place(tmp_path: Path, orientation: int, shrink: int) -> None:
    upright = np.full((480, 640, 3), 40, np.uint8)
    upright[96:192, 320:544] = (200, 60, 30)
    path = tmp_path / "photo.jpg"
    path.write_bytes(encode_picture(upright, "JPEG", orientation))
    sizes = []

    def needed_side(width: int, height: int) -> float:
        sizes.append((width, height))
        return 640 / shrink

    image, scale = load(path, needed_side)
    assert sizes == [(640, 480)]
    assert scale == 1 / shrink
    assert image.shape == (480 // shrink, 640 // shrink, 3)
    # A red place in blue, green, red.
    y, x = np.nonzero(image[..., 2] > 120)
    bounds = [x.min() / scale, y.min() / scale, (x.max() + 1) / scale, (y.max() + 1) / scale]
    assert np.abs(np.subtract(bounds, [320, 96, 544, 192])).max() < 1


@pytest.mark.parametrize(
    ("width", "height", "least", "scale"),
    # Sides that the block does not divide, more pixels needed than half, and just as many as half.
    [(641, 480, 80, 1), (644, 484, 80, 1 / 4), (640, 480, 321, 1), (640, 480, 320, 1 / 2)],
)
def test_a_photo_is_reduced_by_whole_blocks_and_not_below_what_is_needed(
    tmp_path: Path, width: int, height: int, least: float, scale: float
) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(encode_picture(gradient_pixels(width, height), "JPEG", 1))
    assert load(path, lambda _width, _height: least)[1] == scale
    path.write_bytes(encode_picture(gradient_pixels(width, height), "PNG", 1))
    assert load(path, lambda _width, _height: least)[1] == 1
