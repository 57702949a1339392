from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from shared.codes import Verdict
from tests.desktop.workbench.stage import Desk, make_record


def test_a_record_opens_with_its_items_and_picture(bench: Desk, qtbot: QtBot) -> None:
    record_id = make_record(bench.session)
    bench.open(record_id, qtbot.waitUntil)
    assert bench.names == ["条目1", "条目2", "条目3"]
    assert len(bench.page.view.store) == 3
    assert bench.page.items.model.rowCount() == 3
    assert bench.page.inspector.fields.name.text() == "条目1"
    qtbot.waitUntil(lambda: len(bench.page.picture.cropped) == 3)


def test_what_is_drawn_named_and_described_reaches_the_service(bench: Desk, qtbot: QtBot) -> None:
    record_id = make_record(bench.session, boxes=())
    bench.open(record_id, qtbot.waitUntil)
    bench.draw(0.25, 0.25, 0.5, 0.75)
    assert len(bench.names) == 1
    fields = bench.page.inspector.fields
    fields.name.setFocus()
    fields.name.selectAll()
    qtbot.keyClicks(fields.name, "crack 12")
    fields.name.commit()
    fields.description.setPlainText("between frames 12 and 13")
    fields.description.commit()
    qtbot.waitUntil(lambda: bench.saved)
    (item,) = bench.session.items.all(record_id)
    assert (item.item_name, item.description) == ("crack 12", "between frames 12 and 13")
    point = item.item_point.point
    assert (point.x, point.y, point.w, point.h) == pytest.approx((0.25, 0.25, 0.25, 0.5), abs=0.01)
    assert item.item_point.fileInfo.filename == "left_wing_root.png"
    qtbot.waitUntil(lambda: bench.page.bench.rows[0].saved)


def test_undo_and_redo_reach_the_service(bench: Desk, qtbot: QtBot) -> None:
    record_id = make_record(bench.session)
    bench.open(record_id, qtbot.waitUntil)
    before = [item.item_point.point.x for item in bench.session.items.all(record_id)]
    bench.drag(bench.at(0.2, 0.2), bench.at(0.4, 0.2))
    bench.page.bench.choose(bench.page.bench.rows[1].item_id)
    bench.context.commands.run("edit.delete")
    qtbot.waitUntil(lambda: bench.names == ["条目1", "条目3"])
    qtbot.waitUntil(lambda: bench.saved)
    assert [item.item_name for item in bench.session.items.all(record_id)] == ["条目1", "条目3"]
    bench.context.commands.run("edit.undo")
    assert bench.names == ["条目1", "条目2", "条目3"]
    bench.context.commands.run("edit.undo")
    qtbot.waitUntil(lambda: bench.saved)
    items = bench.session.items.all(record_id)
    assert [item.item_name for item in items] == ["条目1", "条目2", "条目3"]
    assert [item.item_point.point.x for item in items] == pytest.approx(before)
    bench.context.commands.run("edit.redo")
    qtbot.waitUntil(lambda: bench.saved)
    (moved,) = [i for i in bench.session.items.all(record_id) if i.item_name == "条目1"]
    assert moved.item_point.point.x == pytest.approx(before[0] + 0.2, abs=0.01)


def test_verdicts_by_key(bench: Desk, qtbot: QtBot) -> None:
    record_id = make_record(bench.session)
    bench.open(record_id, qtbot.waitUntil)
    bench.context.commands.run("item.pass")
    bench.context.commands.run("item.next")
    bench.context.commands.run("item.fail")
    assert [row.status for row in bench.page.bench.rows] == ["passed", "failed", "not_started"]
    bench.context.commands.run("item.undecided")
    assert bench.page.bench.number == 3
    qtbot.waitUntil(lambda: bench.saved)
    items = bench.session.items.all(record_id)
    assert [item.result[0].verdict["value"] for item in items[:2]] == [Verdict.PASSED, Verdict.FAILED]
    assert bench.page.bench.item.verdict is Verdict.UNDECIDED
