"""Shows the sections of the catalogue.

Lists aircraft, flights and tasks as plain tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QDialog

from desktop.background.workers import run
from desktop.client.api.catalogue import Entries
from desktop.client.http.errors import Forbidden
from desktop.client.session import Session
from desktop.context import Context
from desktop.localization.dates import format_minute
from desktop.pages.catalogue.forms import AircraftForm, FlightForm, TaskForm
from desktop.pages.catalogue.models.section import ModelSection
from desktop.pages.catalogue.reference_images.section import ReferenceSection
from desktop.pages.catalogue.saving import DeletableSection
from desktop.pages.common.lists.list_section import NOTHING, Section, SectionsPage, TableSection
from desktop.widgets import Column, PageHeader
from shared.record.codes import Permission
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


class CataloguePage(SectionsPage[Section[Any]]):
    """Shows aircraft, flights, tasks, reference images and detection models."""

    page_id: ClassVar[str] = "catalogue"
    icon: ClassVar[str] = "plane"
    permission: ClassVar[Permission | None] = Permission.CATALOGUE_READ

    def __init__(self, context: Context) -> None:
        header = PageHeader(
            QCoreApplication.translate("CataloguePage", "Catalogue"),
            QCoreApplication.translate("CataloguePage", "Aircraft, tasks, images and models"),
        )
        super().__init__(
            header,
            QCoreApplication.translate("CataloguePage", "Catalogue sections"),
            {
                "aircraft": AircraftSection(context),
                "flights": FlightSection(context),
                "tasks": TaskSection(context),
                "references": ReferenceSection(context),
                "models": ModelSection(context),
            },
        )
        self._context = context
        self._counts: dict[str, int] = {}
        for name, section in self.sections.items():
            section.total_changed.connect(partial(self._on_counted, name))

    @classmethod
    def title(cls) -> str:
        """The page's name."""
        return QCoreApplication.translate("CataloguePage", "Catalogue")

    def enter(self, params: dict[str, Any]) -> None:
        """Show the section named by the parameter `section`, else the last one."""
        run(_counts, self._context.session, owner=self, done=self._counted_all, failed=lambda _: None)
        super().enter(params)

    def visible_sections(self) -> Mapping[str, str]:
        """The sections with their numbers of entries if known; models require a permission."""
        titles = {
            "aircraft": self.tr("Aircraft"),
            "flights": self.tr("Flights"),
            "tasks": self.tr("Tasks"),
            "references": self.tr("Reference images"),
            "models": self.tr("Detection models"),
        }
        if not self._context.may(Permission.INSPECTION_ITEM_READ):
            del titles["models"]
        return {
            name: f"{title}  {self._counts[name]}" if name in self._counts else title
            for name, title in titles.items()
        }

    def _on_counted(self, name: str, count: int) -> None:
        self._counts[name] = count
        self.show_chips()

    def _counted_all(self, counts: dict[str, int]) -> None:
        self._counts = counts
        self.show_chips()


def _counts(session: Session) -> dict[str, int]:
    """How many entries each section has."""
    catalogue = session.catalogue
    counts = {
        "aircraft": catalogue.aircraft.list(1, 1).pagination.total,
        "flights": catalogue.flights.list(1, 1).pagination.total,
        "tasks": catalogue.tasks.list(1, 1).pagination.total,
        "references": catalogue.reference_images.list(1, 1).pagination.total,
    }
    try:
        counts["models"] = len(session.detection.models())
    except Forbidden:
        # The section is not visible to this user.
        counts["models"] = 0
    return counts
