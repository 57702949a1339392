"""Tests which names are pictures, and which JPEGs are whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.images.formats import has_jpeg_end, is_picture_name
from tests.pictures import encode_picture, gradient_pixels


@pytest.mark.parametrize(
    ("name", "is_picture"),
    [("IMG.JPG", True), ("a.jfif", True), ("._IMG.JPG", False), (".jpg.txt", False), ("机.bmp", True)],
)
def test_attributes_of_macos_are_not_pictures(name: str, is_picture: bool) -> None:
    assert is_picture_name(name) is is_picture


def test_a_cut_jpeg_has_no_end(tmp_path: Path) -> None:
    whole = encode_picture(gradient_pixels(64, 48), "JPEG", 6)
    # The preview in the camera data has an end of its own.
    preview = b"\xff\xe1\x00\x08Exif\xff\xd9"
    path = tmp_path / "p.jpg"
    for data, is_whole in ((whole, True), (whole + b"film", True), (whole[:-2], False), (whole[:-40], False)):
        path.write_bytes(data[:2] + preview + data[2:])
        assert has_jpeg_end(path) is is_whole
