"""A change that reaches the service while the record is read is shown, although what was read is older."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from desktop.record import live_changes, loading
from shared.wire.inspection import RecordUpdate
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record


def test_edit_that_is_sent_while_the_record_is_read_is_shown(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    page, is_read, may_return = workbench.page, threading.Event(), threading.Event()
    # Without events of the service, as before a record is open.
    monkeypatch.setattr(page.live, "start", lambda: None)
    page.live.stop()

    def load_slowly(*arguments: Any) -> Any:
        loaded = loading.load(*arguments)
        is_read.set()
        assert may_return.wait(30)
        return loaded

    monkeypatch.setattr(live_changes, "load", load_slowly)
    with qtbot.waitSignal(page.live.loaded, timeout=30_000):
        page.reload()
        qtbot.waitUntil(is_read.is_set, timeout=30_000)
        page.items.changes.rename("Renamed")
        qtbot.waitUntil(lambda: workbench.saved, timeout=30_000)
        may_return.set()

    qtbot.waitUntil(lambda: page.open_record.rows[0].name == "Renamed", timeout=10_000)


def test_change_by_another_client_while_the_record_is_read_is_shown(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, page = workbench.session, workbench.page
    record_id = make_record(session)
    is_read, may_return = threading.Event(), threading.Event()

    def load_slowly(*arguments: Any) -> Any:
        loaded = loading.load(*arguments)
        is_read.set()
        assert may_return.wait(30)
        return loaded

    monkeypatch.setattr(live_changes, "load", load_slowly)
    page.enter({"record_id": record_id})
    qtbot.waitUntil(lambda: is_read.is_set() and bool(session.events._responses), timeout=30_000)
    with qtbot.waitSignal(page.live._listener.event_received, timeout=30_000):
        session.records.update(record_id, RecordUpdate(inspection_name="Renamed"))
    may_return.set()

    def is_shown() -> bool:
        document = page.open_record.document
        return document is not None and document.record.inspection_name == "Renamed"

    qtbot.waitUntil(is_shown, timeout=10_000)
