"""What concerns the regions of the reference image while the photo hides it is said or shown."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.desktop.pages.workbench.canvas.test_photo_view import open_shared_photo, to_photo
from tests.desktop.pages.workbench.driver import WorkbenchDriver

KEY = Qt.Key


@pytest.fixture
def desk(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    """The page at the first of two items that share a photo, with its region selected on the reference."""
    open_shared_photo(workbench, qtbot)
    workbench.page.canvas.view.setFocus()
    return workbench


def test_keys_of_regions_say_on_the_photo_where_the_regions_are(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    to_photo(desk, qtbot)
    photo = desk.page.canvas.photo
    desk.page.canvas.shown_findings.choose(-1)
    photo.fit()
    toasts: list[str] = []
    desk.page.toast.connect(toasts.append)
    photo.setFocus()
    QTest.keyClick(photo, KEY.Key_Left)
    for command in ("edit.duplicate", "region.left"):
        desk.context.commands.run(command)
    assert toasts == ["Show the reference image first (T)."] * 3
    # A zoomed photo is moved by the arrow keys, and a selected finding is what they are for.
    photo.zoom_in()
    QTest.keyClick(photo, KEY.Key_Left)
    desk.context.commands.run("finding.next")
    photo.setFocus()
    desk.context.commands.run("edit.duplicate")
    assert len(toasts) == 3
    assert len(desk.page.inspector.findings.shown_findings) == 3


def test_undo_of_a_hidden_region_shows_the_reference_image(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    QTest.keyClick(page.canvas.view, KEY.Key_Right)
    to_photo(desk, qtbot)
    desk.context.commands.run("edit.undo")
    assert page.canvas.centre.currentWidget() is page.canvas.view
    desk.context.commands.run("view.photo")
    desk.context.commands.run("edit.redo")
    assert page.canvas.centre.currentWidget() is page.canvas.view


def test_undo_of_another_step_leaves_the_photo_on_show(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    page.items.changes.rename("renamed")
    to_photo(desk, qtbot)
    desk.context.commands.run("edit.undo")
    assert page.canvas.centre.currentWidget() is page.canvas.photo


def test_region_stays_selected_over_a_look_at_the_photo(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page, view = desk.page, desk.page.canvas.view
    selected = view.store.selected_ids
    assert len(selected) == 1
    QTest.keyClick(view, KEY.Key_T)
    qtbot.waitUntil(lambda: page.canvas.photo.source is not None)
    assert view.store.selected_ids == selected
    QTest.keyClick(page.canvas.photo, KEY.Key_T)
    assert page.canvas.centre.currentWidget() is view
    assert view.store.selected_ids == selected
    x = view.store[selected[0]].rect.x
    QTest.keyClick(view, KEY.Key_Right)
    assert view.store[selected[0]].rect.x == x + 1
    desk.context.commands.run("edit.all")
    desk.context.commands.run("view.photo")
    desk.context.commands.run("view.photo")
    assert len(view.store.selected_ids) == 2
