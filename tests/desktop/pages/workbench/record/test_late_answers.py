"""Answers of the service that arrive after another record was opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

import pytest
from pytestqt.qtbot import QtBot

from desktop.pages.sealing.finish_dialog import FinishDialog
from shared.wire.inspection import ItemCreate, RecordCreate
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.narrowing import not_none


@contextmanager
def answered_late(monkeypatch: pytest.MonkeyPatch, api: object, name: str) -> Iterator[None]:
    """Let the first call of `api.name` be answered only when the block ends, and wait for the answer."""
    may_answer, is_answered, call = Event(), Event(), getattr(api, name)
    is_first = [True]

    def call_late(*arguments: object) -> object:
        if not is_first:
            return call(*arguments)
        is_first.clear()
        assert may_answer.wait(60)
        answer = call(*arguments)
        is_answered.set()
        return answer

    with monkeypatch.context() as patch:
        patch.setattr(api, name, call_late)
        try:
            yield
        finally:
            may_answer.set()
        assert is_answered.wait(60)


def test_the_dialog_that_finishes_a_record_opens_for_no_other_record(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = make_record(workbench.session), make_record(workbench.session)
    workbench.open(first, qtbot.waitUntil)
    with answered_late(monkeypatch, workbench.session.items, "record_photos"):
        workbench.context.commands.run("record.finish")
        workbench.open(second, qtbot.waitUntil)
    qtbot.wait(200)
    assert not workbench.page.findChildren(FinishDialog)
    workbench.context.commands.run("record.finish")
    qtbot.waitUntil(lambda: bool(workbench.page.findChildren(FinishDialog)))
    workbench.page.findChildren(FinishDialog)[0].reject()


def test_regions_of_another_record_become_no_template(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = workbench.session
    first = session.records.get(make_record(session)).value
    body = RecordCreate(task_id=first.task_id, reference_image_id=first.reference_image_id)
    second = session.records.create(body).inspection_id
    point = {"point": {"x": 0.1, "y": 0.1, "w": 0.2, "h": 0.2}}
    session.items.create(
        ItemCreate.model_validate({"item_name": "X", "inspection_id": second, "item_point": point})
    )
    images = session.catalogue.reference_images
    workbench.open(first.inspection_id, qtbot.waitUntil)
    with answered_late(monkeypatch, images, "get_versioned"):
        workbench.context.commands.run("record.template")
        workbench.open(second, qtbot.waitUntil)
    qtbot.wait(200)
    assert images.get(not_none(first.reference_image_id)).template == []
    with qtbot.waitSignal(workbench.page.toast):
        workbench.context.commands.run("record.template")
    assert len(images.get(not_none(first.reference_image_id)).template) == 1
