"""Tests that undo never signs or withdraws another user's verdict."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.embedded import EmbeddedService
from desktop.pages.workbench.conflicts import ConflictDialog
from shared.codes import Role, Verdict
from shared.wire.inspection import ItemUpdate
from tests.desktop.workbench.stage import Desk, make_record
from tests.service_process import logged_in

OTHER = ("li.wei", "a-longer-password-1")
BOX = {"label": "crack", "confidence": 0.9, "points": {"x1": 10, "y1": 10, "x2": 60, "y2": 60}}
OTHER_BOX = {**BOX, "label": "dent", "origin": "person", "accepted": True}


@pytest.fixture(scope="module")
def colleague(service: EmbeddedService) -> None:
    with logged_in(service.wait_ready(30)) as admin:
        admin.users.create(*OTHER, [Role.INSPECTOR], name="李伟")


@pytest.fixture
def other(service: EmbeddedService, colleague: None) -> Iterator[Session]:
    """Another user, at another desktop, with an account of their own."""
    made = Session(service.wait_ready(30))
    made.account.login(*OTHER)
    yield made
    made.close()


@pytest.fixture
def opened(bench: Desk, qtbot: QtBot) -> Desk:
    """A desktop on a record whose first item has a finding; it hears of nothing by itself."""
    record_id = make_record(bench.session)
    item_id = bench.session.items.all(record_id)[0].item_id
    entry = {"version": 1, "isPassed": False, "progress": "done", "resultImage": {"boxes": [BOX]}}
    bench.session.items.update(item_id, ItemUpdate.model_validate({"result": [entry]}), None)
    bench.open(record_id, qtbot.waitUntil)
    bench.page.live.stop()
    return bench


def signed(session: Session, item_id: str) -> list[tuple[str, str | None]]:
    """Every verdict of an item and who signed it, oldest first."""
    entries = [entry.model_dump() for entry in session.items.get(item_id).value.result]
    return [(e["verdict"]["value"], e["verdict"]["by_name"]) for e in entries if e.get("verdict")]


def seen(desk: Desk, verdict: Verdict, qtbot: QtBot) -> None:
    desk.page.reload()
    qtbot.waitUntil(lambda: desk.page.bench.item.verdict is verdict)


def overrule(desk: Desk, qtbot: QtBot) -> None:
    desk.page.inspector.verdict.reason.setPlainText("only dirt")
    desk.page.inspector.verdict.decide(Verdict.PASSED)
    qtbot.waitUntil(lambda: desk.saved)


def correct(desk: Desk) -> None:
    """Call the finding something else, and save that."""
    desk.page.correcting.relabel(0, "dent")
    desk.page.correcting.save()


def test_undoing_a_verdict_never_signs_for_somebody_else(opened: Desk, other: Session, qtbot: QtBot) -> None:
    page, item_id = opened.page, opened.page.bench.current
    other.items.set_verdict(item_id, Verdict.FAILED, "a crack")
    seen(opened, Verdict.FAILED, qtbot)
    overrule(opened, qtbot)
    with qtbot.waitSignal(page.toast) as said:
        opened.context.commands.run("edit.undo")
    assert "李伟" in said.args[0]
    assert page.bench.item.verdict is Verdict.UNDECIDED
    assert page.bench.item.reason == ""
    qtbot.waitUntil(lambda: opened.saved)
    assert signed(other, item_id) == [("failed", "李伟"), ("passed", "chief"), ("undecided", "chief")]
    # Done again and undone again, it stays so.
    opened.context.commands.run("edit.redo")
    qtbot.waitUntil(lambda: opened.saved)
    opened.context.commands.run("edit.undo")
    qtbot.waitUntil(lambda: opened.saved)
    assert signed(other, item_id)[3:] == [("passed", "chief"), ("undecided", "chief")]


def test_a_verdict_undone_before_it_was_sent_leaves_theirs(
    opened: Desk, other: Session, qtbot: QtBot
) -> None:
    page, item_id = opened.page, opened.page.bench.current
    other.items.set_verdict(item_id, Verdict.FAILED, "a crack")
    seen(opened, Verdict.FAILED, qtbot)
    page.bench.edits.held = True
    page.inspector.verdict.reason.setPlainText("only dirt")
    page.inspector.verdict.decide(Verdict.PASSED)
    opened.context.commands.run("edit.undo")
    assert page.bench.item.verdict is Verdict.FAILED
    page.bench.edits.keep()
    qtbot.waitUntil(lambda: opened.saved)
    assert signed(other, item_id) == [("failed", "李伟")]
    assert page.bench.item.verdict is Verdict.FAILED


def test_my_own_verdict_comes_back_as_mine(opened: Desk, other: Session, qtbot: QtBot) -> None:
    item_id = opened.page.bench.current
    overrule(opened, qtbot)
    opened.page.inspector.verdict.decide(Verdict.FAILED)
    qtbot.waitUntil(lambda: opened.saved)
    opened.context.commands.run("edit.undo")
    qtbot.waitUntil(lambda: opened.saved)
    assert signed(other, item_id) == [("passed", "chief"), ("failed", "chief"), ("passed", "chief")]


def test_undoing_a_correction_leaves_their_verdict_to_them(
    opened: Desk, other: Session, qtbot: QtBot
) -> None:
    page, item_id = opened.page, opened.page.bench.current
    other.items.set_verdict(item_id, Verdict.FAILED, "a crack")
    seen(opened, Verdict.FAILED, qtbot)
    correct(opened)
    qtbot.waitUntil(lambda: opened.saved)
    with qtbot.waitSignal(page.toast) as said:
        opened.context.commands.run("edit.undo")
    assert "李伟" in said.args[0]
    qtbot.waitUntil(lambda: opened.saved)
    assert signed(other, item_id) == [("failed", "李伟")]
    assert page.bench.item.verdict is Verdict.UNDECIDED
    assert [row.label for row in page.inspector.findings.shown] == ["crack"]


@pytest.mark.parametrize("mine", [True, False])
def test_a_correction_asks_before_it_takes_back_a_verdict_unseen(
    opened: Desk, other: Session, qtbot: QtBot, mine: bool
) -> None:
    page, item_id = opened.page, opened.page.bench.current
    other.items.set_verdict(item_id, Verdict.FAILED, "a crack")
    correct(opened)
    qtbot.waitUntil(lambda: opened.saved or page.bench.edits.saving.conflicts == 1)
    assert page.bench.edits.saving.conflicts == 1
    assert other.items.get(item_id).value.result[-1].model_dump()["verdict"]["value"] == "failed"
    dialog = ConflictDialog(page.bench, page)
    (conflict,) = page.bench.edits.conflicts()
    words = dialog.theirs(conflict.edit.id, "boxes").text()
    assert "a crack" in words
    assert "李伟" in words
    dialog.mine(conflict.edit.id, "boxes").setChecked(mine)
    dialog.decide()
    dialog.deleteLater()
    qtbot.waitUntil(lambda: opened.saved)
    newest = other.items.get(item_id).value.result[-1].model_dump()
    assert ("correction" in newest) is mine
    assert ("verdict" in newest) is not mine
    if mine:
        # What was decided knowingly is taken back without a signature either.
        opened.context.commands.run("edit.undo")
        qtbot.waitUntil(lambda: opened.saved)
        assert signed(other, item_id) == [("failed", "李伟")]


def test_a_correction_over_a_verdict_in_sight_asks_nobody(opened: Desk, other: Session, qtbot: QtBot) -> None:
    other.items.set_verdict(opened.page.bench.current, Verdict.FAILED, "a crack")
    seen(opened, Verdict.FAILED, qtbot)
    correct(opened)
    qtbot.waitUntil(lambda: opened.saved)
    assert opened.page.bench.edits.saving.conflicts == 0


@pytest.mark.parametrize("delete", [True, False])
@pytest.mark.parametrize("what", ["verdict", "name"])
def test_a_deletion_asks_when_somebody_changed_the_item_meanwhile(
    opened: Desk, other: Session, qtbot: QtBot, delete: bool, what: str
) -> None:
    page, item_id = opened.page, opened.page.bench.current
    if what == "verdict":
        other.items.set_verdict(item_id, Verdict.FAILED, "a crack")
    else:
        other.items.update(item_id, ItemUpdate(item_name="theirs"), None)
    page.bench.remove([page.bench.current])
    qtbot.waitUntil(lambda: opened.saved or page.bench.edits.saving.conflicts == 1)
    assert page.bench.edits.saving.conflicts == 1
    assert other.items.get(item_id).value.item_id == item_id
    dialog = ConflictDialog(page.bench, page)
    said = " ".join(each.text() for each in dialog.findChildren(QLabel))
    assert ("李伟" in said and "a crack" in said) if what == "verdict" else "theirs" in said
    (conflict,) = page.bench.edits.conflicts()
    dialog.mine(conflict.edit.id, "").setChecked(delete)
    dialog.decide()
    dialog.deleteLater()
    qtbot.waitUntil(lambda: opened.saved)
    left = [item.item_id for item in other.items.all(page.bench.record_id)]
    assert (item_id in left) is not delete
    assert (page.bench.document.item(item_id) is not None) is not delete


def test_what_i_decided_myself_is_no_objection_to_a_deletion(
    opened: Desk, other: Session, qtbot: QtBot
) -> None:
    page, item_id = opened.page, opened.page.bench.current
    page.bench.edits.held = True
    page.inspector.verdict.decide(Verdict.FAILED)
    page.bench.remove([page.bench.current])
    page.bench.edits.keep()
    qtbot.waitUntil(lambda: opened.saved)
    assert page.bench.edits.saving.conflicts == 0
    assert item_id not in [item.item_id for item in other.items.all(page.bench.record_id)]
