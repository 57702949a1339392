"""Draws a panel of undamaged aircraft skin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shared.images.cv import cv2
from shared.samples.brush import Image, Point, blend, crop_around, draw_soft_mask, fixed_point, to_uint8


@dataclass(frozen=True, slots=True)
class Panel:
    """A drawn panel: image, centres of the rivets (px), radius of a rivet (px), spacing of the seams (px)."""

    image: Image
    rivets: tuple[Point, ...]
    rivet_radius: float
    cell: float


def draw_panel(width: int = 1600, height: int = 1200, seed: int = 1) -> Panel:
    """Draw a riveted skin panel of `width` x `height` px: seams, rivets, windows, a hatch, a registration."""
    rng = np.random.default_rng(seed)
    cell = max(min(width, height) / 2.6, 48.0)
    canvas = _draw_skin(width, height, rng)
    left, top = (float(rng.uniform(0.15, 0.45)) * cell for _ in range(2))
    seams_x = np.arange(left, width, cell * 1.22)
    seams_y = np.arange(top, height, cell)
    rivets: list[Point] = []
    radius = max(cell / 90.0, 1.2)
    for x in seams_x:
        _draw_seam(canvas, (x, 0), (x, height), cell / 110, 96)
        rivets += [
            (x + side, y) for side in (-cell * 0.05, cell * 0.05) for y in _even_steps(height, cell / 11)
        ]
    for y in seams_y:
        _draw_seam(canvas, (0, y), (width, y), cell / 130, 104)
        rivets += [
            (x, y + side) for side in (-cell * 0.05, cell * 0.05) for x in _even_steps(width, cell / 11)
        ]
    rivets = _remove_close_points(rivets, radius * 2.6)
    for rivet in rivets:
        _draw_rivet(canvas, rivet, radius)
    bays = [(x + cell * 0.61, y + cell * 0.5) for y in seams_y for x in seams_x]
    order = rng.permutation(len(bays))
    for place, index in enumerate(order):
        draw = _FITTINGS[place % len(_FITTINGS)]
        draw(canvas, bays[index], cell, rng)
    return Panel(to_uint8(canvas), tuple(rivets), radius, cell)


def _draw_skin(width: int, height: int, rng: np.random.Generator) -> NDArray[np.float32]:
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    shade = 196 + 10 * np.cos(y / max(height, 1) * 5.0 + 0.6) - 8 * x / max(width, 1)
    brush_marks = cv2.GaussianBlur(
        rng.standard_normal((height, width)).astype(np.float32), (0, 0), 6.0, sigmaY=0.7
    )
    clouds = rng.standard_normal((max(height // 24, 2), max(width // 24, 2))).astype(np.float32)
    shade += brush_marks * 4.5 + cv2.resize(clouds, (width, height), interpolation=cv2.INTER_CUBIC) * 0.8
    return np.dstack([shade + 8, shade + 3, shade - 3]).astype(np.float32)


def _even_steps(length: float, step: float) -> list[float]:
    return [float(v) for v in np.arange(step / 2, length, step)]


def _remove_close_points(points: Sequence[Point], distance: float) -> list[Point]:
    cells: dict[tuple[int, int], Point] = {}
    for x, y in points:
        key = (int(x // distance), int(y // distance))
        neighbours = (cells.get((key[0] + i, key[1] + j)) for i in (-1, 0, 1) for j in (-1, 0, 1))
        if all(p is None or (p[0] - x) ** 2 + (p[1] - y) ** 2 >= distance**2 for p in neighbours):
            cells[key] = (x, y)
    return list(cells.values())


def _draw_seam(canvas: NDArray[Any], start: Point, end: Point, thickness: float, grey: float) -> None:
    height, width = canvas.shape[:2]
    reach = thickness + 3
    x1, x2 = (
        int(np.clip(v, 0, width)) for v in (min(start[0], end[0]) - reach, max(start[0], end[0]) + reach)
    )
    y1, y2 = (
        int(np.clip(v, 0, height)) for v in (min(start[1], end[1]) - reach, max(start[1], end[1]) + reach)
    )
    part = canvas[y1:y2, x1:x2]
    if part.size == 0:
        return
    ends = (fixed_point(start[0] - x1, start[1] - y1), fixed_point(end[0] - x1, end[1] - y1))
    mask = draw_soft_mask(
        part.shape, lambda m: cv2.line(m, *ends, 255, max(round(thickness), 1), cv2.LINE_AA, 4), 0.6
    )
    blend(part, mask, (grey + 10, grey + 4, grey - 2))


def _draw_rivet(canvas: NDArray[Any], centre: Point, radius: float) -> None:
    part, (x, y) = crop_around(canvas, centre, radius * 2 + 3)
    if part.size == 0:
        return
    rim = draw_soft_mask(
        part.shape, lambda m: cv2.circle(m, fixed_point(x, y), round(radius * 16), 255, -1, cv2.LINE_AA, 4)
    )
    blend(part, rim * 0.85, (142, 134, 126))
    top = draw_soft_mask(
        part.shape,
        lambda m: cv2.circle(
            m, fixed_point(x - radius * 0.15, y - radius * 0.15), round(radius * 11), 255, -1, cv2.LINE_AA, 4
        ),
    )
    blend(part, top * 0.9, (214, 208, 202))


def _draw_windows(canvas: NDArray[Any], centre: Point, cell: float, rng: np.random.Generator) -> None:
    for step in (-0.34, 0.0, 0.34):
        part, (x, y) = crop_around(canvas, (centre[0] + step * cell, centre[1]), cell * 0.26)
        if part.size == 0:
            continue
        for grow, colour in ((1.18, (168, 160, 150)), (1.0, (74, 68, 54)), (0.86, (82, 72, 60))):
            half = (cell * 0.095 * grow, cell * 0.17 * grow)
            mask = draw_soft_mask(
                part.shape, partial(_draw_pill, x=x, y=y, half_w=half[0], half_h=half[1]), 0.9
            )
            blend(part, mask, colour)


def _draw_pill(mask: Image, x: float, y: float, half_w: float, half_h: float) -> None:
    thickness = max(round(half_w * 2), 1)
    reach = max(half_h - half_w, 0.5)
    cv2.line(mask, fixed_point(x, y - reach), fixed_point(x, y + reach), 255, thickness, cv2.LINE_AA, 4)


def _draw_registration(canvas: NDArray[Any], centre: Point, cell: float, rng: np.random.Generator) -> None:
    text = f"B-{rng.integers(1000, 9999)}"
    size = cell / 95
    thickness = max(round(cell / 26), 2)
    (text_w, text_h), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, thickness)
    part, (x, y) = crop_around(canvas, centre, text_w * 0.6 + 4)
    if part.size == 0:
        return
    origin = (round(x - text_w / 2), round(y + text_h / 2))
    mask = draw_soft_mask(
        part.shape,
        lambda m: cv2.putText(m, text, origin, cv2.FONT_HERSHEY_SIMPLEX, size, 255, thickness, cv2.LINE_AA),
    )
    blend(part, mask * 0.92, (138, 104, 68))


def _draw_hatch(canvas: NDArray[Any], centre: Point, cell: float, rng: np.random.Generator) -> None:
    half_w, half_h = cell * rng.uniform(0.2, 0.32), cell * rng.uniform(0.16, 0.26)
    x, y = centre
    corners = [
        (x - half_w, y - half_h),
        (x + half_w, y - half_h),
        (x + half_w, y + half_h),
        (x - half_w, y + half_h),
    ]
    for start, end in zip(corners, corners[1:] + corners[:1], strict=True):
        _draw_seam(canvas, start, end, cell / 120, 122)
    for corner_x, corner_y in corners:
        inward = ((x - corner_x) * 0.16, (y - corner_y) * 0.16)
        _draw_rivet(canvas, (corner_x + inward[0], corner_y + inward[1]), cell / 55)


def _draw_stencil(canvas: NDArray[Any], centre: Point, cell: float, rng: np.random.Generator) -> None:
    labels = ("NO STEP", "LIFT HERE", "FUEL", "STATIC PORT", "GND")
    text = labels[int(rng.integers(len(labels)))]
    size = max(cell / 420, 0.28)
    thickness = max(round(cell / 300), 1)
    (text_w, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, thickness)
    part, (x, y) = crop_around(canvas, (centre[0], centre[1] - cell * 0.2), text_w * 0.6 + 4)
    if part.size == 0:
        return
    origin = (round(x - text_w / 2), round(y))
    mask = draw_soft_mask(
        part.shape,
        lambda m: cv2.putText(m, text, origin, cv2.FONT_HERSHEY_SIMPLEX, size, 255, thickness, cv2.LINE_AA),
        0.5,
    )
    blend(part, mask, (92, 84, 150))


def _draw_nothing(canvas: NDArray[Any], centre: Point, cell: float, rng: np.random.Generator) -> None:
    """Leave a bay bare, as most of a real fuselage is."""


_FITTINGS = (_draw_windows, _draw_registration, _draw_nothing, _draw_hatch, _draw_stencil, _draw_nothing)
