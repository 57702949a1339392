"""Tests which regions of a reference image a photo shows: surfaces, halves, close-ups, similar surfaces."""

from __future__ import annotations

import numpy as np
import pytest

from service.detection.reference_difference.alignment.cover import (
    RegionPlace,
    find_regions,
)
from service.detection.reference_difference.data import Pyramid, apply, corners, grey
from shared import samples
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples import Image, Matrix, View

pytestmark = pytest.mark.slow

REFERENCE = samples.draw_panel(1200, 900, 3).image
FEATURES = Pyramid(grey(REFERENCE))
REGIONS = [Rect(x * 200 + 20, y * 225 + 20, 160, 185) for y in range(4) for x in range(6)]


def find(
    photo: Image, reference: Image = REFERENCE, regions: list[Rect] = REGIONS, seconds: float = 60
) -> list[RegionPlace | None]:
    features = FEATURES if reference is REFERENCE else Pyramid(grey(reference))
    return find_regions(features, regions, Pyramid(grey(photo)), seconds)


def covered_regions(places: list[RegionPlace | None]) -> set[int]:
    return {number for number, place in enumerate(places) if place is not None and place.covered}


def inside(matrix: Matrix, photo: Image, share: float) -> set[int]:
    """The regions of which at least this share lies in the photo, as it was taken."""
    height, width = photo.shape[:2]
    frame = corners(Rect(0, 0, width, height)).astype(np.float32)
    result = set()
    for number, region in enumerate(REGIONS):
        quad = apply(matrix, corners(region)).astype(np.float32)
        common, _ = cv2.intersectConvexConvex(quad, frame)
        if common >= share * cv2.contourArea(quad):
            result.add(number)
    return result


def off(places: list[RegionPlace | None], matrix: Matrix) -> float:
    """The largest error of the corners of the covered regions in px."""
    return max(
        float(np.abs(apply(place.homography, corners(region)) - apply(matrix, corners(region))).max())
        for place, region in zip(places, REGIONS, strict=True)
        if place is not None and place.covered
    )


def enlarge(area: Rect, times: float) -> tuple[Image, Matrix]:
    """A part of the reference image, enlarged, and its homography, reference px -> its px."""
    part = REFERENCE[int(area.y) : int(area.bottom), int(area.x) : int(area.right)]
    matrix = np.array([[times, 0, -times * area.x], [0, times, -times * area.y], [0, 0, 1]])
    return cv2.resize(part, None, fx=times, fy=times, interpolation=cv2.INTER_CUBIC), matrix


@pytest.mark.parametrize(
    "view",
    [
        View(),
        View(rotation=8, scale=0.5, gain=1.2, light=0.3, noise=3, jpeg=85),
        View(rotation=25, scale=0.9, perspective=0.06, noise=3, blur=0.8),
        View(rotation=-170, gain=0.6, noise=5),
    ],
)
def test_a_photo_of_the_whole_surface(view: View) -> None:
    hurt, _ = samples.damage_panel(samples.draw_panel(1200, 900, 3), samples.KINDS, 3)
    photo, matrix = samples.photograph(hurt, view, 5)
    places = find(photo)
    assert inside(matrix, photo, 0.65) <= covered_regions(places) <= inside(matrix, photo, 0.55)
    assert off(places, matrix) < 2
    for number, place in enumerate(places):
        if place is not None and number in inside(matrix, photo, 0.999):
            assert place.visible > 0.99


def test_a_photo_of_one_half_with_perspective() -> None:
    photo, matrix = samples.photograph(REFERENCE, View(rotation=3, scale=1.6, perspective=0.05, noise=3), 6)
    half = photo[:, : photo.shape[1] // 2]
    places = find(half)
    assert inside(matrix, half, 0.65) <= covered_regions(places) <= inside(matrix, half, 0.55)
    assert covered_regions(places) >= {0, 1, 6, 7, 12, 13, 18, 19}
    assert off(places, matrix) < 2
    assert places[5] is None


def test_a_close_up_of_one_region() -> None:
    region = REGIONS[8]
    part, matrix = enlarge(Rect(region.x - 10, region.y - 10, region.w + 20, region.h + 20), 5)
    photo, view = samples.photograph(part, View(rotation=5, gain=1.1, noise=3), 3)
    places = find(photo)
    assert covered_regions(places) == {8}
    assert off(places, view @ matrix) < 5


def test_a_close_up_of_several_regions() -> None:
    part, matrix = enlarge(Rect(380, 210, 460, 470), 3)
    photo, view = samples.photograph(part, View(rotation=-6, noise=3), 3)
    places = find(photo)
    assert covered_regions(places) == inside(view @ matrix, photo, 0.6)
    assert covered_regions(places) >= {8, 9, 14, 15}


def test_a_close_up_on_a_large_reference_image() -> None:
    drawn = samples.draw_panel(4000, 3000, 3)
    seams = [Rect(700, 500, 600, 500), Rect(1900, 1500, 600, 500), Rect(2900, 600, 600, 500)]
    for number, region in enumerate(seams):
        part = drawn.image[
            int(region.y) - 30 : int(region.bottom) + 30, int(region.x) - 30 : int(region.right) + 30
        ]
        photo, _ = samples.photograph(cv2.resize(part, None, fx=2, fy=2), View(rotation=4, noise=2), 3)
        assert covered_regions(find(photo, drawn.image, seams)) == {number}


def test_close_up_of_a_region_matches_that_region_or_none() -> None:
    known = 0
    for number, region in enumerate(REGIONS):
        part, _ = enlarge(Rect(region.x - 15, region.y - 15, region.w + 30, region.h + 30), 4)
        photo, _ = samples.photograph(part, View(rotation=3, noise=3), number + 1)
        seen = covered_regions(find(photo))
        assert seen <= {number}
        known += len(seen)
    assert known >= 18


@pytest.mark.parametrize("seed", [13, 16, 20, 24, 28])
def test_photo_of_a_panel_of_the_same_type_matches_no_region(seed: int) -> None:
    photo, _ = samples.photograph(samples.draw_panel(1200, 900, seed).image, View(rotation=2, noise=2), 3)
    assert covered_regions(find(photo)) == set()


def test_photo_without_common_structure_matches_no_region() -> None:
    noise = np.random.default_rng(1).integers(0, 255, (600, 800, 3), np.uint8)
    blank = np.full((600, 800, 3), 190, np.uint8)
    for photo in (noise, blank, blank[:10, :10]):
        assert covered_regions(find(photo)) == set()


def draw_repeated(mark: bool) -> tuple[Image, list[Rect]]:
    tile = samples.draw_panel(300, 300, 5).image
    image = np.tile(tile, (3, 4, 1))
    if mark:
        cv2.putText(image, "A7", (375, 190), cv2.FONT_HERSHEY_SIMPLEX, 2.4, (30, 30, 30), 8)
    return image, [Rect(x * 300 + 40, y * 300 + 40, 220, 220) for y in range(3) for x in range(4)]


def test_region_that_looks_like_others_is_not_found() -> None:
    image, regions = draw_repeated(mark=False)
    tile = cv2.resize(image[300:600, 300:600], None, fx=2, fy=2)
    photo, _ = samples.photograph(tile, View(rotation=3, noise=3), 2)
    assert covered_regions(find(photo, image, regions)) == set()


def test_region_that_differs_from_similar_ones_is_found() -> None:
    image, regions = draw_repeated(mark=True)
    tile = cv2.resize(image[0:300, 300:600], None, fx=2, fy=2)
    photo, _ = samples.photograph(tile, View(rotation=3, noise=3), 2)
    assert covered_regions(find(photo, image, regions)) == {1}


def test_adjacent_similar_regions_are_distinguished_by_the_whole_image() -> None:
    image, regions = draw_repeated(mark=False)
    photo, matrix = samples.photograph(image, View(rotation=3, scale=0.8, noise=3), 2)
    places = find(photo, image, regions)
    assert covered_regions(places) == set(range(12))
    for place, region in zip(places, regions, strict=True):
        assert place is not None
        offsets = apply(place.homography, corners(region)) - apply(matrix, corners(region))
        assert np.abs(offsets).max() < 2


def test_regions_on_two_panels_at_an_angle_are_found_one_by_one() -> None:
    """No homography lays this photo over the reference: its right half is seen from elsewhere."""
    left, right = (
        cv2.warpPerspective(REFERENCE, np.array(matrix), (1200, 900), borderMode=cv2.BORDER_REFLECT)
        for matrix in (np.eye(3), [[0.86, 0, 84.0], [-0.05, 0.94, 57.0], [0, -0.00004, 1.0]])
    )
    photo = np.concatenate([left[:, :600], right[:, 600:]], axis=1)
    places = find(photo)
    assert len(covered_regions(places)) >= 12
    for number in covered_regions(places) - {2, 3, 8, 9, 14, 15, 20, 21}:
        place = places[number]
        assert place is not None
        if REGIONS[number].right < 580:
            assert (
                np.abs(apply(place.homography, corners(REGIONS[number])) - corners(REGIONS[number])).max() < 3
            )


def test_no_time_left_ends_the_search_one_by_one() -> None:
    photo, _ = samples.photograph(samples.draw_panel(1200, 900, 12).image, View(), 3)
    assert find(photo, seconds=0) == [None] * len(REGIONS)
