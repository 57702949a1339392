"""Verdicts of two people on one item, and a verdict that differs from the model's opinion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.client.api.inspection import Items
from desktop.client.http.answers import Versioned
from desktop.client.http.errors import Unreachable
from desktop.connection.local_service import EmbeddedService
from desktop.pages.workbench.saving import ConflictDialog
from shared.names import user_label
from shared.record.codes import Verdict
from shared.record.entries import Entry
from shared.wire.inspection import Item, ItemUpdate
from tests.client_session import open_session
from tests.desktop.children import child
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, store_detections
from tests.narrowing import not_none, reread


@pytest.fixture
def other(service: EmbeddedService) -> Iterator[Session]:
    """Another user, at another desktop."""
    with open_session(service.wait_until_ready(30)) as session:
        yield session


@pytest.fixture
def open_workbench(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    """A desktop on a record that does not listen to events and has read the ETag of its first item."""
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    workbench.page.live.stop()
    workbench.page.items.changes.rename("known")
    qtbot.waitUntil(lambda: workbench.saved)
    return workbench


def verdicts(session: Session, item_id: str) -> list[tuple[str, str | None]]:
    entries = [entry.model_dump() for entry in session.items.get(item_id).value.result]
    decisions = [entry["verdict"] for entry in entries if entry.get("verdict")]
    return [(verdict["value"], verdict["reason"]) for verdict in decisions]


@pytest.mark.parametrize("keep_local", [True, False])
def test_conflicting_verdicts_are_resolved_by_a_choice(
    open_workbench: WorkbenchDriver, other: Session, qtbot: QtBot, keep_local: bool
) -> None:
    page, item_id = open_workbench.page, open_workbench.page.open_record.current
    other.items.set_verdict(item_id, Verdict.FAILED, "a crack")
    page.inspector.verdict.reason.setPlainText("only dirt")
    page.inspector.verdict.decide(Verdict.PASSED)
    qtbot.waitUntil(lambda: page.open_record.edits.save_state.conflicts == 1)
    assert verdicts(other, item_id) == [("failed", "a crack")]
    dialog = ConflictDialog(page.open_record, page)
    (conflict,) = page.open_record.edits.conflicts()
    local_text = dialog.local_choice(conflict.edit.id, "verdict").text()
    stored_text = dialog.stored_choice(conflict.edit.id, "verdict").text()
    verdict = other.items.get(item_id).value.result[-1].model_dump()["verdict"]
    user = not_none(open_workbench.context.payload).user
    assert "only dirt" in local_text
    assert user_label(user.name, user.username) in local_text
    assert "a crack" in stored_text
    assert (verdict["by_name"] or "Another user") in stored_text
    for text in (local_text, stored_text):
        assert verdict["at"][:4] in text
    dialog.local_choice(conflict.edit.id, "verdict").setChecked(keep_local)
    dialog.decide()
    dialog.deleteLater()
    qtbot.waitUntil(lambda: open_workbench.saved)
    after = [("passed", "only dirt")] if keep_local else []
    assert verdicts(other, item_id) == [("failed", "a crack"), *after]
    stands = Verdict.PASSED if keep_local else Verdict.FAILED
    # The other user's verdict arrives with an event.
    qtbot.waitUntil(lambda: not_none(page.open_record.item).verdict is stands)


def test_conflict_is_decided_with_arrows_and_enter(
    open_workbench: WorkbenchDriver, other: Session, qtbot: QtBot
) -> None:
    page, item_id = open_workbench.page, open_workbench.page.open_record.current
    other.items.set_verdict(item_id, Verdict.FAILED, "a crack")
    page.inspector.verdict.reason.setPlainText("only dirt")
    page.inspector.verdict.decide(Verdict.PASSED)
    qtbot.waitUntil(lambda: page.open_record.edits.save_state.conflicts == 1, timeout=60_000)
    page.decide_conflicts()
    dialog = child(page, ConflictDialog)
    qtbot.waitUntil(dialog.isActiveWindow, timeout=60_000)
    assert dialog.apply.isDefault()
    (conflict,) = page.open_record.edits.conflicts()
    assert dialog.stored_choice(conflict.edit.id, "verdict").hasFocus()
    qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Left)
    assert dialog.local_choice(conflict.edit.id, "verdict").isChecked()
    qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)
    assert not dialog.isVisible()
    qtbot.waitUntil(lambda: open_workbench.saved, timeout=60_000)
    assert verdicts(other, item_id) == [("failed", "a crack"), ("passed", "only dirt")]


def test_concurrent_change_of_another_field_asks_nothing(
    open_workbench: WorkbenchDriver, other: Session, qtbot: QtBot
) -> None:
    item_id = open_workbench.page.open_record.current
    other.items.update(item_id, ItemUpdate(description="theirs"), None)
    open_workbench.page.items.changes.rename("mine")
    qtbot.waitUntil(lambda: open_workbench.saved)
    other.items.update(item_id, ItemUpdate(model_id="theirs"), None)
    open_workbench.page.inspector.verdict.decide(Verdict.FAILED)
    qtbot.waitUntil(lambda: open_workbench.saved)
    assert verdicts(other, item_id) == [("failed", None)]
    item = other.items.get(item_id).value
    assert (item.item_name, item.description, item.model_id) == ("mine", "theirs", "theirs")
    assert open_workbench.page.open_record.edits.save_state.conflicts == 0


def test_verdict_with_a_lost_answer_is_stored_once(
    open_workbench: WorkbenchDriver, other: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    item_id = open_workbench.page.open_record.current
    plain = Items.set_verdict
    answers: list[int] = []

    def lose_answer(self: Items, *args: Any, **more: Any) -> Versioned[Item]:
        answer = plain(self, *args, **more)
        answers.append(1)
        if len(answers) == 1:
            raise Unreachable
        return answer

    monkeypatch.setattr(Items, "set_verdict", lose_answer)
    open_workbench.page.inspector.verdict.decide(Verdict.PASSED)
    qtbot.waitUntil(lambda: open_workbench.saved)
    assert verdicts(other, item_id) == [("passed", None)]


@pytest.mark.parametrize("way", ["button", "key"])
def test_no_other_verdict_than_the_models_without_a_reason(
    open_workbench: WorkbenchDriver, qtbot: QtBot, way: str
) -> None:
    page = open_workbench.page
    item_id = page.open_record.current
    write_detection(open_workbench)
    page.reload()
    qtbot.waitUntil(lambda: page.inspector.verdict.opinion == "Model's opinion: fail")
    box = page.inspector.verdict
    if way == "button":
        box.buttons[Verdict.PASSED].click()
    else:
        open_workbench.context.commands.run("item.pass")
    assert box.shown_request
    assert not_none(page.open_record.item).verdict is Verdict.UNDECIDED
    assert page.open_record.edits.save_state.unsent_count == 0
    box.commit()
    assert page.open_record.edits.save_state.unsent_count == 0
    box.reason.setPlainText("only dirt")
    box.commit()
    assert not reread(box.shown_request)
    assert not_none(page.open_record.item).verdict is Verdict.PASSED
    qtbot.waitUntil(lambda: open_workbench.saved)
    assert verdicts(open_workbench.session, item_id) == [("passed", "only dirt")]
    # The reason of a verdict that differs cannot be taken away.
    box.reason.setPlainText("")
    box.commit()
    assert box.shown_request
    assert not_none(page.open_record.item).reason == "only dirt"
    # A verdict that agrees with the model needs none, and the old reason is not sent with it.
    box.decide(Verdict.FAILED)
    qtbot.waitUntil(lambda: open_workbench.saved)
    assert verdicts(open_workbench.session, item_id)[-1] == ("failed", None)


def test_verdict_without_its_reason_waits_and_is_not_set(
    open_workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    page = open_workbench.page
    write_detection(open_workbench)
    page.reload()
    qtbot.waitUntil(lambda: page.inspector.verdict.opinion == "Model's opinion: fail")
    open_workbench.context.commands.run("item.pass")
    page.items.go_to(page.open_record.rows[1].item_id)
    assert page.open_record.rows[0].status == "undecided"
    assert page.open_record.waiting == [page.open_record.rows[0].item_id]
    page.items.go_to(page.open_record.rows[0].item_id)
    assert page.inspector.verdict.buttons[Verdict.PASSED].isChecked()
    assert page.inspector.verdict.shown_request


def write_detection(desk: WorkbenchDriver) -> None:
    """Write the result of a detection with a finding into the chosen item."""
    entry: Entry = {
        "version": 1,
        "job_id": "j",
        "isPassed": False,
        "progress": "done",
        "resultImage": {"boxes": []},
    }
    store_detections(desk.session, desk.page.open_record.current, entry)
