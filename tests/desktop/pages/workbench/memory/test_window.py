"""The memory of a region in its window."""

from __future__ import annotations

from functools import partial
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.client.http.errors import NotFound, Unreachable
from desktop.help.guide import find_topic
from desktop.pages.workbench.memory.window import MemoryDialog
from desktop.pages.workbench.trend.pictures import WHOLE
from desktop.widgets import Confirm
from shared.record.entries import Entry, item_entries
from shared.record.geometry import Rect
from shared.record.suppression import SuppressedFinding
from shared.wire.events import ChangeEvent
from shared.wire.inspection import Place
from shared.wire.memory import MemoryChange, MemoryState, MemoryStatus
from tests.desktop.pages.workbench.driver import WorkbenchDriver, store_detections
from tests.desktop.pages.workbench.memory.fake_memory import NOW, FakeMemory, make_memory_state, play
from tests.desktop.pages.workbench.trend.growing_crack import Grown, grown
from tests.narrowing import not_none

NOTES = ["", "Passed · not compared", "Passed · 1 difference(s)", "Finding rejected"]


def open_dialog(workbench: WorkbenchDriver, qtbot: QtBot, inspections: Grown) -> MemoryDialog:
    workbench.open(inspections.records[-1], qtbot.waitUntil)
    workbench.page.items.go_to(inspections.items[-1])
    dialog = not_none(workbench.page.results.memory.show())
    qtbot.waitUntil(lambda: dialog.memory is not None)
    return dialog


def close_dialog(dialog: MemoryDialog, qtbot: QtBot) -> None:
    with qtbot.waitSignal(dialog.destroyed):
        dialog.accept()


def open_memory(
    workbench: WorkbenchDriver,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    count: int = 3,
    **more: object,
) -> tuple[MemoryDialog, FakeMemory, Grown]:
    inspections = grown(workbench.session, count, unaligned=[1])
    state = make_memory_state(workbench.session, inspections, **more)  # type: ignore[arg-type]
    fake_memory = play(monkeypatch, workbench.session, state)
    return open_dialog(workbench, qtbot, inspections), fake_memory, inspections


def label_texts(dialog: MemoryDialog) -> str:
    labels = dialog.details.findChildren(type(dialog.summary))
    return " | ".join(child.text() for child in labels)


def faded_frames(dialog: MemoryDialog) -> list[bool]:
    return [frame.faded for frame in dialog.film.frames]


def test_photos_are_laid_on_the_place_newest_first(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, _, inspections = open_memory(workbench, qtbot, monkeypatch)
    frames = dialog.film.frames
    names = [frame.name for frame in frames[1:]]
    assert names == ["左翼根部检查 3", "左翼根部检查 2", "左翼根部检查 1"]
    assert [frame.note for frame in frames] == NOTES
    assert dialog.summary.text() == "Detection uses what 2 photo(s) showed."
    for frame in frames:
        qtbot.waitUntil(partial(dialog.pictures.is_settled, frame.key))
        assert dialog.pictures.best(frame.key, WHOLE) is not None
    assert not_none(dialog.photo).item_id == inspections.items[-1]
    assert "李四" in label_texts(dialog)
    assert "not aligned" not in label_texts(dialog)
    dialog.film.choose(2)
    assert "not aligned" in label_texts(dialog)
    dialog.film.choose(0)
    assert dialog.photo is None
    assert dialog.details.leave_out.isHidden()
    close_dialog(dialog, qtbot)


def test_a_photo_is_left_out_and_put_back(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, fake_memory, _ = open_memory(workbench, qtbot, monkeypatch, count=2)
    file_id = not_none(dialog.photo).file_id
    dialog.details.leave_out.click()
    qtbot.waitUntil(lambda: not_none(dialog.photo).left_out)
    assert fake_memory.changes == [MemoryChange(left_out={file_id: True})]
    assert faded_frames(dialog) == [False, True, False]
    assert dialog.film.frames[1].note == "Left out"
    assert "0 of 2 required photos" in dialog.summary.text()
    assert "张三" in label_texts(dialog)
    assert dialog.details.leave_out.text() == "Put back into known variations"
    dialog.details.leave_out.click()
    qtbot.waitUntil(lambda: not not_none(dialog.photo).left_out)
    assert faded_frames(dialog) == [False, False, False]
    close_dialog(dialog, qtbot)


def test_place_that_suits_the_passed_photos_is_named(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, fake_memory, _ = open_memory(workbench, qtbot, monkeypatch)
    assert "suits them" not in dialog.summary.text()
    fake_memory.state = fake_memory.state.model_copy(update={"proposed_place": Place.FIXED})
    dialog.read()
    qtbot.waitUntil(lambda: "“Position in photos: Fixed camera” in the detection" in dialog.summary.text())
    close_dialog(dialog, qtbot)


def test_planners_freeze_and_start_over_after_a_question(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, fake_memory, _ = open_memory(workbench, qtbot, monkeypatch)
    rules = dialog.rules
    rules.freeze.click()
    qtbot.waitUntil(lambda: rules.freeze.text() == "Unfreeze")
    assert "Frozen on 2026-03-02 by 张三" in dialog.summary.text()
    rules.freeze.click()
    qtbot.waitUntil(lambda: rules.freeze.text() == "Freeze")
    rules.start_over.click()
    (question,) = dialog.findChildren(Confirm)
    question.reject()
    assert [change.start_over for change in fake_memory.changes] == [False, False]
    qtbot.waitUntil(lambda: not dialog.findChildren(Confirm))
    rules.start_over.click()
    (question,) = dialog.findChildren(Confirm)
    question.confirm_button.click()
    qtbot.waitUntil(lambda: fake_memory.state.state is MemoryStatus.EMPTY and not dialog.film.frames)
    assert [change.start_over for change in fake_memory.changes] == [False, False, True]
    assert dialog.stack.currentWidget() is not dialog.stack.content
    assert "Cleared on 2026-03-02" in dialog.summary.text()
    close_dialog(dialog, qtbot)


def test_refused_number_stays_in_the_field(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, fake_memory, _ = open_memory(workbench, qtbot, monkeypatch, count=2)
    rules = dialog.rules
    assert not rules.apply.isEnabled()
    rules.required.setValue(5)
    fake_memory.error = Unreachable("gone")
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
    close_dialog(dialog, qtbot)


def test_viewer_cannot_change_the_memory(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, fake_memory, _ = open_memory(
        workbench, qtbot, monkeypatch, count=1, required=1, can_require=False
    )
    assert dialog.rules.isHidden()
    assert not dialog.details.leave_out.isHidden()
    close_dialog(dialog, qtbot)
    fake_memory.state = fake_memory.state.model_copy(update={"can_change": False})
    dialog = not_none(workbench.page.results.memory.show())
    qtbot.waitUntil(lambda: dialog.memory is not None)
    assert dialog.details.leave_out.isHidden()
    assert not dialog.details.open.isHidden()
    close_dialog(dialog, qtbot)


def test_places_that_newer_photos_show_otherwise_are_marked(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, _, _ = open_memory(workbench, qtbot, monkeypatch, disagreements=[(0.4, 0.3, 0.1, 0.1)])
    assert not dialog.banner.isHidden()
    assert "1 place(s) look different" in dialog.banner.text()
    assert [len(frame.outlines) for frame in dialog.film.frames] == [1, 1, 0, 1]
    place = not_none(dialog._place)
    (outline,) = dialog.film.frames[0].outlines
    assert outline.rect.x * place.rect.w + place.rect.x == pytest.approx(0.4 * 480)
    assert outline.rect.h * place.rect.h == pytest.approx(0.1 * 360)
    dialog.banner.action_chosen.emit()
    assert dialog.film.current == 0
    close_dialog(dialog, qtbot)


def test_empty_memory_explains_how_it_is_filled(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspections = grown(workbench.session, 1)
    whole = make_memory_state(workbench.session, inspections)
    empty = whole.model_copy(update={"photos": [], "state": MemoryStatus.EMPTY})
    play(monkeypatch, workbench.session, empty)
    dialog = open_dialog(workbench, qtbot, inspections)
    assert dialog.stack.currentWidget() is not dialog.stack.content
    assert not dialog.rules.isHidden()
    assert not dialog.rules.start_over.isEnabled()
    close_dialog(dialog, qtbot)


def test_a_memory_that_cannot_be_read_is_read_again(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspections = grown(workbench.session, 1)
    fake_memory = play(monkeypatch, workbench.session, make_memory_state(workbench.session, inspections))
    answers: list[Exception | MemoryState] = [Unreachable("gone"), fake_memory.state]

    def read(_item_id: str) -> MemoryState:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(workbench.session.items, "memory", read)
    workbench.open(inspections.records[-1], qtbot.waitUntil)
    dialog = not_none(workbench.page.results.memory.show())
    qtbot.waitUntil(lambda: dialog.stack.currentWidget() not in (dialog.stack.content, dialog.stack.loading))
    dialog.read()
    qtbot.waitUntil(lambda: bool(dialog.film.frames))
    close_dialog(dialog, qtbot)


def test_the_record_of_a_photo_is_opened_by_the_keyboard(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, _, inspections = open_memory(workbench, qtbot, monkeypatch)
    QTest.keyClick(dialog.strip, Qt.Key.Key_End)
    assert not_none(dialog.photo).item_id == inspections.items[0]
    with qtbot.waitSignal(dialog.destroyed):
        QTest.keyClick(dialog.strip, Qt.Key.Key_Return)
    page = workbench.page
    qtbot.waitUntil(lambda: page.open_record.record_id == inspections.records[0])
    qtbot.waitUntil(lambda: page.canvas.centre.currentWidget() is page.canvas.compare)
    assert page.open_record.current == inspections.items[0]


def test_the_command_opens_it_and_the_guide_has_its_page(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspections = grown(workbench.session, 1)
    play(monkeypatch, workbench.session, make_memory_state(workbench.session, inspections))
    workbench.open(inspections.records[-1], qtbot.waitUntil)
    workbench.page.items.go_to(inspections.items[-1])
    workbench.context.commands.run("item.memory")
    (dialog,) = workbench.page.findChildren(MemoryDialog)
    qtbot.waitUntil(lambda: dialog.memory is not None)
    assert find_topic(None, dialog) == "memory"
    close_dialog(dialog, qtbot)


def test_changes_of_other_users_keep_the_typed_text(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, fake_memory, _ = open_memory(workbench, qtbot, monkeypatch, required=1)
    dialog.film.choose(2)
    dialog.rules.required.setValue(7)
    photos = [photo.model_copy(update={"differences": 4}) for photo in fake_memory.state.photos]
    fake_memory.state = fake_memory.state.model_copy(update={"photos": photos})
    workbench.page.live.memory_changed.emit("of another image")
    assert not dialog._read_again.isActive()
    workbench.page.live.memory_changed.emit("reference")
    qtbot.waitUntil(lambda: dialog.film.frames[1].note == "Passed · 4 difference(s)")
    assert dialog.film.current == 2
    assert dialog.rules.required.value() == 7
    close_dialog(dialog, qtbot)
    # Nothing listens any more.
    workbench.page.live.memory_changed.emit("")


def test_an_event_of_the_service_names_the_reference_image(workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    live, changed_files = workbench.page.live, list[str]()
    live.memory_changed.connect(changed_files.append)
    event = ChangeEvent(id="1", action="update", kind="region_memory", object_id="file", actor=None, at=NOW)
    live._listener.event_received.emit(event)
    live._listener.event_received.emit(event.model_copy(update={"kind": "file"}))
    live._listener.event_received.emit(None)
    assert changed_files == ["file", ""]
    live.cancel_reading()


def test_a_refused_change_reads_the_memory_again(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, fake_memory, inspections = open_memory(workbench, qtbot, monkeypatch, count=2)
    fake_memory.state = fake_memory.state.model_copy(update={"photos": fake_memory.state.photos[1:]})
    fake_memory.error = NotFound("gone")
    dialog.details.leave_out.click()
    qtbot.waitUntil(lambda: len(dialog.film.frames) == 2)
    assert not dialog.problem.isHidden()
    assert not_none(dialog.photo).item_id == inspections.items[0]
    close_dialog(dialog, qtbot)


def test_item_without_a_region_has_no_memory(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspections = grown(workbench.session, 1)
    whole = make_memory_state(workbench.session, inspections)
    nowhere: dict[str, object] = {"photos": [], "state": MemoryStatus.EMPTY, "reference_file_id": None}
    play(monkeypatch, workbench.session, whole.model_copy(update=nowhere))
    dialog = open_dialog(workbench, qtbot, inspections)
    assert dialog.rules.isHidden()
    texts = [child.text() for child in not_none(dialog.stack.currentWidget()).findChildren(QLabel)]
    assert any("no region on a reference image" in text for text in texts)
    close_dialog(dialog, qtbot)


def test_link_below_the_verdict_opens_it_at_the_photos_that_resemble_todays_most(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspections = grown(workbench.session, 3)
    state = make_memory_state(workbench.session, inspections)
    play(monkeypatch, workbench.session, state)
    newest, middle, rejected = (photo.file_id for photo in state.photos)
    appearance = {"distance": 0.1, "limit": 0.2, "share": 0.4, "photos": 3, "place": "fixed"}
    similar = appearance | {"nearest": ["gone", middle, rejected, newest]}
    item_id = inspections.items[-1]
    (*_, entry) = item_entries(workbench.session.items.get(item_id).value)
    store_detections(workbench.session, item_id, cast(Entry, entry | {"appearance": similar}))
    workbench.open(inspections.records[-1], qtbot.waitUntil)
    link = workbench.page.inspector.verdict.similar
    workbench.page.items.go_to(item_id)
    qtbot.waitUntil(link.isVisible)
    link.click()
    (dialog,) = workbench.page.findChildren(MemoryDialog)
    qtbot.waitUntil(lambda: bool(dialog.film.frames), timeout=60_000)
    notes = [frame.note for frame in dialog.film.frames]
    assert notes == ["", "Most similar: 2", "Most similar: 4", "Finding rejected"]
    assert not_none(dialog.photo).file_id == middle
    close_dialog(dialog, qtbot)


def test_item_that_was_aligned_has_no_link_to_similar_photos(
    workbench: WorkbenchDriver, qtbot: QtBot
) -> None:
    inspections = grown(workbench.session, 1)
    workbench.open(inspections.records[-1], qtbot.waitUntil)
    workbench.page.items.go_to(inspections.items[-1])
    assert workbench.page.inspector.verdict.similar.isHidden()


def test_photos_that_explain_a_difference_are_marked(
    workbench: WorkbenchDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspections = grown(workbench.session, 2)
    state = make_memory_state(workbench.session, inspections)
    play(monkeypatch, workbench.session, state)
    workbench.open(inspections.records[-1], qtbot.waitUntil)
    workbench.page.items.go_to(inspections.items[-1])
    files = (state.photos[1].file_id,)
    difference = SuppressedFinding("stain", Rect(200, 150, 20, 10), 0.1, 0.8, files)
    dialog = not_none(workbench.page.results.memory.show(difference))
    qtbot.waitUntil(lambda: bool(dialog.film.frames))
    assert [frame.note for frame in dialog.film.frames][1:] == [
        "Passed · not compared",
        "Shows the difference",
    ]
    assert not_none(dialog.photo).file_id == files[0]
    assert [[outline.text for outline in frame.outlines] for frame in dialog.film.frames] == [["stain"]] * 3
    close_dialog(dialog, qtbot)
