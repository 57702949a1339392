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
from benchmarks.varied_regions import REGION, SIZE, Check, checks, finds, passed_variations, take_photo
from service.detection.compute.compute_process import check_model
from service.detection.compute.computer import Computer
from service.detection.compute.request import OpinionRequest, Request
from service.detection.failure import DetectionFailed
from service.detection.reference_difference import RegionMemory
from service.detection.reference_difference.variation.serial import to_bytes
from shared import samples
from shared.images.cv import cv2
from shared.record.content import sha256
from shared.record.findings import UNUSUAL, box_corners
from shared.record.geometry import rect_from_corners
from shared.wire.detection import ModelKind
from tests.material.varied_regions import draw_varied_region

PHOTOS = (2, 4, 8)
"""Passed photos of an opinion; a detection uses 8 at most."""
KIND = ModelKind.REFERENCE_DIFFERENCE


@dataclass(frozen=True)
class Opinion:
    """A finding: whether it is a defect, its second opinion and its confidence."""

    is_defect: bool
    value: float
    confidence: float


def measure_second_opinions(
    name: str,
    kinds: Sequence[str],
    regions: int,
    seed: int,
    count: int,
    backbone: Path,
    settings: dict[str, Any],
) -> None:
    """Print the area under the ROC curve of the second opinion.

    For findings without a memory, by the number of passed photos, and for findings that a memory does not
    explain.
    """
    model = check_model(backbone, ModelKind.BACKBONE, settings)
    opinion_request = OpinionRequest(
        str(backbone), backbone.stem, backbone.stem, backbone.stem, 1, model["settings"], reference_sha256=""
    )
    cases = {f"second opinion by {size} photos": (size, False) for size in PHOTOS}
    cases["second opinion on what a memory leaves"] = (max(PHOTOS), True)
    opinions: dict[str, list[Opinion]] = {case: [] for case in cases}
    seconds = dict.fromkeys(cases, 0.0)
    with tempfile.TemporaryDirectory() as folder, Computer() as computer:
        for index in range(regions):
            region_kinds = np.random.default_rng(seed + index).permutation(kinds)[:4].tolist()
            region = draw_varied_region(SIZE, SIZE, seed + index, region_kinds)
            reference = _store_image(region.reference, Path(folder))
            images = [region.draw_state(number).image for number in range(1, max(PHOTOS) + 1)]
            memory = [
                to_bytes(RegionMemory.of(REGION, [photo])) for photo in passed_variations(region, images)
            ]
            photos = [
                _create_request(_store_image(take_photo(region, image, number)[0], Path(folder)))
                for number, image in enumerate(images, 1)
            ]
            for check in checks(region, max(PHOTOS), count):
                request = _create_request(_store_image(check.photo, Path(folder)))
                for case, (size, uses_memory) in cases.items():
                    second_opinion = replace(
                        opinion_request,
                        reference_sha256=reference.stem,
                        photos=tuple(reversed(photos))[:size],
                    )
                    full_request = replace(request, reference=str(reference), second_opinion=second_opinion)
                    start = time.process_time()
                    opinions[case] += _detect_opinions(
                        computer, full_request, check, memory if uses_memory else ()
                    )
                    seconds[case] += time.process_time() - start
    for case, found in opinions.items():
        _print_opinions(f"{name}: {case}", found, seconds[case] / (regions * count))


def _store_image(image: samples.Image, folder: Path) -> Path:
    """Save the image as a file named by its content, and return its path."""
    data = bytes(cv2.imencode(".png", image)[1])
    path = folder / f"{sha256(data)}.png"
    path.write_bytes(data)
    return path


def _create_request(photo: Path) -> Request:
    return Request(KIND, str(photo), photo_sha256=photo.stem)


def _detect_opinions(
    computer: Computer, request: Request, check: Check, memory: Sequence[bytes]
) -> list[Opinion]:
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


def _print_opinions(figure: str, found: Sequence[Opinion], seconds: float) -> None:
    defects = [opinion for opinion in found if opinion.is_defect]
    others = [opinion for opinion in found if not opinion.is_defect]
    if not defects or not others:
        print_skipped(f"{figure}, area under the ROC curve", "no defects or no other findings")
        return
    print_figure(
        f"{figure}, area under the ROC curve",
        roc_area([opinion.value for opinion in defects], [opinion.value for opinion in others]),
        "",
        of_confidence=round(
            roc_area([opinion.confidence for opinion in defects], [opinion.confidence for opinion in others]),
            3,
        ),
        unusual_defects=round(float(np.mean([opinion.value >= UNUSUAL for opinion in defects])), 3),
        unusual_others=round(float(np.mean([opinion.value >= UNUSUAL for opinion in others])), 3),
        seconds_per_photo=round(seconds, 2),
        defects=len(defects),
        others=len(others),
    )


def roc_area(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Return the share of pairs with a larger positive value; equal pairs count half."""
    larger = np.subtract.outer(positive, negative)
    return float((larger > 0).mean() + (larger == 0).mean() / 2)
