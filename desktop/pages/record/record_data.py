"""Loads a record for its page. Calls the service: must not run on the GUI thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from desktop.client import Session, Versioned
from desktop.client.http.errors import ClientError
from desktop.pages.common.forms.lookup import task_name
from desktop.record.loading import photos_of_failed
from shared.wire.inspection import Item, Record
from shared.wire.seal import RecordSeal


@dataclass(frozen=True, slots=True)
class RecordData:
    """A record with its items, oldest first, its seal, and the names of its task and flight if known.

    `photos`: the file ids of an item's photos, oldest first, if its newest detection gave no result.
    """

    record: Record
    etag: str | None
    items: Sequence[Item]
    task_name: str | None
    flight_number: str | None
    seal: RecordSeal
    photos: Mapping[str, Sequence[str]] = field(default_factory=dict)


def load_record(session: Session, record_id: str) -> RecordData:
    """Load a record. Raises ClientError."""
    return load_related(session, session.records.get(record_id))


def load_related(session: Session, versioned: Versioned[Record]) -> RecordData:
    """Load the items, the seal and the names of a record. Raises ClientError."""
    record = versioned.value
    items = session.items.all(record.inspection_id)
    return RecordData(
        record,
        versioned.etag,
        items,
        _task(session, record.task_id),
        _flight(session, record.flight_id),
        session.records.seal(record.inspection_id),
        photos_of_failed(session, items),
    )


def _task(session: Session, task_id: str) -> str | None:
    try:
        return task_name(session.catalogue.tasks.get(task_id))
    except ClientError:
        # The task may be in another system. Its ID is shown then.
        return None


def _flight(session: Session, flight_id: str | None) -> str | None:
    if flight_id is None:
        return None
    try:
        return session.catalogue.flights.get(flight_id).flight_number
    except ClientError:
        return None
