"""Records unfinished work that is not yet an edit: its value, its steps and those undone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class DraftStep(StrEnum):
    """What happens to a draft."""

    OPEN = "open"
    """It begins; with the first value."""
    TAKE = "take"
    """It has another value."""
    UNDO = "undo"
    REDO = "redo"
    DROP = "drop"
    """It became an edit, or nobody wants it."""


@dataclass(slots=True)
class DraftHistory:
    """A draft as the journal keeps it: what it is about, its value now, the earlier and the undone ones."""

    about: Mapping[str, Any]
    now: Any
    before: list[Any] = field(default_factory=list)
    after: list[Any] = field(default_factory=list)

    def take(self, value: Any) -> None:
        """Set another value; steps that were undone are dropped."""
        self.before.append(self.now)
        self.after.clear()
        self.now = value

    def undo(self) -> bool:
        """Undo the last step; False when there is none."""
        if not self.before:
            return False
        self.after.append(self.now)
        self.now = self.before.pop()
        return True

    def redo(self) -> bool:
        """Redo the value that was undone last; False when there is none."""
        if not self.after:
            return False
        self.before.append(self.now)
        self.now = self.after.pop()
        return True

    def copy(self) -> DraftHistory:
        """The same, with stacks of its own."""
        return DraftHistory(self.about, self.now, list(self.before), list(self.after))

    def to_json(self) -> dict[str, Any]:
        """The draft as a JSON object."""
        return {"about": dict(self.about), "now": self.now, "before": self.before, "after": self.after}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> DraftHistory:
        """The draft that `to_json` gave. Raises KeyError on anything else."""
        return cls(data["about"], data["now"], list(data["before"]), list(data["after"]))
