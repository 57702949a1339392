"""A draft of corrected findings, and what becomes of it, without a window."""

from __future__ import annotations

from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from desktop.canvas.views.pair_tools import PairPointer, ThreePointTool
from desktop.record.correction import (
    CorrectionDraft,
    boxes_of,
    is_unsent,
    same_boxes,
    stored_version,
    with_correction,
)
from shared.record import results
from shared.record.entries import Entry
from shared.record.geometry import Rect
from tests.narrowing import not_none

BOX = {"label": "crack", "confidence": 0.9, "points": {"x1": 1, "y1": 2, "x2": 3, "y2": 4}, "id": 7}
# Odd on purpose: boxes with an unknown key, one without corners, an alignment without a homography.
ENTRY = cast(
    Entry,
    {
        "version": 1,
        "isPassed": False,
        "progress": "done",
        "inputImage": {"file_id": "f"},
        "resultImage": {"boxes": [BOX, {"label": "no points"}, {**BOX, "label": "dent"}]},
        "provenance": {"model_id": "m", "alignment": {"inliers": 3}},
    },
)


def draft() -> CorrectionDraft:
    return CorrectionDraft.begin("i", ENTRY, ENTRY)


def change(correction: CorrectionDraft, number: int) -> None:
    place = number % len(correction.boxes) if correction.boxes else -1
    if place < 0 or number % 5 == 4:
        correction.add([(Rect(number, 0, 5, 5), "new")])
    elif number % 5 == 3:
        correction.remove([place])
    elif number % 5 == 2:
        correction.reshape({place: Rect(0, number, 4, 4)})
    elif number % 5 == 1:
        correction.relabel(place, f"label {number}")
    else:
        correction.accept(place)


def test_unreadable_boxes_are_left_out_and_unknown_keys_stay() -> None:
    boxes = boxes_of(ENTRY)
    assert [box["label"] for box in boxes] == ["crack", "dent"]
    assert boxes[0] == {**BOX, "origin": "model", "accepted": False}
    assert boxes_of(None) == boxes_of({"resultImage": None}) == ()


@given(st.lists(st.integers(0, 60), max_size=12))
def test_undo_and_redo_restore_the_same_findings(numbers: list[int]) -> None:
    correction = draft()
    states = [correction.boxes]
    for number in numbers:
        steps = correction.steps
        change(correction, number)
        if correction.steps > steps:
            states.append(correction.boxes)
    for boxes in reversed(states[:-1]):
        assert correction.undo()
        assert correction.boxes == boxes
    assert not correction.undo()
    for boxes in states[1:]:
        assert correction.redo()
        assert correction.boxes == boxes
    assert not correction.redo()


def test_unsent_correction_counts_until_the_next_one() -> None:
    correction = draft()
    correction.remove([0])
    entries = with_correction([ENTRY], 1, correction.boxes)
    newest = results.finished_detection(entries)
    assert newest is not None
    assert is_unsent(newest)
    assert (newest["version"], stored_version(newest)) == (2, 1)
    assert newest["inputImage"] == ENTRY["inputImage"]
    assert newest["provenance"] == {"alignment": {"inliers": 3}}
    assert results.model_opinion(entries) is False
    again = with_correction(entries, 1, ())
    assert len(again) == 2
    assert results.is_passed(again) is True


def test_same_findings_are_equal_regardless_of_their_author() -> None:
    plain, read = not_none(ENTRY["resultImage"])["boxes"][:1], boxes_of(ENTRY)[:1]
    assert same_boxes(plain, read)
    assert not same_boxes(plain, [{**read[0], "accepted": True}])
    assert not same_boxes(plain, ())


def test_places_are_set_alternately_and_only_on_the_pictures() -> None:
    done: list[Any] = []
    points = ThreePointTool(lambda *places: done.append(places), lambda *_: "")
    points.click(PairPointer(1, 1, True, 1))
    points.click(PairPointer(1, 1, False, 1, inside=False))
    assert (points.reference, points.photo) == ([], [])
    assert not points.undo()
    for number in range(3):
        points.click(PairPointer(number, 0, False, 1))
        points.click(PairPointer(9, 9, False, 1))
        assert points.wants_photo
        points.click(PairPointer(number, 5, True, 1))
    assert done == [([(0, 0), (1, 0), (2, 0)], [(0, 5), (1, 5), (2, 5)])]
    assert points.undo()
    assert points.wants_photo
