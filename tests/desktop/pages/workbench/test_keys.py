"""The keys and mouse actions that inspectors are used to, on the real page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.canvas.tools.tool_machine import Tool
from desktop.pages.workbench import WorkbenchPage
from shared.record.geometry import Rect
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.narrowing import reread

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier
KEY = Qt.Key
LEFT = Qt.MouseButton.LeftButton
Press = Callable[..., None]


@pytest.fixture
def page(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchPage:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    workbench.page.activateWindow()
    qtbot.waitUntil(workbench.page.isActiveWindow)
    workbench.page.canvas.view.setFocus()
    return workbench.page


@pytest.fixture
def press(page: WorkbenchPage) -> Press:
    def press_key(key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
        QTest.keyClick(page.canvas.view, key, modifier)

    return press_key


def current_rect(page: WorkbenchPage) -> Rect:
    return page.canvas.view.store[page.open_record.current].rect


def test_drawing_by_clicks_by_drag_as_a_square_and_not_at_all(
    workbench: WorkbenchDriver, page: WorkbenchPage, press: Press
) -> None:
    view = page.canvas.view
    press(KEY.Key_R)
    assert reread(view.editor.tool) is Tool.DRAW
    for place in (workbench.at(0.02, 0.02), workbench.at(0.08, 0.06)):
        QTest.mouseClick(view, LEFT, pos=place)
    assert len(workbench.names) == 4
    assert reread(view.editor.tool) is Tool.SELECT
    press(KEY.Key_R)
    workbench.drag(workbench.at(0.85, 0.8), workbench.at(0.95, 0.95))
    assert len(workbench.names) == 5
    press(KEY.Key_R)
    QTest.mousePress(view, LEFT, SHIFT, workbench.at(0.3, 0.02))
    QTest.mouseMove(view, workbench.at(0.4, 0.04))
    QTest.mouseRelease(view, LEFT, SHIFT, workbench.at(0.4, 0.04))
    square = current_rect(page)
    assert square.w == pytest.approx(square.h)
    press(KEY.Key_R)
    QTest.mouseClick(view, LEFT, pos=workbench.at(0.02, 0.4))
    QTest.mouseMove(view, workbench.at(0.08, 0.5))
    press(KEY.Key_Escape)
    assert len(workbench.names) == 6
    press(KEY.Key_R)
    QTest.mouseClick(view, LEFT, pos=workbench.at(0.02, 0.4))
    QTest.mouseMove(view, workbench.at(0.07, 0.55))
    press(KEY.Key_Return)
    assert len(workbench.names) == 7
    press(KEY.Key_V)
    assert reread(view.editor.tool) is Tool.SELECT


def test_wheel_middle_button_and_space(workbench: WorkbenchDriver, page: WorkbenchPage) -> None:
    view = page.canvas.view
    point = QPointF(workbench.at(0.4, 0.4))
    before = view.viewport.to_image(point.x(), point.y())
    turned = QPoint(0, 240), Qt.MouseButton.NoButton, NONE, Qt.ScrollPhase.NoScrollPhase, False
    QApplication.sendEvent(view, QWheelEvent(point, view.mapToGlobal(point), QPoint(), *turned))
    assert view.viewport.to_image(point.x(), point.y()) == pytest.approx(before, abs=1)
    view.set_viewport(4, 400, 300)
    start, end = QPoint(400, 300), QPoint(430, 310)
    for button, held in ((Qt.MouseButton.MiddleButton, None), (LEFT, KEY.Key_Space)):
        left, top = view.viewport.left, view.viewport.top
        if held is not None:
            QTest.keyPress(view, held)
        QTest.mousePress(view, button, pos=start)
        QTest.mouseMove(view, end)
        QTest.mouseRelease(view, button, pos=end)
        if held is not None:
            QTest.keyRelease(view, held)
        assert (view.viewport.left, view.viewport.top) == (left + 30, top + 10)
    assert len(workbench.names) == 3


def test_looking(page: WorkbenchPage, press: Press) -> None:
    view = page.canvas.view
    press(KEY.Key_1)
    assert view.viewport.scale == 1
    press(KEY.Key_Plus)
    assert view.viewport.scale == 1.25
    press(KEY.Key_Minus)
    assert view.viewport.scale == 1
    press(KEY.Key_F)
    assert view.viewport.is_fitted
    press(KEY.Key_H)
    press(KEY.Key_L)
    assert (view.regions_shown, view.labels_shown) == (False, False)
    press(KEY.Key_H)
    press(KEY.Key_L)
    assert (view.regions_shown, view.labels_shown) == (True, True)
    press(KEY.Key_M, Qt.KeyboardModifier.ShiftModifier)
    assert (view.minimap_shown, page.context.preferences.values.minimap) == (False, False)
    press(KEY.Key_M, Qt.KeyboardModifier.ShiftModifier)
    assert (view.minimap_shown, page.context.preferences.values.minimap) == (True, True)


def test_editing(workbench: WorkbenchDriver, page: WorkbenchPage, press: Press) -> None:
    at_first = current_rect(page)
    press(KEY.Key_Right)
    press(KEY.Key_Down, SHIFT)
    assert current_rect(page).x == pytest.approx(at_first.x + 1)
    assert current_rect(page).y == pytest.approx(at_first.y + 10)
    press(KEY.Key_Z, CTRL)
    assert current_rect(page).y == pytest.approx(at_first.y)
    press(KEY.Key_Y, CTRL)
    assert current_rect(page).y == pytest.approx(at_first.y + 10)
    press(KEY.Key_Z, CTRL)
    press(KEY.Key_Z, CTRL | SHIFT)
    assert current_rect(page).y == pytest.approx(at_first.y + 10)
    press(KEY.Key_D, CTRL)
    assert len(workbench.names) == 4
    press(KEY.Key_Delete)
    assert len(workbench.names) == 3
    page.open_record.choose(page.open_record.rows[0].item_id)
    press(KEY.Key_C, CTRL)
    press(KEY.Key_V, CTRL)
    assert len(workbench.names) == 4


def test_going_through_the_items_and_deciding(
    workbench: WorkbenchDriver, page: WorkbenchPage, press: Press
) -> None:
    for key, number in (
        (KEY.Key_D, 2),
        (KEY.Key_PageDown, 3),
        (KEY.Key_A, 2),
        (KEY.Key_PageUp, 1),
    ):
        press(key)
        assert page.open_record.number == number
    for key, status in ((KEY.Key_Y, "passed"), (KEY.Key_X, "failed"), (KEY.Key_U, "undecided")):
        page.open_record.choose(page.open_record.rows[0].item_id)
        page.canvas.view.setFocus()
        press(key)
        assert page.open_record.rows[0].status == status


def test_copied_regions_can_be_pasted_onto_another_picture(
    workbench: WorkbenchDriver, page: WorkbenchPage, press: Press, qtbot: QtBot
) -> None:
    copied = current_rect(page)
    press(KEY.Key_C, CTRL)
    workbench.open(make_record(workbench.session, ()), qtbot.waitUntil)
    qtbot.waitUntil(lambda: workbench.names == [])
    page.canvas.view.setFocus()
    press(KEY.Key_V, CTRL)
    assert workbench.names == ["条目1"]
    assert (current_rect(page).w, current_rect(page).h) == pytest.approx((copied.w, copied.h))
