from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.record.detection_settings import (
    ItemDetectionSettings,
    area_of,
    item_detection_settings,
    move_with_region,
    pixels,
    sensitivity_of,
    with_settings,
)
from shared.record.geometry import Rect
from shared.wire.inspection import DetectionSettings, Place

share = st.floats(0, 1, allow_nan=False)
areas = st.builds(Rect, *[st.floats(0, 0.5)] * 2, *[st.floats(0.01, 0.5)] * 2)
item_settings = st.builds(
    ItemDetectionSettings,
    st.none() | share,
    st.none() | st.floats(0.01, 1000),
    st.lists(areas, max_size=3).map(tuple),
    place=st.sampled_from(Place),
)


@given(
    item_settings, st.fixed_dictionaries({}, optional={"point": st.just({"x": 0.1}), "more": st.integers()})
)
@settings(deadline=None, max_examples=60)
def test_written_settings_are_read_and_accepted_by_the_service(
    wanted: ItemDetectionSettings, rest: Any
) -> None:
    point = with_settings(rest, wanted)
    assert item_detection_settings(point) == wanted
    assert {name: value for name, value in point.items() if name != "detection"} == rest
    if "detection" in point:
        DetectionSettings.model_validate(point["detection"])
    assert with_settings(point, ItemDetectionSettings()) == rest


@given(
    item_settings, st.builds(Rect, *[st.floats(0.05, 0.4)] * 4), st.builds(Rect, *[st.floats(0.05, 0.4)] * 4)
)
@settings(deadline=None, max_examples=60)
def test_areas_of_a_copy_keep_their_place(wanted: ItemDetectionSettings, origin: Rect, place: Rect) -> None:
    inside = tuple(
        Rect(origin.x + a.x * origin.w / 2, origin.y + a.y * origin.h / 2, origin.w / 2, origin.h / 2)
        for a in wanted.ignored
    )
    moved = move_with_region(
        ItemDetectionSettings(wanted.sensitivity, wanted.smallest, inside), origin, place
    )
    assert (moved.sensitivity, moved.smallest) == (wanted.sensitivity, wanted.smallest)
    for before, after in zip(inside, moved.ignored, strict=True):
        assert (after.x - place.x) / place.w == pytest.approx((before.x - origin.x) / origin.w, abs=1e-9)
        assert after.w / place.w == pytest.approx(before.w / origin.w)
    back = move_with_region(moved, place, origin)
    for before, after in zip(inside, back.ignored, strict=True):
        assert (after.x, after.y, after.w, after.h) == pytest.approx((before.x, before.y, before.w, before.h))


@pytest.mark.parametrize("stored", [{"sensitivity": 2}, {"smallest": 0}, {"ignored": [{"x": 0}]}, "words"])
def test_invalid_settings_are_not_changed(stored: Any) -> None:
    assert not item_detection_settings({"detection": stored}).readable


def test_area_is_clipped_to_the_region() -> None:
    region = Rect(100, 100, 200, 100)
    area = area_of(Rect(50, 150, 100, 20), region, (1000, 500))
    assert area == Rect(0.1, 0.3, 0.05, 0.04)
    assert pixels([area], (1000, 500)) == (Rect(100, 150, 50, 20),)
    assert area_of(Rect(0, 0, 100, 100), region, (1000, 500)) is None


def test_without_a_word_of_the_model_the_default_counts() -> None:
    assert sensitivity_of(None) == 0.5
