"""Parts of pictures: their pixels lie where `from_picture` says, from the preview and from the original."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from desktop.imaging import open_image
from desktop.imaging.sources import cut, local, opening
from desktop.imaging.sources.cut import map_rect, original_crop, preview_crop
from desktop.imaging.sources.local import TiledImage
from desktop.imaging.sources.source import ImageSource
from shared.record.geometry import Rect
from tests.desktop.imaging.pictures import rgb
from tests.pictures import encode_picture, gradient_pixels

WIDTH, HEIGHT = 1500, 1200


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ImageSource:
    """A picture that counts as large, stored lying on its side."""
    for module in (cut, opening):
        monkeypatch.setattr(module, "WHOLE_LIMIT", 1_000_000)
    monkeypatch.setattr(local, "PREVIEW", 500)
    path = tmp_path / "large.png"
    path.write_bytes(encode_picture(gradient_pixels(WIDTH, HEIGHT), "PNG", 6))
    source = open_image(path)
    assert isinstance(source, TiledImage)
    return source


def test_coarse_crop_of_a_large_picture_is_its_preview(large: ImageSource) -> None:
    whole = preview_crop(large)
    assert whole.size == (WIDTH, HEIGHT)
    assert whole.image.width() < WIDTH
    corner = whole.from_picture @ (WIDTH, HEIGHT, 1.0)
    assert tuple(corner[:2]) == pytest.approx((whole.image.width(), whole.image.height()))


def test_fine_crop_has_the_pixels_of_the_original(large: ImageSource) -> None:
    part = original_crop(large, Rect(1200.5, 700.25, 300, 200))
    assert part is not None
    assert part.size == (WIDTH, HEIGHT)
    x, y, _ = part.from_picture @ (1300.0, 800.0, 1.0)
    assert list(rgb(part.image)[int(y), int(x)]) == list(gradient_pixels(WIDTH, HEIGHT)[800, 1300])


def test_a_part_at_the_edge_stays_inside(large: ImageSource) -> None:
    part = original_crop(large, Rect(WIDTH - 50, HEIGHT - 40, 500, 500))
    assert part is not None
    assert (part.image.width(), part.image.height()) == (54, 44)


def test_empty_and_too_large_rectangles_give_no_crop(large: ImageSource) -> None:
    assert original_crop(large, Rect(WIDTH + 100, 10, 20, 20)) is None
    assert original_crop(large, Rect(0, 0, WIDTH, HEIGHT)) is None


def test_coarse_crop_of_a_small_picture_has_all_pixels() -> None:
    whole = preview_crop(open_image(encode_picture(gradient_pixels(60, 40))))
    assert np.array_equal(rgb(whole.image), gradient_pixels(60, 40))
    assert np.array_equal(whole.from_picture, np.eye(3))


def test_map_rect_gives_the_bounding_rectangle() -> None:
    turned = np.array([[0.0, -2.0, 500.0], [2.0, 0.0, 10.0], [0.0, 0.0, 1.0]])
    assert map_rect(Rect(10, 20, 30, 40), turned) == Rect(380, 30, 80, 60)
    horizon = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.05, 0.0, 1.0]])
    assert map_rect(Rect(10, 20, 30, 40), horizon) is None
