"""The history of a region from a real service, and the way to the earlier photo."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from shared.codes import Verdict
from shared.wire.inspection import ItemCreate, ItemUpdate, RecordCreate
from tests.desktop.workbench.stage import Desk, make_record, picture


def test_a_click_compares_the_photo_of_the_earlier_inspection(bench: Desk, qtbot: QtBot) -> None:
    session = bench.session
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
    bench.open(later, qtbot.waitUntil)
    page = bench.page
    qtbot.waitUntil(lambda: not page.inspector.history.isHidden())
    (link,) = [one for one in page.inspector.history.findChildren(QPushButton) if not one.isHidden()]
    link.click()
    qtbot.waitUntil(lambda: page.centre.currentWidget() is page.compare)
    assert (page.bench.record_id, page.bench.current) == (earlier, item.item_id)


def test_the_histories_of_another_record_are_let_go_of(bench: Desk, qtbot: QtBot) -> None:
    first, second = make_record(bench.session), make_record(bench.session)
    for record_id in (first, second):
        bench.open(record_id, qtbot.waitUntil)
        ids = {item.item_id for item in bench.session.items.all(record_id)}
        qtbot.waitUntil(lambda: bool(bench.page.history._known))
        assert set(bench.page.history._known) <= ids
