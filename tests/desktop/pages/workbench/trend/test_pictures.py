"""Photos laid on one place, and how much memory they take."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QImage

from desktop.imaging import open_image
from desktop.imaging.decoding.pixels import from_qimage
from desktop.pages.workbench.trend.film_strip_model import CLOSEST, move_view, zoom_view
from desktop.pages.workbench.trend.pictures import WHOLE, in_the_middle, render_view
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples import Image, View, draw_panel, photograph


def png(image: Image) -> bytes:
    good, data = cv2.imencode(".png", image)
    assert good
    return bytes(data)


def grey(image: QImage) -> np.ndarray:
    pixels = from_qimage(image).view(np.uint8).reshape(image.height(), image.width(), 4)
    return np.asarray(pixels[:, :, :3].mean(axis=2))


PLACE = np.array([[300.0, 0.0, 200.0], [0.0, 200.0, 150.0], [0.0, 0.0, 1.0]])
"""Fractions of the place to px of the reference image."""


@pytest.mark.parametrize("view", [WHOLE, Rect(0.25, 0.3, 0.5, 0.5)])
def test_rotated_photo_is_mapped_to_the_reference_image(view: Rect) -> None:
    reference = draw_panel(800, 600, 2).image
    photo, matrix = photograph(reference, View(rotation=9, scale=1.3, perspective=0.04), 4)
    still = render_view(open_image(png(reference)), PLACE, view, 300, 1.5).sizes[0]
    crop = render_view(open_image(png(photo)), matrix @ PLACE, view, 300, 1.5).sizes[0]
    assert (crop.width(), crop.height()) == (300, 200)
    assert np.abs(grey(still) - grey(crop)).mean() < 4
    wrong = render_view(open_image(png(photo)), PLACE, view, 300, 1.5).sizes[0]
    assert np.abs(grey(still) - grey(wrong)).mean() > 8


def test_a_large_photo_is_averaged_and_not_sampled() -> None:
    stripes = np.zeros((1200, 1200, 3), np.uint8)
    stripes[:, ::2] = 200
    picture = render_view(open_image(png(stripes)), np.diag([1200.0, 1200.0, 1.0]), WHOLE, 200, 1.0)
    inner = grey(picture.sizes[0])[10:-10, 10:-10]
    assert abs(inner.mean() - 100) < 8
    assert inner.std() < 12


def test_the_smallest_picture_that_is_enough_is_painted() -> None:
    picture = render_view(open_image(png(draw_panel(800, 600, 2).image)), PLACE, WHOLE, 1024, 1.5)
    assert [image.width() for image in picture.sizes] == [1024, 512, 256]
    assert [picture.smallest_fitting(width).width() for width in (100, 300, 700, 3000)] == [
        256,
        512,
        1024,
        1024,
    ]


@pytest.mark.parametrize("size", [(400, 100), (100, 400), (300, 200)])
def test_unaligned_photo_is_shown_completely_and_centred(size: tuple[int, int]) -> None:
    matrix = in_the_middle(size, 1.5)
    inverse = np.linalg.inv(matrix)
    left, top, _ = inverse @ (0, 0, 1)
    right, bottom, _ = inverse @ (*size, 1)
    assert left >= -1e-9
    assert top >= -1e-9
    assert left + right == pytest.approx(1)
    assert top + bottom == pytest.approx(1)
    assert (right - left) * 1.5 / (bottom - top) == pytest.approx(size[0] / size[1])


def test_zoom_in_and_out_restores_the_view_within_the_place() -> None:
    view = zoom_view(WHOLE, 2, 1.0, 0.0)
    assert view == Rect(0.5, 0.0, 0.5, 0.5)
    assert move_view(view, 3, 3) == Rect(0.5, 0.5, 0.5, 0.5)
    assert zoom_view(view, 0.5) == WHOLE
    for _ in range(40):
        view = zoom_view(view, 2)
    assert view.w == pytest.approx(1 / CLOSEST)


def test_a_mapping_that_cannot_be_inverted_is_refused() -> None:
    with pytest.raises(ValueError, match="inverted"):
        render_view(open_image(png(draw_panel(80, 60, 2).image)), np.zeros((3, 3)), WHOLE, 40, 1.5)
