"""Tests that a photo through a wide lens is compared like any other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.detection.reference_difference import AlignmentFailed, detect
from service.detection.reference_difference.alignment import blocks, checks, lens
from service.detection.reference_difference.alignment.align import align, through_lens
from service.detection.reference_difference.data import Matrix, Pyramid, apply, grey, inside_mask
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples import Image, View, photograph
from tests.material import surfaces

SIZE = 480
WHOLE = Rect(0, 0, SIZE, SIZE)
BOARD = surfaces.draw_board(SIZE, SIZE, 4).image


def through(image: Image, bend: float) -> Image:
    """The image through a lens, by a fixed point instead of by the module."""
    y, x = np.mgrid[0 : image.shape[0], 0 : image.shape[1]].astype(np.float64) + 0.5
    middle = np.array(image.shape[1::-1]) / 2
    seen = np.stack([x, y], axis=-1) - middle
    straight = seen.copy()
    for _ in range(30):
        away = 1 + bend * (straight**2).sum(axis=-1, keepdims=True) / float(middle @ middle)
        straight = seen / away
    there = (straight + middle - 0.5).astype(np.float32)
    lens_view = cv2.remap(image, there[..., 0], there[..., 1], cv2.INTER_CUBIC, None, cv2.BORDER_REFLECT_101)
    grain = np.random.default_rng(3).normal(0, 2, image.shape)
    lens_view = cv2.GaussianBlur(lens_view, (0, 0), 0.6)
    return np.asarray(np.clip(lens_view + grain, 0, 255), np.uint8)


@settings(max_examples=20)
@given(st.floats(-0.1, 0.1), st.floats(-20, 20), st.floats(0.9, 1.1))
def test_shift_leads_to_the_place_in_the_photo(bend: float, aside: float, scale: float) -> None:
    to_photo = np.array([[scale, 0.02, aside], [-0.02, scale, 5], [1e-5, 0, 1]])
    size, photo = (96, 64), (110, 80)
    shift = lens.shift(to_photo, size, photo, bend)
    for x, y in ((40, 24), (56, 40)):
        straight = apply(to_photo, np.array([[x + 0.5, y + 0.5]]))[0] - np.array(photo) / 2
        radius = float((straight**2).sum() / (np.array(photo) ** 2).sum() * 4)
        expected = straight * (1 + bend * radius) + np.array(photo) / 2
        there = apply(to_photo, np.array([[x + 0.5, y + 0.5]]) + shift[y, x])[0]
        np.testing.assert_allclose(there, expected, atol=0.25)


def test_without_a_bend_the_photo_is_warped_by_the_homography() -> None:
    photo = Pyramid(grey(BOARD))
    to_photo = np.array([[1.0, 0.03, 4.5], [-0.03, 1, 2], [0, 0, 1]])
    image, valid = lens.view(photo, to_photo, (200, 160), 0.0)
    np.testing.assert_array_equal(image, photo.warped(to_photo, (200, 160)))
    np.testing.assert_array_equal(valid, inside_mask(to_photo, (200, 160), photo.size))


@pytest.mark.parametrize("bend", [-0.06, 0.06])
def test_bend_of_a_lens_is_corrected(bend: float) -> None:
    image, valid = lens.view(Pyramid(grey(through(BOARD, bend))), np.eye(3), (SIZE, SIZE), bend)
    off = cv2.absdiff(cv2.GaussianBlur(image, (0, 0), 1), cv2.GaussianBlur(grey(BOARD), (0, 0), 1))
    inside = cv2.erode(valid, np.ones((9, 9), np.uint8)) > 0
    assert inside.mean() > 0.7
    assert off[inside].mean() < 3


@pytest.mark.parametrize("bend", [-0.06, 0.06])
def test_bend_of_the_lens_is_found(bend: float) -> None:
    found = align(Pyramid(grey(BOARD)), WHOLE, Pyramid(grey(through(BOARD, bend))))
    assert found.bend == pytest.approx(bend, abs=0.02)
    assert found.score > 0.85


def test_a_photo_that_is_not_bent_has_no_bend() -> None:
    photo, _ = photograph(BOARD, View(rotation=4, perspective=0.03, noise=3), 2)
    assert align(Pyramid(grey(BOARD)), WHOLE, Pyramid(grey(photo))).bend == 0


@pytest.mark.parametrize("bend", [-0.06, 0.06])
def test_through_a_lens_the_most_confident_finding_is_the_defect(bend: float) -> None:
    hurt = BOARD.copy()
    cv2.circle(hurt, (110, 120), 16, (240, 240, 240), -1, cv2.LINE_AA)
    off = np.array([110.5, 120.5]) - SIZE / 2
    x, y = off * (1 + bend * (off**2).sum() / (SIZE**2 / 2)) + SIZE / 2
    found, *others = detect(BOARD, WHOLE, through(hurt, bend)).boxes
    assert found.box.iou(Rect(x - 17, y - 17, 34, 34)) > 0.6
    assert all(one.confidence < 0.7 for one in others)


def test_another_board_is_refused_with_any_bend() -> None:
    with pytest.raises(AlignmentFailed):
        detect(BOARD, WHOLE, through(surfaces.draw_board(SIZE, SIZE, 9).image, 0.06))


def test_of_wide_lenses_the_better_direction_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    bends: list[float] = []
    check = checks.check

    def record(*arguments: Any) -> Any:
        bends.extend(arguments[4:5])
        return check(*arguments)

    monkeypatch.setattr(checks, "check", record)
    align(Pyramid(grey(BOARD)), WHOLE, Pyramid(grey(through(BOARD, 0.06))))

    assert max(bends) > 0.08
    assert min(bends) == -0.04


def test_a_bend_that_gains_nothing_in_the_fine_window_is_not_refined(monkeypatch: pytest.MonkeyPatch) -> None:
    bends = []

    def check(photo: Pyramid, frame: checks.ReferenceWindow, guess: Matrix, reach: int, bend: float) -> Any:
        bends.append((max(frame.size), bend))
        score = 0.55 if max(frame.size) == SIZE else 0.7 + bend
        fit = blocks.Fit(np.eye(3), np.zeros(9), np.ones(9, np.bool_), score)
        return checks.CandidateHomography(guess, fit, blank=False, bend=bend)

    monkeypatch.setattr(checks, "check", check)
    board = Pyramid(grey(BOARD))
    window = checks.reference_window(board, WHOLE, SIZE, 1.0)

    assert through_lens(board, WHOLE, window, np.eye(3), 0.54) is None
    assert bends == [(320, 0.0), (320, -0.04), (320, 0.04), (320, 0.085), (SIZE, 0.085)]
