"""Tests that drawn panels are reproducible and damaged exactly in the returned boxes."""

from __future__ import annotations

import numpy as np

from shared import samples
from shared.record.geometry import Rect


def test_same_seed_draws_the_same_picture() -> None:
    first, second = samples.draw_scene(320, 240, 5), samples.draw_scene(320, 240, 5)
    assert np.array_equal(first.reference, second.reference)
    assert np.array_equal(first.photo, second.photo)
    assert not np.array_equal(first.reference, samples.draw_panel(320, 240, 6).image)


def test_damage_changes_only_pixels_in_its_boxes() -> None:
    drawn = samples.draw_panel(900, 700, 3)
    hurt, defects = samples.damage_panel(drawn, samples.KINDS, 3)
    assert sorted(defect.label for defect in defects) == sorted(samples.KINDS)
    changed = np.abs(hurt.astype(int) - drawn.image).max(axis=2) > 20
    for defect in defects:
        box = defect.box
        part = np.s_[int(box.y) - 3 : int(box.bottom) + 3, int(box.x) - 3 : int(box.right) + 3]
        assert np.abs(hurt[part].astype(int) - drawn.image[part]).max() > 8, defect.label
        changed[part] = False
    assert not changed.any()


def test_damage_is_inside_the_given_part() -> None:
    drawn = samples.draw_panel(900, 700, 3)
    part = Rect(300, 200, 400, 300)
    _, defects = samples.damage_panel(drawn, ("added", "stain", "missing"), 4, inside=part)
    assert defects
    for defect in defects:
        assert part.intersection(defect.box).area > 0.7 * defect.box.area


def test_homography_of_a_view_maps_to_the_photo() -> None:
    reference = np.full((240, 320, 3), 40, np.uint8)
    reference[100:110, 200:212] = 220
    photo, matrix = samples.photograph(reference, samples.View(rotation=7, scale=1.2, perspective=0.03), 2)
    rows, columns = np.nonzero(photo[..., 0] > 130)
    actual = np.array([columns.mean() + 0.5, rows.mean() + 0.5])
    expected = matrix @ np.array([206.0, 105.0, 1.0])
    assert np.abs(actual - expected[:2] / expected[2]).max() < 0.2
