"""Tests what needs saved edits while they cannot be sent: it is refused with a sentence, not done later."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from pytestqt.qtbot import QtBot

from desktop.pages.sealing.finish_dialog import FinishDialog
from desktop.record import saved_wait
from desktop.record.outbox import Outbox, SendResult
from shared.record.codes import Verdict
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record

_NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def opened(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    return workbench


@pytest.mark.parametrize("command", ["record.finish", "record.detect", "item.detect", "report"])
def test_refused_while_the_service_is_away(
    opened: WorkbenchDriver, command: str, qtbot: QtBot, tmp_path: Path
) -> None:
    page, url = opened.page, opened.session.base_url
    opened.session.rebase(_NOWHERE)
    page.items.changes.decide(Verdict.FAILED, "checked on the aircraft")
    path = tmp_path / "report.pdf"
    act: Callable[[], object] = (
        (lambda: page.results.finishing.write(path))
        if command == "report"
        else lambda: opened.context.commands.run(command)
    )
    with qtbot.waitSignal(page.toast, timeout=20_000) as toast:
        act()
    assert "not responding" in toast.args[0]
    assert not page.results.detecting.running_items
    # The service is back: what was refused does not happen by itself.
    opened.session.rebase(url)
    page.open_record.edits.sending.on_service_ready()
    qtbot.waitUntil(lambda: opened.saved)
    qtbot.wait(500)
    assert not page.findChildren(FinishDialog)
    assert not page.results.detecting.running_items
    assert not path.exists()


def test_finishing_works_at_once_when_the_service_is_back(opened: WorkbenchDriver, qtbot: QtBot) -> None:
    page, url = opened.page, opened.session.base_url
    opened.session.rebase(_NOWHERE)
    page.items.changes.decide(Verdict.FAILED, "checked on the aircraft")
    qtbot.waitUntil(lambda: page.open_record.edits.save_state.offline)
    opened.session.rebase(url)
    opened.context.commands.run("record.finish")
    qtbot.waitUntil(lambda: any(dialog.isVisible() for dialog in page.findChildren(FinishDialog)))
    page.findChildren(FinishDialog)[0].reject()


@pytest.mark.parametrize("discard", [False, True])
def test_what_waits_for_edits_of_a_crash_happens_once_the_user_decided(
    opened: WorkbenchDriver, qtbot: QtBot, discard: bool
) -> None:
    edits = opened.page.open_record.edits
    edits.held = True
    opened.page.items.changes.decide(Verdict.FAILED, "checked on the aircraft")
    called: list[str] = []
    opened.page.open_record.call_when_saved(lambda: called.append("saved"), opened.page)
    assert not called
    (edits.discard_recovered if discard else edits.send_recovered)()
    qtbot.waitUntil(lambda: called == ["saved"])


def test_wait_for_a_slow_service_ends(
    opened: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened.page
    monkeypatch.setattr(saved_wait, "_LIMIT_MS", 50)
    answered, send = Event(), Outbox.send

    def send_late(outbox: Outbox, report: Callable[[SendResult], None]) -> None:
        answered.wait(60)
        send(outbox, report)

    monkeypatch.setattr(Outbox, "send", send_late)
    page.items.changes.decide(Verdict.FAILED, "checked on the aircraft")
    with qtbot.waitSignal(page.toast, timeout=20_000) as toast:
        opened.context.commands.run("record.finish")
    answered.set()
    assert "still being sent" in toast.args[0]
    qtbot.waitUntil(lambda: opened.saved)
    assert not page.findChildren(FinishDialog)
