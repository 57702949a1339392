"""Disturbs photos as light, lenses and cameras do, for `benchmarks/disturbances.py`.

Light adds up and is weakened in linear values (2.2, about the curve of sRGB); tone curves, noise and
compression come after it. A picture is float32 (height, width, 3) BGR in 0..1, linear, unless said
otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.detection.reference_difference.data import Floats
from shared.geometry import Rect, rect_from_corners
from shared.images.cv import cv2
from shared.samples import Image, View, view_matrix

_TONE: Final = 2.2
# Inside of a true box less light than this is added by a highlight, in parts of full scale: it does not clip.
_MOST_ON_DEFECT = 0.35
_HIGHLIGHTS = 3

Effect = Callable[[Floats, Sequence[Rect], np.random.Generator], Floats]
"""Takes a picture, the true boxes in its px, and a generator of random numbers."""


def _unchanged(image: Floats, _boxes: Sequence[Rect], _rng: np.random.Generator) -> Floats:
    return image


@dataclass(frozen=True)
class Disturbance:
    """How a photo is disturbed.

    light: in linear values, before the camera. tone: exponents of the values as stored, of which one is
    taken. lens: greatest bend in parts of the half diagonal (radial polynomial). scale: photo px per
    reference px. turn: quarter turns to choose from. part: of width and height of the reference image that
    are the region. cut: of width and height that the photo shows. jpeg: quality. plain: neither turned nor
    noisy.
    """

    light: Effect = _unchanged
    tone: tuple[float, ...] = (1.0,)
    lens: float = 0.0
    scale: float = 1.0
    quarters: tuple[int, ...] = (0,)
    part: float = 1.0
    cut: float = 1.0
    grey: bool = False
    jpeg: int = 90
    plain: bool = False

    def region(self, width: int, height: int) -> Rect:
        """The region in the middle of a reference image of that size, px."""
        w, h = width * self.part, height * self.part
        return Rect(round((width - w) / 2), round((height - h) / 2), round(w), round(h))


def photographed(
    image: Image, boxes: Sequence[Rect], disturbance: Disturbance, rng: np.random.Generator
) -> tuple[Image, list[Rect]]:
    """A disturbed photo of `image` (BGR uint8), and where `boxes` (px of the image) lie in it, px."""
    height, width = image.shape[:2]
    still = disturbance.plain
    angle = 0.0 if still else float(rng.uniform(-1.5, 1.5))
    quarter = int(rng.choice(disturbance.quarters))
    view = View(angle, disturbance.scale, 0.0 if still else 0.004)
    matrix, size = view_matrix(width, height, view, int(rng.integers(1 << 30)))
    if quarter:
        matrix, size = _quarter(quarter, size) @ matrix, size if quarter == 2 else size[::-1]
    if disturbance.cut < 1:
        x, y = (round(rng.uniform(0, 1 - disturbance.cut) * length) for length in size)
        matrix = np.array([[1, 0, -x], [0, 1, -y], [0, 0, 1.0]]) @ matrix
        size = (round(size[0] * disturbance.cut), round(size[1] * disturbance.cut))
    bend = disturbance.lens * float(rng.choice((-1, 1)) * rng.uniform(0.6, 1.0))
    photo = _seen(image, matrix, size, bend, disturbance.scale)
    moved = [_moved(box, matrix, size, bend) for box in boxes]
    lit = disturbance.light(linear(photo), moved, rng)
    values = stored(lit) ** np.float32(rng.choice(disturbance.tone)) * 255
    if disturbance.grey:
        values = np.repeat(cv2.cvtColor(values, cv2.COLOR_BGR2GRAY)[..., None], 3, axis=2)
    if not still:
        grain = rng.standard_normal(values.shape[: 2 if disturbance.grey else 3]).astype(np.float32) * 2.5
        values = values + (grain[..., None] if disturbance.grey else grain)
    bytes_ = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    _, packed = cv2.imencode(".jpg", bytes_, [cv2.IMWRITE_JPEG_QUALITY, disturbance.jpeg])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8), moved


def linear(image: Image) -> Floats:
    """The light of a picture as stored (uint8)."""
    table = (np.arange(256, dtype=np.float32) / 255) ** np.float32(_TONE)
    return np.asarray(cv2.LUT(image, table), np.float32)


def stored(light: Floats) -> Floats:
    """The values 0..1 as stored of light; more than full scale clips."""
    return np.asarray(np.clip(light, 0, 1) ** np.float32(1 / _TONE), np.float32)


def _quarter(quarters: int, size: tuple[int, int]) -> NDArray[np.float64]:
    """A turn of a picture of `size` by quarters of a circle, px -> px."""
    width, height = size
    turns = {
        1: [[0, -1, height], [1, 0, 0], [0, 0, 1]],
        2: [[-1, 0, width], [0, -1, height], [0, 0, 1]],
        3: [[0, 1, 0], [-1, 0, width], [0, 0, 1]],
    }
    return np.array(turns[quarters], np.float64)


def _unbent(points: NDArray[np.float64], size: tuple[int, int], bend: float) -> NDArray[np.float64]:
    """Where a photo's points (n, 2) would lie through a lens that does not bend: a radial polynomial."""
    middle = np.array(size) / 2
    off = points - middle
    radius = (off**2).sum(axis=-1, keepdims=True) / float(middle @ middle)
    return np.asarray(middle + off * (1 + bend * (radius - 0.25 * radius**2)), np.float64)


def _seen(
    image: Image, matrix: NDArray[np.float64], size: tuple[int, int], bend: float, scale: float
) -> Image:
    smooth = cv2.GaussianBlur(image, (0, 0), 0.5 / scale) if scale < 1 else image
    x, y = np.meshgrid(np.arange(size[0]) + 0.5, np.arange(size[1]) + 0.5)
    places = _unbent(np.stack([x, y], axis=-1).reshape(-1, 2), size, bend)
    there = cv2.perspectiveTransform(places[None], np.linalg.inv(matrix))[0] - 0.5
    there = there.astype(np.float32).reshape(size[1], size[0], 2)
    return np.asarray(
        cv2.remap(smooth, there[..., 0], there[..., 1], cv2.INTER_CUBIC, None, cv2.BORDER_REFLECT_101),
        np.uint8,
    )


def _moved(box: Rect, matrix: NDArray[np.float64], size: tuple[int, int], bend: float) -> Rect:
    corners = np.array([(box.x, box.y), (box.right, box.y), (box.right, box.bottom), (box.x, box.bottom)])
    wanted = cv2.perspectiveTransform(corners[None], matrix)[0]
    points = wanted.copy()
    for _ in range(20):
        points += wanted - _unbent(points, size, bend)
    return rect_from_corners(*points.min(axis=0).tolist(), *points.max(axis=0).tolist())


def _highlights(image: Floats, boxes: Sequence[Rect], rng: np.random.Generator) -> Floats:
    """Reflections of lamps: light on top that clips in the middle and fades out, none over a defect."""
    height, width = image.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    side = min(height, width)
    added = np.zeros((height, width), np.float32)
    done = 0
    for _ in range(200):
        if done == _HIGHLIGHTS:
            break
        at = rng.uniform(0.08, 0.92, 2) * (width, height)
        turn, long = rng.uniform(0, np.pi), side * rng.uniform(0.02, 0.05)
        thin = long * rng.uniform(0.4, 1.0)
        u = (x - at[0]) * np.cos(turn) + (y - at[1]) * np.sin(turn)
        v = (y - at[1]) * np.cos(turn) - (x - at[0]) * np.sin(turn)
        away = (u / long) ** 2 + (v / thin) ** 2
        # A lobe, and the glare of the lens around it.
        one = rng.uniform(2, 6) * np.exp(-away / 2) + 0.08 / (1 + away / 4) ** 2
        whole = added + one.astype(np.float32)
        if all(_within(whole, box) < _MOST_ON_DEFECT for box in boxes):
            added = whole
            done += 1
    colour = np.array([rng.uniform(0.85, 1.0), rng.uniform(0.95, 1.0), 1.0], np.float32)
    return np.asarray(image + added[..., None] * colour, np.float32)


def _within(image: Floats, box: Rect) -> float:
    part = image[max(int(box.y), 0) : int(box.bottom) + 1, max(int(box.x), 0) : int(box.right) + 1]
    return float(part.max()) if part.size else 0.0


def _bands(image: Floats, _boxes: Sequence[Rect], rng: np.random.Generator) -> Floats:
    """Flicker under a rolling shutter: whole rows or columns are brighter, by up to 28 % of the light."""
    height, width = image.shape[:2]
    upright = rng.random() < 0.3
    length = width if upright else height
    wave = np.sin(np.arange(length) / length * 2 * np.pi * rng.uniform(2, 8) + rng.uniform(0, 2 * np.pi))
    gain = (1 + rng.uniform(0.2, 0.28) * wave).astype(np.float32)
    return np.asarray(image * (gain[None, :, None] if upright else gain[:, None, None]), np.float32)


def _shadow(image: Floats, _boxes: Sequence[Rect], rng: np.random.Generator) -> Floats:
    """A shadow with an edge over about a half of the picture, that takes 65 % of the light."""
    height, width = image.shape[:2]
    turn = rng.uniform(0, 2 * np.pi)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    across = (
        (x - width / 2) * np.cos(turn) + (y - height / 2) * np.sin(turn) - rng.uniform(-0.15, 0.15) * width
    )
    share = 0.65 / (1 + np.exp(-across / rng.uniform(1.0, 4.0)))
    return np.asarray(image * (1 - share[..., None]), np.float32)


def _motion(image: Floats, _boxes: Sequence[Rect], rng: np.random.Generator, length: int = 9) -> Floats:
    kernel = np.zeros((length, length), np.float32)
    turn = rng.uniform(0, np.pi)
    reach = np.array([np.cos(turn), np.sin(turn)]) * (length - 1) / 2
    middle = np.array([length // 2, length // 2])
    ends = [np.rint((middle + sign * reach) * 16).astype(int).tolist() for sign in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1, cv2.LINE_AA, 4)
    return np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()), np.float32)


def _balance(image: Floats, _boxes: Sequence[Rect], rng: np.random.Generator) -> Floats:
    warm = float(rng.choice((-1, 1)) * rng.uniform(0.2, 0.4))
    return np.asarray(image * np.array([1 - warm, 1.0, 1 + warm], np.float32), np.float32)


DISTURBANCES: Final = {
    "no disturbance": Disturbance(),
    "a lens": Disturbance(lens=0.08),
    "bands": Disturbance(light=_bands),
    "a shadow": Disturbance(light=_shadow),
    "highlights": Disturbance(light=_highlights),
    "motion": Disturbance(light=_motion),
    "a grey photo": Disturbance(grey=True),
    "other white balance": Disturbance(light=_balance),
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
