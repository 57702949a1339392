from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtWidgets import QAbstractButton, QLabel
from pytestqt.qtbot import QtBot

from shared.wire.inspection import RecordUpdate
from tests.desktop.children import child
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.pictures import camera_photo


def test_photo_box_shows_camera_and_time(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    session = workbench.session
    record_id = make_record(session)
    session.records.update(record_id, RecordUpdate(start_time=datetime(2026, 1, 1, tzinfo=UTC)))
    photo = camera_photo({0x010F: "Canon"}, {0x9003: "2020:05:01 10:00:01", 0x8827: 400})
    first, second, _ = session.items.all(record_id)
    session.items.add_photo(first.item_id, session.files.upload(photo, "photo.jpg").file_id)
    workbench.open(record_id, qtbot.waitUntil)
    box = workbench.page.inspector.photo

    def thumbnails() -> list[QAbstractButton]:
        buttons = box.strip.findChildren(QAbstractButton)
        return [button for button in buttons if button.isCheckable() and button.isVisible()]

    workbench.page.items.go_to(first.item_id)
    qtbot.waitUntil(lambda: box.camera_line.isVisible())
    assert box.camera_line.text() == "Taken 2020-05-01 10:00, by the camera's clock · Canon"
    assert child(box, QLabel, "photo-camera-mark").text() == "Taken before the record's start time."
    # Those of the strip before are deleted later.
    qtbot.waitUntil(lambda: ["ISO 400" in button.toolTip() for button in thumbnails()] == [True])

    workbench.page.items.go_to(second.item_id)
    qtbot.waitUntil(lambda: not box.camera_line.isVisible())
    assert not box.camera_mark.isVisible()
