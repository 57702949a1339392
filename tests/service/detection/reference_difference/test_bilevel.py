"""Tests a bilevel reference and a camera's photo of it: dim light, edges elsewhere, rims, equal dots."""

import numpy as np
import pytest

from service.detection.reference_difference import detect
from service.detection.reference_difference.alignment import blocks, checks, repeating
from service.detection.reference_difference.data import Bytes, Matrix, Pyramid, apply
from service.detection.reference_difference.difference.boxes import difference_parts
from service.detection.reference_difference.difference.compensate import match_light
from service.detection.reference_difference.difference.difference import Difference
from service.detection.reference_difference.difference.focus import match_width
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples import View, photograph
from tests.material import scans
from tests.material.pairs import draw_bilevel_pair

SIZE = 320
EVERYWHERE = np.full((SIZE, SIZE), 255, np.uint8)


def draw_board(seed: int = 4) -> np.ndarray:
    return scans.draw_board(SIZE, SIZE, seed)


def test_frame_of_differences_does_not_absorb_differences_inside() -> None:
    strength = np.zeros((SIZE, SIZE), np.float32)
    strength[2:4, 2:-2] = strength[-4:-2, 2:-2] = strength[2:-2, 2:4] = strength[2:-2, -4:-2] = 30
    strength[150:160, 150:160] = 30
    found = difference_parts(Difference(strength, strength, strength, 1), EVERYWHERE, 6.0, 3.0)
    assert any(max(part.box.w, part.box.h) < 30 for part in found)


@pytest.mark.parametrize("beyond", [0, 255])
def test_differences_outside_the_reference_image_do_not_count(beyond: int) -> None:
    sheet = cv2.merge([255 - draw_board()] * 3)
    shown = cv2.copyMakeBorder(sheet, 40, 40, 40, 40, cv2.BORDER_CONSTANT, value=(beyond,) * 3)
    photo, _ = photograph(shown, View(rotation=3, gain=0.65, blur=1.2, noise=3), 2)
    found = detect(sheet, Rect(0, 0, SIZE, SIZE), photo).boxes
    assert all(max(one.box.w, one.box.h) < 100 for one in found)


def test_lines_of_another_width_do_not_bend_the_light() -> None:
    sheet = 255 - draw_board()
    x = np.arange(SIZE, dtype=np.float32) / SIZE
    thinner = cv2.dilate(sheet, np.ones((3, 3), np.uint8)).astype(np.float32)
    photo = (thinner * 0.65 * (1 - 0.4 * x))[..., None]
    matched, _ = match_light(sheet.astype(np.float32)[..., None], photo, EVERYWHERE, bilevel=True)
    white = cv2.erode(sheet, np.ones((9, 9), np.uint8)) > 0
    assert np.abs(matched - photo)[white].max() < 3


@pytest.mark.parametrize("wider", [True, False])
def test_lines_are_made_as_wide_as_those_of_the_photo(wider: bool) -> None:
    sheet = draw_board()
    change = cv2.dilate if wider else cv2.erode
    photo = cv2.GaussianBlur(change(sheet, np.ones((3, 3), np.uint8)), (0, 0), 1.0).astype(np.float32) * 0.6
    before = sheet.astype(np.float32)[..., None]
    after = match_width(before, photo[..., None], EVERYWHERE)
    off = [np.abs(image[..., 0] * 0.6 - photo).mean() for image in (before, after)]
    assert off[1] < 0.7 * off[0]


def test_a_photo_of_a_board_shows_its_faults() -> None:
    pair = draw_bilevel_pair("boards", 1702)
    assert pair.judge(pair.find()).count(True) >= 0.8 * len(pair.truth)


def draw_dots() -> Bytes:
    """A field of equal dots with two interruptions."""
    sheet = np.zeros((SIZE, SIZE), np.uint8)
    for y in range(12, SIZE, 14):
        for x in range(12 + y // 14 % 2 * 7, SIZE, 14):
            cv2.circle(sheet, (x, y), 4, 255, -1, cv2.LINE_AA)
    for x, y in ((40, 60), (190, 200)):
        cv2.rectangle(sheet, (x, y), (x + 60, y + 40), 0, -1)
        cv2.line(sheet, (x + 20, y + 6), (x + 20, y + 34), 255, 6)
    return sheet


def test_a_part_of_a_field_that_agrees_less_than_the_whole_must_ends_the_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parts = []

    def check(
        _: Pyramid, frame: checks.ReferenceWindow, guess: Matrix, __: int
    ) -> checks.CandidateHomography:
        parts.append(frame)
        fit = blocks.Fit(np.eye(3), np.zeros(9), np.ones(9, np.bool_), 0.85)
        return checks.CandidateHomography(guess, fit, blank=False)

    monkeypatch.setattr(checks, "check", check)
    sheet = Pyramid(draw_dots())

    assert list(repeating.propose(sheet, Rect(0, 0, SIZE, SIZE), sheet)) == []
    assert 1 <= len(parts) <= 4


def test_field_of_equal_dots_is_aligned_by_its_interruption() -> None:
    sheet = draw_dots()
    photo, matrix = photograph(sheet, View(rotation=9, scale=0.9, perspective=0.04, gain=0.65, blur=1.0), 3)
    found = list(repeating.propose(Pyramid(sheet), Rect(0, 0, SIZE, SIZE), Pyramid(photo)))
    points = np.array([[40, 40], [280, 40], [280, 280], [40, 280]], np.float64)
    assert min(np.abs(apply(guess, points) - apply(matrix, points)).max() for guess, _ in found) < 2
