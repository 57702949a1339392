"""Implements a page with several sections, which chips select."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop.widgets import FilterChips, Page, PageHeader, column_of


class PageSection(QWidget):
    """One section of a `SectionsPage`."""

    toast = Signal(str)
    """A short notice to show at the bottom of the window."""

    def enter(self) -> None:
        """Called when the section comes to the front."""


S = TypeVar("S", bound=PageSection)


class SectionsPage(Page, Generic[S]):
    """Shows one of its sections. A subclass creates them and selects those that the user may see."""

    def __init__(self, header: PageHeader, chips_name: str, sections: Mapping[str, S]) -> None:
        """`chips_name` is the accessible name of the chips."""
        super().__init__()
        self.header = header
        self.sections = sections
        self.chips = FilterChips(chips_name)
        self.chips.chosen.connect(self.show_section)
        self._stack = QStackedWidget()
        for section in sections.values():
            self._stack.addWidget(section)
            section.toast.connect(self.toast)
        column_of(
            self.header, self.chips, (self._stack, 1), parent=self, margins=(28, 22, 28, 20), spacing=14
        )

    def visible_sections(self) -> Mapping[str, str]:
        """The names of the sections that the user may see, with the texts of their chips; never empty."""
        raise NotImplementedError

    @property
    def current_section(self) -> str:
        """The name of the visible section."""
        return self.chips.value()

    def enter(self, params: dict[str, Any]) -> None:
        """Show the section named by the parameter `section`, else the last one."""
        self.show_chips()
        sections = self.visible_sections()
        name = str(params.get("section") or self.current_section)
        self.show_section(name if name in sections else next(iter(sections)))

    def return_params(self) -> dict[str, Any]:
        """The visible section."""
        return {"section": self.current_section}

    def show_chips(self) -> None:
        """Update the chips."""
        self.chips.set_choices(self.visible_sections().items())

    def show_section(self, name: str) -> None:
        """Bring a section to the front."""
        self.chips.set_value(name)
        section = self.sections[name]
        self._stack.setCurrentWidget(section)
        section.enter()
