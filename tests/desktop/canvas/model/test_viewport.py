"""Zooming and panning: what is below the pointer stays there, and the picture is never lost from view."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.canvas.model.viewport import MAX_SCALE, Viewport
from shared.record.geometry import Rect

VIEW = st.builds(
    Viewport, st.integers(1, 30_000), st.integers(1, 30_000), st.floats(50, 4000), st.floats(50, 3000)
).map(Viewport.fit)


@settings(max_examples=100, deadline=None)
@given(view=VIEW, x=st.floats(0, 1), y=st.floats(0, 1))
def test_points_survive_conversion_to_view_and_back(view: Viewport, x: float, y: float) -> None:
    image = (x * view.image_width, y * view.image_height)
    assert view.to_image(*view.to_view(*image)) == pytest.approx(image, abs=1e-6 * max(view.image_width, 1))


@settings(max_examples=100, deadline=None)
@given(
    view=VIEW,
    scale=st.floats(0.0001, 500),
    steps=st.lists(st.tuples(st.floats(-900, 900), st.floats(-900, 900))),
)
def test_part_of_the_picture_is_always_visible(
    view: Viewport, scale: float, steps: list[tuple[float, float]]
) -> None:
    view = view.zoomed(scale, view.width / 2, view.height / 2)
    assert view.scale <= MAX_SCALE
    for dx, dy in steps:
        view = view.panned(dx, dy)
        assert not view.visible.is_empty


def test_zooming_keeps_the_point_below_the_pointer() -> None:
    view = Viewport(4000, 3000, 800, 600).fit().zoomed(1.0, 400, 300)
    before = view.to_image(250, 170)
    assert view.zoomed(4.0, 250, 170).to_image(250, 170) == pytest.approx(before, abs=0.2)


def test_minimum_zoom_is_half_of_the_fitting_scale_or_of_full_size() -> None:
    assert Viewport(4000, 3000, 800, 600).fit().zoomed(1e-9, 400, 300).scale == pytest.approx(0.1)
    assert Viewport(40, 30, 800, 600).fit().zoomed(1e-9, 400, 300).scale == pytest.approx(0.5)


def test_fitting_centres_and_resizing_keeps_it_fitted() -> None:
    view = Viewport(1000, 500, 800, 800).fit()
    assert (view.scale, view.left, view.top) == (0.8, 0, 200)
    assert view.visible == Rect(0, 0, 1000, 500)
    wider = view.resized(400, 800)
    assert (wider.is_fitted, wider.scale) == (True, 0.4)
    close = view.zoomed(3, 400, 400)
    middle = close.to_image(400, 400)
    assert close.resized(600, 500).to_image(300, 250) == pytest.approx(middle, abs=1)


@pytest.mark.parametrize("width", range(690, 700))
def test_picture_as_wide_as_the_view_is_centred_after_a_smaller_one(width: int) -> None:
    above_a_tray = Viewport(2592, 1944, width, 512, covered=66).fit()

    assert above_a_tray.left > 40
    assert above_a_tray.resized(width, 612) == Viewport(2592, 1944, width, 612, covered=66).fit()


def test_showing_a_region_puts_it_in_the_middle() -> None:
    view = Viewport(4000, 3000, 800, 600).fit()
    shown = view.zoomed_to(Rect(1000, 1000, 200, 100))
    assert shown.scale == 2
    assert shown.to_view(1100, 1050) == pytest.approx((400, 300), abs=1)
    assert view.zoomed_to(Rect(10, 10, 1, 1)).scale == 8
    beside = view.zoomed_to(Rect(1000, 1000, 200, 100), room=Rect(0, 100, 400, 500))
    assert beside.scale == 1
    assert beside.to_view(1100, 1050) == pytest.approx((200, 350), abs=1)
    assert view.zoomed_to(Rect(0, 0, 4000, 3000)).scale == view.fit_scale


def test_empty_picture_has_no_visible_part() -> None:
    assert Viewport(0, 0, 800, 600).fit().visible.is_empty


@pytest.mark.parametrize(("width", "height"), [(400, 300), (300, 900), (1000, 100)])
def test_fitted_picture_lies_below_what_covers_the_view(width: int, height: int) -> None:
    view = Viewport(width, height, 800, 600, covered=60).fit()

    assert view.is_fitted
    assert view.top >= 60
    assert view.top + view.scale * height <= 600
    assert view.resized(700, 500).is_fitted


def test_zooming_out_moves_a_picture_below_what_covers_the_view_without_a_jump() -> None:
    tops = [
        Viewport(800, 600, 800, 600, scale, covered=60).bounded().top for scale in np.arange(0.7, 1, 0.001)
    ]

    assert max(abs(one - other) for one, other in pairwise(tops)) <= 1
