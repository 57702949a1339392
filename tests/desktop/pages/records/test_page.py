"""The list of records in a real window against the real service."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetricsF, QPalette
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QMenu, QWidget
from pytestqt.qtbot import QtBot

from desktop.client import RecordFilter, Session
from desktop.context import Context
from desktop.messages.seal_terms import sealed_sentence
from desktop.pages.catalogue.forms import AircraftForm, TaskForm
from desktop.pages.common import delete_record
from desktop.pages.common.forms import lookup
from desktop.pages.common.forms.chooser import SearchCombo
from desktop.pages.records import RecordsPage
from desktop.pages.records.new_record import ItemSource, NewRecordDialog
from desktop.pages.records.records_model import COUNTERS_ROLE, RecordColumn, progress_width
from desktop.preferences import Preferences
from desktop.theme import TEXT_PX, text_font, theme_manager
from desktop.widgets import Button
from shared.images.cv import cv2
from shared.record.codes import Role, Status, Verdict
from shared.record.entries import Entry
from shared.samples import View, draw_panel, photograph
from shared.wire.catalogue import (
    AircraftWrite,
    FlightWrite,
    ReferenceImage,
    ReferenceImageWrite,
    TaskWrite,
    TemplateRegion,
)
from shared.wire.inspection import (
    ItemCreate,
    ItemPoint,
    ItemUpdate,
    Point,
    RecordCreate,
    RecordUpdate,
    ResultEntry,
)
from shared.wire.seal import InspectionPolicy
from tests.desktop.conftest import make_payload
from tests.desktop.pages.workbench.driver import DATABASES, store_detections
from tests.narrowing import not_none, reread
from tests.service_app import ADMIN
from tests.service_process import create_first_admin, service_process


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    data = tmp_path_factory.mktemp("records") / "data"
    with service_process(data) as url:
        DATABASES[url] = data / "walkaround.db"
        create_first_admin(url)
        session = Session(url)
        session.account.login(*ADMIN)
        aircraft = session.catalogue.aircraft.create(AircraftWrite(aircraft_name="B-1234"))
        flight = session.catalogue.flights.create(
            FlightWrite(flight_number="CA1831", aircraft_id=aircraft.aircraft_id)
        )
        task = session.catalogue.tasks.create(TaskWrite(task_name="航后", flight_id=flight.flight_id))
        for number in range(30):
            status = Status.PASSED if number % 3 == 0 else Status.NOT_STARTED
            session.records.create(
                RecordCreate(
                    task_id=task.task_id, inspection_name=f"检查 {number:02}", inspection_status=status
                )
            )
        session.close()
        yield url


@pytest.fixture
def page(context: Context, qtbot: QtBot) -> Iterator[RecordsPage]:
    page = RecordsPage(context)
    qtbot.addWidget(page)
    page.resize(1300, 800)
    page.show()
    page.enter({})
    qtbot.waitUntil(lambda: page.model.rowCount() > 0)
    yield page
    page.leave()


def names(page: RecordsPage) -> list[str]:
    return [str(page.model.index(row, 0).data()) for row in range(page.model.rowCount())]


def test_newest_records_are_first_with_their_joined_names(page: RecordsPage, qtbot: QtBot) -> None:
    assert names(page)[:2] == ["检查 29", "检查 28"]
    assert page.model.index(0, 1).data() == "B-1234"
    qtbot.waitUntil(lambda: page.model.index(0, 2).data() == "CA1831")


def test_next_and_previous_page_are_loaded(page: RecordsPage, qtbot: QtBot) -> None:
    assert page.model.rowCount() == 25
    assert not page.pager.previous.isEnabled()
    page.pager.next.click()
    qtbot.waitUntil(lambda: page.model.rowCount() == 5)
    assert names(page)[-1] == "检查 00"
    assert not page.pager.next.isEnabled()
    page.pager.previous.click()
    qtbot.waitUntil(lambda: page.model.rowCount() == 25)


def test_record_is_selected_on_the_last_page_if_its_page_is_gone(page: RecordsPage, qtbot: QtBot) -> None:
    session = page._context.session
    record = next(each for each in session.records.search(RecordFilter(), 2, 25).data[1:])
    page.enter({"page": 9, "record_id": record.inspection_id})
    qtbot.waitUntil(lambda: page.model.rowCount() == 5)
    assert page.selected_record == record


def test_closed_menu_of_a_record_is_deleted(page: RecordsPage, qtbot: QtBot) -> None:
    before = len(page.findChildren(QMenu))
    for _ in range(2):
        page._show_menu(QPoint(20, 20))
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        qtbot.keyClick(menu, Qt.Key.Key_Escape)
        qtbot.waitUntil(lambda: len(page.findChildren(QMenu)) == before)


def test_a_filter_narrows_and_clearing_widens(page: RecordsPage, qtbot: QtBot) -> None:
    # A client wrote passed into ten records, and no one finished them.
    page.filters.status.set_value(Status.IN_PROGRESS)
    page.filters.status.picked.emit(Status.IN_PROGRESS)
    qtbot.waitUntil(lambda: page.model.rowCount() == 10)
    assert {page.model.index(row, RecordColumn.STATUS).data() for row in range(10)} == {"In progress"}
    assert page.filters.clear.isVisible()
    page.filters.clear.click()
    qtbot.waitUntil(lambda: page.model.rowCount() == 25)
    assert not page.filters.clear.isVisible()


def test_the_executor_is_a_filter_by_id_or_by_a_part_of_the_name(page: RecordsPage, qtbot: QtBot) -> None:
    me = page._context.session.account.me().user
    executor = page.filters.executor
    qtbot.waitUntil(lambda: executor.count() > 0)
    executor.setCurrentIndex(executor.findData(me.user_id))
    executor.choice_changed.emit()
    assert page.filters.value() == RecordFilter(executor_id=me.user_id)
    qtbot.waitUntil(lambda: page.stack.currentWidget() is not page.stack.content)
    executor.setEditText("some")
    assert page.filters.value() == RecordFilter(executor_name="some")
    page.filters.clear.click()
    qtbot.waitUntil(lambda: page.stack.currentWidget() is page.stack.content)


def test_page_created_before_the_login_offers_the_executors(context: Context, qtbot: QtBot) -> None:
    payload, context.payload = not_none(context.payload), None
    page = RecordsPage(context)
    qtbot.addWidget(page)
    context.payload = payload
    page.enter({})
    executor = page.filters.executor
    qtbot.waitUntil(lambda: executor.findData(payload.user.user_id) >= 0)
    page.leave()


def test_progress_bar_leaves_room_for_the_count(qtbot: QtBot) -> None:
    text = "Decided 12 of 12"
    text_width = QFontMetricsF(text_font(TEXT_PX)).horizontalAdvance(text)
    assert progress_width(text, text_width + 200) == 60
    assert progress_width(text, text_width + 40) == pytest.approx(30)


def test_a_range_of_days_is_a_filter_with_both_days(page: RecordsPage, qtbot: QtBot) -> None:
    started = page.filters.started
    started.set_range(date(2026, 11, 1), date(2026, 11, 20))
    with qtbot.waitSignal(page.filters.changed):
        started.changed.emit()
    record_filter = page.filters.value()
    assert record_filter.start_time_from == datetime(2026, 11, 1).astimezone()
    assert record_filter.start_time_to == datetime(2026, 11, 20, 23, 59, 59, 999_999).astimezone()
    assert page.filters.clear.isVisible()
    page.filters.clear.click()
    assert started.value() == (None, None)


def test_a_record_that_began_on_the_last_day_of_a_range_is_found(page: RecordsPage, qtbot: QtBot) -> None:
    session = page._context.session
    began = datetime(2026, 11, 20, 23, 30).astimezone()
    record = session.records.create(RecordCreate(task_id="t", inspection_name="那一天", start_time=began))
    page.filters.started.set_range(date(2026, 11, 20), date(2026, 11, 20))
    page.filters.started.changed.emit()
    qtbot.waitUntil(lambda: names(page) == ["那一天"])
    page.filters.reset()
    session.records.delete(record.inspection_id)


def test_inactive_filters_have_the_same_form(page: RecordsPage) -> None:
    def ink(combo: QComboBox) -> str:
        return combo.palette().color(QPalette.ColorRole.ButtonText).name()

    # Where a window was shown before, nothing wears the stylesheet by itself.
    theme_manager().apply_to(page)
    filters = page.filters
    line = filters.executor.lineEdit()
    assert line is not None
    off = line.palette().color(QPalette.ColorRole.PlaceholderText).name()
    assert ink(filters.status) == ink(filters.started) == off
    filters.status.set_value(Status.PASSED)
    filters.status.picked.emit(Status.PASSED)
    assert ink(filters.status) == theme_manager().theme.text


def test_focus_returns_when_the_list_has_records_again(page: RecordsPage, qtbot: QtBot) -> None:
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    page.table.setFocus()
    page.filters.status.set_value(Status.CANCELLED)
    page.filters.status.picked.emit(Status.CANCELLED)
    qtbot.waitUntil(lambda: page.stack.currentWidget() is not page.stack.content)
    # Not on the button that clears the filters, which would show a focus ring.
    assert QApplication.focusWidget() is page.stack
    page.filters.reset()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is page.table)


def test_changes_of_other_users_appear_without_moving_the_list(
    page: RecordsPage, context: Context, qtbot: QtBot
) -> None:
    page.resize(1000, 500)
    bar = page.table.verticalScrollBar()
    bar.setValue(bar.maximum())
    at, chosen = bar.value(), page.selected_record
    assert at > 0
    assert chosen is not None
    record = context.session.records.create(RecordCreate(task_id="t", inspection_name="别人新建的记录"))
    qtbot.waitUntil(lambda: "别人新建的记录" in names(page))
    assert (bar.value(), page.selected_record) == (at, chosen)
    context.session.records.delete(record.inspection_id)
    qtbot.waitUntil(lambda: "别人新建的记录" not in names(page))


def test_hidden_page_does_not_listen(page: RecordsPage, context: Context, qtbot: QtBot) -> None:
    events: list[object] = []
    page.listener.event_received.connect(events.append)
    assert page.leave()
    record = context.session.records.create(RecordCreate(task_id="t", inspection_name="无人在听"))
    page.enter({})
    qtbot.waitUntil(lambda: "无人在听" in names(page))
    assert events == []
    context.session.records.delete(record.inspection_id)
    qtbot.waitUntil(lambda: bool(events))


def test_empty_result_is_reported_and_filters_can_be_reset(page: RecordsPage, qtbot: QtBot) -> None:
    page.filters.search.setText("nobody of this name")
    qtbot.waitUntil(lambda: page.stack.currentWidget() is not page.stack.content)
    assert not page.export.isEnabled()
    page.filters.reset()
    qtbot.waitUntil(lambda: page.stack.currentWidget() is page.stack.content)
    assert page.export.isEnabled()


def test_enter_opens_the_record(page: RecordsPage, qtbot: QtBot) -> None:
    page.table.setFocus()
    with qtbot.waitSignal(page.navigate) as navigation:
        qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert navigation.args is not None
    chosen = page.selected_record
    assert chosen is not None
    assert navigation.args == ["workbench", {"record_id": chosen.inspection_id}]


def test_new_record_needs_a_task_and_keeps_the_texts(page: RecordsPage, qtbot: QtBot) -> None:
    page.make_record()
    dialog = page.findChild(NewRecordDialog)
    assert isinstance(dialog, NewRecordDialog)
    qtbot.waitUntil(lambda: dialog.task.count() == 1)
    dialog.name.set_text("右翼缝翼")
    dialog.task.setEditText("")
    dialog.activateWindow()
    dialog.create_button.click()
    assert dialog.task_field.error()
    assert dialog.focusWidget() is dialog.task
    assert dialog.name.text() == "右翼缝翼"
    dialog.task.setCurrentIndex(0)
    with qtbot.waitSignal(page.navigate) as navigation:
        dialog.create_button.click()
    assert navigation.args is not None
    record = page._context.session.records.get(navigation.args[1]["record_id"]).value
    assert record.inspection_name == "右翼缝翼"
    assert record.aircraft_name == "B-1234"
    page._context.session.records.delete(record.inspection_id)


def test_list_is_exported_completely_and_without_formulas(
    page: RecordsPage, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = page._context.session
    body = RecordCreate(task_id="t", inspection_name="=1+1")
    record = session.records.create(body)
    path = tmp_path / "list.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    with qtbot.waitSignal(page.toast):
        page.export_list()
    session.records.delete(record.inspection_id)
    rows = list(csv.reader(path.read_text("utf-8-sig").splitlines()))
    assert len(rows) == 32
    assert rows[1][0] == "'=1+1"
    assert rows[0][4:7] == ["Items", "Decided items", "Detected items"]
    assert rows[1][4:7] == ["0", "0", "0"]
    assert all(len(row) == len(rows[0]) for row in rows)


def test_sealed_awaiting_and_reopened_show_by_a_word_and_in_the_exported_list(
    page: RecordsPage, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = page._context.session
    record_ids = {}
    for name in ("sealed", "awaiting", "reopened", "open", "detected"):
        record = session.records.create(RecordCreate(task_id="t", inspection_name=name))
        item = session.items.create(ItemCreate(item_name="条目", inspection_id=record.inspection_id)).value
        record_ids[name] = record.inspection_id
        if name == "detected":
            result = ResultEntry(progress="done", isPassed=False, version=1)
            session.items.update(item.item_id, ItemUpdate(result=[result]))
        elif name != "open":
            session.items.set_verdict(item.item_id, Verdict.PASSED, None)
            session.records.set_policy(InspectionPolicy(four_eyes=name == "awaiting"))
            session.records.finish(record.inspection_id)
    session.records.set_policy(InspectionPolicy(four_eyes=False))
    session.records.reopen(record_ids["reopened"], "wrong wing")
    page.reload()

    def status_text(name: str) -> str:
        row = page.model.find_row(record_ids[name])
        index = page.model.index(row, RecordColumn.STATUS)
        assert index.data(Qt.ItemDataRole.AccessibleTextRole) == index.data()
        return "" if row < 0 else str(index.data())

    qtbot.waitUntil(lambda: status_text("sealed") == "Passed · Sealed")
    assert status_text("awaiting") == "Passed · Awaiting review"
    assert status_text("reopened") == "In progress · Reopened"
    assert status_text("open") == "Not started"
    assert status_text("detected") == "In progress"
    hint = page.model.index(page.model.find_row(record_ids["reopened"]), RecordColumn.STATUS)
    assert "wrong wing" in hint.data(Qt.ItemDataRole.ToolTipRole)
    path = tmp_path / "list.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    with qtbot.waitSignal(page.toast):
        page.export_list()
    newest = not_none(session.records.seal(record_ids["sealed"]).newest)
    session.records.reopen(record_ids["sealed"], "end of the test")
    session.records.reopen(record_ids["awaiting"], "end of the test")
    for record_id in record_ids.values():
        session.records.delete(record_id)
    rows = {row["Name"]: row for row in csv.DictReader(path.read_text("utf-8-sig").splitlines())}
    assert rows["sealed"]["Seal status"] == "Sealed"
    assert rows["sealed"]["Edition"] == "1"
    assert rows["sealed"]["Seal"] == newest.seal
    assert rows["sealed"]["Finished by"] == (newest.finished_by_name or newest.finished_by)
    assert datetime.fromisoformat(rows["sealed"]["Finished at"]) == newest.finished_at.replace(microsecond=0)
    assert rows["awaiting"]["Seal status"] == "Awaiting review"
    assert rows["reopened"]["Seal status"] == "Reopened"
    states = {name: rows[name]["Status"] for name in record_ids}
    assert states == {
        "sealed": "Passed",
        "awaiting": "Passed",
        "reopened": "In progress",
        "open": "Not started",
        "detected": "In progress",
    }
    assert rows["open"]["Seal status"] == rows["open"]["Seal"] == ""


def test_sealed_record_is_not_deleted_and_the_reason_is_shown(
    page: RecordsPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = page._context.session
    record_id = session.records.create(RecordCreate(task_id="t", inspection_name="sealed")).inspection_id
    item = session.items.create(ItemCreate(item_name="条目", inspection_id=record_id)).value
    session.items.set_verdict(item.item_id, Verdict.PASSED, None)
    session.records.finish(record_id)
    page.reload()
    qtbot.waitUntil(lambda: page.model.find_row(record_id) >= 0)
    page._select_row(page.model.find_row(record_id))
    monkeypatch.setattr(delete_record, "confirm", lambda *_args, **_more: True)
    page.table.setFocus()
    with qtbot.waitSignal(page.toast) as toast:
        page._context.commands.run("record.delete")
    assert toast.args == [sealed_sentence()]
    assert session.records.verify_seal(record_id).intact
    assert page.model.find_row(record_id) >= 0
    session.records.reopen(record_id, "end of the test")
    session.records.delete(record_id)


def test_stopped_service_is_reported_with_a_retry_button(qtbot: QtBot, tmp_path: Path) -> None:
    session = Session("http://127.0.0.1:9", patience=0.0)
    page = RecordsPage(Context(session, Preferences(tmp_path / "preferences.json")))
    qtbot.addWidget(page)
    page.show()
    page.enter({})
    qtbot.waitUntil(lambda: page.stack.currentWidget() not in (page.stack.content, page.stack.loading))
    session.close()


@pytest.fixture
def reference(context: Context) -> Iterator[ReferenceImage]:
    """A reference image with a template of two regions."""
    session = context.session
    good, data = cv2.imencode(".png", draw_panel(400, 300, 3).image)
    assert good
    stored = session.files.upload(bytes(data), "wing.png")
    regions = [
        TemplateRegion(item_name=f"区域{n}", point=Point(x=0.1 * n, y=0.1, w=0.1, h=0.2)) for n in (1, 2)
    ]
    body = ReferenceImageWrite(reference_image_name="左翼根部", file_id=stored.file_id, template=regions)
    image = session.catalogue.reference_images.create(body)
    yield image
    for record in session.records.search(
        RecordFilter(reference_image_id=image.reference_image_id), 1, 50
    ).data:
        session.records.delete(record.inspection_id)
    session.catalogue.reference_images.delete(image.reference_image_id)


def start_with(page: RecordsPage, qtbot: QtBot, offered: list[ItemSource], start: ItemSource) -> list[str]:
    """Create a record through the dialog; the names of its items."""
    dialog = NewRecordDialog(page._context, page)
    qtbot.waitUntil(lambda: dialog.task.count() == 1 and dialog.reference.count() == 1)
    dialog.task.setCurrentIndex(0)
    dialog.reference.setCurrentIndex(0)
    dialog.reference.activated.emit(0)
    qtbot.waitUntil(lambda: dialog.source.count() == len(offered))
    assert [dialog.source.itemData(n) for n in range(dialog.source.count())] == offered
    dialog.source.set_value(start)
    with qtbot.waitSignal(dialog.record_created) as created:
        dialog.create_button.click()
    dialog.deleteLater()
    assert created.args is not None
    return [item.item_name for item in page._context.session.items.all(created.args[0])]


def test_a_new_record_starts_with_the_template_as_last_time_or_empty(
    page: RecordsPage, reference: ReferenceImage, qtbot: QtBot
) -> None:
    first = [ItemSource.TEMPLATE, ItemSource.EMPTY]
    assert start_with(page, qtbot, first, ItemSource.TEMPLATE) == ["区域1", "区域2"]
    later = [ItemSource.TEMPLATE, ItemSource.LAST, ItemSource.EMPTY]
    session = page._context.session
    record_filter = RecordFilter(reference_image_id=reference.reference_image_id)
    (record,) = session.records.search(record_filter).data
    session.items.delete(session.items.all(record.inspection_id)[0].item_id)
    assert start_with(page, qtbot, later, ItemSource.EMPTY) == []
    # The newest record has no items: the last inspection is the one before.
    assert start_with(page, qtbot, later, ItemSource.LAST) == ["区域2"]


def test_the_filter_finds_any_aircraft_by_a_part_of_its_name(
    page: RecordsPage, context: Context, qtbot: QtBot
) -> None:
    session = context.session
    many = [session.catalogue.aircraft.create(AircraftWrite(aircraft_name=f"X-{n:03}")) for n in range(55)]
    session.catalogue.aircraft.create(AircraftWrite(aircraft_name="B-1234 bis"))
    chooser = page.filters.aircraft
    chooser.refresh()
    qtbot.waitUntil(lambda: chooser.count() == 50)
    assert chooser.findText("B-1234") < 0
    chooser.setFocus()
    not_none(chooser.lineEdit()).setText("B-12")
    not_none(chooser.lineEdit()).textEdited.emit("B-12")
    qtbot.waitUntil(lambda: chooser.findText("B-1234") >= 0)
    assert not reread(page.filters.is_active)
    not_none(chooser.lineEdit()).setText("B-1234")
    not_none(chooser.lineEdit()).editingFinished.emit()
    assert reread(page.filters.is_active)
    qtbot.waitUntil(lambda: page.model.index(0, 1).data() == "B-1234")
    page.filters.reset()
    assert not page.filters.is_active
    for aircraft in many:
        session.catalogue.aircraft.delete(aircraft.aircraft_id)


def test_pending_detections_run_and_failed_ones_are_retried(
    page: RecordsPage, reference: ReferenceImage, qtbot: QtBot
) -> None:
    session = page._context.session
    shown, _ = photograph(draw_panel(400, 300, 3).image, View(rotation=2, scale=0.97))
    stranger = draw_panel(400, 300, 9).image
    pictures = [bytes(cv2.imencode(".png", image)[1]) for image in (shown, stranger)]
    files = [session.files.upload(data, f"today{n}.png").file_id for n, data in enumerate(pictures)]
    items = []
    for _ in range(2):
        body = RecordCreate(task_id="t", reference_image_id=reference.reference_image_id)
        record = session.records.create(body)
        for number, file_id in enumerate(files):
            item = session.items.create(
                ItemCreate(
                    item_name=f"条目{number}",
                    inspection_id=record.inspection_id,
                    model_id="reference-difference",
                    item_point=ItemPoint(point=Point(x=0.1, y=0.1, w=0.7, h=0.7)),
                )
            ).value
            session.items.add_photo(item.item_id, file_id)
            items.append(item.item_id)
    assert page.batch_bar.isHidden()
    page.detect.click()
    qtbot.waitUntil(page.batch_bar.isVisible)
    assert not page.detect.isEnabled()
    qtbot.waitUntil(page.batch_bar.retry.isVisible, timeout=120_000)
    assert not_none(page.batches.batch).done == 2
    assert not_none(page.batches.batch).failed == 2
    assert page.batch_bar.detail.text() == "2 failed"
    assert page.detect.isEnabled()
    for item_id in items[1::2]:
        session.items.add_photo(item_id, files[0])
    page.batch_bar.retry.click()
    qtbot.waitUntil(lambda: not page.batches.busy and not_none(page.batches.batch).done == 2, timeout=120_000)
    assert page.batch_bar.retry.isHidden()
    page.batch_bar.close_button.click()
    assert page.batch_bar.isHidden()
    with qtbot.waitSignal(page.toast) as toast:
        page.detect.click()
    assert toast.args[0].startswith("No undetected photos")
    assert page.batch_bar.isHidden()


def test_batches_do_not_call_a_deleted_page(context: Context, qtbot: QtBot) -> None:
    page = RecordsPage(context)
    batches = page.batches
    page.deleteLater()
    qtbot.waitUntil(lambda: not shiboken6.isValid(page))
    # An exception in a slot fails the test.
    batches.changed.emit()
    batches.detections_ended.emit()
    batches.notice.emit("")


def test_first_task_can_be_created_in_the_dialog(
    page: RecordsPage, context: Context, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookup, "tasks", lambda _session: lambda _text, _page: [])
    page.make_record()
    dialog = page.findChildren(NewRecordDialog)[-1]
    dialog.name.set_text("typed before")
    qtbot.waitUntil(lambda: "task" in dialog.banner.text())
    dialog.task.setEditText("Engine check")
    dialog.banner.action_chosen.emit()
    form = dialog.findChildren(TaskForm)[-1]
    assert form.fields["task_name"].text() == "Engine check"
    form.submit()
    qtbot.waitUntil(lambda: not dialog.banner.isVisible())
    task_id = not_none(dialog.task.selected_id())
    task = context.session.catalogue.tasks.get(task_id)
    assert (task.task_name, task.aircraft_id) == ("Engine check", None)
    assert dialog.name.text() == "typed before"
    assert dialog.isVisible()
    dialog.reject()


@pytest.mark.parametrize(("missing", "text"), [("tasks", "planner"), ("references", "without one")])
def test_inspector_is_not_told_to_create_what_is_missing(
    page: RecordsPage,
    context: Context,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    missing: str,
    text: str,
) -> None:
    monkeypatch.setattr(lookup, missing, lambda _session: lambda _text, _page: [])
    monkeypatch.setattr(context, "payload", make_payload(Role.INSPECTOR))
    page.make_record()
    dialog = page.findChildren(NewRecordDialog)[-1]
    qtbot.waitUntil(lambda: text in dialog.banner.text())
    assert "Create one" not in dialog.banner.text()
    assert "Add one" not in dialog.banner.text()
    dialog.reject()


def test_aircraft_and_flight_can_be_created_beside_their_fields(
    page: RecordsPage, context: Context, qtbot: QtBot
) -> None:
    page.make_record()
    dialog = page.findChildren(NewRecordDialog)[-1]
    dialog.task.setEditText("Borescope of engine 2")
    link(dialog, "New task…").click()
    form = dialog.findChildren(TaskForm)[-1]
    aircraft = form.fields["aircraft_id"].editor
    assert isinstance(aircraft, SearchCombo)
    aircraft.setEditText("B-9999 in place")
    link(form, "New aircraft…").click()
    aircraft_form = form.findChildren(AircraftForm)[-1]
    assert aircraft_form.fields["aircraft_name"].text() == "B-9999 in place"
    aircraft_form.submit()
    qtbot.waitUntil(lambda: aircraft.typed_choice()[0] != "")
    form.submit()
    qtbot.waitUntil(lambda: dialog.task.typed_choice()[0] != "")
    task = context.session.catalogue.tasks.get(not_none(dialog.task.selected_id()))
    assert (task.task_name, task.aircraft_name) == ("Borescope of engine 2", "B-9999 in place")
    assert dialog.task.currentText() == "Borescope of engine 2 · B-9999 in place"
    dialog.reject()


def test_a_reference_image_is_added_within_the_dialog(
    page: RecordsPage, context: Context, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "IMG_1.png"
    path.write_bytes(cv2.imencode(".png", draw_panel(320, 240, 3).image)[1].tobytes())
    page.make_record()
    dialog = page.findChildren(NewRecordDialog)[-1]
    dialog.reference.setEditText("Gearbox housing")
    dialog.new_reference.upload(path)
    assert not dialog.create_button.isEnabled()
    qtbot.waitUntil(lambda: dialog.reference.typed_choice()[0] != "" and dialog.create_button.isEnabled())
    image = context.session.catalogue.reference_images.get(not_none(dialog.reference.selected_id()))
    assert (image.reference_image_name, image.filename) == ("Gearbox housing", "IMG_1.png")
    dialog.reject()


def test_record_without_an_aircraft_is_marked(page: RecordsPage, context: Context, qtbot: QtBot) -> None:
    record = context.session.records.create(RecordCreate(task_id="EXT-1", inspection_name="Gearbox"))
    page.reload()
    qtbot.waitUntil(lambda: page.model.find_row(record.inspection_id) >= 0)
    row = page.model.find_row(record.inspection_id)
    assert page.model.index(row, RecordColumn.AIRCRAFT).data() == "No aircraft"
    assert page.model.index(row, RecordColumn.FLIGHT).data() == ""
    context.session.records.delete(record.inspection_id)


def link(within: QWidget, text: str) -> Button:
    return next(button for button in within.findChildren(Button) if button.text() == text)


def test_judged_and_detected_items_are_counted_as_on_the_workbench(page: RecordsPage, qtbot: QtBot) -> None:
    session, record = page._context.session, not_none(page.model.record(0))
    for number, passed in enumerate((True, True, None)):
        item = ItemCreate(item_name=f"条目 {number}", inspection_id=record.inspection_id)
        stored = session.items.create(item).value
        if passed is not None:
            detection: Entry = {"isPassed": passed, "progress": "done", "version": 1, "job_id": "j"}
            store_detections(session, stored.item_id, detection)
        if number == 0:
            session.items.set_verdict(stored.item_id, Verdict.FAILED, "裂纹")

    def counters() -> tuple[int, ...] | None:
        row = page.model.find_row(record.inspection_id)
        counts = page.model.index(row, RecordColumn.PROGRESS).data(COUNTERS_ROLE)
        return None if counts is None else (counts.items, counts.judged, counts.detected)

    # The detections were stored without an event, so the list may have been read before them.
    qtbot.waitUntil(lambda: (counters() or (0, 0))[:2] == (3, 1))
    page.reload()
    qtbot.waitUntil(lambda: counters() == (3, 1, 2))
    row = page.model.find_row(record.inspection_id)
    assert page.model.index(row, RecordColumn.PROGRESS).data() == "Decided 1 of 3 · Detected 2 of 3"


def test_record_changed_concurrently_is_shown_before_it_is_deleted(
    page: RecordsPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = page._context.session
    record_id = session.records.create(RecordCreate(task_id="t", inspection_name="vorher")).inspection_id
    page.enter({"record_id": record_id})
    qtbot.waitUntil(lambda: not_none(page.selected_record).inspection_id == record_id)
    # The list does not hear of the change.
    page.leave()
    session.records.update(record_id, RecordUpdate(inspection_name="nachher"))
    monkeypatch.setattr(delete_record, "confirm", lambda *_args, **_more: True)
    with qtbot.waitSignal(page.toast) as toast:
        page.delete_selected()
    assert toast.args[0].startswith("Another user modified this.")
    qtbot.waitUntil(lambda: not_none(page.selected_record).inspection_name == "nachher")
    page.delete_selected()
    qtbot.waitUntil(lambda: page.model.find_row(record_id) < 0)
