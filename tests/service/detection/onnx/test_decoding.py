"""Tests the decoding of each kind with a plain one in NumPy, on random outputs, for photos of any size."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as example_settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from service.detection.onnx.decode import Decoded, cells, decode
from service.detection.onnx.detector import fit, slices
from service.detection.onnx.settings import DetectorSettings
from shared.wire.detection import ModelKind

WIDTH, HEIGHT, CLASSES = 96, 64, 3
COUNT = cells(WIDTH, HEIGHT)
Plain = list[tuple[list[float], float, int]]


def numbers(*shape: int, seed: int = 1) -> NDArray[np.float32]:
    return np.random.default_rng(seed).uniform(0.01, 0.99, shape).astype(np.float32)


def to_corners(x: float, y: float, w: float, h: float) -> list[float]:
    return [x - w / 2, y - h / 2, x + w / 2, y + h / 2]


def with_objectness(row: Any, box: list[float]) -> tuple[list[float], float, int]:
    best = max(range(CLASSES), key=lambda number: row[5 + number])
    return box, float(row[4] * row[5 + best]), best


def v5() -> tuple[list[Any], Plain]:
    table = numbers(1, 3 * COUNT, 5 + CLASSES)
    table[..., :4] *= 64
    return [table], [with_objectness(row, to_corners(*row[:4].astype(float))) for row in table[0]]


def v8() -> tuple[list[Any], Plain]:
    table = numbers(1, 4 + CLASSES, COUNT)
    table[:, :4] *= 64
    expected: Plain = []
    for place in range(COUNT):
        column = table[0, :, place].astype(float)
        best = max(range(CLASSES), key=lambda number: column[4 + number])
        expected.append((to_corners(*column[:4]), float(column[4 + best]), best))
    return [table], expected


def yolox() -> tuple[list[Any], Plain]:
    table = numbers(1, COUNT, 5 + CLASSES)
    expected: Plain = []
    row = 0
    for stride in (8, 16, 32):
        for y in range(HEIGHT // stride):
            for x in range(WIDTH // stride):
                dx, dy, w, h = table[0, row, :4].astype(float)
                box = to_corners((x + dx) * stride, (y + dy) * stride, np.exp(w) * stride, np.exp(h) * stride)
                expected.append(with_objectness(table[0, row].astype(float), box))
                row += 1
    return [table], expected


def nms_free() -> tuple[list[Any], Plain]:
    table = numbers(1, 50, 6)
    table[..., :4] *= 64
    table[..., 5] = np.arange(50) % CLASSES
    return [table], [(row[:4].astype(float).tolist(), float(row[4]), int(row[5])) for row in table[0]]


def detr() -> tuple[list[Any], Plain]:
    logits, boxes = numbers(1, 20, CLASSES + 1), numbers(1, 20, 4, seed=2)
    expected: Plain = []
    for place in range(20):
        raised = np.exp(logits[0, place].astype(float))
        scores = (raised / raised.sum())[:CLASSES]
        x, y, w, h = boxes[0, place].astype(float)
        box = to_corners(x * WIDTH, y * HEIGHT, w * WIDTH, h * HEIGHT)
        expected.append((box, float(scores.max()), int(scores.argmax())))
    return [logits, boxes], expected


def inside() -> tuple[list[Any], Plain]:
    boxes, scores = numbers(1, 30, 4) * 64, numbers(1, 30, seed=2)
    classes = (np.arange(30) % CLASSES).astype(np.int64)[None]
    outputs = [np.array([[12]], np.int32), boxes, scores, classes]
    expected = [
        (boxes[0, place].astype(float).tolist(), float(scores[0, place]), int(classes[0, place]))
        for place in range(12)
    ]
    return outputs, expected


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (v5, ModelKind.YOLO),
        (v8, ModelKind.YOLO),
        (yolox, ModelKind.YOLOX),
        (nms_free, ModelKind.NMS_FREE),
        (detr, ModelKind.DETR),
        (inside, ModelKind.NMS_INSIDE),
    ],
)
def test_candidates_are_decoded_as_by_plain_numpy(make: Any, kind: ModelKind) -> None:
    outputs, expected = make()
    activation = "softmax" if kind is ModelKind.DETR else "none"
    settings = DetectorSettings(width=WIDTH, height=HEIGHT, activation=activation)
    decoded = decode(kind, outputs, settings)
    assert len(decoded.boxes) == len(expected)
    assert np.allclose(decoded.boxes, [box for box, _, _ in expected], atol=1e-3)
    assert np.allclose(decoded.confidences, [sure for _, sure, _ in expected], atol=1e-6)
    assert decoded.classes.tolist() == [number for _, _, number in expected]


@given(
    width=st.integers(17, 1500),
    height=st.integers(17, 1500),
    side=st.sampled_from([(416, 416), (640, 640), (640, 384)]),
    way=st.sampled_from(["centre", "corner", "stretch"]),
)
@example_settings(deadline=None, max_examples=60)
def test_mapping_from_input_to_photo_is_exact_to_a_pixel(
    width: int, height: int, side: tuple[int, int], way: Any
) -> None:
    photo = np.zeros((height, width, 3), np.uint8)
    settings = DetectorSettings(width=side[0], height=side[1], fit=way)
    fitted = fit(photo, settings)
    assert fitted.tensor.shape == (1, 3, side[1], side[0])
    # Where the photo lies in the input: everything else is border.
    filled = np.argwhere(fitted.tensor[0, 0] == 0)
    (top, left), (bottom, right) = filled.min(axis=0), filled.max(axis=0) + 1
    ((x1, y1, x2, y2),) = fitted.back(np.array([[left, top, right, bottom]], np.float64))
    assert max(abs(x1), abs(y1), abs(x2 - width), abs(y2 - height)) < 1


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ("raw", [200.0, 100.0, 50.0]),
        ("unit", [200 / 255, 100 / 255, 50 / 255]),
        # By hand: (200 / 255 - 0.485) / 0.229, (100 / 255 - 0.456) / 0.224, (50 / 255 - 0.406) / 0.225.
        ("imagenet", [1.30707, -0.28501, -0.93299]),
    ],
)
def test_colours_reach_the_model_in_its_order_and_scale(values: Any, expected: list[float]) -> None:
    photo = np.empty((32, 64, 3), np.uint8)
    photo[:] = (50, 100, 200)
    # The other order has the same numbers the other way round.
    orders: list[tuple[Any, list[float]]] = [("rgb", expected), ("bgr", expected[::-1])]
    for colour, wanted in orders:
        settings = DetectorSettings(width=64, height=64, values=values, colour=colour)
        assert fit(photo, settings).tensor[0, :, 32, 32] == pytest.approx(wanted, abs=1e-4)


def test_photo_is_placed_in_the_middle_in_the_corner_or_stretched() -> None:
    photo = np.zeros((32, 64, 3), np.uint8)
    rows = {}
    for way in ("centre", "corner", "stretch"):
        settings = DetectorSettings(width=64, height=64, values="raw", fit=way)
        fitted = fit(photo, settings)
        rows[way] = np.flatnonzero(fitted.tensor[0, 0, :, 0] == 0)[[0, -1]].tolist()
        assert fitted.scale == ((1, 2) if way == "stretch" else (1, 1))
    assert rows == {"centre": [16, 47], "corner": [0, 31], "stretch": [0, 63]}


@given(width=st.integers(1, 12_000), height=st.integers(1, 12_000), side=st.sampled_from([64, 416, 640]))
@example_settings(deadline=None, max_examples=100)
def test_the_parts_cover_the_photo_and_overlap(width: int, height: int, side: int) -> None:
    whole, *parts = slices(width, height, DetectorSettings(width=side, height=side))
    assert whole == (0, 0, width, height)
    assert len(parts) <= 160
    for x, y, w, h in parts:
        assert x >= 0
        assert y >= 0
        assert x + w <= width
        assert y + h <= height
    for axis, length in ((0, width), (1, height)):
        spans = sorted({(part[axis], part[axis] + part[axis + 2]) for part in parts})
        if spans:
            assert spans[0][0] == 0
            assert spans[-1][1] == length
            assert all(nxt[0] < span[1] for span, nxt in pairwise(spans))


def test_candidates_are_kept_by_their_confidence_and_only_with_a_box() -> None:
    good, empty, turned = [0, 0, 5, 5], [3, 3, 3, 9], [5, 5, 0, 9]
    boxes = np.array([good, good, good, empty, turned, [0, 0, np.inf, 5], [np.nan, 0, 5, 5]], np.float64)
    sure = np.array([0.5, 0.49, 0.9, 0.9, 0.9, 0.9, 0.9], np.float64)
    decoded = Decoded(boxes, sure, np.arange(7))
    assert decoded.above(0.5).classes.tolist() == [0, 2]
    assert decoded.above(np.array([0.6, 0.4, 0.8, 0, 0, 0, 0])).classes.tolist() == [1, 2]


@pytest.mark.parametrize("size", [(64, 96), (640, 320)])
def test_yolox_needs_one_candidate_for_each_cell(size: tuple[int, int]) -> None:
    width, height = size
    count = sum((width // stride) * (height // stride) for stride in (8, 16, 32))
    settings = DetectorSettings(width=width, height=height, activation="none")
    assert len(decode(ModelKind.YOLOX, [numbers(1, count, 8)], settings).boxes) == count
    for wrong in (count - 1, count + 1):
        with pytest.raises(ValueError):
            decode(ModelKind.YOLOX, [numbers(1, wrong, 8)], settings)


@pytest.mark.parametrize("name", ["confidence", "iou", "fail_confidence"])
def test_shares_must_be_within_0_and_1(name: str) -> None:
    for good in (0, 1):
        assert getattr(DetectorSettings.model_validate({name: good}), name) == good
    for wrong in (-0.01, 1.01, float("nan")):
        with pytest.raises(ValueError):
            DetectorSettings.model_validate({name: wrong})


def test_photo_fails_by_label_and_confidence() -> None:
    anything = DetectorSettings(fail_confidence=0.4)
    assert anything.fails("crack", 0.4)
    assert not anything.fails("crack", 0.39)
    some = DetectorSettings(fail_labels=["crack"], fail_confidence=0.4)
    assert some.fails("crack", 0.9)
    assert not some.fails("dirt", 0.9)
    assert not DetectorSettings(fail_labels=[]).fails("crack", 1)
    assert DetectorSettings(confidence=0.3, per_label={"a": 0.2, "b": 0.6}).least_confidence == 0.2
    assert DetectorSettings(confidence=0.3, per_label={"b": 0.6}).least_confidence == 0.3


@pytest.mark.parametrize("size", [(1200, 848), (1201, 848), (839, 640), (416, 290)])
def test_every_column_of_a_photo_that_is_shrunk_counts(size: tuple[int, int]) -> None:
    settings = DetectorSettings(width=416, height=416, values="raw")
    for column in range(40):
        photo = np.zeros((size[1], size[0], 3), np.uint8)
        photo[:, column] = 240
        assert fit(photo, settings).tensor[0, 0, 208].max() > 20
