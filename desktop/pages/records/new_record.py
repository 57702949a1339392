"""The dialog that starts a record: what is inspected, on which reference image, with which items."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from desktop.client.inspection import RecordFilter
from desktop.client.session import Session
from desktop.context import Context
from desktop.pages.sentences import sentence
from desktop.widgets import Banner, Button, Combo, Field, Kind, label
from desktop.workers import run
from shared.wire.catalogue import ReferenceImage, Task
from shared.wire.inspection import RecordCreate


class Start(StrEnum):
    """Where the items of a new record come from."""

    TEMPLATE = "template"
    LAST = "last"
    EMPTY = "empty"


class NewRecord(QDialog):
    """Asks for name, task and reference image; `made(record_id)` when the service has made the record."""

    made = Signal(str)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.setObjectName("new-record")
        self.setWindowTitle(self.tr("New record"))
        self.setMinimumWidth(440)
        self.name = Field(self.tr("Name"), placeholder=self.tr("Left wing root, after flight"))
        self.task = Combo(self.tr("Task"))
        self.task.setEditable(True)
        self.task.setInsertPolicy(Combo.InsertPolicy.NoInsert)
        self.task_field = Field(self.tr("Task (choose one, or type the id of another system)"), self.task)
        self.reference = Combo(self.tr("Reference image"))
        self.start = Combo(self.tr("Items"))
        self.banner = Banner()
        self.make = Button(self.tr("Start the record"), kind=Kind.MAIN)
        self.cancel = Button(self.tr("Cancel"))
        self._build()
        self.start.set_choices(
            [
                (Start.TEMPLATE, self.tr("From the template of the reference image")),
                (Start.LAST, self.tr("As in the last inspection of it")),
                (Start.EMPTY, self.tr("None yet")),
            ]
        )
        self.make.clicked.connect(self._make)
        self.cancel.clicked.connect(self.reject)
        run(_offers, context.session, owner=self, done=self._offer, failed=self._explain)

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(14)
        column.addWidget(label(self.tr("New record"), "title"))
        column.addWidget(self.banner)
        self.banner.hide()
        column.addWidget(self.name)
        column.addWidget(self.task_field)
        column.addWidget(Field(self.tr("Reference image"), self.reference))
        column.addWidget(Field(self.tr("Items"), self.start))
        column.addSpacing(6)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.cancel)
        row.addWidget(self.make)
        column.addLayout(row)
        self.make.setDefault(True)
        self.name.setFocus()

    def _offer(self, offers: tuple[list[Task], list[ReferenceImage]]) -> None:
        tasks, references = offers
        typed = self.task.currentText()
        self.task.set_choices([(task.task_id, _task_name(task)) for task in tasks])
        if typed:
            self.task.setEditText(typed)
        self.reference.set_choices(
            [
                *((image.reference_image_id, image.reference_image_name) for image in references),
                (None, self.tr("None yet")),
            ]
        )

    def _explain(self, error: Exception) -> None:
        self.make.setEnabled(True)
        self.banner.say(sentence(error), "error")

    def _task_id(self) -> str:
        index = self.task.currentIndex()
        if index < 0 or self.task.itemText(index) != self.task.currentText():
            index = self.task.findText(self.task.currentText())
        return str(self.task.itemData(index)) if index >= 0 else self.task.currentText().strip()

    def _make(self) -> None:
        task_id = self._task_id()
        if not task_id:
            self.task_field.set_error(self.tr("Choose the task that this record belongs to."))
            return
        payload = self._context.payload
        reference = self.reference.value()
        body = RecordCreate(
            inspection_name=self.name.text().strip() or None,
            task_id=task_id,
            executor_id=payload.user.user_id if payload else None,
            reference_image_id=str(reference) if reference else None,
            start_time=datetime.now(UTC),
        )
        self.make.setEnabled(False)
        run(
            _make,
            self._context.session,
            body,
            Start(str(self.start.value())),
            owner=self,
            done=self._made,
            failed=self._explain,
        )

    def _made(self, record_id: str) -> None:
        self.accept()
        self.made.emit(record_id)


def _task_name(task: Task) -> str:
    return " · ".join(part for part in (task.task_name, task.flight_number, task.aircraft_name) if part)


def _offers(session: Session) -> tuple[list[Task], list[ReferenceImage]]:
    return session.catalogue.tasks.list(1, 200).data, session.catalogue.reference_images.list(1, 200).data


def _make(session: Session, body: RecordCreate, start: Start) -> str:
    record = session.records.create(body)
    if body.reference_image_id is not None and start is Start.TEMPLATE:
        session.items.from_template(record.inspection_id)
    if body.reference_image_id is not None and start is Start.LAST:
        last = session.records.search(RecordFilter(reference_image_id=body.reference_image_id), 1, 2).data
        earlier = [found for found in last if found.inspection_id != record.inspection_id]
        if earlier:
            session.items.from_record(record.inspection_id, earlier[0].inspection_id)
    return record.inspection_id
