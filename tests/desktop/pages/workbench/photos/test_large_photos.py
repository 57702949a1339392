"""A photo above 25 MP: its preview at once, then its own pixels, and places in px of the whole photo."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QImage

from desktop.canvas.layers.finding_layer import map_corners
from desktop.canvas.views.alignment import AlignedPair
from desktop.client import Session
from desktop.imaging import open_image
from desktop.imaging.sources import cut, local, opening
from desktop.pages.workbench.photos.photo_files import PhotoRef, make_pair
from shared.images.cv import cv2
from shared.record.geometry import Rect
from tests.desktop.imaging.pictures import rgb
from tests.pictures import encode_picture

REGION = Rect(300, 200, 200, 150)


def surface(width: int, height: int) -> np.ndarray:
    """Dark with a white square, whose place is known as fractions."""
    image = np.full((height, width, 3), 40, np.uint8)
    image[int(height * 0.40) : int(height * 0.45), int(width * 0.45) : int(width * 0.50)] = 255
    return image


class Reports:
    """Collects reports."""

    def __init__(self) -> None:
        self.pairs: list[AlignedPair] = []
        self.shares: list[float] = []

    def __call__(self, value: AlignedPair | float) -> None:
        if isinstance(value, AlignedPair):
            self.pairs.append(value)
        else:
            self.shares.append(value)

    def check(self) -> None:
        pass


def white_place(image: QImage) -> tuple[float, float, float, float]:
    y, x = np.nonzero(rgb(image)[:, :, 0] > 150)
    return float(x.min()), float(y.min()), float(x.max()) + 1, float(y.max()) + 1


def test_large_photo_is_aligned_to_its_region(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (cut, opening):
        monkeypatch.setattr(module, "WHOLE_LIMIT", 2_000_000)
    monkeypatch.setattr(local, "PREVIEW", 1000)
    width, height = 4000, 3000
    good, data = cv2.imencode(".jpg", surface(width, height))
    assert good
    stored = session.files.upload(bytes(data), "large.jpg")
    reference = open_image(encode_picture(surface(1000, 750)))
    reports = Reports()
    to_photo: list[list[float]] = [[4.0, 0, 0], [0, 4.0, 0], [0, 0, 1]]
    sharp = make_pair(
        reports,  # type: ignore[arg-type]
        session,
        reference,
        REGION,
        PhotoRef(stored.file_id, stored.ipfs_cid),
        to_photo,
    )
    assert reports.shares[-1] == 1.0
    (first,) = reports.pairs
    for pair, allowed in ((first, 6.0), (sharp, 3.0)):
        assert pair.aligned
        assert pair.photo_size == (width, height)
        expected = white_place(pair.reference)
        assert white_place(pair.photo) == pytest.approx(expected, abs=allowed)
        corners = map_corners(Rect(width * 0.45, height * 0.40, width * 0.05, height * 0.05), pair.mapping)
        assert (*corners[0], *corners[2]) == pytest.approx(expected, abs=3)
