"""A record from a picture and from a file of regions, and the sample, against the real service."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from desktop.client.http.errors import Unreachable
from desktop.context import Context
from desktop.pages.first_steps.coordinator import FirstStepsPanel
from desktop.pages.first_steps.sample_bar import SampleController
from desktop.pages.first_steps.start_dialog import StartDialog
from desktop.pages.records import RecordsPage
from shared.images.cv import cv2
from shared.record.codes import ROLE_PERMISSIONS, Role, Verdict
from shared.samples import draw_panel
from shared.wire.catalogue import TaskWrite
from shared.wire.detection import REFERENCE_DIFFERENCE
from shared.wire.inspection import Record, RecordCreate
from tests.desktop.pages.first_steps.driver import click
from tests.narrowing import not_none


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "Gearbox.png"
    path.write_bytes(cv2.imencode(".png", draw_panel(320, 240, 3).image)[1].tobytes())
    return path


@pytest.fixture
def page(context: Context, qtbot: QtBot) -> Iterator[RecordsPage]:
    records_page = RecordsPage(context)
    qtbot.addWidget(records_page)
    records_page.resize(1280, 800)
    records_page.show()
    records_page.enter({})
    yield records_page
    records_page.leave()


@pytest.fixture
def start_record(context: Context, qtbot: QtBot) -> Iterator[Callable[[bool], StartDialog]]:
    dialogs: list[StartDialog] = []

    def open_dialog(regions: bool) -> StartDialog:
        dialog = StartDialog(context, regions)
        qtbot.addWidget(dialog)
        dialog.show()
        dialogs.append(dialog)
        return dialog

    yield open_dialog
    for dialog in dialogs:
        dialog.hide()


def created_by(dialog: StartDialog, context: Context, qtbot: QtBot) -> Record:
    with qtbot.waitSignal(dialog.created) as created:
        click(qtbot, dialog.create_button)
    return context.session.records.get(created.args[0]).value


def test_typed_names_create_entries_once(
    context: Context, qtbot: QtBot, picture: Path, start_record: Callable[[bool], StartDialog]
) -> None:
    records = []
    for _ in range(2):
        dialog = start_record(False)
        dialog.set_picture(picture)
        dialog.aircraft.setEditText("B-7777")
        dialog.task.setEditText("Gearbox check")
        records.append(created_by(dialog, context, qtbot))
    first, second = records
    assert (first.inspection_name, first.aircraft_name, first.reference_image_name) == (
        "Gearbox",
        "B-7777",
        "Gearbox",
    )
    assert first.task_id == second.task_id
    assert first.aircraft_id == second.aircraft_id
    [item] = context.session.items.all(first.inspection_id)
    assert (item.item_name, item.model_id) == ("Whole image", REFERENCE_DIFFERENCE)


def test_an_existing_task_without_aircraft_does_not_take_the_aircraft_away(
    context: Context, qtbot: QtBot, picture: Path, start_record: Callable[[bool], StartDialog]
) -> None:
    task = context.session.catalogue.tasks.create(TaskWrite(task_name="Propeller check"))
    dialog = start_record(False)
    dialog.set_picture(picture)
    dialog.task.restore_choice((task.task_id, "Propeller check"))
    qtbot.waitUntil(lambda: "The record gets no aircraft." in dialog.task_hint.text())
    dialog.aircraft.setEditText("B-8888")
    qtbot.waitUntil(lambda: "for B-8888" in dialog.task_hint.text())
    record = created_by(dialog, context, qtbot)
    assert record.aircraft_name == "B-8888"
    assert record.task_id != task.task_id


def test_failure_keeps_the_texts_and_a_retry_creates_nothing_twice(
    context: Context,
    qtbot: QtBot,
    picture: Path,
    start_record: Callable[[bool], StartDialog],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = context.session
    images = session.catalogue.reference_images.list().pagination.total
    records = session.records.search().pagination.total
    dialog = start_record(False)
    dialog.set_picture(picture)
    dialog.name.set_text("second try")
    create, failures = session.items.create, [Unreachable()]

    def fails_once(*args: object, **more: object) -> object:
        if failures:
            raise failures.pop()
        return create(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(session.items, "create", fails_once)
    click(qtbot, dialog.create_button)
    qtbot.waitUntil(lambda: dialog.banner.text() != "")
    assert dialog.isVisible()
    assert (dialog.name.text(), dialog.task.currentText()) == ("second try", "Inspection")
    dialog.name.set_text("renamed meanwhile")
    record = created_by(dialog, context, qtbot)
    assert record.inspection_name == "renamed meanwhile"
    assert len(session.items.all(record.inspection_id)) == 1
    assert session.catalogue.reference_images.list().pagination.total == images + 1
    assert session.records.search().pagination.total == records + 1


def test_regions_of_labelme_become_items_and_a_template(
    context: Context, qtbot: QtBot, picture: Path, start_record: Callable[[bool], StartDialog]
) -> None:
    document = {
        "shapes": [
            {"label": "bolt", "shape_type": "rectangle", "points": [[10, 10], [50, 40]]},
            {"label": "", "shape_type": "rectangle", "points": [[100, 100], [150, 140]]},
            {"label": "outside", "shape_type": "rectangle", "points": [[900, 900], [950, 940]]},
        ],
        "imagePath": picture.name,
        "imageWidth": 320,
        "imageHeight": 240,
    }
    path = picture.with_suffix(".json")
    path.write_text(json.dumps(document), "utf-8")
    dialog = start_record(True)
    notices: list[str] = []
    dialog.notice.connect(notices.append)
    dialog.set_regions(path)
    qtbot.waitUntil(lambda: dialog.picture.source is not None)
    record = created_by(dialog, context, qtbot)
    items = context.session.items.all(record.inspection_id)
    assert [item.item_name for item in items] == ["bolt", "Item A"]
    assert {item.model_id for item in items} == {REFERENCE_DIFFERENCE}
    image = context.session.catalogue.reference_images.get(not_none(record.reference_image_id))
    assert len(image.template) == 2
    assert notices == ["2 region(s) imported. 1 outside the image skipped."]


@pytest.mark.parametrize("text", ["{", '{"version": "5.0", "shapes": [], "imagePath": "a.jpg"}', '{"a": 1}'])
def test_a_file_without_regions_is_explained_when_it_is_chosen(
    qtbot: QtBot, tmp_path: Path, start_record: Callable[[bool], StartDialog], text: str
) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text)
    dialog = start_record(True)
    click(qtbot, dialog.create_button)
    assert dialog.banner.text() == "Choose a file with regions."
    dialog.set_regions(path)
    qtbot.waitUntil(lambda: dialog.regions_name.text() == "No file chosen", timeout=60_000)
    assert dialog.banner.text().startswith(("Cannot read regions", "No region"))


def test_a_dropped_picture_begins_a_record(page: RecordsPage, picture: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(picture))])
    shown = FirstStepsPanel(page.first_steps.sample)
    shown.picture_dropped.connect(page.first_steps.start_from_picture)
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier
    both = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    # A source that moves would delete its original.
    dropped = QDropEvent(QPointF(5, 5), both, mime, buttons, keys)
    shown.dropEvent(dropped)
    dialog = page.findChildren(StartDialog)[-1]
    again = QDropEvent(QPointF(5, 5), both, mime, buttons, keys)
    dialog.picture.dropEvent(again)
    assert [event.dropAction() for event in (dropped, again)] == [Qt.DropAction.CopyAction] * 2
    assert (dialog.picture.name, dialog.name.text()) == ("Gearbox.png", "Gearbox")
    assert isinstance(dialog.name.editor, QLineEdit)
    assert dialog.name.editor.selectedText() == "Gearbox", "typing replaces the suggestion"
    dialog.hide()
    shown.deleteLater()


def test_only_the_sample_is_deleted(page: RecordsPage, context: Context, qtbot: QtBot) -> None:
    """A task of the sample that another record uses stays, with its flight and aircraft."""
    session, sample = context.session, SampleController.for_context(context)
    own_task = session.catalogue.tasks.create(TaskWrite(task_name="Sample task: after-flight check"))
    notices: list[str] = []
    sample.notice.connect(notices.append)
    assert context.commands.run("sample.create")
    qtbot.waitUntil(lambda: not sample.busy)
    assert not notices
    record = session.records.get(sample.record_id).value
    own_record = session.records.create(RecordCreate(task_id=record.task_id, inspection_name="mine"))
    for item in session.items.all(record.inspection_id):
        session.items.set_verdict(item.item_id, Verdict.PASSED, "seen")
    session.records.finish(record.inspection_id)
    click(qtbot, page.first_steps.bar.remove)
    qtbot.waitUntil(lambda: not sample.busy and not sample.exists)
    assert notices == ["Sample inspection deleted. 3 catalogue entry(s) kept, in use by other entries."]
    left = {entry.inspection_id for entry in session.records.search(page_size=200).data}
    assert own_record.inspection_id in left
    assert record.inspection_id not in left
    assert session.records.get(own_record.inspection_id).value.aircraft_id == record.aircraft_id
    assert session.catalogue.tasks.get(own_task.task_id).task_name == own_task.task_name
    assert sample.may_create()


def test_failed_sample_leaves_no_entries(
    context: Context, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, sample = context.session, SampleController.for_context(context)
    totals = [session.catalogue.aircraft.list().pagination.total, session.records.search().pagination.total]

    def fails(*_args: object) -> None:
        raise Unreachable

    monkeypatch.setattr(session.photos, "assign", fails)
    with qtbot.waitSignal(sample.notice):
        sample.create()
    assert not sample.exists
    assert totals == [
        session.catalogue.aircraft.list().pagination.total,
        session.records.search().pagination.total,
    ]


@pytest.mark.parametrize("role", [Role.INSPECTOR, Role.VIEWER])
def test_user_without_permission_sees_who_can_create_records(
    page: RecordsPage, context: Context, role: Role
) -> None:
    payload = not_none(context.payload)
    context.payload = payload.model_copy(update={"permissions": sorted(ROLE_PERMISSIONS[role])})
    page.first_steps.enter()
    page.first_steps.show_empty(page.stack)
    state = not_none(page.stack.currentWidget())
    text = state.accessibleName()
    assert ("Planners and administrators" in text) is (role is Role.INSPECTOR)
    assert ("Inspectors create them" in text) is (role is Role.VIEWER)
    assert page.first_steps.more_button.isHidden()
    assert not context.commands.run("sample.create")
