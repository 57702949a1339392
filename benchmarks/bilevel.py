"""Measures reference-difference with a bilevel reference image and a photo from a camera.

    python -m benchmarks.bilevel [--pairs N] [--seed N] [--strangers N]

Prints one JSON line per figure (`benchmarks/figures.py`). Boards, and sheets with text, scales and symbols,
are drawn with the faults of `tests/material/scans.py`, in white on black and in black on white. The reference
image is a black-and-white scan without faults. The photo shows another scan, with faults and slightly
shifted: rotated, tilted, dim, in light that decreases to one side, blurred, with noise and compression. A
finding is correct if its centre is in a true box as annotators draw it (8 px of the reference image larger on
each side). Defects in refused photos count as missed. Defects that the edge of the photo cuts do not count.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.figures import print_figure
from benchmarks.reference_difference import calibration
from service.detection.reference_difference import AlignmentFailed, detect
from shared.images.cv import cv2
from shared.record.geometry import Rect, rect_from_corners
from shared.samples import Image, Matrix, View, view_matrix
from tests.material import scans

KINDS: Final = ("boards", "prints")
SIZE: Final = 640
MARGIN: Final = 8
QUALITY_GOAL, REFUSED_GOAL = 0.90, 0.02
# The surroundings of the object in the photo: mostly a plain surface, or more of the object.
_BORDERS = (cv2.BORDER_CONSTANT, cv2.BORDER_CONSTANT, cv2.BORDER_REFLECT_101)


@dataclass(frozen=True)
class BilevelPair:
    """A bilevel reference, a camera's photo, and the annotated boxes in px of the photo.

    `cut`: the boxes that the edge of the photo cuts; findings there do not count.
    """

    kind: str
    reference: Image
    photo: Image
    truth: tuple[Rect, ...]
    cut: tuple[Rect, ...]


def draw_pairs(count: int, seed: int) -> Iterator[BilevelPair]:
    """Draw `count` pairs of each kind."""
    for kind in KINDS:
        for index in range(count):
            yield draw_pair(kind, seed + index)


def draw_pair(kind: str, seed: int, photo_seed: int | None = None) -> BilevelPair:
    """Draw the pair of a seed. With `photo_seed`, the photo shows the surface of that seed."""
    rng = np.random.default_rng([seed, 23])
    draw = scans.draw_board if kind == "boards" else scans.draw_print
    sheet = draw(SIZE, SIZE, seed)
    faulty, faults = scans.add_faults(
        draw(SIZE, SIZE, seed if photo_seed is None else photo_seed), int(rng.integers(3, 12)), seed
    )
    reference = scans.scan(sheet, None, rng)
    shift = scans.draw_shift(SIZE, SIZE, rng)
    second_scan = scans.scan(faulty, shift, rng)
    if rng.random() < 0.5:
        reference, second_scan = 255 - reference, 255 - second_scan
    photo, matrix = photograph(second_scan, rng)
    truth: list[Rect] = []
    cut: list[Rect] = []
    for box in (fault.box for fault in faults):
        x, y = shift[int(box.y + box.h / 2), int(box.x + box.w / 2)].tolist()
        mapped = _map_box(Rect(box.x + x, box.y + y, box.w, box.h), matrix)
        inside = mapped.clamp(photo.shape[1], photo.shape[0])
        (truth if inside.area > 0.99 * mapped.area else cut).append(inside)
    return BilevelPair(kind, reference, photo, tuple(truth), tuple(box for box in cut if not box.is_empty))


def photograph(image: Image, rng: np.random.Generator) -> tuple[Image, Matrix]:
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
        borderMode=_BORDERS[int(rng.integers(3))],
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


def _map_box(box: Rect, matrix: Matrix) -> Rect:
    """Return the annotated box in px of the photo, also beyond its edges."""
    annotated = Rect(box.x - MARGIN, box.y - MARGIN, box.w + 2 * MARGIN, box.h + 2 * MARGIN)
    corners = np.array(
        [
            [
                [annotated.x, annotated.y],
                [annotated.right, annotated.y],
                [annotated.right, annotated.bottom],
                [annotated.x, annotated.bottom],
            ]
        ]
    )
    mapped = cv2.perspectiveTransform(corners, matrix)[0]
    (x1, y1), (x2, y2) = mapped.min(axis=0).tolist(), mapped.max(axis=0).tolist()
    return rect_from_corners(x1, y1, x2, y2)


def match_findings(found: Sequence[Rect], pair: BilevelPair) -> list[bool | None]:
    """Return for each finding whether its centre is in an unmatched true box; None if it is in a cut box."""
    unmatched = list(pair.truth)
    verdicts: list[bool | None] = []
    for box in found:
        match = next((true for true in unmatched if _has_centre_in(box, true)), None)
        if match is not None:
            unmatched.remove(match)
        is_cut = match is None and any(_has_centre_in(box, cut) for cut in pair.cut)
        verdicts.append(None if is_cut else match is not None)
    return verdicts


def _has_centre_in(box: Rect, annotated: Rect) -> bool:
    return annotated.contains(*box.centre)


def print_quality(count: int, seed: int) -> list[tuple[float, bool]]:
    """Print F and the refusals for each kind and total; return (confidence, real) of every finding."""
    sums = {kind: [0, 0, 0, 0] for kind in KINDS}
    rated: list[tuple[float, bool]] = []
    for pair in draw_pairs(count, seed):
        row = sums[pair.kind]
        row[2] += len(pair.truth)
        try:
            found = detect(pair.reference, _whole_region(pair.reference), pair.photo).boxes
        except AlignmentFailed:
            row[3] += 1
            continue
        verdicts = zip(found, match_findings([finding.box for finding in found], pair), strict=True)
        real = [(finding.confidence, hit) for finding, hit in verdicts if hit is not None]
        row[0] += sum(hit for _, hit in real)
        row[1] += len(real)
        rated += real
    total = [sum(column) for column in zip(*sums.values(), strict=True)]
    for kind, (hit, given, true, refused) in [*sums.items(), ("all", total)]:
        print_figure(
            f"F, bilevel reference and photo: {kind}",
            2 * hit / max(given + true, 1),
            "",
            goal=QUALITY_GOAL if kind == "all" else None,
            at_least=True,
            precision=round(hit / max(given, 1), 3),
            recall=round(hit / max(true, 1), 3),
        )
        pair_count = count * (len(KINDS) if kind == "all" else 1)
        print_figure(
            f"refused, bilevel reference and photo: {kind}", refused / pair_count, "", goal=REFUSED_GOAL
        )
    return rated


def print_strangers(count: int, seed: int) -> None:
    """Print how many photos of another surface of the same kind pass, have findings or are refused."""
    answers = {"passed": 0, "findings": 0, "refused": 0}
    for index in range(count):
        pair = draw_pair(KINDS[index % 2], seed + index, photo_seed=seed + 50_000 + index)
        try:
            found = detect(pair.reference, _whole_region(pair.reference), pair.photo).boxes
            answers["findings" if found else "passed"] += 1
        except AlignmentFailed:
            answers["refused"] += 1
    print_figure(
        "strangers of a bilevel reference that pass",
        answers["passed"],
        "pairs",
        goal=0,
        findings=answers["findings"],
        refused=answers["refused"],
    )


def _whole_region(image: Image) -> Rect:
    return Rect(0, 0, image.shape[1], image.shape[0])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.bilevel",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--pairs", type=int, default=30, help="pairs per kind of surface")
    parser.add_argument("--seed", type=int, default=100, help="another one gives surfaces never seen before")
    parser.add_argument("--strangers", type=int, default=40, help="pairs that do not belong together")
    options = parser.parse_args(arguments)
    calibration(print_quality(options.pairs, options.seed))
    print_strangers(options.strangers, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
