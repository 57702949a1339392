"""Tests the preview of a photo with the regions found in it."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from desktop.pages.workbench.photos.record_photos.regions_preview import RegionsPreview
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, picture


def test_loading_of_a_fetched_photo_is_not_shown_as_its_download(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    session = workbench.session
    record_id = make_record(session, image=False)
    photo = session.photos.add(record_id, session.files.upload(picture(5), "a.png").file_id)
    view = RegionsPreview(session)
    qtbot.addWidget(view)
    view.show()
    view.show_photo(photo)
    assert view._message == "Downloading photo… 0%"
    qtbot.waitUntil(lambda: view.source is not None)
    # As while a large photo is read in full resolution.
    view._loader.progress.emit(0.99)
    assert view._message == ""
    assert view._preparing_chip.isVisible()
    view.close_photo()
