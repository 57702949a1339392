"""The child objects that a test counts on."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QAbstractButton, QWidget

T = TypeVar("T", bound=QObject)


def child(parent: QObject, kind: type[T], name: str | None = None) -> T:
    """The descendant of that class (and object name); fails the test when there is none."""
    descendant = parent.findChild(kind) if name is None else parent.findChild(kind, name)
    assert descendant is not None, f"{parent} has no {kind.__name__} {name or ''}"
    return descendant


def has_button(parent: QWidget, text: str) -> bool:
    """Whether a button with this text or tooltip is visible in `parent`."""
    return bool(_buttons(parent, text))


def click_button(parent: QWidget, text: str) -> None:
    """Click the visible button with this text or tooltip; fails the test when there is not one."""
    (button,) = _buttons(parent, text)
    button.click()


def _buttons(parent: QWidget, text: str) -> list[QAbstractButton]:
    buttons = parent.findChildren(QAbstractButton)
    return [each for each in buttons if each.isVisible() and text in (each.text(), each.toolTip())]
