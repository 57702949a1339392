"""How detection looks at one item: set in its fields, drawn on the canvas, kept by copies, obeyed."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.canvas.tools import Tool
from desktop.client import Session
from desktop.widgets import IconButton
from shared.cv import cv2
from shared.geometry import Rect
from shared.samples import panel
from tests.desktop.workbench.stage import HEIGHT, WIDTH, Desk, make_record


def detection_of(session: Session, record_id: str, place: int = 0) -> dict[str, object] | None:
    return session.items.all(record_id)[place].item_point.model_dump(exclude_unset=True).get("detection")


def test_sensitivity_and_smallest_defect_are_edits(bench: Desk, qtbot: QtBot) -> None:
    record_id = make_record(bench.session)
    bench.open(record_id, qtbot.waitUntil)
    box = bench.page.inspector.fields.own
    assert "default" in box.fold.text()
    assert not box.sensitivity.isVisible()
    box.fold.click()
    assert box.sensitivity.isVisible()
    assert box.sensitivity.value() == 50
    assert box.smallest.suffix() == " mm"
    for value in (60, 75, 90):
        box.sensitivity.setValue(value)
    box.smallest.setValue(2.5)
    qtbot.waitUntil(lambda: bench.saved)
    assert detection_of(bench.session, record_id) == {"sensitivity": 0.9, "smallest": 2.5, "ignored": []}
    assert "custom" in box.fold.text()
    assert "very high" in [found.text() for found in box.findChildren(QLabel)]
    bench.context.commands.run("edit.undo")
    assert box.sensitivity.value() == 50
    qtbot.waitUntil(lambda: bench.saved)
    assert detection_of(bench.session, record_id) is None
    bench.context.commands.run("edit.redo")
    assert (box.sensitivity.value(), box.smallest.value()) == (90, 2.5)
    box.as_model.click()
    qtbot.waitUntil(lambda: bench.saved)
    assert detection_of(bench.session, record_id) is None


def test_areas_are_drawn_inside_the_region_and_taken_away(bench: Desk, qtbot: QtBot) -> None:
    record_id = make_record(bench.session)
    bench.open(record_id, qtbot.waitUntil)
    view, box = bench.page.view, bench.page.inspector.fields.own
    box.open(True)
    box.area.click()
    assert view.editor.tool is Tool.AREA
    bench.drag(bench.at(0.05, 0.15), bench.at(0.2, 0.25))
    assert view.editor.tool is Tool.SELECT
    assert len(bench.names) == 3
    (area,) = view._area_layer.areas
    assert (area.x, area.y) == pytest.approx((0.1 * WIDTH, 0.15 * HEIGHT), abs=2)
    assert (area.right, area.bottom) == pytest.approx((0.2 * WIDTH, 0.25 * HEIGHT), abs=2)
    with qtbot.waitSignal(bench.page.toast) as said:
        bench.context.commands.run("tool.area")
        bench.drag(bench.at(0.6, 0.6), bench.at(0.7, 0.7))
    assert "inside the region" in said.args[0]
    bench.context.commands.run("tool.area")
    bench.drag(bench.at(0.22, 0.22), bench.at(0.28, 0.28))
    assert len(view._area_layer.areas) == 2
    qtbot.waitUntil(lambda: bench.saved)
    kept = detection_of(bench.session, record_id)
    assert kept["ignored"][0]["x"] == pytest.approx(0.1, abs=0.003)
    bench.context.commands.run("edit.undo")
    assert view._area_layer.areas == (area,)
    bench.context.commands.run("item.next")
    assert view._area_layer.areas == ()
    bench.context.commands.run("item.previous")
    (line,) = [box._list.itemAt(n).widget() for n in range(box._list.count())]
    line.findChild(IconButton).click()
    assert view._area_layer.areas == ()
    qtbot.waitUntil(lambda: bench.saved)
    assert detection_of(bench.session, record_id) is None


def test_copies_keep_what_the_item_says(bench: Desk, qtbot: QtBot) -> None:
    record_id = make_record(bench.session)
    bench.open(record_id, qtbot.waitUntil)
    bench.page.bench.describe("behind frame 12")
    bench.page.bench.set_model(None)
    bench.page.bench.set_model("reference-difference")
    bench.context.commands.run("tool.area")
    bench.drag(bench.at(0.12, 0.12), bench.at(0.2, 0.2))
    bench.page.view.set_tool(Tool.SELECT)
    bench.context.commands.run("edit.duplicate")
    bench.context.commands.run("edit.copy")
    qtbot.waitUntil(lambda: bench.saved)
    first, second = (detection_of(bench.session, record_id, place)["ignored"][0] for place in (0, 3))
    assert (second["w"], second["h"]) == pytest.approx((first["w"], first["h"]))
    assert (second["x"] - first["x"]) * WIDTH == pytest.approx(16, abs=0.01)
    assert bench.session.items.all(record_id)[3].description == "behind frame 12"
    other_id = make_record(bench.session, boxes=())
    bench.open(other_id, qtbot.waitUntil)
    qtbot.waitUntil(lambda: bench.page.bench.record_id == other_id)
    qtbot.waitUntil(lambda: bench.page.view.source is not None)
    bench.context.commands.run("edit.paste")
    assert len(bench.names) == 1
    qtbot.waitUntil(lambda: bench.saved)
    (pasted,) = detection_of(bench.session, other_id)["ignored"]
    assert pasted["x"] == pytest.approx(second["x"])
    assert bench.session.items.all(other_id)[0].description == "behind frame 12"


def test_what_is_ignored_is_not_found(bench: Desk, qtbot: QtBot) -> None:
    record_id = make_record(bench.session, boxes=((0.1, 0.1, 0.5, 0.5),))
    (item,) = bench.session.items.all(record_id)
    image = panel(WIDTH, HEIGHT, 1).image.copy()
    hole = Rect(0.3 * WIDTH, 0.3 * HEIGHT, 40, 40)
    cv2.rectangle(image, (int(hole.x), int(hole.y)), (int(hole.right), int(hole.bottom)), (10, 10, 10), -1)
    stored = bench.session.files.upload(bytes(cv2.imencode(".png", image)[1]), "today.png")
    bench.session.items.add_photo(item.item_id, stored.file_id)
    bench.open(record_id, qtbot.waitUntil)
    bench.context.commands.run("item.detect")
    qtbot.waitUntil(lambda: bench.page.bench.rows[0].findings > 0, timeout=30000)
    bench.context.commands.run("tool.area")
    bench.drag(bench.at(0.25, 0.25), bench.at(0.45, 0.45))
    qtbot.waitUntil(lambda: bench.saved)
    bench.context.commands.run("item.detect")
    qtbot.waitUntil(
        lambda: (
            bench.page.bench.entry is not None
            and bench.page.bench.entry.get("version", 0) > 1
            and bench.page.bench.rows[0].findings == 0
        ),
        timeout=30000,
    )


def test_ignored_areas_follow_a_region_that_moves_and_stay_when_it_is_resized(
    bench: Desk, qtbot: QtBot
) -> None:
    record_id = make_record(bench.session)
    bench.open(record_id, qtbot.waitUntil)
    view = bench.page.view
    bench.context.commands.run("tool.area")
    bench.drag(bench.at(0.2, 0.2), bench.at(0.28, 0.28))
    (drawn,) = view._area_layer.areas
    before = bench.page.bench.item.region(WIDTH, HEIGHT)

    bench.drag(bench.at(0.13, 0.13), bench.at(0.23, 0.18))
    moved = bench.page.bench.item.region(WIDTH, HEIGHT)
    (area,) = view._area_layer.areas
    assert (moved.w, moved.h) == pytest.approx((before.w, before.h))
    assert (area.x - moved.x, area.y - moved.y) == pytest.approx((drawn.x - before.x, drawn.y - before.y))
    assert (area.w, area.h) == pytest.approx((drawn.w, drawn.h))
    bench.context.commands.run("edit.undo")
    assert bench.page.bench.item.region(WIDTH, HEIGHT) == before
    (area,) = view._area_layer.areas
    assert (area.x, area.y) == pytest.approx((drawn.x, drawn.y))

    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Right)
    (area,) = view._area_layer.areas
    assert area.x == pytest.approx(drawn.x + 1)
    bench.context.commands.run("edit.undo")

    corner = bench.at((before.right) / WIDTH, (before.bottom) / HEIGHT)
    bench.drag(corner, bench.at(0.25, 0.25))
    now = bench.page.bench.item.region(WIDTH, HEIGHT)
    assert now.right == pytest.approx(0.25 * WIDTH, abs=3)
    (area,) = view._area_layer.areas
    assert (area.x, area.y) == pytest.approx((drawn.x, drawn.y))
    assert (area.right, area.bottom) == pytest.approx((now.right, now.bottom))
    bench.context.commands.run("edit.undo")
    (area,) = view._area_layer.areas
    assert area.right == pytest.approx(drawn.right)
    qtbot.waitUntil(lambda: bench.saved)
