"""Tests the measures on which the confidence of a finding depends."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from service.detection.reference_difference import detect
from service.detection.reference_difference.data import Alignment
from service.detection.reference_difference.difference.boxes import DifferencePart
from service.detection.reference_difference.difference.comparison import (
    Comparison,
    ComparisonFrame,
    Examined,
)
from service.detection.reference_difference.difference.confidence import (
    MAX_CONFIDENCE,
    confidence,
    measures,
)
from service.detection.reference_difference.light.light import Light
from shared.images.cv import cv2
from shared.record.geometry import Rect

SIDE = 200
SURROUNDINGS, USUAL, AREA = 4, 5, 6


def examine(around: float, usual: float = 2.0, at: int = 80, peak: float = 30.0) -> Examined:
    """A difference of 60 grey levels, 20 px wide, and of `around` everywhere else."""
    was = np.full((SIDE, SIDE, 3), 100, np.float32)
    now = was + np.float32(around)
    now[at : at + 20, at : at + 20] = 160
    part = DifferencePart(Rect(at, at, 20, 20), np.ones((20, 20), np.bool_), peak, 400, 20.0)
    frame = ComparisonFrame(np.eye(3), np.eye(3), (SIDE, SIDE))
    view = Comparison([part], frame, was, now, None, 1, Light(3, None), usual)
    return Examined([view], Alignment(np.eye(3), 50, 0.1, 1.0, 1.0), False, False, 6.0)


def measure_first(examined: Examined) -> tuple[float, ...]:
    (view,) = examined.looks
    return measures(view.found[0], view, examined)


def sure(examined: Examined) -> float:
    (view,) = examined.looks
    return confidence(view.found[0], view, examined)


def test_difference_that_continues_around_the_part_counts_less() -> None:
    alone, spread = examine(around=2), examine(around=40)
    assert measure_first(spread)[SURROUNDINGS] < measure_first(alone)[SURROUNDINGS] - 1
    assert sure(spread) < sure(alone)


@pytest.mark.parametrize("at", [0, SIDE - 20])
def test_surroundings_of_a_finding_at_the_edge_of_the_frame_are_those_that_are_seen(at: int) -> None:
    assert measure_first(examine(around=2, at=at))[SURROUNDINGS] == pytest.approx(np.log(61 / 3), abs=0.01)


def test_measures_are_logarithms_of_ratios() -> None:
    found = measure_first(examine(around=2, usual=5))
    assert found[SURROUNDINGS] == pytest.approx(np.log(61 / 3), abs=0.01)
    assert found[USUAL] == pytest.approx(np.log(61 / 6), abs=0.01)
    assert found[AREA] == pytest.approx(np.log(2))


def test_no_finding_is_certain() -> None:
    assert sure(examine(around=0, peak=300.0)) <= MAX_CONFIDENCE


CARS = (
    Rect(160, 20, 110, 130),
    Rect(380, 30, 120, 140),
    Rect(170, 190, 120, 120),
    Rect(390, 210, 110, 110),
    Rect(180, 340, 110, 120),
    Rect(400, 350, 120, 110),
)


def road(cars: Sequence[Rect], seed: int) -> NDArray[np.uint8]:
    """A plain road between verges with structure, and cars on it."""
    random = np.random.default_rng(4)
    image = np.full((480, 640, 3), 120, np.float32)
    for _ in range(160):
        x, y = int(random.choice([*range(140), *range(560, 640)])), int(random.integers(0, 480))
        colour = tuple(random.integers(20, 230, 3).tolist())
        cv2.rectangle(image, (x, y), (x + 12, y + 12), colour, -1)
    for car in cars:
        image[int(car.y) : int(car.bottom), int(car.x) : int(car.right)] = (190, 195, 200)
        image[int(car.y) + 8 : int(car.y) + 40, int(car.x) + 8 : int(car.right) - 8] = 30
    image = cv2.GaussianBlur(image, (0, 0), 0.8) + np.random.default_rng(seed).normal(0, 3, image.shape)
    return np.asarray(np.clip(image, 0, 255), np.uint8)


@pytest.mark.parametrize("count", [1, 3, 6])
def test_large_changes_keep_their_confidence_whatever_else_changed(count: int) -> None:
    result = detect(road((), 1), Rect(0, 0, 640, 480), road(CARS[:count], 2))

    assert len(result.boxes) == count
    assert all(max(box.box.iou(car) for box in result.boxes) > 0.7 for car in CARS[:count])
    assert min(box.confidence for box in result.boxes) > 0.95
