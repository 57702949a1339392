"""Findings that a memory explains, in a place that looks unlike every photo that passed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from service.detection.appearance.comparing import Place
from service.detection.compute.appearances import Appearances, cut_out, needed_side
from service.detection.compute.computer import Computer
from service.detection.compute.request import AppearanceRequest, Request, as_json, to_request
from service.detection.failure import DetectionFailed
from service.detection.reference_difference import (
    Alignment,
    DetectedDifference,
    PhotoVariation,
    RegionMemory,
    Result,
    SuppressedDifference,
)
from service.detection.reference_difference.data import Pyramid
from service.detection.reference_difference.variation.serial import to_bytes
from shared import samples
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.wire.memory import MemoryKind, MemoryReason

REGION = Rect(0, 0, 480, 480)
BROKEN = Rect(60, 300, 120, 120)


def surface(seed: int, is_broken: bool = False) -> NDArray[np.uint8]:
    """A picture with noise, and with other contents in `BROKEN` if it is broken."""
    tiles = np.random.default_rng(4).integers(40, 200, (8, 8, 3))
    random = np.random.default_rng(seed)
    image = np.kron(tiles, np.ones((60, 60, 1))).astype(np.uint8) + random.integers(
        0, 12, (480, 480, 3), np.uint8
    )
    if is_broken:
        image[300:420, 60:180] = random.integers(0, 256, (120, 120, 3))
    return np.asarray(image, np.uint8)


@pytest.fixture(scope="module")
def appearances() -> Appearances:
    return Appearances()


def memory(appearances: Appearances, count: int, kind: MemoryKind = MemoryKind.PASSED) -> RegionMemory:
    """The memory of this number of photos; its first one is of this kind."""
    photos = [
        PhotoVariation(
            str(seed), seed, (), look=appearances.describe(Pyramid(surface(seed)), REGION, np.eye(3))
        )
        for seed in range(count)
    ]
    return RegionMemory.of(REGION, [replace(photos[0], kind=kind), *photos[1:]])


def suppressed(*boxes: Rect, photos: tuple[str, ...] = ("0",)) -> Result:
    """A comparison whose findings, in these boxes, are all suppressed."""
    alignment = Alignment(np.eye(3), 99, 0.0, 1.0, 1.0)
    findings = [
        SuppressedDifference(DetectedDifference("difference", 0.8, box), 0.1, photos) for box in boxes
    ]
    return Result((), alignment, 0.1, tuple(findings))


def test_a_suppressed_finding_where_the_photo_broke_is_unusual(appearances: Appearances) -> None:
    result = suppressed(Rect(90, 330, 40, 40), Rect(360, 60, 40, 40))

    unusual = appearances.unusual(memory(appearances, 4), surface(9, is_broken=True), result)

    assert unusual == [result.suppressed[0]]


def test_a_usual_photo_has_no_unusual_finding(appearances: Appearances) -> None:
    assert appearances.unusual(memory(appearances, 4), surface(9), suppressed(BROKEN)) == []


@pytest.mark.parametrize("count", [0, 1])
def test_with_fewer_than_two_photos_nothing_is_unusual(appearances: Appearances, count: int) -> None:
    known = memory(appearances, count) if count else None

    assert appearances.unusual(known, surface(9, is_broken=True), suppressed(BROKEN)) == []


def test_what_a_person_rejected_stays_suppressed(appearances: Appearances) -> None:
    known = memory(appearances, 4, MemoryKind.REJECTED)
    photo = surface(9, is_broken=True)

    assert appearances.unusual(known, photo, suppressed(BROKEN, photos=("0", "1"))) == []
    assert len(appearances.unusual(known, photo, suppressed(BROKEN, photos=("1", "2")))) == 1


def test_missing_weights_are_a_failure_with_a_code(
    appearances: Appearances, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.detection.appearance.efficientnet.PACKAGE", "no_such_package")

    with pytest.raises(DetectionFailed) as failure:
        Appearances().describe(Pyramid(surface(1)), REGION, np.eye(3))

    assert failure.value.code == "model_lost"


def test_an_unusual_finding_is_reported_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = samples.draw_scene(640, 480, 3, kinds=("added",))
    for name, image in (("reference.png", scene.reference), ("photo.png", scene.photo)):
        (tmp_path / name).write_bytes(bytes(cv2.imencode(".png", image)[1]))
    request = Request(
        "reference_difference", str(tmp_path / "photo.png"), reference=str(tmp_path / "reference.png")
    )
    with Computer() as computer:
        passed = [to_bytes(computer.photo_memory(request, str(number), number)) for number in range(3)]
        explained = computer.run(request, contents=passed)
        monkeypatch.setattr(Appearances, "unusual", lambda _self, _memory, _photo, result: result.suppressed)
        vetoed = computer.run(request, contents=passed)

    assert explained.passed
    assert explained.suppressed
    assert not vetoed.passed
    assert vetoed.suppressed == []
    assert {box.get("memory_reason") for box in vetoed.boxes} == {MemoryReason.UNUSUAL.value}


def test_a_request_survives_its_json_form() -> None:
    request = Request(
        "reference_difference", "a.png", appearance=AppearanceRequest(Place.ANYWHERE, ("b.png",))
    )

    assert to_request(dict(as_json(request))) == request


def test_the_section_of_a_picture() -> None:
    image = np.arange(100 * 200 * 3).reshape(100, 200, 3).astype(np.uint8)

    assert cut_out(image, Rect(0.25, 0.5, 0.5, 0.5)).shape == (50, 100, 3)
    assert cut_out(image, Rect(0.25, 0.5, 0.0001, 0.0001)).shape == (1, 1, 3)
    assert needed_side(Rect(0, 0, 0.5, 1))(4000, 3000) == pytest.approx(640 * 4000 / 2000)
