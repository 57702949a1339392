"""Defines what every step of the demo works with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from desktop.app.application import Desktop
from desktop.client import Session
from desktop.demo.driver.stage import WindowDriver, check, process_events
from desktop.demo.material.pictures import Pictures
from desktop.demo.material.texts import DemoTexts
from desktop.widgets import Page

WINDOW = (1440, 900)
"""Size of the main window, logical px."""

APage = TypeVar("APage", bound=Page)


@dataclass(slots=True)
class DemoRun:
    """The running desktop, what is drawn and said, and what the story knows by now."""

    desktop: Desktop
    stage: WindowDriver
    pictures: Pictures
    texts: DemoTexts
    folder: Path
    out: Path
    record_id: str = ""

    @property
    def session(self) -> Session:
        """The calls of the user who is logged in."""
        return self.desktop.context.session

    def page(self, kind: type[APage]) -> APage:
        """The page in front. Raises StepFailedError when it is another one."""
        page = self.desktop.window.page
        check(isinstance(page, kind), f"{kind.__name__} is not in front")
        assert isinstance(page, kind)
        return page

    def resize(self) -> None:
        """Give the window the size of its picture; the login of another user made a new window."""
        self.desktop.window.resize(*WINDOW)
        process_events()

    def is_in_front(self, page_id: str) -> bool:
        """True while this page is in front."""
        page = self.desktop.window.page
        return page is not None and page.page_id == page_id

    def key(self, command_id: str) -> str:
        """The first key of a command."""
        return self.desktop.context.commands.keys(command_id)[0]
