"""Edits and a clock for the tests of the journal."""

from __future__ import annotations

from typing import Any

from desktop.journal import Edit, EditKind, Journal


class Clock:
    """A clock whose time changes only when a test sets it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def update(object_id: str, before: Any, after: Any, at: float = 1000.0, record: str = "r") -> Edit:
    return Edit(record, "item", object_id, EditKind.UPDATE, {"x": before}, {"x": after}, "move", at)


def create(object_id: str, x: Any = 0) -> Edit:
    return Edit("r", "item", object_id, EditKind.CREATE, {}, {"x": x}, "draw", 1000.0)


def reopen(journal: Journal) -> Journal:
    journal.close()
    return Journal.open(journal._path)
