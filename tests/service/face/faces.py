"""The faces of the demo, and more of them for the tests of the service."""

from __future__ import annotations

import numpy as np

from desktop.demo.material.faces import (
    FACE,
    FRAME,
    LEFT_EYE,
    MOUTH,
    NOSE,
    RIGHT_EYE,
    Pixels,
    bent,
    encoded,
    enrolment,
    enrolments,
    framed,
    lit,
    login,
    portrait,
    stranger,
)
from shared.images.cv import cv2

__all__ = [
    "FACE",
    "FRAME",
    "LEFT_EYE",
    "MOUTH",
    "NOSE",
    "RIGHT_EYE",
    "Pixels",
    "bent",
    "crowd",
    "encoded",
    "enrolment",
    "enrolments",
    "framed",
    "lit",
    "login",
    "masked",
    "portrait",
    "stranger",
]


def crowd(count: int) -> Pixels:
    """`count` equal faces in one picture, five to a row."""
    face = framed(portrait())[90:390, 200:440]
    rows = -(-count // 5)
    page = np.full((rows * 300, 5 * 240, 3), 128, np.uint8)
    for index in range(count):
        y, x = divmod(index, 5)
        page[y * 300 : (y + 1) * 300, x * 240 : (x + 1) * 240] = face
    return page


def masked(image: Pixels | None = None) -> Pixels:
    """The enrolment picture with a surgical mask drawn over nose and mouth."""
    face = portrait().copy() if image is None else image.copy()
    outline = np.array([(182, 120), (224, 118), (266, 120), (262, 160), (224, 185), (188, 160)])
    cv2.fillPoly(face, [outline], (235, 225, 205))
    return framed(face)
