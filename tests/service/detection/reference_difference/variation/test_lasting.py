"""Tests that changes that appeared and stayed are distinguished from variation."""

from __future__ import annotations

import numpy as np
import pytest

from service.detection.reference_difference.variation.memory import has_stayed, is_new


@pytest.mark.parametrize(
    ("shown", "new", "stayed"),
    [
        ("", False, False),
        ("0", True, False),
        ("000", True, False),
        ("001", True, False),
        ("0011", True, True),
        ("00011101", True, True),
        # It was in the oldest photo already.
        ("11", False, False),
        ("1111", False, False),
        # It came and went before.
        ("0101000011", False, False),
        # Once before may be a mistake of the comparison.
        ("0100000011", True, True),
    ],
)
def test_object_that_appeared_after_the_oldest_photo_and_stayed_is_new(
    shown: str, new: bool, stayed: bool
) -> None:
    photos = np.array([[letter == "1"] for letter in shown], np.bool_).reshape(len(shown), 1)
    assert is_new(photos).tolist() == [new]
    assert has_stayed(photos).tolist() == [stayed]


def test_each_object_is_judged_separately() -> None:
    photos = np.array([[False, True], [True, True], [True, True]])
    assert has_stayed(photos).tolist() == [True, False]
