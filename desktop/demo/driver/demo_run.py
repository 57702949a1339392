"""Defines the objects that the steps of the demo share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from desktop.app.application import Desktop
from desktop.client import Session
from desktop.demo.driver.window_driver import WindowDriver, check, process_events
from desktop.demo.material import DemoTexts, Pictures
from desktop.widgets import Page

WINDOW = (1440, 900)
"""Width and height of the main window, logical px."""

PageT = TypeVar("PageT", bound=Page)


@dataclass(slots=True)
class DemoRun:
    """The running desktop, pictures and texts of the demo, and the id of its record once it exists."""

    desktop: Desktop
    driver: WindowDriver
    pictures: Pictures
    texts: DemoTexts
    folder: Path
    out: Path
    record_id: str = ""

    @property
    def session(self) -> Session:
        """The calls of the user who is logged in."""
        return self.desktop.context.session

    def page(self, kind: type[PageT]) -> PageT:
        """Return the visible page. Raises StepFailedError if it is not of class `kind`."""
        page = self.desktop.window.page
        check(isinstance(page, kind), f"{kind.__name__} is not in front")
        assert isinstance(page, kind)
        return page

    def resize(self) -> None:
        """Set the size of the window for its picture; the login of another user creates a new window."""
        self.desktop.window.resize(*WINDOW)
        process_events()

    def is_in_front(self, page_id: str) -> bool:
        """Return True if this page is visible."""
        page = self.desktop.window.page
        return page is not None and page.page_id == page_id

    def first_key(self, command_id: str) -> str:
        """Return the first key of a command."""
        return self.desktop.context.commands.keys(command_id)[0]
