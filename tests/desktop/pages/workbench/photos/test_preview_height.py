"""The photo preview gets its height once when the next item is shown."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea
from pytestqt.qtbot import QtBot

from desktop.pages.workbench.photos.photo_box import MIN_PANE_PX
from tests.desktop.children import child
from tests.desktop.pages.workbench.canvas.test_photo_view import give
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.desktop.pages.workbench.results.test_correcting import CRACK, REGION, STAIN, jpeg


class HeightLog(QObject):
    """Notes the heights that a widget gets."""

    def __init__(self) -> None:
        super().__init__()
        self.heights: list[int] = []

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QResizeEvent):
            self.heights.append(event.size().height())
        return False


@pytest.mark.parametrize("used", [False, True])
def test_the_preview_yields_to_more_findings_at_once_and_without_a_scroll_bar(
    workbench: WorkbenchDriver, qtbot: QtBot, used: bool
) -> None:
    record_id, photo = make_record(workbench.session, REGION), jpeg()
    if used:
        give(workbench.session, make_record(workbench.session, REGION), photo=photo)
    give(workbench.session, record_id, boxes=((CRACK,), (CRACK, STAIN)), photo=photo)
    workbench.open(record_id, qtbot.waitUntil)
    page = workbench.page
    # What is unusual about the photo takes room too.
    qtbot.waitUntil(lambda: page.inspector.photo.camera_mark.isVisible() is used)
    pane = page.inspector.photo.pane
    page.resize(1440, 860)
    qtbot.waitUntil(lambda: page.photos.pairing.pair is not None and pane.height() > MIN_PANE_PX)
    qtbot.wait(100)
    assert pane.height() < (pane.useful_height() or 0)
    log, ranges = HeightLog(), list[int]()
    pane.installEventFilter(log)
    child(page.inspector, QScrollArea).verticalScrollBar().rangeChanged.connect(
        lambda _least, most: ranges.append(most)
    )
    page.items.go_to(page.open_record.rows[1].item_id)
    qtbot.waitUntil(lambda: page.photos.pairing.pair is not None)
    qtbot.wait(100)
    assert log.heights == [pane.height()]
    assert ranges == []
