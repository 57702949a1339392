"""The walk of a detection on the desktop, as docs/architecture.md draws it: one owner reads its results."""

from __future__ import annotations

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from desktop.client.api.inspection import Items
from desktop.record.item_rows import RunPhase
from tests.call_stack import packages_on_stack
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record
from tests.desktop.pages.workbench.results.test_detecting import REGION, add_photo, large


def test_only_the_open_record_reads_the_result_of_a_detection(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_id = make_record(workbench.session, REGION)
    add_photo(workbench.session, record_id, large())
    workbench.open(record_id, qtbot.waitUntil)
    reads: list[list[str]] = []
    asks: list[list[str]] = []
    get, everything, detect = Items.get, Items.all, Items.detect

    def reading(self: Items, item_id: str) -> Any:
        reads.append(packages_on_stack())
        return get(self, item_id)

    def reading_all(self: Items, record: str) -> Any:
        reads.append(packages_on_stack())
        return everything(self, record)

    def asking(self: Items, item_id: str) -> Any:
        asks.append(packages_on_stack())
        return detect(self, item_id)

    monkeypatch.setattr(Items, "get", reading)
    monkeypatch.setattr(Items, "all", reading_all)
    monkeypatch.setattr(Items, "detect", asking)
    workbench.context.commands.run("item.detect")
    qtbot.waitUntil(lambda: workbench.page.open_record.rows[0].run.run is RunPhase.DONE)
    qtbot.waitUntil(lambda: not workbench.page.results.detecting.running_items)
    assert asks == [["desktop.pages.workbench.results"]]
    # When the job was created, started and ended; one of them may be announced after it was read.
    assert 1 <= len(reads) <= 4
    assert all(read == ["desktop.record"] for read in reads)
