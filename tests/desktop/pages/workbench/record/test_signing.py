"""Tests that undo never signs or withdraws another user's verdict."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.connection.local_service import EmbeddedService
from desktop.pages.workbench.saving import ConflictDialog
from shared.record import results
from shared.record.codes import Role, Verdict
from shared.record.entries import Entry, EntryBox
from shared.wire.inspection import ItemUpdate
from tests.client_session import open_session
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, store_detections
from tests.narrowing import not_none

OTHER = ("li.wei", "a-longer-password-1")
BOX: EntryBox = {
    "label": "crack",
    "confidence": 0.9,
    "points": {"x1": 10, "y1": 10, "x2": 60, "y2": 60},
}
OTHER_BOX = {**BOX, "label": "dent", "origin": "person", "accepted": True}


@pytest.fixture(scope="module")
def colleague(service: EmbeddedService) -> None:
    with open_session(service.wait_until_ready(30)) as admin:
        admin.users.create(*OTHER, [Role.INSPECTOR], name="李伟")


@pytest.fixture
def other(service: EmbeddedService, colleague: None) -> Iterator[Session]:
    """Another user with a different account, at another desktop."""
    session = Session(service.wait_until_ready(30))
    session.account.login(*OTHER)
    yield session
    session.close()


@pytest.fixture
def open_workbench(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    """A desktop on a record whose first item has a finding; it does not listen to events."""
    record_id = make_record(workbench.session)
    item_id = workbench.session.items.all(record_id)[0].item_id
    entry: Entry = {
        "version": 1,
        "job_id": "j",
        "isPassed": False,
        "progress": "done",
        "resultImage": {"boxes": [BOX]},
    }
    store_detections(workbench.session, item_id, entry)
    workbench.open(record_id, qtbot.waitUntil)
    workbench.page.live.stop()
    return workbench


def read_signatures(session: Session, item_id: str) -> list[tuple[str, str | None]]:
    """Every verdict of an item and who signed it, oldest first."""
    entries = [entry.model_dump() for entry in session.items.get(item_id).value.result]
    return [(e["verdict"]["value"], e["verdict"]["by_name"]) for e in entries if e.get("verdict")]


def wait_for_verdict(desk: WorkbenchDriver, verdict: Verdict, qtbot: QtBot) -> None:
    desk.page.reload()
    qtbot.waitUntil(lambda: not_none(desk.page.open_record.item).verdict is verdict)


def overrule(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    desk.page.inspector.verdict.reason.setPlainText("only dirt")
    desk.page.inspector.verdict.decide(Verdict.PASSED)
    qtbot.waitUntil(lambda: desk.saved)
    # The service's response is shown a little later than the edit is saved.
    qtbot.waitUntil(lambda: stored_verdict(desk) == "passed")


def stored_verdict(desk: WorkbenchDriver) -> str | None:
    entry = results.current_entry(not_none(desk.page.open_record.item).result)
    return entry["verdict"]["value"] if entry is not None and results.is_verdict(entry) else None


def correct(desk: WorkbenchDriver) -> None:
    """Relabel the finding, and save it."""
    desk.page.results.correcting.relabel(0, "dent")
    desk.page.results.correcting.save()


def test_undo_of_verdict_never_signs_for_another_user(
    open_workbench: WorkbenchDriver, other: Session, qtbot: QtBot
) -> None:
    page, item_id = open_workbench.page, open_workbench.page.open_record.current
    other.items.set_verdict(item_id, Verdict.FAILED, "a crack")
    wait_for_verdict(open_workbench, Verdict.FAILED, qtbot)
    overrule(open_workbench, qtbot)
    with qtbot.waitSignal(page.toast) as toast:
        open_workbench.context.commands.run("edit.undo")
    assert "李伟" in toast.args[0]
    assert not_none(page.open_record.item).verdict is Verdict.UNDECIDED
    assert not_none(page.open_record.item).reason == ""
    qtbot.waitUntil(lambda: open_workbench.saved)
    assert read_signatures(other, item_id) == [
        ("failed", "李伟 (li.wei)"),
        ("passed", "chief"),
        ("undecided", "chief"),
    ]
    # It stays so after redo and undo.
    open_workbench.context.commands.run("edit.redo")
    qtbot.waitUntil(lambda: open_workbench.saved)
    open_workbench.context.commands.run("edit.undo")
    qtbot.waitUntil(lambda: open_workbench.saved)
    assert read_signatures(other, item_id)[3:] == [("passed", "chief"), ("undecided", "chief")]


def test_verdict_undone_before_it_was_sent_leaves_the_other_users(
    open_workbench: WorkbenchDriver, other: Session, qtbot: QtBot
) -> None:
    page, item_id = open_workbench.page, open_workbench.page.open_record.current
    other.items.set_verdict(item_id, Verdict.FAILED, "a crack")
    wait_for_verdict(open_workbench, Verdict.FAILED, qtbot)
    page.open_record.edits.held = True
    page.inspector.verdict.reason.setPlainText("only dirt")
    page.inspector.verdict.decide(Verdict.PASSED)
    open_workbench.context.commands.run("edit.undo")
    assert not_none(page.open_record.item).verdict is Verdict.FAILED
    page.open_record.edits.send_recovered()
    qtbot.waitUntil(lambda: open_workbench.saved)
    assert read_signatures(other, item_id) == [("failed", "李伟 (li.wei)")]
    assert not_none(page.open_record.item).verdict is Verdict.FAILED


def test_undo_restores_the_users_verdict_under_their_name(
    open_workbench: WorkbenchDriver, other: Session, qtbot: QtBot
) -> None:
    item_id = open_workbench.page.open_record.current
    overrule(open_workbench, qtbot)
    open_workbench.page.inspector.verdict.decide(Verdict.FAILED)
    qtbot.waitUntil(lambda: open_workbench.saved)
    open_workbench.context.commands.run("edit.undo")
    qtbot.waitUntil(lambda: open_workbench.saved)
    assert read_signatures(other, item_id) == [("passed", "chief"), ("failed", "chief"), ("passed", "chief")]


def test_undoing_a_correction_leaves_their_verdict_to_them(
    open_workbench: WorkbenchDriver, other: Session, qtbot: QtBot
) -> None:
    page, item_id = open_workbench.page, open_workbench.page.open_record.current
    other.items.set_verdict(item_id, Verdict.FAILED, "a crack")
    wait_for_verdict(open_workbench, Verdict.FAILED, qtbot)
    correct(open_workbench)
    qtbot.waitUntil(lambda: open_workbench.saved)
    with qtbot.waitSignal(page.toast) as toast:
        open_workbench.context.commands.run("edit.undo")
    assert "李伟" in toast.args[0]
    qtbot.waitUntil(lambda: open_workbench.saved)
    assert read_signatures(other, item_id) == [("failed", "李伟 (li.wei)")]
    assert not_none(page.open_record.item).verdict is Verdict.UNDECIDED
    assert [row.label for row in page.inspector.findings.shown_findings] == ["crack"]


@pytest.mark.parametrize("keep_local", [True, False])
def test_correction_asks_before_it_withdraws_an_unseen_verdict(
    open_workbench: WorkbenchDriver, other: Session, qtbot: QtBot, keep_local: bool
) -> None:
    page, item_id = open_workbench.page, open_workbench.page.open_record.current
    other.items.set_verdict(item_id, Verdict.FAILED, "a crack")
    correct(open_workbench)
    qtbot.waitUntil(lambda: open_workbench.saved or page.open_record.edits.save_state.conflicts == 1)
    assert page.open_record.edits.save_state.conflicts == 1
    assert other.items.get(item_id).value.result[-1].model_dump()["verdict"]["value"] == "failed"
    dialog = ConflictDialog(page.open_record, page)
    (conflict,) = page.open_record.edits.conflicts()
    text = dialog.stored_choice(conflict.edit.id, "boxes").text()
    assert "a crack" in text
    assert "李伟" in text
    dialog.local_choice(conflict.edit.id, "boxes").setChecked(keep_local)
    dialog.decide()
    dialog.deleteLater()
    qtbot.waitUntil(lambda: open_workbench.saved)
    newest = other.items.get(item_id).value.result[-1].model_dump()
    assert ("correction" in newest) is keep_local
    assert ("verdict" in newest) is not keep_local
    if keep_local:
        # A verdict overwritten knowingly is not signed again by undo either.
        open_workbench.context.commands.run("edit.undo")
        qtbot.waitUntil(lambda: open_workbench.saved)
        assert read_signatures(other, item_id) == [("failed", "李伟 (li.wei)")]


def test_correction_over_a_shown_verdict_causes_no_conflict(
    open_workbench: WorkbenchDriver, other: Session, qtbot: QtBot
) -> None:
    other.items.set_verdict(open_workbench.page.open_record.current, Verdict.FAILED, "a crack")
    wait_for_verdict(open_workbench, Verdict.FAILED, qtbot)
    correct(open_workbench)
    qtbot.waitUntil(lambda: open_workbench.saved)
    assert open_workbench.page.open_record.edits.save_state.conflicts == 0


@pytest.mark.parametrize("delete", [True, False])
@pytest.mark.parametrize("what", ["verdict", "name"])
def test_deletion_asks_after_concurrent_change(
    open_workbench: WorkbenchDriver, other: Session, qtbot: QtBot, delete: bool, what: str
) -> None:
    page, item_id = open_workbench.page, open_workbench.page.open_record.current
    if what == "verdict":
        other.items.set_verdict(item_id, Verdict.FAILED, "a crack")
    else:
        other.items.update(item_id, ItemUpdate(item_name="theirs"), None)
    page.items.changes.remove([page.open_record.current])
    qtbot.waitUntil(lambda: open_workbench.saved or page.open_record.edits.save_state.conflicts == 1)
    assert page.open_record.edits.save_state.conflicts == 1
    assert other.items.get(item_id).value.item_id == item_id
    dialog = ConflictDialog(page.open_record, page)
    text = " ".join(each.text() for each in dialog.findChildren(QLabel))
    assert ("李伟" in text and "a crack" in text) if what == "verdict" else "theirs" in text
    (conflict,) = page.open_record.edits.conflicts()
    dialog.local_choice(conflict.edit.id, "").setChecked(delete)
    dialog.decide()
    dialog.deleteLater()
    qtbot.waitUntil(lambda: open_workbench.saved)
    left = [item.item_id for item in other.items.all(page.open_record.record_id)]
    assert (item_id in left) is not delete
    assert (not_none(page.open_record.document).item(item_id) is not None) is not delete


def test_own_verdict_does_not_block_deletion(
    open_workbench: WorkbenchDriver, other: Session, qtbot: QtBot
) -> None:
    page, item_id = open_workbench.page, open_workbench.page.open_record.current
    page.open_record.edits.held = True
    page.inspector.verdict.decide(Verdict.FAILED)
    page.items.changes.remove([page.open_record.current])
    page.open_record.edits.send_recovered()
    qtbot.waitUntil(lambda: open_workbench.saved)
    assert page.open_record.edits.save_state.conflicts == 0
    assert item_id not in [item.item_id for item in other.items.all(page.open_record.record_id)]
