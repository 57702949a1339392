"""Generates faces from the portrait in scikit-image's wheel: one person twice, and strangers. Pure functions
on upright BGR uint8 arrays (height, width, 3).

Measured with the engines of the service, against `enrolment()`:

| picture | dlib distance (a match needs <= 0.543) | MobileFaceNet cosine (a match needs >= 0.414) |
|---|---|---|
| `login()` | 0.09 | 0.95 |
| `login(moment=1)` | 0.07 | 0.97 |
| `stranger()` | 0.67 | 0.18 |
| `stranger(kind=1)` | 0.69 | 0.20 |
"""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shared.images.cv import cv2
from shared.paths import root

Pixels = NDArray[np.uint8]

FRAME = (640, 480)
# Where things lie in the portrait, px.
FACE = (225, 125)
LEFT_EYE, RIGHT_EYE, NOSE, MOUTH = (203, 102), (246, 105), (224, 130), (224, 150)


def portrait_file() -> Path:
    """Where the portrait lies: in scikit-image's package, which is not imported, or in the frozen program.

    Raises FileNotFoundError when scikit-image is not installed.
    """
    if getattr(sys, "frozen", False):
        return root() / "skimage" / "data" / "astronaut.png"
    spec = importlib.util.find_spec("skimage")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("The portrait is missing: install scikit-image.")
    return Path(spec.origin).parent / "data" / "astronaut.png"


@cache
def portrait() -> Pixels:
    """The portrait of the astronaut Eileen Collins (NASA, public domain), 512 x 512."""
    data = np.frombuffer(portrait_file().read_bytes(), np.uint8)
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def framed(
    image: Pixels, scale: float = 2.0, shift: tuple[float, float] = (0, 0), angle: float = 0
) -> Pixels:
    """A camera frame of 640 x 480, the face in the middle, moved by `shift` px, turned by `angle` degrees."""
    matrix = cv2.getRotationMatrix2D(FACE, angle, scale)
    matrix[:, 2] += np.array(FRAME) / 2 - FACE + shift
    frame: Pixels = cv2.warpAffine(
        image, matrix, FRAME, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT_101
    )
    return frame


def lit(image: Pixels, gain: float = 1, gamma: float = 1, slope: float = 0, noise: float = 0) -> Pixels:
    """Other light: `gain`, `gamma`, brighter to the right by `slope`, with a sensor's noise (levels)."""
    across = 1 + slope * np.linspace(-1, 1, image.shape[1])[None, :, None]
    light = (image / 255.0) ** gamma * gain * across * 255
    grain = np.random.default_rng(7).normal(0, noise, image.shape) if noise else 0
    return np.clip(light + grain, 0, 255).astype(np.uint8)


def bent(image: Pixels, bends: list[tuple[tuple[int, int], float, float, float, float]]) -> Pixels:
    """`image` with features moved: (centre px, radius px, x px, y px, shrink), fading as Gaussians."""
    height, width = image.shape[:2]
    grid_x, grid_y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    from_x, from_y = grid_x.copy(), grid_y.copy()
    for (x, y), radius, move_x, move_y, shrink in bends:
        weight = np.exp(-((grid_x - x) ** 2 + (grid_y - y) ** 2) / (2 * radius**2))
        from_x += weight * (move_x + (grid_x - x) * shrink)
        from_y += weight * (move_y + (grid_y - y) * shrink)
    moved: Pixels = cv2.remap(image, from_x, from_y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return moved


def enrolment() -> Pixels:
    """The enrolled person, as a good webcam picture."""
    return framed(portrait())


def enrolments() -> list[Pixels]:
    """Three pictures of a guided enrolment."""
    return [
        enrolment(),
        lit(framed(portrait(), 1.9, (-30, 10), -4), gain=0.95),
        lit(framed(portrait(), 2.1, (25, 0), 5), gamma=1.1, slope=0.1),
    ]


def login(moment: int = 0) -> Pixels:
    """The same person later: elsewhere in the frame, head tilted, other light, with noise."""
    if moment == 0:
        return lit(framed(portrait(), 1.8, (40, -15), 4), gain=0.8, gamma=1.2, slope=0.25, noise=4)
    return lit(framed(portrait(), 2.2, (-60, 20), -5), gain=0.95, gamma=0.85, slope=-0.2, noise=4)


_CLOSER_EYES = [(LEFT_EYE, 12.0, -5.6, 0.0, 0.0), (RIGHT_EYE, 12.0, 5.6, 0.0, 0.0)]
_LOWER_MOUTH = [(MOUTH, 16.0, 0.0, -10.0, 0.0)]
_STRANGERS = (
    [*_CLOSER_EYES, *_LOWER_MOUTH, ((224, 158), 24.0, 0.0, 0.0, 0.5)],
    [
        *_CLOSER_EYES,
        *_LOWER_MOUTH,
        (LEFT_EYE, 10.0, 0.0, 0.0, 0.6),
        (RIGHT_EYE, 10.0, 0.0, 0.0, 0.6),
        (NOSE, 12.0, 0.0, 0.0, -0.5),
    ],
)


def stranger(kind: int = 0) -> Pixels:
    """A face that detectors find and that no engine takes for the portrait: its features are moved."""
    return framed(bent(portrait(), _STRANGERS[kind]))


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


def encoded(image: Pixels, suffix: str = ".jpg") -> bytes:
    """The picture as a file: `.jpg`, `.png` or `.webp`."""
    _, data = cv2.imencode(suffix, image)
    return bytes(data)
