"""Comparing with passed photos: what is usual passes, at its place or anywhere, and the rest has parts."""

from __future__ import annotations

import numpy as np
import pytest

from service.detection.appearance.backbone import Features
from service.detection.appearance.comparing import MAX_PHOTOS, AppearanceMemory
from shared.record.geometry import Rect
from shared.wire.inspection import Place

SIZE, CHANNELS = 12, 48
SURFACE = np.random.default_rng(0).normal(size=(SIZE, SIZE, CHANNELS))


def photo(seed: int, noise: float = 0.2, moved: int = 0) -> Features:
    """Features of the surface with noise, moved by a number of patches."""
    values = np.roll(SURFACE, moved, axis=1)
    values = values + noise * np.random.default_rng(seed + 1).normal(size=values.shape)
    return np.asarray(values / np.linalg.norm(values, axis=2, keepdims=True), np.float16)


def broken(seed: int) -> Features:
    """A photo with four patches that no other photo has."""
    features = photo(seed)
    other = np.random.default_rng(99).normal(size=(2, 2, CHANNELS))
    features[3:5, 6:8] = other / np.linalg.norm(other, axis=2, keepdims=True)
    return features


@pytest.mark.parametrize("count", [2, 3, 10])
def test_a_usual_photo_passes_and_a_broken_one_has_a_part_where_it_broke(count: int) -> None:
    memory = AppearanceMemory.of([photo(seed) for seed in range(count)])

    usual, unusual = memory.judge(photo(50)), memory.judge(broken(51))

    assert usual.passed
    assert usual.parts == ()
    assert not unusual.passed
    # Beside the break patches are unusual too, because each is also compared with its neighbours.
    assert [(part.box.x, part.box.y, part.box.w, part.box.h) for part in unusual.parts] == [
        pytest.approx((5 / SIZE, 2 / SIZE, 4 / SIZE, 4 / SIZE))
    ]
    assert unusual.parts[0].ratio > 1
    rows, columns = np.unravel_index(unusual.heat.argmax(), unusual.heat.shape)
    assert (rows in {3, 4}, columns in {6, 7}) == (True, True)


def test_the_share_is_half_for_a_usual_photo_and_tiny_for_a_broken_one() -> None:
    memory = AppearanceMemory.of([photo(seed) for seed in range(10)])

    usual, unusual = memory.judge(photo(50)).share, memory.judge(broken(51)).share

    assert usual == pytest.approx(0.5, abs=0.15)
    assert unusual is not None
    assert unusual < 0.001


def test_a_photo_passes_if_two_of_a_hundred_passed_photos_are_expected_to_be_as_unusual() -> None:
    memory = AppearanceMemory.of([photo(seed) for seed in range(10)])

    near, beyond = memory.judge(photo(50, noise=0.26)), memory.judge(photo(50, noise=0.27))

    assert near.share == pytest.approx(0.027, abs=0.006)
    assert near.passed
    assert beyond.share == pytest.approx(0.011, abs=0.005)
    assert not beyond.passed


def test_one_photo_gives_no_share_and_shows_only_gross_changes() -> None:
    memory = AppearanceMemory.of([photo(1)])

    assert memory.judge(photo(2)).passed
    assert memory.judge(photo(2)).share is None
    assert not memory.judge(broken(3)).passed
    assert memory.judge(photo(4, noise=0.4)).passed


def test_photos_of_a_fixed_camera_choose_the_same_place() -> None:
    memory = AppearanceMemory.of([photo(seed) for seed in range(5)])

    assert memory.place is Place.FIXED
    assert not memory.judge(photo(50, moved=4)).passed


@pytest.mark.parametrize("noise", [0.2, 0.9])
def test_photos_of_an_object_that_lies_anywhere_choose_anywhere(noise: float) -> None:
    memory = AppearanceMemory.of([photo(seed, noise, seed * 3) for seed in range(4)])

    assert memory.place is Place.ANYWHERE


def test_a_photo_of_an_object_that_lies_anywhere_passes_where_no_passed_photo_has_it() -> None:
    memory = AppearanceMemory.of([photo(seed, moved=seed * 3) for seed in range(4)])

    assert memory.judge(photo(50, moved=5)).passed
    assert not memory.judge(broken(51)).passed


def test_a_patch_that_is_at_another_place_is_unusual_only_where_places_count() -> None:
    photos, misplaced = [photo(seed) for seed in range(5)], photo(50)
    misplaced[2:5, 2:5], misplaced[7:10, 7:10] = misplaced[7:10, 7:10].copy(), misplaced[2:5, 2:5].copy()

    assert not AppearanceMemory.of(photos, Place.FIXED).judge(misplaced).passed
    assert AppearanceMemory.of(photos, Place.ANYWHERE).judge(misplaced).passed


def test_a_patch_unlike_all_others_is_as_unusual_anywhere_as_at_its_place() -> None:
    photos = [photo(seed) for seed in range(5)]

    for place in (Place.FIXED, Place.ANYWHERE):
        assert not AppearanceMemory.of(photos, place).judge(broken(50)).passed


def test_a_person_can_choose_the_place() -> None:
    photos = [photo(seed) for seed in range(5)]

    memory = AppearanceMemory.of(photos, Place.ANYWHERE)

    assert memory.place is Place.ANYWHERE
    assert memory.judge(photo(50, moved=4)).passed


def test_equal_photos_leave_room_for_rounding() -> None:
    memory = AppearanceMemory.of([photo(1)] * 3)

    assert memory.judge(photo(1)).passed
    assert memory.limit > 0


def test_of_many_photos_those_that_differ_stay() -> None:
    alike = [photo(seed, noise=0.01) for seed in range(60)]
    different = photo(100, moved=3)

    memory = AppearanceMemory.of([*alike, different])

    assert len(memory.patches) == MAX_PHOTOS
    assert any(np.array_equal(stays, different) for stays in memory.patches)


def test_the_passed_photos_are_in_the_order_in_which_they_resemble_a_photo() -> None:
    passed = [photo(1, noise=0.3), broken(2), photo(3, noise=0.25)]

    assert AppearanceMemory.of(passed).judge(photo(50)).order == (2, 0, 1)
    (nearest, *_) = AppearanceMemory.of(passed).judge(broken(51)).order
    assert nearest == 1


def test_the_order_names_photos_as_they_were_given_also_of_many() -> None:
    alike = [photo(seed, noise=0.01) for seed in range(60)]

    found = AppearanceMemory.of([*alike, broken(2)]).judge(broken(51))

    assert found.order[0] == 60
    assert len(found.order) == MAX_PHOTOS


def test_the_most_heat_of_a_box_is_that_of_the_patches_it_touches() -> None:
    found = AppearanceMemory.of([photo(seed) for seed in range(3)]).judge(broken(51))

    assert found.most_heat(Rect(0.45, 0.2, 0.1, 0.1)) > 1
    assert found.most_heat(Rect(0.8, 0.8, 0.1, 0.1)) < 1
    assert found.most_heat(Rect(7.1 / SIZE, 4.1 / SIZE, 0.001, 0.001)) > 1
    assert found.most_heat(Rect(1.5, 1.5, 0.1, 0.1)) == found.heat[-1, -1]


def test_what_is_ignored_is_usual() -> None:
    memory = AppearanceMemory.of([photo(seed) for seed in range(3)])

    assert not memory.judge(broken(51)).passed
    assert memory.judge(broken(51), [Rect(0.5, 0.25, 2 / SIZE, 2 / SIZE)]).passed
    assert not memory.judge(broken(51), [Rect(0.5, 0.25, 1 / SIZE, 2 / SIZE), Rect(2, 2, 1, 1)]).passed


@pytest.mark.parametrize("place", [Place.FIXED, Place.ANYWHERE])
@pytest.mark.parametrize("moved", [0, 1])
def test_the_usual_distance_is_that_of_each_passed_photo_to_the_others(place: Place, moved: int) -> None:
    photos = [photo(seed, noise=0.1 + 0.05 * seed, moved=moved * seed) for seed in range(5)]

    distances = [
        AppearanceMemory.of([*photos[:number], *photos[number + 1 :]], place).judge(photos[number]).distance
        for number in range(5)
    ]

    usual = AppearanceMemory.of(photos, place).usual
    assert usual == pytest.approx(np.exp(np.log(distances).mean()), rel=1e-5)
