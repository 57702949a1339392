"""An item that was deleted comes back as it was, and regions become a template."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.pages.workbench import keeping
from desktop.pages.workbench.deleting import DeleteDialog
from shared.codes import Verdict
from shared.wire.inspection import ItemUpdate, RecordCreate
from tests.desktop.workbench.stage import Desk, desk, make_record, picture


def test_an_undone_delete_brings_everything_back_also_after_a_restart(session: Session, qtbot: QtBot) -> None:
    record_id = make_record(session)
    items = session.items.all(record_id)
    photo = session.files.upload(picture(2), "today.png")
    session.items.add_photo(items[1].item_id, photo.file_id)
    session.items.set_verdict(items[1].item_id, Verdict.FAILED, "cracked")
    with desk(session, qtbot) as first:
        first.open(record_id, qtbot.waitUntil)
        first.page.bench.choose(items[1].item_id)
        first.context.commands.run("edit.delete")
        first.page.view.store.select([items[0].item_id])
        first.context.commands.run("edit.delete")
        qtbot.waitUntil(lambda: first.names == ["条目2", "条目3"])
        (asked,) = first.page.findChildren(DeleteDialog)
        asked.reason.setPlainText("twice")
        asked.act.click()
        assert first.names == ["条目3"]
        qtbot.waitUntil(lambda: first.saved)
        assert len(session.items.all(record_id)) == 1
    with desk(session, qtbot) as second:
        second.open(record_id, qtbot.waitUntil)
        assert second.names == ["条目3"]
        second.context.commands.run("edit.undo")
        second.context.commands.run("edit.undo")
        assert second.names == ["条目1", "条目2", "条目3"]
        assert second.page.bench.rows[1].status == "failed"
        qtbot.waitUntil(lambda: second.saved)
        assert [item.item_id for item in session.items.all(record_id)] == [item.item_id for item in items]
        back = session.items.get(items[1].item_id).value
        assert back.result[0].verdict["reason"] == "cracked"
        assert [one.file_id for one in session.items.photos(back.item_id)] == [photo.file_id]
        second.context.commands.run("edit.redo")
        assert second.names == ["条目2", "条目3"]
        qtbot.waitUntil(lambda: second.saved)
        assert [item.item_name for item in session.items.all(record_id)] == ["条目2", "条目3"]


def test_a_delete_that_was_not_sent_is_undone(bench: Desk, qtbot: QtBot) -> None:
    record_id = make_record(bench.session)
    bench.open(record_id, qtbot.waitUntil)
    before = [item.item_id for item in bench.session.items.all(record_id)]
    bench.page.view.select_all()
    bench.context.commands.run("edit.delete")
    qtbot.waitUntil(lambda: bench.names == [])
    bench.context.commands.run("edit.undo")
    assert bench.names == ["条目1", "条目2", "条目3"]
    qtbot.waitUntil(lambda: bench.saved)
    assert [item.item_id for item in bench.session.items.all(record_id)] == before


def test_regions_become_the_template_after_asking(
    bench: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_id = make_record(bench.session)
    detection = {"sensitivity": 0.75, "smallest": 2, "ignored": [{"x": 0.5, "y": 0.2, "w": 0.1, "h": 0.1}]}
    first = bench.session.items.all(record_id)[0]
    point = first.item_point.model_dump(exclude_unset=True) | {"detection": detection}
    bench.session.items.update(first.item_id, ItemUpdate.model_validate({"item_point": point}))
    bench.open(record_id, qtbot.waitUntil)
    images = bench.session.catalogue.reference_images
    reference_id = bench.page.bench.reference.reference_image_id
    asked: list[str] = []
    answers = iter([False, True])

    def confirm(_parent: object, _title: str, text: str, _verb: str) -> bool:
        asked.append(text)
        return next(answers)

    monkeypatch.setattr(keeping, "confirm", confirm)
    with qtbot.waitSignal(bench.page.toast) as said:
        bench.context.commands.run("record.template")
    # With "regions" or "region(s)": the plural needs the catalogue, which other tests may have loaded.
    assert said.args[0].startswith("3 region")
    assert said.args[0].endswith(" saved as template of 左翼根部.")
    assert asked == []
    assert [region.item_name for region in images.get(reference_id).template] == ["条目1", "条目2", "条目3"]
    bench.context.commands.run("edit.delete")
    qtbot.waitUntil(lambda: len(bench.names) == 2)
    bench.context.commands.run("record.template")
    qtbot.waitUntil(lambda: len(asked) == 1)
    assert "template with 3 region" in asked[0]
    assert "the 2 region" in asked[0]
    assert len(images.get(reference_id).template) == 3
    bench.context.commands.run("edit.undo")
    with qtbot.waitSignal(bench.page.toast):
        bench.context.commands.run("record.template")
    region = images.get(reference_id).template[0]
    assert (region.item_name, region.model_id, region.detection) == (
        "条目1",
        "reference-difference",
        detection,
    )
    task_id = bench.page.bench.document.record.task_id
    body = RecordCreate(task_id=task_id, reference_image_id=reference_id)
    new = bench.session.records.create(body)
    made = bench.session.items.from_template(new.inspection_id)[0]
    assert made.item_point.model_dump()["detection"] == detection


def test_a_template_that_somebody_kept_meanwhile_is_not_replaced_unasked(
    bench: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.open(make_record(bench.session), qtbot.waitUntil)
    images = bench.session.catalogue.reference_images
    reference_id = bench.page.bench.reference.reference_image_id
    theirs = keeping.region_of(bench.page.bench.item)
    images.set_template(reference_id, [theirs, theirs])
    asked: list[str] = []

    def confirm(_parent: object, _title: str, text: str, _verb: str) -> bool:
        asked.append(text)
        if len(asked) == 1:
            # Between the question and the answer.
            images.set_template(reference_id, [theirs])
            return True
        return False

    monkeypatch.setattr(keeping, "confirm", confirm)
    bench.context.commands.run("record.template")
    qtbot.waitUntil(lambda: len(asked) == 2)
    assert "template with 1 region" in asked[1]
    assert len(images.get(reference_id).template) == 1
