"""Implements a page of several sections, chosen by chips."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from desktop.widgets import FilterChips, Page, PageHeader


class PageSection(QWidget):
    """One section of such a page."""

    toast = Signal(str)
    """Ask for a short notice at the foot of the window."""

    def enter(self) -> None:
        """The section came to the front."""


S = TypeVar("S", bound=PageSection)


class SectionsPage(Page, Generic[S]):
    """Shows one of its sections. A subclass makes them and says which of them the person is offered."""

    def __init__(self, header: PageHeader, chips_name: str, sections: Mapping[str, S]) -> None:
        """`chips_name` is what a screen reader calls the chips."""
        super().__init__()
        self.header = header
        self.sections = sections
        self.chips = FilterChips(chips_name)
        self.chips.chosen.connect(self.show_section)
        self._stack = QStackedWidget()
        for section in sections.values():
            self._stack.addWidget(section)
            section.toast.connect(self.toast)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 20)
        column.setSpacing(14)
        column.addWidget(self.header)
        column.addWidget(self.chips)
        column.addWidget(self._stack, 1)

    def visible_sections(self) -> Mapping[str, str]:
        """The sections that the person may see, and what is on their chips; never empty."""
        raise AssertionError(f"{type(self).__name__} knows its sections")

    @property
    def current_section(self) -> str:
        """The name of the section in front."""
        return self.chips.value()

    def enter(self, params: dict[str, Any]) -> None:
        """Show the section `section`, or the one that was in front."""
        self.show_chips()
        sections = self.visible_sections()
        name = str(params.get("section") or self.current_section)
        self.show_section(name if name in sections else next(iter(sections)))

    def return_params(self) -> dict[str, Any]:
        """The section in front."""
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
