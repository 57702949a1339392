"""The photos of an item that the service does not know yet."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pytestqt.qtbot import QtBot

from desktop.client.http.errors import NotFound
from shared.wire.events import ChangeEvent
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, picture
from tests.narrowing import not_none


def test_photos_of_a_new_item_are_not_read_for_each_edit_but_when_they_change(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, page = workbench.session, workbench.page
    workbench.open(make_record(session, boxes=()), qtbot.waitUntil)
    asked: list[str] = []
    read = session.items.photos

    def ask(item_id: str) -> object:
        try:
            return read(item_id)
        except NotFound:
            asked.append(item_id)
            raise

    monkeypatch.setattr(session.items, "photos", ask)
    edits = page.open_record.edits
    edits.held = True
    workbench.draw(0.2, 0.2, 0.5, 0.5)
    qtbot.waitUntil(lambda: bool(asked))
    qtbot.wait(200)
    before = len(asked)
    for name in ("a", "b", "c"):
        page.items.changes.rename(name)
        qtbot.wait(100)
    assert len(asked) == before
    edits.send_recovered()
    qtbot.waitUntil(lambda: workbench.saved)
    item_id = edits.service_id(not_none(page.open_record.item).item_id)
    stored = session.files.upload(picture(3), "today.png")
    session.items.add_photo(item_id, stored.file_id)
    qtbot.waitUntil(lambda: page.photos.pairing.file_id == stored.file_id)


def test_photo_that_is_added_before_the_creation_is_answered_is_read(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    page = workbench.page
    workbench.open(make_record(workbench.session, boxes=()), qtbot.waitUntil)
    page.live.stop()
    workbench.draw(0.2, 0.2, 0.5, 0.5)
    local_id = page.open_record.current
    # The events of a creation that is answered before they are read.
    for action in ("create", "add_photo"):
        page.live._on_event(
            ChangeEvent(
                id=action,
                action=action,
                kind="item",
                object_id="of the service",
                actor=None,
                at=datetime.now(UTC),
            )
        )
    edits = page.open_record.edits
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edits, "local_id", lambda _: local_id)
        with qtbot.waitSignal(page.live.photos_changed, timeout=5_000) as changed:
            qtbot.wait(1)
    assert changed.args == [local_id]
