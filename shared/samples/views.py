"""Simulates a photo of a picture from a known view."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shared.images.cv import cv2
from shared.samples.brush import Image, Matrix, to_uint8


@dataclass(frozen=True, slots=True)
class View:
    """Geometry, light and quality of a photo.

    `rotation`: degrees. `scale`: photo px per reference px. `perspective`: greatest shift of a corner, as a
    fraction of the image size. `light`: brightness change across the image, as a fraction of full scale.
    `gain`: brightness factor. `noise`: standard deviation in grey levels. `blur`: Gaussian sigma in px.
    `jpeg`: quality (None: not compressed).
    """

    rotation: float = 0.0
    scale: float = 1.0
    perspective: float = 0.0
    light: float = 0.0
    gain: float = 1.0
    noise: float = 0.0
    blur: float = 0.0
    jpeg: int | None = None


def view_matrix(width: int, height: int, view: View, seed: int = 1) -> tuple[Matrix, tuple[int, int]]:
    """Return the homography reference px -> photo px of `view`, and width and height of the photo.

    The photo has the size of the scaled reference image.
    """
    rng = np.random.default_rng(seed)
    out = (max(round(width * view.scale), 16), max(round(height * view.scale), 16))
    turn = np.deg2rad(view.rotation)
    cos, sin = np.cos(turn) * view.scale, np.sin(turn) * view.scale
    x, y = width / 2, height / 2
    similar = np.array(
        [[cos, -sin, out[0] / 2 - cos * x + sin * y], [sin, cos, out[1] / 2 - sin * x - cos * y], [0, 0, 1]]
    )
    corners = np.array([[0, 0], [out[0], 0], [out[0], out[1]], [0, out[1]]], np.float32)
    shift = rng.uniform(-1, 1, (4, 2)) * view.perspective * np.array(out)
    tilt = cv2.getPerspectiveTransform(corners, (corners + shift).astype(np.float32))
    return np.asarray(tilt @ similar, np.float64), out


def photograph(image: Image, view: View, seed: int = 1) -> tuple[Image, Matrix]:
    """Return a photo of `image` from `view`, and the 3 x 3 homography reference px -> photo px."""
    rng = np.random.default_rng(seed + 7)
    height, width = image.shape[:2]
    matrix, (out_w, out_h) = view_matrix(width, height, view, seed)
    photo: Image = image
    if not np.allclose(matrix, np.eye(3)):
        # Pixel centres of this project are at half pixels, those of warpPerspective at whole ones.
        half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1.0]])
        smooth = cv2.GaussianBlur(image, (0, 0), 0.5 / view.scale) if view.scale < 1 else image
        photo = cv2.warpPerspective(
            smooth,
            np.linalg.inv(half) @ matrix @ half,
            (out_w, out_h),
            flags=cv2.INTER_CUBIC,
            borderMode=cv2.BORDER_REFLECT_101,
        )
    if view.blur > 0:
        photo = cv2.GaussianBlur(photo, (0, 0), view.blur)
    if view.light or view.gain != 1 or view.noise:
        values = photo.astype(np.float32) * view.gain
        if view.light:
            angle = rng.uniform(0, 2 * np.pi)
            y, x = np.mgrid[0:out_h, 0:out_w].astype(np.float32)
            ramp = (x / out_w - 0.5) * np.cos(angle) + (y / out_h - 0.5) * np.sin(angle)
            values *= (1 + view.light * ramp)[..., None]
        if view.noise:
            values += rng.standard_normal(values.shape).astype(np.float32) * view.noise
        photo = to_uint8(values)
    if view.jpeg is not None:
        _, data = cv2.imencode(".jpg", photo, [cv2.IMWRITE_JPEG_QUALITY, view.jpeg])
        photo = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return photo, matrix
