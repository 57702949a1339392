"""The heat over a photo: where it is painted, in which colour, and that a wrong picture is none."""

from __future__ import annotations

import base64

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from desktop.canvas.layers.image_layer import HeatLayer
from desktop.canvas.model.viewport import Viewport
from shared.images.cv import cv2
from shared.record.entries import EntryAppearance


def heat(levels: np.ndarray) -> str:
    return base64.b64encode(bytes(cv2.imencode(".png", levels.astype(np.uint8))[1])).decode()


def appearance(picture: str, section: list[float]) -> EntryAppearance:
    return {
        "distance": 0.2,
        "limit": 0.1,
        "share": 0.0,
        "photos": 3,
        "place": "fixed",
        "heat": picture,
        "section": section,
    }


def painted(layer: HeatLayer) -> QImage:
    image = QImage(200, 100, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    layer.paint(painter, Viewport(200, 100, 200, 100).fit())
    painter.end()
    return image


@pytest.fixture
def layer() -> HeatLayer:
    """Heat over the right half of a photo: unusual in the upper part, nearly so below."""
    layer = HeatLayer()
    levels = np.repeat([[200], [200], [90], [90]], 4, axis=1)
    layer.set_appearance(appearance(heat(levels), [0.5, 0, 0.5, 1]))
    return layer


def test_heat_is_painted_over_its_section_once_it_is_shown(qtbot: object, layer: HeatLayer) -> None:
    assert painted(layer).pixelColor(150, 10).alpha() == 0

    layer.is_shown = True
    image = painted(layer)

    unusual, below = image.pixelColor(150, 10), image.pixelColor(150, 90)
    assert unusual.red() > 150
    assert unusual.green() < 80
    assert below.green() > 120
    assert 0 < below.alpha() < unusual.alpha()
    assert image.pixelColor(50, 10).alpha() == 0


@pytest.mark.parametrize("text", ["", "no picture", "é", heat(np.zeros((300, 2)))])
def test_a_picture_that_cannot_be_read_is_none(qtbot: object, layer: HeatLayer, text: str) -> None:
    layer.set_appearance(appearance(text, []))

    assert not layer.has_heat
    layer.is_shown = True
    assert painted(layer).pixelColor(150, 10).alpha() == 0
