"""Reference and photo in the place of the canvas: keys, tools, modes and tone act on the shown view."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.canvas.tools.tool_machine import Tool
from desktop.canvas.views.alignment import AlignedPair, align
from desktop.canvas.views.pair_drawing import CompareMode
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, picture


@pytest.fixture
def pair() -> AlignedPair:
    image = QImage.fromData(picture()).convertToFormat(QImage.Format.Format_RGB32)
    return align(image, image, np.eye(3))


@pytest.fixture
def comparing(workbench: WorkbenchDriver, qtbot: QtBot, pair: AlignedPair) -> WorkbenchDriver:
    """An open record with an aligned pair on the canvas."""
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    page = workbench.page
    # The photos are read from the service first.
    qtbot.waitUntil(lambda: page.open_record.current in page.photos.pairing._photos_by_item)
    page.photos.pairing._announce_pair(pair)
    workbench.context.commands.run("compare")
    assert page.canvas.centre.currentWidget() is page.canvas.compare
    return workbench


def test_view_keys_zoom_the_compared_pictures(comparing: WorkbenchDriver) -> None:
    page, run = comparing.page, comparing.context.commands.run
    behind, fitted = page.canvas.view.viewport, page.canvas.compare.viewport.scale
    run("view.zoom_in")
    assert page.canvas.compare.viewport.scale == pytest.approx(fitted * 1.25)
    run("view.zoom_out")
    run("view.zoom_out")
    assert page.canvas.compare.viewport.scale < fitted
    run("view.actual")
    assert page.canvas.compare.viewport.scale == pytest.approx(1 / page.devicePixelRatioF())
    run("view.fit")
    assert page.canvas.compare.viewport.scale == pytest.approx(fitted)
    assert page.canvas.view.viewport == behind


@pytest.mark.parametrize(
    ("command", "tool"),
    [
        ("tool.rectangle", Tool.DRAW),
        ("tool.pan", Tool.PAN),
        ("tool.ruler", Tool.RULER),
        ("tool.area", Tool.AREA),
        ("tool.select", Tool.SELECT),
    ],
)
def test_tool_returns_to_the_picture_that_it_edits(
    comparing: WorkbenchDriver, command: str, tool: Tool
) -> None:
    page = comparing.page
    assert comparing.context.commands.run(command)
    assert page.canvas.centre.currentWidget() is page.canvas.view
    assert page.canvas.view.editor.tool is tool
    assert not page.canvas.strip.compare.isChecked()


@pytest.mark.parametrize("command", ["view.item", "view.regions"])
def test_commands_for_regions_return_to_the_picture(comparing: WorkbenchDriver, command: str) -> None:
    comparing.context.commands.run(command)
    assert comparing.page.canvas.centre.currentWidget() is comparing.page.canvas.view


def test_no_tool_is_in_hand_while_the_picture_is_not_on_view(comparing: WorkbenchDriver) -> None:
    strip = comparing.page.canvas.strip
    assert not any(button.isChecked() for button in strip.buttons.values())
    strip.buttons[Tool.SELECT].click()
    assert strip.buttons[Tool.SELECT].isChecked()
    assert comparing.page.canvas.centre.currentWidget() is comparing.page.canvas.view


def test_click_on_a_tool_returns_to_the_picture(comparing: WorkbenchDriver) -> None:
    page = comparing.page
    page.canvas.strip.buttons[Tool.DRAW].click()
    assert page.canvas.centre.currentWidget() is page.canvas.view
    assert page.canvas.view.editor.tool is Tool.DRAW


def test_each_comparison_mode_has_a_command_and_both_views_follow(comparing: WorkbenchDriver) -> None:
    page = comparing.page
    comparing.context.commands.run("tool.select")
    for mode in reversed(CompareMode):
        assert comparing.context.commands.run(f"compare.{mode.value}")
        assert page.canvas.centre.currentWidget() is page.canvas.compare
        assert page.canvas.compare.mode is page.inspector.photo.pane.mode is mode
        assert page.canvas.comparing.bar.mix.isVisible() is (mode is CompareMode.OVERLAY)


def test_unaligned_photo_can_be_compared_only_side_by_side(
    comparing: WorkbenchDriver, pair: AlignedPair, qtbot: QtBot
) -> None:
    page = comparing.page
    image = pair.reference
    page.photos.pairing._announce_pair(align(image, image, None))
    assert not page.canvas.comparing.bar.modes.buttons[CompareMode.BLINK].isEnabled()
    with qtbot.waitSignal(page.toast) as toast:
        comparing.context.commands.run("compare.blink")
    assert "not aligned" in toast.args[0]
    assert page.canvas.compare.mode is CompareMode.SIDE_BY_SIDE


def test_the_modes_are_in_reach_while_the_inspector_is_folded(comparing: WorkbenchDriver) -> None:
    page, bar = comparing.page, comparing.page.canvas.comparing.bar
    comparing.context.commands.run("view.inspector")
    assert not page.inspector.isVisible()
    bar.modes.buttons[CompareMode.OVERLAY].click()
    bar.mix.setValue(80)
    assert page.canvas.compare.mode is CompareMode.OVERLAY
    assert page.canvas.compare.mix == pytest.approx(0.8)
    QTest.keyClick(page.canvas.compare, Qt.Key.Key_Left)
    assert bar.mix.value() == 75
    assert page.canvas.compare.rect().contains(bar.geometry())


def test_command_aligns_the_photo_by_three_points(comparing: WorkbenchDriver, qtbot: QtBot) -> None:
    page, run = comparing.page, comparing.context.commands.run
    run("item.align")
    assert page.canvas.aligning.points is not None
    assert page.canvas.compare.tool is page.canvas.aligning.points
    run("tool.select")
    page.photos.pairing._announce_pair(None)
    with qtbot.waitSignal(page.toast) as toast:
        run("item.align")
    assert "no photo to align" in toast.args[0]
    assert page.canvas.aligning.points is None


def test_cursor_shows_what_can_be_dragged(comparing: WorkbenchDriver) -> None:
    compare = comparing.page.canvas.compare
    comparing.context.commands.run("compare.swipe")
    middle = QPoint(compare.width() // 2, compare.height() // 2)
    QTest.mouseMove(compare, middle)
    assert compare.cursor().shape() is Qt.CursorShape.SizeHorCursor
    aside = middle - QPoint(100, 0)
    QTest.mouseMove(compare, aside)
    assert compare.cursor().shape() is Qt.CursorShape.ArrowCursor
    QTest.mousePress(compare, Qt.MouseButton.LeftButton, pos=aside)
    assert compare.cursor().shape() is Qt.CursorShape.ClosedHandCursor
    QTest.mouseRelease(compare, Qt.MouseButton.LeftButton, pos=aside)
    assert compare.cursor().shape() is Qt.CursorShape.ArrowCursor


def test_brightness_applies_to_both_pictures_and_status_line(
    comparing: WorkbenchDriver, qtbot: QtBot
) -> None:
    page, run = comparing.page, comparing.context.commands.run

    def light() -> int:
        compare = page.canvas.compare
        row = compare.grab(QRect(0, compare.height() // 2, compare.width(), 1)).toImage()
        return sum(row.pixelColor(x, 0).value() for x in range(0, row.width(), 7))

    before = light()
    with qtbot.waitSignal(page.status) as status:
        run("view.brighter")
    assert "Brightness +10" in status.args[0]
    assert light() > before * 1.02
    run("compare.difference")
    plain = light()
    run("view.brighter")
    assert light() == plain
    with qtbot.waitSignal(page.status) as status:
        run("view.plain")
    assert "Brightness" not in status.args[0]


def test_snapping_is_a_command_and_shown_in_the_status_line(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    editor = workbench.page.canvas.view.editor
    with qtbot.waitSignal(workbench.page.status) as status:
        workbench.context.commands.run("edit.snap")
    assert editor.is_snapping
    assert "Snap on" in status.args[0]
    workbench.context.commands.run("edit.snap")
    assert not editor.is_snapping


def test_status_line_shows_the_number_of_selected_regions(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    with qtbot.waitSignal(workbench.page.status) as status:
        workbench.context.commands.run("edit.all")
    assert "3 region" in status.args[1]


def test_status_line_shows_locked_and_hidden_regions(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    for command, word in (("region.lock", "Locked"), ("region.hide", "Hidden")):
        with qtbot.waitSignal(workbench.page.status) as status:
            workbench.context.commands.run(command)
        assert status.args[1].endswith(word)
    with qtbot.waitSignal(workbench.page.status) as status:
        workbench.context.commands.run("region.show")
    assert status.args[1].endswith("Locked")


def test_deleting_a_locked_region_explains_why_it_stays(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    workbench.context.commands.run("region.lock")
    with qtbot.waitSignal(workbench.page.toast) as toast:
        workbench.context.commands.run("edit.delete")
    assert "Ctrl+L" in toast.args[0]
    assert len(workbench.page.open_record.rows) == 3
