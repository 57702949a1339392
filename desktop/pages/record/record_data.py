"""Loads a record for its page and makes the page's calls; not for the GUI thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from desktop.client import Session, Versioned
from desktop.client.http.errors import ClientError
from desktop.pages.common.forms.lookup import task_name
from shared.wire.inspection import Item, Record
from shared.wire.seal import RecordSeal


@dataclass(frozen=True, slots=True)
class RecordData:
    """A record with its items, oldest first, and the names that the catalogue knows."""

    record: Record
    etag: str | None
    items: Sequence[Item]
    task_name: str | None
    flight_number: str | None
    seal: RecordSeal


def fetch(session: Session, record_id: str) -> RecordData:
    """The record as it is now. Raises ClientError, NotFound among them."""
    return with_related(session, session.records.get(record_id))


def with_related(session: Session, tagged: Versioned[Record]) -> RecordData:
    """What belongs to a record: its items, and the names of its task and flight where they are known."""
    record = tagged.value
    return RecordData(
        record,
        tagged.etag,
        session.items.all(record.inspection_id),
        _task(session, record.task_id),
        _flight(session, record.flight_id),
        session.records.seal(record.inspection_id),
    )


def _task(session: Session, task_id: str) -> str | None:
    try:
        return task_name(session.catalogue.tasks.get(task_id))
    except ClientError:
        # Tasks may live in another system; the id is shown then.
        return None


def _flight(session: Session, flight_id: str | None) -> str | None:
    if flight_id is None:
        return None
    try:
        return session.catalogue.flights.get(flight_id).flight_number
    except ClientError:
        return None
