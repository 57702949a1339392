"""Measures the comparison by appearance on photos of one object, good and bad, that you have.

    python -m benchmarks.objects --set NAME=DIR ... [--passed 1 3 10] [--draws N]

DIR has good photos to compare with in `train/good` or `good`, and photos to judge in `test/good` and in other
folders of `test`, the layout of MVTec AD. Prints one JSON line per figure (`benchmarks/figures.py`). Of each
number of passed photos, `--draws` parts of the good ones are used, in the order of their names, and figures
are means over them. The floor is a peer in the same run: blocks 4 and 10 of the same backbone, the nearest
patch anywhere, the mean of the five largest distances. It has no limit, so it neither passes nor fails a
photo.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from benchmarks.figures import make_parser, print_figure, print_skipped
from benchmarks.photos import find_photos, parse_set, read_photo
from service.detection.appearance.backbone import SIDE, BuiltInBackbone, Features
from service.detection.appearance.comparing import AppearanceMemory
from service.detection.appearance.efficientnet import backbone_model
from shared.images.cv import cv2
from shared.samples import Image

GOALS: Final = {
    ("bottle", 1): 0.99,
    ("bottle", 3): 0.995,
    ("bottle", 10): 0.995,
    ("transistor", 1): 0.85,
    ("transistor", 3): 0.92,
    ("transistor", 10): 0.95,
}
SHARE_GOAL, SECONDS_GOAL, BYTES_GOAL = 0.9, 0.25, 5 * 2**20


def roc_area(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Return the share of pairs with a larger positive value; equal pairs count half."""
    larger = np.subtract.outer(positive, negative)
    return float((larger > 0).mean() + (larger == 0).mean() / 2)


class Peer:
    """Nearest-patch comparison in its shortest form."""

    def __init__(self) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session: Any = onnxruntime.InferenceSession(
            backbone_model(), options, providers=["CPUExecutionProvider"]
        )

    def features(self, image: Image) -> NDArray[np.float32]:
        """Return the patches, each of length 1."""
        tensor = cv2.resize(image, (SIDE, SIDE), interpolation=cv2.INTER_AREA)[:, :, ::-1]
        outputs = self._session.run(None, {"image": tensor.transpose(2, 0, 1)[None].astype(np.float32)})
        layers = []
        for output in (outputs[0], outputs[2]):
            layer = np.ascontiguousarray(output[0].transpose(1, 2, 0))
            layer = cv2.resize(layer, (20, 20), interpolation=cv2.INTER_AREA)
            layers.append(layer / np.linalg.norm(layer, axis=2, keepdims=True))
        patches = np.concatenate(layers, axis=2).reshape(400, -1)
        return np.asarray(patches / np.linalg.norm(patches, axis=1, keepdims=True), np.float32)

    def distance(self, photo: NDArray[np.float32], passed: Sequence[NDArray[np.float32]]) -> float:
        """Return the mean of the five largest distances to the nearest patch."""
        alike = photo @ np.concatenate(passed).T
        return float(1 - np.sort(alike.max(axis=1))[:5].mean())


@dataclass(frozen=True)
class Described:
    """The features of a photo, and those of the peer."""

    features: Features
    peer: NDArray[np.float32]


class Describer:
    """Computes features and the mean of the processor time."""

    def __init__(self) -> None:
        self._backbone, self._peer = BuiltInBackbone(), Peer()
        self._seconds: list[float] = []

    def describe(self, paths: Iterable[Path]) -> list[Described]:
        """Read the photos and compute their features."""
        described = []
        for path in paths:
            start = time.process_time()
            image = read_photo(path)
            features = self._backbone.features(image)
            self._seconds.append(time.process_time() - start)
            described.append(Described(features, self._peer.features(image)))
        return described

    @property
    def seconds(self) -> float:
        """The processor time for reading and describing one photo."""
        return float(np.mean(self._seconds))


def measure_set(name: str, folder: Path, counts: Sequence[int], draws: int) -> None:
    """Print the figures of one set."""
    photos = find_photos(folder)
    describer, peer = Describer(), Peer()
    passed = describer.describe(photos.passed[: max(counts) * draws])
    good, bad = describer.describe(photos.good), describer.describe(photos.bad)
    for count in counts:
        areas, peer_areas, passing, failing, seconds = [], [], [], [], []
        for start in range(0, min(count * draws, len(passed) - count + 1), count):
            used = passed[start : start + count]
            memory = AppearanceMemory.of([photo.features for photo in used])
            started = time.process_time()
            judged = [[memory.judge(photo.features) for photo in group] for group in (good, bad)]
            seconds.append((time.process_time() - started) / (len(good) + len(bad)))
            areas.append(roc_area(*([found.distance for found in group] for group in reversed(judged))))
            patches = [photo.peer for photo in used]
            peer_areas.append(
                roc_area(*([peer.distance(photo.peer, patches) for photo in group] for group in (bad, good)))
            )
            passing.append(np.mean([found.passed for found in judged[0]]))
            failing.append(np.mean([not found.passed for found in judged[1]]))
        figure = f"{name}, {count} passed"
        print_figure(
            f"{figure}: area under the ROC curve",
            float(np.mean(areas)),
            "",
            goal=GOALS.get((name, count)),
            at_least=True,
            floor=float(np.mean(peer_areas)),
            least=round(min(areas), 3),
            good=len(good),
            bad=len(bad),
            draws=len(areas),
            place=str(memory.place),
        )
        has_goal = count >= 3 and name in {known for known, _ in GOALS}
        share_goal = SHARE_GOAL if has_goal else None
        print_figure(f"{figure}: good that pass", float(np.mean(passing)), "", goal=share_goal, at_least=True)
        share_goal = SHARE_GOAL if name == "bottle" and count >= 3 else None
        print_figure(f"{figure}: bad that fail", float(np.mean(failing)), "", goal=share_goal, at_least=True)
        print_figure(
            f"{figure}: processor time of a photo",
            describer.seconds + float(np.mean(seconds)),
            "s",
            goal=SECONDS_GOAL,
            comparing=round(float(np.mean(seconds)), 4),
        )
        print_figure(f"{figure}: memory", memory.patches.nbytes, "bytes", goal=BYTES_GOAL)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = make_parser(__doc__, draws=3)
    parser.add_argument("--set", dest="sets", type=parse_set, action="append", required=True)
    parser.add_argument("--passed", type=int, nargs="+", default=[1, 3, 10])
    options = parser.parse_args(arguments)
    for name, folder in options.sets:
        try:
            measure_set(name, folder, options.passed, options.draws)
        except FileNotFoundError as error:
            print_skipped(f"{name}: area under the ROC curve", str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
