"""One selection for list and canvas; deleting the visible selection, and undoing that."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.client.api.administration import AuditFilter
from desktop.pages.workbench.canvas.deleting import DeleteDialog, DeletionSource
from shared.record.codes import Verdict
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, picture
from tests.desktop.pages.workbench.results.test_correcting import add_result, labels

KEY = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def desk(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    return workbench


def click_row(
    desk: WorkbenchDriver, row: int, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    view = desk.page.items.panel.list
    middle = view.visualRect(desk.page.items.panel.model.index(row)).center()
    QTest.mouseClick(view.viewport(), LEFT, modifiers, middle)


def selected_rows(desk: WorkbenchDriver) -> list[int]:
    return sorted(index.row() for index in desk.page.items.panel.list.selectionModel().selectedIndexes())


def ids(desk: WorkbenchDriver) -> list[str]:
    return [row.item_id for row in desk.page.open_record.rows]


def dialog(desk: WorkbenchDriver, qtbot: QtBot) -> DeleteDialog:
    qtbot.waitUntil(lambda: bool(desk.page.findChildren(DeleteDialog)))
    (delete_dialog,) = desk.page.findChildren(DeleteDialog)
    assert isinstance(delete_dialog, DeleteDialog)
    return delete_dialog


def add_photo(session: Session, item_id: str, seed: int = 2) -> None:
    session.items.add_photo(item_id, session.files.upload(picture(seed), "today.png").file_id)


def test_one_click_in_the_list_ends_a_selection_of_all(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    view = desk.page.canvas.view
    view.setFocus()
    QTest.keyClick(view, KEY.Key_A, CTRL)
    assert list(view.store.selected_ids) == ids(desk)
    assert selected_rows(desk) == [0, 1, 2]
    click_row(desk, 1)
    assert view.store.selected_ids == (ids(desk)[1],)
    QTest.keyClick(desk.page.items.panel.list, KEY.Key_Delete)
    qtbot.waitUntil(lambda: desk.names == ["条目1", "条目3"])


def test_list_and_canvas_select_the_same(desk: WorkbenchDriver) -> None:
    page = desk.page
    click_row(desk, 0)
    assert list(page.canvas.view.store.selected_ids) == ids(desk)[:1]
    click_row(desk, 2, CTRL)
    assert page.canvas.view.store.selected_ids == (ids(desk)[0], ids(desk)[2])
    assert page.open_record.current == ids(desk)[2]
    QTest.mouseClick(page.canvas.view, LEFT, pos=desk.at(0.6, 0.3))
    assert selected_rows(desk) == [1]
    assert page.items.panel.current == page.open_record.current == ids(desk)[1]
    assert page.inspector.fields.name.text() == "条目2"
    QTest.mouseClick(page.canvas.view, LEFT, CTRL, desk.at(0.2, 0.2))
    assert selected_rows(desk) == [0, 1]
    QTest.keyClick(page.canvas.view, KEY.Key_Escape)
    assert selected_rows(desk) == []
    assert page.open_record.item is not None


def test_a_change_from_the_service_keeps_the_selection(desk: WorkbenchDriver) -> None:
    page = desk.page
    click_row(desk, 0)
    click_row(desk, 1, CTRL)
    page.open_record.update_items([desk.session.items.get(ids(desk)[2]).value])
    assert selected_rows(desk) == [0, 1]
    QTest.keyClick(page.canvas.view, KEY.Key_Escape)
    page.open_record.update_items([desk.session.items.get(ids(desk)[2]).value])
    assert selected_rows(desk) == []
    assert page.canvas.view.store.selected_ids == ()


def test_delete_acts_on_the_focused_view_only(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    toasts: list[str] = []
    page.toast.connect(toasts.append)
    QTest.mouseClick(page.canvas.view, LEFT, pos=desk.at(0.2, 0.2))
    QTest.keyClick(page.canvas.view, KEY.Key_Escape)
    QTest.keyClick(page.canvas.view, KEY.Key_Delete)
    assert toasts == ["No region selected on the image. Delete items without a region in the list."]
    page.inspector.photo.pane.setFocus()
    QTest.keyClick(page.inspector.photo.pane, KEY.Key_Delete)
    assert toasts[1:] == ["No finding selected. Click a finding, or click an item to delete the item."]
    page.canvas.view.setFocus()
    page.canvas.view.select_all()
    desk.context.commands.run("view.regions")
    QTest.keyClick(page.canvas.view, KEY.Key_Delete)
    assert toasts[2:] == ["Cannot delete hidden regions. Show them first (H)."]
    QApplication.processEvents()
    assert len(desk.names) == 3


def test_delete_while_comparing_does_not_delete_the_item(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    page = workbench.page
    record_id = make_record(workbench.session, ((0.3, 0.3, 0.3, 0.3),))
    add_result(workbench.session, workbench.session.items.all(record_id)[0].item_id)
    workbench.open(record_id, qtbot.waitUntil)
    qtbot.waitUntil(
        lambda: page.photos.pairing.finding_pair is not None and page.photos.pairing.finding_pair.aligned
    )
    page.canvas.comparing.show(True)
    page.canvas.compare.setFocus()
    assert page.canvas.deleting.deletion_source is DeletionSource.FINDINGS
    QTest.keyClick(page.canvas.compare, KEY.Key_Delete)
    assert labels(workbench) == ["crack", "stain"]
    page.canvas.shown_findings.choose(1)
    QTest.keyClick(page.canvas.compare, KEY.Key_Delete)
    assert labels(workbench) == ["crack"]
    QTest.keyClick(page.canvas.compare, KEY.Key_Delete)
    QApplication.processEvents()
    assert not page.findChildren(DeleteDialog)
    assert len(workbench.names) == 1


def test_filtered_items_are_not_deleted(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    page.open_record.select(ids(desk))
    page.items.panel.list.setFocus()
    page.items.panel.search.setText("条目2")
    qtbot.waitUntil(lambda: page.items.panel.model.rowCount() == 1)
    QTest.keyClick(page.items.panel.list, KEY.Key_Delete)
    qtbot.waitUntil(lambda: desk.names == ["条目1", "条目3"])


def test_deletion_of_an_item_with_photos_or_verdicts_needs_confirmation(
    desk: WorkbenchDriver, qtbot: QtBot
) -> None:
    page, session = desk.page, desk.session
    first, second, third = ids(desk)
    for seed, item_id in enumerate((first, first, third), 2):
        add_photo(session, item_id, seed)
    page.open_record.update_items([session.items.set_verdict(second, Verdict.FAILED, "torn").value])
    page.items.panel.list.setFocus()
    page.items.panel.list.selectAll()
    QTest.keyClick(page.items.panel.list, KEY.Key_Delete)
    question = dialog(desk, qtbot)
    message = " ".join(text.text() for text in question.findChildren(QLabel))
    assert "3 item" in message
    assert "3 photo" in message
    assert "1 verdict" in message
    assert desk.names == ["条目1", "条目2", "条目3"]
    assert question.cancel_button.isDefault()
    assert not question.confirm_button.isEnabled()
    question.reason.setPlainText("drawn twice")
    QTest.mouseClick(question.confirm_button, LEFT)
    assert desk.names == []
    qtbot.waitUntil(lambda: desk.saved)
    details = {entry.object_id: entry.details for entry in session.audit.page(AuditFilter("delete")).data}
    assert {details[item_id]["reason"] for item_id in (first, second, third)} == {"drawn twice"}


def test_a_photo_that_items_share_is_counted_once(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page, session = desk.page, desk.session
    shared = session.files.upload(picture(2), "today.png").file_id
    for item_id in ids(desk):
        session.items.add_photo(item_id, shared)
    page.items.panel.list.setFocus()
    page.items.panel.list.selectAll()
    QTest.keyClick(page.items.panel.list, KEY.Key_Delete)
    texts = [text.text() for text in dialog(desk, qtbot).findChildren(QLabel)]
    assert any("1 photo" in text for text in texts)


def test_cancel_deletes_nothing_and_a_photo_alone_asks_for_no_reason(
    desk: WorkbenchDriver, qtbot: QtBot
) -> None:
    add_photo(desk.session, ids(desk)[0])
    click_row(desk, 0)
    QTest.keyClick(desk.page.items.panel.list, KEY.Key_Delete)
    question = dialog(desk, qtbot)
    assert question.confirm_button.isEnabled()
    assert not question.reason.isVisible()
    QTest.keyClick(question, KEY.Key_Return)
    assert not question.isVisible()
    assert len(desk.names) == 3


def test_locked_region_is_not_deleted(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    page = desk.page
    toasts: list[str] = []
    page.toast.connect(toasts.append)
    click_row(desk, 0)
    desk.context.commands.run("region.lock")
    page.items.panel.list.selectAll()
    page.items.panel.list.setFocus()
    QTest.keyClick(page.items.panel.list, KEY.Key_Delete)
    qtbot.waitUntil(lambda: desk.names == ["条目1"])
    assert "1 locked item" in toasts[0]


def test_undo_brings_back_photo_buttons_findings_and_the_unsaved_draft(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    session, page = workbench.session, workbench.page
    workbench.open(make_record(session, ((0.3, 0.3, 0.3, 0.3),)), qtbot.waitUntil)
    add_result(session, ids(workbench)[0])
    page.reload()
    qtbot.waitUntil(lambda: labels(workbench) == ["crack", "stain"])
    page.results.correcting.remove(1)
    page.results.correcting.relabel(0, "oil leak")
    page.items.panel.list.setFocus()
    QTest.keyClick(page.items.panel.list, KEY.Key_Delete)
    QTest.mouseClick(dialog(workbench, qtbot).confirm_button, LEFT)
    assert workbench.names == []
    assert not page.inspector.photo.add.isEnabled()
    qtbot.waitUntil(lambda: workbench.saved)
    workbench.context.commands.run("edit.undo")
    assert workbench.names == ["条目1"]
    assert page.open_record.current == page.open_record.rows[0].item_id
    assert selected_rows(workbench) == [0]
    assert page.inspector.photo.add.isEnabled()
    assert labels(workbench) == ["oil leak"]
    assert page.inspector.correction.save.isVisible()
    qtbot.waitUntil(lambda: workbench.saved)
    workbench.context.commands.run("edit.undo")
    assert labels(workbench) == ["crack"]
    page.results.correcting.discard()
    assert labels(workbench) == ["crack", "stain"]
    (item,) = session.items.all(page.open_record.record_id)
    assert len(session.items.photos(item.item_id)) == 1
    assert len(item.result) == 1
