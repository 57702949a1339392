"""Whole and tiled pictures answer alike; the cache of pyramids keeps to its limit."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from desktop.imaging import CancelledError, ImageError, ImageSource, open_image
from desktop.imaging.decoding.decoder import read_header
from desktop.imaging.sources import opening
from desktop.imaging.sources.local import TiledImage, WholeImage
from desktop.imaging.sources.pyramid import PyramidCache
from shared.record.geometry import Rect
from tests.desktop.imaging.pictures import rgb
from tests.narrowing import reread
from tests.pictures import Array, encode_picture, gradient_pixels


def ignore(_done: float) -> bool:
    """Progress that nobody looks at."""
    return True


def smooth(width: int, height: int) -> Array:
    """A picture that JPEG keeps nearly exact."""
    y, x = np.mgrid[:height, :width]
    return np.stack([x * 255 // width, y * 255 // height, (x + y) * 255 // (width + height)], -1).astype(
        np.uint8
    )


def open_tiled(data: bytes, folder: Path) -> TiledImage:
    return TiledImage(data, read_header(data), "p", PyramidCache(folder))


def level_pixels(source: ImageSource, index: int) -> Array:
    level = source.levels[index]
    pixels = np.zeros((level.height, level.width, 3), np.uint8)
    for row in range(level.rows):
        for column in range(level.columns):
            rect = level.tile_rect(column, row)
            part = rgb(source.tile(index, column, row))
            pixels[int(rect.y) : int(rect.bottom), int(rect.x) : int(rect.right)] = part
    return pixels


@pytest.mark.parametrize("orientation", range(1, 9))
def test_tiled_picture_equals_the_whole_one(tmp_path: Path, orientation: int) -> None:
    picture = smooth(1301, 743)
    source = open_tiled(encode_picture(picture, "PNG", orientation), tmp_path)
    assert source.size == (1301, 743)
    assert reread(source.levels) == ()
    source.prepare(ignore)
    assert np.abs(level_pixels(source, 0).astype(int) - picture).max() <= 8
    for index, level in enumerate(source.levels):
        centre_y = level.top + (np.arange(level.height) + 0.5) * level.factor
        centre_x = level.left + (np.arange(level.width) + 0.5) * level.factor
        rows, columns = np.clip(centre_y, 0, 742).astype(int), np.clip(centre_x, 0, 1300).astype(int)
        expected = picture[rows][:, columns].astype(int)
        assert np.abs(level_pixels(source, index).astype(int) - expected).max() <= 8
    cut = source.crop(Rect(600, 300, 64, 32))
    assert np.array_equal(rgb(cut), picture[300:332, 600:664])
    preview = source.preview()
    assert abs(preview.width() / preview.height() - 1301 / 743) < 0.01


def test_a_whole_picture_has_exact_levels() -> None:
    picture = gradient_pixels(1100, 701)
    source = open_image(encode_picture(picture), "p.png")
    assert isinstance(source, WholeImage)
    assert (source.size, source.name) == ((1100, 701), "p.png")
    source.prepare(ignore)
    assert [(level.width, level.height, level.factor) for level in source.levels] == [
        (1100, 701, 1),
        (550, 350, 2),
        (275, 175, 4),
    ]
    assert np.array_equal(level_pixels(source, 0), picture)
    half = picture[:700].reshape(350, 2, 550, 2, 3).mean((1, 3))
    assert np.abs(level_pixels(source, 1) - half).max() <= 1
    assert np.array_equal(rgb(source.crop(Rect(0.5, 0, 1, 1))), picture[0:1, 0:2])


def test_first_crop_does_not_load_the_whole_picture() -> None:
    picture = gradient_pixels(1100, 701)
    source = open_image(encode_picture(picture), "p.png")
    assert isinstance(source, WholeImage)
    assert np.array_equal(rgb(source.crop(Rect(100, 50, 30, 20))), picture[50:70, 100:130])
    assert (source.levels, source._pixels) == ((), ())
    assert np.array_equal(rgb(source.crop(Rect(900, 600, 30, 20))), picture[600:620, 900:930])
    assert (source._pixels[0].shape, source._pixels[0].itemsize) == ((701, 1100, 3), 1)


def test_released_pixels_are_decoded_again_when_they_are_needed() -> None:
    picture = gradient_pixels(1100, 701)
    source = open_image(encode_picture(picture), "p.png")
    assert isinstance(source, WholeImage)
    source.prepare(ignore)
    levels, preview = source.levels, rgb(source.preview())
    source.release()
    assert source._pixels == ()
    assert source.levels == levels
    assert np.array_equal(rgb(source.preview()), preview)
    assert np.array_equal(level_pixels(source, 0), picture)
    assert reread(source)._pixels[0].shape == (701, 1100, 3)


def test_a_picture_held_in_memory_has_a_preview_no_larger_than_needed() -> None:
    preview = open_image(encode_picture(gradient_pixels(3000, 2000), "JPEG"), "p.jpg").preview()
    assert 1400 <= preview.width() < 2800


def test_size_decides_between_whole_and_tiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "机翼.png"
    path.write_bytes(encode_picture(gradient_pixels(50, 40)))
    monkeypatch.setattr(opening, "WHOLE_LIMIT", 50 * 40)
    assert isinstance(open_image(path), WholeImage)
    monkeypatch.setattr(opening, "WHOLE_LIMIT", 50 * 40 - 1)
    source = open_image(path)
    assert isinstance(source, TiledImage)
    assert source.name == "机翼.png"


def test_a_pyramid_is_made_once_for_the_same_content(tmp_path: Path) -> None:
    data = encode_picture(smooth(900, 600))
    steps: list[float] = []

    def note(done: float) -> bool:
        steps.append(done)
        return True

    open_tiled(data, tmp_path).prepare(note)
    assert steps
    assert all(0 <= step <= 1 for step in steps)
    (pyramid,) = tmp_path.glob("*.zip")
    again = open_tiled(data, tmp_path)
    again.preview()
    assert again.levels
    again.prepare(lambda _done: pytest.fail("made twice"))
    assert list(tmp_path.iterdir()) == [pyramid]


def test_broken_pyramid_is_rebuilt(tmp_path: Path) -> None:
    data = encode_picture(smooth(900, 600))
    open_tiled(data, tmp_path).prepare(ignore)
    (pyramid,) = tmp_path.glob("*.zip")
    pyramid.write_bytes(b"broken")
    source = open_tiled(data, tmp_path)
    source.prepare(ignore)
    assert source.tile(0, 0, 0).width() == 512


def test_longest_unused_pyramids_are_removed(tmp_path: Path) -> None:
    cache = PyramidCache(tmp_path, limit=250)
    for age, name in enumerate(("c", "b", "a")):
        cache.path(1, name).write_bytes(bytes(100))
        os.utime(cache.path(1, name), (1000 - age, 1000 - age))
    assert cache.find(1, "a") is not None
    assert cache.find(1, "z") is None
    abandoned, fresh = tmp_path / "making-a", tmp_path / "making-b"
    abandoned.mkdir()
    fresh.mkdir()
    os.utime(abandoned, (1000, 1000))
    cache.trim()
    assert not abandoned.exists()
    fresh.rmdir()
    assert sorted(path.name[2] for path in tmp_path.iterdir()) == ["a", "c"]
    PyramidCache(tmp_path, limit=0).trim(keep=cache.path(1, "c"))
    assert [path.name[2] for path in tmp_path.iterdir()] == ["c"]


def test_cancelled_pyramid_leaves_no_file(tmp_path: Path) -> None:
    data = encode_picture(smooth(1500, 1500), "JPEG")
    source = open_tiled(data, tmp_path)
    with pytest.raises(CancelledError):
        source.prepare(lambda _done: False)
    assert list(tmp_path.iterdir()) == []
    assert source.crop(Rect(0, 0, 8, 8)).width() == 8
    source.prepare(ignore)
    assert source.levels
    source.cancel()
    with pytest.raises(CancelledError):
        source.crop(Rect(0, 0, 8, 8))


def test_damaged_original_is_reported(tmp_path: Path) -> None:
    source = open_tiled(encode_picture(smooth(900, 600), "JPEG")[:-3000], tmp_path)
    with pytest.raises(ImageError, match="damaged"):
        source.prepare(ignore)
    assert list(tmp_path.iterdir()) == []


def test_read_only_cache_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ImageError, match=r"Cannot prepare image .* for zooming"):
        open_tiled(encode_picture(smooth(900, 600)), tmp_path / "file" / "folder").prepare(ignore)


def test_original_file_is_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "p.jpg"
    path.write_bytes(encode_picture(smooth(900, 600), "JPEG", 6))
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    source = TiledImage(path, read_header(path), "p", PyramidCache(tmp_path / "cache"))
    source.preview()
    source.prepare(ignore)
    source.crop(Rect(0, 0, 5, 5))
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
