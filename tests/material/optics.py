"""Simulates disturbances of photos by light, lenses and cameras.

Light is added and reduced in linear values (gamma 2.2, about the curve of sRGB). Tone curves, noise and
compression follow. Unless stated otherwise, a picture is float32 (height, width, 3) BGR, linear, 0..1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Floats
from shared.images.cv import cv2
from shared.record.geometry import Rect, rect_from_corners
from shared.samples import Image, View, view_matrix

_TONE: Final = 2.2
# The light that a highlight may add in a true box, as a fraction of full scale: too little to clip.
_MAX_LIGHT_ON_DEFECT = 0.35
_HIGHLIGHT_COUNT = 3

Effect = Callable[[Floats, Sequence[Rect], np.random.Generator], Floats]
"""Changes a picture. Arguments: the picture, the true boxes in its px, a random number generator."""


def _keep_light(image: Floats, _boxes: Sequence[Rect], _rng: np.random.Generator) -> Floats:
    return image


@dataclass(frozen=True)
class Disturbance:
    """The disturbance of a photo.

    `light`: effect in linear values. `tone`: exponents of the stored values; one is chosen. `lens`: greatest
    distortion as a fraction of the half diagonal (radial polynomial). `scale`: photo px per reference px.
    `quarters`: quarter turns; one is chosen. `part`: the region's fraction of width and height of the
    reference image. `cut`: the fraction of width and height that the photo shows. `jpeg`: quality. `plain`:
    neither rotated nor noisy.
    """

    light: Effect = _keep_light
    tone: tuple[float, ...] = (1.0,)
    lens: float = 0.0
    scale: float = 1.0
    quarters: tuple[int, ...] = (0,)
    part: float = 1.0
    cut: float = 1.0
    grey: bool = False
    jpeg: int = 90
    plain: bool = False

    def compared_region(self, width: int, height: int) -> Rect:
        """Return the compared region, in the centre of a reference image of this size, px."""
        w, h = width * self.part, height * self.part
        return Rect(round((width - w) / 2), round((height - h) / 2), round(w), round(h))


def photograph(
    image: Image, boxes: Sequence[Rect], disturbance: Disturbance, rng: np.random.Generator
) -> tuple[Image, list[Rect]]:
    """Return a disturbed photo of `image` (BGR uint8), and `boxes` (px of the image) in px of the photo."""
    height, width = image.shape[:2]
    plain = disturbance.plain
    angle = 0.0 if plain else float(rng.uniform(-1.5, 1.5))
    quarter = int(rng.choice(disturbance.quarters))
    view = View(angle, disturbance.scale, 0.0 if plain else 0.004)
    matrix, size = view_matrix(width, height, view, int(rng.integers(1 << 30)))
    if quarter:
        matrix, size = _quarter_turn(quarter, size) @ matrix, size if quarter == 2 else size[::-1]
    if disturbance.cut < 1:
        x, y = (round(rng.uniform(0, 1 - disturbance.cut) * length) for length in size)
        matrix = np.array([[1, 0, -x], [0, 1, -y], [0, 0, 1.0]]) @ matrix
        size = (round(size[0] * disturbance.cut), round(size[1] * disturbance.cut))
    bend = disturbance.lens * float(rng.choice((-1, 1)) * rng.uniform(0.6, 1.0))
    photo = _render_photo(image, matrix, size, bend, disturbance.scale)
    mapped = [_map_box(box, matrix, size, bend) for box in boxes]
    light = disturbance.light(to_linear(photo), mapped, rng)
    values = to_stored(light) ** np.float32(rng.choice(disturbance.tone)) * 255
    if disturbance.grey:
        values = np.repeat(cv2.cvtColor(values, cv2.COLOR_BGR2GRAY)[..., None], 3, axis=2)
    if not plain:
        noise = rng.standard_normal(values.shape[: 2 if disturbance.grey else 3]).astype(np.float32) * 2.5
        values = values + (noise[..., None] if disturbance.grey else noise)
    pixels = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    _, data = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, disturbance.jpeg])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8), mapped


def to_linear(image: Image) -> Floats:
    """Convert a stored picture (uint8) to linear light."""
    table = (np.arange(256, dtype=np.float32) / 255) ** np.float32(_TONE)
    return np.asarray(cv2.LUT(image, table), np.float32)


def to_stored(light: Floats) -> Floats:
    """Convert linear light to stored values, 0..1. Values above full scale clip."""
    return np.asarray(np.clip(light, 0, 1) ** np.float32(1 / _TONE), np.float32)


def _quarter_turn(quarters: int, size: tuple[int, int]) -> NDArray[np.float64]:
    """Return the matrix (px -> px) of a rotation of a picture of `size` by quarter turns."""
    width, height = size
    turns = {
        1: [[0, -1, height], [1, 0, 0], [0, 0, 1]],
        2: [[-1, 0, width], [0, -1, height], [0, 0, 1]],
        3: [[0, 1, 0], [-1, 0, width], [0, 0, 1]],
    }
    return np.array(turns[quarters], np.float64)


def _undistort(points: NDArray[np.float64], size: tuple[int, int], bend: float) -> NDArray[np.float64]:
    """Map a photo's points (n, 2) to their places without lens distortion, by a radial polynomial."""
    centre = np.array(size) / 2
    offset = points - centre
    radius = (offset**2).sum(axis=-1, keepdims=True) / float(centre @ centre)
    return np.asarray(centre + offset * (1 + bend * (radius - 0.25 * radius**2)), np.float64)


def _render_photo(
    image: Image, matrix: NDArray[np.float64], size: tuple[int, int], bend: float, scale: float
) -> Image:
    smooth = cv2.GaussianBlur(image, (0, 0), 0.5 / scale) if scale < 1 else image
    x, y = np.meshgrid(np.arange(size[0]) + 0.5, np.arange(size[1]) + 0.5)
    points = _undistort(np.stack([x, y], axis=-1).reshape(-1, 2), size, bend)
    source = cv2.perspectiveTransform(points[None], np.linalg.inv(matrix))[0] - 0.5
    source = source.astype(np.float32).reshape(size[1], size[0], 2)
    return np.asarray(
        cv2.remap(smooth, source[..., 0], source[..., 1], cv2.INTER_CUBIC, None, cv2.BORDER_REFLECT_101),
        np.uint8,
    )


def _map_box(box: Rect, matrix: NDArray[np.float64], size: tuple[int, int], bend: float) -> Rect:
    corners = np.array([(box.x, box.y), (box.right, box.y), (box.right, box.bottom), (box.x, box.bottom)])
    target = cv2.perspectiveTransform(corners[None], matrix)[0]
    points = target.copy()
    for _ in range(20):
        points += target - _undistort(points, size, bend)
    return rect_from_corners(*points.min(axis=0).tolist(), *points.max(axis=0).tolist())


def _add_highlights(image: Floats, boxes: Sequence[Rect], rng: np.random.Generator) -> Floats:
    """Add reflections of lamps, which clip in the centre and fade out, with none on a defect."""
    height, width = image.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    side = min(height, width)
    added = np.zeros((height, width), np.float32)
    count = 0
    for _ in range(200):
        if count == _HIGHLIGHT_COUNT:
            break
        centre = rng.uniform(0.08, 0.92, 2) * (width, height)
        turn, length = rng.uniform(0, np.pi), side * rng.uniform(0.02, 0.05)
        width_px = length * rng.uniform(0.4, 1.0)
        u = (x - centre[0]) * np.cos(turn) + (y - centre[1]) * np.sin(turn)
        v = (y - centre[1]) * np.cos(turn) - (x - centre[0]) * np.sin(turn)
        distance = (u / length) ** 2 + (v / width_px) ** 2
        # A lobe, and lens glare around it.
        highlight = rng.uniform(2, 6) * np.exp(-distance / 2) + 0.08 / (1 + distance / 4) ** 2
        total = added + highlight.astype(np.float32)
        if all(_max_in_box(total, box) < _MAX_LIGHT_ON_DEFECT for box in boxes):
            added = total
            count += 1
    colour = np.array([rng.uniform(0.85, 1.0), rng.uniform(0.95, 1.0), 1.0], np.float32)
    return np.asarray(image + added[..., None] * colour, np.float32)


def _max_in_box(image: Floats, box: Rect) -> float:
    part = image[max(int(box.y), 0) : int(box.bottom) + 1, max(int(box.x), 0) : int(box.right) + 1]
    return float(part.max()) if part.size else 0.0


def _add_bands(image: Floats, _boxes: Sequence[Rect], rng: np.random.Generator) -> Floats:
    """Add flicker of a rolling shutter: rows or columns are brighter or darker by up to 28 %."""
    height, width = image.shape[:2]
    upright = rng.random() < 0.3
    length = width if upright else height
    wave = np.sin(np.arange(length) / length * 2 * np.pi * rng.uniform(2, 8) + rng.uniform(0, 2 * np.pi))
    gain = (1 + rng.uniform(0.2, 0.28) * wave).astype(np.float32)
    return np.asarray(image * (gain[None, :, None] if upright else gain[:, None, None]), np.float32)


def _add_shadow(image: Floats, _boxes: Sequence[Rect], rng: np.random.Generator) -> Floats:
    """Add a shadow with an edge over about half of the picture, which removes 65 % of the light."""
    height, width = image.shape[:2]
    turn = rng.uniform(0, 2 * np.pi)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    across = (
        (x - width / 2) * np.cos(turn) + (y - height / 2) * np.sin(turn) - rng.uniform(-0.15, 0.15) * width
    )
    share = 0.65 / (1 + np.exp(-across / rng.uniform(1.0, 4.0)))
    return np.asarray(image * (1 - share[..., None]), np.float32)


def _blur_motion(image: Floats, _boxes: Sequence[Rect], rng: np.random.Generator, length: int = 9) -> Floats:
    kernel = np.zeros((length, length), np.float32)
    turn = rng.uniform(0, np.pi)
    reach = np.array([np.cos(turn), np.sin(turn)]) * (length - 1) / 2
    middle = np.array([length // 2, length // 2])
    ends = [np.rint((middle + sign * reach) * 16).astype(int).tolist() for sign in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1, cv2.LINE_AA, 4)
    return np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()), np.float32)


def _overexpose(image: Floats, _boxes: Sequence[Rect], _rng: np.random.Generator) -> Floats:
    """Give the picture 1.5 EV more light than its reference."""
    return np.asarray(image * np.float32(2**1.5), np.float32)


def _add_glare(image: Floats, _boxes: Sequence[Rect], rng: np.random.Generator) -> Floats:
    """Add one large reflection of a lamp, which clips over a fifth of the picture and fades out."""
    height, width = image.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    middle = rng.uniform(0.25, 0.75, 2) * (width, height)
    size = rng.uniform(0.12, 0.2) * max(height, width)
    light = 1.6 * np.exp(-((x - middle[0]) ** 2 + (y - middle[1]) ** 2) / (2 * size**2))
    return np.asarray(image + light[..., None], np.float32)


def _change_white_balance(image: Floats, _boxes: Sequence[Rect], rng: np.random.Generator) -> Floats:
    shift = float(rng.choice((-1, 1)) * rng.uniform(0.2, 0.4))
    return np.asarray(image * np.array([1 - shift, 1.0, 1 + shift], np.float32), np.float32)


DISTURBANCES: Final = {
    "no disturbance": Disturbance(),
    "a lens": Disturbance(lens=0.08),
    "bands": Disturbance(light=_add_bands),
    "a shadow": Disturbance(light=_add_shadow),
    "highlights": Disturbance(light=_add_highlights),
    "motion": Disturbance(light=_blur_motion),
    "motion of 15 px": Disturbance(light=partial(_blur_motion, length=15)),
    "1.5 EV more": Disturbance(light=_overexpose),
    "large glare": Disturbance(light=_add_glare),
    "a grey photo": Disturbance(grey=True),
    "other white balance": Disturbance(light=_change_white_balance),
    "gamma 0.65": Disturbance(tone=(0.65,)),
    "gamma 1.5": Disturbance(tone=(1.5,)),
    "a photo 2.5 times as large": Disturbance(scale=2.5),
    "a photo 0.45 times as large": Disturbance(scale=0.45),
    "quarter turns": Disturbance(quarters=(1, 2, 3)),
    "a region of a tenth": Disturbance(part=0.32),
    "a partial view": Disturbance(cut=0.85),
    "JPEG 40": Disturbance(jpeg=40),
    "nothing but JPEG 90": Disturbance(plain=True),
}
