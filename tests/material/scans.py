"""Draws black-and-white line scans of etched boards, with the six common faults of copper, and their photos.

The scans follow the description of DeepPCB (Tang et al. 2019, "Online PCB defect detector on a new PCB defect
dataset"): binary pairs of 640 x 640 px, aligned to one or two pixels, each with 3 to 12 open lines, shorts,
mouse bites, spurs, pin holes or spurious copper. Here the two scans have different thresholds, so that lines
differ in width, noisy edges, and a shift that varies smoothly across the board.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples import Defect, Image, Matrix, View, view_matrix

Mask = NDArray[np.uint8]

# The surroundings of a sheet in a photo: mostly a plain surface, or more of the sheet.
_SURROUNDINGS = (cv2.BORDER_CONSTANT, cv2.BORDER_CONSTANT, cv2.BORDER_REFLECT_101)
FAULTS: Final = ("open", "short", "mouse bite", "spur", "pin hole", "spurious")


def draw_board(width: int, height: int, seed: int) -> Mask:
    """Draw the copper of a board, 255 on 0: bent lines, fans of pads, fields of dots, or connected rings."""
    rng = np.random.default_rng(seed)
    copper = np.zeros((height, width), np.uint8)
    thickness = int(rng.integers(6, 14))
    pitch = thickness + int(rng.integers(8, 20))
    halves = [np.s_[:, : width // 2], np.s_[:, width // 2 :]]
    for area in halves if rng.random() < 0.5 else [np.s_[:, :]]:
        part = np.zeros(copper[area].shape, np.uint8)
        draw = (_draw_lines, _draw_fans, _draw_dots, _draw_rings)[int(rng.integers(4))]
        draw(part, thickness, pitch, rng)
        copper[area] = part
    return copper


def _draw_lines(part: Mask, thickness: int, pitch: int, rng: np.random.Generator) -> None:
    height, width = part.shape
    bend, jog = int(rng.integers(80, height - 80)), int(rng.integers(-90, 90))
    for x in range(-6 * pitch, width + 6 * pitch, pitch):
        if rng.random() < 0.1:
            continue
        points = [(x, -9), (x, bend), (x + jog, bend + abs(jog)), (x + jog, height + 9)]
        if rng.random() < 0.25:
            points = points[: int(rng.integers(2, 4))]
            cv2.circle(part, points[-1], int(thickness * 1.2), 255, -1, cv2.LINE_AA)
        cv2.polylines(part, [np.array(points, np.int32)], False, 255, thickness, cv2.LINE_AA)


def _draw_fans(part: Mask, thickness: int, pitch: int, rng: np.random.Generator) -> None:
    height, width = part.shape
    for _ in range(height * width // 30_000):
        x, y, length = (int(v) for v in (rng.integers(width), rng.integers(height), rng.integers(24, 60)))
        for lane in range(x, x + pitch * int(rng.integers(4, 10)), pitch + 6):
            cv2.rectangle(part, (lane, y), (lane + thickness + 4, y + length), 255, -1)
            middle, end = lane + thickness // 2 + 2, y + length + int(rng.integers(20, 120))
            cv2.line(part, (middle, y), (middle, end), 255, max(thickness - 2, 5), cv2.LINE_AA)


def _draw_dots(part: Mask, thickness: int, pitch: int, rng: np.random.Generator) -> None:
    height, width = part.shape
    radius = max(thickness // 2, 4)
    step = int(radius * rng.uniform(3.2, 5))
    for y in range(step, height, step):
        for x in range(step + (y // step % 2) * (step // 2), width, step):
            cv2.circle(part, (x, y), radius, 255, -1, cv2.LINE_AA)
    # Other structures in some places. Without them, the place of a photo in the field would be ambiguous.
    for _ in range(4):
        x, y, w, h = (int(v) for v in (*rng.integers(0, (width, height)), *rng.integers(60, 160, 2)))
        field = part[y : y + h, x : x + w]
        field[:] = 0
        for lane in range(pitch, field.shape[1] - pitch, pitch):
            cv2.line(field, (lane, 8), (lane, field.shape[0] - 8), 255, thickness, cv2.LINE_AA)


def _draw_rings(part: Mask, thickness: int, pitch: int, rng: np.random.Generator) -> None:
    height, width = part.shape
    step, radius = 2 * pitch + 14, max(thickness, 10) + 3
    places = [(x, y) for y in range(step // 2, height, step) for x in range(step // 2, width, step)]
    for x, y in places:
        target = (x + step * int(rng.integers(2)), y + step * int(rng.integers(-1, 2)))
        if rng.random() < 0.7:
            cv2.line(part, (x, y), target, 255, thickness, cv2.LINE_AA)
        cv2.circle(part, (x, y), radius, 255, -1, cv2.LINE_AA)
    for place in places:
        cv2.circle(part, place, radius // 2, 0, -1, cv2.LINE_AA)


def add_faults(copper: Mask, count: int, seed: int) -> tuple[Mask, tuple[Defect, ...]]:
    """Return a copy with up to `count` separate faults of 5 to 40 px, and the bounds of the changes."""
    rng = np.random.default_rng([seed, 6])
    faults: list[Defect] = []
    for _ in range(count * 20):
        if len(faults) == count:
            break
        kind = FAULTS[int(rng.integers(len(FAULTS)))]
        trial = _draw_fault(copper, kind, rng)
        rows, columns = np.nonzero(cv2.absdiff(trial, copper) > 127)
        if len(rows) < 20:
            continue
        box = Rect(
            float(columns.min()), float(rows.min()), float(np.ptp(columns) + 1), float(np.ptp(rows) + 1)
        )
        bounds = Rect(box.x - 16, box.y - 16, box.w + 32, box.h + 32)
        inside = (
            bounds.x > 0
            and bounds.y > 0
            and bounds.right < copper.shape[1]
            and bounds.bottom < copper.shape[0]
        )
        if not inside or not 5 <= max(box.w, box.h) <= 40:
            continue
        if any(not bounds.intersection(other.box).is_empty for other in faults):
            continue
        copper = trial
        faults.append(Defect(kind, box))
    return copper, tuple(faults)


def draw_print(width: int, height: int, seed: int) -> Mask:
    """Draw a print in one colour, 255 on 0: lines of text, scales, frames and symbols."""
    rng = np.random.default_rng([seed, 11])
    sheet = np.zeros((height, width), np.uint8)
    y = int(rng.integers(20, 50))
    while y < height - 60:
        draw = (_draw_text, _draw_text, _draw_scale, _draw_symbols)[int(rng.integers(4))]
        y += draw(sheet, y, rng) + int(rng.integers(14, 34))
    if rng.random() < 0.6:
        cv2.rectangle(sheet, (8, 8), (width - 9, height - 9), 255, int(rng.integers(4, 9)))
    return sheet


def _draw_text(sheet: Mask, y: int, rng: np.random.Generator) -> int:
    height, width = sheet.shape
    # In a smaller size, the hole of a bold zero would be closed in the reference image.
    size = float(rng.uniform(1.2, 2.4))
    thickness, text_height = max(round(size * rng.uniform(2.0, 2.8)), 3), round(size * 24)
    x = int(rng.integers(22, 80))
    while y + text_height < height - 18:
        word = "".join(rng.choice(list("ABCDEFGHKLMNPRSTUVXYZ0123456789"), int(rng.integers(1, 7))))
        (w, _), _ = cv2.getTextSize(word, cv2.FONT_HERSHEY_SIMPLEX, size, thickness)
        if x + w > width - 22:
            break
        cv2.putText(
            sheet, word, (x, y + text_height), cv2.FONT_HERSHEY_SIMPLEX, size, 255, thickness, cv2.LINE_AA
        )
        x += w + round(24 * size)
    return text_height + thickness


def _draw_scale(sheet: Mask, y: int, rng: np.random.Generator) -> int:
    width = sheet.shape[1]
    step, thickness, height = int(rng.integers(10, 22)), int(rng.integers(3, 6)), int(rng.integers(26, 48))
    cv2.line(sheet, (24, y + height), (width - 24, y + height), 255, thickness)
    for index, x in enumerate(range(28, width - 26, step)):
        length = height if index % 10 == 0 else round(height * (0.75 if index % 5 == 0 else 0.5))
        cv2.line(sheet, (x, y + height - length), (x, y + height), 255, thickness)
        if index % 10 == 0 and y + height + 44 < sheet.shape[0]:
            position = (x - 12, y + height + 40)
            cv2.putText(sheet, str(index), position, cv2.FONT_HERSHEY_SIMPLEX, 1.2, 255, 3, cv2.LINE_AA)
    return height + 42


def _draw_symbols(sheet: Mask, y: int, rng: np.random.Generator) -> int:
    height, width = sheet.shape
    size = int(min(int(rng.integers(44, 90)), height - y - 20))
    x = int(rng.integers(24, 60))
    while x + size < width - 24:
        middle, half = (x + size // 2, y + size // 2), size // 2
        kind, thickness = int(rng.integers(4)), int(rng.integers(5, 12))
        if kind == 0:
            cv2.circle(sheet, middle, half, 255, thickness, cv2.LINE_AA)
        elif kind == 1:
            cv2.rectangle(sheet, (x, y), (x + size, y + size), 255, -1)
            cv2.circle(sheet, middle, half // 2, 0, -1, cv2.LINE_AA)
        elif kind == 2:
            corners = [(x, y + size), (x + half, y), (x + size, y + size)]
            cv2.polylines(sheet, [np.array(corners, np.int32)], True, 255, thickness, cv2.LINE_AA)
        else:
            ends = (x, middle[1]), (x + size, middle[1])
            cv2.arrowedLine(sheet, *ends, 255, thickness, cv2.LINE_AA, tipLength=0.4)
        x += size + int(rng.integers(20, 70))
    return size


def _draw_fault(copper: Mask, kind: str, rng: np.random.Generator) -> Mask:
    """Return a copy with one fault, or `copper` itself if there is no place for it."""
    removes_copper = kind in ("open", "mouse bite", "pin hole")
    is_copper = np.asarray(copper > 127, np.uint8)
    depth = cv2.distanceTransform(is_copper if removes_copper else 1 - is_copper, cv2.DIST_L2, 5)
    size = float(rng.uniform(4, 11))
    ridge = depth >= cv2.dilate(depth, np.ones((3, 3))) - 0.01
    is_candidate = {
        "open": ridge & (depth > 2.5) & (depth < 10),
        "short": ridge & (depth > 2.5) & (depth < 12),
        "mouse bite": (depth > 0) & (depth < 1.5),
        "spur": (depth > 0) & (depth < 1.5),
        "pin hole": depth > 5,
        "spurious": depth > 8,
    }[kind]
    rows, columns = np.nonzero(is_candidate)
    if not len(rows):
        return copper
    pick = int(rng.integers(len(rows)))
    x, y = int(columns[pick]), int(rows[pick])
    reach = float(depth[y, x])
    if kind in ("open", "short"):
        size = reach + 2
    elif kind in ("pin hole", "spurious"):
        size = min(size, reach - 2)
    turns = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    radii = size * rng.uniform(0.75, 1.15, 12)
    outline = np.stack([x + radii * np.cos(turns), y + radii * np.sin(turns) * rng.uniform(0.7, 1.0)], axis=1)
    changed = copper.copy()
    shape = [np.rint(outline * 16).astype(np.int32)]
    cv2.fillPoly(changed, shape, 0 if removes_copper else 255, cv2.LINE_AA, 4)
    return changed


def draw_shift(width: int, height: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Draw a smooth shift of a scan of up to about 2 px, (height, width, 2) px."""
    components = []
    for _ in range(2):
        coarse = rng.uniform(-1, 1, (int(rng.integers(3, 6)), int(rng.integers(3, 6)))).astype(np.float32)
        smooth = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
        components.append(smooth * float(rng.uniform(0.3, 1.0)) + float(rng.uniform(-1.0, 1.0)))
    return np.stack(components, axis=2)


def shift_box(box: Rect, shift: NDArray[np.float32]) -> Rect:
    """Return where a box of the board is in a scan with this shift."""
    x, y = shift[int(box.y + box.h / 2), int(box.x + box.w / 2)].tolist()
    return Rect(box.x + x, box.y + y, box.w, box.h)


def scan(copper: Mask, shift: NDArray[np.float32] | None, rng: np.random.Generator) -> Image:
    """Scan the board in black and white: blurred, shifted and binarised at a threshold."""
    grey = cv2.GaussianBlur(copper.astype(np.float32), (0, 0), 1.3)
    height, width = copper.shape
    if shift is not None:
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        grey = cv2.remap(
            grey, x - shift[..., 0], y - shift[..., 1], cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
        )
    rough = cv2.GaussianBlur(rng.standard_normal(copper.shape).astype(np.float32), (0, 0), 1.2)
    level = grey + rough * (float(rng.uniform(3, 10)) / float(rough.std())) > float(rng.uniform(85, 170))
    _, data = cv2.imencode(".jpg", level.astype(np.uint8) * 255, [cv2.IMWRITE_JPEG_QUALITY, 90])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def photograph_sheet(image: Image, rng: np.random.Generator) -> tuple[Image, Matrix]:
    """Return a dim, tilted photo of `image` in uneven light, and the homography image px -> photo px."""
    view = View(
        rotation=float(rng.uniform(-10, 10)),
        scale=float(rng.uniform(0.8, 1.25)),
        perspective=float(rng.uniform(0, 0.05)),
    )
    matrix, size = view_matrix(image.shape[1], image.shape[0], view, int(rng.integers(1 << 30)))
    if rng.random() < 0.7:
        # A frame with the size of the image: the edge of the object is visible, or parts are cut off.
        frame = (image.shape[1], image.shape[0])
        shift = np.array([[1, 0, (frame[0] - size[0]) / 2], [0, 1, (frame[1] - size[1]) / 2], [0, 0, 1]])
        matrix, size = shift @ matrix, frame
    half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1.0]])
    smooth = cv2.GaussianBlur(image, (0, 0), 0.5 / view.scale) if view.scale < 1 else image
    photo = cv2.warpPerspective(
        smooth,
        np.linalg.inv(half) @ matrix @ half,
        size,
        flags=cv2.INTER_CUBIC,
        borderMode=_SURROUNDINGS[int(rng.integers(3))],
        borderValue=(float(rng.uniform(0, 255)),) * 3,
    )
    photo = cv2.GaussianBlur(photo, (0, 0), float(rng.uniform(0.3, 1.4)))
    turn = rng.uniform(0, 2 * np.pi)
    y, x = np.mgrid[0 : size[1], 0 : size[0]].astype(np.float32)
    ramp = (x / size[0] - 0.5) * np.cos(turn) + (y / size[1] - 0.5) * np.sin(turn)
    ramp = (ramp - ramp.min()) / np.ptp(ramp)
    black = float(rng.uniform(0, 25))
    light = float(rng.uniform(0.6, 0.7)) * (1 - float(rng.uniform(0, 0.4)) * ramp)
    values = (black + photo.astype(np.float32) * (1 - black / 255)) * light[..., None]
    values += rng.standard_normal((*values.shape[:2], 3)).astype(np.float32) * float(rng.uniform(2, 6))
    quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(70, 93))]
    _, data = cv2.imencode(".jpg", np.clip(np.rint(values), 0, 255).astype(np.uint8), quality)
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8), matrix
