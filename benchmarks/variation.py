"""Measures on real photos what the memory of a region explains and what it must not.

    python -m benchmarks.variation [--fixed DIR] [--lamps DIR] [--photos DIR]

- `--fixed`: photos of one object by a camera that does not move, in the layout of MVTec AD (`train/good`,
  `test/good`, other folders of `test`). They are laid over each other as they are.
- `--lamps`: the first eight objects, by name, of FGCD (Feng et al. 2015): one visit under seven lamps without
  a change (`1-1` is the reference image), and one with changes (`2-1`, `GT`).
- `--photos`: photos of one unchanged object; the first by name is the reference image.

Each good photo is compared without a memory and with one of other good photos; every finding in it is false.
Prints one JSON line per figure (`benchmarks/figures.py`). Bad photos must not pass because of the memory.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.figures import make_parser, print_figure, print_skipped
from benchmarks.photos import find_lamp_objects, find_photos, list_photos, read_photo
from service.detection.compute.computer import Computer
from service.detection.failure import DetectionFailed
from service.detection.messages import Request
from service.detection.reference_difference.variation.serial import to_bytes
from shared.images.cv import cv2
from shared.record.entries import EntryBox
from shared.wire.detection import ModelKind

PASSED: Final = 5
FEWER_GOAL: Final = 0.5
"""False findings with `PASSED` photos, relative to those without a memory."""
_MANY: Final = 10
_AS_IT_IS: Final[dict[str, Any]] = {
    "alignment": {"photo_file_id": "as-it-is", "homography": np.eye(3).tolist()},
}


@dataclass
class Tally:
    """False findings of good photos and bad photos that pass, by the number of photos of the memory.

    refused: good photos that cannot be compared, or for which another one is asked, by the same number.
    """

    false: dict[int, list[int]] = field(default_factory=dict)
    passing: dict[int, list[str]] = field(default_factory=dict)
    bad: int = 0
    refused: dict[int, int] = field(default_factory=dict)
    seconds: dict[int, list[float]] = field(default_factory=dict)


class Comparer:
    """Compares photos with reference images; keeps the memory of each photo."""

    def __init__(self, item: dict[str, Any]) -> None:
        self._computer = Computer()
        self._item = item
        self._contents: dict[tuple[Path, Path], bytes | None] = {}

    def memory(self, reference: Path, photos: Sequence[Path]) -> list[bytes]:
        """The memories of these photos; a photo that is refused has none."""
        contents = []
        for photo in photos:
            if (reference, photo) not in self._contents:
                self._contents[reference, photo] = self._compare(reference, photo)
            contents.append(self._contents[reference, photo])
        return [content for content in contents if content is not None]

    def _compare(self, reference: Path, photo: Path) -> bytes | None:
        try:
            request = self._request(reference, photo)
            return to_bytes(self._computer.photo_memory(request, str(photo), float(len(self._contents))))
        except DetectionFailed:
            return None

    def findings(self, reference: Path, photo: Path, contents: Sequence[bytes]) -> list[EntryBox]:
        """The findings of a photo. Raises DetectionFailed."""
        return self._computer.run(self._request(reference, photo), contents=contents).boxes

    def _request(self, reference: Path, photo: Path) -> Request:
        return Request(
            kind=ModelKind.REFERENCE_DIFFERENCE, photo=str(photo), reference=str(reference), item=self._item
        )


def measure_fixed(folder: Path, tally: Tally) -> None:
    """Count in photos of a fixed camera: with the first good photo as the reference image."""
    photos = find_photos(folder)
    reference, *others = photos.passed[: _MANY + 1]
    comparer = Comparer(_AS_IT_IS)
    broken = [photo for photo in photos.bad if photo.parent.name.startswith("broken")] or photos.bad
    for size in (0, PASSED, _MANY):
        memory = comparer.memory(reference, others[:size])
        for photo in photos.good:
            _count_false(comparer, reference, photo, memory, size, tally)
        tally.passing[size] = [
            f"{photo.parent.name}/{photo.stem}"
            for photo in broken
            if not comparer.findings(reference, photo, memory)
        ]
    tally.bad = len(broken)


def measure_lamps(folder: Path, tally: Tally) -> None:
    """Count in photos under other lamps; a bad photo passes if no finding touches one of its changes."""
    comparer = Comparer({})
    for place in find_lamp_objects(folder):
        reference, *lamps = sorted(place.glob("1-*"))
        bad = next(iter(place.glob("2-1.*")))
        changes = list(_changes(next(iter(place.glob("GT.*")))))
        tally.bad += len(changes)
        for size in (0, PASSED):
            _count_with_others(comparer, reference, lamps, size, tally)
            try:
                boxes = comparer.findings(reference, bad, comparer.memory(reference, lamps[:size]))
            except DetectionFailed:
                boxes = []
            missed = [change for change in changes if not any(_touches(box, *change) for box in boxes)]
            tally.passing.setdefault(size, []).extend(f"{place.name} {change[:2]}" for change in missed)


def _changes(path: Path) -> Iterator[tuple[float, float]]:
    """The middles of the changes of at least 20 px in a picture of them."""
    truth = (read_photo(path).max(axis=2) > 127).astype(np.uint8)
    truth = cv2.morphologyEx(truth, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    count, _, stats, middles = cv2.connectedComponentsWithStats(np.asarray(truth, np.uint8))
    for number in range(1, count):
        if stats[number, 4] >= 20:
            x, y = middles[number].tolist()
            yield x, y


def _touches(box: EntryBox, x: float, y: float) -> bool:
    corners, margin = box["points"], 4
    within = corners["x1"] - margin <= x <= corners["x2"] + margin
    return within and corners["y1"] - margin <= y <= corners["y2"] + margin


def measure_photos(folder: Path, tally: Tally) -> None:
    """Count in photos of one object, each with a memory of the others."""
    comparer = Comparer({})
    reference, *photos = list_photos(folder)
    for size in (0, PASSED):
        _count_with_others(comparer, reference, photos, size, tally)


def _count_with_others(
    comparer: Comparer, reference: Path, photos: Sequence[Path], size: int, tally: Tally
) -> None:
    """Count in each photo with a memory of `size` others, those that follow it first."""
    for number, photo in enumerate(photos):
        others = [*photos[number + 1 :], *photos[:number]][:size]
        _count_false(comparer, reference, photo, comparer.memory(reference, others), size, tally)


def _count_false(
    comparer: Comparer, reference: Path, photo: Path, memory: Sequence[bytes], size: int, tally: Tally
) -> None:
    started = time.process_time()
    counts = tally.false.setdefault(size, [])
    try:
        counts.append(len(comparer.findings(reference, photo, memory)))
    except DetectionFailed:
        tally.refused[size] = tally.refused.get(size, 0) + 1
    tally.seconds.setdefault(size, []).append(time.process_time() - started)


def print_tally(name: str, tally: Tally) -> None:
    """Print the figures of a set."""
    for size, counts in tally.false.items():
        print_figure(
            f"{name}, {size} passed: false findings per good photo",
            _mean(counts),
            "",
            goal=FEWER_GOAL * _mean(tally.false[0]) if size == PASSED else None,
            photos=len(counts),
            clean=counts.count(0),
            refused=tally.refused.get(size, 0),
            relative=round(sum(counts) / max(sum(tally.false[0]), 1), 3),
        )
    for size, names in tally.passing.items():
        print_figure(
            f"{name}, {size} passed: bad that pass", len(names), "", of=tally.bad, which=", ".join(names[:12])
        )
    without, seconds = (statistics.median(tally.seconds[size]) for size in (0, PASSED))
    figure = f"{name}, {PASSED} passed: processor time of a good photo"
    print_figure(figure, seconds, "s", without_memory=round(without, 3))


def _mean(counts: Sequence[int]) -> float:
    """0 if every photo was refused."""
    return sum(counts) / max(len(counts), 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    sets = {"fixed": measure_fixed, "lamps": measure_lamps, "photos": measure_photos}
    parser = make_parser(__doc__, **dict.fromkeys(sets, Path))
    options = parser.parse_args(arguments)
    if not any(vars(options).values()):
        parser.error("the following arguments are required: --fixed, --lamps or --photos")
    for name, measure in sets.items():
        folder = getattr(options, name)
        if folder is None:
            continue
        if not folder.is_dir():
            print_skipped(f"{name}: false findings per good photo", "no folder with photos")
            continue
        tally = Tally()
        measure(folder, tally)
        print_tally(name, tally)
    return 0


if __name__ == "__main__":
    sys.exit(main())
