"""Defines the base class of every page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from shared.record.codes import Permission


class Page(QWidget):
    """A page. A subclass sets the class attributes, creates its widgets in `__init__` and loads data in
    `enter`.

    A change of language creates a new window with new pages (see `desktop/localization/language.py`), so a
    page sets each text once, where it creates the widget. `return_params()` restores the place of the user.
    """

    page_id: ClassVar[str] = ""
    icon: ClassVar[str] = ""
    """The icon in the rail; empty for a page that the rail does not list."""
    section: ClassVar[str] = ""
    """The page of the rail that this page belongs to, if the rail does not list this page."""
    permission: ClassVar[Permission | None] = None
    """The permission that the page needs; without it the rail does not list the page."""
    has_frame: ClassVar[bool] = True
    """False for a page that is shown alone, without rail and bars (login)."""
    has_status_bar: ClassVar[bool] = False

    navigate = Signal(str, dict)
    """Requests another page: its id and the parameters for its `enter`."""
    toast = Signal(str)
    """Requests a short notice at the bottom of the window."""
    undoable = Signal(str, object)
    """Requests a notice with the button "Undo", which calls the object."""
    status = Signal(str, str)
    """Sets the left and right texts of the status bar."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setObjectName("page")
        self.setProperty("ground", "bg")

    @classmethod
    def title(cls) -> str:
        """Return the page's name for the rail and the window title, in the current language."""
        return cls.page_id

    def enter(self, params: dict[str, Any]) -> None:
        """Called when the page becomes visible. `params` come from `navigate` or `return_params()`."""

    def leave(self) -> bool:
        """Called before another page becomes visible or the window closes; False keeps this page.

        Ask with `confirm` if typed text is not saved. Release cameras and timers here.
        """
        return True

    def return_params(self) -> dict[str, Any]:
        """Return parameters for `enter` that restore this place: open record, filters, typed text.

        They contain no passwords.
        """
        return {}


@dataclass(frozen=True, slots=True)
class PageFactory:
    """The class of a page, and how to create it when it is needed.

    `prepare` creates a part of a large page for `create`, in an earlier turn of the event loop.
    """

    page_class: type[Page]
    create: Callable[[], Page]
    prepare: Callable[[], object] | None = None
