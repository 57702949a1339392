"""Creates a record from a template with two clicks: the button, then the aircraft type and the zone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QMenu

from desktop.background.workers import run
from desktop.client import Session
from desktop.context import Context
from desktop.messages.error_messages import sentence
from desktop.pages.common.forms.lookup import task_name
from desktop.widgets import IconButton
from shared.record.codes import Permission
from shared.wire.catalogue import Aircraft, ReferenceImage, Task
from shared.wire.inspection import RecordCreate

_AT_ONCE = 100
"""So many of the newest entries of the catalogue are offered."""
_TEXT_PX = 520


@dataclass(frozen=True, slots=True)
class TemplateStart:
    """A template and the task that a record made from it belongs to.

    `aircraft_type` is the type of the aircraft of the template, or its name if it has no type.
    """

    aircraft_type: str
    image: ReferenceImage
    task: Task

    @property
    def text(self) -> str:
        """Aircraft type, zone and task on one line."""
        parts = (self.aircraft_type, self.image.reference_image_name, task_name(self.task))
        return " · ".join(part for part in parts if part)


def read_starts(session: Session) -> list[TemplateStart]:
    """The templates, by aircraft type and zone, each with the newest task of such an aircraft.

    A template without an aircraft goes with the newest task of all. Raises ClientError.
    """
    catalogue = session.catalogue
    aircraft = {entry.aircraft_id: entry for entry in catalogue.aircraft.list(1, _AT_ONCE).data}
    tasks = sorted(catalogue.tasks.list(1, _AT_ONCE).data, key=lambda task: task.created_at, reverse=True)
    starts = []
    for image in catalogue.reference_images.list(1, _AT_ONCE).data:
        kind = _type_of(image.aircraft_id, aircraft)
        task = next(
            (task for task in tasks if not kind or _type_of(task.aircraft_id, aircraft) == kind), None
        )
        if image.template and task is not None:
            starts.append(TemplateStart(kind, image, task))
    return sorted(starts, key=lambda start: (start.aircraft_type, start.image.reference_image_name))


def _type_of(aircraft_id: str | None, aircraft: dict[str, Aircraft]) -> str:
    entry = aircraft.get(aircraft_id or "")
    return "" if entry is None else entry.aircraft_type or entry.aircraft_name


def create_record(session: Session, start: TemplateStart, executor_id: str | None) -> str:
    """Create the record with the items of the template and return its ID. Raises ClientError."""
    record = session.records.create(
        RecordCreate(
            task_id=start.task.task_id,
            inspection_name=start.image.reference_image_name,
            executor_id=executor_id,
            reference_image_id=start.image.reference_image_id,
            start_time=datetime.now(UTC),
        )
    )
    session.items.from_template(record.inspection_id)
    return record.inspection_id


class TemplateMenu(QObject):
    """The button with the menu of templates."""

    created = Signal(str)
    """The ID of the created record."""
    notice = Signal(str)

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self.button = IconButton("copy", self.tr("New record from template"))
        self.menu = QMenu(self.button)
        self.button.clicked.connect(lambda _checked=False: self._read())

    def enter(self) -> None:
        """Show the button to users who may create records with items."""
        needed = (Permission.INSPECTION_ADD, Permission.INSPECTION_ITEM_ADD)
        self.button.setVisible(all(map(self._context.may, needed)))

    def _read(self) -> None:
        run(
            read_starts,
            self._context.session,
            owner=self,
            done=self._show,
            failed=lambda error: self.notice.emit(sentence(error)),
        )

    def _show(self, starts: list[TemplateStart]) -> None:
        if not starts:
            text = self.tr("No template with a task yet. Save the regions of a record as a template.")
            self.notice.emit(text)
            return
        self.menu.clear()
        metrics = QFontMetrics(self.menu.font())
        for start in starts:
            text = metrics.elidedText(start.text, Qt.TextElideMode.ElideRight, _TEXT_PX).replace("&", "&&")
            self.menu.addAction(text).triggered.connect(partial(self._create, start))
        self.menu.popup(self.button.mapToGlobal(self.button.rect().bottomLeft()))

    def _create(self, start: TemplateStart, _checked: bool = False) -> None:
        payload = self._context.payload
        run(
            create_record,
            self._context.session,
            start,
            payload.user.user_id if payload else None,
            owner=self,
            done=self.created.emit,
            failed=lambda error: self.notice.emit(sentence(error)),
        )
