"""Drawn aircraft skin with known damage: what the demo shows, and what tests and benchmarks measure on.

Everything follows from a seed, so a picture is the same on every machine. A panel is drawn once
(`panel`), damaged in reference pixels (`damage`) and photographed under a known view (`photograph`);
`scene` does all three. Images are BGR uint8, rectangles upright reference pixels, half-open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shared.cv import cv2
from shared.geometry import Rect

Image = NDArray[np.uint8]
Matrix = NDArray[np.float64]
Point = tuple[float, float]

KINDS = ("dent", "crack", "missing", "scratch", "stain", "added")


@dataclass(frozen=True, slots=True)
class Defect:
    """One piece of damage: a label of `KINDS` and the pixels it changed in the reference image."""

    label: str
    box: Rect


@dataclass(frozen=True, slots=True)
class Panel:
    """A drawn panel: image, centres of its rivets (px), a rivet's radius (px), spacing of the seams (px)."""

    image: Image
    rivets: tuple[Point, ...]
    rivet_radius: float
    cell: float


@dataclass(frozen=True, slots=True)
class View:
    """How a photo is taken.

    rotation in degrees; scale in photo px per reference px; perspective as the greatest shift of a corner
    in parts of the image size; light as the brightness change across the image in parts of full scale;
    gain multiplies; noise as standard deviation in grey levels; blur as Gaussian sigma in px; jpeg as
    quality (None: not compressed).
    """

    rotation: float = 0.0
    scale: float = 1.0
    perspective: float = 0.0
    light: float = 0.0
    gain: float = 1.0
    noise: float = 0.0
    blur: float = 0.0
    jpeg: int | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """A reference image, a photo of it, what is damaged in it, and reference px -> photo px."""

    reference: Image
    photo: Image
    defects: tuple[Defect, ...]
    homography: Matrix = field(repr=False)


def panel(width: int = 1600, height: int = 1200, seed: int = 1) -> Panel:
    """Draw a riveted skin panel of `width` x `height` px: seams, rivets, windows, a hatch, a registration."""
    rng = np.random.default_rng(seed)
    cell = max(min(width, height) / 2.6, 48.0)
    canvas = _skin(width, height, rng)
    left, top = (float(rng.uniform(0.15, 0.45)) * cell for _ in range(2))
    seams_x = np.arange(left, width, cell * 1.22)
    seams_y = np.arange(top, height, cell)
    rivets: list[Point] = []
    radius = max(cell / 90.0, 1.2)
    for x in seams_x:
        _line(canvas, (x, 0), (x, height), cell / 110, 96)
        rivets += [(x + side, y) for side in (-cell * 0.05, cell * 0.05) for y in _steps(height, cell / 11)]
    for y in seams_y:
        _line(canvas, (0, y), (width, y), cell / 130, 104)
        rivets += [(x, y + side) for side in (-cell * 0.05, cell * 0.05) for x in _steps(width, cell / 11)]
    rivets = _apart(rivets, radius * 2.6)
    for rivet in rivets:
        _rivet(canvas, rivet, radius)
    bays = [(x + cell * 0.61, y + cell * 0.5) for y in seams_y for x in seams_x]
    order = rng.permutation(len(bays))
    for place, index in enumerate(order):
        draw = _FITTINGS[place % len(_FITTINGS)]
        draw(canvas, bays[index], cell, rng)
    return Panel(_to_bytes(canvas), tuple(rivets), radius, cell)


def _skin(width: int, height: int, rng: np.random.Generator) -> NDArray[np.float32]:
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    shade = 196 + 10 * np.cos(y / max(height, 1) * 5.0 + 0.6) - 8 * x / max(width, 1)
    brushed = cv2.GaussianBlur(
        rng.standard_normal((height, width)).astype(np.float32), (0, 0), 6.0, sigmaY=0.7
    )
    cloud = rng.standard_normal((max(height // 24, 2), max(width // 24, 2))).astype(np.float32)
    shade += brushed * 4.5 + cv2.resize(cloud, (width, height), interpolation=cv2.INTER_CUBIC) * 0.8
    return np.dstack([shade + 8, shade + 3, shade - 3]).astype(np.float32)


def _steps(length: float, step: float) -> list[float]:
    return [float(v) for v in np.arange(step / 2, length, step)]


def _apart(points: Sequence[Point], distance: float) -> list[Point]:
    kept: dict[tuple[int, int], Point] = {}
    for x, y in points:
        key = (int(x // distance), int(y // distance))
        near = (kept.get((key[0] + i, key[1] + j)) for i in (-1, 0, 1) for j in (-1, 0, 1))
        if all(p is None or (p[0] - x) ** 2 + (p[1] - y) ** 2 >= distance**2 for p in near):
            kept[key] = (x, y)
    return list(kept.values())


def _to_bytes(canvas: NDArray[Any]) -> Image:
    return np.asarray(np.clip(np.rint(canvas), 0, 255), np.uint8)


def _mask(shape: tuple[int, ...], paint: Callable[[Image], None], soft: float = 0.7) -> NDArray[np.float32]:
    mask = np.zeros(shape[:2], np.uint8)
    paint(mask)
    blurred: NDArray[np.float32] = cv2.GaussianBlur(mask, (0, 0), soft).astype(np.float32) / 255
    return blurred


def _window_of(canvas: NDArray[Any], centre: Point, reach: float) -> tuple[NDArray[Any], Point]:
    """A view on the part of `canvas` within `reach` of `centre`, and the centre inside it."""
    height, width = canvas.shape[:2]
    x1, y1 = max(int(centre[0] - reach), 0), max(int(centre[1] - reach), 0)
    x2, y2 = min(int(centre[0] + reach) + 1, width), min(int(centre[1] + reach) + 1, height)
    return canvas[y1:y2, x1:x2], (centre[0] - x1, centre[1] - y1)


def _blend(part: NDArray[Any], mask: NDArray[np.float32], colour: Sequence[float] | NDArray[Any]) -> None:
    part[:] = part + (np.asarray(colour, np.float32) - part) * mask[..., None]


def _fixed(*values: float) -> tuple[int, ...]:
    """Coordinates in 1/16 px, as OpenCV's drawing takes them with shift=4."""
    return tuple(round(v * 16) for v in values)


def _line(canvas: NDArray[Any], start: Point, end: Point, thickness: float, grey: float) -> None:
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
    ends = (_fixed(start[0] - x1, start[1] - y1), _fixed(end[0] - x1, end[1] - y1))
    mask = _mask(part.shape, lambda m: cv2.line(m, *ends, 255, max(round(thickness), 1), cv2.LINE_AA, 4), 0.6)
    _blend(part, mask, (grey + 10, grey + 4, grey - 2))


def _rivet(canvas: NDArray[Any], centre: Point, radius: float) -> None:
    part, (x, y) = _window_of(canvas, centre, radius * 2 + 3)
    if part.size == 0:
        return
    rim = _mask(
        part.shape, lambda m: cv2.circle(m, _fixed(x, y), round(radius * 16), 255, -1, cv2.LINE_AA, 4)
    )
    _blend(part, rim * 0.85, (142, 134, 126))
    top = _mask(
        part.shape,
        lambda m: cv2.circle(
            m, _fixed(x - radius * 0.15, y - radius * 0.15), round(radius * 11), 255, -1, cv2.LINE_AA, 4
        ),
    )
    _blend(part, top * 0.9, (214, 208, 202))


def _windows(canvas: NDArray[Any], centre: Point, cell: float, rng: np.random.Generator) -> None:
    for step in (-0.34, 0.0, 0.34):
        part, (x, y) = _window_of(canvas, (centre[0] + step * cell, centre[1]), cell * 0.26)
        if part.size == 0:
            continue
        for grow, colour in ((1.18, (168, 160, 150)), (1.0, (74, 68, 54)), (0.86, (82, 72, 60))):
            half = (cell * 0.095 * grow, cell * 0.17 * grow)
            mask = _mask(part.shape, partial(_pill, x=x, y=y, half_w=half[0], half_h=half[1]), 0.9)
            _blend(part, mask, colour)


def _pill(mask: Image, x: float, y: float, half_w: float, half_h: float) -> None:
    thick = max(round(half_w * 2), 1)
    reach = max(half_h - half_w, 0.5)
    cv2.line(mask, _fixed(x, y - reach), _fixed(x, y + reach), 255, thick, cv2.LINE_AA, 4)


def _registration(canvas: NDArray[Any], centre: Point, cell: float, rng: np.random.Generator) -> None:
    text = f"B-{rng.integers(1000, 9999)}"
    size = cell / 95
    thick = max(round(cell / 26), 2)
    (text_w, text_h), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, thick)
    part, (x, y) = _window_of(canvas, centre, text_w * 0.6 + 4)
    if part.size == 0:
        return
    origin = (round(x - text_w / 2), round(y + text_h / 2))
    mask = _mask(
        part.shape,
        lambda m: cv2.putText(m, text, origin, cv2.FONT_HERSHEY_SIMPLEX, size, 255, thick, cv2.LINE_AA),
    )
    _blend(part, mask * 0.92, (138, 104, 68))


def _hatch(canvas: NDArray[Any], centre: Point, cell: float, rng: np.random.Generator) -> None:
    half_w, half_h = cell * rng.uniform(0.2, 0.32), cell * rng.uniform(0.16, 0.26)
    x, y = centre
    corners = [
        (x - half_w, y - half_h),
        (x + half_w, y - half_h),
        (x + half_w, y + half_h),
        (x - half_w, y + half_h),
    ]
    for start, end in zip(corners, corners[1:] + corners[:1], strict=True):
        _line(canvas, start, end, cell / 120, 122)
    for corner_x, corner_y in corners:
        inward = ((x - corner_x) * 0.16, (y - corner_y) * 0.16)
        _rivet(canvas, (corner_x + inward[0], corner_y + inward[1]), cell / 55)


def _stencil(canvas: NDArray[Any], centre: Point, cell: float, rng: np.random.Generator) -> None:
    words = ("NO STEP", "LIFT HERE", "FUEL", "STATIC PORT", "GND")
    text = words[int(rng.integers(len(words)))]
    size = max(cell / 420, 0.28)
    thick = max(round(cell / 300), 1)
    (text_w, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, thick)
    part, (x, y) = _window_of(canvas, (centre[0], centre[1] - cell * 0.2), text_w * 0.6 + 4)
    if part.size == 0:
        return
    origin = (round(x - text_w / 2), round(y))
    mask = _mask(
        part.shape,
        lambda m: cv2.putText(m, text, origin, cv2.FONT_HERSHEY_SIMPLEX, size, 255, thick, cv2.LINE_AA),
        0.5,
    )
    _blend(part, mask, (92, 84, 150))


def _bare(canvas: NDArray[Any], centre: Point, cell: float, rng: np.random.Generator) -> None:
    """A bay that stays bare skin: most of a real fuselage is."""


_FITTINGS = (_windows, _registration, _bare, _hatch, _stencil, _bare)


def damage(
    drawn: Panel, kinds: Sequence[str], seed: int = 1, inside: Rect | None = None
) -> tuple[Image, tuple[Defect, ...]]:
    """A copy of the panel's image with one defect of each of `kinds`, apart from each other.

    inside: the part of the image (px) that the defects keep to; the whole image without it. A defect for
    which no free place is found is left out. Raises KeyError on a kind that is not in `KINDS`.
    """
    rng = np.random.default_rng(seed)
    canvas = drawn.image.astype(np.float32)
    height, width = drawn.image.shape[:2]
    area = inside or Rect(0, 0, width, height)
    placed: list[Defect] = []
    for kind in kinds:
        draw = _DAMAGE[kind]
        for _ in range(60):
            size = drawn.cell * rng.uniform(0.12, 0.3)
            centre = _place(kind, drawn, area, size, rng)
            if centre is None or not _free(centre, size, area, placed):
                continue
            box = draw(canvas, centre, size, rng, drawn)
            placed.append(Defect(kind, box.clamped(width, height)))
            break
    return _to_bytes(canvas), tuple(placed)


def _place(kind: str, drawn: Panel, area: Rect, size: float, rng: np.random.Generator) -> Point | None:
    if kind == "missing":
        reach = drawn.rivet_radius * 3
        inner = Rect(area.x + reach, area.y + reach, area.w - 2 * reach, area.h - 2 * reach)
        rivets = [rivet for rivet in drawn.rivets if inner.contains(*rivet)]
        return rivets[int(rng.integers(len(rivets)))] if rivets else None
    if area.w <= size * 1.3 or area.h <= size * 1.3:
        return None
    return (
        float(rng.uniform(area.x + size * 0.6, area.right - size * 0.6)),
        float(rng.uniform(area.y + size * 0.6, area.bottom - size * 0.6)),
    )


def _free(centre: Point, size: float, area: Rect, placed: Sequence[Defect]) -> bool:
    around = Rect(centre[0] - size * 0.9, centre[1] - size * 0.9, size * 1.8, size * 1.8)
    return area.contains(*centre) and all(around.intersection(other.box).empty for other in placed)


def _bounds(mask: NDArray[np.float32], part_origin: Point, level: float = 0.25) -> Rect:
    rows, columns = np.nonzero(mask >= level)
    if rows.size == 0:
        return Rect(0, 0, 0, 0)
    x, y = float(columns.min()), float(rows.min())
    return Rect(
        x + part_origin[0], y + part_origin[1], float(columns.max()) + 1 - x, float(rows.max()) + 1 - y
    )


def _apply(
    canvas: NDArray[Any],
    centre: Point,
    reach: float,
    paint: Callable[[Image, Point], None],
    colour: Sequence[float],
    strength: float = 1.0,
    soft: float = 0.7,
) -> Rect:
    part, local = _window_of(canvas, centre, reach)
    mask = _mask(part.shape, lambda m: paint(m, local), soft)
    _blend(part, mask * strength, colour)
    return _bounds(mask, (centre[0] - local[0], centre[1] - local[1]))


def _dent(canvas: NDArray[Any], centre: Point, size: float, rng: np.random.Generator, drawn: Panel) -> Rect:
    part, (x, y) = _window_of(canvas, centre, size)
    rows, columns = np.mgrid[0 : part.shape[0], 0 : part.shape[1]].astype(np.float32)
    half_w, half_h = size * 0.5, size * rng.uniform(0.3, 0.5)
    u, v = (columns - x) / half_w, (rows - y) / half_h
    radius = np.sqrt(u * u + v * v)
    depth = np.clip(1 - radius, 0, 1) ** 0.6
    shade = (-0.55 + 0.75 * (u * 0.4 - v)) * depth * rng.uniform(38, 62)
    part += shade[..., None]
    return _bounds((np.abs(shade) > 4).astype(np.float32), (centre[0] - x, centre[1] - y))


def _crack(canvas: NDArray[Any], centre: Point, size: float, rng: np.random.Generator, drawn: Panel) -> Rect:
    angle = rng.uniform(0, np.pi)
    along = np.linspace(-0.5, 0.5, 7) * size
    across = rng.uniform(-0.09, 0.09, 7) * size

    def paint(mask: Image, local: Point) -> None:
        xs = local[0] + along * np.cos(angle) - across * np.sin(angle)
        ys = local[1] + along * np.sin(angle) + across * np.cos(angle)
        line = np.rint(np.stack([xs, ys], 1) * 16).astype(np.int32)
        cv2.polylines(mask, [line], False, 255, max(round(drawn.cell / 220), 1), cv2.LINE_AA, 4)

    return _apply(canvas, centre, size, paint, (44, 40, 38), 0.9, 0.5)


def _scratch(
    canvas: NDArray[Any], centre: Point, size: float, rng: np.random.Generator, drawn: Panel
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
            max(round(drawn.cell / 260), 1),
            cv2.LINE_AA,
            4,
        )

    return _apply(canvas, centre, size, paint, (250, 250, 250), 0.85, 0.5)


def _missing(
    canvas: NDArray[Any], centre: Point, size: float, rng: np.random.Generator, drawn: Panel
) -> Rect:
    radius = drawn.rivet_radius

    def paint(mask: Image, local: Point) -> None:
        cv2.circle(mask, _fixed(*local), round(radius * 16 * 1.05), 255, -1, cv2.LINE_AA, 4)

    return _apply(canvas, centre, radius * 3 + 3, paint, (40, 44, 52), 0.92)


def _stain(canvas: NDArray[Any], centre: Point, size: float, rng: np.random.Generator, drawn: Panel) -> Rect:
    turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    wobble = 1 + sum(rng.uniform(-0.16, 0.16) * np.sin(turns * k + rng.uniform(0, 6)) for k in (2, 3, 5))
    radius = size * 0.4 * wobble

    def paint(mask: Image, local: Point) -> None:
        shape = np.stack([local[0] + radius * np.cos(turns), local[1] + 0.8 * radius * np.sin(turns)], 1)
        cv2.fillPoly(mask, [np.rint(shape * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)

    return _apply(canvas, centre, size, paint, (70, 92, 118), rng.uniform(0.3, 0.55), size * 0.05 + 0.5)


def _added(canvas: NDArray[Any], centre: Point, size: float, rng: np.random.Generator, drawn: Panel) -> Rect:
    small = size * rng.uniform(0.35, 0.7)
    turn = float(rng.uniform(0, 180))
    colour = ((54, 60, 66), (236, 236, 232), (60, 130, 205), (70, 70, 170))[int(rng.integers(4))]

    def paint(mask: Image, local: Point) -> None:
        corners = cv2.boxPoints((local, (small, small * 0.62), turn))
        cv2.fillPoly(mask, [np.rint(corners * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)

    return _apply(canvas, centre, size, paint, colour, 0.95)


_DAMAGE: dict[str, Callable[[NDArray[Any], Point, float, np.random.Generator, Panel], Rect]] = {
    "dent": _dent,
    "crack": _crack,
    "missing": _missing,
    "scratch": _scratch,
    "stain": _stain,
    "added": _added,
}


def view_matrix(width: int, height: int, view: View, seed: int = 1) -> tuple[Matrix, tuple[int, int]]:
    """Reference px -> photo px for `view`, and the photo's (width, height): the scaled reference's size."""
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
    """A photo of `image` under `view`, and the 3 x 3 homography reference px -> photo px."""
    rng = np.random.default_rng(seed + 7)
    height, width = image.shape[:2]
    matrix, (out_w, out_h) = view_matrix(width, height, view, seed)
    photo: Image = image
    if not np.allclose(matrix, np.eye(3)):
        # Our pixel centres lie at half pixels, those of warpPerspective at whole ones.
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
        photo = _to_bytes(values)
    if view.jpeg is not None:
        _, data = cv2.imencode(".jpg", photo, [cv2.IMWRITE_JPEG_QUALITY, view.jpeg])
        photo = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return photo, matrix


def scene(
    width: int = 1600,
    height: int = 1200,
    seed: int = 1,
    kinds: Sequence[str] = KINDS,
    view: View | None = None,
) -> Scene:
    """A panel, its damage of `kinds` and a photo of it under `view`, all from `seed`."""
    drawn = panel(width, height, seed)
    hurt, defects = damage(drawn, kinds, seed)
    photo, matrix = photograph(hurt, view or View(), seed)
    return Scene(drawn.image, photo, defects, matrix)
