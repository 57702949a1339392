"""Tests service outages and concurrent changes: no edit is lost."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.client.errors import Forbidden
from desktop.context import Context, Unsent
from desktop.embedded import EmbeddedService, ServiceState
from desktop.journal import Journal, JournalError
from desktop.pages.workbench import sending as sending_module
from desktop.pages.workbench.conflicts import ConflictDialog
from desktop.pages.workbench.journals import journal_path
from shared.codes import Verdict
from shared.wire.inspection import ItemUpdate
from tests.desktop.workbench.stage import Desk, desk, make_record, picture
from tests.service_process import logged_in


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[EmbeddedService]:
    """A service of this test's own."""
    made = EmbeddedService(tmp_path, environment={"WALKAROUND_BCRYPT_COST": "4"})
    made.start()
    made.wait_ready(60)
    yield made
    made.stop()


@pytest.fixture
def at_mortal(mortal: EmbeddedService, qtbot: QtBot) -> Iterator[Desk]:
    with logged_in(mortal.wait_ready(60)) as made, desk(made, qtbot) as there:
        yield there


def test_the_service_is_killed_and_the_edits_arrive_later(
    at_mortal: Desk, mortal: EmbeddedService, qtbot: QtBot
) -> None:
    bench, service = at_mortal, mortal
    record_id = make_record(bench.session)
    bench.open(record_id, qtbot.waitUntil)
    before = service.pid
    os.kill(before, signal.SIGKILL)
    bench.context.show_service(ServiceState.RESTARTING)
    bench.draw(0.6, 0.6, 0.9, 0.9)
    bench.context.commands.run("item.fail")
    bench.page.inspector.fields.name.setText("drawn while away")
    bench.page.inspector.fields.name.commit()
    saving = bench.page.bench.edits.saving
    assert saving.waiting >= 2
    assert "change" in bench.page.top.mark.text()
    qtbot.waitUntil(lambda: service.pid not in (None, before), timeout=20000)
    url = service.wait_ready(30)
    bench.session.rebase(url)
    bench.context.show_service(ServiceState.READY)
    qtbot.waitUntil(lambda: bench.saved, timeout=20000)
    items = bench.session.items.all(record_id)
    assert [item.item_name for item in items][-1] == "drawn while away"
    assert len(items) == 4
    assert items[-1].result[0].verdict["value"] == Verdict.FAILED
    # The journal knows it a moment before the window does.
    qtbot.waitUntil(lambda: bench.page.top.mark.text() == "All saved", timeout=20000)


def test_a_service_that_is_stopped_is_told_from_one_that_saves(
    at_mortal: Desk, mortal: EmbeddedService, qtbot: QtBot
) -> None:
    bench, pid = at_mortal, mortal.pid
    assert pid is not None
    bench.page.bench.edits.sending._silence.setInterval(100)
    bench.open(make_record(bench.session), qtbot.waitUntil)
    os.kill(pid, signal.SIGSTOP)
    try:
        bench.draw(0.6, 0.6, 0.9, 0.9)
        assert bench.page.top.mark.text().startswith("Saving")
        qtbot.waitUntil(lambda: bench.page.top.mark.text().startswith("Offline"))
        assert "not responding" in bench.page.top.mark.toolTip()
        with qtbot.waitSignal(bench.page.toast) as said:
            payload, bench.context.payload = bench.context.payload, None
            bench.context.loginChanged.emit()
        assert said.args == ["1 change(s) saved on this computer. They will be sent when you log in again."]
        bench.context.payload = payload
        bench.context.loginChanged.emit()
    finally:
        os.kill(pid, signal.SIGCONT)
    qtbot.waitUntil(lambda: bench.page.top.mark.text() == "All saved", timeout=20000)


@pytest.fixture
def other(session: Session, service: EmbeddedService) -> Iterator[Session]:
    """Another user, at another desktop."""
    with logged_in(service.wait_ready(30)) as made:
        yield made


def test_two_desktops_change_the_same_field(bench: Desk, other: Session, qtbot: QtBot) -> None:
    record_id = make_record(bench.session)
    bench.open(record_id, qtbot.waitUntil)
    first = bench.page.bench.rows[0].item_id
    bench.page.live.stop()
    theirs = ItemUpdate(item_name="theirs", description="theirs too")
    other.items.update(first, theirs, None)
    fields = bench.page.inspector.fields
    fields.name.setText("mine")
    fields.name.commit()
    words = "my words in one line"
    fields.description.setPlainText(words)
    fields.description.commit()
    qtbot.waitUntil(lambda: bench.page.bench.edits.saving.conflicts == 1, timeout=8000)
    assert bench.page.bench.rows[0].name == "mine"
    qtbot.waitUntil(lambda: not bench.page.top.problem.isHidden(), timeout=8000)
    dialog = ConflictDialog(bench.page.bench, bench.page)
    (conflict,) = bench.page.bench.edits.conflicts()
    assert dialog.mine(conflict.edit.id, "description").text() == f"Mine: {words}"
    dialog.mine(conflict.edit.id, "description").setChecked(True)
    user = other.account.me().user
    name = user.name or user.username
    said = [label.text() for label in dialog.findChildren(QLabel)]
    assert f"{name} modified this item. Select what to keep." in said
    dialog.decide()
    dialog.deleteLater()
    qtbot.waitUntil(lambda: bench.saved, timeout=8000)
    item = other.items.get(first).value
    assert (item.item_name, item.description) == ("theirs", words)
    assert bench.page.bench.rows[0].name == "theirs"
    assert bench.page.bench.edits.saving.conflicts == 0


@pytest.mark.parametrize("mine", [True, False])
def test_a_deletion_that_was_refused_is_sent_again_or_dropped(
    bench: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, mine: bool
) -> None:
    record_id = make_record(bench.session)
    bench.open(record_id, qtbot.waitUntil)
    edits = bench.page.bench.edits
    with monkeypatch.context() as refused:
        refused.setattr(type(bench.session.items), "delete", _refuse)
        bench.page.bench.remove([bench.page.bench.current])
        qtbot.waitUntil(lambda: edits.saving.conflicts == 1, timeout=8000)
    dialog = ConflictDialog(bench.page.bench, bench.page)
    (conflict,) = edits.conflicts()
    dialog.mine(conflict.edit.id, "").setChecked(mine)
    dialog.decide()
    qtbot.waitUntil(lambda: bench.saved, timeout=8000)
    left = 2 if mine else 3
    assert len(bench.session.items.all(record_id)) == left
    qtbot.waitUntil(lambda: len(bench.page.bench.rows) == left, timeout=8000)


def _refuse(*_: object) -> None:
    raise Forbidden("not now")


def test_other_fields_are_no_conflict(bench: Desk, other: Session, qtbot: QtBot) -> None:
    record_id = make_record(bench.session)
    bench.open(record_id, qtbot.waitUntil)
    first = bench.page.bench.rows[0].item_id
    bench.page.live.stop()
    other.items.update(first, ItemUpdate(description="theirs"), None)
    bench.page.bench.rename("mine")
    qtbot.waitUntil(lambda: bench.saved, timeout=8000)
    item = other.items.get(first).value
    assert (item.item_name, item.description) == ("mine", "theirs")


def hears(bench: Desk, other: Session, qtbot: QtBot) -> None:
    """Wait until what another user changes is shown."""
    first = bench.page.bench.rows[0].item_id

    def tried() -> bool:
        # The stream may not be open yet at the first change; it gets the next ones.
        if bench.page.bench.rows[0].name == "changed elsewhere":
            return True
        other.items.update(first, ItemUpdate(item_name="changed"), None)
        other.items.update(first, ItemUpdate(item_name="changed elsewhere"), None)
        return False

    qtbot.waitUntil(tried, timeout=8000)


def test_changes_of_others_appear_by_themselves(bench: Desk, other: Session, qtbot: QtBot) -> None:
    record_id = make_record(bench.session)
    bench.open(record_id, qtbot.waitUntil)
    hears(bench, other, qtbot)
    other.items.delete(bench.page.bench.rows[2].item_id)
    qtbot.waitUntil(lambda: len(bench.page.bench.rows) == 2, timeout=8000)


def test_an_item_that_somebody_else_deletes_and_brings_back_returns_to_its_place(
    bench: Desk, other: Session, qtbot: QtBot
) -> None:
    record_id = make_record(bench.session)
    bench.open(record_id, qtbot.waitUntil)
    hears(bench, other, qtbot)
    item_id = other.items.all(record_id)[1].item_id
    names = list(bench.names)
    other.items.delete(item_id)
    qtbot.waitUntil(lambda: bench.names == [names[0], names[2]], timeout=8000)
    other.items.restore(item_id)
    qtbot.waitUntil(lambda: bench.names == names, timeout=8000)


def test_edits_of_a_crash_are_offered_and_sent(
    session: Session, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_id = make_record(session, boxes=())
    user_id = session.account.me().user.user_id
    with monkeypatch.context() as patch:
        patch.setattr(sending_module, "Outbox", _NeverSends)
        with desk(session, qtbot) as first:
            first.open(record_id, qtbot.waitUntil)
            first.draw(0.2, 0.2, 0.5, 0.5)
            torn = journal_path(user_id).read_bytes()
    journal_path(user_id).write_bytes(torn)
    with desk(session, qtbot) as second:
        second.open(record_id, qtbot.waitUntil)
        notices = second.page.notices
        assert not notices.recovered.isHidden()
        assert second.names == ["Item 1"]
        assert "unsent" in second.page.top.mark.text()
        assert session.items.all(record_id) == []
        notices.recovered.keep.click()
        qtbot.waitUntil(lambda: second.saved, timeout=8000)
        assert len(session.items.all(record_id)) == 1
        assert notices.recovered.isHidden()
    journal_path(user_id).write_bytes(torn)
    with desk(session, qtbot) as third:
        third.open(record_id, qtbot.waitUntil)
        third.page.notices.recovered.discard.click()
        assert third.saved


def test_a_disk_that_does_not_take_what_was_sent_holds_up_and_doubles_nothing(
    bench: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_id = make_record(bench.session, boxes=())
    bench.open(record_id, qtbot.waitUntil)
    edits = bench.page.bench.edits

    def refuse(*_arguments: object, **_options: object) -> None:
        raise JournalError("the.journal cannot be written: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "acknowledge", refuse)
        bench.draw(0.2, 0.2, 0.5, 0.5)
        qtbot.waitUntil(lambda: "No space left" in edits.saving.problem, timeout=8000)
        assert edits.saving.waiting >= 1
        said: list[str] = []
        edits.failed.connect(said.append)
        patch.setattr(Journal, "conflict", refuse)
        edits.discard()
        assert "No space left" in said[0]
        assert edits.saving.waiting >= 1
    edits.retry()
    qtbot.waitUntil(lambda: bench.saved, timeout=8000)
    assert [item.item_name for item in bench.session.items.all(record_id)] == ["Item 1"]


class _NeverSends:
    def __init__(self, *_: object) -> None:
        pass

    def send(self, _report: object) -> None:
        pass


def test_a_second_window_only_looks(bench: Desk, qtbot: QtBot) -> None:
    user_id = bench.session.account.me().user.user_id
    record_id = make_record(bench.session)
    held = Journal.open(journal_path(user_id))
    try:
        bench.open(record_id, qtbot.waitUntil)
        assert "another window" in bench.page.notices.banner.text()
        assert not bench.context.commands.possible("tool.rectangle")
        assert bench.page.inspector.fields.name.isReadOnly()
    finally:
        held.close()


def unsent(context: Context) -> int:
    """How many photos the window asks about when it is closed now."""
    told = Unsent()
    context.closeAsked.emit(told)
    return told.photos


def test_photos_of_the_record_that_were_not_sent_are_sent_when_the_service_is_back(
    at_mortal: Desk, mortal: EmbeddedService, qtbot: QtBot, tmp_path: Path
) -> None:
    bench, service = at_mortal, mortal
    record_id = make_record(bench.session)
    bench.open(record_id, qtbot.waitUntil)
    paths = [tmp_path / "1.png", tmp_path / "2.png"]
    for seed, path in enumerate(paths, 2):
        path.write_bytes(picture(seed))
    before = service.pid
    assert before is not None
    os.kill(before, signal.SIGKILL)
    bench.context.show_service(ServiceState.RESTARTING)
    photos = bench.page.record_photos
    photos.add(paths)
    qtbot.waitUntil(lambda: photos.queue.away)
    assert "2 photo(s) will be uploaded when it is back" in photos.tray.text
    assert photos.tray.again.isVisible()
    assert photos.queue.failures == []
    assert unsent(bench.context) == 2
    qtbot.waitUntil(lambda: service.pid not in (None, before), timeout=20000)
    bench.session.rebase(service.wait_ready(30))
    bench.context.show_service(ServiceState.READY)
    qtbot.waitUntil(lambda: len(photos.known.photos) == 2, timeout=30000)
    assert photos.queue.count(record_id) == unsent(bench.context) == 0
    assert not photos.queue.away
    qtbot.waitUntil(lambda: all(one.state != "waiting" for one in photos.known.photos), timeout=30000)
    names = {photo.file.filename for photo in bench.session.photos.list(record_id)}
    assert names == {"1.png", "2.png"}
