"""Tests which names are pictures."""

from __future__ import annotations

import pytest

from shared.images.formats import is_picture_name


@pytest.mark.parametrize(
    ("name", "is_picture"),
    [("IMG.JPG", True), ("a.jfif", True), ("._IMG.JPG", False), (".jpg.txt", False), ("机.bmp", True)],
)
def test_attributes_of_macos_are_not_pictures(name: str, is_picture: bool) -> None:
    assert is_picture_name(name) is is_picture
