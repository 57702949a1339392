"""The page of one record in a real window against the real service."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QDate, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFileDialog, QProgressDialog, QScrollArea
from pytestqt.qtbot import QtBot

from desktop.client.http.errors import NotFound
from desktop.context import Context
from desktop.pages.common.files import file_dialogs
from desktop.pages.record import RecordPage
from desktop.pages.record.items_card import ItemsCard
from desktop.pages.sealing.seal_actions import ReopenDialog
from desktop.report.collect import collect
from desktop.widgets import MomentField
from desktop.widgets.states import EmptyState
from shared.images.cv import cv2
from shared.record.codes import Role, SealState, Status, Verdict
from shared.wire.catalogue import AircraftWrite, ReferenceImageWrite, TaskWrite, TemplateRegion
from shared.wire.inspection import ItemCreate, Point, Record, RecordCreate, RecordUpdate, ResultEntry
from tests.desktop.conftest import make_payload
from tests.narrowing import as_instance, not_none


@pytest.fixture
def record(context: Context) -> Record:
    """A record with a reference image whose template has two regions."""
    session = context.session
    shade = np.full((120, 200, 3), 130, np.uint8)
    stored = session.files.upload(cv2.imencode(".png", shade)[1].tobytes(), "panel.png")
    template = [
        TemplateRegion(item_name=name, point=Point(x=0.1, y=0.1, w=0.3, h=0.3)) for name in ("铆钉", "接缝")
    ]
    reference = session.catalogue.reference_images.create(
        ReferenceImageWrite(reference_image_name="左翼根部", file_id=stored.file_id, template=template)
    )
    task = session.catalogue.tasks.create(TaskWrite(task_name="航后绕机"))
    return session.records.create(
        RecordCreate(
            task_id=task.task_id,
            inspection_name="左翼根部航后检查",
            reference_image_id=reference.reference_image_id,
            start_time=datetime(2026, 5, 31, 6, 30, 15, tzinfo=UTC),
        )
    )


def open_record_page(context: Context, qtbot: QtBot, record_id: str) -> RecordPage:
    page = RecordPage(context)
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.show()
    page.enter({"record_id": record_id})
    qtbot.waitUntil(lambda: page._task is not None and page._task.is_finished)
    return page


def now(context: Context, record: Record) -> Record:
    return context.session.records.get(record.inspection_id).value


def save_page(page: RecordPage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.toast):
        page.save()


def exists(context: Context, record: Record) -> bool:
    try:
        return now(context, record) is not None
    except NotFound:
        return False


def say_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("record.page", "common.delete_record"):
        monkeypatch.setattr(f"desktop.pages.{module}.confirm", lambda *_, **_more: True)


def test_every_field_is_shown_with_its_name_and_is_saved(
    context: Context, record: Record, qtbot: QtBot
) -> None:
    page = open_record_page(context, qtbot, record.inspection_id)
    shown_text = page.fields.field_text
    assert shown_text("inspection_name") == "左翼根部航后检查"
    assert shown_text("task_id") == "航后绕机"
    assert shown_text("reference_image_id") == "左翼根部"
    assert not page.fields.has_changes
    assert not page.fields.save.isEnabled()
    assert page.top.chip.text == "Not started"


def test_record_without_an_aircraft_shows_none(context: Context, record: Record, qtbot: QtBot) -> None:
    def aircraft_facts(record_id: str) -> tuple[set[str], set[str]]:
        """The facts on the page, and the lines of the report."""
        page = open_record_page(context, qtbot, record_id)
        facts = {name for name, fact in page.fields._fact_labels.items() if fact.isVisible()}
        lines = dict(collect(context.session, record_id, "me", lambda *_: None).fields)
        return facts & {"aircraft", "flight"}, set(lines) & {"Aircraft", "Flight"}

    other = context.session.records.create(RecordCreate(task_id="EXT-7", inspection_name="Gearbox"))
    assert aircraft_facts(other.inspection_id) == (set(), set())
    aircraft = context.session.catalogue.aircraft.create(AircraftWrite(aircraft_name="B-4321"))
    task = context.session.catalogue.tasks.create(
        TaskWrite(task_name="with aircraft", aircraft_id=aircraft.aircraft_id)
    )
    with_aircraft = context.session.records.create(RecordCreate(task_id=task.task_id))
    assert aircraft_facts(with_aircraft.inspection_id) == ({"aircraft"}, {"Aircraft"})


def test_long_names_cause_no_horizontal_scrolling(context: Context, record: Record, qtbot: QtBot) -> None:
    page = open_record_page(context, qtbot, record.inspection_id)
    shown = page._record_data
    assert shown is not None
    wide = "8" * 36
    page._show(
        replace(shown, record=record.model_copy(update={"inspection_id": wide, "aircraft_name": "W" * 80}))
    )
    page.resize(900, 700)
    (area,) = page.findChildren(QScrollArea)
    qtbot.waitUntil(lambda: area.viewport().width() > 300)
    assert area.horizontalScrollBar().maximum() == 0
    page.fields.copy_id.click()
    assert QGuiApplication.clipboard().text() == wide


def test_the_items_are_counted_as_in_the_list_of_records(
    context: Context, record: Record, qtbot: QtBot
) -> None:
    """A model's result is no verdict."""
    context.session.items.from_template(record.inspection_id)
    result = ResultEntry.model_validate({"progress": "done", "isPassed": True, "version": 1, "job_id": "j"})
    items = context.session.items.all(record.inspection_id)
    card = ItemsCard()
    qtbot.addWidget(card)
    card.show_items([item.model_copy(update={"result": [result]}) for item in items], True, True)
    assert card._counts.text() == "Decided 0 of 2 · Detected 2 of 2"
    assert card._progress.value() == 0


@pytest.mark.parametrize(("photos", "text"), [(["a"], "Detection failed"), (["a", "b"], "–")])
def test_failed_detection_is_named_until_a_photo_is_added(
    context: Context, record: Record, qtbot: QtBot, photos: list[str], text: str
) -> None:
    context.session.items.from_template(record.inspection_id)
    failed = {
        "progress": "error",
        "isPassed": False,
        "version": 1,
        "job_id": "j",
        "inputImage": {"file_id": "a"},
    }
    page = open_record_page(context, qtbot, record.inspection_id)
    shown = not_none(page._record_data)
    item = shown.items[0].model_copy(update={"result": [ResultEntry.model_validate(failed)]})
    page._show(replace(shown, items=[item], photos={item.item_id: photos}))
    assert page.items.table.model().index(0, 4).data() == text


def test_status_that_a_client_set_is_shown(
    context: Context, record: Record, qtbot: QtBot, tmp_path: Path
) -> None:
    """A record as left by another program or an older version: failed, and never finished here."""
    session, record_id = context.session, record.inspection_id
    result = ResultEntry(progress="done", isPassed=False, version=1)
    item = session.items.create(ItemCreate(item_name="前缘", inspection_id=record_id, result=[result])).value
    assert session.records.get(record_id).value.inspection_status is Status.FAILED
    page = open_record_page(context, qtbot, record_id)

    def statuses() -> tuple[str, str, str | None]:
        api = page.fields._fact_labels["api_status"]
        shown = api.text() if api.isVisible() else None
        return page.top.chip.text, page.fields._fact_labels["state"].text(), shown

    # The result of a model alone is not a status that another program set.
    assert statuses() == ("In progress", "In progress", None)
    session.records.update(record_id, RecordUpdate(inspection_status=Status.PASSED))
    page.reload()
    qtbot.waitUntil(lambda: statuses() == ("In progress", "In progress", "Passed"), timeout=60_000)
    draft = collect(session, record_id, "me", lambda *_: None)
    assert (draft.status, draft.status_name) == (Status.IN_PROGRESS, "In progress")
    fields = dict(draft.fields)
    assert (fields["Status"], fields["Status in other systems"], fields["Outcome"]) == (
        "In progress",
        "Passed",
        "Undecided",
    )
    session.items.set_verdict(item.item_id, Verdict.PASSED, None)
    session.records.finish(record_id)
    page.reload()
    qtbot.waitUntil(lambda: statuses() == ("Passed", "Passed", None))
    report = collect(session, record_id, "me", lambda *_: None)
    assert (report.status, "Status in other systems" in dict(report.fields)) == (Status.PASSED, False)
    session.records.reopen(record_id, "wrong wing")
    page.reload()
    qtbot.waitUntil(lambda: statuses() == ("In progress", "In progress", None))


def test_save_sends_only_changed_fields(context: Context, record: Record, qtbot: QtBot) -> None:
    page = open_record_page(context, qtbot, record.inspection_id)
    page.fields.fields["inspection_name"].set_text("复查")
    save_page(page, qtbot)
    after = now(context, record)
    assert after.inspection_name == "复查"
    # Saving other fields keeps the seconds, which the field does not show.
    assert after.start_time == record.start_time
    assert after.task_id == record.task_id
    assert not page.fields.has_changes


def test_task_of_another_system_stays_as_typed(context: Context, record: Record, qtbot: QtBot) -> None:
    page = open_record_page(context, qtbot, record.inspection_id)
    page.fields.choosers["task_id"].setEditText("")
    page.save()
    assert page.fields.fields["task_id"].error()
    page.fields.choosers["task_id"].setEditText("MRO-2026-77")
    save_page(page, qtbot)
    assert now(context, record).task_id == "MRO-2026-77"


def test_changes_of_others_to_other_fields_are_merged(context: Context, record: Record, qtbot: QtBot) -> None:
    page = open_record_page(context, qtbot, record.inspection_id)
    context.session.records.update(record.inspection_id, RecordUpdate(executor_id="E-70"))
    page.fields.fields["inspection_name"].set_text("我的名字")
    save_page(page, qtbot)
    after = now(context, record)
    assert (after.inspection_name, after.executor_id) == ("我的名字", "E-70")
    assert page.fields.field_text("executor_id") == "E-70"


def test_typing_while_a_concurrent_change_is_merged_is_kept(
    context: Context, record: Record, qtbot: QtBot
) -> None:
    page = open_record_page(context, qtbot, record.inspection_id)
    context.session.records.update(record.inspection_id, RecordUpdate(executor_id="E-70"))
    name = page.fields.fields["inspection_name"]
    name.set_text("我的名字")
    with qtbot.waitSignal(page.toast):
        page.save()
        name.set_text("我的名字，更长")
        page.fields.choosers["task_id"].setEditText("MRO-2026-78")
    assert now(context, record).inspection_name == "我的名字"
    assert page.fields.changes() == {"inspection_name": "我的名字，更长", "task_id": "MRO-2026-78"}
    save_page(page, qtbot)
    after = now(context, record)
    assert (after.inspection_name, after.task_id, after.executor_id) == (
        "我的名字，更长",
        "MRO-2026-78",
        "E-70",
    )


def test_changes_of_the_same_fields_are_shown_before_they_are_overwritten(
    context: Context, record: Record, qtbot: QtBot
) -> None:
    page = open_record_page(context, qtbot, record.inspection_id)
    other_change = RecordUpdate(inspection_name="别人的名字", task_id="T-70", executor_id="E-70")
    context.session.records.update(record.inspection_id, other_change)
    page.fields.fields["inspection_name"].set_text("我的名字")
    page.fields.choosers["task_id"].restore_choice(("T-30", "T-30"))
    page.save()
    qtbot.waitUntil(page.banner.isVisible)
    errors = {name: each.error() for name, each in page.fields.fields.items() if each.error()}
    assert errors == {
        "inspection_name": "Changed by another user to: 别人的名字",
        "task_id": "Changed by another user to: T-70",
    }
    assert page.banner.text().startswith("Another user modified this.")
    # Nothing was saved, and nothing typed is lost.
    after = now(context, record)
    assert (after.inspection_name, after.task_id) == ("别人的名字", "T-70")
    assert page.fields.changes() == {"inspection_name": "我的名字", "task_id": "T-30"}
    assert page.fields.field_text("executor_id") == "E-70"
    # The user takes one value of the other user and keeps one.
    page.fields.fields["inspection_name"].set_text("别人的名字")
    save_page(page, qtbot)
    after = now(context, record)
    assert (after.inspection_name, after.task_id, after.executor_id) == ("别人的名字", "T-30", "E-70")
    assert not page.fields.has_changes
    assert not any(each.error() for each in page.fields.fields.values())


def test_second_concurrent_change_is_shown_too(context: Context, record: Record, qtbot: QtBot) -> None:
    page = open_record_page(context, qtbot, record.inspection_id)
    name = page.fields.fields["inspection_name"]
    name.set_text("我的名字")

    def is_said(theirs: str) -> bool:
        return name.error() == f"Changed by another user to: {theirs}"

    for theirs in ("别人的名字", "别人的新名字"):
        context.session.records.update(record.inspection_id, RecordUpdate(inspection_name=theirs))
        page.save()
        qtbot.waitUntil(partial(is_said, theirs))
        assert now(context, record).inspection_name == theirs
    page.fields.discard()
    assert (name.text(), name.error()) == ("别人的新名字", "")


def test_record_is_voided_beside_unsent_text_that_another_user_changed(
    context: Context, record: Record, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    say_yes(monkeypatch)
    page = open_record_page(context, qtbot, record.inspection_id)
    name = page.fields.fields["inspection_name"]
    name.set_text("我的名字")
    context.session.records.update(record.inspection_id, RecordUpdate(inspection_name="别人的名字"))
    with qtbot.waitSignal(page.toast):
        context.commands.run("details.cancel")
    after = now(context, record)
    assert (after.inspection_status, after.inspection_name) == (Status.CANCELLED, "别人的名字")
    assert name.text() == "我的名字"
    assert name.error() == "Changed by another user to: 别人的名字"


def test_state_outcome_and_end_cannot_be_typed(context: Context, record: Record, qtbot: QtBot) -> None:
    page = open_record_page(context, qtbot, record.inspection_id)
    assert set(page.fields.fields) == {
        "inspection_name",
        "task_id",
        "executor_id",
        "reference_image_id",
        "start_time",
    }


def test_a_sealed_record_is_read_only_until_it_is_reopened(
    context: Context, record: Record, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = context.session.items.create(
        ItemCreate(item_name="前缘", inspection_id=record.inspection_id)
    ).value
    context.session.items.set_verdict(item.item_id, Verdict.PASSED, None)
    context.session.records.finish(record.inspection_id)
    page = open_record_page(context, qtbot, record.inspection_id)
    assert page.seal_bar.isVisible()
    assert not page.fields.fields["inspection_name"].editor.isEnabled()
    assert not context.commands.is_possible("details.cancel")

    def answer(dialog: ReopenDialog) -> int:
        dialog.reason.setPlainText("wrong wing")
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(ReopenDialog, "exec", answer)
    context.commands.run("details.reopen")
    qtbot.waitUntil(page.fields.fields["inspection_name"].editor.isEnabled)
    assert context.session.records.seal(record.inspection_id).state is SealState.REOPENED


def test_items_are_copied_from_the_template_or_the_last_inspection(
    context: Context, record: Record, qtbot: QtBot
) -> None:
    page = open_record_page(context, qtbot, record.inspection_id)
    page.items.template.click()
    qtbot.waitUntil(lambda: page.items.table.rows_model.rowCount() == 2)
    items = context.session.items.all(record.inspection_id)
    context.session.items.set_verdict(items[1].item_id, Verdict.FAILED, "裂纹")
    page.reload()
    model = page.items.table.rows_model
    qtbot.waitUntil(lambda: model.rowCount() == 2 and model.index(1, 3).data() == "Failed")
    assert model.index(0, 3).data() == "Not started"
    page.items.table.select_row(1)
    with qtbot.waitSignal(page.navigate) as navigation:
        qtbot.keyClick(page.items.table, Qt.Key.Key_Return)
    assert navigation.args == [
        "workbench",
        {"record_id": record.inspection_id, "item_id": items[1].item_id},
    ]

    body = RecordCreate(task_id=record.task_id, reference_image_id=record.reference_image_id)
    second = context.session.records.create(body)
    page.enter({"record_id": second.inspection_id})
    qtbot.waitUntil(lambda: page.items.last.isVisible() and page.items.last.isEnabled())
    page.items.last.click()
    qtbot.waitUntil(lambda: page.items.table.rows_model.rowCount() == 2)
    assert model.index(1, 3).data() == "Not started"


def test_the_first_inspection_has_no_last_one(context: Context, record: Record, qtbot: QtBot) -> None:
    page = open_record_page(context, qtbot, record.inspection_id)
    page.items.last.click()
    qtbot.waitUntil(page.banner.isVisible)
    assert "No earlier record" in page.banner.text()


def test_a_record_is_cancelled_reopened_and_deleted(
    context: Context, record: Record, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    say_yes(monkeypatch)
    page = open_record_page(context, qtbot, record.inspection_id)
    page.fields.fields["inspection_name"].set_text("noch nicht gespeichert")
    with qtbot.waitSignal(page.toast):
        assert context.commands.run("details.cancel")
    assert now(context, record).inspection_status == Status.CANCELLED
    # The unsent text stays, still unsaved.
    assert page.fields.has_changes
    assert now(context, record).inspection_name == record.inspection_name
    assert not context.commands.is_possible("details.cancel")
    with qtbot.waitSignal(page.toast):
        assert context.commands.run("details.restore")
    assert now(context, record).inspection_status == Status.NOT_STARTED
    with qtbot.waitSignal(page.navigate) as navigation:
        assert context.commands.run("details.delete")
    assert navigation.args is not None
    assert navigation.args[0] == "records"
    assert page.leave()


def test_record_changed_concurrently_is_deleted_only_after_it_was_shown(
    context: Context, record: Record, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_record_page(context, qtbot, record.inspection_id)
    page.fields.choosers["executor_id"].setEditText("外部人员")
    questions: list[str] = []

    def answer(_parent: object, title: str, _text: str, _verb: str) -> bool:
        questions.append(title)
        if len(questions) == 1:
            # While the question is open.
            change = RecordUpdate(inspection_name="gerade geändert")
            context.session.records.update(record.inspection_id, change)
        return True

    monkeypatch.setattr("desktop.pages.common.delete_record.confirm", answer)
    context.commands.run("details.delete")
    name = page.fields.fields["inspection_name"]
    qtbot.waitUntil(lambda: name.text() == "gerade geändert")
    assert page.banner.text().startswith("Another user modified this.")
    assert exists(context, record)
    # What was typed stays, and nothing else counts as changed.
    assert page.fields.changes() == {"executor_id": "外部人员"}
    context.commands.run("details.delete")
    qtbot.waitUntil(lambda: not exists(context, record))


@pytest.mark.parametrize(("ending", "start"), [("pdf", b"%PDF-"), ("html", b"<!doctype html>")])
def test_the_report_is_written_off_the_gui_thread(
    context: Context,
    record: Record,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ending: str,
    start: bytes,
) -> None:
    context.session.items.from_template(record.inspection_id)
    page = open_record_page(context, qtbot, record.inspection_id)
    path = tmp_path / "报告"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    page.write_report(ending)
    qtbot.waitUntil(page.banner.isVisible)
    assert f"报告.{ending}" in page.banner.text()
    assert path.with_name(f"报告.{ending}").read_bytes().startswith(start)
    qtbot.waitUntil(lambda: page.findChild(QProgressDialog) is None)


def test_report_that_cannot_be_saved_is_explained(
    context: Context, record: Record, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_record_page(context, qtbot, record.inspection_id)
    path = tmp_path / "no such folder" / "report.pdf"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    page.write_report("pdf")
    qtbot.waitUntil(page.banner.isVisible)
    assert "Cannot save the file" in page.banner.text()


@pytest.mark.parametrize("agreed", [True, False])
def test_a_pdf_that_would_have_gaps_is_not_written_and_html_is_offered(
    context: Context,
    record: Record,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    agreed: bool,
) -> None:
    questions: list[str] = []

    def answer(*arguments: str, danger: bool) -> bool:
        questions.append(arguments[2])
        return agreed

    monkeypatch.setattr(file_dialogs, "confirm", answer)
    # A character of the private area: no font has it.
    context.session.records.update(record.inspection_id, RecordUpdate(inspection_name="Wing \ue123"))
    page = open_record_page(context, qtbot, record.inspection_id)
    path = tmp_path / "report.pdf"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    page.write_report("pdf")
    qtbot.waitUntil(page.banner.isVisible)
    assert "U+E123" in questions[0]
    assert not path.exists()
    html = tmp_path / "report.html"
    assert html.exists() is agreed
    if agreed:
        assert "Wing \ue123" in html.read_text("utf-8")
        assert "report.html" in page.banner.text()
    else:
        assert "U+E123" in page.banner.text()


def test_a_day_of_the_record_is_picked_from_a_calendar(
    context: Context, record: Record, qtbot: QtBot
) -> None:
    page = open_record_page(context, qtbot, record.inspection_id)
    field = page.fields.fields["start_time"]
    assert isinstance(field, MomentField)
    field.set_text("2026-05-31 14:30")
    field.calendar_button.click()
    assert field.calendar is not None
    field.calendar.clicked.emit(QDate(2026, 6, 2))
    assert field.text() == "2026-06-02 14:30"
    assert page.fields.has_changes


def test_leaving_asks_only_with_unsaved_text(
    context: Context, record: Record, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    titles: list[str] = []
    monkeypatch.setattr("desktop.pages.record.page.confirm", lambda *arguments: titles.append(arguments[1]))
    page = open_record_page(context, qtbot, record.inspection_id)
    assert page.leave()
    page.fields.fields["inspection_name"].set_text("neu")
    assert not page.leave()
    assert titles


def test_place_restores_typed_text(context: Context, record: Record, qtbot: QtBot) -> None:
    page = open_record_page(context, qtbot, record.inspection_id)
    page.fields.fields["inspection_name"].set_text("新名字")
    page.fields.choosers["executor_id"].setEditText("外部人员")
    place = page.return_params()
    other = RecordPage(context)
    qtbot.addWidget(other)
    other.show()
    other.enter(place)
    qtbot.waitUntil(lambda: other.fields.field_text("inspection_name") == "新名字")
    assert other.fields.field_text("executor_id") == "外部人员"
    assert other.fields.changes() == {"inspection_name": "新名字", "executor_id": "外部人员"}


def test_viewer_cannot_change_the_record(context: Context, record: Record, qtbot: QtBot) -> None:
    context.payload = make_payload(Role.VIEWER)
    page = open_record_page(context, qtbot, record.inspection_id)
    assert not page.fields.fields["inspection_name"].editor.isEnabled()
    assert not page.fields.save.isVisible()
    assert not page.items.template.isVisible()
    assert not context.commands.is_possible("details.delete")
    assert not context.commands.is_possible("details.cancel")


def test_missing_record_leads_back_to_the_list(context: Context, qtbot: QtBot) -> None:
    page = open_record_page(context, qtbot, "no-such-record")
    button = not_none(as_instance(page.stack.currentWidget(), EmptyState).button)
    with qtbot.waitSignal(page.navigate) as navigation:
        button.click()
    assert navigation.args == ["records", {}]
    assert not page.open_button.isEnabled()
