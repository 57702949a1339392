"""The history of a region from a real service, and the way to the earlier photo."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from shared.record.codes import Verdict
from shared.wire.inspection import ItemCreate, ItemUpdate, RecordCreate
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, picture


def test_a_click_compares_the_photo_of_the_earlier_inspection(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    session = workbench.session
    earlier = make_record(session)
    item = session.items.all(earlier)[0]
    photo = session.files.upload(picture(2), "earlier.png")
    session.items.add_photo(item.item_id, photo.file_id)
    entry = {
        "version": 1,
        "isPassed": True,
        "progress": "done",
        "inputImage": {"download_url": photo.download_url, "ipfs_cid": photo.ipfs_cid},
    }
    session.items.update(item.item_id, ItemUpdate.model_validate({"result": [entry]}), None)
    session.items.set_verdict(item.item_id, Verdict.FAILED, "seen from below")
    record = session.records.get(earlier).value
    later = session.records.create(
        RecordCreate(
            task_id=record.task_id, inspection_name="later", reference_image_id=record.reference_image_id
        )
    ).inspection_id
    point = item.item_point
    session.items.create(ItemCreate(item_name="again", inspection_id=later, item_point=point))
    workbench.open(later, qtbot.waitUntil)
    page = workbench.page
    qtbot.waitUntil(lambda: not page.inspector.history.isHidden())
    (link,) = [
        button
        for button in page.inspector.history.findChildren(QPushButton)
        if not button.isHidden() and button.objectName() != "history-trend"
    ]
    link.click()
    qtbot.waitUntil(lambda: page.canvas.centre.currentWidget() is page.canvas.compare)
    assert (page.open_record.record_id, page.open_record.current) == (earlier, item.item_id)


def test_histories_of_another_record_are_released(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    first, second = make_record(workbench.session), make_record(workbench.session)
    for record_id in (first, second):
        workbench.open(record_id, qtbot.waitUntil)
        ids = {item.item_id for item in workbench.session.items.all(record_id)}
        qtbot.waitUntil(lambda: bool(workbench.page.results.history._entries))
        assert set(workbench.page.results.history._entries) <= ids
