"""Shows the sections of the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from PySide6.QtCore import QCoreApplication

from desktop.background.workers import run
from desktop.client.http.errors import Forbidden
from desktop.client.session import Session
from desktop.context import Context
from desktop.pages.catalogue.models.section import ModelSection
from desktop.pages.catalogue.reference_images.section import ReferenceSection
from desktop.pages.catalogue.table_sections import AircraftSection, FlightSection, TaskSection
from desktop.pages.common.lists.list_section import Section
from desktop.pages.common.lists.sections_page import SectionsPage
from desktop.widgets import PageHeader
from shared.record.codes import Permission


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
