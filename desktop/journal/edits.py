"""Defines an edit as plain data, its inverse, how edits of one object merge, and the errors of a journal.

Unfinished work that is not yet an edit is a draft: its value and its undo and redo steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from shared.ids import new_key

Fields = Mapping[str, Any]


class EditKind(StrEnum):
    """What an edit does to its object."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    RESTORE = "restore"
    """Creates a deleted object again, with the same id."""


_INVERSE = {
    EditKind.CREATE: EditKind.DELETE,
    EditKind.UPDATE: EditKind.UPDATE,
    EditKind.DELETE: EditKind.RESTORE,
    EditKind.RESTORE: EditKind.DELETE,
}


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of one object.

    `before` and `after` hold the changed fields as JSON values: both for an update, the whole object in
    `after` for a create or restore and in `before` for a delete. `object_id` is the id that the desktop uses.
    An object created by the desktop keeps it when the service assigns another id (`Journal.service_id`).
    `label` is the key of the undo step's name. `at` is seconds since the epoch, UTC.
    """

    record_id: str
    object: str
    object_id: str
    kind: EditKind
    before: Fields
    after: Fields
    label: str
    at: float
    id: str = field(default_factory=new_key)

    def to_json(self) -> dict[str, Any]:
        """The edit as a JSON object."""
        return {
            "id": self.id,
            "record_id": self.record_id,
            "object": self.object,
            "object_id": self.object_id,
            "kind": self.kind.value,
            "before": dict(self.before),
            "after": dict(self.after),
            "label": self.label,
            "at": self.at,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Edit:
        """The edit of a JSON object that `to_json` returned. Raises KeyError or ValueError on another
        object."""
        return cls(
            record_id=data["record_id"],
            object=data["object"],
            object_id=data["object_id"],
            kind=EditKind(data["kind"]),
            before=data["before"],
            after=data["after"],
            label=data["label"],
            at=data["at"],
            id=data["id"],
        )


def inverse(edit: Edit, at: float) -> Edit:
    """The edit that undoes `edit`, with a new id. `at` is its time in seconds since the epoch, UTC."""
    return replace(edit, kind=_INVERSE[edit.kind], before=edit.after, after=edit.before, at=at, id=new_key())


def join_edits(edits: Iterable[Edit]) -> list[Edit]:
    """Join each run of updates of one object into one update with the id of the last one.

    Other kinds are not joined: a create keeps its id, by which the service recognizes a repeated send.
    """
    result: list[Edit] = []
    last: dict[tuple[str, str], int] = {}
    for edit in edits:
        key = (edit.object, edit.object_id)
        index = last.get(key)
        if index is not None and edit.kind is result[index].kind is EditKind.UPDATE:
            first = result[index]
            result[index] = replace(
                edit, before={**edit.before, **first.before}, after={**first.after, **edit.after}
            )
        else:
            last[key] = len(result)
            result.append(edit)
    return result


class JournalError(Exception):
    """The journal cannot be read or written. The text says what happened."""


class JournalBusyError(JournalError):
    """Another program has this journal open."""


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
