"""The workbench on a picture of 100 MP: drawn on, measured and shown from the original's own pixels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import pyvips
from PySide6.QtGui import QImage

from desktop.imaging import open_image
from desktop.pages.workbench.opening import thumbnails
from shared.geometry import Rect
from tests.desktop.imaging.pictures import rgb

WIDTH, HEIGHT = 11_600, 8_700
FINE = Rect(6000, 4200, 64, 64)


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """100 MP of grey with a patch of lines one px wide, about 1 MB."""
    path = tmp_path_factory.mktemp("large") / "large.jpg"
    lines = np.zeros((int(FINE.h), int(FINE.w)), np.uint8)
    lines[:, ::2] = 255
    patch = pyvips.Image.new_from_memory(lines.tobytes(), int(FINE.w), int(FINE.h), 1, "uchar")
    ground = (pyvips.Image.black(WIDTH, HEIGHT) + 128).cast("uchar")
    ground.insert(patch, int(FINE.x), int(FINE.y)).jpegsave(str(path), Q=92)
    return path


class Told:
    def __init__(self) -> None:
        self.pictures: list[tuple[str, QImage]] = []

    def __call__(self, made: tuple[str, QImage]) -> None:
        self.pictures.append(made)

    def check(self) -> None:
        pass

    def wait(self, _seconds: float) -> None:
        pass


def test_small_pictures_come_from_the_original(large: Path) -> None:
    source = open_image(large)
    told = Told()
    try:
        thumbnails(told, source, [("a", FINE), ("b", Rect(0, 0, WIDTH, HEIGHT))], 64)  # type: ignore[arg-type]
    finally:
        source.cancel()
    assert [name for name, _ in told.pictures] == ["a", "b", "a"]
    spread = [float(rgb(image)[:, :, 0].std()) for name, image in told.pictures if name == "a"]
    # Lines of one px are lost in the preview, and black and white in the original.
    assert spread[0] < 30
    assert spread[1] > 90
