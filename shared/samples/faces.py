"""Generates face pictures from the portrait in scikit-image's wheel: of one person, and of strangers.

The functions are pure and work on upright BGR uint8 arrays (height, width, 3). Scores of the service's
engines against `enrolment_picture()`:

| picture | dlib distance (a match needs <= 0.543) | MobileFaceNet cosine (a match needs >= 0.414) |
|---|---|---|
| `login_picture()` | 0.09 | 0.95 |
| `login_picture(moment=1)` | 0.07 | 0.97 |
| `stranger_picture()` | 0.67 | 0.18 |
| `stranger_picture(kind=1)` | 0.69 | 0.20 |
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shared.images.cv import cv2
from shared.system.paths import find_package_file

Pixels = NDArray[np.uint8]

FRAME = (640, 480)
# Places in the portrait, px.
FACE = (225, 125)
LEFT_EYE, RIGHT_EYE, NOSE, MOUTH = (203, 102), (246, 105), (224, 130), (224, 150)


def find_portrait_file() -> Path:
    """Return the path of the portrait in scikit-image's package or in the frozen program.

    Does not import scikit-image. Raises FileNotFoundError if it is not installed.
    """
    file = find_package_file("skimage", "data", "astronaut.png")
    if file is None:
        raise FileNotFoundError("The portrait is missing: install scikit-image.")
    return file


@cache
def load_portrait() -> Pixels:
    """Return the portrait of the astronaut Eileen Collins (NASA, public domain), 512 x 512 px."""
    data = np.frombuffer(find_portrait_file().read_bytes(), np.uint8)
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def render_frame(
    image: Pixels, scale: float = 2.0, shift: tuple[float, float] = (0, 0), angle: float = 0
) -> Pixels:
    """Render a camera frame of 640 x 480 px with the face in the centre, moved by `shift` px and rotated by
    `angle` degrees.
    """
    matrix = cv2.getRotationMatrix2D(FACE, angle, scale)
    matrix[:, 2] += np.array(FRAME) / 2 - FACE + shift
    frame: Pixels = cv2.warpAffine(
        image, matrix, FRAME, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT_101
    )
    return frame


def change_light(
    image: Pixels, gain: float = 1, gamma: float = 1, slope: float = 0, noise: float = 0
) -> Pixels:
    """Change the light: `gain`, `gamma`, brighter to the right by `slope`, sensor noise of `noise` grey
    levels.
    """
    across = 1 + slope * np.linspace(-1, 1, image.shape[1])[None, :, None]
    light = (image / 255.0) ** gamma * gain * across * 255
    noise_levels = np.random.default_rng(7).normal(0, noise, image.shape) if noise else 0
    return np.clip(light + noise_levels, 0, 255).astype(np.uint8)


def move_features(image: Pixels, bends: list[tuple[tuple[int, int], float, float, float, float]]) -> Pixels:
    """Move facial features by `bends`: (centre px, radius px, x px, y px, shrink), weighted by Gaussians."""
    height, width = image.shape[:2]
    grid_x, grid_y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    from_x, from_y = grid_x.copy(), grid_y.copy()
    for (x, y), radius, move_x, move_y, shrink in bends:
        weight = np.exp(-((grid_x - x) ** 2 + (grid_y - y) ** 2) / (2 * radius**2))
        from_x += weight * (move_x + (grid_x - x) * shrink)
        from_y += weight * (move_y + (grid_y - y) * shrink)
    warped: Pixels = cv2.remap(image, from_x, from_y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return warped


def enrolment_picture() -> Pixels:
    """Return a good webcam picture of the enrolled person."""
    return render_frame(load_portrait())


def enrolment_pictures() -> list[Pixels]:
    """Return the three pictures of a guided enrolment."""
    return [
        enrolment_picture(),
        change_light(render_frame(load_portrait(), 1.9, (-30, 10), -4), gain=0.95),
        change_light(render_frame(load_portrait(), 2.1, (25, 0), 5), gamma=1.1, slope=0.1),
    ]


def login_picture(moment: int = 0) -> Pixels:
    """Return a later picture of the same person: another place, a tilted head, other light, with noise."""
    if moment == 0:
        return change_light(
            render_frame(load_portrait(), 1.8, (40, -15), 4), gain=0.8, gamma=1.2, slope=0.25, noise=4
        )
    return change_light(
        render_frame(load_portrait(), 2.2, (-60, 20), -5), gain=0.95, gamma=0.85, slope=-0.2, noise=4
    )


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


def stranger_picture(kind: int = 0) -> Pixels:
    """Return a face that detectors find and no engine matches with the portrait: its features are moved."""
    return render_frame(move_features(load_portrait(), _STRANGERS[kind]))


def crowd_picture(count: int) -> Pixels:
    """Return a picture of `count` equal faces, five in a row."""
    face = render_frame(load_portrait())[90:390, 200:440]
    rows = -(-count // 5)
    picture = np.full((rows * 300, 5 * 240, 3), 128, np.uint8)
    for index in range(count):
        y, x = divmod(index, 5)
        picture[y * 300 : (y + 1) * 300, x * 240 : (x + 1) * 240] = face
    return picture


def masked_picture(image: Pixels | None = None) -> Pixels:
    """Return the enrolment picture, or a frame of `image`, with a surgical mask over nose and mouth."""
    face = load_portrait().copy() if image is None else image.copy()
    outline = np.array([(182, 120), (224, 118), (266, 120), (262, 160), (224, 185), (188, 160)])
    cv2.fillPoly(face, [outline], (235, 225, 205))
    return render_frame(face)


def encode_picture(image: Pixels, suffix: str = ".jpg") -> bytes:
    """Encode the picture as the bytes of a `.jpg`, `.png` or `.webp` file."""
    _, data = cv2.imencode(suffix, image)
    return bytes(data)
