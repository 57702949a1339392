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

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.figures import make_parser
from benchmarks.reference_difference import MARGIN, Tally, calibration, move_box, strangers, widen
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples import Image, Matrix, View, view_matrix
from tests.material import scans

KINDS: Final = ("boards", "prints")
SIZE: Final = 640
QUALITY_GOAL = 0.90
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
        mapped = move_box(widen(Rect(box.x + x, box.y + y, box.w, box.h), MARGIN), matrix)
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


def stranger_pairs(count: int, seed: int) -> Iterator[tuple[Image, Image]]:
    """Reference images, with a photo of another surface of the same kind each."""
    for index in range(count):
        pair = draw_pair(KINDS[index % 2], seed + index, photo_seed=seed + 50_000 + index)
        yield pair.reference, pair.photo


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    options = make_parser(__doc__, pairs=30, seed=100, strangers=40).parse_args(arguments)
    tally = Tally()
    for pair in draw_pairs(options.pairs, options.seed):
        found = tally.compare(pair.kind, pair.reference, pair.photo, len(pair.truth))
        tally.count(pair.kind, found, match_findings([finding.box for finding in found], pair))
    tally.print_figures("bilevel reference and photo", QUALITY_GOAL)
    calibration(tally.judged)
    strangers("strangers of a bilevel reference", stranger_pairs(options.strangers, options.seed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
