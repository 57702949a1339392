from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from shared.record.codes import Verdict
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.narrowing import not_none


def test_a_record_opens_with_its_items_and_picture(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    assert workbench.names == ["条目1", "条目2", "条目3"]
    assert len(workbench.page.canvas.view.store) == 3
    assert workbench.page.items.panel.model.rowCount() == 3
    assert workbench.page.inspector.fields.name.text() == "条目1"
    qtbot.waitUntil(lambda: len(workbench.page.items.crops.cuts) == 3)


def test_drawn_item_with_name_and_description_reaches_the_service(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    record_id = make_record(workbench.session, boxes=())
    workbench.open(record_id, qtbot.waitUntil)
    workbench.draw(0.25, 0.25, 0.5, 0.75)
    assert len(workbench.names) == 1
    fields = workbench.page.inspector.fields
    fields.name.setFocus()
    fields.name.selectAll()
    qtbot.keyClicks(fields.name, "crack 12")
    fields.name.commit()
    fields.description.setPlainText("between frames 12 and 13")
    fields.description.commit()
    qtbot.waitUntil(lambda: workbench.saved)
    (item,) = workbench.session.items.all(record_id)
    assert (item.item_name, item.description) == ("crack 12", "between frames 12 and 13")
    point = not_none(not_none(item.item_point).point)
    assert (point.x, point.y, point.w, point.h) == pytest.approx((0.25, 0.25, 0.25, 0.5), abs=0.01)
    assert not_none(not_none(item.item_point).fileInfo).filename == "left_wing_root.png"
    qtbot.waitUntil(lambda: workbench.page.open_record.rows[0].saved)


def test_undo_and_redo_reach_the_service(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    before = [not_none(not_none(item.item_point).point).x for item in workbench.session.items.all(record_id)]
    workbench.drag(workbench.at(0.2, 0.2), workbench.at(0.4, 0.2))
    workbench.page.open_record.choose(workbench.page.open_record.rows[1].item_id)
    workbench.context.commands.run("edit.delete")
    qtbot.waitUntil(lambda: workbench.names == ["条目1", "条目3"])
    qtbot.waitUntil(lambda: workbench.saved)
    assert [item.item_name for item in workbench.session.items.all(record_id)] == ["条目1", "条目3"]
    workbench.context.commands.run("edit.undo")
    assert workbench.names == ["条目1", "条目2", "条目3"]
    workbench.context.commands.run("edit.undo")
    qtbot.waitUntil(lambda: workbench.saved)
    items = workbench.session.items.all(record_id)
    assert [item.item_name for item in items] == ["条目1", "条目2", "条目3"]
    assert [not_none(not_none(item.item_point).point).x for item in items] == pytest.approx(before)
    workbench.context.commands.run("edit.redo")
    qtbot.waitUntil(lambda: workbench.saved)
    (moved,) = [i for i in workbench.session.items.all(record_id) if i.item_name == "条目1"]
    assert not_none(not_none(moved.item_point).point).x == pytest.approx(before[0] + 0.2, abs=0.01)


def test_verdicts_by_key(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    workbench.context.commands.run("item.pass")
    workbench.context.commands.run("item.next")
    workbench.context.commands.run("item.fail")
    assert [row.status for row in workbench.page.open_record.rows] == ["passed", "failed", "not_started"]
    workbench.context.commands.run("item.undecided")
    assert workbench.page.open_record.number == 3
    qtbot.waitUntil(lambda: workbench.saved)
    items = workbench.session.items.all(record_id)
    signed = [not_none(item.result[0].model_extra)["verdict"] for item in items[:2]]
    assert [verdict["value"] for verdict in signed] == [Verdict.PASSED, Verdict.FAILED]
    assert not_none(workbench.page.open_record.item).verdict is Verdict.UNDECIDED
