"""The walk of a region on the desktop, as docs/architecture.md draws it: which part passes what to which."""

from __future__ import annotations

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from desktop.canvas.model.regions import RegionChange
from desktop.client.api.inspection import Items
from desktop.journal import Edit, EditKind, Journal
from desktop.record.item_changes import ItemChanges
from shared.wire.inspection import ItemCreate
from tests.call_stack import packages_on_stack
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record


def test_drawn_region_passes_each_package_once(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_id = make_record(workbench.session, boxes=())
    workbench.open(record_id, qtbot.waitUntil)
    walks: dict[str, list[list[str]]] = {"change": [], "journal": [], "send": []}
    handed: list[Any] = []
    change_regions, append, create = ItemChanges.change_regions, Journal.append, Items.create

    def changing(self: ItemChanges, change: RegionChange) -> None:
        walks["change"].append(packages_on_stack())
        handed.append(change)
        change_regions(self, change)

    def appending(self: Journal, *edits: Edit, **options: Any) -> None:
        walks["journal"].append(packages_on_stack())
        handed.extend(edits)
        append(self, *edits, **options)

    def creating(self: Items, body: ItemCreate, key: str | None = None) -> Any:
        walks["send"].append(packages_on_stack())
        handed.append(body)
        return create(self, body, key)

    view = workbench.page.canvas.view
    view.regions_edited.disconnect(workbench.page.canvas.changes.change_regions)
    view.regions_edited.connect(lambda change: changing(workbench.page.items.changes, change))
    monkeypatch.setattr(Journal, "append", appending)
    monkeypatch.setattr(Items, "create", creating)
    workbench.draw(0.25, 0.25, 0.5, 0.75)
    qtbot.waitUntil(lambda: workbench.saved)

    assert walks == {
        "change": [["desktop.canvas"]],
        "journal": [["desktop.canvas", "desktop.record"]],
        "send": [["desktop.record"]],
    }
    change, edit, body = handed
    assert isinstance(change, RegionChange)
    assert isinstance(edit, Edit)
    assert (edit.kind, edit.object_id) == (EditKind.CREATE, change.after[0].id)
    assert isinstance(body, ItemCreate)
    assert body.inspection_id == record_id
    (item,) = workbench.session.items.all(record_id)
    assert item.item_name == body.item_name
