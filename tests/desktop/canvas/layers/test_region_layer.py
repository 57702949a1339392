"""Many regions painted together: where they lie, in which colours, and that changes are seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRectF
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from pytestqt.qtbot import QtBot

from desktop.canvas.layers.boxes import pixel_aligned, pixel_aligned_edges
from desktop.canvas.layers.colours import CanvasColours
from desktop.canvas.layers.region_layer import BATCH_THRESHOLD, RegionLayer
from desktop.canvas.model.regions import Region, RegionChange, RegionState, RegionStep, RegionStore
from desktop.canvas.model.viewport import Viewport
from shared.record.geometry import Rect

SIDE = 800
COLOURS = CanvasColours()
RECTS = st.builds(Rect, st.floats(0, 3000), st.floats(0, 2000), st.floats(0.5, 900), st.floats(0.5, 900))


@settings(max_examples=60, deadline=None)
@given(st.lists(RECTS, max_size=12))
def test_pixel_aligned_edges_equal_single_ones(rects: list[Rect]) -> None:
    edges = np.array([(rect.x, rect.y, rect.right, rect.bottom) for rect in rects]).reshape(-1, 4)
    together = [QRectF(x, y, right - x, bottom - y) for x, y, right, bottom in pixel_aligned_edges(edges)]
    assert together == [pixel_aligned(rect) for rect in rects]


class LayerRenderer:
    """Renders a store of 20 px squares in rows of 20, every 40 px."""

    def __init__(self, count: int) -> None:
        self.store = RegionStore()
        self.layer = RegionLayer(self.store)
        self.layer.show_labels = False
        states = list(RegionState)
        self.store.replace(
            Region(f"r{n}", Rect(n % 20 * 40, n // 20 * 40, 20, 20), n + 1, state=states[n % 4])
            for n in range(count)
        )

    def render(self, moved: dict[str, Rect] | None = None) -> QImage:
        image = QImage(SIDE, SIDE, QImage.Format.Format_RGB32)
        image.fill(QColor("#ffffff"))
        with QPainter(image) as painter:
            self.layer.paint(painter, Viewport(SIDE, SIDE, SIDE, SIDE), COLOURS, moved or {}, QFont())
        return image

    def change(self, key: str, **values: Any) -> None:
        before = self.store[key]
        self.store.apply(RegionChange((before,), (replace(before, **values),), RegionStep.MOVE))


def edge(image: QImage, x: int, y: int) -> str:
    """The colour of the upper edge of a region at (x, y)."""
    return image.pixelColor(QPoint(x + 10, y)).name()


@pytest.fixture
def many(qtbot: QtBot) -> LayerRenderer:
    return LayerRenderer(BATCH_THRESHOLD + 100)


def test_many_regions_look_like_few(qtbot: QtBot, many: LayerRenderer) -> None:
    few = LayerRenderer(20).render()
    assert many.render().copy(0, 0, SIDE, 30) == few.copy(0, 0, SIDE, 30)


def test_changed_regions_are_repainted_among_many(many: LayerRenderer) -> None:
    many.render()
    many.change("r4", rect=Rect(160, 700, 20, 20))
    many.change("r5", hidden=True)
    many.change("r6", state=RegionState.FAILED)
    image = many.render()
    assert edge(image, 160, 0) == edge(image, 200, 0) == "#ffffff"
    assert edge(image, 160, 700) == COLOURS.state_colour(many.store["r4"].state).name()
    assert edge(image, 240, 0) == COLOURS.failed


def test_dragged_region_is_painted_at_its_new_place(many: LayerRenderer) -> None:
    many.render()
    image = many.render({"r4": Rect(160, 700, 20, 20)})
    assert edge(image, 160, 0) == "#ffffff"
    assert edge(image, 160, 700) == COLOURS.accent


def test_all_selected_regions_are_marked_and_follow_the_pointer(many: LayerRenderer) -> None:
    many.store.select([region.id for region in many.store])
    image = many.render()
    assert {edge(image, x * 40, y * 40) for x in range(20) for y in range(15)} == {COLOURS.accent}
    everywhere = {region.id: replace(region.rect, y=region.rect.y + 20) for region in many.store}
    image = many.render(everywhere)
    assert edge(image, 0, 20) == COLOURS.accent
    many.store.select(["r1"])
    image = many.render()
    assert edge(image, 40, 0) == COLOURS.accent
    assert edge(image, 80, 0) == COLOURS.state_colour(many.store["r2"].state).name()
