"""Homographies from local features: those that chance explains are not proposed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

from service.detection.reference_difference.alignment import checks, features, repeating
from service.detection.reference_difference.alignment.align import align
from service.detection.reference_difference.alignment.features import Features, extract, false_alarms
from service.detection.reference_difference.data import (
    AlignmentFailed,
    Matrix,
    Pyramid,
    apply,
    grey,
    shift_scale,
)
from shared import samples
from shared.images.cv import cv2
from shared.record.geometry import Rect

SIZE = (1200, 1200)


def described(points: Matrix, names: list[int]) -> Features:
    """Features at these points; the same name has the same descriptor."""
    known = np.random.default_rng(0).uniform(0, 1, (200, 128))
    known /= np.linalg.norm(known, axis=1, keepdims=True)
    count = len(points)
    return Features(points, np.full(count, 8.0), np.zeros(count), known[names].astype(np.float32))


def proposals(agreeing: int, others: int) -> Iterator[Matrix]:
    """What features propose of which `agreeing` have moved together, and `others` at random."""
    random = np.random.default_rng(5)
    count = agreeing + others
    reference = random.uniform(50, 1100, (count, 2))
    photo = random.uniform(50, 1100, (count, 2))
    photo[:agreeing] = reference[:agreeing] + 20 + random.normal(0, 0.5, (agreeing, 2))
    names = list(range(count))
    return features.propose(described(reference, names), described(photo, names), 3.0, SIZE)


def test_six_of_hundred_matches_that_agree_are_chance_and_twelve_are_not() -> None:
    by_chance = np.pi * 9 / (SIZE[0] * SIZE[1])

    assert false_alarms(100, 6, by_chance) > 1
    assert false_alarms(100, 12, by_chance) < 1e-6
    assert false_alarms(20, 7, by_chance) < 1


def test_matches_that_moved_together_propose_their_move() -> None:
    found = next(proposals(20, 60))

    assert apply(found, np.array([[600.0, 600.0]])) == pytest.approx(np.array([[620.0, 620.0]]), abs=1)


def test_matches_that_agree_by_chance_propose_nothing() -> None:
    assert list(proposals(6, 90)) == []


def test_features_of_a_kept_image_are_found_once() -> None:
    image = Pyramid(grey(samples.draw_scene(320, 240, 3).reference))
    other = Pyramid(image.warped(np.eye(3), image.size))
    area = Rect(0, 0, *image.size)

    first = checks.extract(image, area)

    assert checks.extract(image, area) is first
    assert checks.extract(image, area, 160) is not first
    assert checks.extract(other, area) is not first
    assert np.array_equal(checks.extract(other, area).points, first.points)


@pytest.mark.parametrize(("region", "side"), [(Rect(0, 0, 960, 720), 480), (Rect(400, 300, 60, 60), 1200)])
def test_features_are_as_fine_as_the_region_needs(
    region: Rect, side: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = samples.draw_scene(960, 720, 3, view=samples.View(rotation=20))
    sides, extract = [], checks.extract

    def record(image: Pyramid, area: Rect, side: int) -> Features:
        sides.append(side)
        return extract(image, area, side)

    monkeypatch.setattr(checks, "extract", record)
    align(Pyramid(grey(scene.reference)), region, Pyramid(grey(scene.photo)))

    assert set(sides) == {side}


def test_a_surface_whose_places_features_tell_apart_is_not_searched_as_a_repeating_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = samples.draw_scene(480, 360, 3)
    # Half of the structure lies elsewhere, so features agree on a place and the structure does not.
    other = scene.photo.copy()
    other[:, 240:] = samples.draw_scene(480, 360, 8).photo[:360, 240:480]
    search = MagicMock(return_value=iter(()))
    monkeypatch.setattr(repeating, "propose", search)

    with pytest.raises(AlignmentFailed):
        align(Pyramid(grey(scene.reference)), Rect(0, 0, 480, 360), Pyramid(grey(other)))

    search.assert_not_called()


@pytest.mark.parametrize(("aside", "reaches"), [(2, [4, 10]), (20, [4, 10, 8])])
def test_a_place_that_a_farther_search_ended_at_is_not_checked_again(
    aside: float, reaches: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    reference = samples.draw_scene(480, 360, 3).reference
    photo = reference.copy()
    photo[:, 200:] = samples.draw_scene(480, 360, 8).reference[:, 200:]
    done, check = [], checks.check

    def record(photo: Pyramid, frame: checks.ReferenceWindow, guess: Matrix, reach: int, *rest: Any) -> Any:
        if frame.size == (480, 360):
            done.append(reach)
        return check(photo, frame, guess, reach, *rest)

    monkeypatch.setattr(checks, "check", record)
    monkeypatch.setattr(features, "propose", lambda *_: iter([shift_scale(aside, 0, 1)]))
    with pytest.raises(AlignmentFailed):
        align(Pyramid(grey(reference)), Rect(0, 0, 480, 360), Pyramid(grey(photo)))

    assert done == reaches


def test_a_small_picture_has_fewer_features() -> None:
    noise = np.random.default_rng(1).integers(0, 255, (480, 480)).astype(np.uint8)

    assert 1500 < len(extract(cv2.GaussianBlur(noise, (0, 0), 1.5), np.eye(3)).points) <= 1920
