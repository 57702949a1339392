"""Measures how long a photo is aligned or refused: processor time on one core, and the wait.

    python -m benchmarks.refusals --set NAME=DIR ... [--lamps DIR] [--deeppcb DIR] [--pairs N]

- `--set`: photos of one object in the layout of MVTec AD; the first good one is the reference image.
- `--lamps`: the first eight objects, by name, of FGCD (Feng et al. 2015), under six lamps each.
- `--deeppcb`: the folder `PCBData` of DeepPCB (Tang et al. 2019), of which boards of two groups are compared.
- Always: photos of another drawn surface, `--pairs` of each kind.

The features of the reference image are known, as of an item with photos. For the wait, threads share the work
as in the service. Prints one JSON line per figure (`benchmarks/figures.py`).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.figures import make_parser, print_figure
from benchmarks.photos import find_lamp_objects, find_photos, parse_set, read_photo
from benchmarks.reference_difference import deeppcb_pairs
from service.detection.reference_difference import AlignmentFailed
from service.detection.reference_difference.alignment.align import align
from service.detection.reference_difference.data import Pyramid, grey
from service.detection.reference_difference.threads import WorkThreads
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples import Image
from tests.material.pairs import stranger_pairs

GOAL: Final = 0.3
"""Seconds of a refusal."""
_BAD: Final = 10
_GROUPS: Final = 7

Pairs = Iterable[tuple[Image, Image]]
"""Reference images and photos; those of one reference image after each other."""


def lamp_pairs(folder: Path) -> Iterator[tuple[Image, Image]]:
    """One visit to each object: a lamp and the others."""
    for place in find_lamp_objects(folder):
        reference, *photos = (read_photo(path) for path in sorted(place.glob("1-*")))
        yield from ((reference, photo) for photo in photos)


def object_pairs(folder: Path) -> Iterator[tuple[Image, Image]]:
    """One good photo, and the other good ones and some bad ones."""
    photos = find_photos(folder)
    reference, *others = photos.passed[:_BAD]
    known = read_photo(reference)
    yield from ((known, read_photo(path)) for path in [*others, *photos.good[:_BAD], *photos.bad[:_BAD]])


def board_pairs(folder: Path) -> Iterator[tuple[Image, Image]]:
    """Boards of DeepPCB, and photos of boards of another group."""
    pairs = list(deeppcb_pairs(folder))
    step = len(pairs) // _GROUPS
    for number in range(_GROUPS):
        other = pairs[(number * step + len(pairs) // 2) % len(pairs)]
        yield pairs[number * step].reference, other.photo


def measure(name: str, pairs: Pairs) -> None:
    """Print the longest and the mean times of aligned and of refused pairs."""
    kept, threads = list(pairs), cv2.getNumThreads()
    cv2.setNumThreads(1)
    _print_times(name, "processor time", kept, time.process_time)
    cv2.setNumThreads(threads)
    with closing(WorkThreads()) as shared, shared.shared():
        _print_times(name, "wait", kept, time.perf_counter)


def _print_times(name: str, kind: str, pairs: Pairs, clock: Callable[[], float]) -> None:
    aligned: list[float] = []
    refused: list[float] = []
    before: Image | None = None
    levels = Pyramid(np.zeros((1, 1), np.uint8))
    for reference, photo in pairs:
        if before is not reference:
            before, levels = reference, Pyramid(grey(reference))
            # A mirrored picture is not aligned, so all is computed that is kept of the reference image.
            _measure_pair(levels, np.asarray(cv2.flip(reference, 1), np.uint8), clock)
        is_aligned, seconds = _measure_pair(levels, photo, clock)
        (aligned if is_aligned else refused).append(seconds)
    for figure, times, goal in (("refused", refused, GOAL), ("aligned", aligned, None)):
        if times:
            mean, what = round(float(np.mean(times)), 3), f"{name}: {figure}, {kind}, at most"
            print_figure(what, max(times), "s", goal=goal, mean=mean, photos=len(times))


def _measure_pair(reference: Pyramid, photo: Image, clock: Callable[[], float]) -> tuple[bool, float]:
    start = clock()
    try:
        align(reference, Rect(0, 0, *reference.size), Pyramid(grey(photo)))
        is_aligned = True
    except AlignmentFailed:
        is_aligned = False
    return is_aligned, clock() - start


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = make_parser(__doc__, pairs=4, lamps=Path, deeppcb=Path)
    parser.add_argument("--set", dest="sets", type=parse_set, action="append", required=True)
    options = parser.parse_args(arguments)
    if options.lamps:
        measure("lamps", lamp_pairs(options.lamps))
    for name, folder in options.sets:
        measure(name, object_pairs(folder))
    if options.deeppcb:
        measure("boards of other groups", board_pairs(options.deeppcb))
    measure("other drawn surfaces", stranger_pairs(options.pairs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
