"""Saves and deletes catalogue entries without overwriting another user's changes."""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import BaseModel

from desktop.client.api.catalogue import Entries
from desktop.client.api.detection import Detection
from desktop.client.http.errors import Stale
from desktop.client.http.transport import Versioned
from desktop.pages.common.lists.delete_unchanged import TRIES, delete_unchanged
from shared.wire.detection import DetectionModel, ModelUpdate


class EntryConflict(Exception):  # noqa: N818 - asks for a decision
    """Another user changed these fields; nothing was done. `seen` is the entry as the person saw it, `now`
    as it is there."""

    def __init__(self, seen: Any, now: Any, fields: list[str]) -> None:
        super().__init__(", ".join(fields))
        self.seen = seen
        self.now = now
        self.fields = fields


def save(entries: Entries[Any, Any], entry_id: str | None, seen: Any, body: Any) -> Any:
    """Make the entry, or send the fields of `body` that differ from `seen`, the entry as the person saw it.

    Other users' changes of other fields stay. Raises Clash when they changed the same ones to
    something else, ClientError.
    """
    if entry_id is None:
        return entries.create(body)
    kind = type(body)
    needed = {name for name, field in kind.model_fields.items() if field.is_required()}
    mine = {
        name: getattr(body, name)
        for name in body.model_fields_set
        if getattr(body, name) != getattr(seen, name)
    }
    for attempt in range(TRIES):
        now = entries.tagged(entry_id)
        theirs = [
            name
            for name, value in mine.items()
            if getattr(now.value, name) not in (getattr(seen, name), value)
        ]
        if theirs:
            raise EntryConflict(seen, now.value, theirs)
        sent = {name: getattr(now.value, name) for name in needed} | mine
        try:
            return entries.update(entry_id, kind(**sent), now.etag)
        except Stale:
            if attempt + 1 == TRIES:
                raise
    raise AssertionError("the last try answers or raises")


def save_model(detection: Detection, seen: DetectionModel, change: ModelUpdate) -> DetectionModel:
    """Send the fields of `change` that differ from `seen`, the model as the person saw it; gives it as it is.

    Raises Clash when another user changed the same ones to other values, ClientError.
    """
    mine = {name: value for name, value in change.model_dump().items() if name in change.model_fields_set}
    mine = {name: value for name, value in mine.items() if value != getattr(seen, name)}
    if not mine:
        return seen
    for attempt in range(TRIES):
        now = detection.tagged_model(seen.model_id)
        theirs = [name for name in mine if getattr(now.value, name) not in (getattr(seen, name), mine[name])]
        if theirs:
            raise EntryConflict(seen, now.value, theirs)
        try:
            return detection.update_model(seen.model_id, ModelUpdate(**mine), now.etag)
        except Stale:
            if attempt + 1 == TRIES:
                raise
    raise AssertionError("the last try answers or raises")


def remove(entries: Entries[Any, Any], entry_id: str, seen: Any) -> None:
    """Delete the entry, as long as it still is `seen`, the entry as the person saw it.

    Raises Clash when another user changed it meanwhile, ClientError.
    """

    def check(now: Versioned[Any]) -> None:
        theirs = changed(seen, now.value)
        if theirs:
            raise EntryConflict(seen, now.value, theirs)

    delete_unchanged(partial(entries.tagged, entry_id), check, partial(entries.delete, entry_id))


def changed(seen: Any, now: Any) -> list[str]:
    """The fields that differ between two states of an entry, of those that a person writes."""
    written: type[BaseModel] = type(now).__bases__[0]
    return [name for name in written.model_fields if getattr(seen, name) != getattr(now, name)]
