"""Tests what the items panel shows: counts of judged and detected items, hidden regions."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from desktop.background import workers
from desktop.pages.workbench.items.items_model import ItemDelegate, Role
from desktop.pages.workbench.items.region_files import RegionFilesController
from desktop.pages.workbench.page import WorkbenchPage
from desktop.pages.workbench.photos.capture import CaptureDialog
from tests.desktop.children import child
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.desktop.pages.workbench.results.test_correcting import add_result
from tests.narrowing import reread


@pytest.fixture
def desk(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    record_id = make_record(workbench.session)
    add_result(workbench.session, workbench.session.items.all(record_id)[0].item_id)
    add_result(workbench.session, workbench.session.items.all(record_id)[1].item_id)
    workbench.open(record_id, qtbot.waitUntil)
    return workbench


def texts(desk: WorkbenchDriver) -> list[str]:
    return [text.text() for text in desk.page.items.panel.findChildren(QLabel) if text.isVisible()]


def test_judged_and_detected_are_counted_apart(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    assert {"Decided 0 of 3", "Detected 2 of 3"} <= set(texts(desk))
    assert page.items.panel._progress.value() == 0
    desk.context.commands.run("item.fail")
    assert {"Decided 1 of 3", "Detected 2 of 3"} <= set(texts(desk))
    assert page.items.panel._progress.value() == 33
    page.items.go_to(page.open_record.rows[2].item_id)
    desk.context.commands.run("item.pass")
    assert {"Decided 2 of 3", "Detected 2 of 3"} <= set(texts(desk))


def test_a_record_without_items_says_what_comes_first(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    workbench.open(make_record(workbench.session, (), image=False), qtbot.waitUntil)
    panel = workbench.page.items.panel
    assert "No items yet. Choose a reference image first." in texts(workbench)
    assert not panel.draw.isVisible()
    workbench.open(make_record(workbench.session, ()), qtbot.waitUntil)
    qtbot.waitUntil(lambda: "No items yet. Draw a region on the image." in texts(workbench))
    assert panel.draw.isVisible()
    # A filter does not change what can be done.
    panel._set_filter("undecided")
    assert "No items yet. Draw a region on the image." in texts(workbench)
    assert panel.draw.isVisible()


def test_only_a_detected_item_counts_its_findings(desk: WorkbenchDriver) -> None:
    page, model = desk.page, desk.page.items.panel.model
    page.items.go_to(page.open_record.rows[2].item_id)
    desk.context.commands.run("item.pass")
    spoken = [model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(3)]
    assert ["finding" in text for text in spoken] == [True, True, False]
    delegate = page.items.panel.list.itemDelegate()
    assert isinstance(delegate, ItemDelegate)
    rows = [model.index(row, 0).data(Role.ROW) for row in range(3)]
    assert ["finding" in delegate._status_text(row, 200) for row in rows] == [True, True, False]
    # Without room for the word, the number alone.
    assert delegate._status_text(rows[0], 20) == str(rows[0].findings)


def test_hidden_regions_are_noted_in_the_list(desk: WorkbenchDriver) -> None:
    page, model = desk.page, desk.page.items.panel.model
    hint = "Regions are hidden on the image"
    page.canvas.view.setFocus()
    QTest.keyClick(page.canvas.view, Qt.Key.Key_H)
    assert not reread(page.canvas.view.regions_shown)
    assert hint in texts(desk)
    assert all(model.index(row, 0).data(Role.REGION).hidden for row in range(3))
    assert "Hidden" in model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    QTest.mouseClick(page.items.panel.show_regions, Qt.MouseButton.LeftButton)
    assert page.canvas.view.regions_shown
    assert hint not in texts(desk)
    assert not model.index(0, 0).data(Role.REGION).hidden


class CountingDelegate(ItemDelegate):
    """Notes the rows that it paints."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.painted: list[int] = []

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        self.painted.append(index.row())
        super().paint(painter, option, index)


def count_painted_rows(page: WorkbenchPage, qtbot: QtBot) -> list[int]:
    """The rows of the list that are painted from now on, when all pictures are there."""
    delegate = CountingDelegate(page.items.panel.list)
    page.items.panel.list.setItemDelegate(delegate)
    # The crops of the regions and of the two photos repaint their rows, too.
    model = page.items.panel.model
    qtbot.waitUntil(lambda: (len(model._pictures), len(model._photos)) == (3, 2))
    qtbot.waitUntil(lambda: len(set(delegate.painted)) == 3)
    for _ in range(100):
        delegate.painted.clear()
        qtbot.wait(200)
        # One task waits for events of the service.
        if not delegate.painted and workers.busy() <= 1:
            return delegate.painted
    raise AssertionError("the list does not come to rest")


def test_the_next_item_repaints_only_the_rows_that_change(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    ids = page.items.panel.model.ids()
    painted = count_painted_rows(page, qtbot)
    page.items.go_to(ids[1])
    qtbot.waitUntil(lambda: 1 in painted)
    qtbot.wait(50)
    assert set(painted) == {0, 1}
    painted.clear()
    page.items.panel.select((ids[1], ids[2]), ids[2])
    qtbot.waitUntil(lambda: {1, 2} <= set(painted))
    assert 0 not in painted


def test_a_verdict_repaints_only_its_row(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    painted = count_painted_rows(page, qtbot)
    desk.context.commands.run("item.fail")
    qtbot.waitUntil(lambda: bool(painted) and desk.saved)
    # The answer of the service shows the row again.
    qtbot.wait(200)
    assert set(painted) == {0}


def test_item_photo_in_a_record_without_items_is_explained(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    workbench.open(make_record(workbench.session, ()), qtbot.waitUntil)
    toasts: list[str] = []
    workbench.page.toast.connect(toasts.append)
    assert workbench.context.commands.run("item.camera")
    assert workbench.context.commands.run("item.photo")
    assert toasts == ["Cannot add a photo without an item. Draw a region first (R)."] * 2
    assert workbench.page.findChild(CaptureDialog) is None


def test_other_shapes_that_become_rectangles_are_counted(
    desk: WorkbenchDriver, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "left_wing_root.txt"
    box, triangle = "0 0.5 0.5 0.2 0.2", "0 0.1 0.1 0.3 0.1 0.2 0.4"
    path.write_text(f"{box}\n{triangle}\n{triangle}\n")
    exchange = child(desk.page, RegionFilesController)
    with qtbot.waitSignal(exchange.notice) as notice:
        exchange.read(path)
    assert "3 region" in notice.args[0]
    assert "2 other shape" in notice.args[0]
    path.write_text(f"{box}\n")
    with qtbot.waitSignal(exchange.notice) as notice:
        exchange.read(path)
    assert "other shape" not in notice.args[0]
