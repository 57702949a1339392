"""Saves and deletes catalogue entries without overwriting another user's changes."""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import BaseModel

from desktop.client.api.catalogue import Entries
from desktop.client.api.detection import Detection
from desktop.client.http.errors import Stale
from desktop.client.http.transport import Versioned
from desktop.pages.common.lists.delete_unchanged import MAX_ATTEMPTS, delete_unchanged
from shared.wire.detection import DetectionModel, ModelUpdate


class EntryConflictError(Exception):
    """Another user changed these fields; nothing was done. `base` is the entry as the person saw it, `now`
    as it is there."""

    def __init__(self, base: Any, now: Any, fields: list[str]) -> None:
        super().__init__(", ".join(fields))
        self.base = base
        self.now = now
        self.fields = fields


def save(entries: Entries[Any, Any], entry_id: str | None, base: Any, body: Any) -> Any:
    """Make the entry, or send the fields of `body` that differ from `base`, the entry as the person saw it.

    Other users' changes of other fields stay. Raises EntryConflictError when they changed the same ones to
    something else, ClientError.
    """
    if entry_id is None:
        return entries.create(body)
    kind = type(body)
    needed = {name for name, field in kind.model_fields.items() if field.is_required()}
    changes = {
        name: getattr(body, name)
        for name in body.model_fields_set
        if getattr(body, name) != getattr(base, name)
    }
    for attempt in range(MAX_ATTEMPTS):
        now = entries.tagged(entry_id)
        conflicts = [
            name
            for name, value in changes.items()
            if getattr(now.value, name) not in (getattr(base, name), value)
        ]
        if conflicts:
            raise EntryConflictError(base, now.value, conflicts)
        sent = {name: getattr(now.value, name) for name in needed} | changes
        try:
            return entries.update(entry_id, kind(**sent), now.etag)
        except Stale:
            if attempt + 1 == MAX_ATTEMPTS:
                raise
    raise AssertionError("the last try answers or raises")


def save_model(detection: Detection, base: DetectionModel, change: ModelUpdate) -> DetectionModel:
    """Send the fields of `change` that differ from `base`, the model as the person saw it; gives it as it is.

    Raises EntryConflictError when another user changed the same ones to other values, ClientError.
    """
    changes = {name: value for name, value in change.model_dump().items() if name in change.model_fields_set}
    changes = {name: value for name, value in changes.items() if value != getattr(base, name)}
    if not changes:
        return base
    for attempt in range(MAX_ATTEMPTS):
        now = detection.tagged_model(base.model_id)
        conflicts = [
            name for name in changes if getattr(now.value, name) not in (getattr(base, name), changes[name])
        ]
        if conflicts:
            raise EntryConflictError(base, now.value, conflicts)
        try:
            return detection.update_model(base.model_id, ModelUpdate(**changes), now.etag)
        except Stale:
            if attempt + 1 == MAX_ATTEMPTS:
                raise
    raise AssertionError("the last try answers or raises")


def remove(entries: Entries[Any, Any], entry_id: str, base: Any) -> None:
    """Delete the entry, as long as it still is `base`, the entry as the person saw it.

    Raises EntryConflictError when another user changed it meanwhile, ClientError.
    """

    def check(now: Versioned[Any]) -> None:
        conflicts = changed(base, now.value)
        if conflicts:
            raise EntryConflictError(base, now.value, conflicts)

    delete_unchanged(partial(entries.tagged, entry_id), check, partial(entries.delete, entry_id))


def changed(base: Any, now: Any) -> list[str]:
    """The fields that differ between two states of an entry, of those that a person writes."""
    written: type[BaseModel] = type(now).__bases__[0]
    return [name for name in written.model_fields if getattr(base, name) != getattr(now, name)]
