"""Pictures of faces from files: sent as they are, or reduced and upright when they are large."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from desktop.client.http.errors import TooLarge, Unsupported
from desktop.pages.common.faces import face_picture
from desktop.pages.common.faces.face_picture import read_face_picture
from shared.images.cv import cv2
from tests.narrowing import not_none

MAX_BODY = 16 * 2**20
"""What the service takes in one request."""


def noise(width: int, height: int) -> np.ndarray:
    """Nothing compresses less; the upper left quarter is red."""
    picture = np.random.default_rng(1).integers(0, 256, (height, width, 3), dtype=np.uint8)
    picture[: height // 2, : width // 2] = (200, 10, 10)
    return picture


def test_usual_picture_is_sent_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "me.jpg"
    Image.fromarray(noise(640, 480)).save(path, quality=90)
    assert read_face_picture(path) == path.read_bytes()


@pytest.mark.parametrize(("kind", "orientation"), [("JPEG", 1), ("JPEG", 6), ("PNG", 8), ("WEBP", 3)])
def test_a_large_picture_is_reduced_and_upright(tmp_path: Path, kind: str, orientation: int) -> None:
    path = tmp_path / f"me.{kind.lower()}"
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored: dict[int, Callable[[npt.NDArray[np.uint8]], npt.NDArray[np.uint8]]] = {
        1: lambda upright: upright,
        3: lambda upright: np.rot90(upright, 2),
        6: lambda upright: np.rot90(upright, 1),
        8: lambda upright: np.rot90(upright, -1),
    }
    picture = Image.fromarray(np.ascontiguousarray(stored[orientation](noise(3000, 2250))))
    picture.save(path, kind, quality=95, exif=exif)
    assert path.stat().st_size > 2 * 2**20
    sent = read_face_picture(path)
    # Five of them fit into a request, in Base64.
    assert 5 * len(sent) * 4 / 3 < MAX_BODY
    image = not_none(cv2.imdecode(np.frombuffer(sent, np.uint8), cv2.IMREAD_COLOR))
    assert image.shape == (1200, 1600, 3)
    red = image[:, :, 2].astype(int) - image[:, :, 0]
    assert red[100:500, 100:700].mean() > 150
    for rows, columns in ((slice(700, 1100), slice(100, 700)), (slice(100, 500), slice(900, 1500))):
        assert abs(red[rows, columns].mean()) < 30


def test_unusable_picture_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "me.jpg"
    path.write_bytes(b"\xff\xd8\xff" + bytes(3 * 2**20))
    with pytest.raises(Unsupported):
        read_face_picture(path)
    monkeypatch.setattr(face_picture, "MAX_BYTES", 2**20)
    with pytest.raises(TooLarge):
        read_face_picture(path)
