"""Every way to change a sealed record at the workbench: nothing is sent, and the reason is shown once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.canvas.tools.tool_machine import Tool
from desktop.client import Session
from desktop.connection.local_service import EmbeddedService
from desktop.exchange.formats import coco, walkaround_json, yolo
from desktop.exchange.gather import collect_inspection
from desktop.messages.seal_terms import sealed_sentence
from desktop.pages.sealing.finish_dialog import FinishDialog
from desktop.pages.workbench.bars import MODE_COMMANDS
from desktop.pages.workbench.items.region_files import RegionFilesController, copy_regions
from desktop.pages.workbench.photos import photo_pair
from desktop.pages.workbench.saving import ConflictDialog
from shared.record.codes import Verdict
from tests.client_session import open_session
from tests.desktop.children import child
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, picture
from tests.desktop.pages.workbench.results.test_correcting import add_result
from tests.narrowing import not_none

_KEY, _LEFT = Qt.Key, Qt.MouseButton.LeftButton


def sealed_record(session: Session) -> str:
    """A record with a photo and findings on its first item, finished by another desktop."""
    record_id = make_record(session)
    items = session.items.all(record_id)
    add_result(session, items[0].item_id)
    for item in items:
        session.items.set_verdict(item.item_id, Verdict.FAILED, "dented")
    session.records.finish(record_id)
    return record_id


@pytest.fixture(scope="module")
def record_id(service: EmbeddedService) -> str:
    with open_session(service.wait_until_ready(60)) as session:
        return sealed_record(session)


@pytest.fixture
def changing(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The requests that would change something, as they leave this desktop."""
    sent: list[str] = []
    send = httpx.Client.send

    def send_and_record(self: httpx.Client, request: httpx.Request, **more: Any) -> httpx.Response:
        if request.method not in ("GET", "HEAD"):
            sent.append(f"{request.method} {request.url.path}")
        return send(self, request, **more)

    monkeypatch.setattr(httpx.Client, "send", send_and_record)
    return sent


@pytest.fixture
def open_workbench(
    workbench: WorkbenchDriver, record_id: str, changing: list[str], qtbot: QtBot
) -> Iterator[WorkbenchDriver]:
    workbench.open(record_id, qtbot.waitUntil)
    page = workbench.page
    qtbot.waitUntil(lambda: page.photos.pairing.finding_pair is not None)
    page.open_record.choose(page.open_record.rows[0].item_id)
    changing.clear()
    yield workbench
    assert workbench.session.records.verify_seal(record_id).intact


def visible_state(desk: WorkbenchDriver) -> object:
    """The record as the user sees it."""
    workbench = desk.page.open_record
    document = workbench.document
    assert document is not None
    return (
        workbench.rows,
        [(item.item_id, item.fields(), list(item.result)) for item in document.items],
        [(region.id, region.rect) for region in workbench.link.store],
        workbench.entry,
        dict(workbench.photos),
        desk.page.inspector.fields.name.text(),
    )


def draw(desk: WorkbenchDriver) -> None:
    desk.page.canvas.view.editor.set_tool(desk.page.canvas.view.editor.tool.DRAW)
    desk.drag(desk.at(0.8, 0.8), desk.at(0.95, 0.95))


def move(desk: WorkbenchDriver) -> None:
    desk.drag(desk.at(0.2, 0.2), desk.at(0.25, 0.25))


def resize(desk: WorkbenchDriver) -> None:
    desk.drag(desk.at(0.3, 0.3), desk.at(0.35, 0.35))


def nudge(desk: WorkbenchDriver) -> None:
    desk.page.canvas.view.setFocus()
    QTest.keyClick(desk.page.canvas.view, _KEY.Key_Right)


def key(
    name: Qt.Key, of: Callable[[WorkbenchDriver], Any], modifier: Any = Qt.KeyboardModifier.NoModifier
) -> Any:
    def press(desk: WorkbenchDriver) -> None:
        of(desk).setFocus()
        QTest.keyClick(of(desk), name, modifier)

    return press


def command(command_id: str) -> Callable[[WorkbenchDriver], None]:
    def run(desk: WorkbenchDriver) -> None:
        assert not desk.context.commands.run(command_id)

    return run


def paste_regions(desk: WorkbenchDriver) -> None:
    document = desk.page.open_record.document
    assert document is not None
    copy_regions(desk.page.canvas.view, desk.page.open_record.link, document.item)
    key(_KEY.Key_V, lambda it: it.page.canvas.view, Qt.KeyboardModifier.ControlModifier)(desk)


def paste_photo(desk: WorkbenchDriver) -> None:
    image = QImage()
    image.loadFromData(picture(7))
    QGuiApplication.clipboard().setImage(image)
    key(_KEY.Key_V, lambda it: it.page.canvas.view, Qt.KeyboardModifier.ControlModifier)(desk)


def add_photo(desk: WorkbenchDriver) -> None:
    path = Path("today.png").absolute()
    path.write_bytes(picture(7))
    desk.page.photos.uploading.add([path])


def drop(desk: WorkbenchDriver) -> None:
    path = Path("today.png").absolute()
    path.write_bytes(picture(7))
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    none = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(300, 300), Qt.DropAction.CopyAction, data, _LEFT, none)
    enter.ignore()
    QApplication.sendEvent(desk.page, enter)
    assert not enter.isAccepted()


def import_file(name: str, write: Callable[..., bytes]) -> Callable[[WorkbenchDriver], None]:
    def run(desk: WorkbenchDriver) -> None:
        path = Path(name).absolute()
        path.write_bytes(
            write(collect_inspection(desk.session, desk.page.open_record.record_id, lambda *_: None))
        )
        child(desk.page, RegionFilesController).read(path)

    return run


def remove_photo(desk: WorkbenchDriver) -> None:
    (photo, *_) = desk.session.items.photos(
        desk.page.open_record.edits.service_id(desk.page.open_record.rows[0].item_id)
    )
    desk.page.photos.pairing.remove(photo.photo_id)


ATTEMPTS: dict[str, Callable[[WorkbenchDriver], None]] = {
    "draw": draw,
    "move": move,
    "resize": resize,
    "nudge": nudge,
    "delete on the picture": key(_KEY.Key_Delete, lambda it: it.page.canvas.view),
    "delete in the list": key(_KEY.Key_Delete, lambda it: it.page.items.panel.list),
    "delete a finding": key(_KEY.Key_Delete, lambda it: it.page.inspector.findings.list),
    "paste regions": paste_regions,
    "paste a photo": paste_photo,
    "duplicate": command("edit.duplicate"),
    "undo": command("edit.undo"),
    "redo": command("edit.redo"),
    "align": command("region.left"),
    "pass": command("item.pass"),
    "fail": command("item.fail"),
    "unsure": command("item.unsure"),
    "detect": command("item.detect"),
    "detect all": command("record.detect"),
    "detect again": command("record.detect_again"),
    "add photos": command("item.photo"),
    "camera": command("item.camera"),
    "import": command("regions.import"),
    "rename": command("edit.rename"),
    "finish": command("record.finish"),
    "add a file": add_photo,
    "drop a file": drop,
    "take a photo off": remove_photo,
    "import JSON": import_file("a.json", walkaround_json.write),
    "import COCO": import_file("a-coco.zip", coco.write),
    "import YOLO": import_file("a-yolo.zip", yolo.write),
    "template": lambda it: it.page.items.filling.from_template(),
    "as last time": lambda it: it.page.items.filling.from_last(),
}


@pytest.mark.parametrize("name", ATTEMPTS)
def test_sealed_record_does_not_change_and_the_reason_is_shown_once(
    open_workbench: WorkbenchDriver,
    name: str,
    changing: list[str],
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(photo_pair, "confirm", lambda *_args, **_more: True)
    toasts: list[str] = []
    open_workbench.page.toast.connect(toasts.append)
    before = visible_state(open_workbench)
    ATTEMPTS[name](open_workbench)
    open_workbench.session.records.get(open_workbench.page.open_record.record_id)
    settled: list[bool] = []
    open_workbench.page.open_record.call_when_saved(lambda: settled.append(True), open_workbench.page)
    qtbot.waitUntil(lambda: bool(settled) and bool(toasts))
    assert toasts == [sealed_sentence()]
    assert visible_state(open_workbench) == before
    assert changing == []
    assert open_workbench.page.open_record.edits.save_state.unsent_count == 0


def test_commands_that_would_change_it_are_disabled(open_workbench: WorkbenchDriver) -> None:
    page = open_workbench.page
    fields, verdict = page.inspector.fields, page.inspector.verdict
    assert fields.name.isReadOnly()
    assert fields.description.isReadOnly()
    assert verdict.reason.isReadOnly()
    assert not any(button.isEnabled() for button in verdict.buttons.values())
    assert not page.inspector.photo.add.isEnabled()
    assert not page.inspector.photo.camera.isEnabled()
    assert not page.top.photo.isEnabled()
    assert not page.top.detect.isEnabled()
    assert not page.inspector.correction.isVisible()
    assert not page.results.correcting.has_chosen
    assert not page.items.panel.template.isVisible()
    assert not fields.model.isEnabled()


def test_finding_of_a_sealed_record_cannot_be_moved(
    open_workbench: WorkbenchDriver, changing: list[str], qtbot: QtBot
) -> None:
    page = open_workbench.page
    before = visible_state(open_workbench)
    page.canvas.shown_findings.choose(0)
    page.results.correcting.remove(0)
    page.results.correcting.accept(0)
    page.results.correcting.relabel(0, "dent")
    page.results.correcting.ask_label(0)
    pane = page.inspector.photo.pane
    middle = pane.rect().center()
    opened_at = QPoint(middle)
    QTest.mousePress(pane, _LEFT, pos=opened_at)
    QTest.mouseMove(pane, opened_at + QPoint(12, 12))
    QTest.mouseRelease(pane, _LEFT, pos=opened_at + QPoint(12, 12))
    assert len(page.open_record.drafts) == 0
    assert visible_state(open_workbench) == before
    assert changing == []


def test_findings_on_the_photo_of_a_sealed_record_cannot_change(
    open_workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    page, canvas = open_workbench.page, open_workbench.page.canvas.photo
    qtbot.waitUntil(lambda: page.photos.pairing.of_item)
    open_workbench.context.commands.run("view.photo")
    qtbot.waitUntil(lambda: bool(list(canvas.store)))
    toasts: list[str] = []
    page.toast.connect(toasts.append)
    before = list(canvas.store)
    canvas.store.select([before[0].id])
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    assert len(toasts) == 1
    QTest.keyClick(canvas, Qt.Key.Key_R)
    assert set(toasts) == {toasts[0]}
    assert list(canvas.store) == before
    assert not page.open_record.drafts.all()
    assert canvas.editor.tool is Tool.SELECT


def test_a_sealed_record_can_be_looked_at_by_keys(open_workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    """Comparing and the versions of a result are no changes."""
    commands = open_workbench.context.commands
    looking = ("item.versions", "compare", "record.report", "inspection.export", *MODE_COMMANDS.values())
    assert [look for look in looking if not commands.is_possible(look)] == []


# -- sealed by another person while it is open here


@pytest.fixture
def judged_record(workbench: WorkbenchDriver, qtbot: QtBot) -> Iterator[tuple[WorkbenchDriver, Session]]:
    """The open record with every item judged, and the session of a second user."""
    record_id = make_record(workbench.session)
    items = workbench.session.items.all(record_id)
    add_result(workbench.session, items[0].item_id)
    for item in items:
        workbench.session.items.set_verdict(item.item_id, Verdict.FAILED, "dented")
    workbench.open(record_id, qtbot.waitUntil)
    qtbot.waitUntil(lambda: workbench.page.photos.pairing.finding_pair is not None)
    with open_session(workbench.session.base_url) as other:
        yield workbench, other


def test_it_turns_read_only_by_the_event(
    judged_record: tuple[WorkbenchDriver, Session], qtbot: QtBot
) -> None:
    desk, other = judged_record
    assert desk.page.open_record.editable
    other.records.finish(desk.page.open_record.record_id)
    qtbot.waitUntil(lambda: desk.page.open_record.sealed)
    assert not desk.page.canvas.view.editor.editable
    assert desk.page.inspector.fields.name.isReadOnly()
    assert desk.page.results.seal_bar.isVisible()


def insist(desk: WorkbenchDriver) -> None:
    """Decide every conflict for this user's changes."""
    page = desk.page
    page.decide_conflicts()
    dialog = next(it for it in page.findChildren(ConflictDialog) if it.isVisible())
    for conflict in page.open_record.edits.conflicts():
        for field in conflict.edit.after:
            if (conflict.edit.id, field) in dialog._local_choices:
                dialog.local_choice(conflict.edit.id, field).setChecked(True)
    dialog.decide()


def test_unsaved_texts_and_corrections_are_kept_and_offered(
    judged_record: tuple[WorkbenchDriver, Session], qtbot: QtBot
) -> None:
    desk, other = judged_record
    page = desk.page
    record_id = page.open_record.record_id
    sealed_name = page.open_record.rows[0].name
    page.inspector.fields.name.setFocus()
    page.inspector.fields.name.selectAll()
    page.results.correcting.remove(0)
    QTest.keyClicks(page.inspector.fields.name, "typed here")
    other.records.finish(record_id)
    qtbot.waitUntil(lambda: page.open_record.sealed)
    # The journal knows of the conflict a moment before the window knows why.
    qtbot.waitUntil(
        lambda: page.open_record.edits.save_state.conflicts == 1 and bool(page.open_record.edits.refusals)
    )
    # The sealed content is shown, not the typed text.
    assert page.open_record.rows[0].name == sealed_name
    assert page.inspector.fields.name.text() == sealed_name
    assert len(not_none(not_none(page.open_record.entry)["resultImage"])["boxes"]) == 2
    page.decide_conflicts()
    dialog = child(page, ConflictDialog)
    texts = [text.text() for text in dialog.findChildren(type(page.results.seal_bar.text))]
    assert sealed_sentence() in texts
    dialog.reject()
    # Once reopened, it is shown again, and sent when the user agrees.
    other.records.reopen(record_id, "to take it over")
    qtbot.waitUntil(lambda: not page.open_record.sealed)
    assert page.open_record.rows[0].name == "typed here"
    while not desk.saved:
        # First the edit that met the seal, then the correction that withdraws the sealed verdict.
        insist(desk)
        qtbot.waitUntil(lambda: desk.saved or page.open_record.edits.save_state.conflicts == 1)
    item = other.items.all(record_id)[0]
    assert item.item_name == "typed here"
    newest = item.result[-1].model_dump(mode="json")
    assert len(newest["resultImage"]["boxes"]) == 1


def test_outbox_edits_from_before_the_finish_are_not_shown_as_done(
    judged_record: tuple[WorkbenchDriver, Session], qtbot: QtBot
) -> None:
    desk, other = judged_record
    page = desk.page
    record_id, names = page.open_record.record_id, desk.names
    page.live.stop()
    page.open_record.edits.sending.stop()
    page.open_record.edits.held = True
    desk.draw(0.8, 0.8, 0.95, 0.95)
    page.open_record.choose(page.open_record.rows[1].item_id)
    page.items.changes.rename("made before the finish")
    other.records.finish(record_id)
    page.open_record.edits.send_recovered()
    qtbot.waitUntil(lambda: page.open_record.edits.save_state.conflicts == 2)
    qtbot.waitUntil(lambda: page.open_record.sealed)
    assert desk.names == names
    assert page.open_record.edits.save_state.unsent_count == 2
    assert [item.item_name for item in other.items.all(record_id)] == names
    assert other.records.verify_seal(record_id).intact


def test_finishing_saves_an_unsaved_correction_first(
    judged_record: tuple[WorkbenchDriver, Session], qtbot: QtBot
) -> None:
    desk, _other = judged_record
    desk.page.results.correcting.remove(0)
    desk.context.commands.run("record.finish")
    qtbot.waitUntil(lambda: any(it.isVisible() for it in desk.page.findChildren(FinishDialog)))
    dialog = next(it for it in desk.page.findChildren(FinishDialog) if it.isVisible())
    assert not dialog.confirm_button.isEnabled()
    assert "1 undecided" in dialog.outcome.text()
    dialog.reject()
