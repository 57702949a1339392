"""Creates a record from its name, task, reference image and source of items. The image can be added here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.client.http.errors import ClientError
from desktop.client.session import Session
from desktop.context import Context
from desktop.localization.dates import format_minute
from desktop.messages.error_messages import sentence
from desktop.pages.catalogue.forms import TaskForm, add_task_button
from desktop.pages.catalogue.in_place import open_creation_form
from desktop.pages.catalogue.reference_images.uploads import send_reference
from desktop.pages.common.files.file_dialogs import Purpose, open_picture
from desktop.pages.common.forms import lookup
from desktop.pages.common.forms.chooser import SearchCombo
from desktop.pages.common.item_sources import ItemSources, copy_last_items, read_sources
from desktop.widgets import Banner, Button, ButtonKind, Combo, Dialog, Field, label, row_of
from shared.record.codes import Permission
from shared.wire.catalogue import ReferenceImage
from shared.wire.inspection import RecordCreate


class ReferenceUploadController(QObject):
    """Adds a button to `field` that asks for a picture, uploads it and selects the new reference image.

    If the typed text is not the name of a reference image, it becomes the name of the new one.
    """

    busy = Signal(bool)
    """An upload started (True) or ended (False)."""
    failed = Signal(object)
    """The error of the upload, an exception."""

    def __init__(self, context: Context, field: Field, dialog: Dialog) -> None:
        super().__init__(dialog)
        assert isinstance(field.editor, SearchCombo)
        self._context, self._field, self._dialog = context, field, dialog
        self._chooser = field.editor
        self._task: Task | None = None
        self.button = Button(self.tr("Add image…"), kind=ButtonKind.LINK, parent=dialog)
        self.button.setVisible(context.may(Permission.CATALOGUE_MANAGE))
        field.add_action(self.button)
        self.button.clicked.connect(lambda _checked=False: self.ask_picture())
        dialog.rejected.connect(self._stop)

    def ask_picture(self) -> None:
        """Ask for a picture file and upload it."""
        path = open_picture(self._dialog, self.tr("Add reference image"), Purpose.REFERENCES)
        if path is not None:
            self.upload(path)

    def upload(self, path: Path) -> None:
        """Upload a picture file. Does nothing while another upload is running."""
        if self._task is not None:
            return
        entry_id, typed_text = self._chooser.typed_choice()
        self._show(0)
        self.busy.emit(True)
        self._task = run(
            _upload,
            self._context.session,
            path,
            "" if entry_id else typed_text.strip(),
            owner=self,
            progress=self._show,
            done=self._on_uploaded,
            failed=self._on_upload_failed,
            lane=Lane.LONG,
        )

    def _show(self, percent: int) -> None:
        self.button.setEnabled(False)
        self.button.setText(self.tr("Uploading… {n}%").format(n=percent))

    def _end_upload(self) -> None:
        self._task = None
        self.button.setEnabled(True)
        self.button.setText(self.tr("Add image…"))
        self.busy.emit(False)

    def _on_uploaded(self, reference: ReferenceImage) -> None:
        self._end_upload()
        self._chooser.choose((reference.reference_image_id, reference.reference_image_name))
        self._field.set_error("")

    def _on_upload_failed(self, error: Exception) -> None:
        self._end_upload()
        self.failed.emit(error)

    def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()


def _upload(report: ProgressReport, session: Session, path: Path, name: str) -> ReferenceImage:
    last_percent = -1

    def on_progress(done: int, total: int) -> None:
        nonlocal last_percent
        percent = 100 * done // total if total else 0
        if percent != last_percent:
            last_percent = percent
            report(percent)

    return send_reference(session, path, on_progress, name)


class ItemSource(StrEnum):
    """The source of the items of a new record."""

    TEMPLATE = "template"
    LAST = "last"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class CreatedRecord:
    """The ID of a created record; `fill_failed` is the error that prevented creating its items."""

    record_id: str
    fill_failed: ClientError | None = None


class NewRecordDialog(Dialog):
    """Asks for name, task, reference image and source of items, and creates the record."""

    record_created = Signal(str)
    """The ID of the created record."""
    fill_failed = Signal(str)
    """A sentence that says why the record was created without items."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._sources_task: Task | None = None
        self.setObjectName("new-record")
        self.setWindowTitle(self.tr("New record"))
        self.setMinimumWidth(440)
        session = context.session
        placeholder = self.tr("Select or search")
        self.name = Field(self.tr("Name"), placeholder=self.tr("Left wing root, after flight"))
        self.task = SearchCombo(self.tr("Task"), lookup.tasks(session), free=True, placeholder=placeholder)
        self.task_field = Field(self.tr("Task or external task ID"), self.task)
        add_task_button(context, self.task_field, self)
        self.reference = SearchCombo(
            self.tr("Reference image"),
            lookup.references(session),
            placeholder=placeholder,
            picture=lookup.reference_picture(session),
        )
        self.reference_field = Field(self.tr("Reference image (optional)"), self.reference)
        self.new_reference = ReferenceUploadController(context, self.reference_field, self)
        self.new_reference.busy.connect(self._set_uploading)
        self.new_reference.failed.connect(self._show_error)
        self.source = Combo(self.tr("Items"))
        self.banner = Banner()
        self.create_button = Button(self.tr("Create record"), kind=ButtonKind.MAIN)
        self.cancel = Button(self.tr("Cancel"))
        self._build()
        self.create_button.clicked.connect(self._create)
        self.cancel.clicked.connect(self.reject)
        self.reference.choice_changed.connect(self._read_sources)
        self.reference.editTextChanged.connect(lambda _: self.reference_field.set_error(""))
        self.task.editTextChanged.connect(lambda _: self.task_field.set_error(""))
        self._missing_section = ""
        self.task.no_choices_found.connect(lambda: self._show_missing("tasks"))
        self.reference.no_choices_found.connect(lambda: self._show_missing("references"))
        self.banner.action_chosen.connect(self._create_missing)
        self.task.show_choice(None)
        self.reference.show_choice(None)
        self._offer_sources(ItemSources())

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(14)
        column.addWidget(label(self.tr("New record"), "item"))
        column.addWidget(self.banner)
        self.banner.hide()
        column.addWidget(self.name)
        column.addWidget(self.task_field)
        column.addWidget(self.reference_field)
        column.addWidget(Field(self.tr("Items"), self.source))
        column.addSpacing(6)
        row = row_of(1, self.cancel, self.create_button)
        column.addLayout(row)
        # The tab order goes through the fields first, then through the buttons that create an entry.
        previous: QWidget = self.source
        for field in (self.task_field, self.reference_field):
            if field.action is not None:
                self.setTabOrder(previous, field.action)
                previous = field.action
        self.setTabOrder(previous, self.cancel)
        self.create_button.setDefault(True)
        self.name.setFocus()

    # -- missing tasks and reference images

    def _show_missing(self, section: str) -> None:
        """Show what to do without any task or reference image; the task has priority."""
        if self._missing_section == "tasks":
            return
        self._missing_section = section
        may_create = self._context.may(Permission.CATALOGUE_MANAGE)
        action = ""
        if section == "tasks" and may_create:
            text = self.tr("No tasks yet. Create one, or enter an external task ID.")
            action = self.tr("New task…")
        elif section == "tasks":
            text = self.tr("No tasks yet. Ask a planner for a task, or enter an external task ID.")
        elif may_create:
            text = self.tr("No reference images yet. Add one, or create the record without one.")
            action = self.tr("Add image…")
        else:
            text = self.tr("No reference images yet. Create the record without one.")
        self.banner.show_message(text, "info", action, closable=False)

    def _create_missing(self) -> None:
        """Create the missing task or reference image."""
        if self._missing_section == "tasks":
            form = TaskForm(self._context, None, self)
            form.saved.connect(lambda _: self.banner.hide())
            open_creation_form(self.task_field, form, "task_name", "task_id")
        else:
            self.new_reference.ask_picture()

    def _set_uploading(self, busy: bool) -> None:
        self.create_button.setEnabled(not busy)
        if busy:
            self.banner.hide()

    # -- source of items

    def _read_sources(self) -> None:
        """Read which sources of items the selected reference image has."""
        if self._sources_task is not None:
            self._sources_task.cancel()
        self._offer_sources(ItemSources())
        try:
            reference_id = self.reference.selected_id()
        except ValueError:
            reference_id = None
        if reference_id is not None:
            self.create_button.setEnabled(False)
            self._sources_task = run(
                read_sources,
                self._context.session,
                reference_id,
                owner=self,
                done=self._offer_sources,
                failed=self._show_error,
            )

    def _offer_sources(self, sources: ItemSources) -> None:
        """Offer the available sources, beginning with the template."""
        self.create_button.setEnabled(True)
        choices: list[tuple[object, str]] = []
        if sources.template:
            text = self.tr("Reference image template, %n region(s)", "", sources.template)
            choices.append((ItemSource.TEMPLATE, text))
        if sources.last is not None:
            time = format_minute(sources.last.start_time or sources.last.created_at)
            choices.append((ItemSource.LAST, self.tr("Copy from last record ({time})").format(time=time)))
        choices.append((ItemSource.EMPTY, self.tr("No items")))
        self.source.set_choices(choices)
        self.source.set_value(choices[0][0])
        self.source.setEnabled(len(choices) > 1)

    # -- creation

    def _show_field_error(self, field: Field, error: str) -> None:
        field.set_error(error)
        field.setFocus()

    def _show_error(self, error: Exception) -> None:
        self.create_button.setEnabled(True)
        self.banner.show_message(sentence(error), "error")

    def _create(self) -> None:
        task_id = self.task.selected_id()
        if not task_id:
            self._show_field_error(self.task_field, self.tr("Select a task for this record."))
            return
        try:
            reference_id = self.reference.selected_id()
        except ValueError:
            text = self.tr("No entry with this name. Select one from the list, or leave the field empty.")
            self._show_field_error(self.reference_field, text)
            return
        payload = self._context.payload
        body = RecordCreate(
            inspection_name=self.name.text().strip() or None,
            task_id=task_id,
            executor_id=payload.user.user_id if payload else None,
            reference_image_id=reference_id,
            start_time=datetime.now(UTC),
        )
        self.create_button.setEnabled(False)
        run(
            _create,
            self._context.session,
            body,
            ItemSource(str(self.source.value())),
            owner=self,
            done=self._on_created,
            failed=self._show_error,
        )

    def _on_created(self, record_created: CreatedRecord) -> None:
        self.accept()
        self.record_created.emit(record_created.record_id)
        if record_created.fill_failed is not None:
            self.fill_failed.emit(sentence(record_created.fill_failed))


def ask_new_record(
    context: Context, page: QWidget, record_created: Callable[[str], object], notify: Callable[[str], object]
) -> None:
    """Ask for a new record; `record_created` gets its id, `notify` what could not be done for it."""
    dialog = NewRecordDialog(context, page)
    dialog.record_created.connect(record_created)
    dialog.fill_failed.connect(notify)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def _create(session: Session, body: RecordCreate, source: ItemSource) -> CreatedRecord:
    record = session.records.create(body)
    try:
        if source is ItemSource.TEMPLATE:
            session.items.from_template(record.inspection_id)
        elif source is ItemSource.LAST:
            copy_last_items(session, record)
    except ClientError as error:
        # The record exists, so creating it again would make a second one.
        return CreatedRecord(record.inspection_id, error)
    return CreatedRecord(record.inspection_id)
