"""Measures how well the second opinion of a backbone distinguishes defects from other findings.

`python -m benchmarks.variation --backbone FILE` runs it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.figures import print_figure, print_skipped
from benchmarks.varied_regions import REGION, SIZE, Check, checks, finds, passed, photographed
from service.detection.compute.compute_process import check_model
from service.detection.compute.computer import Computer
from service.detection.compute.request import OpinionRequest, Request
from service.detection.failure import DetectionFailed
from service.detection.reference_difference import RegionMemory
from service.detection.reference_difference.variation.serial import to_bytes
from shared import samples
from shared.content import sha256
from shared.findings import UNUSUAL
from shared.findings import box_corners as box_corners
from shared.geometry import rect_from_corners
from shared.images.cv import cv2
from shared.samples.variation import draw_varied_region
from shared.wire.detection import ModelKind

PHOTOS = (2, 4, 8)
"""Passed photos of an opinion; a detection uses 8 at most."""
KIND = ModelKind.REFERENCE_DIFFERENCE


@dataclass(frozen=True)
class Opinion:
    """A finding: whether it is a defect, its second opinion and its confidence."""

    defect: bool
    value: float
    confidence: float


def second_opinions(
    name: str,
    kinds: Sequence[str],
    regions: int,
    seed: int,
    count: int,
    backbone: Path,
    settings: dict[str, Any],
) -> None:
    """Print the area under the ROC curve for findings without a memory, by the number of passed photos, and
    for those that a memory leaves."""
    model = check_model(backbone, ModelKind.BACKBONE, settings)
    wanted = OpinionRequest(
        str(backbone), backbone.stem, backbone.stem, backbone.stem, 1, model["settings"], reference_sha256=""
    )
    cases = {f"second opinion by {size} photos": (size, False) for size in PHOTOS}
    cases["second opinion on what a memory leaves"] = (max(PHOTOS), True)
    opinions: dict[str, list[Opinion]] = {case: [] for case in cases}
    taken = dict.fromkeys(cases, 0.0)
    with tempfile.TemporaryDirectory() as folder, Computer() as computer:
        for index in range(regions):
            region_kinds = np.random.default_rng(seed + index).permutation(kinds)[:4].tolist()
            region = draw_varied_region(SIZE, SIZE, seed + index, region_kinds)
            reference = _stored(region.reference, Path(folder))
            images = [region.draw_state(number).image for number in range(1, max(PHOTOS) + 1)]
            memory = [to_bytes(RegionMemory.of(REGION, [photo])) for photo in passed(region, images)]
            photos = [
                _request(_stored(photographed(region, image, number)[0], Path(folder)))
                for number, image in enumerate(images, 1)
            ]
            for check in checks(region, max(PHOTOS), count):
                request = _request(_stored(check.photo, Path(folder)))
                for case, (size, remembers) in cases.items():
                    known = replace(
                        wanted, reference_sha256=reference.stem, photos=tuple(reversed(photos))[:size]
                    )
                    asked = replace(request, reference=str(reference), second_opinion=known)
                    started = time.process_time()
                    opinions[case] += _opinions(computer, asked, check, memory if remembers else ())
                    taken[case] += time.process_time() - started
    for case, found in opinions.items():
        _print(f"{name}: {case}", found, taken[case] / (regions * count))


def _stored(image: samples.Image, folder: Path) -> Path:
    """The image as a file named by its content."""
    data = bytes(cv2.imencode(".png", image)[1])
    path = folder / f"{sha256(data)}.png"
    path.write_bytes(data)
    return path


def _request(photo: Path) -> Request:
    return Request(KIND, str(photo), photo_sha256=photo.stem)


def _opinions(computer: Computer, request: Request, check: Check, memory: Sequence[bytes]) -> list[Opinion]:
    try:
        boxes = computer.run(request, contents=memory).boxes
    except DetectionFailed:
        return []
    opinions = []
    for box in boxes:
        rect = rect_from_corners(*box_corners(box))
        is_defect = any(finds(rect, defect) for defect in check.defects)
        opinions.append(Opinion(is_defect, box["second_opinion"]["value"], box["confidence"]))
    return opinions


def _print(figure: str, found: Sequence[Opinion], seconds: float) -> None:
    defects = [one for one in found if one.defect]
    others = [one for one in found if not one.defect]
    if not defects or not others:
        print_skipped(f"{figure}, area under the ROC curve", "no defects or no other findings")
        return
    print_figure(
        f"{figure}, area under the ROC curve",
        area([one.value for one in defects], [one.value for one in others]),
        "",
        of_confidence=round(area([one.confidence for one in defects], [one.confidence for one in others]), 3),
        unusual_defects=round(float(np.mean([one.value >= UNUSUAL for one in defects])), 3),
        unusual_others=round(float(np.mean([one.value >= UNUSUAL for one in others])), 3),
        seconds_per_photo=round(seconds, 2),
        defects=len(defects),
        others=len(others),
    )


def area(positive: Sequence[float], negative: Sequence[float]) -> float:
    """The share of pairs in which the positive value is larger; equal ones count half."""
    larger = np.subtract.outer(positive, negative)
    return float((larger > 0).mean() + (larger == 0).mean() / 2)
