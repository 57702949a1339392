"""What chips say where there is little room."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.canvas.layers.chips import MAX_NAME_WIDTH, ChipPlaces, chip_font, chip_text
from desktop.canvas.layers.colours import theme_colours
from desktop.canvas.layers.finding_layer import FindingBox, FindingLayer
from desktop.canvas.layers.region_layer import BATCH_THRESHOLD, RegionLayer
from desktop.canvas.model.regions import Region, RegionStore
from desktop.canvas.model.viewport import Viewport
from desktop.canvas.views.canvas_view import CanvasView
from desktop.imaging import open_image
from shared.record.geometry import Rect
from tests.desktop.imaging.pictures import rgb
from tests.pictures import encode_picture, gradient_pixels


@pytest.fixture
def chips(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the chips in the order in which they are painted."""
    texts: list[str] = []
    _replace_drawing(monkeypatch, lambda _box, text: texts.append(text))
    return texts


@pytest.fixture
def chip_boxes(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> list[QRectF]:
    """The places of the chips in the order in which they are painted."""
    boxes: list[QRectF] = []
    _replace_drawing(monkeypatch, lambda box, _text: boxes.append(box))
    return boxes


def _replace_drawing(monkeypatch: pytest.MonkeyPatch, drawn: Callable[[QRectF, str], object]) -> None:
    """Call `drawn` with the box and the text of every chip instead of drawing it."""
    for layer in ("finding_layer", "region_layer"):
        monkeypatch.setattr(
            f"desktop.canvas.layers.{layer}.draw_chips",
            lambda _painter, chips: [drawn(box, text) for box, text, *_ in chips],
        )


def paint(layer: FindingLayer | RegionLayer, viewport: Viewport | None = None) -> QImage:
    viewport = viewport or Viewport(400, 300, 400, 300).fit()
    sheet = QImage(400, 300, QImage.Format.Format_RGB32)
    sheet.fill(0)
    painter = QPainter(sheet)
    try:
        if isinstance(layer, RegionLayer):
            layer.paint(painter, viewport, theme_colours(dark=True), {}, QApplication.font())
        else:
            layer.paint(painter, viewport, theme_colours(dark=True), QApplication.font())
    finally:
        painter.end()
    return sheet


def test_chips_of_findings_do_not_overlap(chips: list[str]) -> None:
    layer = FindingLayer()
    close = [FindingBox(Rect(50 + 4 * n, 100, 9, 9), f"dent {n}", 0.5 + n / 100) for n in range(5)]
    far = FindingBox(Rect(300, 200, 20, 20), "crack", 0.1)
    layer.boxes = (*close, far)
    paint(layer)
    # The surest first: there is no room for the last of those that lie together.
    assert chips == ["dent 4 0.54", "dent 3 0.53", "dent 2 0.52", "dent 1 0.51", "crack 0.10"]
    chips.clear()
    layer.boxes = (*close, FindingBox(Rect(52, 100, 9, 9), "chosen", 0.1, highlighted=True))
    paint(layer)
    assert chips == ["chosen 0.10", "dent 4 0.54", "dent 3 0.53", "dent 2 0.52"]


def test_long_name_is_elided(chips: list[str]) -> None:
    metrics = QFontMetricsF(chip_font(QApplication.font()))
    assert chip_text(metrics, "crack") == "crack"
    assert metrics.horizontalAdvance(chip_text(metrics, "蒙皮" * 100)) <= MAX_NAME_WIDTH
    layer = FindingLayer()
    layer.boxes = (FindingBox(Rect(50, 100, 90, 90), "蒙皮" * 100, 0.5),)
    paint(layer)
    store = RegionStore()
    store.replace([Region("a", Rect(10, 50, 200, 200), 7, "蒙皮" * 100)])
    store.select({"a"})
    paint(RegionLayer(store))
    finding, region = chips
    assert "…" in finding
    assert finding.endswith(" 0.50")
    assert region.startswith("7 ")
    assert region.endswith("…")


def test_small_regions_keep_their_number(chips: list[str]) -> None:
    store = RegionStore()
    tiny = [Region(str(n), Rect(100 + 9 * n, 100, 3, 3), n) for n in range(1, 5)]
    store.replace([*tiny, Region("5", Rect(200, 1, 4, 4), 5), Region("6", Rect(396, 296, 3, 3), 6)])
    paint(RegionLayer(store))
    assert sorted(chips) == ["1", "2", "3", "4", "5", "6"]


def test_largest_visible_regions_keep_their_numbers_among_larger_ones_elsewhere(chips: list[str]) -> None:
    store = RegionStore()
    near = [Rect(n % 20 * 40, n // 20 * 40, 30 if n < 8 else 20, 20) for n in range(BATCH_THRESHOLD + 20)]
    far = [Rect(3000, 3000 + n, 60, 60) for n in range(BATCH_THRESHOLD)]
    store.replace([Region(str(n), rect, n) for n, rect in enumerate(near + far)])
    paint(RegionLayer(store), Viewport(4000, 4000, 800, 800))
    assert chips == [str(n) for n in range(8)]


def positions(box: Rect) -> list[QRectF]:
    """The positions of a chip of 20 px at a region in a view of 400 x 300 px."""
    edges = np.array([[box.x, box.y, box.right, box.bottom]])
    return list(ChipPlaces(edges, np.array([20.0]), edges, (400.0, 300.0)).positions(0))


def test_chip_lies_at_its_region_beside_another_that_ends_at_the_same_height() -> None:
    # The edges lie in the lower half of a px, so that rounding moves them up.
    edges = np.array([[300.0, 50.3, 390.0, 200.3], [180.0, 50.3, 290.0, 200.3]])
    others = np.vstack([edges, [[280.0, 0.0, 400.0, 49.0]]])
    places = ChipPlaces(edges[:1], np.array([120.0]), others, (400.0, 300.0))
    assert places.reserve(0, required=True) == QRectF(280, 201, 120, 20)


def test_chip_position_has_room_and_does_not_cover_a_small_region() -> None:
    small, large = Rect(50, 2, 6, 6), Rect(50, 2, 200, 200)
    assert positions(small)[0].top() >= small.bottom
    assert positions(large)[0].top() == large.y
    places = positions(Rect(100, 100, 5, 5))
    assert len(places) == len({(place.x(), place.y()) for place in places}) == 8
    assert not any(place.intersects(QRectF(100, 100, 5, 5)) for place in places)
    assert all(QRectF(0, 0, 400, 300).contains(place) for place in positions(Rect(395, 295, 5, 5)))


def test_label_of_a_finding_at_the_upper_edge_stands_beside_it(chip_boxes: list[QRectF]) -> None:
    layer = FindingLayer()
    layer.boxes = (FindingBox(Rect(60, 4, 40, 24), "crack", 0.9),)
    paint(layer)
    (chip,) = chip_boxes
    assert not chip.intersects(QRectF(60, 4, 40, 24))


def test_of_many_findings_only_the_highlighted_one_has_a_label(chips: list[str]) -> None:
    layer = FindingLayer()
    places = [Rect(2 + 12 * column, 2 + 12 * row, 8, 8) for row in range(20) for column in range(30)]
    many = [FindingBox(place, f"dent {n}", 0.5, read_only=n % 2 == 0) for n, place in enumerate(places)]
    layer.boxes = (*many, FindingBox(Rect(200, 260, 30, 20), "chosen", 0.9, highlighted=True))
    pixels = rgb(paint(layer, Viewport(400, 300, 400, 300)))
    assert chips == ["chosen 0.90"]
    assert all(pixels[round(place.y), round(place.x)].any() for place in places)
    assert not any(pixels[round(place.y) + 4, round(place.x) + 4].any() for place in places)
    # Where a part of them is in view, they have labels again.
    chips.clear()
    paint(layer, Viewport(400, 300, 400, 300, scale=20.0))
    assert any(text.startswith("dent") for text in chips)


def test_number_in_a_dense_grid_belongs_to_its_region(chip_boxes: list[QRectF]) -> None:
    store = RegionStore()
    cells = [Rect(10 + 60 * column, 10 + 50 * row, 56, 46) for row in range(5) for column in range(6)]
    store.replace([Region(str(n), cell, n) for n, cell in enumerate(cells, 1)])
    paint(RegionLayer(store))
    assert len(chip_boxes) == len(cells)
    for chip in chip_boxes:
        touched = [cell for cell in cells if chip.intersects(QRectF(cell.x, cell.y, cell.w, cell.h))]
        assert len(touched) <= 1
    # Where regions are too small for their numbers, none stands on another region.
    chip_boxes.clear()
    tiny = [Rect(10 + 16 * column, 30 + 16 * row, 14, 14) for row in range(9) for column in range(9)]
    store.replace([Region(str(n), cell, n) for n, cell in enumerate(tiny, 1)])
    paint(RegionLayer(store))
    boxes = [QRectF(cell.x, cell.y, cell.w, cell.h) for cell in tiny]
    assert chip_boxes
    assert not any(chip.intersects(box) for chip in chip_boxes for box in boxes)


def test_chip_of_a_finding_never_covers_that_of_its_region(chip_boxes: list[QRectF], qtbot: QtBot) -> None:
    view = CanvasView()
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.open(open_image(encode_picture(gradient_pixels(400, 300))))
    view.store.replace([Region("a", Rect(60, 80, 120, 160), 1, label="left wing root")])
    view.store.select(["a"])
    view.set_findings([FindingBox(Rect(60, 80, 110, 50), "crack", 0.99)], None)
    view.grab()
    region, finding = chip_boxes[-2:]
    assert not region.intersects(finding)
