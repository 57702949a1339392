"""Alignment of a photo to the reference, and the view that holds both against each other."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.canvas.layers.colours import DARK_COLOURS
from desktop.canvas.layers.finding_layer import FindingBox, map_corners
from desktop.canvas.views.alignment import AlignedPair, align, align_crop, homography_from_points
from desktop.canvas.views.compare_view import CompareView
from desktop.canvas.views.pair_drawing import CompareMode
from desktop.canvas.views.pair_tools import BoxTool, ThreePointTool
from desktop.imaging.decoding.pixels import to_qimage
from desktop.imaging.sources.cut import ImageCrop
from shared.record.geometry import Rect


def picture(width: int, height: int, *squares: tuple[int, int, int, int]) -> QImage:
    """Grey with white squares (x, y, w, h)."""
    pixels = np.full((height, width), 0xFF606060, np.uint32)
    for x, y, w, h in squares:
        pixels[y : y + h, x : x + w] = 0xFFFFFFFF
    return to_qimage(pixels)


def white_box(image: QImage) -> tuple[int, int, int, int]:
    rows = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width()) & 0xFF
    y, x = np.nonzero(rows > 200)
    return int(x.min()), int(y.min()), int(x.max()) + 1, int(y.max()) + 1


def test_align_maps_the_photo_onto_the_crop() -> None:
    reference = picture(100, 80, (20, 30, 40, 20))
    photo = picture(400, 300, (100, 110, 80, 40))
    # the crop begins at (200, 100) of the reference image; the photo is twice as fine, shifted
    homography = np.array([[2.0, 0, -340.0], [0, 2.0, -150.0], [0, 0, 1]])
    pair = align(reference, photo, homography, (200, 100))
    assert pair.aligned
    assert (pair.reference.width(), pair.photo.width()) == (200, 200)
    assert pair.photo_size == (400, 300)
    assert white_box(pair.reference) == pytest.approx(white_box(pair.photo), abs=1)
    # Without a difference the photo itself, dim.
    assert pair.difference.pixelColor(60, 80).lightness() == 51
    assert pair.difference.pixelColor(60, 80).saturation() == 0
    corners = map_corners(Rect(100, 110, 80, 40), pair.mapping)
    assert corners[0] == pytest.approx((40, 60))
    assert corners[2] == pytest.approx((120, 100))


@pytest.mark.parametrize("aligned", [True, False])
def test_pair_of_a_reduced_photo_uses_px_of_the_whole_photo(aligned: bool) -> None:
    # A quarter of a photo of 800 x 600 px, which shows the reference twice as fine.
    cut = ImageCrop(picture(200, 150, (50, 60, 40, 20)), np.diag([0.25, 0.25, 1.0]), (800, 600))
    pair = align_crop(picture(400, 300), cut, np.diag([2.0, 2.0, 1.0]) if aligned else None)
    assert pair.photo_size == (800, 600)
    assert pair.aligned is aligned
    share = pair.photo.width() / 800
    corners = map_corners(Rect(200, 240, 160, 80), pair.mapping)
    assert corners[0] == pytest.approx((200 * share, 240 * share))
    assert white_box(pair.photo)[:2] == pytest.approx(corners[0], abs=2)


@pytest.mark.parametrize("mode", list(CompareMode))
def test_fitted_pair_lies_below_what_covers_the_view(qtbot: QtBot, mode: CompareMode) -> None:
    view = CompareView()
    qtbot.addWidget(view)
    view.resize(700, 400)
    view.set_covered(112)
    view.set_mode(mode)
    view.set_pair(align(picture(100, 300), picture(100, 300), np.eye(3)))
    assert view.viewport.top >= 112
    assert view.viewport.top + 300 * view.viewport.scale <= 400


def test_new_object_is_bright_in_the_difference() -> None:
    reference, photo = picture(100, 80), picture(100, 80, (50, 40, 20, 20))
    pair = align(reference, photo, np.eye(3))
    assert pair.difference.pixelColor(60, 50).lightness() > 100
    assert pair.difference.pixelColor(10, 10).lightness() < 20


def surface(light: float = 1.0, tilt: float = 0.0, spot: tuple[int, int] | None = None) -> QImage:
    """A surface with structure in this light, which may change across it; `spot` is a dark place of 20 px."""
    x, y = np.meshgrid(np.arange(300), np.arange(200))
    grey = (110 + 30 * np.sin(x / 9) * np.cos(y / 13)) * (light + tilt * x / 300)
    if spot is not None:
        grey[spot[1] : spot[1] + 20, spot[0] : spot[0] + 20] *= 0.5
    value = np.clip(grey, 0, 255).astype(np.uint32)
    return to_qimage((0xFF000000 | value << 16 | value << 8 | value).astype(np.uint32))


@pytest.mark.parametrize(("light", "tilt"), [(1.0, 0.0), (1.35, 0.0), (0.7, 0.0), (0.8, 0.5)])
def test_difference_shows_damage_and_not_the_light(light: float, tilt: float) -> None:
    pair = align(surface(), surface(light, tilt, spot=(200, 90)), np.eye(3))
    shown = pair.difference
    assert shown.pixelColor(210, 100).saturation() > 100
    assert shown.pixelColor(210, 100).lightness() > 80
    elsewhere = [shown.pixelColor(x, y) for x in (20, 100, 180, 280) for y in (20, 60, 180)]
    assert max(colour.lightness() for colour in elsewhere) < 45
    # The place is visible without a difference.
    assert min(colour.lightness() for colour in elsewhere) > 8


def test_difference_without_an_alignment_shows_both_pictures(qtbot: QtBot, view: CompareView) -> None:
    view.set_mode(CompareMode.DIFFERENCE)
    view.set_pair(align(picture(100, 80), picture(300, 300, (0, 0, 300, 300)), None))
    image = view.grab().toImage()
    assert image.pixelColor(100, 100).lightness() == 96
    assert image.pixelColor(300, 100).lightness() == 255
    assert view.mode is CompareMode.DIFFERENCE


def test_without_a_homography_the_photo_keeps_its_proportions() -> None:
    pair = align(picture(100, 80), picture(300, 300, (0, 0, 150, 300)), None)
    assert not pair.aligned
    left, top, right, bottom = white_box(pair.photo)
    assert (top, bottom) == (0, pair.photo.height())
    assert right - left == pytest.approx(pair.photo.height() / 2, abs=2)
    assert left == pytest.approx((pair.photo.width() - pair.photo.height()) / 2, abs=2)
    assert pair.difference.isNull()


def test_align_refuses_empty_pictures_and_singular_homographies() -> None:
    with pytest.raises(ValueError, match="pixels"):
        align(QImage(), picture(9, 9), None)
    with pytest.raises(ValueError, match="inverted"):
        align(picture(9, 9), picture(9, 9), np.zeros((3, 3)))


def test_three_points_give_the_mapping() -> None:
    reference = [(0.0, 0.0), (100.0, 0.0), (0.0, 100.0)]
    photo = [(10.0, 20.0), (210.0, 20.0), (10.0, 220.0)]
    assert homography_from_points(reference, photo) @ [50, 25, 1] == pytest.approx([110, 70, 1])
    with pytest.raises(ValueError, match="line"):
        homography_from_points([(0, 0), (1, 1), (2, 2)], photo)
    with pytest.raises(ValueError, match="three"):
        homography_from_points(reference[:2], photo[:2])


@pytest.fixture
def pair() -> AlignedPair:
    return align(picture(100, 80), picture(100, 80, (0, 0, 100, 80)), np.eye(3))


@pytest.fixture
def view(qtbot: QtBot, pair: AlignedPair) -> CompareView:
    view = CompareView()
    qtbot.addWidget(view)
    view.resize(402, 200)
    view.show()
    view.set_pair(pair)
    return view


def lightness(view: CompareView, x: int, y: int = 60) -> int:
    return view.grab().toImage().pixelColor(x, y).lightness()


def test_side_by_side_shows_both_with_one_zoom(qtbot: QtBot, view: CompareView) -> None:
    assert (lightness(view, 100), lightness(view, 300)) == (96, 255)
    scale = view.viewport.scale
    view.zoom_in()
    assert view.viewport.scale == pytest.approx(scale * 1.25)
    view.fit()
    assert view.viewport.scale == pytest.approx(scale)


def test_swiping_moves_the_divider(qtbot: QtBot, view: CompareView) -> None:
    view.set_mode(CompareMode.SWIPE)
    assert (lightness(view, 150), lightness(view, 250)) == (96, 255)
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(201, 60))
    qtbot.mouseMove(view, QPoint(300, 60))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(300, 60))
    assert lightness(view, 250) == 96
    view.slide(-0.05)
    assert lightness(view, 290) == 255


def test_blink_flips_by_timer_and_by_command(qtbot: QtBot, view: CompareView) -> None:
    view.set_mode(CompareMode.BLINK)
    assert lightness(view, 200) == 96
    qtbot.waitUntil(lambda: lightness(view, 200) == 255)
    view.flip_manually()
    assert lightness(view, 200) == 96
    for key in (Qt.Key.Key_Space, Qt.Key.Key_Left, Qt.Key.Key_Plus, Qt.Key.Key_1, Qt.Key.Key_F):
        qtbot.keyClick(view, key)
    assert lightness(view, 200) == 96


def test_overlay_mixes_and_difference_shows(qtbot: QtBot, view: CompareView) -> None:
    view.set_mode(CompareMode.OVERLAY)
    assert lightness(view, 200) == pytest.approx((96 + 255) / 2, abs=2)
    view.slide(0.25)
    assert view.mix == 0.75
    view.set_mix(0)
    assert lightness(view, 200) == 96
    view.set_mode(CompareMode.DIFFERENCE)
    assert lightness(view, 200) > 100


def test_findings_are_drawn_only_on_the_photo(view: CompareView) -> None:
    before = view.grab().toImage()
    view.set_findings([FindingBox(Rect(10, 10, 30, 30), "crack", 0.5)])
    after = view.grab().toImage()
    assert before.copy(0, 0, 200, 200) == after.copy(0, 0, 200, 200)
    assert before.copy(202, 0, 200, 200) != after.copy(202, 0, 200, 200)


def test_message_is_shown_without_a_pair(view: CompareView) -> None:
    view.set_pair(None)
    view.set_colours(DARK_COLOURS)
    empty = view.grab().toImage()
    view.show_message("No photo yet")
    assert view.grab().toImage() != empty
    assert view.accessibleName()


def box_tool_on_a_finding(view: CompareView, pair: AlignedPair) -> tuple[BoxTool, list[Rect]]:
    """The tool for findings with one chosen finding in the middle of the photo, and where it moves to."""
    reshaped: list[Rect] = []
    tool = BoxTool(lambda _: None, lambda _, rect: reshaped.append(rect), reshaped.append)
    tool.rects, tool.current, tool.editable = [Rect(20, 20, 60, 40)], 0, True
    tool.mapping, tool.size = pair.mapping, pair.photo_size
    view.set_tool(tool)
    return tool, reshaped


def drag(view: CompareView, button: Qt.MouseButton, start: QPoint, end: QPoint) -> None:
    QTest.mousePress(view, button, pos=start)
    QTest.mouseMove(view, end)
    QTest.mouseRelease(view, button, pos=end)


def test_only_the_left_button_moves_a_finding(view: CompareView, pair: AlignedPair) -> None:
    _tool, reshaped = box_tool_on_a_finding(view, pair)
    before, start, end = view.viewport, QPoint(302, 100), QPoint(312, 110)
    drag(view, Qt.MouseButton.RightButton, start, end)
    assert (reshaped, view.viewport) == ([], before)
    drag(view, Qt.MouseButton.MiddleButton, start, end)
    assert (reshaped, view.viewport) == ([], before.panned(10, 10))
    drag(view, Qt.MouseButton.LeftButton, start, end)
    assert len(reshaped) == 1


def test_another_button_does_not_end_the_drag_of_a_finding(view: CompareView, pair: AlignedPair) -> None:
    tool, reshaped = box_tool_on_a_finding(view, pair)
    start, end = QPoint(302, 100), QPoint(312, 110)
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseClick(view, Qt.MouseButton.RightButton, pos=start)
    QTest.mouseMove(view, end)
    assert tool.draft is not None
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end)
    assert len(reshaped) == 1


def test_only_the_left_button_sets_points_of_an_alignment(view: CompareView) -> None:
    tool = ThreePointTool(lambda *_: None, lambda *_: "")
    view.set_tool(tool)
    for button in (Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton):
        QTest.mouseClick(view, button, pos=QPoint(100, 100))
        QTest.mouseDClick(view, button, pos=QPoint(100, 100))
    assert tool.reference == []
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(100, 100))
    assert len(tool.reference) == 1


@pytest.mark.parametrize("ctrl", [False, True])
def test_two_fingers_scroll_and_zoom_with_ctrl(view: CompareView, ctrl: bool) -> None:
    before, point = view.viewport, QPointF(30, 30)
    event = QWheelEvent(
        point,
        view.mapToGlobal(point),
        QPoint(0, 24),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier if ctrl else Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    view.zoom_in()
    zoomed = view.viewport
    QApplication.sendEvent(view, event)
    assert (view.viewport.scale > zoomed.scale) is ctrl
    assert zoomed.scale > before.scale
    if not ctrl:
        assert view.viewport == zoomed.panned(0, 24)
