"""Stores unfinished work that is not yet an edit: its value and its undo and redo steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class DraftStep(StrEnum):
    """What happens to a draft."""

    OPEN = "open"
    """The draft begins with its first value."""
    TAKE = "take"
    """The draft gets another value."""
    UNDO = "undo"
    REDO = "redo"
    DROP = "drop"
    """The draft became an edit or was discarded."""


@dataclass(slots=True)
class DraftHistory:
    """A draft with its undo and redo steps.

    `context` says what the draft belongs to, such as a version. `value` is the current value. All are JSON
    values.
    """

    context: Mapping[str, Any]
    value: Any
    undo_values: list[Any] = field(default_factory=list)
    redo_values: list[Any] = field(default_factory=list)

    def set_value(self, value: Any) -> None:
        """Set another value and clear the redo steps."""
        self.undo_values.append(self.value)
        self.redo_values.clear()
        self.value = value

    def undo(self) -> bool:
        """Undo the last step; False when there is none."""
        if not self.undo_values:
            return False
        self.redo_values.append(self.value)
        self.value = self.undo_values.pop()
        return True

    def redo(self) -> bool:
        """Redo the last undone step; False when there is none."""
        if not self.redo_values:
            return False
        self.undo_values.append(self.value)
        self.value = self.redo_values.pop()
        return True

    def copy(self) -> DraftHistory:
        """Return a copy that does not share the undo and redo steps."""
        return DraftHistory(self.context, self.value, list(self.undo_values), list(self.redo_values))

    def to_json(self) -> dict[str, Any]:
        """The draft as a JSON object."""
        return {
            "about": dict(self.context),
            "now": self.value,
            "before": self.undo_values,
            "after": self.redo_values,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> DraftHistory:
        """The draft of a JSON object that `to_json` returned. Raises KeyError when a field is missing."""
        return cls(data["about"], data["now"], list(data["before"]), list(data["after"]))
