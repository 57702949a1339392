"""Draws damage on a panel in known places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples.brush import Image, Point, blend, crop_around, draw_soft_mask, fixed_point, to_uint8
from shared.samples.skin import Panel

KINDS = ("dent", "crack", "missing", "scratch", "stain", "added")


@dataclass(frozen=True, slots=True)
class Defect:
    """One piece of damage: a label of `KINDS` and the bounds of the changed pixels in the reference image."""

    label: str
    box: Rect


def damage_panel(
    panel: Panel, kinds: Sequence[str], seed: int = 1, inside: Rect | None = None
) -> tuple[Image, tuple[Defect, ...]]:
    """Draw one defect of each of `kinds` on a copy of the panel's image, without overlaps.

    `inside`: the part of the image (px) for the defects; the default is the whole image. A defect without a
    free place is left out. Raises KeyError for a kind that is not in `KINDS`.
    """
    rng = np.random.default_rng(seed)
    canvas = panel.image.astype(np.float32)
    height, width = panel.image.shape[:2]
    area = inside or Rect(0, 0, width, height)
    placed: list[Defect] = []
    for kind in kinds:
        draw = _DRAW_FUNCTIONS[kind]
        for _ in range(60):
            size = panel.cell * rng.uniform(0.12, 0.3)
            centre = _choose_place(kind, panel, area, size, rng)
            if centre is None or not _is_free(centre, size, area, placed):
                continue
            box = draw(canvas, centre, size, rng, panel)
            placed.append(Defect(kind, box.clamp(width, height)))
            break
    return to_uint8(canvas), tuple(placed)


def _choose_place(kind: str, panel: Panel, area: Rect, size: float, rng: np.random.Generator) -> Point | None:
    if kind == "missing":
        reach = panel.rivet_radius * 3
        inner = Rect(area.x + reach, area.y + reach, area.w - 2 * reach, area.h - 2 * reach)
        rivets = [rivet for rivet in panel.rivets if inner.contains(*rivet)]
        return rivets[int(rng.integers(len(rivets)))] if rivets else None
    if area.w <= size * 1.3 or area.h <= size * 1.3:
        return None
    return (
        float(rng.uniform(area.x + size * 0.6, area.right - size * 0.6)),
        float(rng.uniform(area.y + size * 0.6, area.bottom - size * 0.6)),
    )


def _is_free(centre: Point, size: float, area: Rect, placed: Sequence[Defect]) -> bool:
    bounds = Rect(centre[0] - size * 0.9, centre[1] - size * 0.9, size * 1.8, size * 1.8)
    return area.contains(*centre) and all(bounds.intersection(other.box).is_empty for other in placed)


def _mask_bounds(mask: NDArray[np.float32], part_origin: Point, level: float = 0.25) -> Rect:
    rows, columns = np.nonzero(mask >= level)
    if rows.size == 0:
        return Rect(0, 0, 0, 0)
    x, y = float(columns.min()), float(rows.min())
    return Rect(
        x + part_origin[0], y + part_origin[1], float(columns.max()) + 1 - x, float(rows.max()) + 1 - y
    )


def _paint_defect(
    canvas: NDArray[Any],
    centre: Point,
    reach: float,
    paint: Callable[[Image, Point], None],
    colour: Sequence[float],
    strength: float = 1.0,
    soft: float = 0.7,
) -> Rect:
    part, local = crop_around(canvas, centre, reach)
    mask = draw_soft_mask(part.shape, lambda m: paint(m, local), soft)
    blend(part, mask * strength, colour)
    return _mask_bounds(mask, (centre[0] - local[0], centre[1] - local[1]))


def _draw_dent(
    canvas: NDArray[Any], centre: Point, size: float, rng: np.random.Generator, panel: Panel
) -> Rect:
    part, (x, y) = crop_around(canvas, centre, size)
    rows, columns = np.mgrid[0 : part.shape[0], 0 : part.shape[1]].astype(np.float32)
    half_w, half_h = size * 0.5, size * rng.uniform(0.3, 0.5)
    u, v = (columns - x) / half_w, (rows - y) / half_h
    radius = np.sqrt(u * u + v * v)
    depth = np.clip(1 - radius, 0, 1) ** 0.6
    shade = (-0.55 + 0.75 * (u * 0.4 - v)) * depth * rng.uniform(38, 62)
    part += shade[..., None]
    return _mask_bounds((np.abs(shade) > 4).astype(np.float32), (centre[0] - x, centre[1] - y))


def _draw_crack(
    canvas: NDArray[Any], centre: Point, size: float, rng: np.random.Generator, panel: Panel
) -> Rect:
    angle = rng.uniform(0, np.pi)
    along = np.linspace(-0.5, 0.5, 7) * size
    across = rng.uniform(-0.09, 0.09, 7) * size

    def paint(mask: Image, local: Point) -> None:
        xs = local[0] + along * np.cos(angle) - across * np.sin(angle)
        ys = local[1] + along * np.sin(angle) + across * np.cos(angle)
        line = np.rint(np.stack([xs, ys], 1) * 16).astype(np.int32)
        cv2.polylines(mask, [line], False, 255, max(round(panel.cell / 220), 1), cv2.LINE_AA, 4)

    return _paint_defect(canvas, centre, size, paint, (44, 40, 38), 0.9, 0.5)


def _draw_scratch(
    canvas: NDArray[Any], centre: Point, size: float, rng: np.random.Generator, panel: Panel
) -> Rect:
    angle = rng.uniform(0, np.pi)
    bend = rng.uniform(-0.1, 0.1) * size

    def paint(mask: Image, local: Point) -> None:
        along = np.linspace(-0.5, 0.5, 15)
        xs, ys = along * size, bend * (1 - 4 * along**2)
        line = np.stack(
            [
                local[0] + xs * np.cos(angle) - ys * np.sin(angle),
                local[1] + xs * np.sin(angle) + ys * np.cos(angle),
            ],
            1,
        )
        cv2.polylines(
            mask,
            [np.rint(line * 16).astype(np.int32)],
            False,
            255,
            max(round(panel.cell / 260), 1),
            cv2.LINE_AA,
            4,
        )

    return _paint_defect(canvas, centre, size, paint, (250, 250, 250), 0.85, 0.5)


def _draw_missing_rivet(
    canvas: NDArray[Any], centre: Point, size: float, rng: np.random.Generator, panel: Panel
) -> Rect:
    radius = panel.rivet_radius

    def paint(mask: Image, local: Point) -> None:
        cv2.circle(mask, fixed_point(*local), round(radius * 16 * 1.05), 255, -1, cv2.LINE_AA, 4)

    return _paint_defect(canvas, centre, radius * 3 + 3, paint, (40, 44, 52), 0.92)


def _draw_stain(
    canvas: NDArray[Any], centre: Point, size: float, rng: np.random.Generator, panel: Panel
) -> Rect:
    turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    wobble = 1 + sum(rng.uniform(-0.16, 0.16) * np.sin(turns * k + rng.uniform(0, 6)) for k in (2, 3, 5))
    radius = size * 0.4 * wobble

    def paint(mask: Image, local: Point) -> None:
        shape = np.stack([local[0] + radius * np.cos(turns), local[1] + 0.8 * radius * np.sin(turns)], 1)
        cv2.fillPoly(mask, [np.rint(shape * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)

    return _paint_defect(
        canvas, centre, size, paint, (70, 92, 118), rng.uniform(0.3, 0.55), size * 0.05 + 0.5
    )


def _draw_foreign_object(
    canvas: NDArray[Any], centre: Point, size: float, rng: np.random.Generator, panel: Panel
) -> Rect:
    length = size * rng.uniform(0.35, 0.7)
    turn = float(rng.uniform(0, 180))
    colour = ((54, 60, 66), (236, 236, 232), (60, 130, 205), (70, 70, 170))[int(rng.integers(4))]

    def paint(mask: Image, local: Point) -> None:
        corners = cv2.boxPoints((local, (length, length * 0.62), turn))
        cv2.fillPoly(mask, [np.rint(corners * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)

    return _paint_defect(canvas, centre, size, paint, colour, 0.95)


_DRAW_FUNCTIONS: dict[str, Callable[[NDArray[Any], Point, float, np.random.Generator, Panel], Rect]] = {
    "dent": _draw_dent,
    "crack": _draw_crack,
    "missing": _draw_missing_rivet,
    "scratch": _draw_scratch,
    "stain": _draw_stain,
    "added": _draw_foreign_object,
}
