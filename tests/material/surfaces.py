"""Draws circuit boards, printed labels and photographs with known defects, for reference-difference.

The photographs are those in scikit-image's package.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import skimage.data

from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples import Defect, Image

Segment = tuple[int, int, int, int]


@dataclass
class Surface:
    """A surface before damage: the image, its traces (segments of `thickness` px) and other known parts."""

    image: Image
    traces: list[Segment] = field(default_factory=list)
    thickness: int = 6
    parts: list[Rect] = field(default_factory=list)
    colours: tuple[tuple[int, int, int], tuple[int, int, int]] = ((0, 0, 0), (255, 255, 255))


def draw_board(width: int, height: int, seed: int, binary: bool = False) -> Surface:
    """Draw a circuit board: traces, pads, vias and, unless `binary`, components and print."""
    rng = np.random.default_rng(seed)
    ground, copper = ((0, 0, 0), (255, 255, 255)) if binary else ((52, 84, 22), (84, 140, 66))
    image = np.full((height, width, 3), ground, np.uint8)
    pitch = int(rng.integers(24, 40))
    thickness = int(rng.integers(7, 13))
    surface = Surface(image, thickness=thickness, colours=(ground, copper))
    for lane in range(pitch, (width if rng.random() < 0.5 else height) - pitch, pitch):
        start, end = int(rng.integers(10, 60)), 0
        upright = lane // pitch % 7 < 4
        limit = (height if upright else width) - 20
        while start < limit:
            end = min(start + int(rng.integers(60, 260)), limit)
            segment = (lane, start, lane, end) if upright else (start, lane, end, lane)
            if (width if upright else height) > lane + pitch:
                cv2.line(image, segment[:2], segment[2:], copper, thickness, cv2.LINE_AA)
                surface.traces.append(segment)
                for point in (segment[:2], segment[2:]):
                    cv2.circle(image, point, thickness, _pad_colour(copper, binary), -1, cv2.LINE_AA)
                    cv2.circle(image, point, max(thickness // 3, 2), ground, -1, cv2.LINE_AA)
            start = end + int(rng.integers(30, 90))
    if not binary:
        for _ in range(int(width * height / 60_000) + 2):
            w, h = (int(v) for v in rng.integers(24, 90, 2))
            x, y = int(rng.integers(8, max(width - w - 8, 9))), int(rng.integers(8, max(height - h - 8, 9)))
            body = tuple(int(v) for v in rng.integers(18, 70, 3))
            cv2.rectangle(image, (x, y), (x + w, y + h), body, -1)
            cv2.rectangle(image, (x, y), (x + w, y + h), tuple(v + 24 for v in body), 1)
            for pin in range(x + 6, x + w - 4, 10):
                cv2.rectangle(image, (pin, y - 5), (pin + 4, y), (190, 196, 200), -1)
                cv2.rectangle(image, (pin, y + h), (pin + 4, y + h + 5), (190, 196, 200), -1)
            text = f"{'RCUQ'[int(rng.integers(4))]}{rng.integers(1, 99)}"
            cv2.putText(
                image, text, (x + 3, y + h // 2 + 4), cv2.FONT_HERSHEY_SIMPLEX, 0.36, (210, 214, 214), 1
            )
            surface.parts.append(Rect(x - 1, y - 6, w + 3, h + 13))
        noise = rng.standard_normal((height, width, 1)) * 2.0
        surface.image = np.clip(image + cv2.GaussianBlur(noise, (0, 0), 0.8)[..., None] * 2, 0, 255).astype(
            np.uint8
        )
    return surface


def _pad_colour(copper: tuple[int, int, int], binary: bool) -> tuple[int, int, int]:
    return copper if binary else (120, 190, 214)


def draw_label(width: int, height: int, seed: int) -> Surface:
    """Draw a printed label: headline, lines of text, a bar code, a frame."""
    rng = np.random.default_rng(seed)
    paper = tuple(int(v) for v in rng.integers(205, 245, 3))
    ink = tuple(int(v) for v in rng.integers(20, 90, 3))
    image = np.full((height, width, 3), paper, np.uint8)
    cv2.rectangle(image, (12, 12), (width - 13, height - 13), ink, 2)
    surface = Surface(image, colours=(paper, ink))  # type: ignore[arg-type]
    y = 64
    while y < height - 30:
        kind = rng.random()
        if kind < 0.18 and y + 70 < height - 20:
            x = 30
            while x < min(width * 0.7, width - 40):
                bar = int(rng.integers(2, 7))
                cv2.rectangle(image, (x, y - 20), (x + bar - 1, y + 36), ink, -1)
                x += bar + int(rng.integers(2, 7))
            y += 90
            continue
        size = float(rng.choice([0.5, 0.7, 1.2]))
        x = 28
        while True:
            word = "".join(rng.choice(list("ABCDEFGHKLMNPRSTUVXYZ0123456789"), int(rng.integers(2, 9))))
            (w, h), _ = cv2.getTextSize(word, cv2.FONT_HERSHEY_SIMPLEX, size, max(round(size * 1.6), 1))
            if x + w > width - 26:
                break
            cv2.putText(
                image,
                word,
                (x, y),
                cv2.FONT_HERSHEY_SIMPLEX,
                size,
                ink,
                max(round(size * 1.6), 1),
                cv2.LINE_AA,
            )
            surface.parts.append(Rect(x - 1, y - h - 1, w + 3, h + 4))
            x += w + int(16 * size) + 6
        y += int(34 * size + 14)
    return surface


_MIN_CHANGE = 25
"""By how many grey levels a channel changes in a defect."""
_MIN_SHARE = 0.4
"""The share of the shape of a defect of a photo that must change so much."""
_MIN_DISTANCE = 24
"""px between defects."""
PHOTOGRAPHS = (
    "brick", "camera", "chelsea", "coffee", "coins", "grass", "gravel", "hubble_deep_field", "ihc", "moon",
    "motorcycle_left", "page", "retina", "rocket", "text",
)  # fmt: skip


def load_photograph(seed: int) -> Surface:
    """Load a photograph, scaled down to a long side of at most 1,000 px."""
    name = PHOTOGRAPHS[seed % len(PHOTOGRAPHS)]
    path = next(Path(str(skimage.data.data_dir)).glob(f"{name}.*"))
    decoded = cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    image = np.asarray(decoded, np.uint8)
    shrink = min(1000 / max(image.shape[:2]), 1.0)
    image = cv2.resize(image, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    rng = np.random.default_rng(seed)
    height, width = image.shape[:2]
    colours = [image[int(rng.integers(height)), int(rng.integers(width))].tolist() for _ in range(2)]
    return Surface(np.asarray(image, np.uint8), colours=(tuple(colours[0]), tuple(colours[1])))


def add_defects(surface: Surface, count: int, seed: int) -> tuple[Image, tuple[Defect, ...]]:
    """Return a copy of the surface with up to `count` separate defects, and the bounds of the changes."""
    rng = np.random.default_rng(seed)

    def draw(image: Image) -> tuple[str, Image, float] | None:
        kind, paint = _DEFECT_FUNCTIONS[int(rng.integers(len(_DEFECT_FUNCTIONS)))]
        if paint is _draw_stain and surface.colours[1] == (255, 255, 255):
            # A black-and-white scan shows no tint.
            return None
        trial = image.copy()
        return (kind, trial, 0) if paint(trial, surface, rng) else None

    return _place_defects(surface.image, count, 12 * count, 6, draw)


def add_photo_defects(
    intact: Image, other: Image, count: int, rng: np.random.Generator
) -> tuple[Image, tuple[Defect, ...]]:
    """Return a copy with up to `count` separate defects as photos have them, and the bounds of the changes.

    They are pasted pieces of `other`, cloned pieces, painted areas, scratches and stains.
    """

    def draw(image: Image) -> tuple[str, Image, float]:
        kind, trial, shape = _draw_photo_defect(image, other, rng)
        return kind, trial, _MIN_SHARE * np.count_nonzero(shape)

    return _place_defects(intact, count, 20 * count, 12, draw)


def _place_defects(
    image: Image,
    count: int,
    attempts: int,
    edge: float,
    draw: Callable[[Image], tuple[str, Image, float] | None],
) -> tuple[Image, tuple[Defect, ...]]:
    """Return a copy with up to `count` defects that are apart from each other and `edge` px from the edge.

    `draw` returns the kind of a defect, a copy with it, and how many px must change visibly.
    """
    height, width = image.shape[:2]
    defects: list[Defect] = []
    for _ in range(attempts):
        if len(defects) == count:
            break
        drawn = draw(image)
        if drawn is None:
            continue
        kind, trial, least = drawn
        changed = np.abs(trial.astype(np.int16) - image).max(axis=2) > _MIN_CHANGE
        if np.count_nonzero(changed) < max(least, 16):
            continue
        rows, columns = np.nonzero(changed)
        box = Rect(float(columns.min()), float(rows.min()), np.ptp(columns) + 1.0, np.ptp(rows) + 1.0)
        bounds = Rect(
            box.x - _MIN_DISTANCE, box.y - _MIN_DISTANCE, box.w + 2 * _MIN_DISTANCE, box.h + 2 * _MIN_DISTANCE
        )
        near_edge = min(box.x, box.y, width - box.right, height - box.bottom) < edge
        if near_edge or any(not bounds.intersection(other.box).is_empty for other in defects):
            continue
        image = trial
        defects.append(Defect(kind, box))
    return image.copy(), tuple(defects)


def _choose_trace_point(surface: Surface, rng: np.random.Generator) -> tuple[int, int, bool] | None:
    if not surface.traces:
        return None
    x1, y1, x2, y2 = surface.traces[int(rng.integers(len(surface.traces)))]
    part = rng.uniform(0.25, 0.75)
    return round(x1 + (x2 - x1) * part), round(y1 + (y2 - y1) * part), x1 == x2


def _draw_ellipse(
    image: Image, x: float, y: float, rng: np.random.Generator, size: float, colour: Any
) -> None:
    axes = (max(round(size * rng.uniform(0.6, 1.0)), 2), max(round(size * rng.uniform(0.6, 1.0)), 2))
    cv2.ellipse(
        image, (round(x), round(y)), axes, float(rng.uniform(0, 180)), 0, 360, colour, -1, cv2.LINE_AA
    )


def _draw_open_trace(image: Image, surface: Surface, rng: np.random.Generator) -> bool:
    place = _choose_trace_point(surface, rng)
    if place is None:
        return False
    x, y, upright = place
    half, gap = surface.thickness // 2 + 2, int(rng.integers(3, 9))
    reach = (half, gap) if upright else (gap, half)
    cv2.rectangle(image, (x - reach[0], y - reach[1]), (x + reach[0], y + reach[1]), surface.colours[0], -1)
    return True


def _draw_beside_trace(colour: int, depth: float) -> Callable[[Image, Surface, np.random.Generator], bool]:
    def draw(image: Image, surface: Surface, rng: np.random.Generator) -> bool:
        place = _choose_trace_point(surface, rng)
        if place is None:
            return False
        x, y, upright = place
        side = (surface.thickness / 2) * (1 if rng.random() < 0.5 else -1)
        centre = (x + side, y) if upright else (x, y + side)
        _draw_ellipse(
            image,
            centre[0],
            centre[1],
            rng,
            surface.thickness * rng.uniform(depth, depth * 1.5),
            surface.colours[colour],
        )
        return True

    return draw


def _draw_pinhole(image: Image, surface: Surface, rng: np.random.Generator) -> bool:
    place = _choose_trace_point(surface, rng)
    if place is None:
        return False
    cv2.circle(image, place[:2], max(surface.thickness // 3, 3), surface.colours[0], -1, cv2.LINE_AA)
    return True


def _draw_blob(image: Image, surface: Surface, rng: np.random.Generator) -> bool:
    height, width = image.shape[:2]
    _draw_ellipse(
        image,
        rng.uniform(20, width - 20),
        rng.uniform(20, height - 20),
        rng,
        rng.uniform(5, 14),
        surface.colours[1],
    )
    return True


def _remove_part(image: Image, surface: Surface, rng: np.random.Generator) -> bool:
    if not surface.parts:
        return False
    part = surface.parts[int(rng.integers(len(surface.parts)))]
    x, y = round(part.x), round(part.y)
    cv2.rectangle(image, (x, y), (round(part.right), round(part.bottom)), surface.colours[0], -1)
    return True


def _draw_scratch(image: Image, surface: Surface, rng: np.random.Generator) -> bool:
    height, width = image.shape[:2]
    x, y, turn = rng.uniform(30, width - 30), rng.uniform(30, height - 30), rng.uniform(0, np.pi)
    reach = rng.uniform(12, 40)
    ends = [(round(x + s * reach * np.cos(turn)), round(y + s * reach * np.sin(turn))) for s in (-1, 1)]
    cv2.line(image, ends[0], ends[1], surface.colours[1], 2, cv2.LINE_AA)
    return True


def _draw_stain(image: Image, surface: Surface, rng: np.random.Generator) -> bool:
    height, width = image.shape[:2]
    x, y = int(rng.uniform(30, width - 60)), int(rng.uniform(30, height - 60))
    part = image[y : y + 30, x : x + 44]
    mask = np.zeros(part.shape[:2], np.uint8)
    cv2.ellipse(mask, (22, 15), (18, 11), 0, 0, 360, 255, -1)
    soft = cv2.GaussianBlur(mask, (0, 0), 2.0)[..., None] / 255.0 * 0.6
    part[:] = (part * (1 - soft) + np.array([60, 80, 100]) * soft).astype(np.uint8)
    return True


_DEFECT_FUNCTIONS: tuple[tuple[str, Callable[[Image, Surface, np.random.Generator], bool]], ...] = (
    ("missing", _draw_open_trace),
    ("missing", _draw_beside_trace(0, 0.45)),
    ("added", _draw_beside_trace(1, 0.6)),
    ("missing", _draw_pinhole),
    ("added", _draw_blob),
    ("missing", _remove_part),
    ("scratch", _draw_scratch),
    ("stain", _draw_stain),
)


def _draw_photo_defect(image: Image, other: Image, rng: np.random.Generator) -> tuple[str, Image, Image]:
    """Return the kind of a defect, a copy of the image with it, and its mask (255 on 0)."""
    height, width = image.shape[:2]
    kind = ("pasted", "cloned", "painted over", "scratched", "stained")[int(rng.integers(5))]
    shape = np.zeros((height, width), np.uint8)
    x, y = int(rng.uniform(0.06, 0.94) * width), int(rng.uniform(0.06, 0.94) * height)
    if kind == "scratched":
        reach, turn = rng.uniform(14, 45), rng.uniform(0, np.pi)
        step = np.array([np.cos(turn), np.sin(turn)]) * reach
        bend = rng.uniform(-0.15, 0.15) * step[::-1]
        line = np.rint(np.array([-step, bend, step]) + np.array([x, y])).astype(np.int32)
        cv2.polylines(shape, [line], False, 255, int(rng.integers(2, 4)), cv2.LINE_AA)
        fill = np.full_like(image, 235 if rng.random() < 0.5 else 25)
        return kind, _blend(image, fill, shape, 0.9), shape
    axes = tuple(int(v) for v in rng.uniform(8, 30, 2))
    if rng.random() < 0.5:
        cv2.ellipse(shape, (x, y), axes, float(rng.uniform(0, 180)), 0, 360, 255, -1, cv2.LINE_AA)
    else:
        corners = cv2.boxPoints(((x, y), (2.0 * axes[0], 2.0 * axes[1]), float(rng.uniform(0, 180))))
        cv2.fillConvexPoly(shape, np.rint(corners).astype(np.int32), 255, cv2.LINE_AA)
    if kind == "stained":
        tint = np.array([rng.uniform(0.35, 0.75), rng.uniform(0.4, 0.8), rng.uniform(0.5, 0.85)])
        soft = cv2.GaussianBlur(shape, (0, 0), 2.0)
        return kind, _blend(image, np.asarray(image * tint, np.uint8), soft, 1.0), shape
    if kind == "painted over":
        ring = cv2.dilate(shape, np.ones((9, 9), np.uint8)) - shape
        colour = cv2.mean(image, ring)[:3]
        fill = np.empty_like(image)
        fill[:] = np.clip(np.array(colour) + rng.uniform(-45, 45), 0, 255)
    else:
        source = other if kind == "pasted" else image
        source_height, source_width = source.shape[:2]
        rows = (np.arange(height) + int(rng.integers(source_height))) % source_height
        columns = (np.arange(width) + int(rng.integers(source_width))) % source_width
        fill = source[rows[:, None], columns]
    return kind, _blend(image, fill, shape, 1.0), shape


def _blend(image: Image, fill: Image, shape: Image, opacity: float) -> Image:
    share = shape[..., None] / np.float32(255) * np.float32(opacity)
    return np.asarray(np.rint(image * (1 - share) + fill * share), np.uint8)
