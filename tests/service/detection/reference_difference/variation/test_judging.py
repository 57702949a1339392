"""Tests the differences that passed photos explain, and those that they must not hide."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from service.detection.reference_difference import (
    Parameters,
    PhotoVariation,
    RegionMemory,
    Result,
    detect,
    photo_variation,
)
from service.detection.reference_difference.data import DetectedDifference
from shared import samples
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples import View
from shared.samples.brush import Point, blend, draw_soft_mask, to_uint8
from shared.wire.memory import MemoryKind, MemoryReason

SIZE = 320
REGION = Rect(0, 0, SIZE, SIZE)
PLACE = Rect(200, 60, 60, 60)
Draw = Callable[[samples.Image, int], None]


@lru_cache
def reference() -> samples.Image:
    image = samples.draw_panel(SIZE, SIZE, 11).image.copy()
    image.flags.writeable = False
    return image


def take_photo(draw: Draw | None, number: int) -> samples.Image:
    image = reference().copy()
    if draw is not None:
        draw(image, number)
    return samples.photograph(image, View(light=0.1, gain=0.95, noise=2, jpeg=90), number)[0]


def lamp(image: samples.Image, number: int) -> None:
    cv2.circle(image, (230, 90), 18, (90, 220, 250), -1, cv2.LINE_AA)


def highlight(image: samples.Image, number: int) -> None:
    x = 215 + 30 * ((number * 0.618) % 1)
    soft = np.zeros(image.shape[:2], np.float32)
    cv2.ellipse(soft, (round(x), 90), (18, 12), 0, 0, 360, 1, -1)
    soft = cv2.GaussianBlur(soft, (0, 0), 4)[..., None]
    image[:] = (image + (255 - image) * soft).astype(np.uint8)


def blot(image: samples.Image, number: int) -> None:
    cv2.rectangle(image, (222, 80), (246, 98), (40, 30, 30), -1, cv2.LINE_AA)


def draw_crack(image: samples.Image, start: Point, angle: float, length: float) -> None:
    """Draw a dark crack of `length` px from `start` at `angle` (radians), a longer one on the same course."""
    rng = np.random.default_rng(round(start[0] * 7 + start[1]))
    steps = np.arange(0, 200, 4.0)
    sideways = np.cumsum(rng.uniform(-0.9, 0.9, len(steps)))
    along = np.append(steps[steps < length], length)
    across = np.interp(along, steps, sideways)
    x = start[0] + along * np.cos(angle) - across * np.sin(angle)
    y = start[1] + along * np.sin(angle) + across * np.cos(angle)
    line = np.rint(np.stack([x, y], 1) * 16).astype(np.int32)
    mask = draw_soft_mask(image.shape, lambda m: cv2.polylines(m, [line], False, 255, 1, cv2.LINE_AA, 4), 0.5)
    canvas = image.astype(np.float32)
    blend(canvas, mask * 0.85, (52, 48, 46))
    image[:] = to_uint8(canvas)


def crack(image: samples.Image, number: int) -> None:
    draw_crack(image, (90, 120), 0.6, 40)


def growing_crack(image: samples.Image, number: int) -> None:
    draw_crack(image, (90, 120), 0.6, 6 * number)


def patch(image: samples.Image, number: int) -> None:
    half = 6 * 1.15**number
    ends = (round(80 - half), round(200 - half / 2)), (round(80 + half), round(200 + half / 2))
    cv2.rectangle(image, *ends, (60, 80, 120), -1, cv2.LINE_AA)


def faint(image: samples.Image, number: int) -> None:
    cv2.rectangle(image, (222, 80), (246, 98), (150, 148, 145), -1, cv2.LINE_AA)


def measure_variation(photo: samples.Image, number: int) -> PhotoVariation:
    return photo_variation(reference(), REGION, photo, str(number), number)


@lru_cache
def measure_photo(draw: Draw | None, number: int) -> PhotoVariation:
    return measure_variation(take_photo(draw, number), number)


def memory(draw: Draw | None, count: int, first: int = 1) -> RegionMemory:
    return RegionMemory.of(REGION, [measure_photo(draw, number) for number in range(first, first + count)])


def compare(photo: samples.Image, known: RegionMemory | None) -> Result:
    return detect(reference(), REGION, photo, memory=known)


def comparable(result: Result) -> tuple[object, ...]:
    return result.boxes, result.suppressed, result.alignment.inliers, result.alignment.score


@pytest.mark.parametrize("draw", [None, lamp, blot])
def test_without_photos_nothing_changes(draw: Draw | None) -> None:
    photo = take_photo(draw, 9)
    assert comparable(compare(photo, RegionMemory.of(REGION, []))) == comparable(compare(photo, None))


@pytest.mark.parametrize("draw", [lamp, highlight])
def test_difference_in_two_passed_photos_is_suppressed(draw: Draw) -> None:
    photo = take_photo(draw, 9)
    without = compare(photo, None)
    assert without.boxes
    result = compare(photo, memory(draw, 4))
    assert result.boxes == ()
    assert [one.difference for one in result.suppressed] == list(without.boxes)
    assert all(one.left < 0.5 and len(one.photos) >= 2 for one in result.suppressed)


def test_one_passed_photo_hides_nothing() -> None:
    known = RegionMemory.of(REGION, [*memory(None, 2).photos, *memory(blot, 1, 5).photos])
    assert compare(take_photo(blot, 9), known).boxes


def test_one_passed_photo_explains_what_went_again_and_says_what_to_report_instead() -> None:
    photo = take_photo(lamp, 9)
    without = compare(photo, None)
    went = RegionMemory.of(REGION, [measure_photo(lamp, 1), *memory(None, 2, 2).photos])
    stayed = RegionMemory.of(REGION, [*memory(None, 2).photos, measure_photo(lamp, 3)])

    once = detect(reference(), REGION, photo, memory=went, once=True)

    assert compare(photo, went).boxes == without.boxes
    assert once.boxes == ()
    assert [(one.difference, one.instead, one.photos) for one in once.suppressed] == [
        (without.boxes[0], without.boxes[0], ("1",))
    ]
    assert detect(reference(), REGION, photo, memory=stayed, once=True).boxes == without.boxes
    twice = detect(reference(), REGION, photo, memory=memory(lamp, 4), once=True)
    assert [one.instead for one in twice.suppressed] == [None]


def test_a_finding_that_a_person_rejected_is_permitted_there_and_nowhere_else() -> None:
    photo = take_photo(blot, 3)
    (found,) = compare(photo, None).boxes
    rejected = photo_variation(
        reference(), REGION, photo, "3", 3, kind=MemoryKind.REJECTED, judged=[found.box]
    )
    known = RegionMemory.of(REGION, [rejected])
    assert known.count == 0
    assert compare(take_photo(blot, 9), known).boxes == ()

    def elsewhere(image: samples.Image, number: int) -> None:
        cv2.rectangle(image, (92, 200), (116, 218), (40, 30, 30), -1, cv2.LINE_AA)

    assert compare(take_photo(elsewhere, 9), known).boxes


def test_a_finding_that_a_person_kept_permits_nothing() -> None:
    photo = take_photo(blot, 1)
    findings = [one.box for one in compare(photo, None).boxes]
    assert measure_photo(blot, 1).appearances
    assert photo_variation(reference(), REGION, photo, "1", 1, without=findings).appearances == ()


@pytest.mark.parametrize("known", [lamp, highlight])
def test_another_object_at_a_varying_place_is_found(known: Draw) -> None:
    assert compare(take_photo(blot, 9), memory(known, 4)).boxes


def test_stronger_difference_than_ever_is_found() -> None:
    known = memory(faint, 3)
    assert all(photo.appearances for photo in known.photos)
    assert compare(take_photo(blot, 9), known).boxes


def test_a_crack_that_appeared_and_stays_is_never_normal() -> None:
    known = RegionMemory.of(REGION, [*memory(None, 2).photos, *memory(crack, 3, 3).photos])
    assert all(photo.appearances for photo in known.photos[2:])
    assert compare(take_photo(crack, 9), known).boxes


@pytest.mark.parametrize("number", [9, 12])
def test_a_crack_that_grew_while_its_photos_failed_is_found(number: int) -> None:
    known = RegionMemory.of(REGION, [*memory(None, 2).photos, *memory(growing_crack, 4, 3).photos])
    assert all(photo.appearances for photo in known.photos[-4:])
    assert compare(take_photo(growing_crack, number), known).boxes


def dirt(image: samples.Image, number: int) -> None:
    x, y = 214 + 34 * ((number * 0.618) % 1), 78 + 26 * ((number * 0.755) % 1)
    soft = np.zeros(image.shape[:2], np.float32)
    cv2.ellipse(soft, (round(x), round(y)), (20, 15), 20, 0, 360, 1, -1)
    soft = 0.55 * cv2.GaussianBlur(soft, (0, 0), 5)[..., None]
    image[:] = (image * (1 - soft) + np.array([60, 75, 95]) * soft).astype(np.uint8)


def cracked_dirt(image: samples.Image, number: int) -> None:
    dirt(image, number)
    draw_crack(image, (208, 72), 0.5, 48)


def failed_photo(draw: Draw, number: int) -> PhotoVariation:
    """The contribution of a failed photo whose findings at the varying place a person confirmed."""
    photo = take_photo(draw, number)
    confirmed = [one.box for one in compare(photo, None).boxes]
    assert confirmed
    return photo_variation(
        reference(), REGION, photo, f"{number} failed", number, kind=MemoryKind.FAILED, judged=confirmed
    )


def of(*photos: PhotoVariation) -> RegionMemory:
    return RegionMemory.of(REGION, photos)


def passed_photos(draw: Draw | None, *numbers: int) -> list[PhotoVariation]:
    return [measure_photo(draw, number) for number in numbers]


def at_place(found: DetectedDifference) -> bool:
    return not found.box.intersection(PLACE).is_empty


def reports(photo: samples.Image, known: RegionMemory, at: Rect = PLACE) -> bool:
    return any(not one.box.intersection(at).is_empty for one in compare(photo, known).boxes)


CLEAN = (1, 2, 3, 4, 5)


def test_a_crack_through_dirt_is_found_when_no_photo_showed_a_line() -> None:
    known = of(*passed_photos(dirt, *CLEAN))
    assert compare(take_photo(dirt, 9), known).boxes == ()
    assert reports(take_photo(cracked_dirt, 9), known)


def test_a_crack_through_dirt_that_was_passed_twice_by_mistake_is_found() -> None:
    known = of(*passed_photos(dirt, *CLEAN), *passed_photos(cracked_dirt, 6, 7))
    assert reports(take_photo(cracked_dirt, 9), known)
    assert compare(take_photo(dirt, 10), known).boxes == ()


def plain_dirt(image: samples.Image, number: int) -> None:
    """Dirt on a part of the panel without any structure."""
    soft = np.zeros(image.shape[:2], np.float32)
    for index in range(2):
        x, y = 85 + 50 * ((number * 0.618 + index / 2) % 1), 75 + 40 * ((number * 0.755 + index / 3) % 1)
        cv2.ellipse(soft, (round(x), round(y)), (20, 15), 20, 0, 360, 1, -1)
    soft = 0.5 * cv2.GaussianBlur(soft, (0, 0), 5)[..., None]
    image[:] = (image * (1 - soft) + np.array([60, 75, 95]) * soft).astype(np.uint8)


def darken(image: samples.Image, *points: tuple[int, int], thick: int, dark: float) -> None:
    """Draw a line that takes a share `dark` of the light."""
    line = np.zeros(image.shape[:2], np.float32)
    cv2.polylines(line, [np.array(points)], False, 1, thick, cv2.LINE_AA)
    line = cv2.GaussianBlur(line, (0, 0), 0.6)
    image[:] = (image * (1 - dark * line[..., None])).astype(np.uint8)


def wide_crack(image: samples.Image, number: int) -> None:
    plain_dirt(image, number)
    darken(image, (95, 82), (108, 87), (125, 104), thick=3, dark=0.7)


def faint_crack(image: samples.Image, number: int) -> None:
    plain_dirt(image, number)
    darken(image, (92, 100), (104, 92), (122, 90), (130, 86), thick=1, dark=0.45)


def grown_crack(image: samples.Image, number: int) -> None:
    wide_crack(image, number)
    darken(image, (125, 104), (138, 130), thick=3, dark=0.7)


@pytest.mark.parametrize("passes", [0, 1, 2, 3])
@pytest.mark.parametrize("crack_in_dirt", [wide_crack, faint_crack])
def test_dirt_that_varies_never_explains_a_crack(crack_in_dirt: Draw, passes: int) -> None:
    known = of(*passed_photos(plain_dirt, *CLEAN), *passed_photos(crack_in_dirt, *range(6, 6 + passes)))
    (found,) = compare(take_photo(crack_in_dirt, 9), known).boxes
    assert found.reason is (MemoryReason.NEW_LINE if passes < 2 else MemoryReason.LASTING)
    assert compare(take_photo(plain_dirt, 10), known).boxes == ()


def test_a_crack_through_dirt_is_reported_until_a_person_rejects_it_and_again_when_it_grows() -> None:
    known = of(*passed_photos(plain_dirt, *CLEAN), *passed_photos(wide_crack, 6, 7))
    photo = take_photo(wide_crack, 8)
    (found,) = compare(photo, known).boxes
    rejected = photo_variation(
        reference(), REGION, photo, "8", 8, kind=MemoryKind.REJECTED, judged=[found.box]
    )
    decided = of(*known.photos, rejected)
    assert compare(take_photo(wide_crack, 9), decided).boxes == ()
    assert compare(take_photo(grown_crack, 9), decided).boxes


def test_a_lasting_change_that_a_person_rejected_is_explained() -> None:
    known = of(*passed_photos(None, 1, 2), *passed_photos(crack, 3, 4, 5))
    photo = take_photo(crack, 6)
    (found,) = compare(photo, known).boxes
    assert found.reason is MemoryReason.LASTING
    rejected = photo_variation(
        reference(), REGION, photo, "6", 6, kind=MemoryKind.REJECTED, judged=[found.box]
    )
    assert compare(take_photo(crack, 9), of(*known.photos, rejected)).boxes == ()


def streaks(image: samples.Image, number: int) -> None:
    """Thin dark streaks that are elsewhere in each photo."""
    for index in range(3):
        x = round(80 + 60 * ((number * 0.618 + index * 0.37) % 1))
        darken(image, (x, 60), (x + 4, 120), thick=1, dark=0.5)


def test_thin_lines_that_vary_are_explained_but_not_one_of_them_that_stays() -> None:
    def cracked_streaks(image: samples.Image, number: int) -> None:
        streaks(image, number)
        darken(image, (100, 70), (112, 90), (114, 118), thick=1, dark=0.5)

    known = of(*passed_photos(streaks, *CLEAN))
    assert compare(take_photo(streaks, 9), known).boxes == ()
    (found,) = compare(
        take_photo(cracked_streaks, 9), of(*known.photos, *passed_photos(cracked_streaks, 6, 7))
    ).boxes
    assert found.reason is MemoryReason.LASTING


def test_a_crack_that_failed_is_found_also_where_it_came_and_went_before() -> None:
    before = [
        *passed_photos(cracked_dirt, 1, 2),
        *passed_photos(dirt, 3, 4),
        *passed_photos(cracked_dirt, 5),
        *passed_photos(dirt, 6),
    ]
    assert not reports(take_photo(cracked_dirt, 9), of(*before))
    assert reports(take_photo(cracked_dirt, 9), of(*before, failed_photo(cracked_dirt, 8)))


@pytest.mark.parametrize("draw", [blot, lamp])
def test_failed_defect_is_found_however_often_it_passed_before(draw: Draw) -> None:
    passing = passed_photos(draw, 1, 2, 3, 4)
    assert not reports(take_photo(draw, 9), of(*passing))
    known = of(*passing, failed_photo(draw, 5))
    assert reports(take_photo(draw, 9), known)
    found = compare(take_photo(draw, 9), known).boxes
    assert [one.reason for one in found if at_place(one)] == [MemoryReason.FAILED]
    # Passing it again without a repair changes nothing.
    assert reports(take_photo(draw, 9), of(*known.photos, *passed_photos(draw, 6, 7, 8)))


def test_after_a_repair_only_later_passes_explain() -> None:
    known = of(*passed_photos(blot, 1, 2, 3), failed_photo(blot, 4), *passed_photos(None, 5, 6))
    assert reports(take_photo(blot, 12), known)
    assert reports(take_photo(blot, 12), of(*known.photos, *passed_photos(blot, 7)))
    assert not reports(take_photo(blot, 12), of(*known.photos, *passed_photos(blot, 7, 8)))
    # One photo that does not show it may be a mistake of the comparison.
    once = of(
        *passed_photos(blot, 1, 2, 3),
        failed_photo(blot, 4),
        *passed_photos(None, 5),
        *passed_photos(blot, 6, 7),
    )
    assert reports(take_photo(blot, 12), once)


def test_after_a_repair_a_crack_through_dirt_is_found_again_and_dirt_is_not() -> None:
    known = of(
        *passed_photos(dirt, *CLEAN),
        *passed_photos(cracked_dirt, 6, 7),
        failed_photo(cracked_dirt, 8),
        *passed_photos(dirt, 10, 11),
    )
    assert reports(take_photo(cracked_dirt, 12), known)
    assert compare(take_photo(dirt, 13), known).boxes == ()
    # People passed it twice since.
    later = of(
        *known.photos,
        *passed_photos(dirt, 14),
        *passed_photos(cracked_dirt, 15),
        *passed_photos(dirt, 16),
        *passed_photos(cracked_dirt, 17),
    )
    assert not reports(take_photo(cracked_dirt, 18), later)


def test_finding_rejected_after_its_failure_is_explained() -> None:
    known = of(*passed_photos(blot, 1, 2, 3), failed_photo(blot, 4))
    photo = take_photo(blot, 6)
    (found,) = compare(photo, known).boxes
    rejected = photo_variation(
        reference(), REGION, photo, "6", 6, kind=MemoryKind.REJECTED, judged=[found.box]
    )
    assert not reports(take_photo(blot, 9), of(*known.photos, rejected))
    # A rejection before the failure is overruled by it.
    assert reports(take_photo(blot, 9), of(*known.photos, replace(rejected, order=3)))


def test_failure_has_no_effect_at_other_places() -> None:
    known = of(*passed_photos(blot, 1, 2, 3), failed_photo(crack, 4))
    assert not reports(take_photo(blot, 9), known)


def test_a_defect_too_faint_to_be_reported_counts_when_a_person_confirmed_it() -> None:
    def stain(image: samples.Image, number: int) -> None:
        soft = np.zeros(image.shape[:2], np.float32)
        cv2.ellipse(soft, (90, 200), (14, 9), 0, 0, 360, 1, -1)
        image[:] = (image - 10 * cv2.GaussianBlur(soft, (0, 0), 3)[..., None]).astype(np.uint8)

    photo, box = take_photo(stain, 9), Rect(76, 190, 28, 20)
    wanted = Parameters(min_confidence=0.999)
    assert photo_variation(reference(), REGION, photo, "9", 9, wanted).appearances == ()
    variation = photo_variation(
        reference(), REGION, photo, "9", 9, wanted, kind=MemoryKind.FAILED, judged=[box]
    )
    assert len(variation.appearances) == 1


def test_growing_object_stays_visible() -> None:
    assert compare(take_photo(patch, 5), memory(patch, 4)).boxes


def test_a_photo_of_a_board_keeps_its_many_differences() -> None:
    board = np.full((480, 640, 3), 120, np.uint8)
    board += np.random.default_rng(3).integers(0, 40, board.shape, np.uint8)
    board = np.asarray(cv2.GaussianBlur(board, (0, 0), 2), np.uint8)
    for x, y in itertools.product(range(20, 640, 50), range(20, 480, 60)):
        cv2.rectangle(board, (x, y), (x + 20, y + 26), (40 + x % 90, 90, 60 + y % 120), -1)
    changed = board.copy()
    for x, y in itertools.product(range(45, 620, 100), range(36, 460, 70)):
        cv2.circle(changed, (x, y), 5, (240, 240, 240), -1)

    variation = photo_variation(board, Rect(0, 0, 640, 480), changed, "1", 1)

    assert len(variation.appearances) > 30
