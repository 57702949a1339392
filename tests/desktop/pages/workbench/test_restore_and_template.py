"""An item that was deleted comes back as it was, and regions become a template."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.pages.workbench.canvas.deleting import DeleteDialog
from desktop.pages.workbench.items import filling as template_saving
from shared.record.codes import Verdict
from shared.wire.inspection import ItemUpdate, RecordCreate
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, picture, workbench_driver
from tests.narrowing import not_none


def delete_dialogs(driver: WorkbenchDriver) -> list[DeleteDialog]:
    return driver.page.findChildren(DeleteDialog)


def test_undone_delete_restores_the_item_even_after_a_restart(session: Session, qtbot: QtBot) -> None:
    record_id = make_record(session)
    items = session.items.all(record_id)
    photo = session.files.upload(picture(2), "today.png")
    session.items.add_photo(items[1].item_id, photo.file_id)
    session.items.set_verdict(items[1].item_id, Verdict.FAILED, "cracked")
    with workbench_driver(session, qtbot) as first:
        first.open(record_id, qtbot.waitUntil)
        first.page.open_record.choose(items[1].item_id)
        first.context.commands.run("edit.delete")
        first.page.canvas.view.store.select([items[0].item_id])
        first.context.commands.run("edit.delete")
        # Both deletions read the photos first, and either may be answered first.
        qtbot.waitUntil(lambda: first.names == ["条目2", "条目3"] and bool(delete_dialogs(first)))
        (question,) = delete_dialogs(first)
        question.reason.setPlainText("twice")
        question.confirm_button.click()
        assert first.names == ["条目3"]
        qtbot.waitUntil(lambda: first.saved)
        assert len(session.items.all(record_id)) == 1
    with workbench_driver(session, qtbot) as second:
        second.open(record_id, qtbot.waitUntil)
        assert second.names == ["条目3"]
        second.context.commands.run("edit.undo")
        second.context.commands.run("edit.undo")
        assert second.names == ["条目1", "条目2", "条目3"]
        assert second.page.open_record.rows[1].status == "failed"
        qtbot.waitUntil(lambda: second.saved)
        assert [item.item_id for item in session.items.all(record_id)] == [item.item_id for item in items]
        back = session.items.get(items[1].item_id).value
        assert not_none(back.result[0].model_extra)["verdict"]["reason"] == "cracked"
        assert [photo.file_id for photo in session.items.photos(back.item_id)] == [photo.file_id]
        second.context.commands.run("edit.redo")
        assert second.names == ["条目2", "条目3"]
        qtbot.waitUntil(lambda: second.saved)
        assert [item.item_name for item in session.items.all(record_id)] == ["条目2", "条目3"]


def test_unsent_delete_can_be_undone(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    before = [item.item_id for item in workbench.session.items.all(record_id)]
    workbench.page.canvas.view.select_all()
    workbench.context.commands.run("edit.delete")
    qtbot.waitUntil(lambda: workbench.names == [])
    workbench.context.commands.run("edit.undo")
    assert workbench.names == ["条目1", "条目2", "条目3"]
    qtbot.waitUntil(lambda: workbench.saved)
    assert [item.item_id for item in workbench.session.items.all(record_id)] == before


def test_regions_become_the_template_after_asking(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_id = make_record(workbench.session)
    detection = {"sensitivity": 0.75, "smallest": 2, "ignored": [{"x": 0.5, "y": 0.2, "w": 0.1, "h": 0.1}]}
    first = workbench.session.items.all(record_id)[0]
    point = not_none(first.item_point).model_dump(exclude_unset=True) | {"detection": detection}
    workbench.session.items.update(first.item_id, ItemUpdate.model_validate({"item_point": point}))
    workbench.open(record_id, qtbot.waitUntil)
    images = workbench.session.catalogue.reference_images
    reference_id = not_none(workbench.page.open_record.reference).reference_image_id
    questions: list[str] = []
    answers = iter([False, True])

    def confirm(_parent: object, _title: str, text: str, _verb: str) -> bool:
        questions.append(text)
        return next(answers)

    monkeypatch.setattr(template_saving, "confirm", confirm)
    with qtbot.waitSignal(workbench.page.toast) as toast:
        workbench.context.commands.run("record.template")
    # With "regions" or "region(s)": the plural needs the catalogue, which other tests may have loaded.
    assert toast.args[0].startswith("3 region")
    assert toast.args[0].endswith(" saved as template of 左翼根部.")
    assert questions == []
    assert [region.item_name for region in images.get(reference_id).template] == ["条目1", "条目2", "条目3"]
    workbench.context.commands.run("edit.delete")
    qtbot.waitUntil(lambda: len(workbench.names) == 2)
    workbench.context.commands.run("record.template")
    qtbot.waitUntil(lambda: len(questions) == 1)
    assert "template with 3 region" in questions[0]
    assert "the 2 region" in questions[0]
    assert len(images.get(reference_id).template) == 3
    workbench.context.commands.run("edit.undo")
    with qtbot.waitSignal(workbench.page.toast):
        workbench.context.commands.run("record.template")
    region = images.get(reference_id).template[0]
    assert (region.item_name, region.model_id, region.detection) == (
        "条目1",
        "reference-difference",
        detection,
    )
    task_id = not_none(workbench.page.open_record.document).record.task_id
    body = RecordCreate(task_id=task_id, reference_image_id=reference_id)
    new = workbench.session.records.create(body)
    item = workbench.session.items.from_template(new.inspection_id)[0]
    assert not_none(item.item_point).model_dump()["detection"] == detection


def test_template_saved_concurrently_is_replaced_only_after_question(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    images = workbench.session.catalogue.reference_images
    reference_id = not_none(workbench.page.open_record.reference).reference_image_id
    region = template_saving.region_of(not_none(workbench.page.open_record.item))
    images.set_template(reference_id, [region, region])
    questions: list[str] = []

    def confirm(_parent: object, _title: str, text: str, _verb: str) -> bool:
        questions.append(text)
        if len(questions) == 1:
            # Between the question and the answer.
            images.set_template(reference_id, [region])
            return True
        return False

    monkeypatch.setattr(template_saving, "confirm", confirm)
    workbench.context.commands.run("record.template")
    qtbot.waitUntil(lambda: len(questions) == 2)
    assert "template with 1 region" in questions[1]
    assert len(images.get(reference_id).template) == 1
