"""Findings that a memory explains, in a place that looks unlike every photo that passed."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from service.detection.compute.appearances import Appearances, cut_out
from service.detection.compute.comparing import DetectionOutcome
from service.detection.compute.computer import Computer
from service.detection.failure import DetectionFailed
from service.detection.messages import Request, as_json, to_request
from service.detection.reference_difference import (
    Alignment,
    DetectedDifference,
    PhotoVariation,
    RegionMemory,
    Result,
    SuppressedDifference,
)
from service.detection.reference_difference.data import Pyramid
from service.detection.reference_difference.variation.serial import from_bytes, to_bytes
from shared import samples
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.wire.inspection import Place
from shared.wire.memory import MemoryKind, MemoryReason
from tests.service.detection.reference_difference.test_direction import relief

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
            str(seed), seed, (), look=appearances.aligned_look(Pyramid(surface(seed)), REGION, np.eye(3))
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

    weighed = appearances.weigh(memory(appearances, 4), surface(9, is_broken=True), result)

    assert weighed.boxes == (replace(result.suppressed[0].difference, reason=MemoryReason.UNUSUAL),)
    assert weighed.suppressed == (result.suppressed[1],)


def test_a_usual_photo_has_no_unusual_finding(appearances: Appearances) -> None:
    assert appearances.weigh(memory(appearances, 4), surface(9), suppressed(BROKEN)).boxes == ()


@pytest.mark.parametrize("count", [0, 1])
def test_with_fewer_than_two_photos_nothing_is_unusual(appearances: Appearances, count: int) -> None:
    known = memory(appearances, count) if count else None

    assert appearances.weigh(known, surface(9, is_broken=True), suppressed(BROKEN)).boxes == ()


def test_what_a_person_rejected_stays_suppressed(appearances: Appearances) -> None:
    known = memory(appearances, 4, MemoryKind.REJECTED)
    photo = surface(9, is_broken=True)

    assert appearances.weigh(known, photo, suppressed(BROKEN, photos=("0", "1"))).boxes == ()
    assert len(appearances.weigh(known, photo, suppressed(BROKEN, photos=("1", "2"))).boxes) == 1


def test_missing_weights_are_a_failure_with_a_code(
    appearances: Appearances, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.detection.appearance.efficientnet.PACKAGE", "no_such_package")

    with pytest.raises(DetectionFailed) as failure:
        Appearances().aligned_look(Pyramid(surface(1)), REGION, np.eye(3))

    assert failure.value.code == "model_lost"


def test_a_request_survives_its_json_form() -> None:
    request = Request("reference_difference", "a.png", point=(0, 0, 1, 1), passed=("b.png",))

    assert to_request(dict(as_json(request))) == request


def test_the_section_of_a_picture() -> None:
    image = np.arange(100 * 200 * 3).reshape(100, 200, 3).astype(np.uint8)

    assert cut_out(image, Rect(0.25, 0.5, 0.5, 0.5)).shape == (50, 100, 3)
    assert cut_out(image, Rect(0.25, 0.5, 0.0001, 0.0001)).shape == (1, 1, 3)


def gravel(seed: int, is_broken: bool = False) -> NDArray[np.uint8]:
    """A surface whose grains lie elsewhere in each photo, so that nothing can align it."""
    grains = np.random.default_rng(seed).normal(0, 1, (480, 480)).astype(np.float32)
    grains = np.asarray(cv2.GaussianBlur(grains, (0, 0), 4), np.float32)
    image = np.repeat((grains / grains.std() * 30 + 120)[..., None], 3, axis=2)
    if is_broken:
        image[60:180, 240:360] = (40, 40, 220)
    return np.asarray(np.clip(image, 0, 255), np.uint8)


class Gravels:
    """Photos of gravel in files, and the computer that compares them."""

    def __init__(self, folder: Path, computer: Computer) -> None:
        self._folder, self._computer = folder, computer
        self.reference = self.store("reference.png", gravel(0))
        self.good = self.store("good.png", gravel(50))
        self.broken = self.store("broken.png", gravel(51, is_broken=True))

    def store(self, name: str, image: NDArray[np.uint8]) -> str:
        (self._folder / name).write_bytes(bytes(cv2.imencode(".png", image)[1]))
        return str(self._folder / name)

    def request(self, photo: str, **fields: Any) -> Request:
        return Request("reference_difference", photo, reference=self.reference, **fields)

    def memory(self, count: int, **fields: Any) -> list[bytes]:
        """The memories of this number of photos that passed."""
        photos = [self.store(f"{seed}.png", gravel(seed)) for seed in range(1, count + 1)]
        return [
            to_bytes(self._computer.photo_memory(self.request(photo, **fields), photo, number))
            for number, photo in enumerate(photos)
        ]

    def run(self, photo: str, contents: Sequence[bytes] = (), **fields: Any) -> DetectionOutcome:
        return self._computer.run(self.request(photo, **fields), contents=contents)


@pytest.fixture
def gravels(tmp_path: Path) -> Iterator[Gravels]:
    with Computer() as computer:
        yield Gravels(tmp_path, computer)


def test_appearance_takes_over_when_a_photo_cannot_be_aligned(gravels: Gravels) -> None:
    memory = gravels.memory(3)

    good, broken = gravels.run(gravels.good, memory), gravels.run(gravels.broken, memory)

    assert good.passed
    assert good.boxes == []
    assert good.appearance is not None
    assert (good.appearance["photos"], good.alignment, good.memory) == (3, None, None)
    assert not broken.passed
    (box,) = broken.boxes
    assert box["points"] == {"x1": 216, "y1": 24, "x2": 384, "y2": 192}
    assert broken.appearance is not None
    assert broken.appearance["section"] == [0, 0, 1, 1]
    picture = np.frombuffer(base64.b64decode(broken.appearance["heat"]), np.uint8)
    rows, columns = np.nonzero(np.asarray(cv2.imdecode(picture, cv2.IMREAD_GRAYSCALE)) > 128)
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (1, 7, 9, 15)
    assert "appearance" in broken.answer()


def test_entry_says_that_the_light_comes_from_another_side(gravels: Gravels) -> None:
    gravels.reference = gravels.store("relief.png", relief(20))
    same = gravels.store("same.png", relief(20, 5, is_cracked=True))
    other = gravels.store("other.png", relief(70, 5, is_cracked=True))

    found = [gravels.run(photo).answer()["alignment"] for photo in (same, other)]

    assert [alignment and alignment.get("other_light") for alignment in found] == [None, True]


def test_without_a_passed_photo_the_refusal_stays(gravels: Gravels) -> None:
    with pytest.raises(DetectionFailed) as failure:
        gravels.run(gravels.good)

    assert failure.value.code == "alignment_failed"


def test_a_photo_of_something_else_is_refused(gravels: Gravels) -> None:
    stranger = gravels.store("stranger.png", np.full((480, 480, 3), (20, 200, 20), np.uint8))

    with pytest.raises(DetectionFailed) as failure:
        gravels.run(stranger, gravels.memory(3))

    assert failure.value.code == "alignment_failed"


def test_with_a_fixed_camera_the_reference_image_is_a_passed_photo(gravels: Gravels) -> None:
    fixed = {"place": "fixed"}

    good, broken = gravels.run(gravels.good, item=fixed), gravels.run(gravels.broken, item=fixed)

    assert good.passed
    assert good.appearance is not None
    assert (good.appearance["photos"], good.appearance["share"]) == (1, None)
    assert not broken.passed


def test_photo_of_a_fixed_camera_shows_each_place_at_the_same_fraction(gravels: Gravels) -> None:
    """Whatever the sizes of the two pictures are, so that they are compared by eye like an aligned pair."""
    good = cv2.imread(str(gravels.good))
    larger = gravels.store("larger.png", cv2.resize(good, (720, 960)))

    alignment = gravels.run(larger, item={"place": "fixed"}).alignment

    assert alignment == {"homography": np.diag([1.5, 2.0, 1.0]).tolist(), "set_by": "model"}


def test_what_an_item_ignores_is_not_compared(gravels: Gravels) -> None:
    ignored = [{"x": 0.4, "y": 0.05, "w": 0.45, "h": 0.4}]

    assert not gravels.run(gravels.broken, item={"place": "fixed"}).passed
    assert gravels.run(gravels.broken, item={"place": "fixed", "ignored": ignored}).passed


def test_what_a_single_photo_explains_is_suppressed_only_where_the_photo_looks_usual(
    appearances: Appearances,
) -> None:
    result = suppressed(Rect(90, 330, 40, 40))
    instead = DetectedDifference("added", 0.7, Rect(95, 335, 30, 30), MemoryReason.REST)
    once = replace(result, suppressed=(replace(result.suppressed[0], instead=instead),))

    assert appearances.weigh(memory(appearances, 4), surface(9), once) == result
    assert appearances.weigh(memory(appearances, 4), surface(9, is_broken=True), once).boxes == (instead,)


def test_an_item_with_a_place_is_never_aligned(tmp_path: Path, gravels: Gravels) -> None:
    scene = samples.draw_scene(640, 480, 3, kinds=("added",))
    gravels.reference = gravels.store("scene.png", scene.reference)
    photo = gravels.store("photo.png", scene.photo)

    aligned, anywhere = gravels.run(photo), gravels.run(photo, item={"place": Place.ANYWHERE.value})

    assert aligned.appearance is None
    assert aligned.alignment is not None
    assert anywhere.alignment is None
    assert anywhere.appearance is not None
    assert anywhere.appearance["place"] == "anywhere"


def test_a_photo_that_cannot_be_aligned_explains_nothing_and_disagrees_with_nothing(gravels: Gravels) -> None:
    memories = [from_bytes(content) for content in gravels.memory(5)]
    photos = [photo for memory in memories for photo in memory.photos]
    together = RegionMemory.of(REGION, photos)

    assert [photo.is_aligned for photo in photos] == [False] * 5
    assert len(together.sections()) == 5
    assert together.aligned().photos == ()


def test_the_passed_photos_propose_how_photos_are_compared(gravels: Gravels) -> None:
    request = gravels.request(gravels.good)
    unaligned = gravels.memory(3)
    photos = [photo for content in unaligned for photo in from_bytes(content).photos]
    aligned = [replace(photo, key=f"{photo.key}, aligned", is_aligned=True) for photo in photos]
    both = to_bytes(RegionMemory.of(REGION, [*photos, *aligned]))

    with Computer() as computer:
        assert computer.learn(request, unaligned) == ([], Place.FIXED)
        assert computer.learn(request, [both]) == ([], Place.ALIGN)
        assert computer.learn(request, []) == ([], None)


def test_a_photo_is_aligned_if_possible_though_the_passed_ones_were_not(gravels: Gravels) -> None:
    scene = samples.draw_scene(480, 480, 3)
    gravels.reference = gravels.store("scene.png", scene.reference)
    photo = gravels.store("photo.png", scene.photo)

    assert gravels.run(photo, gravels.memory(3)).alignment is not None


@pytest.mark.parametrize("kind", [MemoryKind.REJECTED, MemoryKind.FAILED])
def test_findings_that_a_person_judged_need_an_alignment(gravels: Gravels, kind: MemoryKind) -> None:
    with Computer() as computer, pytest.raises(DetectionFailed) as failure:
        computer.photo_memory(gravels.request(gravels.broken), "k", 1, kind, [Rect(0, 0, 9, 9)])

    assert failure.value.code == "alignment_failed"
