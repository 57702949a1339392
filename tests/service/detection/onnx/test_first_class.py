"""Tests that a class has its own label, whether a detector numbers the first one 0 or 1."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from service.detection.failure import BadModel
from service.detection.onnx.check import check
from service.detection.onnx.detector import Detector
from service.detection.onnx.settings import object_labels
from tests.service.detection.graphs import constant_model

LABELS = ["dent", "crack", "stain"]
PHOTO = np.full((64, 64, 3), 90, np.uint8)


def apart(path: Path, classes: list[int], batch: bool = False, names: str = "boxes scores labels") -> Path:
    """A model with one box for each class, of confidence 0.9; torchvision has no `batch`."""
    count = len(classes)
    boxes = np.array([[20 * n, 5, 20 * n + 15, 50] for n in range(count)], np.float32).reshape(count, 4)
    outputs: list[Any] = [boxes, np.full(count, 0.9, np.float32), np.array(classes, np.int64)]
    outputs = [output[None] for output in outputs] if batch else outputs
    return constant_model(path, dict(zip(names.split(), outputs, strict=True)))


def found(path: Path, labels: list[str], **overrides: Any) -> list[str]:
    """The labels of the findings from left to right."""
    checked = check(path, None, overrides, len(labels))
    findings = Detector(path).detect(PHOTO, checked.kind, checked.settings, labels)
    return [finding.label for finding in sorted(findings, key=lambda finding: finding.box.x)]


@pytest.mark.parametrize("classes", [[3, 1], [2, 1], [1]])
def test_classes_of_torchvision_start_at_1(classes: list[int], tmp_path: Path) -> None:
    path = apart(tmp_path / "m.onnx", classes)
    assert found(path, LABELS) == [LABELS[number - 1] for number in classes]


def test_torchvision_may_find_nothing_in_the_test_pictures(tmp_path: Path) -> None:
    assert check(apart(tmp_path / "m.onnx", []), None, {}).settings.first_class == 1


@pytest.mark.parametrize("names", ["boxes scores labels", "num1 num2 num3"])
@pytest.mark.parametrize("batch", [False, True])
def test_a_class_0_that_is_found_is_the_first(names: str, batch: bool, tmp_path: Path) -> None:
    path = apart(tmp_path / "m.onnx", [2, 0], batch, names)
    assert found(path, LABELS) == ["stain", "dent"]


@pytest.mark.parametrize("batch", [False, True])
def test_a_class_with_the_number_of_labels_is_the_last(batch: bool, tmp_path: Path) -> None:
    path = apart(tmp_path / "m.onnx", [3, 2], batch, "a b c")
    assert found(path, LABELS) == ["stain", "crack"]


def test_batches_start_at_0_unless_their_numbers_say_otherwise(tmp_path: Path) -> None:
    path = apart(tmp_path / "m.onnx", [2, 1], batch=True)
    assert found(path, LABELS) == ["stain", "crack"]


@pytest.mark.parametrize("classes", [[2, 1], []])
def test_the_first_class_is_asked_for_where_nothing_says_it(classes: list[int], tmp_path: Path) -> None:
    path = apart(tmp_path / "m.onnx", classes, names="a b c")
    with pytest.raises(BadModel) as refused:
        check(path, None, {}, len(LABELS))
    assert refused.value.code == "first_class_unknown"
    for first in (0, 1):
        assert found(path, LABELS, first_class=first) == [LABELS[number - first] for number in classes]


def test_labels_that_begin_with_the_background_belong_to_the_classes_too(tmp_path: Path) -> None:
    outputs: dict[str, Any] = {
        "boxes": np.array([[5, 5, 30, 40]], np.float32),
        "scores": np.array([0.9], np.float32),
        "labels": np.array([2], np.int64),
    }
    path = constant_model(tmp_path / "m.onnx", outputs, names=("__background__", "dent", "crack"))
    checked = check(path, None, {})
    (finding,) = Detector(path).detect(PHOTO, checked.kind, checked.settings, checked.labels)
    assert finding.label == "crack"
    assert object_labels(["__background__", "dent"], 1) == ["dent"]
    assert object_labels(["background", "dent"], 0) == ["background", "dent"]
    assert object_labels(["dent", "background"], 1) == ["dent", "background"]
