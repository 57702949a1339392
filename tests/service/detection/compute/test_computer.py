"""What the compute process keeps between two requests."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.detection.compute import pictures
from service.detection.compute.computer import Computer
from tests.pictures import encode_picture, gradient_pixels


def test_the_reference_image_stays_decoded_until_it_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference = tmp_path / "reference.png"
    reference.write_bytes(encode_picture(gradient_pixels(30, 20)))
    loaded: list[Path] = []
    load = pictures.load

    def count(path: Path) -> object:
        loaded.append(path)
        return load(path)

    monkeypatch.setattr(pictures, "load", count)
    with Computer() as computer:
        for _ in range(2):
            computer._load_reference(str(reference))
        assert loaded == [reference]
        computer.forget_pictures()
        assert computer._load_reference(str(reference)).image.shape == (20, 30, 3)
    assert loaded == [reference] * 2
