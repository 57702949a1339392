"""Finishing a record on the workbench: only with a verdict of a person on every item, and sealed after it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QAbstractButton, QDialog, QFileDialog
from pytestqt.qtbot import QtBot

from desktop.client.http.errors import Conflict
from desktop.pages.sealing.finish_dialog import FinishDialog, UninspectedItems
from desktop.pages.sealing.seal_actions import CheckDialog, EditionsDialog, ReopenDialog
from shared.record import results
from shared.record.codes import SealState, Status, Verdict
from shared.record.entries import item_entries
from shared.wire.inspection import ItemUpdate
from tests.desktop.children import child
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, picture

pytestmark = pytest.mark.slow


def visible_dialog(desk: WorkbenchDriver, kind: type[QDialog]) -> QDialog:
    return next(child for child in desk.page.findChildren(kind) if child.isVisible())


def open_dialog(desk: WorkbenchDriver, kind: type[QDialog], qtbot: QtBot) -> QDialog:
    qtbot.waitUntil(lambda: any(child.isVisible() for child in desk.page.findChildren(kind)))
    return visible_dialog(desk, kind)


@pytest.fixture
def open_workbench(workbench: WorkbenchDriver, qtbot: QtBot) -> WorkbenchDriver:
    record_id = make_record(workbench.session)
    workbench.open(record_id, qtbot.waitUntil)
    return workbench


def detect_items(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    """Each item with a photo of its own and a finished detection."""
    session, page = desk.session, desk.page
    stored = session.files.upload(picture(), "today.png")
    for item in session.items.all(page.open_record.record_id):
        session.items.add_photo(item.item_id, stored.file_id)
        session.items.detect(item.item_id, 60)
    page.reload()
    qtbot.waitUntil(lambda: page.open_record.counters.detected == 3)


def judge(desk: WorkbenchDriver, verdict: Verdict, *numbers: int) -> None:
    for number in numbers:
        desk.page.items.go_to(desk.page.open_record.rows[number - 1].item_id)
        desk.page.items.changes.decide(verdict, "checked on the aircraft")


def test_detection_does_not_count_as_verdict(open_workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    assert open_workbench.page.top.chip.text == "Not started"
    detect_items(open_workbench, qtbot)
    record_id = open_workbench.page.open_record.record_id
    assert open_workbench.session.records.get(record_id).value.inspection_status in (
        Status.PASSED,
        Status.FAILED,
    )
    qtbot.waitUntil(lambda: open_workbench.page.top.chip.text == "In progress")
    open_workbench.context.commands.run("record.finish")
    dialog = open_dialog(open_workbench, FinishDialog, qtbot)
    assert isinstance(dialog, FinishDialog)
    assert not dialog.confirm_button.isEnabled()
    assert "Undecided" in dialog.outcome.text()
    assert "3 undecided" in dialog.outcome.text()
    dialog.reject()
    assert (
        open_workbench.session.records.seal(open_workbench.page.open_record.record_id).state is SealState.OPEN
    )


def test_accepted_opinions_are_marked_as_accepted(open_workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    detect_items(open_workbench, qtbot)
    judge(open_workbench, Verdict.FAILED, 1)
    open_workbench.context.commands.run("record.finish")
    dialog = open_dialog(open_workbench, FinishDialog, qtbot)
    assert isinstance(dialog, FinishDialog)
    assert "remaining 2 item" in dialog.accept_opinion.text()
    dialog.accept_opinion.setChecked(True)
    assert "2 passed, 1 failed, 0 undecided" in dialog.outcome.text()
    assert dialog.confirm_button.isEnabled()
    dialog.confirm_button.click()
    qtbot.waitUntil(lambda: open_workbench.page.open_record.sealed)
    record_id = open_workbench.page.open_record.record_id
    seal = open_workbench.session.records.seal(record_id)
    assert seal.outcome is Status.FAILED
    assert seal.newest is not None
    assert seal.newest.accepted_opinions == 2
    accepted = [
        results.accepted_version(item_entries(item)[-1])
        for item in open_workbench.session.items.all(record_id)
    ]
    assert accepted[0] is None
    assert None not in accepted[1:]


def test_inspected_items_are_not_listed_once_all_are_decided(
    open_workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    detect_items(open_workbench, qtbot)
    judge(open_workbench, Verdict.PASSED, 1, 2, 3)
    open_workbench.context.commands.run("record.finish")
    dialog = open_dialog(open_workbench, FinishDialog, qtbot)
    assert dialog.findChildren(UninspectedItems) == []
    dialog.reject()


def test_items_without_an_opinion_must_be_decided(open_workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    judge(open_workbench, Verdict.PASSED, 1)
    open_workbench.context.commands.run("record.finish")
    dialog = open_dialog(open_workbench, FinishDialog, qtbot)
    assert isinstance(dialog, FinishDialog)
    assert not dialog.accept_opinion.isVisible()
    assert not dialog.confirm_button.isEnabled()
    button = dialog.findChild(QAbstractButton, "finish-go-to")
    assert button is not None
    assert button.text() == "Go to first item to decide"
    button.click()
    assert open_workbench.page.open_record.number == 2


def finish_record(desk: WorkbenchDriver, qtbot: QtBot) -> None:
    judge(desk, Verdict.PASSED, 1, 2, 3)
    desk.context.commands.run("record.finish")
    dialog = open_dialog(desk, FinishDialog, qtbot)
    assert isinstance(dialog, FinishDialog)
    assert "All items passed." in [label.text() for label in dialog.findChildren(type(dialog.outcome))]
    dialog.confirm_button.click()
    qtbot.waitUntil(lambda: desk.page.open_record.sealed)


def test_finished_record_shows_its_seal_and_cannot_be_edited(
    open_workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    finish_record(open_workbench, qtbot)
    page = open_workbench.page
    assert page.results.seal_bar.isVisible()
    assert "edition 1" in page.results.seal_bar.text.text()
    assert not page.open_record.editable
    assert not page.canvas.view.editor.editable
    before = [row.status for row in page.open_record.rows]
    page.inspector.verdict.decide(Verdict.FAILED)
    assert [row.status for row in page.open_record.rows] == before
    assert page.open_record.edits.save_state.unsent_count == 0


def test_a_seal_is_verified_and_its_editions_are_listed(
    open_workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    finish_record(open_workbench, qtbot)
    open_workbench.page.results.seal_bar.verify.click()
    check = open_dialog(open_workbench, CheckDialog, qtbot)
    assert isinstance(check, CheckDialog)
    assert check.title.text() == "Seal intact"
    check.accept()
    open_workbench.page.results.seal_bar.editions.click()
    editions = open_dialog(open_workbench, EditionsDialog, qtbot)
    newest = open_workbench.session.records.seal(open_workbench.page.open_record.record_id).newest
    assert newest is not None
    assert newest.seal in [label.text() for label in editions.findChildren(type(check.title))]
    editions.accept()


def test_an_edition_opens_as_a_report(
    open_workbench: WorkbenchDriver, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish_record(open_workbench, qtbot)
    shown: list[QUrl] = []

    def open_url(url: QUrl) -> bool:
        shown.append(url)
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    path = tmp_path / "edition.html"
    names: list[str] = []

    def choose(_parent: object, _title: str, proposed: str, kinds: str) -> tuple[str, str]:
        names.append(Path(proposed).name)
        return str(path), kinds.split(";;")[1]

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    open_workbench.page.results.seal_bar.editions.click()
    editions = open_dialog(open_workbench, EditionsDialog, qtbot)
    child(editions, QAbstractButton, "edition-report-1").click()
    qtbot.waitUntil(lambda: bool(shown))
    assert names == ["左翼根部航后检查, edition 1.pdf"]
    assert shown[0].toLocalFile() == str(path)
    newest = open_workbench.session.records.seal(open_workbench.page.open_record.record_id).newest
    assert newest is not None
    assert newest.seal in path.read_text()
    editions.accept()


def test_reopening_needs_a_reason_and_makes_the_record_editable(
    open_workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish_record(open_workbench, qtbot)

    def answer(dialog: ReopenDialog) -> int:
        assert not dialog.confirm_button.isEnabled()
        dialog.reason.setPlainText("photo of the wrong wing")
        assert dialog.confirm_button.isEnabled()
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(ReopenDialog, "exec", answer)
    open_workbench.page.results.seal_bar.reopen.click()
    qtbot.waitUntil(lambda: not open_workbench.page.open_record.sealed)
    assert open_workbench.page.open_record.editable
    assert "photo of the wrong wing" in open_workbench.page.results.seal_bar.text.text()
    assert open_workbench.page.top.finish.text() == "Finish record…"
    judge(open_workbench, Verdict.FAILED, 1)
    open_workbench.context.commands.run("record.finish")
    dialog = open_dialog(open_workbench, FinishDialog, qtbot)
    assert isinstance(dialog, FinishDialog)
    dialog.confirm_button.click()
    qtbot.waitUntil(lambda: open_workbench.page.open_record.sealed)
    editions = open_workbench.session.records.editions(open_workbench.page.open_record.record_id)
    assert [edition.outcome for edition in editions] == [Status.PASSED, Status.FAILED]


def test_edit_of_a_sealed_record_waits_for_a_decision(open_workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    record_id = open_workbench.page.open_record.record_id
    items = open_workbench.session.items.all(record_id)
    for item in items:
        open_workbench.session.items.set_verdict(item.item_id, Verdict.PASSED, None)
    open_workbench.page.live.stop()
    open_workbench.session.records.finish(record_id)
    open_workbench.page.items.changes.rename("typed after the finish")
    qtbot.waitUntil(lambda: open_workbench.page.open_record.edits.save_state.conflicts == 1)
    with pytest.raises(Conflict):
        open_workbench.session.items.update(items[0].item_id, ItemUpdate(item_name="by another way"), None)
    assert open_workbench.session.items.get(items[0].item_id).value.item_name == "条目1"
