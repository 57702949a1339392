"""Tests that the generated detector is one that the service accepts."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.detection import write_small
from service.detection.onnx.check import check
from service.detection.onnx.decode import decode
from service.detection.onnx.detector import Detector
from shared.wire.detection import ModelKind


def test_generated_detector_is_a_yolox_that_finds_nothing(tmp_path: Path) -> None:
    generated = write_small(tmp_path)
    checked = check(generated.path, None, {})
    assert (checked.kind, checked.settings.width) == (ModelKind.YOLOX, generated.side)
    photo = np.full((1, 3, generated.side, generated.side), 114, np.float32)
    outputs = Detector(generated.path).outputs(photo)
    assert not len(decode(ModelKind.YOLOX, outputs, checked.settings).above(0.25).boxes)
