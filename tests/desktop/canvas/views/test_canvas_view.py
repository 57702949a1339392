"""The canvas as a widget: pictures, mouse, keys, signals, and pixels where they belong."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.canvas.layers.colours import DARK_COLOURS, CanvasColours, chip_colours, contrast
from desktop.canvas.layers.finding_layer import FindingBox
from desktop.canvas.model.regions import Region, RegionChange, RegionState, RegionStep
from desktop.canvas.tools.tool_machine import Tool
from desktop.canvas.tools.tool_names import step_name
from desktop.canvas.views.canvas_view import CanvasView
from desktop.imaging import open_image
from desktop.imaging.decoding.pixels import Tone
from shared.record.geometry import Rect
from tests.pictures import encode_picture, gradient_pixels

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[CanvasView]:
    view = CanvasView()
    view.resize(600, 400)
    qtbot.addWidget(view)
    view.regions_edited.connect(view.store.apply)
    view.show()
    view.setFocus()
    with qtbot.waitSignal(view.prepared):
        view.open(open_image(encode_picture(gradient_pixels(300, 200))))
    yield view
    view.close_picture()


def view_point(view: CanvasView, x: float, y: float) -> QPoint:
    return QPointF(*view.viewport.to_view(x, y)).toPoint()


def drag(qtbot: QtBot, view: CanvasView, start: tuple[float, float], end: tuple[float, float]) -> None:
    qtbot.mousePress(view, LEFT, pos=view_point(view, *start))
    qtbot.mouseMove(view, view_point(view, *end))
    qtbot.mouseRelease(view, LEFT, pos=view_point(view, *end))


def colour_at(view: CanvasView, x: float, y: float) -> tuple[int, int, int]:
    point = view_point(view, x, y)
    colour = view.grab().toImage().pixelColor(point)
    return colour.red(), colour.green(), colour.blue()


def test_a_picture_is_fitted_and_its_pixels_are_exact(view: CanvasView) -> None:
    assert view.viewport.scale == 2
    view.set_viewport(16, 100, 100)
    assert view.viewport.scale == 16
    for x, y in ((100, 100), (104, 95), (90, 104)):
        for inset in (0.1, 0.9):
            assert colour_at(view, x + inset, y + inset) == (x, y, 0)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_orientation_is_drawn_upright(qtbot: QtBot, view: CanvasView, orientation: int) -> None:
    with qtbot.waitSignal(view.prepared):
        view.open(open_image(encode_picture(gradient_pixels(300, 200), "PNG", orientation)))
    view.set_viewport(8, 250, 150)
    assert colour_at(view, 250.5, 150.5) == (250, 150, 0)
    view.set_tool(Tool.DRAW)
    edited: list[RegionChange] = []
    view.regions_edited.connect(edited.append)
    drag(qtbot, view, (240, 140), (255, 160))
    assert edited[0].after[0].rect == Rect(240, 140, 15, 20)


def test_drawing_ends_with_the_region_selected(qtbot: QtBot, view: CanvasView) -> None:
    selected: list[tuple[str, ...]] = []
    tools: list[Tool] = []
    view.selection_changed.connect(selected.append)
    view.tool_changed.connect(tools.append)
    view.set_tool(Tool.DRAW)
    drag(qtbot, view, (50, 50), (100, 90))
    (region,) = view.store
    assert region.rect == Rect(50, 50, 50, 40)
    assert selected == [(region.id,)]
    assert tools == [Tool.DRAW, Tool.SELECT]


def test_draw_tool_stays_while_no_region_was_drawn(qtbot: QtBot, view: CanvasView) -> None:
    view.store.replace([Region("a", Rect(50, 50, 20, 20), 1)])
    view.select_all()
    view.set_tool(Tool.DRAW)
    drag(qtbot, view, (300, 20), (300, 120))
    assert (len(view.store), view.editor.busy, view.editor.tool) == (1, False, Tool.DRAW)
    view.editor.editable = False
    with qtbot.waitSignal(view.edit_refused):
        drag(qtbot, view, (100, 100), (140, 140))
    assert (len(view.store), view.store.selected_ids, view.editor.tool) == (1, ("a",), Tool.DRAW)


def test_nothing_changes_without_receiver_of_edits(qtbot: QtBot, view: CanvasView) -> None:
    view.regions_edited.disconnect()
    view.set_tool(Tool.DRAW)
    drag(qtbot, view, (50, 50), (100, 90))
    assert len(view.store) == 0


def test_regions_are_moved_duplicated_and_copied(view: CanvasView) -> None:
    view.store.replace([Region("a", Rect(50, 50, 20, 20), 1, "dent")])
    view.select_all()
    view.move_by(1, 0)
    view.move_by(0, 10)
    assert view.store["a"].rect == Rect(51, 60, 20, 20)
    copied = view.editor.selection_text()
    view.editor.duplicate()
    view.editor.paste(copied)
    assert sorted((region.rect.x, region.number, region.label) for region in view.store) == [
        (51, 1, "dent"),
        (67, 2, "dent"),
        (83, 3, "dent"),
    ]


def test_enter_finishes_and_escape_cancels_a_drawing(qtbot: QtBot, view: CanvasView) -> None:
    for end, count in ((view.finish, 1), (view.cancel, 1)):
        view.set_tool(Tool.DRAW)
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(100, 100))
        qtbot.mouseMove(view, QPoint(160, 150))
        assert view.editor.busy
        end()
        assert (view.editor.busy, view.editor.tool, len(view.store)) == (False, Tool.SELECT, count)
    (region,) = view.store
    view.store.select([region.id])
    view.finish()
    middle = view.viewport.to_image(view.width() / 2, view.height() / 2)
    assert region.rect.contains(*middle)
    view.cancel()
    assert view.store.selected_ids == ()
    left = view.viewport.left
    view.move_by(-1, 0)
    assert view.viewport.left == left + 40


@pytest.mark.parametrize("modifier", [Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier])
def test_view_handles_no_key_but_space(view: CanvasView, modifier: Qt.KeyboardModifier) -> None:
    view.store.replace([Region("a", Rect(50, 50, 20, 20), 1, "dent")])
    view.select_all()

    def state() -> object:
        shown = view.regions_shown, view.labels_shown, view.minimap_shown
        return list(view.store), view.store.selected_ids, view.viewport, view.editor.tool, shown

    before = state()
    for key in Qt.Key:
        QApplication.sendEvent(view, QKeyEvent(QEvent.Type.KeyPress, key, modifier))
        QApplication.sendEvent(view, QKeyEvent(QEvent.Type.KeyRelease, key, modifier))
    assert state() == before


def test_space_and_the_middle_button_pan(qtbot: QtBot, view: CanvasView) -> None:
    view.set_viewport(8, 150, 100)
    left = view.viewport.left
    qtbot.keyPress(view, Qt.Key.Key_Space)
    drag(qtbot, view, (150, 100), (155, 100))
    qtbot.keyRelease(view, Qt.Key.Key_Space)
    assert view.viewport.left == left + 40
    qtbot.mousePress(view, Qt.MouseButton.MiddleButton, pos=QPoint(300, 200))
    qtbot.mouseMove(view, QPoint(290, 200))
    qtbot.mouseRelease(view, Qt.MouseButton.MiddleButton, pos=QPoint(290, 200))
    assert view.viewport.left == left + 30


def test_the_wheel_zooms_at_the_pointer(view: CanvasView) -> None:
    point = QPointF(200, 150)
    before = view.viewport.to_image(200, 150)
    event = QWheelEvent(
        point,
        view.mapToGlobal(point),
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, event)
    assert view.viewport.scale == pytest.approx(2 * 1.25**2)
    assert view.viewport.to_image(200, 150) == pytest.approx(before, abs=0.5)


def test_cursor_position_is_reported_inside_the_picture_only(qtbot: QtBot, view: CanvasView) -> None:
    positions: list[tuple[int, int] | None] = []
    view.cursor_moved.connect(positions.append)
    view.set_viewport(2, 0, 0)
    qtbot.mouseMove(view, view_point(view, 10.6, 20.6))
    qtbot.mouseMove(view, view_point(view, -5, 20))
    assert positions == [(10, 20), None]


def test_list_and_canvas_select_and_show_each_other(qtbot: QtBot, view: CanvasView) -> None:
    view.store.replace([Region("a", Rect(10, 10, 20, 20), 1), Region("b", Rect(250, 150, 20, 20), 2)])
    activated: list[str] = []
    view.region_activated.connect(activated.append)
    qtbot.mouseDClick(view, LEFT, pos=view_point(view, 255, 155))
    assert activated == ["b"]
    view.show_region("b")
    assert view.viewport.to_view(260, 160) == pytest.approx((300, 200), abs=1)
    scale = view.viewport.scale
    view.ensure_visible("a")
    assert view.viewport.scale == scale
    assert not view.viewport.visible.intersection(Rect(10, 10, 20, 20)).is_empty


def test_regions_are_painted_in_the_colour_of_their_state(view: CanvasView) -> None:
    view.show_labels(False)
    view.store.replace([Region("a", Rect(50, 50, 60, 60), 1, state=RegionState.FAILED)])
    failed = QColor(CanvasColours().failed)
    assert colour_at(view, 80, 50) == (failed.red(), failed.green(), failed.blue())
    view.set_colours(DARK_COLOURS)
    dark = QColor(DARK_COLOURS.failed)
    assert colour_at(view, 80, 50) == (dark.red(), dark.green(), dark.blue())
    view.show_regions(False)
    assert colour_at(view, 80.4, 50.4) == (80, 50, 0)


def test_selected_region_has_handles_only_while_it_can_be_resized(view: CanvasView) -> None:
    view.show_labels(False)
    view.store.replace([Region("a", Rect(50, 50, 60, 60), 1)])
    view.select_all()
    assert colour_at(view, 51, 51) == (255, 255, 255)
    view.editor.editable = False
    assert colour_at(view, 51, 51) != (255, 255, 255)


def test_findings_are_mapped_onto_the_picture(view: CanvasView) -> None:
    import numpy as np

    view.show_labels(False)
    view.set_findings([FindingBox(Rect(5, 5, 30, 30), "裂纹", 0.9)], np.diag([2.0, 2.0, 1.0]))
    failed = QColor(CanvasColours().failed)
    assert colour_at(view, 40, 10) == (failed.red(), failed.green(), failed.blue())


def test_ten_thousand_regions_are_painted_like_few(view: CanvasView) -> None:
    view.show_labels(False)
    regions = [
        Region(str(n), Rect(n % 250, n // 250 * 8, 6, 6), n, state=RegionState.PASSED) for n in range(5000)
    ]
    view.store.replace(regions)
    passed = QColor(CanvasColours().passed)
    passed_rgb = (passed.red(), passed.green(), passed.blue())
    assert colour_at(view, 125, 80) == passed_rgb
    far = (285.4, 100)
    assert colour_at(view, *far) != passed_rgb
    new = Region("new", Rect(280, 100, 15, 15), 1, state=RegionState.PASSED)
    change = RegionChange((), (new,), RegionStep.DRAW)
    view.store.apply(change)
    assert colour_at(view, *far) == passed_rgb
    view.store.apply(RegionChange((new,), (), RegionStep.DRAW))
    assert colour_at(view, *far) != passed_rgb
    view.store.apply(
        RegionChange((regions[0],), (regions[0].with_rect(Rect(280, 100, 15, 15)),), RegionStep.MOVE)
    )
    assert colour_at(view, *far) == passed_rgb


def test_dragged_region_among_ten_thousand_is_not_painted_twice(qtbot: QtBot, view: CanvasView) -> None:
    view.show_labels(False)
    regions = [
        Region(str(n), Rect(n % 100, n // 100 * 2, 2, 1), n, state=RegionState.NONE) for n in range(5000)
    ]
    taken = Region("taken", Rect(200, 50, 20, 20), 1, state=RegionState.FAILED)
    view.store.replace([*regions, taken])
    edge = (200, 60)
    failed = QColor(CanvasColours().failed)
    assert colour_at(view, *edge) == (failed.red(), failed.green(), failed.blue())
    for end, inside in (((270, 150), (210, 60)), ((210, 60), (270, 150))):
        qtbot.mousePress(view, LEFT, pos=view_point(view, *inside))
        qtbot.mouseMove(view, view_point(view, *end))
        left = view.grab().toImage()
        qtbot.mouseRelease(view, LEFT, pos=view_point(view, *end))
        view.show_regions(False)
        bare = view.grab().toImage()
        view.show_regions(True)
        # where it was there is nothing but the picture, before and after the button is let go
        place = QRect(
            view_point(view, inside[0] - 13, inside[1] - 13), view_point(view, inside[0] + 13, inside[1] + 13)
        )
        assert left.copy(place) == bare.copy(place)
        assert view.grab().toImage().copy(place) == bare.copy(place)


def test_focus_ring_appears_only_after_keyboard_focus(qtbot: QtBot, view: CanvasView) -> None:
    accent = QColor(CanvasColours().accent)

    def has_focus_ring() -> bool:
        return view.grab().toImage().pixelColor(0, 200) == accent

    for reason, expected in (
        (Qt.FocusReason.MouseFocusReason, False),
        (Qt.FocusReason.TabFocusReason, True),
        (Qt.FocusReason.ActiveWindowFocusReason, True),
        (Qt.FocusReason.OtherFocusReason, False),
    ):
        view.clearFocus()
        assert not has_focus_ring()
        view.setFocus(reason)
        assert has_focus_ring() is expected


def test_brightness_changes_the_view_not_the_picture(qtbot: QtBot, view: CanvasView) -> None:
    view.set_viewport(16, 100, 100)
    view.set_tone(Tone(brightness=40))
    qtbot.waitUntil(lambda: colour_at(view, 100.5, 100.5)[0] == 151)
    assert view.source is not None
    assert view.source.crop(Rect(100, 100, 1, 1)).pixelColor(0, 0).red() == 100


def test_minimap_mark_has_a_minimum_size(qtbot: QtBot, view: CanvasView) -> None:
    minimap = view.findChild(QWidget, "minimap")
    assert minimap is not None
    view.set_viewport(64, view.viewport.image_width / 2, view.viewport.image_height / 2)
    image = minimap.grab().toImage()
    accent = QColor(view._colours.accent)
    near = [
        (x, y)
        for x in range(image.width())
        for y in range(image.height())
        if abs(image.pixelColor(x, y).hue() - accent.hue()) < 8 and image.pixelColor(x, y).saturation() > 120
    ]
    assert len(near) > 12
    assert max(x for x, _ in near) - min(x for x, _ in near) < 12


def test_minimap_appears_when_the_picture_exceeds_the_view(qtbot: QtBot, view: CanvasView) -> None:
    minimap = view.findChild(QWidget, "minimap")
    assert minimap is not None
    assert not minimap.isVisible()
    view.set_viewport(8, 20, 20)
    assert minimap.isVisible()
    qtbot.mouseClick(minimap, LEFT, pos=minimap.rect().center())
    assert view.viewport.to_image(300, 200) == pytest.approx((150, 100), abs=6)
    view.show_minimap(False)
    assert not minimap.isVisible()


def test_canvas_shows_why_a_picture_cannot_be_read(qtbot: QtBot, view: CanvasView) -> None:
    picture = encode_picture(gradient_pixels(900, 900), "JPEG")
    broken = picture[: len(picture) // 2]
    with qtbot.waitSignal(view.failed) as failure:
        view.open(open_image(broken))
    assert "damaged" in failure.args[0]
    view.open(None)
    view.show_message("Choose a picture")
    empty = view.grab().toImage()
    view.show_message("")
    assert view.grab().toImage() != empty


def test_every_control_has_a_name(view: CanvasView) -> None:
    assert view.accessibleName()
    buttons = view.findChildren(QAbstractButton)
    assert len(buttons) >= 5
    assert all(button.accessibleName() and button.toolTip() for button in buttons)


def test_every_step_has_a_name() -> None:
    assert len({step_name(step) for step in RegionStep}) == len(RegionStep)


@pytest.mark.parametrize("colours", [CanvasColours(), DARK_COLOURS])
def test_chips_can_be_read(colours: CanvasColours) -> None:
    for colour in (colours.accent, colours.passed, colours.failed, colours.undecided, colours.dim):
        assert contrast(*chip_colours(QColor(colour))) >= 4.5
