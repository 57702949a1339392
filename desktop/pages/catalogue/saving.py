"""Saving an entry of the catalogue without writing over what somebody else changed meanwhile."""

from __future__ import annotations

from typing import Any

from desktop.client.catalogue import Entries
from desktop.client.errors import Stale

_TRIES = 3


class Clash(Exception):  # noqa: N818 - asks for a decision
    """Somebody else changed the same fields; nothing was saved. `now` is the entry as it is there."""

    def __init__(self, now: Any, fields: list[str]) -> None:
        super().__init__(", ".join(fields))
        self.now = now
        self.fields = fields


def save(entries: Entries[Any, Any], entry_id: str | None, seen: Any, body: Any) -> Any:
    """Make the entry, or send the fields of `body` that differ from `seen`, the entry as the person saw it.

    What somebody else changed in other fields stays. Raises Clash when they changed the same ones to
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
    for attempt in range(_TRIES):
        now = entries.tagged(entry_id)
        theirs = [
            name
            for name, value in mine.items()
            if getattr(now.value, name) not in (getattr(seen, name), value)
        ]
        if theirs:
            raise Clash(now.value, theirs)
        sent = {name: getattr(now.value, name) for name in needed} | mine
        try:
            return entries.update(entry_id, kind(**sent), now.etag)
        except Stale:
            if attempt + 1 == _TRIES:
                raise
    raise AssertionError("the last try answers or raises")
