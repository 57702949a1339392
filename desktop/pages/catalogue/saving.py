"""Saves and deletes catalogue entries without overwriting another user's changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from desktop.client.api.catalogue import Entries
from desktop.client.api.detection import Detection
from desktop.client.http.answers import Versioned
from desktop.client.http.errors import Stale
from desktop.pages.common.lists.delete_unchanged import delete_unchanged
from desktop.pages.common.lists.list_section import Section
from shared.wire.common import Page as Listing
from shared.wire.detection import DetectionModel, ModelUpdate

T = TypeVar("T")

MAX_ATTEMPTS = 3
"""How often a change is tried; an attempt fails if the entry changes between reading and writing."""


class EntryConflictError(Exception):
    """Another user changed some fields, so nothing was saved.

    `base` is the entry that the user saw, `current` the stored one, `fields` the names of the changed fields.
    """

    def __init__(self, base: Any, current: Any, fields: list[str]) -> None:
        super().__init__(", ".join(fields))
        self.base = base
        self.current = current
        self.fields = fields


def save(entries: Entries[Any, Any], entry_id: str | None, base: Any, body: Any) -> Any:
    """Create an entry, or send the fields of `body` that differ from `base`, the entry that the user saw.

    Other users' changes of other fields are kept. Raises EntryConflictError if another user changed the same
    fields to other values, ClientError.
    """
    if entry_id is None:
        return entries.create(body)
    kind = type(body)
    required = {name for name, field in kind.model_fields.items() if field.is_required()}
    changes = {
        name: getattr(body, name)
        for name in body.model_fields_set
        if getattr(body, name) != getattr(base, name)
    }

    def write(current: Versioned[Any]) -> Any:
        values = {name: getattr(current.value, name) for name in required} | changes
        return entries.update(entry_id, kind(**values), current.etag)

    return _send_changes(changes, base, partial(entries.get_versioned, entry_id), write)


def save_model(detection: Detection, base: DetectionModel, change: ModelUpdate) -> DetectionModel:
    """Send the fields of `change` that differ from `base`, the model that the user saw. Returns the model.

    Raises EntryConflictError if another user changed the same fields to other values, ClientError.
    """
    changes = {name: value for name, value in change.model_dump().items() if name in change.model_fields_set}
    changes = {name: value for name, value in changes.items() if value != getattr(base, name)}
    if not changes:
        return base

    def write(current: Versioned[DetectionModel]) -> DetectionModel:
        return detection.update_model(base.model_id, ModelUpdate(**changes), current.etag)

    return _send_changes(changes, base, partial(detection.tagged_model, base.model_id), write)


def _send_changes(
    changes: Mapping[str, Any],
    base: T,
    read: Callable[[], Versioned[T]],
    write: Callable[[Versioned[T]], T],
) -> T:
    """Read and write until nobody else writes in between, unless one of the `changes` conflicts."""
    for attempt in range(MAX_ATTEMPTS):
        current = read()
        conflicts = [
            name
            for name, value in changes.items()
            if getattr(current.value, name) not in (getattr(base, name), value)
        ]
        if conflicts:
            raise EntryConflictError(base, current.value, conflicts)
        try:
            return write(current)
        except Stale:
            if attempt + 1 == MAX_ATTEMPTS:
                raise
    raise AssertionError("the last try answers or raises")


class DeletableSection(Section[T]):
    """A section that deletes an entry only if it is unchanged."""

    def entries(self) -> Entries[Any, Any]:
        """The API calls for this kind of entry."""
        raise NotImplementedError

    def fetch(self, number: int, size: int, text: str) -> Listing[T]:
        return self.entries().list(number, size, text)

    def delete(self, entry: T) -> None:
        """Delete an entry, in a worker thread. Raises Stale if another user changed it."""
        entries, entry_id = self.entries(), self.key(entry)
        delete_unchanged(partial(entries.get_versioned, entry_id), entry, partial(entries.delete, entry_id))
