"""Tests that a template makes a record in two clicks."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.context import Context
from desktop.pages.records import RecordsPage
from shared.wire.catalogue import AircraftWrite, ReferenceImageWrite, TaskWrite, TemplateRegion
from shared.wire.inspection import Point
from tests.desktop.pages.workbench.driver import picture

REGION = {"point": Point(x=0.1, y=0.1, w=0.2, h=0.2)}


def _add_template(session: Session, zone: str, aircraft_id: str | None, names: tuple[str, ...]) -> None:
    session.catalogue.reference_images.create(
        ReferenceImageWrite(
            reference_image_name=zone,
            file_id=session.files.upload(picture(), "zone.png").file_id,
            aircraft_id=aircraft_id,
            template=[TemplateRegion(item_name=name, **REGION) for name in names],
        )
    )


def test_template_of_an_aircraft_type_makes_a_record_in_two_clicks(context: Context, qtbot: QtBot) -> None:
    session = context.session
    page = RecordsPage(context)
    qtbot.addWidget(page)
    page.resize(1300, 800)
    page.show()
    page.enter({})
    button, menu = page.template_menu.button, page.template_menu.menu
    with qtbot.waitSignal(page.template_menu.notice, timeout=60_000):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    wide, narrow = (
        session.catalogue.aircraft.create(AircraftWrite(aircraft_name=name, aircraft_type=kind))
        for name, kind in (("B-1001", "787-9"), ("B-2002", "A320"))
    )
    other = session.catalogue.aircraft.create(AircraftWrite(aircraft_name="B-1002", aircraft_type="787-9"))
    for name, aircraft in (("机场", narrow), ("定检", other)):
        session.catalogue.tasks.create(TaskWrite(task_name=name, aircraft_id=aircraft.aircraft_id))
    _add_template(session, "左翼根", wide.aircraft_id, ("二", "一"))
    _add_template(session, "前缘", narrow.aircraft_id, ("三",))
    _add_template(session, "无区域", narrow.aircraft_id, ())

    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(menu.isVisible, timeout=60_000)
    # The newest task of an aircraft of the type, not only of the template's own aircraft.
    assert [action.text() for action in menu.actions()] == [
        "787-9 · 左翼根 · 定检 · B-1002",
        "A320 · 前缘 · 机场 · B-2002",
    ]
    with qtbot.waitSignal(page.navigate, timeout=60_000) as opened:
        menu.actions()[0].trigger()
    menu.close()
    record_id = opened.args[1]["record_id"]
    record = session.records.get(record_id).value
    assert (record.inspection_name, record.aircraft_name) == ("左翼根", "B-1002")
    assert [item.item_name for item in session.items.all(record_id)] == ["二", "一"]
    page.leave()
