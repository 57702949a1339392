"""Lists aircraft, flights and tasks as plain tables."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QDialog

from desktop.client.api.catalogue import Entries
from desktop.context import Context
from desktop.localization.dates import format_minute
from desktop.pages.catalogue.delete_entry import DeletableSection
from desktop.pages.catalogue.forms import AircraftForm, FlightForm, TaskForm
from desktop.pages.common.lists.list_section import NOTHING, TableSection
from desktop.widgets import Column
from shared.wire.catalogue import Aircraft, AircraftWrite, Flight, FlightWrite, Task, TaskWrite


class AircraftSection(DeletableSection[Aircraft], TableSection[Aircraft]):
    """The aircraft that are inspected."""

    empty_icon: ClassVar[str] = "plane"

    def __init__(self, context: Context) -> None:
        translate = QCoreApplication.translate
        super().__init__(
            context,
            translate("Catalogue", "New aircraft…"),
            translate("Catalogue", "Name, registration, type"),
        )

    def columns(self) -> list[Column[Aircraft]]:
        return [
            Column(self.tr("Name"), lambda a: a.aircraft_name, stretch=True, kind="strong"),
            Column(self.tr("Registration"), lambda a: a.registration or NOTHING, 200),
            Column(self.tr("Type"), lambda a: a.aircraft_type or NOTHING, 220),
            Column(self.tr("Modified"), lambda a: format_minute(a.updated_at), 160, kind="dim"),
        ]

    def empty_text(self) -> str:
        return self.tr("No aircraft yet. Create one to use it for flights and reference images.")

    def key(self, entry: Aircraft) -> str:
        return entry.aircraft_id

    def name(self, entry: Aircraft) -> str:
        return entry.aircraft_name

    def form(self, entry: Aircraft | None) -> QDialog:
        return AircraftForm(self._context, entry, self)

    def entries(self) -> Entries[Aircraft, AircraftWrite]:
        return self._context.session.catalogue.aircraft


class FlightSection(DeletableSection[Flight], TableSection[Flight]):
    """The flights before or after which aircraft are inspected."""

    empty_icon: ClassVar[str] = "plane"

    def __init__(self, context: Context) -> None:
        translate = QCoreApplication.translate
        super().__init__(
            context,
            translate("Catalogue", "New flight…"),
            translate("Catalogue", "Flight number, departure, arrival"),
        )

    def columns(self) -> list[Column[Flight]]:
        return [
            Column(self.tr("Flight"), lambda f: f.flight_number, stretch=True, kind="strong"),
            Column(self.tr("Aircraft"), lambda f: f.aircraft_name or NOTHING, 220),
            Column(self.tr("Departure"), lambda f: f.departure or NOTHING, 150),
            Column(self.tr("Arrival"), lambda f: f.arrival or NOTHING, 150),
            Column(self.tr("Scheduled"), lambda f: format_minute(f.scheduled_at) or NOTHING, 160),
            Column(self.tr("Modified"), lambda f: format_minute(f.updated_at), 160, kind="dim"),
        ]

    def empty_text(self) -> str:
        return self.tr("No flights yet. Create one to use it for tasks.")

    def key(self, entry: Flight) -> str:
        return entry.flight_id

    def name(self, entry: Flight) -> str:
        return entry.flight_number

    def form(self, entry: Flight | None) -> QDialog:
        return FlightForm(self._context, entry, self)

    def entries(self) -> Entries[Flight, FlightWrite]:
        return self._context.session.catalogue.flights


class TaskSection(DeletableSection[Task], TableSection[Task]):
    """The tasks that records are created for."""

    def __init__(self, context: Context) -> None:
        translate = QCoreApplication.translate
        super().__init__(
            context, translate("Catalogue", "New task…"), translate("Catalogue", "Name, description")
        )

    def columns(self) -> list[Column[Task]]:
        return [
            Column(
                self.tr("Task"),
                lambda t: t.task_name,
                stretch=True,
                kind="strong",
                second_line=lambda t: t.description or "",
            ),
            Column(self.tr("Flight"), lambda t: t.flight_number or NOTHING, 160),
            Column(self.tr("Aircraft"), lambda t: t.aircraft_name or NOTHING, 220),
            Column(self.tr("Modified"), lambda t: format_minute(t.updated_at), 160, kind="dim"),
        ]

    def empty_text(self) -> str:
        return self.tr("No tasks yet. Create one to use it for records.")

    def key(self, entry: Task) -> str:
        return entry.task_id

    def name(self, entry: Task) -> str:
        return entry.task_name

    def form(self, entry: Task | None) -> QDialog:
        return TaskForm(self._context, entry, self)

    def entries(self) -> Entries[Task, TaskWrite]:
        return self._context.session.catalogue.tasks
