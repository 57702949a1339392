"""The page of the catalogue: its sections, one in front."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout

from desktop.client.errors import Forbidden
from desktop.client.session import Session
from desktop.context import Context
from desktop.pages.catalogue.models import ModelSection
from desktop.pages.catalogue.references import ReferenceSection
from desktop.pages.catalogue.tables import AircraftSection, FlightSection, TaskSection
from desktop.pages.section import Section
from desktop.widgets import FilterChips, Page, PageHeader
from desktop.workers import run
from shared.codes import Permission


class CataloguePage(Page):
    """Aircraft, flights, tasks, reference images and detection models."""

    page_id: ClassVar[str] = "catalogue"
    icon: ClassVar[str] = "plane"
    permission: ClassVar[Permission | None] = Permission.CATALOGUE_READ

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self.header = PageHeader(
            self.tr("Catalogue"), self.tr("What records refer to, and what looks at their photos")
        )
        self.sections: dict[str, Section[Any]] = {
            "aircraft": AircraftSection(context),
            "flights": FlightSection(context),
            "tasks": TaskSection(context),
            "references": ReferenceSection(context),
            "models": ModelSection(context),
        }
        self._counts: dict[str, int] = {}
        self.chips = FilterChips(self.tr("Sections of the catalogue"))
        self._stack = QStackedWidget()
        for name, section in self.sections.items():
            self._stack.addWidget(section)
            section.toast.connect(self.toast)
            section.counted.connect(partial(self._counted, name))
        self._show_chips()
        self.chips.chosen.connect(self.show_section)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 20)
        column.setSpacing(14)
        column.addWidget(self.header)
        column.addWidget(self.chips)
        column.addWidget(self._stack, 1)

    @classmethod
    def title(cls) -> str:
        """The page's name."""
        return QCoreApplication.translate("CataloguePage", "Catalogue")

    @property
    def in_front(self) -> str:
        """The name of the section in front: aircraft, flights, tasks, references, models."""
        return self.chips.value()

    def opened(self, params: dict[str, Any]) -> None:
        """Show the section `section`, or the one that was in front."""
        self._show_chips()
        run(_counts, self._context.session, owner=self, done=self._counted_all, failed=lambda _: None)
        wanted = str(params.get("section") or self.in_front)
        self.show_section(wanted if wanted in self._offered() else "aircraft")

    def place(self) -> dict[str, Any]:
        """The section in front."""
        return {"section": self.in_front}

    def show_section(self, name: str) -> None:
        """Bring a section to the front."""
        self.chips.set_value(name)
        section = self.sections[name]
        self._stack.setCurrentWidget(section)
        section.opened()
        section.view.setFocus()

    def _offered(self) -> list[str]:
        models = self._context.may(Permission.INSPECTION_ITEM_READ)
        return [name for name in self.sections if models or name != "models"]

    def _counted(self, name: str, count: int) -> None:
        self._counts[name] = count
        self._show_chips()

    def _counted_all(self, counts: dict[str, int]) -> None:
        self._counts = counts
        self._show_chips()

    def _show_chips(self) -> None:
        titles = {
            "aircraft": self.tr("Aircraft"),
            "flights": self.tr("Flights"),
            "tasks": self.tr("Tasks"),
            "references": self.tr("Reference images"),
            "models": self.tr("Detection models"),
        }
        self.chips.set_choices(
            (name, f"{titles[name]}  {self._counts[name]}" if name in self._counts else titles[name])
            for name in self._offered()
        )


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
        # The section is not offered to this person then.
        counts["models"] = 0
    return counts
