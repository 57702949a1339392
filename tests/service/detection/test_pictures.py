"""Pictures as detection reads them: upright, whatever way they were stored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from service.detection.pictures import load
from tests.desktop.imaging.pictures import encoded, gradient


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("file_format", ["JPEG", "PNG"])
def test_every_orientation_is_read_upright(tmp_path: Path, file_format: str, orientation: int) -> None:
    pixels = gradient(240, 160)
    path = tmp_path / "photo"
    path.write_bytes(encoded(pixels, file_format, orientation))
    image, scale = load(path)
    assert scale == 1
    assert image.shape == (160, 240, 3)
    assert np.abs(image[..., ::-1].astype(int) - pixels).max() <= 6
