"""The workbench shows only what changed, and paints large changes in a later turn of the event loop."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from desktop.pages.workbench import page as workbench_page
from shared.record.codes import SealState
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, picture
from tests.narrowing import not_none


@pytest.fixture
def opened(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    """A desktop on a record that does not listen to events."""
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    workbench.page.live.stop()
    qtbot.waitUntil(lambda: workbench.page.canvas.view.updatesEnabled())
    return workbench


def test_item_is_shown_again_when_the_seal_of_its_record_changed(opened: WorkbenchDriver) -> None:
    open_record, shown = opened.page.open_record, []
    open_record.current_changed.connect(lambda: shown.append(open_record.current))
    open_record.rows_changed.connect(lambda: shown.append("items"))
    record, seal = not_none(open_record.document).record, not_none(open_record.seal)
    open_record.update_record(record.model_copy(update={"inspection_name": "renamed"}), seal)
    assert shown == []
    assert "renamed" in [crumb for crumb, _ in opened.page.top._shown]
    open_record.update_record(record, seal.model_copy(update={"state": SealState.FINISHED}))
    assert "items" in shown
    assert shown[-1] == open_record.current


def test_changes_of_other_items_do_not_show_the_item_again(opened: WorkbenchDriver) -> None:
    open_record, shown = opened.page.open_record, []
    open_record.current_changed.connect(lambda: shown.append(open_record.current))
    open_record.current_edited.connect(lambda _: shown.append(open_record.current))
    stored = opened.session.items.all(open_record.record_id)
    others = [item for item in stored if item.item_id != open_record.current]
    open_record.update_items(others)
    open_record.update_items(stored)
    assert shown == []
    (item,) = (item for item in stored if item.item_id == open_record.current)
    open_record.update_items([item.model_copy(update={"item_name": "renamed"})])
    assert shown == [open_record.current]


def test_uploaded_photo_that_an_event_announced_first_is_listed_once(
    opened: WorkbenchDriver, qtbot: QtBot
) -> None:
    page, session = opened.page, opened.session
    item_id = page.open_record.current
    photo = session.items.add_photo(item_id, session.files.upload(picture(2), "photo.png").file_id)
    page.photos.pairing.reread(item_id)
    qtbot.waitUntil(lambda: page.open_record.photos.get(item_id) == [photo.file_id])
    page.photos.pairing.add_photo(item_id, photo)
    assert page.open_record.photos[item_id] == [photo.file_id]


def test_large_record_is_painted_after_the_turn_that_changes_it(
    opened: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened.page
    parts = (page.items.panel.list, page.canvas.view)
    qtbot.waitUntil(lambda: all(part.updatesEnabled() for part in parts))
    monkeypatch.setattr(workbench_page, "_LARGE", 2)
    enabled: list[bool] = []
    page.canvas.view.store.subscribe(lambda _event: enabled.extend(part.updatesEnabled() for part in parts))
    page.items.changes.rename("renamed")
    assert enabled
    assert not any(enabled)
    qtbot.waitUntil(lambda: all(part.updatesEnabled() for part in parts))
