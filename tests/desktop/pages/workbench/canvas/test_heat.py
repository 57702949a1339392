"""The heat map of a photo that was compared by its appearance, shown and hidden by one key."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.client import Session
from shared.record.entries import Entry
from tests.desktop.canvas.layers.test_heat_layer import appearance, heat
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, store_detections
from tests.desktop.pages.workbench.results.test_correcting import REGION, jpeg


def judged_record(session: Session) -> str:
    """A record whose first item was compared by its appearance, the second not."""
    record_id = make_record(session, REGION)
    stored = session.files.upload(jpeg(), "today.jpg")
    for number, item in enumerate(session.items.all(record_id)):
        session.items.add_photo(item.item_id, stored.file_id)
        entry: Entry = {
            "inputImage": {"download_url": stored.download_url, "ipfs_cid": stored.ipfs_cid},
            "resultImage": {"boxes": []},
            "isPassed": True,
            "progress": "done",
            "version": 1,
            "provenance": {},
        }
        if number == 0:
            entry["appearance"] = appearance(heat(np.full((20, 20), 200)), [0, 0, 1, 1])
        store_detections(session, item.item_id, entry)
    return record_id


def test_one_key_shows_the_heat_on_the_photo_and_hides_it(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    desk, view = workbench, workbench.page.canvas.photo_view
    desk.open(judged_record(desk.session), qtbot.waitUntil)
    qtbot.waitUntil(lambda: desk.page.photos.pairing.of_item and view.canvas.heat.has_heat, timeout=60_000)

    QTest.keyClick(desk.page.canvas.view, Qt.Key.Key_U, Qt.KeyboardModifier.ShiftModifier)
    assert view.is_on
    assert view.canvas.heat.is_shown
    qtbot.waitUntil(lambda: view.canvas.source is not None)
    with_heat = view.canvas.grab().toImage().pixelColor(view.canvas.rect().center())

    QTest.keyClick(view.canvas, Qt.Key.Key_U, Qt.KeyboardModifier.ShiftModifier)
    assert view.is_on
    without = view.canvas.grab().toImage().pixelColor(view.canvas.rect().center())
    assert (with_heat.red() > without.red(), with_heat.blue() < without.blue()) == (True, True)


def test_heat_comes_once_the_shown_photo_is_that_of_the_result(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    """A photo of a fixed camera is shown as it will be compared before it is detected."""
    desk, pairing = workbench, workbench.page.photos.pairing
    desk.open(judged_record(desk.session), qtbot.waitUntil)
    qtbot.waitUntil(lambda: pairing.of_item and pairing.pair is not None, timeout=60_000)
    button = desk.page.inspector.findings.heat
    pairing.of_item = False
    desk.page.canvas.shown_findings.show()
    assert not button.isVisible()
    pairing.of_item = True
    pairing.photo_changed.emit()
    assert button.isVisible()


def test_heat_is_offered_where_the_findings_are(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    desk, view, button = workbench, workbench.page.canvas.photo_view, workbench.page.inspector.findings.heat
    desk.open(judged_record(desk.session), qtbot.waitUntil)
    qtbot.waitUntil(button.isVisible, timeout=60_000)
    assert button.text() == "Show heat map"
    assert "Shift+U" in button.toolTip()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert view.canvas.heat.is_shown
    assert button.text() == "Hide heat map"
    desk.context.commands.run("view.photo")
    assert button.text() == "Show heat map"
    desk.context.commands.run("item.next")
    qtbot.waitUntil(lambda: not button.isVisible(), timeout=60_000)


def test_without_heat_a_notice_says_so(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    desk = workbench
    desk.open(judged_record(desk.session), qtbot.waitUntil)
    view, notices = desk.page.canvas.photo_view, list[str]()
    qtbot.waitUntil(lambda: desk.page.photos.pairing.of_item and view.canvas.heat.has_heat, timeout=60_000)
    view.notice.connect(notices.append)
    desk.context.commands.run("item.next")
    qtbot.waitUntil(
        lambda: desk.page.photos.pairing.of_item and not view.canvas.heat.has_heat, timeout=60_000
    )

    view.toggle_heat()

    assert notices == ["This photo was not compared by its appearance, so it has no heat map."]
