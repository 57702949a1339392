"""The catalogue in a real window against the real service."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from desktop.context import Context
from desktop.pages.catalogue import CataloguePage
from desktop.pages.catalogue.forms import AircraftForm, FlightForm, TaskForm
from desktop.pages.catalogue.page import AircraftSection
from desktop.pages.common.forms.chooser import SearchCombo
from desktop.widgets.states import ErrorState
from shared.record.codes import Role
from shared.wire.catalogue import AircraftWrite, FlightWrite, TaskWrite
from tests.desktop.children import child
from tests.desktop.conftest import make_payload
from tests.desktop.pages.catalogue.driver import names, open_catalogue, wait_until_loaded
from tests.narrowing import as_instance, not_none


@pytest.fixture
def page(context: Context, qtbot: QtBot) -> CataloguePage:
    return open_catalogue(context, qtbot)


@pytest.fixture(autouse=True)
def _yes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop.pages.common.lists.list_section.confirm", lambda *_: True)


def test_aircraft_can_be_created_found_changed_and_deleted(page: CataloguePage, qtbot: QtBot) -> None:
    section = page.sections["aircraft"]
    section.new.click()
    form = child(section, AircraftForm)
    form.submit()
    assert form.fields["aircraft_name"].error()
    form.fields["aircraft_name"].set_text("B-1234 · 波音 787")
    form.fields["registration"].set_text("B-1234")
    with qtbot.waitSignal(form.saved):
        form.submit()
    wait_until_loaded(page, qtbot)
    assert names(page, "aircraft") == ["B-1234 · 波音 787"]
    assert page.focusWidget() is as_instance(section, AircraftSection).table

    page._context.session.catalogue.aircraft.create(AircraftWrite(aircraft_name="B-9999"))
    section.search.setText("波音")
    qtbot.keyClick(section.search, Qt.Key.Key_Return)
    wait_until_loaded(page, qtbot)
    assert names(page, "aircraft") == ["B-1234 · 波音 787"]

    aircraft = not_none(section.selected_entry())
    section.edit_selected()
    form = next(widget for widget in section.findChildren(AircraftForm) if widget.isVisible())
    form.fields["aircraft_type"].set_text("Boeing 787-9")
    with qtbot.waitSignal(form.saved):
        form.submit()
    now = page._context.session.catalogue.aircraft.get(aircraft.aircraft_id)
    assert (now.aircraft_type, now.registration) == ("Boeing 787-9", "B-1234")

    wait_until_loaded(page, qtbot)
    with qtbot.waitSignal(section.toast):
        section.delete_selected()
    qtbot.waitUntil(lambda: not names(page, "aircraft"))
    assert section.stack.currentWidget() is not section.stack.content


def test_referenced_entry_is_not_deleted_and_the_message_explains_it(
    page: CataloguePage, qtbot: QtBot
) -> None:
    catalogue = page._context.session.catalogue
    aircraft = catalogue.aircraft.create(AircraftWrite(aircraft_name="B-2087"))
    catalogue.flights.create(FlightWrite(flight_number="MU5102", aircraft_id=aircraft.aircraft_id))
    section = page.sections["aircraft"]
    section.reload(aircraft.aircraft_id)
    wait_until_loaded(page, qtbot)
    assert not_none(section.selected_entry()).aircraft_name == "B-2087"
    with qtbot.waitSignal(page.toast) as toast:
        section.delete_selected()
    assert "B-2087" in toast.args[0]
    assert "1 flight" in toast.args[0]
    assert catalogue.aircraft.get(aircraft.aircraft_id)


def test_flight_form_keeps_its_texts_until_the_time_is_valid(context: Context, qtbot: QtBot) -> None:
    aircraft = context.session.catalogue.aircraft.create(AircraftWrite(aircraft_name="B-1301 C919"))
    page = open_catalogue(context, qtbot, "flights")
    section = page.sections["flights"]
    section.open_new_form()
    form = child(section, FlightForm)
    form.fields["flight_number"].set_text("CZ3456")
    form.fields["scheduled_at"].set_text("tomorrow")
    chooser = form.fields["aircraft_id"].editor
    assert isinstance(chooser, SearchCombo)
    qtbot.waitUntil(lambda: chooser.findText("B-1301 C919") >= 0)
    chooser.setEditText("no such aircraft")
    form.submit()
    scheduled = form.fields["scheduled_at"]
    line = scheduled.editor
    assert isinstance(line, QLineEdit)
    # The empty field and its error name one form.
    assert line.placeholderText() in scheduled.error()
    form.fields["scheduled_at"].set_text("2026-05-31 14:30")
    form.submit()
    assert form.fields["aircraft_id"].error()
    assert form.fields["flight_number"].text() == "CZ3456"
    chooser.setEditText("B-1301 C919")
    with qtbot.waitSignal(form.saved) as saved:
        form.submit()
    flight = saved.args[0]
    assert flight.aircraft_id == aircraft.aircraft_id
    assert flight.scheduled_at == datetime(2026, 5, 31, 14, 30).astimezone(UTC)


def test_change_of_one_field_keeps_concurrent_changes(context: Context, qtbot: QtBot) -> None:
    tasks = context.session.catalogue.tasks
    task = tasks.create(TaskWrite(task_name="航后", description="旧"))
    page = open_catalogue(context, qtbot, "tasks")
    section = page.sections["tasks"]
    section.reload(task.task_id)
    wait_until_loaded(page, qtbot)
    section.edit_selected()
    tasks.update(task.task_id, TaskWrite(task_name="航后", description="别人写的"))
    form = child(section, TaskForm)
    form.fields["task_name"].set_text("航后绕机")
    with qtbot.waitSignal(form.saved):
        form.submit()
    now = tasks.get(task.task_id)
    assert (now.task_name, now.description) == ("航后绕机", "别人写的")


def test_concurrent_change_is_shown_and_not_overwritten(context: Context, qtbot: QtBot) -> None:
    aircraft = context.session.catalogue.aircraft
    entry = aircraft.create(AircraftWrite(aircraft_name="B-7000", registration="B-7000"))
    form = AircraftForm(context, entry)
    qtbot.addWidget(form)
    form.show()
    aircraft.update(entry.aircraft_id, AircraftWrite(aircraft_name="B-7000 theirs", aircraft_type="787"))
    form.fields["registration"].set_text("B-7001")
    with qtbot.waitSignal(form.saved) as saved:
        form.submit()
    both = saved.args[0]
    assert (both.aircraft_name, both.registration, both.aircraft_type) == ("B-7000 theirs", "B-7001", "787")

    again = AircraftForm(context, both)
    qtbot.addWidget(again)
    again.show()
    aircraft.update(entry.aircraft_id, AircraftWrite(aircraft_name="B-7000 once more"))
    again.fields["aircraft_name"].set_text("mine")
    again.submit()
    qtbot.waitUntil(lambda: bool(again.fields["aircraft_name"].error()))
    assert "B-7000 once more" in again.fields["aircraft_name"].error()
    assert aircraft.get(entry.aircraft_id).aircraft_name == "B-7000 once more"
    with qtbot.waitSignal(again.saved) as saved:
        again.submit()
    assert saved.args[0].aircraft_name == "mine"


def test_concurrent_change_is_shown_before_deletion(context: Context, qtbot: QtBot) -> None:
    aircraft = context.session.catalogue.aircraft
    entry = aircraft.create(AircraftWrite(aircraft_name="B-8100"))
    page = open_catalogue(context, qtbot)
    section = page.sections["aircraft"]
    section.reload(entry.aircraft_id)
    wait_until_loaded(page, qtbot)
    qtbot.waitUntil(lambda: section.selected_entry() is not None)
    assert not_none(section.selected_entry()).aircraft_id == entry.aircraft_id
    aircraft.update(
        entry.aircraft_id, AircraftWrite(aircraft_name=entry.aircraft_name, aircraft_type="787-9")
    )
    with qtbot.waitSignal(page.toast) as toast:
        section.delete_selected()
    assert toast.args[0].startswith("Cannot delete B-8100: Another user modified this.")
    qtbot.waitUntil(lambda: not_none(section.selected_entry()).aircraft_type == "787-9")
    assert aircraft.get(entry.aircraft_id).aircraft_type == "787-9"
    with qtbot.waitSignal(page.toast):
        section.delete_selected()
    qtbot.waitUntil(lambda: entry.aircraft_name not in names(page, "aircraft"))


def test_viewer_sees_the_list_without_commands_to_change_it(context: Context, qtbot: QtBot) -> None:
    context.session.catalogue.aircraft.create(AircraftWrite(aircraft_name="B-0001"))
    context.payload = make_payload(Role.VIEWER)
    page = open_catalogue(context, qtbot)
    section = page.sections["aircraft"]
    assert names(page, "aircraft")
    assert not section.new.isVisible()
    assert not section.edit.isVisible()
    section.edit_selected()
    section.open_new_form()
    assert not section.findChildren(AircraftForm)


def test_unreachable_service_is_reported_and_retried(context: Context, qtbot: QtBot, service: str) -> None:
    page = open_catalogue(context, qtbot)
    section = as_instance(page.sections["aircraft"], AircraftSection)
    section.table.show_rows([])
    context.session._transport._patience = 0.0
    context.session.rebase("http://127.0.0.1:9")
    section.reload()
    qtbot.waitUntil(lambda: section.stack.currentWidget() is not section.stack.content)
    wait_until_loaded(page, qtbot)
    button = as_instance(section.stack.currentWidget(), ErrorState).button
    context.session.rebase(service)
    button.click()
    wait_until_loaded(page, qtbot)
    assert section.stack.currentWidget() is section.stack.content


def test_what_a_user_selects_while_the_list_is_read_stays_selected(
    page: CataloguePage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    section = as_instance(page.sections["aircraft"], AircraftSection)
    for name in ("A", "B"):
        page._context.session.catalogue.aircraft.create(AircraftWrite(aircraft_name=name))
    section.reload()
    wait_until_loaded(page, qtbot)
    asked, fetch = threading.Event(), section.fetch
    monkeypatch.setattr(section, "fetch", lambda *of_page: asked.wait(60) and fetch(*of_page))
    section.reload()
    section.table.select_row(1)
    chosen = section.selected_entry()
    asked.set()
    wait_until_loaded(page, qtbot)
    assert section.selected_entry() == chosen
