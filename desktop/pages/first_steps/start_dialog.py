"""Asks for what a record from a picture needs, in one short form with defaults."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from desktop.background.workers import Lane, run
from desktop.background.workers import Task as WorkerTask
from desktop.context import Context
from desktop.exchange.data.imported_regions import ExchangeError
from desktop.exchange.found_picture import FoundPicture
from desktop.exchange.registry import READABLE_PATTERNS
from desktop.localization.language import join_sentences
from desktop.messages.error_messages import sentence
from desktop.messages.exchange_messages import exchange_sentence
from desktop.pages.common.files.file_dialogs import Purpose, open_file
from desktop.pages.common.forms import lookup
from desktop.pages.common.forms.chooser import SearchCombo
from desktop.pages.first_steps.picture_drop import PictureDrop
from desktop.pages.first_steps.starting import (
    CatalogueChoice,
    Progress,
    StartDetails,
    StartedRecord,
    look_into,
    start_record,
)
from desktop.widgets import (
    Banner,
    Button,
    ButtonKind,
    Dialog,
    ElidedLabel,
    Field,
    ProgressBar,
    column_of,
    confirm,
    label,
    row_of,
)
from shared.wire.catalogue import Task

_MAX_NAME_LENGTH = 255
_HINT_MS = 200
"""Pause in typing, in ms, after which the selected task is read."""


class StartDialog(Dialog):
    """Creates a record from a picture, or with `regions` from a file of regions and its picture.

    After an error the entries are kept, and a second attempt creates nothing twice.
    """

    created = Signal(str)
    """The ID of the record."""
    notice = Signal(str)
    """A message for the user after the record was created."""

    def __init__(self, context: Context, regions: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._regions: Path | None = None
        self._task: WorkerTask | None = None
        self._progress = Progress()
        self._suggested_name = ""
        title = self.tr("Import regions as a record") if regions else self.tr("Start from an image")
        self.setObjectName("start-dialog")
        self.setWindowTitle(title)
        self.setMinimumWidth(520)
        session = context.session
        self.regions_row = QWidget()
        self.regions_name = ElidedLabel(self.tr("No file chosen"), "dim")
        self.choose_regions = Button(self.tr("Choose region file…"), icon="upload")
        self.picture = PictureDrop()
        self.name = Field(self.tr("Name"), placeholder=self.tr("Left wing root, after flight"))
        placeholder = self.tr("Select, or enter a new name")
        self.aircraft = SearchCombo(
            self.tr("Aircraft (optional)"), lookup.aircraft(session), free=True, placeholder=placeholder
        )
        self.aircraft_field = Field(self.tr("Aircraft (optional)"), self.aircraft)
        self.task = SearchCombo(self.tr("Task"), lookup.tasks(session), free=True, placeholder=placeholder)
        self.task_field = Field(self.tr("Task"), self.task)
        self.task_hint = label("", "small", wrap=True)
        self.task_hint.setObjectName("task-hint")
        self.task_hint.hide()
        self._hint_timer = QTimer(self, singleShot=True, interval=_HINT_MS)
        self._hint_timer.timeout.connect(self._read_task)
        self.add_whole_image = QCheckBox(self.tr("Add an item for the whole image"))
        self.add_whole_image.setChecked(True)
        self.add_whole_image.setVisible(not regions)
        self.banner = Banner()
        self.bar = ProgressBar(self.tr("Progress"))
        self.bar.hide()
        self.create_button = Button(self.tr("Create record"), kind=ButtonKind.MAIN)
        self.cancel = Button(self.tr("Cancel"))
        self._imports_regions = regions
        self._build(title)
        self.picture.changed.connect(self._on_picture_changed)
        self.choose_regions.clicked.connect(self.ask_regions)
        self.create_button.clicked.connect(self.submit)
        self.cancel.clicked.connect(self.reject)
        for chooser in (self.task, self.aircraft):
            chooser.editTextChanged.connect(lambda _text: self._hint_timer.start())
            chooser.model().rowsInserted.connect(lambda: self._hint_timer.start())
        self.aircraft.show_choice(None)
        self.task.show_choice(None)
        self.task.setEditText(self.tr("Inspection"))

    def _build(self, title: str) -> None:
        column = column_of(
            label(title, "item"), self.banner, parent=self, margins=(24, 20, 24, 20), spacing=14
        )
        row_of(self.choose_regions, (self.regions_name, 1), parent=self.regions_row, margins=0, spacing=12)
        column.addWidget(self.regions_row)
        self.regions_row.setVisible(self._imports_regions)
        column.addWidget(self.picture)
        column.addWidget(self.name)
        column.addWidget(self.aircraft_field)
        column.addWidget(self.task_field)
        column.addWidget(self.task_hint)
        column.addWidget(self.add_whole_image)
        hint = self.tr("New names become entries of the catalogue. Everything can be edited later.")
        column.addWidget(label(hint, "small", wrap=True))
        column.addWidget(self.bar)
        column.addSpacing(2)
        buttons = row_of(1, self.cancel, self.create_button, spacing=8)
        column.addLayout(buttons)
        assert isinstance(self.name.editor, QLineEdit)
        self.name.editor.setMaxLength(_MAX_NAME_LENGTH)
        self.create_button.setDefault(True)
        (self.choose_regions if self._imports_regions else self.picture.choose).setFocus()

    # -- files

    def set_picture(self, path: Path) -> None:
        """Set the picture."""
        self.picture.set_picture(path, path.name)
        self.name.setFocus()

    def ask_regions(self) -> None:
        """Ask for another file of regions."""
        path = ask_region_file(self)
        if path is not None:
            self.set_regions(path)

    def set_regions(self, path: Path) -> None:
        """Set the file of regions, and the picture that it names if that exists."""
        self._regions = path
        self.regions_name.setText(path.name)
        self.banner.hide()
        run(look_into, path, owner=self, done=self._on_picture_found, failed=self._on_regions_failed)

    def _on_picture_found(self, picture: FoundPicture | None) -> None:
        if picture is not None:
            self.picture.set_picture(picture.source, picture.name)
        elif self.picture.source is None:
            self.banner.show_message(self.tr("Choose the image that the regions were drawn on."), "info")

    def _on_regions_failed(self, error: Exception) -> None:
        self._regions = None
        self.regions_name.setText(self.tr("No file chosen"))
        self.banner.show_message(_error_sentence(error), "error")

    def _on_picture_changed(self) -> None:
        """Name the record after its picture, unless the user has typed a name."""
        if self.banner.isVisible():
            self.banner.hide()
        if self.name.text().strip() in ("", self._suggested_name):
            self._suggested_name = Path(self.picture.name).stem[:_MAX_NAME_LENGTH]
            self.name.set_text(self._suggested_name)
            assert isinstance(self.name.editor, QLineEdit)
            self.name.editor.selectAll()

    # -- the task

    def _read_task(self) -> None:
        """Read the selected task, to show which aircraft the record gets."""
        task_id = self.task.typed_choice()[0]
        if task_id:
            tasks = self._context.session.catalogue.tasks
            run(tasks.get, task_id, owner=self, done=self._show_task, failed=lambda _: self._show_task(None))
        else:
            self._show_task(None)

    def _show_task(self, task: Task | None) -> None:
        text = ""
        if task is not None and task.task_id == self.task.typed_choice()[0]:
            text = self._task_hint(task)
        self.task_hint.setText(text)
        self.task_hint.setVisible(bool(text))

    def _task_hint(self, task: Task) -> str:
        aircraft = _catalogue_choice(self.aircraft)
        values = {"task": task.task_name, "aircraft": task.aircraft_name, "chosen": aircraft.name}
        if not aircraft and task.aircraft_id is None:
            text = self.tr("Task “{task}” already exists without an aircraft. The record gets no aircraft.")
        elif not aircraft:
            text = self.tr("Task “{task}” already exists. The record gets its aircraft {aircraft}.")
        elif task.aircraft_id is None:
            text = self.tr(
                "Task “{task}” already exists without an aircraft. The record belongs to another task "
                "“{task}” for {chosen}."
            )
        elif aircraft.entry_id == task.aircraft_id or aircraft.name == task.aircraft_name:
            return ""
        else:
            text = self.tr(
                "Task “{task}” already exists for aircraft {aircraft}. The record belongs to another task "
                "“{task}” for {chosen}."
            )
        return text.format(**values)

    # -- creation

    def submit(self) -> None:
        """Create the record with the typed values."""
        details = self._read_details() if self._task is None else None
        if details is None:
            return
        self.banner.hide()
        self._set_busy(True)
        self._task = run(
            start_record,
            self._context.session,
            details,
            self._progress,
            owner=self,
            progress=self.bar.setValue,
            done=self._done,
            failed=self._on_failed,
            lane=Lane.LONG,
        )

    def _read_details(self) -> StartDetails | None:
        """The typed values; None if one is missing, which is shown beside its field."""
        if self._imports_regions and self._regions is None:
            self.banner.show_message(self.tr("Choose a file with regions."), "error")
            self.choose_regions.setFocus()
            return None
        source = self.picture.source
        if source is None:
            self.picture.error.setText(self.tr("Choose an image."))
            self.picture.choose.setFocus()
            return None
        task, aircraft = _catalogue_choice(self.task), _catalogue_choice(self.aircraft)
        if not task:
            self.task_field.set_error(self.tr("Enter a name for the task."))
            self.task_field.setFocus()
            return None
        payload = self._context.payload
        return StartDetails(
            picture=source,
            picture_name=self.picture.name,
            name=self.name.text().strip(),
            task=task,
            aircraft=aircraft,
            executor_id=payload.user.user_id if payload else "",
            whole_image=self.tr("Whole image")
            if self.add_whole_image.isChecked() and not self._imports_regions
            else "",
            regions=self._regions,
        )

    def _set_busy(self, busy: bool) -> None:
        self.create_button.setEnabled(not busy)
        self.create_button.setText(self.tr("Creating record…") if busy else self.tr("Create record"))
        self.bar.setVisible(busy)
        self.bar.setValue(0)
        for field in (self.picture, self.regions_row, self.name, self.aircraft_field, self.task_field):
            field.setEnabled(not busy)
        self.add_whole_image.setEnabled(not busy)

    def _done(self, started: StartedRecord) -> None:
        self._task = None
        self.accept()
        self.created.emit(started.record_id)
        if self._imports_regions:
            text = self.tr("%n region(s) imported.", "", started.regions)
            self.notice.emit(join_sentences((text, started.left_out)))

    def _on_failed(self, error: Exception) -> None:
        self._task = None
        self._set_busy(False)
        self.banner.show_message(_error_sentence(error), "error")

    def reject(self) -> None:
        """Close; ask first if something was selected or typed."""
        has_entries = (
            self.picture.source is not None or self._regions is not None or self.aircraft.currentText()
        )
        if has_entries and not confirm(
            self,
            self.tr("Discard entries?"),
            self.tr("No record is created."),
            self.tr("Discard"),
        ):
            return
        if self._task is not None:
            self._task.cancel()
        super().reject()


def ask_region_file(parent: QWidget) -> Path | None:
    """Ask for a file of regions; None if the user cancels."""
    translate = QCoreApplication.translate
    kinds = translate("StartDialog", "Region files ({patterns})").format(patterns=" ".join(READABLE_PATTERNS))
    return open_file(parent, translate("StartDialog", "Choose region file"), kinds, Purpose.REGIONS)


def _catalogue_choice(chooser: SearchCombo) -> CatalogueChoice:
    entry_id, text = chooser.typed_choice()
    return CatalogueChoice(entry_id, text.strip())


def _error_sentence(error: Exception) -> str:
    return exchange_sentence(error) if isinstance(error, ExchangeError) else sentence(error)
