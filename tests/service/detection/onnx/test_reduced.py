"""Tests that a photo is decoded smaller if the model scales it down, with the same findings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from service.detection.compute import pictures
from service.detection.compute.computer import Computer, needed_side
from service.detection.messages import Request
from service.detection.onnx.check import check
from service.detection.onnx.detector import Detector
from service.detection.onnx.settings import DetectorSettings
from shared.images.cv import cv2
from shared.record.findings import box_corners
from shared.wire.detection import ModelKind
from tests.service.detection.onnx.test_detectors import stop_sign, yolox_nano

__all__ = ["yolox_nano"]


@pytest.mark.models
@pytest.mark.parametrize(("width", "height", "reduced"), [(2400, 1680, 1200), (3999, 2808, 3999)])
def test_a_photo_reduced_while_it_is_decoded_gives_the_same(
    yolox_nano: Path, tmp_path: Path, width: int, height: int, reduced: int
) -> None:
    photo = tmp_path / "photo.jpg"
    large = cv2.resize(stop_sign()[0], (width, height), interpolation=cv2.INTER_CUBIC)
    photo.write_bytes(bytes(cv2.imencode(".jpg", large)[1]))
    settings = {**check(yolox_nano, None, {}).settings.model_dump(), "sliced": 0}
    request = Request("yolox", str(photo), model=str(yolox_nano), settings=settings)
    assert pictures.load(photo, needed_side(request))[0].shape[1] == reduced
    with Computer() as computer:
        result = computer.run(request)
    whole = pictures.load(photo)[0]
    (wanted,) = Detector(yolox_nano).detect(
        whole, ModelKind.YOLOX, DetectorSettings.model_validate(settings), []
    )
    (finding,) = result.boxes
    assert (result.width, result.height) == (width, height)
    assert abs(finding["confidence"] - wanted.confidence) < 0.005
    expected = (wanted.box.x, wanted.box.y, wanted.box.right, wanted.box.bottom)
    assert np.allclose(box_corners(finding), expected, atol=1)


def test_photos_that_need_every_pixel_are_not_reduced() -> None:
    def least(kind: str, **more: Any) -> float:
        return needed_side(Request(kind, "photo.jpg", **more))(8000, 6000)

    area = {"x": 0.1, "y": 0.1, "w": 0.1, "h": 0.1}
    small = {"width": 640, "height": 640}
    assert least("reference_difference") == np.inf
    assert least("yolo", settings=small) == np.inf
    assert least("yolo", settings={**small, "sliced": 0}, item={"ignored": [area]}) == np.inf
    assert least("yolo", settings={**small, "sliced": 0}) == 1200
    assert least("yolo", settings={"width": 1280, "height": 1280, "sliced": 0}) == 1.5 * 1280
    assert least("detr", settings={"width": 1280, "height": 1280, "sliced": 0, "fit": "stretch"}) == 2560
