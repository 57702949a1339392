"""Creates the pages of a window before the user opens them, one step in each turn of the event loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, QTimer

from desktop.theme import theme_manager
from desktop.widgets import Page, PageFactory

PAUSE_MS = 150
"""Between two steps: meanwhile the page in front fetches and paints."""
_STYLED = "workbench"
"""The page that every user opens. Styling takes 2 to 5 MB a page, so the others wait until they are shown."""


class PagesAhead(QTimer):
    """Runs from `start` until every page of `factories` is among `pages`, or until `stop`.

    `make` creates the page with an ID and adds it to `pages`.
    """

    def __init__(
        self,
        factories: Mapping[str, PageFactory],
        pages: Mapping[str, Page],
        make: Callable[[str], Page | None],
        parent: QObject,
    ) -> None:
        super().__init__(parent, singleShot=True, interval=PAUSE_MS)
        self._factories, self._pages, self._make = factories, pages, make
        self._prepared: set[str] = set()
        self._unstyled: Page | None = None
        self.timeout.connect(self._take_step)

    def prepare(self, page_id: str) -> bool:
        """Create a part of a page that does not exist yet, if its factory can; False: nothing to create."""
        factory = self._factories.get(page_id)
        if factory is None or factory.prepare is None or page_id in {*self._pages, *self._prepared}:
            return False
        self._prepared.add(page_id)
        factory.prepare()
        return True

    def _take_step(self) -> None:
        """Create a page or a part of one, or style the workbench."""
        missing = next((page_id for page_id in self._factories if page_id not in self._pages), None)
        if self._unstyled is not None:
            theme_manager().apply_to(self._unstyled, late=True)
            self._unstyled.ensurePolished()
            self._unstyled = None
        elif missing is None:
            return
        elif not self.prepare(missing):
            page = self._make(missing)
            self._unstyled = page if missing == _STYLED else None
        self.start()
