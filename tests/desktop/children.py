"""The child objects that a test counts on."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QObject

T = TypeVar("T", bound=QObject)


def child(parent: QObject, kind: type[T], name: str | None = None) -> T:
    """The descendant of that class (and object name); fails the test when there is none."""
    descendant = parent.findChild(kind) if name is None else parent.findChild(kind, name)
    assert descendant is not None, f"{parent} has no {kind.__name__} {name or ''}"
    return descendant
