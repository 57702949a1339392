"""The memory of a region in its window."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.client.http.errors import NotFound, Unreachable
from desktop.help.topics import find_topic
from desktop.pages.workbench.memory.window import MemoryDialog
from desktop.pages.workbench.trend.pictures import WHOLE
from desktop.widgets import Confirm
from shared.geometry import Rect
from shared.suppressed import SuppressedFinding
from shared.wire.events import ChangeEvent
from shared.wire.memory import MemoryChange, MemoryState, MemoryStatus
from tests.desktop.pages.workbench.driver import WorkbenchDriver
from tests.desktop.pages.workbench.memory.played import NOW, PlayedMemory, memory_of, play
from tests.desktop.pages.workbench.trend.growing_crack import Grown, grown
from tests.narrowing import not_none

NOTES = ["", "Passed · not compared", "Passed · 1 difference(s)", "Finding rejected"]


def shown(workbench: WorkbenchDriver, qtbot: QtBot, find_or_make_page: Grown) -> MemoryDialog:
    workbench.open(find_or_make_page.records[-1], qtbot.waitUntil)
    workbench.page.go_to(find_or_make_page.items[-1])
    dialog = not_none(workbench.page.memory.show())
    qtbot.waitUntil(lambda: dialog.memory is not None)
    return dialog


def ended(dialog: MemoryDialog, qtbot: QtBot) -> None:
    with qtbot.waitSignal(dialog.destroyed):
        dialog.accept()


def opened(
    workbench: WorkbenchDriver,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    count: int = 3,
    **more: object,
) -> tuple[MemoryDialog, PlayedMemory, Grown]:
    find_or_make_page = grown(workbench.session, count, unaligned=[1])
    state = memory_of(workbench.session, find_or_make_page, **more)  # type: ignore[arg-type]
    played = play(monkeypatch, workbench.session, state)
    return shown(workbench, qtbot, find_or_make_page), played, find_or_make_page


def text_of(dialog: MemoryDialog) -> str:
    labels = dialog.details.findChildren(type(dialog.summary))
    return " | ".join(child.text() for child in labels)


def faded(dialog: MemoryDialog) -> list[bool]:
    return [frame.faded for frame in dialog.reel.frames]


def test_photos_are_laid_on_the_place_newest_first(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, _, find_or_make_page = opened(workbench, qtbot, monkeypatch)
    frames = dialog.reel.frames
    names = [frame.name for frame in frames[1:]]
    assert names == ["左翼根部检查 3", "左翼根部检查 2", "左翼根部检查 1"]
    assert [frame.note for frame in frames] == NOTES
    assert dialog.summary.text() == "Detection uses what 2 photo(s) showed."
    for frame in frames:
        qtbot.waitUntil(partial(dialog.pictures.is_settled, frame.key))
        assert dialog.pictures.best(frame.key, WHOLE) is not None
    assert not_none(dialog.photo).item_id == find_or_make_page.items[-1]
    assert "李四" in text_of(dialog)
    assert "As taken" not in text_of(dialog)
    dialog.reel.choose(2)
    assert "As taken" in text_of(dialog)
    dialog.reel.choose(0)
    assert dialog.photo is None
    assert dialog.details.leave_out.isHidden()
    ended(dialog, qtbot)


def test_a_photo_is_left_out_and_put_back(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, played, _ = opened(workbench, qtbot, monkeypatch, count=2)
    file_id = not_none(dialog.photo).file_id
    dialog.details.leave_out.click()
    qtbot.waitUntil(lambda: not_none(dialog.photo).left_out)
    assert played.changes == [MemoryChange(left_out={file_id: True})]
    assert faded(dialog) == [False, True, False]
    assert dialog.reel.frames[1].note == "Left out"
    assert "0 of 2 required photos" in dialog.summary.text()
    assert "张三" in text_of(dialog)
    assert dialog.details.leave_out.text() == "Put back into memory"
    dialog.details.leave_out.click()
    qtbot.waitUntil(lambda: not not_none(dialog.photo).left_out)
    assert faded(dialog) == [False, False, False]
    ended(dialog, qtbot)


def test_planners_freeze_and_start_over_after_a_question(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, played, _ = opened(workbench, qtbot, monkeypatch)
    rules = dialog.rules
    rules.freeze.click()
    qtbot.waitUntil(lambda: rules.freeze.text() == "Unfreeze")
    assert "Frozen on 2026-03-02 by 张三" in dialog.summary.text()
    rules.freeze.click()
    qtbot.waitUntil(lambda: rules.freeze.text() == "Freeze")
    rules.start_over.click()
    (question,) = dialog.findChildren(Confirm)
    question.reject()
    assert [change.start_over for change in played.changes] == [False, False]
    qtbot.waitUntil(lambda: not dialog.findChildren(Confirm))
    rules.start_over.click()
    (question,) = dialog.findChildren(Confirm)
    question.act.click()
    qtbot.waitUntil(lambda: played.state.state is MemoryStatus.EMPTY and not dialog.reel.frames)
    assert [change.start_over for change in played.changes] == [False, False, True]
    assert dialog.stack.currentWidget() is not dialog.stack.content
    assert "Started over on 2026-03-02" in dialog.summary.text()
    ended(dialog, qtbot)


def test_a_number_that_the_service_did_not_take_stays_typed(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, played, _ = opened(workbench, qtbot, monkeypatch, count=2)
    rules = dialog.rules
    assert not rules.apply.isEnabled()
    rules.required.setValue(5)
    played.error = Unreachable("gone")
    rules.apply.click()
    qtbot.waitUntil(lambda: not dialog.problem.isHidden())
    assert rules.required.value() == 5
    assert not_none(dialog.memory).state.required == 2
    # Another change does not undo it either.
    dialog.details.leave_out.click()
    qtbot.waitUntil(lambda: not_none(dialog.photo).left_out)
    assert dialog.problem.isHidden()
    assert rules.required.value() == 5
    rules.apply.click()
    qtbot.waitUntil(lambda: not_none(dialog.memory).state.required == 5)
    assert "0 of 5 required photos" in dialog.summary.text()
    assert not rules.apply.isEnabled()
    ended(dialog, qtbot)


def test_who_may_not_change_it_sees_it_only(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, played, _ = opened(workbench, qtbot, monkeypatch, count=1, required=1, can_require=False)
    assert dialog.rules.isHidden()
    assert not dialog.details.leave_out.isHidden()
    ended(dialog, qtbot)
    played.state = played.state.model_copy(update={"can_change": False})
    dialog = not_none(workbench.page.memory.show())
    qtbot.waitUntil(lambda: dialog.memory is not None)
    assert dialog.details.leave_out.isHidden()
    assert not dialog.details.open.isHidden()
    ended(dialog, qtbot)


def test_places_that_newer_photos_show_otherwise_are_marked(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, _, _ = opened(workbench, qtbot, monkeypatch, disagreements=[(0.4, 0.3, 0.1, 0.1)])
    assert not dialog.banner.isHidden()
    assert "1 place(s) look different" in dialog.banner.text()
    assert [len(frame.outlines) for frame in dialog.reel.frames] == [1, 1, 0, 1]
    place = not_none(dialog._place)
    (outline,) = dialog.reel.frames[0].outlines
    assert outline.rect.x * place.rect.w + place.rect.x == pytest.approx(0.4 * 480)
    assert outline.rect.h * place.rect.h == pytest.approx(0.1 * 360)
    dialog.banner.acted.emit()
    assert dialog.reel.current == 0
    ended(dialog, qtbot)


def test_an_empty_memory_says_how_one_comes_about(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_or_make_page = grown(workbench.session, 1)
    whole = memory_of(workbench.session, find_or_make_page)
    empty = whole.model_copy(update={"photos": [], "state": MemoryStatus.EMPTY})
    play(monkeypatch, workbench.session, empty)
    dialog = shown(workbench, qtbot, find_or_make_page)
    assert dialog.stack.currentWidget() is not dialog.stack.content
    assert not dialog.rules.isHidden()
    assert not dialog.rules.start_over.isEnabled()
    ended(dialog, qtbot)


def test_a_memory_that_cannot_be_read_is_read_again(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_or_make_page = grown(workbench.session, 1)
    played = play(monkeypatch, workbench.session, memory_of(workbench.session, find_or_make_page))
    answers: list[Exception | MemoryState] = [Unreachable("gone"), played.state]

    def read(_item_id: str) -> MemoryState:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(workbench.session.items, "memory", read)
    workbench.open(find_or_make_page.records[-1], qtbot.waitUntil)
    dialog = not_none(workbench.page.memory.show())
    qtbot.waitUntil(lambda: dialog.stack.currentWidget() not in (dialog.stack.content, dialog.stack.loading))
    dialog.read()
    qtbot.waitUntil(lambda: bool(dialog.reel.frames))
    ended(dialog, qtbot)


def test_the_record_of_a_photo_is_opened_by_the_keyboard(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, _, find_or_make_page = opened(workbench, qtbot, monkeypatch)
    QTest.keyClick(dialog.strip, Qt.Key.Key_End)
    assert not_none(dialog.photo).item_id == find_or_make_page.items[0]
    with qtbot.waitSignal(dialog.destroyed):
        QTest.keyClick(dialog.strip, Qt.Key.Key_Return)
    page = workbench.page
    qtbot.waitUntil(lambda: page.open_record.record_id == find_or_make_page.records[0])
    qtbot.waitUntil(lambda: page.centre.currentWidget() is page.compare)
    assert page.open_record.current == find_or_make_page.items[0]


def test_the_command_opens_it_and_the_guide_has_its_page(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_or_make_page = grown(workbench.session, 1)
    play(monkeypatch, workbench.session, memory_of(workbench.session, find_or_make_page))
    workbench.open(find_or_make_page.records[-1], qtbot.waitUntil)
    workbench.page.go_to(find_or_make_page.items[-1])
    workbench.context.commands.run("item.memory")
    (dialog,) = workbench.page.findChildren(MemoryDialog)
    qtbot.waitUntil(lambda: dialog.memory is not None)
    assert find_topic(None, dialog) == "memory"
    ended(dialog, qtbot)


def test_what_others_change_is_shown_and_what_is_typed_stays(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, played, _ = opened(workbench, qtbot, monkeypatch, required=1)
    dialog.reel.choose(2)
    dialog.rules.required.setValue(7)
    photos = [photo.model_copy(update={"differences": 4}) for photo in played.state.photos]
    played.state = played.state.model_copy(update={"photos": photos})
    workbench.page.live.memoryChanged.emit("of another image")
    assert not dialog._read_again.isActive()
    workbench.page.live.memoryChanged.emit("reference")
    qtbot.waitUntil(lambda: dialog.reel.frames[1].note == "Passed · 4 difference(s)")
    assert dialog.reel.current == 2
    assert dialog.rules.required.value() == 7
    ended(dialog, qtbot)
    # Nothing listens any more.
    workbench.page.live.memoryChanged.emit("")


def test_an_event_of_the_service_names_the_reference_image(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    live, changed_files = workbench.page.live, list[str]()
    live.memoryChanged.connect(changed_files.append)
    event = ChangeEvent(id="1", action="update", kind="region_memory", object_id="file", actor=None, at=NOW)
    live._listener.event_received.emit(event)
    live._listener.event_received.emit(event.model_copy(update={"kind": "file"}))
    live._listener.event_received.emit(None)
    assert changed_files == ["file", ""]
    live.forget()


def test_a_refused_change_reads_the_memory_again(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, played, find_or_make_page = opened(workbench, qtbot, monkeypatch, count=2)
    played.state = played.state.model_copy(update={"photos": played.state.photos[1:]})
    played.error = NotFound("gone")
    dialog.details.leave_out.click()
    qtbot.waitUntil(lambda: len(dialog.reel.frames) == 2)
    assert not dialog.problem.isHidden()
    assert not_none(dialog.photo).item_id == find_or_make_page.items[0]
    ended(dialog, qtbot)


def test_an_item_without_a_region_says_that_it_has_no_memory(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_or_make_page = grown(workbench.session, 1)
    whole = memory_of(workbench.session, find_or_make_page)
    nowhere: dict[str, object] = {"photos": [], "state": MemoryStatus.EMPTY, "reference_file_id": None}
    play(monkeypatch, workbench.session, whole.model_copy(update=nowhere))
    dialog = shown(workbench, qtbot, find_or_make_page)
    assert dialog.rules.isHidden()
    texts = [child.text() for child in not_none(dialog.stack.currentWidget()).findChildren(QLabel)]
    assert any("no region on a reference image" in text for text in texts)
    ended(dialog, qtbot)


def test_the_photos_that_explain_a_difference_say_so(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_or_make_page = grown(workbench.session, 2)
    state = memory_of(workbench.session, find_or_make_page)
    play(monkeypatch, workbench.session, state)
    workbench.open(find_or_make_page.records[-1], qtbot.waitUntil)
    workbench.page.go_to(find_or_make_page.items[-1])
    files = (state.photos[1].file_id,)
    difference = SuppressedFinding("stain", Rect(200, 150, 20, 10), 0.1, 0.8, files)
    dialog = not_none(workbench.page.memory.show(difference))
    qtbot.waitUntil(lambda: bool(dialog.reel.frames))
    assert [frame.note for frame in dialog.reel.frames][1:] == [
        "Passed · not compared",
        "Shows the difference",
    ]
    assert not_none(dialog.photo).file_id == files[0]
    assert [[outline.text for outline in frame.outlines] for frame in dialog.reel.frames] == [["stain"]] * 3
    ended(dialog, qtbot)
