"""Detection settings of an item: set in its fields, drawn on the canvas, carried by copies, obeyed."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.canvas.tools.tool_machine import Tool
from desktop.client import Session
from desktop.widgets import IconButton
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples import draw_panel
from shared.wire.inspection import ItemUpdate, Place
from tests.desktop.children import child
from tests.desktop.pages.workbench.driver import HEIGHT, WIDTH, WorkbenchDriver, make_record
from tests.narrowing import not_none, reread

pytestmark = pytest.mark.slow


def read_detection_settings(session: Session, record_id: str, place: int = 0) -> dict[str, Any] | None:
    return (
        not_none(session.items.all(record_id)[place].item_point)
        .model_dump(exclude_unset=True)
        .get("detection")
    )


def test_sensitivity_and_smallest_defect_are_edits(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    box = workbench.page.inspector.fields.detection_settings
    assert "default" in box.fold.text()
    assert not box.sensitivity.isVisible()
    box.fold.click()
    assert box.sensitivity.isVisible()
    assert box.sensitivity.value() == 50
    assert box.smallest.suffix() == " mm"
    for value in (60, 75, 90):
        box.sensitivity.setValue(value)
    box.smallest.setValue(2.5)
    qtbot.waitUntil(lambda: workbench.saved)
    assert read_detection_settings(workbench.session, record_id) == {
        "sensitivity": 0.9,
        "smallest": 2.5,
        "ignored": [],
    }
    assert "custom" in box.fold.text()
    assert "very high" in [text.text() for text in box.findChildren(QLabel)]
    workbench.context.commands.run("edit.undo")
    assert box.sensitivity.value() == 50
    qtbot.waitUntil(lambda: workbench.saved)
    assert read_detection_settings(workbench.session, record_id) is None
    workbench.context.commands.run("edit.redo")
    assert (box.sensitivity.value(), box.smallest.value()) == (90, 2.5)
    box.as_model.click()
    qtbot.waitUntil(lambda: workbench.saved)
    assert read_detection_settings(workbench.session, record_id) is None


def test_position_in_photos_is_an_edit_and_survives_the_next_one(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    box = workbench.page.inspector.fields.detection_settings
    box.open(True)
    assert box.place.value() == Place.ALIGN
    box.place.setCurrentIndex(1)
    box.place.activated.emit(1)
    box.smallest.setValue(2.5)
    qtbot.waitUntil(lambda: workbench.saved)
    assert read_detection_settings(workbench.session, record_id) == {
        "sensitivity": None,
        "smallest": 2.5,
        "ignored": [],
        "place": "fixed",
    }
    assert "custom" in box.fold.text()
    box.as_model.click()
    assert reread(box.place.value()) == Place.ALIGN


def test_settings_are_used_for_all_items_as_one_step(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    session, record_id = workbench.session, make_record(workbench.session)
    other = session.items.all(record_id)[1]
    area = {"x": 0.4, "y": 0.4, "w": 0.1, "h": 0.1}
    point = {**not_none(other.item_point).model_dump(exclude_unset=True), "detection": {"ignored": [area]}}
    session.items.update(other.item_id, ItemUpdate.model_validate({"item_point": point}))
    workbench.open(record_id, qtbot.waitUntil)
    box = workbench.page.inspector.fields.detection_settings
    box.open(True)
    assert box.use_for_all.isVisible()
    box.choose_place(Place.FIXED)
    box.smallest.setValue(2.5)
    box.use_for_all.click()
    qtbot.waitUntil(lambda: workbench.saved)
    stored = [read_detection_settings(session, record_id, place) for place in range(3)]
    common = {"sensitivity": None, "smallest": 2.5, "place": "fixed"}
    assert stored == [{**common, "ignored": areas} for areas in ([], [area], [])]
    workbench.context.commands.run("edit.undo")
    qtbot.waitUntil(lambda: workbench.saved)
    stored = [read_detection_settings(session, record_id, place) for place in range(3)]
    assert [(of_item or {}).get("smallest") for of_item in stored] == [2.5, None, None]


def test_areas_are_drawn_inside_the_region_and_removed(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    view, box = workbench.page.canvas.view, workbench.page.inspector.fields.detection_settings
    box.open(True)
    box.area.click()
    assert reread(view.editor.tool) is Tool.AREA
    workbench.drag(workbench.at(0.05, 0.15), workbench.at(0.2, 0.25))
    assert reread(view.editor.tool) is Tool.SELECT
    assert len(workbench.names) == 3
    (area,) = view._area_layer.areas
    assert (area.x, area.y) == pytest.approx((0.1 * WIDTH, 0.15 * HEIGHT), abs=2)
    assert (area.right, area.bottom) == pytest.approx((0.2 * WIDTH, 0.25 * HEIGHT), abs=2)
    with qtbot.waitSignal(workbench.page.toast) as toast:
        workbench.context.commands.run("tool.area")
        workbench.drag(workbench.at(0.6, 0.6), workbench.at(0.7, 0.7))
    assert "inside the region" in toast.args[0]
    workbench.context.commands.run("tool.area")
    workbench.drag(workbench.at(0.22, 0.22), workbench.at(0.28, 0.28))
    assert len(reread(view._area_layer.areas)) == 2
    qtbot.waitUntil(lambda: workbench.saved)
    stored = not_none(read_detection_settings(workbench.session, record_id))
    assert stored["ignored"][0]["x"] == pytest.approx(0.1, abs=0.003)
    workbench.context.commands.run("edit.undo")
    assert reread(view._area_layer.areas) == (area,)
    workbench.context.commands.run("item.next")
    assert view._area_layer.areas == ()
    workbench.context.commands.run("item.previous")
    (line,) = [not_none(not_none(box._list.itemAt(n)).widget()) for n in range(box._list.count())]
    child(line, IconButton).click()
    assert view._area_layer.areas == ()
    qtbot.waitUntil(lambda: workbench.saved)
    assert read_detection_settings(workbench.session, record_id) is None


def test_copies_have_the_settings_of_the_item(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    workbench.page.items.changes.describe("behind frame 12")
    workbench.page.items.changes.set_model(None)
    workbench.page.items.changes.set_model("reference-difference")
    workbench.context.commands.run("tool.area")
    workbench.drag(workbench.at(0.12, 0.12), workbench.at(0.2, 0.2))
    workbench.page.canvas.view.set_tool(Tool.SELECT)
    workbench.context.commands.run("edit.duplicate")
    workbench.context.commands.run("edit.copy")
    qtbot.waitUntil(lambda: workbench.saved)
    first, second = (
        not_none(read_detection_settings(workbench.session, record_id, place))["ignored"][0]
        for place in (0, 3)
    )
    assert (second["w"], second["h"]) == pytest.approx((first["w"], first["h"]))
    assert (second["x"] - first["x"]) * WIDTH == pytest.approx(16, abs=0.01)
    assert workbench.session.items.all(record_id)[3].description == "behind frame 12"
    other_id = make_record(workbench.session, boxes=())
    workbench.open(other_id, qtbot.waitUntil)
    qtbot.waitUntil(lambda: workbench.page.open_record.record_id == other_id)
    qtbot.waitUntil(lambda: workbench.page.canvas.view.source is not None)
    workbench.context.commands.run("edit.paste")
    assert len(workbench.names) == 1
    qtbot.waitUntil(lambda: workbench.saved)
    (pasted,) = not_none(read_detection_settings(workbench.session, other_id))["ignored"]
    assert pasted["x"] == pytest.approx(second["x"])
    assert workbench.session.items.all(other_id)[0].description == "behind frame 12"


def test_nothing_is_found_in_an_ignored_area(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session, boxes=((0.1, 0.1, 0.5, 0.5),))
    (item,) = workbench.session.items.all(record_id)
    image = draw_panel(WIDTH, HEIGHT, 1).image.copy()
    hole = Rect(0.3 * WIDTH, 0.3 * HEIGHT, 40, 40)
    cv2.rectangle(image, (int(hole.x), int(hole.y)), (int(hole.right), int(hole.bottom)), (10, 10, 10), -1)
    stored = workbench.session.files.upload(bytes(cv2.imencode(".png", image)[1]), "today.png")
    workbench.session.items.add_photo(item.item_id, stored.file_id)
    workbench.open(record_id, qtbot.waitUntil)
    workbench.context.commands.run("item.detect")
    qtbot.waitUntil(lambda: workbench.page.open_record.rows[0].findings > 0)
    workbench.context.commands.run("tool.area")
    workbench.drag(workbench.at(0.25, 0.25), workbench.at(0.45, 0.45))
    qtbot.waitUntil(lambda: workbench.saved)
    workbench.context.commands.run("item.detect")
    qtbot.waitUntil(
        lambda: (
            workbench.page.open_record.entry is not None
            and workbench.page.open_record.entry.get("version", 0) > 1
            and workbench.page.open_record.rows[0].findings == 0
        ),
    )


def test_ignored_areas_move_with_their_region_but_are_not_resized(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    view = workbench.page.canvas.view
    workbench.context.commands.run("tool.area")
    workbench.drag(workbench.at(0.2, 0.2), workbench.at(0.28, 0.28))
    (drawn,) = view._area_layer.areas
    before = not_none(not_none(workbench.page.open_record.item).region(WIDTH, HEIGHT))

    workbench.drag(workbench.at(0.13, 0.13), workbench.at(0.23, 0.18))
    moved = not_none(not_none(workbench.page.open_record.item).region(WIDTH, HEIGHT))
    (area,) = view._area_layer.areas
    assert (moved.w, moved.h) == pytest.approx((before.w, before.h))
    assert (area.x - moved.x, area.y - moved.y) == pytest.approx((drawn.x - before.x, drawn.y - before.y))
    assert (area.w, area.h) == pytest.approx((drawn.w, drawn.h))
    workbench.context.commands.run("edit.undo")
    assert not_none(workbench.page.open_record.item).region(WIDTH, HEIGHT) == before
    (area,) = view._area_layer.areas
    assert (area.x, area.y) == pytest.approx((drawn.x, drawn.y))

    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Right)
    (area,) = view._area_layer.areas
    assert area.x == pytest.approx(drawn.x + 1)
    workbench.context.commands.run("edit.undo")

    corner = workbench.at((before.right) / WIDTH, (before.bottom) / HEIGHT)
    workbench.drag(corner, workbench.at(0.25, 0.25))
    now = not_none(not_none(workbench.page.open_record.item).region(WIDTH, HEIGHT))
    assert now.right == pytest.approx(0.25 * WIDTH, abs=3)
    (area,) = view._area_layer.areas
    assert (area.x, area.y) == pytest.approx((drawn.x, drawn.y))
    assert (area.right, area.bottom) == pytest.approx((now.right, now.bottom))
    workbench.context.commands.run("edit.undo")
    (area,) = view._area_layer.areas
    assert area.right == pytest.approx(drawn.right)
    qtbot.waitUntil(lambda: workbench.saved)
