"""Tests that the desktop shows Windows bitmaps."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from desktop.imaging.decoding.decoder import Cancellation, read_header, read_preview, read_whole
from desktop.imaging.decoding.errors import ImageError


def bitmap() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (60, 40), (220, 60, 30)).convert("P").save(out, "BMP")
    return out.getvalue()


def test_a_bitmap_with_a_palette_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "p.bmp"
    path.write_bytes(bitmap())
    for data in (path, bitmap()):
        header = read_header(data)
        assert (header.width, header.height) == (60, 40)
        pixels = read_whole(data, header, Cancellation())
        assert np.abs(pixels[20, 30].astype(int) - (220, 60, 30)).max() <= 30
        assert read_preview(data, header, 20, Cancellation()).shape[1] <= 30


def test_a_cut_bitmap_is_refused() -> None:
    with pytest.raises(ImageError):
        read_header(bitmap()[:30])
