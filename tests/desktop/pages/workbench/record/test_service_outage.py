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
from desktop.client.http.errors import Forbidden
from desktop.connection.local_service import EmbeddedService, ServiceState
from desktop.context import Context, Unsent
from desktop.journal import Journal, JournalError
from desktop.pages.workbench.saving import ConflictDialog, Notices
from desktop.record import sending as sending_module
from desktop.record.edits import journal_path
from shared.names import user_label
from shared.record.codes import Verdict
from shared.wire.inspection import ItemUpdate
from tests.client_session import open_session
from tests.desktop.children import click_button
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, picture, workbench_driver
from tests.narrowing import not_none

pytestmark = pytest.mark.slow


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[EmbeddedService]:
    """A service for one test."""
    embedded = EmbeddedService(tmp_path, environment={"WALKAROUND_BCRYPT_COST": "4"})
    embedded.start()
    embedded.wait_until_ready(60)
    yield embedded
    embedded.stop()


@pytest.fixture
def at_mortal(mortal: EmbeddedService, qtbot: QtBot) -> Iterator[WorkbenchDriver]:
    with open_session(mortal.wait_until_ready(60)) as session, workbench_driver(session, qtbot) as driver:
        yield driver


def test_the_service_is_killed_and_the_edits_arrive_later(
    at_mortal: WorkbenchDriver, mortal: EmbeddedService, qtbot: QtBot
) -> None:
    workbench, service = at_mortal, mortal
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    before = not_none(service.pid)
    os.kill(before, signal.SIGKILL)
    workbench.context.show_service(ServiceState.RESTARTING)
    workbench.draw(0.6, 0.6, 0.9, 0.9)
    workbench.context.commands.run("item.fail")
    workbench.page.inspector.fields.name.setText("drawn while away")
    workbench.page.inspector.fields.name.commit()
    saving = workbench.page.open_record.edits.save_state
    assert saving.unsent_count >= 2
    assert "change" in workbench.page.top.mark.text()
    qtbot.waitUntil(lambda: service.pid not in (None, before))
    url = service.wait_until_ready(30)
    workbench.session.rebase(url)
    workbench.context.show_service(ServiceState.READY)
    qtbot.waitUntil(lambda: workbench.saved)
    items = workbench.session.items.all(record_id)
    assert [item.item_name for item in items][-1] == "drawn while away"
    assert len(items) == 4
    assert not_none(items[-1].result[0].model_extra)["verdict"]["value"] == Verdict.FAILED
    # The journal knows it a moment before the window does.
    qtbot.waitUntil(lambda: workbench.page.top.mark.text() == "All saved")


def test_stopped_service_differs_from_slow_service(
    at_mortal: WorkbenchDriver, mortal: EmbeddedService, qtbot: QtBot
) -> None:
    workbench, pid = at_mortal, mortal.pid
    assert pid is not None
    workbench.page.open_record.edits.sending._silence_timer.setInterval(100)
    workbench.open(make_record(workbench.session), qtbot.waitUntil)
    os.kill(pid, signal.SIGSTOP)
    try:
        workbench.draw(0.6, 0.6, 0.9, 0.9)
        assert workbench.page.top.mark.text().startswith("Saving")
        qtbot.waitUntil(lambda: workbench.page.top.mark.text().startswith("Offline"))
        assert "not responding" in workbench.page.top.mark.toolTip()
        with qtbot.waitSignal(workbench.page.toast) as toast:
            payload, workbench.context.payload = workbench.context.payload, None
            workbench.context.login_changed.emit()
        assert toast.args == ["1 change(s) saved on this computer. They will be sent when you log in again."]
        workbench.context.payload = payload
        workbench.context.login_changed.emit()
    finally:
        os.kill(pid, signal.SIGCONT)
    qtbot.waitUntil(lambda: workbench.page.top.mark.text() == "All saved")


@pytest.fixture
def other(session: Session, service: EmbeddedService) -> Iterator[Session]:
    """Another user, at another desktop."""
    with open_session(service.wait_until_ready(30)) as other_session:
        yield other_session


def test_two_desktops_change_the_same_field(workbench: WorkbenchDriver, other: Session, qtbot: QtBot) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    first = workbench.page.open_record.rows[0].item_id
    workbench.page.live.stop()
    other_change = ItemUpdate(item_name="theirs", description="theirs too")
    other.items.update(first, other_change, None)
    fields = workbench.page.inspector.fields
    fields.name.setText("mine")
    fields.name.commit()
    text = "my words in one line"
    fields.description.setPlainText(text)
    fields.description.commit()
    qtbot.waitUntil(lambda: workbench.page.open_record.edits.save_state.conflicts == 1)
    assert workbench.page.open_record.rows[0].name == "mine"
    qtbot.waitUntil(lambda: not workbench.page.top.problem.isHidden())
    dialog = ConflictDialog(workbench.page.open_record, workbench.page)
    (conflict,) = workbench.page.open_record.edits.conflicts()
    assert dialog.local_choice(conflict.edit.id, "description").text() == f"Mine: {text}"
    dialog.local_choice(conflict.edit.id, "description").setChecked(True)
    user = other.account.me().user
    name = user_label(user.name, user.username)
    labels = [label.text() for label in dialog.findChildren(QLabel)]
    assert f"{name} modified this item. Select what to keep." in labels
    dialog.decide()
    dialog.deleteLater()
    qtbot.waitUntil(lambda: workbench.saved)
    item = other.items.get(first).value
    assert (item.item_name, item.description) == ("theirs", text)
    assert workbench.page.open_record.rows[0].name == "theirs"
    assert workbench.page.open_record.edits.save_state.conflicts == 0


@pytest.mark.parametrize("keep_local", [True, False])
def test_refused_deletion_is_repeated_or_discarded(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, keep_local: bool
) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    edits = workbench.page.open_record.edits
    with monkeypatch.context() as refused:
        refused.setattr(type(workbench.session.items), "delete", _refuse)
        workbench.page.items.changes.remove([workbench.page.open_record.current])
        qtbot.waitUntil(lambda: edits.save_state.conflicts == 1)
    dialog = ConflictDialog(workbench.page.open_record, workbench.page)
    (conflict,) = edits.conflicts()
    dialog.local_choice(conflict.edit.id, "").setChecked(keep_local)
    dialog.decide()
    qtbot.waitUntil(lambda: workbench.saved)
    left = 2 if keep_local else 3
    assert len(workbench.session.items.all(record_id)) == left
    qtbot.waitUntil(lambda: len(workbench.page.open_record.rows) == left)


def _refuse(*_: object) -> None:
    raise Forbidden("not now")


def hears(workbench: WorkbenchDriver, other: Session, qtbot: QtBot) -> None:
    """Wait until what another user changes is shown."""
    first = workbench.page.open_record.rows[0].item_id

    def change_until_conflict() -> bool:
        # The stream may not be open yet at the first change; it gets the next ones.
        if workbench.page.open_record.rows[0].name == "changed elsewhere":
            return True
        other.items.update(first, ItemUpdate(item_name="changed"), None)
        other.items.update(first, ItemUpdate(item_name="changed elsewhere"), None)
        return False

    qtbot.waitUntil(change_until_conflict)


def test_changes_of_others_appear_by_themselves(
    workbench: WorkbenchDriver, other: Session, qtbot: QtBot
) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    hears(workbench, other, qtbot)
    other.items.delete(workbench.page.open_record.rows[2].item_id)
    qtbot.waitUntil(lambda: len(workbench.page.open_record.rows) == 2)


def test_item_deleted_and_restored_by_other_user_keeps_its_place(
    workbench: WorkbenchDriver, other: Session, qtbot: QtBot
) -> None:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    hears(workbench, other, qtbot)
    item_id = other.items.all(record_id)[1].item_id
    names = list(workbench.names)
    other.items.delete(item_id)
    qtbot.waitUntil(lambda: workbench.names == [names[0], names[2]])
    other.items.restore(item_id)
    qtbot.waitUntil(lambda: workbench.names == names)


def test_edits_of_a_crash_are_offered_and_sent(
    session: Session, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_id = make_record(session, boxes=())
    user_id = session.account.me().user.user_id
    with monkeypatch.context() as patch:
        patch.setattr(sending_module, "Outbox", _NeverSends)
        with workbench_driver(session, qtbot) as first:
            first.open(record_id, qtbot.waitUntil)
            first.draw(0.2, 0.2, 0.5, 0.5)
            torn = journal_path(user_id).read_bytes()
    journal_path(user_id).write_bytes(torn)
    with workbench_driver(session, qtbot) as second:
        second.open(record_id, qtbot.waitUntil)
        notices = not_none(second.page.findChild(Notices))
        assert not notices.isHidden()
        assert second.names == ["Item A"]
        assert "unsent" in second.page.top.mark.text()
        assert session.items.all(record_id) == []
        click_button(notices, "Keep and send")
        qtbot.waitUntil(lambda: second.saved)
        assert len(session.items.all(record_id)) == 1
        assert notices.isHidden()
    journal_path(user_id).write_bytes(torn)
    with workbench_driver(session, qtbot) as third:
        third.open(record_id, qtbot.waitUntil)
        click_button(not_none(third.page.findChild(Notices)), "Discard")
        assert third.saved


def test_full_disk_after_sending_delays_and_repeats_no_edit(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_id = make_record(workbench.session, boxes=())
    workbench.open(record_id, qtbot.waitUntil)
    edits = workbench.page.open_record.edits

    def refuse(*_arguments: object, **_options: object) -> None:
        raise JournalError("the.journal cannot be written: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "acknowledge", refuse)
        workbench.draw(0.2, 0.2, 0.5, 0.5)
        qtbot.waitUntil(lambda: "No space left" in edits.save_state.problem)
        assert edits.save_state.unsent_count >= 1
        messages: list[str] = []
        edits.failed.connect(messages.append)
        patch.setattr(Journal, "discard_pending", refuse)
        edits.discard_recovered()
        assert "No space left" in messages[0]
        assert edits.save_state.unsent_count >= 1
    edits.retry()
    qtbot.waitUntil(lambda: workbench.saved)
    assert [item.item_name for item in workbench.session.items.all(record_id)] == ["Item A"]


class _NeverSends:
    def __init__(self, *_: object) -> None:
        pass

    def send(self, _report: object) -> None:
        pass


def test_a_second_window_only_looks(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    user_id = workbench.session.account.me().user.user_id
    record_id = make_record(workbench.session)
    held = Journal.open(journal_path(user_id))
    try:
        workbench.open(record_id, qtbot.waitUntil)
        assert "another window" in not_none(workbench.page.findChild(Notices)).text()
        assert not workbench.context.commands.is_possible("tool.rectangle")
        assert workbench.page.inspector.fields.name.isReadOnly()
        finish = workbench.page.top.finish
        assert not finish.isEnabled()
        assert "another window" in finish.toolTip()
    finally:
        held.close()


def unsent(context: Context) -> int:
    """How many photos the window asks about when it is closed now."""
    question = Unsent()
    context.unsent_requested.emit(question)
    return question.photos


def test_pending_photos_are_sent_when_the_service_is_reachable_again(
    at_mortal: WorkbenchDriver, mortal: EmbeddedService, qtbot: QtBot, tmp_path: Path
) -> None:
    workbench, service = at_mortal, mortal
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    paths = [tmp_path / "1.png", tmp_path / "2.png"]
    for seed, path in enumerate(paths, 2):
        path.write_bytes(picture(seed))
    before = service.pid
    assert before is not None
    os.kill(before, signal.SIGKILL)
    workbench.context.show_service(ServiceState.RESTARTING)
    photos = workbench.page.photos.record_photos
    photos.add(paths)
    qtbot.waitUntil(lambda: photos.queue.away)
    assert "2 file(s) will be uploaded when it is back" in photos.tray.text
    assert photos.tray.retry_button.isVisible()
    assert photos.queue.failures == []
    assert unsent(workbench.context) == 2
    qtbot.waitUntil(lambda: service.pid not in (None, before))
    workbench.session.rebase(service.wait_until_ready(30))
    workbench.context.show_service(ServiceState.READY)
    qtbot.waitUntil(lambda: len(photos.photo_list.photos) == 2)
    # An event may announce a photo before the response to its upload arrives.
    qtbot.waitUntil(lambda: photos.queue.count(record_id) == unsent(workbench.context) == 0)
    assert not photos.queue.away
    qtbot.waitUntil(lambda: all(photo.state != "waiting" for photo in photos.photo_list.photos))
    names = {photo.file.filename for photo in workbench.session.photos.list(record_id)}
    assert names == {"1.png", "2.png"}
