"""Tests that an object is one finding, however the slices of a large photo cut it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.detection.onnx.decode import Decoded
from service.detection.onnx.detector import slices
from service.detection.onnx.merge import MAX_FOUND, merge_slices, slice_findings, suppress_overlaps
from service.detection.onnx.settings import DetectorSettings
from shared.images.cv import cv2

WIDTH, HEIGHT = 4000, 3000
SETTINGS = DetectorSettings(width=320, height=320)
Box = tuple[float, float, float, float]


def detect_in_slices(things: Sequence[Box], classes: Sequence[int] = (), least: float = 4.0) -> list[Box]:
    """The findings of objects of which each slice shows its part, if it has `least` px of the input."""
    parts = []
    for place in slices(WIDTH, HEIGHT, SETTINGS):
        x, y, w, h = place
        boxes, numbers = [], []
        for number, thing in enumerate(things):
            inside = np.array(
                [max(thing[0], x), max(thing[1], y), min(thing[2], x + w), min(thing[3], y + h)]
            )
            scale = 320 / max(w, h)
            if min(inside[2:] - inside[:2]) * scale >= least:
                boxes.append(inside)
                numbers.append(classes[number] if classes else 0)
        table = np.array(boxes, np.float64).reshape(-1, 4)
        decoded = Decoded(table, np.full(len(table), 0.9), np.array(numbers, np.int64))
        parts.append(slice_findings(decoded, place, WIDTH, HEIGHT, 0.45))
    whole = merge_slices(parts, 0.45)
    return sorted((round(a), round(b), round(c), round(d)) for a, b, c, d in whole.boxes.tolist())


@pytest.mark.parametrize(
    "thing",
    [
        # The parts begin every 245 px or so and are 320 px wide: each of these is cut.
        (900, 1000, 1300, 1010),
        (700, 1000, 2900, 1012),
        (1500, 400, 1511, 2600),
        (1000, 1000, 1900, 1700),
        (1200, 1150, 1330, 1290),
        (0, 0, 500, 8),
        (3500, 2990, 4000, 3000),
        # Parts that begin where it begins seem to cut it there too.
        (279, 0, 291, 666),
        (565, 0, 653, 363),
    ],
)
def test_object_cut_by_slices_is_one_finding(thing: Box) -> None:
    assert detect_in_slices([thing]) == [thing]


def test_adjacent_objects_cut_by_the_same_edge_stay_separate() -> None:
    things = [(900, 1000, 1700, 1010), (900, 1012, 1700, 1022), (910, 1024, 1650, 1034)]
    assert detect_in_slices(things) == sorted(things)


def test_object_that_ends_where_another_starts_stays_separate() -> None:
    things = [(900, 1000, 1200, 1010), (1230, 1000, 1500, 1010)]
    assert detect_in_slices(things) == things
    assert detect_in_slices([(900, 1000, 1700, 1010), (1000, 1000, 1800, 1011)], (0, 1)) == [
        (900, 1000, 1700, 1010),
        (1000, 1000, 1800, 1011),
    ]


def test_of_equally_confident_boxes_the_finer_one_stays() -> None:
    coarse = Decoded(np.array([[990.0, 990, 1110, 1110]]), np.array([0.9]), np.array([0]))
    fine = Decoded(np.array([[1000.0, 1000, 1100, 1100]]), np.array([0.9]), np.array([0]))
    whole = slice_findings(coarse, (0, 0, WIDTH, HEIGHT), WIDTH, HEIGHT, 0.45)
    part = slice_findings(fine, (960, 960, 320, 320), WIDTH, HEIGHT, 0.45)
    assert merge_slices([whole, part], 0.45).boxes.tolist() == [[1000, 1000, 1100, 1100]]


def test_object_inside_a_less_confident_larger_one_stays() -> None:
    boxes = np.array([[0.0, 0, 1000, 1000], [100, 100, 200, 200]])
    for sure, count in ((0.9, 1), (0.3, 2)):
        decoded = Decoded(boxes, np.array([sure, 0.9]), np.zeros(2, np.int64))
        parts = [
            slice_findings(one, (0, 0, WIDTH, HEIGHT), WIDTH, HEIGHT, 0.45) for one in (decoded, nothing())
        ]
        assert len(merge_slices(parts, 0.45).boxes) == count


def nothing() -> Decoded:
    return Decoded(np.zeros((0, 4)), np.zeros(0), np.zeros(0, np.int64))


def test_most_confident_of_too_many_findings_stay() -> None:
    count = MAX_FOUND + 500
    at = np.arange(count, dtype=np.float64) * 20
    boxes = np.stack([at, at * 0, at + 10, at * 0 + 10], axis=1)
    sure = np.linspace(0.3, 0.9, count)
    decoded = suppress_overlaps(Decoded(boxes, sure, np.zeros(count, np.int64)), 0.45)
    for parts in ([decoded], [decoded, nothing()]):
        result = merge_slices(
            [slice_findings(one, (0, 0, 90_000, 20), 90_000, 20, 0.45) for one in parts], 0.45
        )
        assert len(result.boxes) == MAX_FOUND
        assert result.confidences.min() == pytest.approx(sure[500])
        assert np.all(np.diff(result.confidences) <= 0)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, WIDTH - 30),
    st.integers(0, HEIGHT - 30),
    st.integers(12, 2500),
    st.integers(12, 2500),
)
def test_any_object_is_one_finding(x: int, y: int, w: int, h: int) -> None:
    thing = (x, y, min(x + w, WIDTH), min(y + h, HEIGHT))
    (one,) = detect_in_slices([thing])
    # What ends within 1.5 % of a part's edge may be a piece or not.
    assert np.allclose(one, thing, atol=5)


def test_boxes_of_different_classes_beyond_the_edge_of_the_photo_stay() -> None:
    boxes = np.array([[40, 40, 50, 50], [-11, -11, -1, -1]], np.float64)
    decoded = suppress_overlaps(Decoded(boxes, np.array([0.9, 0.8]), np.array([0, 1])), 0.45)
    assert decoded.classes.tolist() == [0, 1]


@st.composite
def candidates(draw: st.DrawFn) -> Decoded:
    far = draw(st.sampled_from([0, 4000, 2**24 + 1, 2**26]))
    near = st.integers(-60, 60)
    corner = st.tuples(near, near, st.booleans(), st.integers(1, 60), st.integers(1, 60))
    rows = draw(st.lists(corner, min_size=1, max_size=30))
    boxes = [
        (x + far * beyond, y - far * beyond, x + far * beyond + w, y - far * beyond + h)
        for x, y, beyond, w, h in rows
    ]
    size = len(rows)
    confidences = draw(st.lists(st.sampled_from([0.25, 0.5, 0.75, 0.9]), min_size=size, max_size=size))
    classes = draw(st.lists(st.sampled_from([0, 1, 2, 79, 1000, 99_999]), min_size=size, max_size=size))
    return Decoded(np.array(boxes, np.float64), np.array(confidences), np.array(classes, np.int64))


@given(candidates(), st.sampled_from([0.3, 0.45, 0.7]))
@settings(max_examples=200, deadline=None)
def test_suppression_of_all_classes_equals_suppression_of_each(decoded: Decoded, iou: float) -> None:
    alone = []
    for number in set(decoded.classes.tolist()):
        places = np.flatnonzero(decoded.classes == number)
        corners = decoded.boxes[places]
        sizes = np.concatenate([corners[:, :2], corners[:, 2:] - corners[:, :2]], axis=1)
        indices = cv2.dnn.NMSBoxes(sizes.tolist(), decoded.confidences[places].tolist(), 0.0, iou)
        alone += places[np.asarray(indices)].tolist()
    alone.sort(key=lambda place: (-decoded.confidences[place], place))
    together = suppress_overlaps(decoded, iou)
    np.testing.assert_array_equal(together.boxes, decoded.boxes[alone])
    np.testing.assert_array_equal(together.classes, decoded.classes[alone])
