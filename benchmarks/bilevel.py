"""Measures reference-difference where the reference image is bilevel and a camera took the photo.

    python -m benchmarks.bilevel [--pairs N] [--seed N] [--strangers N]

Prints one JSON line per figure (`benchmarks/figures.py`). Boards, and sheets with text, scales and symbols,
are drawn with the faults of `benchmarks/scans.py`, in white on black and in black on white. The reference
image is what a scanner in black and white makes of one, the photo is a camera's of what another scan made
of the other, which does not quite lie on it: turned, tilted, dim, in light that falls off to one side,
blurred, with noise and compression. A finding counts when its centre lies in a true box as annotators draw
it (8 px of the reference image on each side); defects of refused photos count as missed, and those that the
photo's edge cuts not at all.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks import scans
from benchmarks.figures import print_figure
from benchmarks.reference_difference import calibration
from service.detection.reference_difference import AlignmentFailed, detect
from shared.geometry import Rect, rect_from_corners
from shared.images.cv import cv2
from shared.samples import Image, Matrix, View, view_matrix

KINDS: Final = ("boards", "prints")
SIZE: Final = 640
MARGIN: Final = 8
QUALITY_GOAL, REFUSED_GOAL = 0.90, 0.02
# What lies beyond the thing in the photo: mostly what it lies on, or more of the same.
_BORDERS = (cv2.BORDER_CONSTANT, cv2.BORDER_CONSTANT, cv2.BORDER_REFLECT_101)


@dataclass(frozen=True)
class Photographed:
    """A bilevel reference, a camera's photo, and the annotated boxes in px of the photo.

    cut: those that the edge of the photo cuts; what is found there counts neither way.
    """

    kind: str
    reference: Image
    photo: Image
    truth: tuple[Rect, ...]
    cut: tuple[Rect, ...]


def pairs(count: int, seed: int) -> Iterator[Photographed]:
    """`count` pairs of each kind."""
    for kind in KINDS:
        for index in range(count):
            yield pair(kind, seed + index)


def pair(kind: str, seed: int, of: int | None = None) -> Photographed:
    """The pair with that seed; its photo is that of the surface with the seed `of`, where that is given."""
    rng = np.random.default_rng([seed, 23])
    draw = scans.etched if kind == "boards" else scans.marked
    sheet = draw(SIZE, SIZE, seed)
    hurt, faults = scans.faulty(draw(SIZE, SIZE, seed if of is None else of), int(rng.integers(3, 12)), seed)
    reference = scans.scanned(sheet, None, rng)
    shift = scans.wander(SIZE, SIZE, rng)
    seen = scans.scanned(hurt, shift, rng)
    if rng.random() < 0.5:
        reference, seen = 255 - reference, 255 - seen
    photo, matrix = photographed(seen, rng)
    truth: list[Rect] = []
    cut: list[Rect] = []
    for box in (fault.box for fault in faults):
        x, y = shift[int(box.y + box.h / 2), int(box.x + box.w / 2)].tolist()
        there = _moved(Rect(box.x + x, box.y + y, box.w, box.h), matrix)
        inside = there.clamp(photo.shape[1], photo.shape[0])
        (truth if inside.area > 0.99 * there.area else cut).append(inside)
    return Photographed(kind, reference, photo, tuple(truth), tuple(box for box in cut if not box.is_empty))


def photographed(image: Image, rng: np.random.Generator) -> tuple[Image, Matrix]:
    """A dim, tilted photo of `image` in uneven light, and the homography image px -> photo px."""
    view = View(
        rotation=float(rng.uniform(-10, 10)),
        scale=float(rng.uniform(0.8, 1.25)),
        perspective=float(rng.uniform(0, 0.05)),
    )
    matrix, size = view_matrix(image.shape[1], image.shape[0], view, int(rng.integers(1 << 30)))
    if rng.random() < 0.7:
        # The camera's own frame: rim and surroundings come into it, or parts leave it.
        own = (image.shape[1], image.shape[0])
        aside = np.array([[1, 0, (own[0] - size[0]) / 2], [0, 1, (own[1] - size[1]) / 2], [0, 0, 1]])
        matrix, size = aside @ matrix, own
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
    _, packed = cv2.imencode(".jpg", np.clip(np.rint(values), 0, 255).astype(np.uint8), quality)
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8), matrix


def _moved(box: Rect, matrix: Matrix) -> Rect:
    """The annotated box in px of the photo, also beyond its edges."""
    wide = Rect(box.x - MARGIN, box.y - MARGIN, box.w + 2 * MARGIN, box.h + 2 * MARGIN)
    corners = np.array(
        [[[wide.x, wide.y], [wide.right, wide.y], [wide.right, wide.bottom], [wide.x, wide.bottom]]]
    )
    seen = cv2.perspectiveTransform(corners, matrix)[0]
    (x1, y1), (x2, y2) = seen.min(axis=0).tolist(), seen.max(axis=0).tolist()
    return rect_from_corners(x1, y1, x2, y2)


def hits(found: Sequence[Rect], one: Photographed) -> list[bool | None]:
    """For each finding whether its centre lies in a true box that no other has taken; None: in a cut one."""
    free = list(one.truth)
    verdicts: list[bool | None] = []
    for box in found:
        own = next((each for each in free if _centred(box, each)), None)
        if own is not None:
            free.remove(own)
        is_cut = own is None and any(_centred(box, each) for each in one.cut)
        verdicts.append(None if is_cut else own is not None)
    return verdicts


def _centred(box: Rect, annotated: Rect) -> bool:
    x, y = box.x + box.w / 2, box.y + box.h / 2
    return annotated.x <= x < annotated.right and annotated.y <= y < annotated.bottom


def quality(count: int, seed: int) -> list[tuple[float, bool]]:
    """Print F and what is refused per kind and together; gives (confidence, real) of every finding."""
    sums = {kind: [0, 0, 0, 0] for kind in KINDS}
    judged: list[tuple[float, bool]] = []
    for one in pairs(count, seed):
        row = sums[one.kind]
        row[2] += len(one.truth)
        try:
            found = detect(one.reference, _whole(one.reference), one.photo).boxes
        except AlignmentFailed:
            row[3] += 1
            continue
        verdicts = zip(found, hits([each.box for each in found], one), strict=True)
        real = [(each.confidence, hit) for each, hit in verdicts if hit is not None]
        row[0] += sum(hit for _, hit in real)
        row[1] += len(real)
        judged += real
    together = [sum(column) for column in zip(*sums.values(), strict=True)]
    for kind, (hit, given, true, refused) in [*sums.items(), ("all", together)]:
        print_figure(
            f"F, bilevel reference and photo: {kind}",
            2 * hit / max(given + true, 1),
            "",
            goal=QUALITY_GOAL if kind == "all" else None,
            at_least=True,
            precision=round(hit / max(given, 1), 3),
            recall=round(hit / max(true, 1), 3),
        )
        pairs_of = count * (len(KINDS) if kind == "all" else 1)
        print_figure(
            f"refused, bilevel reference and photo: {kind}", refused / pairs_of, "", goal=REFUSED_GOAL
        )
    return judged


def strangers(count: int, seed: int) -> None:
    """How many photos of another surface of the same kind pass, find something, or are refused."""
    answers = {"passed": 0, "findings": 0, "refused": 0}
    for index in range(count):
        one = pair(KINDS[index % 2], seed + index, of=seed + 50_000 + index)
        try:
            found = detect(one.reference, _whole(one.reference), one.photo).boxes
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


def _whole(image: Image) -> Rect:
    return Rect(0, 0, image.shape[1], image.shape[0])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all of it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.bilevel",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--pairs", type=int, default=30, help="pairs per kind of surface")
    parser.add_argument("--seed", type=int, default=100, help="another one gives surfaces never seen before")
    parser.add_argument("--strangers", type=int, default=40, help="pairs that do not belong together")
    options = parser.parse_args(arguments)
    calibration(quality(options.pairs, options.seed))
    strangers(options.strangers, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
