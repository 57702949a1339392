from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from desktop.journal import Edit, EditKind, Journal
from desktop.record.outbox import UnshownEdits
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.narrowing import not_none


def _edit(name: str) -> Edit:
    return Edit("r", "item", "a", EditKind.UPDATE, {"item_name": ""}, {"item_name": name}, "rename", 0.0)


def test_an_acknowledged_edit_counts_as_unsent_until_it_is_forgotten(tmp_path: Path) -> None:
    journal, unshown = Journal.open(tmp_path / "a.journal"), UnshownEdits()
    first, second = _edit("first"), _edit("second")
    journal.append(first)
    unshown.acknowledge(journal, first)
    assert journal.unsent_edits() == []
    assert unshown.with_unsent(journal) == unshown.with_unsent_of(journal, "a") == [first]
    assert unshown.with_unsent_of(journal, "b") == []
    assert (unshown.count(journal), unshown.has_pending(journal, "r")) == (1, True)
    assert not unshown.has_pending(journal, "another record")
    journal.append(second)
    (joined,) = unshown.with_unsent_of(journal, "a")
    assert (joined.id, joined.after) == (second.id, {"item_name": "second"})
    unshown.remove(first.id)
    unshown.remove(first.id)
    assert unshown.with_unsent(journal) == [second]
    unshown.acknowledge(journal, second)
    unshown.clear()
    assert (unshown.count(journal), unshown.has_pending(journal, "r")) == (0, False)
    journal.close()


def test_an_item_rebuilt_before_the_response_keeps_its_verdict(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    record = workbench.page.open_record
    workbench.context.commands.run("item.fail")
    record.edits.retry()
    journal = not_none(record.edits.journal)
    # The event loop does not run here, so the response cannot reach the window.
    end = time.monotonic() + 20
    while journal.unsent_count() and time.monotonic() < end:
        time.sleep(0.01)
    assert journal.unsent_count() == 0
    record.rebase()
    assert record.rows[0].status == "failed"
    assert not workbench.saved
    qtbot.waitUntil(lambda: workbench.saved)
    assert record.rows[0].status == "failed"


def test_what_waits_for_a_record_does_not_wait_for_another(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, items = workbench.page.open_record, workbench.context.session.items
    first, second = make_record(workbench.session), make_record(workbench.session)
    workbench.open(first, qtbot.waitUntil)
    may_send, sent = threading.Event(), list[str]()
    create, set_verdict = items.create, items.set_verdict

    def create_later(*body: Any, **key: Any) -> Any:
        may_send.wait(60)
        sent.append("create")
        return create(*body, **key)

    def note_verdict(*verdict: Any) -> Any:
        sent.append("verdict")
        return set_verdict(*verdict)

    monkeypatch.setattr(items, "create", create_later)
    monkeypatch.setattr(items, "set_verdict", note_verdict)
    fields = {"item_name": "x", "item_point": {"point": {"x": 0.1, "y": 0.1, "w": 0.1, "h": 0.1}}}
    new = [
        Edit(first, "item", f"new {number}", EditKind.CREATE, {}, fields, "import", 0.0)
        for number in range(300)
    ]
    not_none(record.edits.journal).append(*new)
    record.edits.retry()
    workbench.open(second, qtbot.waitUntil)
    workbench.context.commands.run("item.fail")
    unsent: list[int] = []
    record.call_when_saved(lambda: unsent.append(record.edits.save_state.unsent_count), workbench.page)
    may_send.set()
    qtbot.waitUntil(lambda: bool(unsent))
    assert unsent[0] > 0
    # The first was under way.
    assert sent[:2] == ["create", "verdict"]
    qtbot.waitUntil(lambda: workbench.saved, timeout=60_000)
