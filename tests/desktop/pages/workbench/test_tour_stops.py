"""Tests the tour of the workbench."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from desktop.tour.stops import tour_stops
from desktop.widgets import Rail
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record


def test_tour_says_how_photos_are_added(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    rail = Rail()
    qtbot.addWidget(rail)
    stops = tour_stops(workbench.page, rail, workbench.context)
    (photo,) = (stop for stop in stops if stop.target is workbench.page.inspector.photo)
    assert f"{workbench.context.commands.keys_text('record.photos')} adds photos" in photo.text
