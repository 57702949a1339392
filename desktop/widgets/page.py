"""Defines the base class of every page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from shared.codes import Permission


class Page(QWidget):
    """One page. A subclass sets the class attributes, builds its widgets in `__init__`, fetches in `enter`.

    A change of language rebuilds the window with fresh pages (see `desktop/localization/language.py`), so a
    text is set once, where its widget is made; `return_params()` says how to come back to where the person
    was.
    """

    page_id: ClassVar[str] = ""
    icon: ClassVar[str] = ""
    """The icon in the rail; empty for a page that the rail does not list."""
    section: ClassVar[str] = ""
    """The page of the rail that this one belongs to, where the rail does not list it itself."""
    permission: ClassVar[Permission | None] = None
    """The right without which the rail does not offer the page."""
    in_frame: ClassVar[bool] = True
    """False for a page that is shown alone, without rail and bars (login)."""
    has_status_bar: ClassVar[bool] = False

    navigate = Signal(str, dict)
    """Ask for another page: its id and the parameters for its `enter`."""
    toast = Signal(str)
    """Ask for a short notice at the foot of the window."""
    status = Signal(str, str)
    """The left and the right text of the status bar."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setObjectName("page")
        self.setProperty("ground", "bg")

    @classmethod
    def title(cls) -> str:
        """The page's name for the rail and the window's title, in the language in force."""
        return cls.page_id

    def enter(self, params: dict[str, Any]) -> None:
        """The page came to the front; `params` are those of `navigate`, or a
        `return_params()` to return to.
        """

    def leave(self) -> bool:
        """Called before another page comes to the front or the window closes; False keeps this one.

        The page for typed text that is not saved anywhere: ask with `confirm`. Release what it holds here
        (camera, timers).
        """
        return True

    def return_params(self) -> dict[str, Any]:
        """What `enter` needs to come back here: the open record, filters, typed text. Never a password."""
        return {}


@dataclass(frozen=True, slots=True)
class PageFactory:
    """A page of a window that is made when it is needed: what it is, and how it is made.

    `prepare`, for a large page: makes a part of it, which `make` uses, in an earlier turn of the event loop.
    """

    kind: type[Page]
    make: Callable[[], Page]
    prepare: Callable[[], object] | None = None
