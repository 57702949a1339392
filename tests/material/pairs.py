"""Draws pairs of a reference image and a photo with known defects, and judges the findings in them.

Panels, boards (coloured and black-and-white), labels and photographs are damaged and photographed under known
views. Bilevel sheets are scanned, and a camera's photo of another scan is compared with the first one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from service.detection.reference_difference import DetectedDifference, detect
from service.detection.reference_difference.data import apply, corners
from shared import samples
from shared.images.cv import cv2
from shared.record.geometry import Rect, rect_from_corners
from shared.samples import Image, View
from tests.material import scans, surfaces

MATCH: Final = 0.33
"""The least intersection over union of a finding that is correct."""
MARGIN: Final = 8
"""px by which annotators draw a box larger on each side."""
KINDS: Final = ("panel", "board", "black-and-white board", "scanned board", "label", "photograph")
SCANS: Final = ("black-and-white board", "scanned board")
SHEETS: Final = ("boards", "prints")
SIZE: Final = 640
"""The side of a bilevel sheet, px."""


@dataclass(frozen=True)
class Pair:
    """A reference image, a photo and the true boxes in px of the photo.

    `cut`: the boxes that an edge cuts; findings there do not count. `region`: the compared region in px of
    the reference image, None for all of it. `by_centre`: a finding is correct if its centre is in a true box.
    """

    kind: str
    reference: Image
    photo: Image
    truth: Sequence[Rect]
    cut: Sequence[Rect] = ()
    region: Rect | None = None
    by_centre: bool = False

    def find(self) -> Sequence[DetectedDifference]:
        """Compare the region in the photo. Raises AlignmentFailed."""
        return detect(self.reference, self.region or whole(self.reference), self.photo).boxes

    def judge(self, found: Sequence[DetectedDifference]) -> list[bool | None]:
        """For each finding, the surest first, whether it takes a true box that no other has taken.

        None for one in a cut box, which does not count.
        """
        free = list(self.truth)
        verdicts: list[bool | None] = []
        for box in (one.box for one in found):
            hits = [true for true in free if self._is_hit(box, true)]
            if hits:
                free.remove(max(hits, key=box.iou))
            is_cut = not hits and any(self._is_cut(box, cut) for cut in self.cut)
            verdicts.append(None if is_cut else bool(hits))
        return verdicts

    def _is_hit(self, box: Rect, true: Rect) -> bool:
        return true.contains(*box.centre) if self.by_centre else box.iou(true) >= MATCH

    def _is_cut(self, box: Rect, cut: Rect) -> bool:
        if self.by_centre:
            return cut.contains(*box.centre)
        return box.intersection(cut).area > 0.5 * min(box.area, cut.area)


def surface(kind: str, seed: int, size: tuple[int, int]) -> tuple[Image, Image, tuple[samples.Defect, ...]]:
    """An intact surface, its damaged copy and the damage."""
    rng = np.random.default_rng(seed)
    if kind == "panel":
        drawn = samples.draw_panel(*size, seed=seed)
        kinds = list(rng.permutation(samples.KINDS)[: int(rng.integers(2, 6))])
        return drawn.image, *samples.damage_panel(drawn, kinds, seed)
    if kind == "scanned board":
        copper = scans.draw_board(*size, seed)
        hurt, faults = scans.add_faults(copper, int(rng.integers(3, 12)), seed)
        return cv2.merge([copper] * 3), cv2.merge([hurt] * 3), faults
    if kind == "photograph":
        sheet = surfaces.load_photograph(seed)
    elif kind == "label":
        sheet = surfaces.draw_label(*size, seed=seed)
    else:
        sheet = surfaces.draw_board(*size, seed=seed, binary=kind != "board")
    return sheet.image, *surfaces.add_defects(sheet, int(rng.integers(2, 7)), seed)


def view(level: str, rng: np.random.Generator) -> View:
    """A view of `level`: aligned (light, noise and compression only) or everything together."""
    if level == "aligned":
        return View(light=0.15, gain=float(rng.uniform(0.9, 1.1)), noise=3, jpeg=88)
    return View(
        rotation=float(rng.uniform(-10, 10)),
        scale=float(rng.uniform(0.8, 1.25)),
        perspective=0.04,
        light=0.4,
        gain=float(rng.uniform(0.85, 1.12)),
        noise=5,
        blur=float(rng.uniform(0.3, 1.2)),
        jpeg=80,
    )


def pairs(level: str, count: int, seed: int = 100) -> Iterator[Pair]:
    """`count` pairs per kind of surface."""
    for kind in KINDS:
        for index in range(count):
            rng = np.random.default_rng([seed, index, len(kind)])
            size = (640, 640) if index % 2 else (900, 700)
            reference, hurt, defects = surface(kind, seed + index, size)
            photo, matrix = samples.photograph(hurt, view(level, rng), seed + index)
            if kind == "black-and-white board" and level == "aligned":
                reference, photo = threshold(reference, rng), threshold(hurt, rng)
            truth = [_visible_box(defect.box, matrix, photo) for defect in defects]
            if kind == "scanned board" and level == "aligned":
                # The two scans do not quite lie on each other.
                shift = scans.draw_shift(*size, rng)
                truth = [scans.shift_box(defect.box, shift) for defect in defects]
                reference, photo = (
                    scans.scan(reference[..., 0], None, rng),
                    scans.scan(hurt[..., 0], shift, rng),
                )
            boxes = [box for box in truth if not box.is_empty]
            if level == "aligned" and kind in SCANS:
                boxes = [widen(box, MARGIN).clamp(photo.shape[1], photo.shape[0]) for box in boxes]
            yield Pair(kind, reference, photo, boxes)


def bilevel_pairs(count: int, seed: int) -> Iterator[Pair]:
    """`count` pairs of each kind of bilevel sheet."""
    return (draw_bilevel_pair(kind, seed + index) for kind in SHEETS for index in range(count))


def draw_bilevel_pair(kind: str, seed: int, photo_seed: int | None = None) -> Pair:
    """The pair of a seed. With `photo_seed`, the photo shows the sheet of that seed."""
    rng = np.random.default_rng([seed, 23])
    draw = scans.draw_board if kind == "boards" else scans.draw_print
    sheet = draw(SIZE, SIZE, seed)
    shown = sheet if photo_seed is None else draw(SIZE, SIZE, photo_seed)
    faulty, faults = scans.add_faults(shown, int(rng.integers(3, 12)), seed)
    reference = scans.scan(sheet, None, rng)
    shift = scans.draw_shift(SIZE, SIZE, rng)
    second_scan = scans.scan(faulty, shift, rng)
    if rng.random() < 0.5:
        reference, second_scan = 255 - reference, 255 - second_scan
    photo, matrix = scans.photograph_sheet(second_scan, rng)
    truth: list[Rect] = []
    cut: list[Rect] = []
    for fault in faults:
        mapped = move_box(widen(scans.shift_box(fault.box, shift), MARGIN), matrix)
        inside = mapped.clamp(photo.shape[1], photo.shape[0])
        (truth if inside.area > 0.99 * mapped.area else cut).append(inside)
    return Pair(kind, reference, photo, truth, [box for box in cut if not box.is_empty], by_centre=True)


def threshold(image: Image, rng: np.random.Generator) -> Image:
    """The image as a scanner that only knows black and white sees it: its edges jitter by a pixel or two."""
    rough = cv2.GaussianBlur(rng.standard_normal(image.shape[:2]).astype(np.float32), (0, 0), 1.5) * 60
    soft = cv2.GaussianBlur(image[..., 0].astype(np.float32), (0, 0), 1.6)
    level = soft + rough > float(rng.uniform(105, 150))
    return np.repeat((level * np.uint8(255))[..., None], 3, axis=2)


def stranger_pairs(count: int) -> Iterator[tuple[Image, Image]]:
    """`count` reference images per kind, with a photo of another surface each."""
    for kind in KINDS:
        for index in range(count):
            rng = np.random.default_rng([7, index])
            reference, _, _ = surface(kind, 500 + index, (640, 640))
            other = kind if index % 2 else KINDS[int(rng.integers(len(KINDS)))]
            _, hurt, _ = surface(other, 900 + index, (640, 640))
            level = "aligned" if index % 4 < 2 else "all"
            yield reference, samples.photograph(hurt, view(level, rng), index)[0]


def bilevel_stranger_pairs(count: int, seed: int) -> Iterator[tuple[Image, Image]]:
    """`count` bilevel reference images per kind, with a photo of another sheet of the same kind each."""
    for index in range(count * len(SHEETS)):
        kind = SHEETS[index % len(SHEETS)]
        pair = draw_bilevel_pair(kind, seed + index, photo_seed=seed + 50_000 + index)
        yield pair.reference, pair.photo


def move_box(box: Rect, matrix: samples.Matrix) -> Rect:
    """The bounds of `box` of the reference image in the photo, also beyond its edges."""
    points = apply(matrix, corners(box))
    return rect_from_corners(*points.min(axis=0).tolist(), *points.max(axis=0).tolist())


def _visible_box(box: Rect, matrix: samples.Matrix, photo: Image) -> Rect:
    whole = move_box(box, matrix)
    inside = whole.clamp(photo.shape[1], photo.shape[0])
    return inside if inside.area > 0.6 * whole.area else Rect(0, 0, 0, 0)


def widen(box: Rect, margin: float) -> Rect:
    """The box with `margin` px more on each side."""
    return Rect(box.x - margin, box.y - margin, box.w + 2 * margin, box.h + 2 * margin)


def whole(image: Image) -> Rect:
    """All of a picture."""
    return Rect(0, 0, image.shape[1], image.shape[0])
