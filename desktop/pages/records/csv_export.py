"""Exports the list of records as CSV, with flight numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from desktop.client.api.inspection import RecordFilter
from desktop.client.http.errors import Forbidden, NotFound
from desktop.client.session import Session
from desktop.pages.common.files.spreadsheet import write_csv
from shared.record.codes import SealState, Status
from shared.wire.common import Page
from shared.wire.inspection import Record
from shared.wire.seal import Edition, RecordSeal

_PAGE_SIZE = 200


def read_flights(session: Session, flight_ids: Iterable[str]) -> tuple[dict[str, str], dict[str, datetime]]:
    """Read the numbers of flights by their IDs, and when they are due, if that is known.

    The number of a flight that no longer exists is its ID.
    """
    numbers: dict[str, str] = {}
    due: dict[str, datetime] = {}
    for flight_id in flight_ids:
        try:
            flight = session.catalogue.flights.get(flight_id)
        except (NotFound, Forbidden):
            numbers[flight_id] = flight_id
            continue
        numbers[flight_id] = flight.flight_number
        if flight.scheduled_at is not None:
            due[flight_id] = flight.scheduled_at
    return numbers, due


@dataclass(frozen=True, slots=True)
class RecordListing:
    """A page of the list: the records, and their seals with counters by record ID."""

    page: Page[Record]
    seals: Mapping[str, RecordSeal]


def read_listing(session: Session, record_filter: RecordFilter, number: int, size: int) -> RecordListing:
    """Read a page of the records that match `record_filter`. Raises ClientError."""
    page = session.records.search(record_filter, number, size)
    return RecordListing(page, read_seals(session, [record.inspection_id for record in page.data]))


def read_seals(session: Session, record_ids: Sequence[str]) -> dict[str, RecordSeal]:
    """Read the seals and counters of records by ID; records that no longer exist are left out."""
    return {summary.inspection_id: summary for summary in session.records.summaries(record_ids)}


def export_list(
    session: Session,
    record_filter: RecordFilter,
    headings: list[str],
    labels: dict[Status | SealState, str],
    flights: dict[str, str],
    path: Path,
) -> int:
    """Write every record that matches `record_filter` to `path`. Returns their number.

    `headings` are the titles of the columns, `labels` the texts of statuses and seal states, `flights` the
    known flight numbers by ID. Raises ClientError, OSError.
    """
    rows: list[Sequence[object]] = [headings]
    number = total = 0
    while True:
        number += 1
        listing = read_listing(session, record_filter, number, _PAGE_SIZE)
        records = listing.page.data
        missing = {record.flight_id for record in records if record.flight_id} - flights.keys()
        flights = flights | read_flights(session, missing)[0]
        for record in records:
            seal = listing.seals.get(record.inspection_id)
            counters = None if seal is None else seal.counters
            modified_at = record.updated_at.replace(tzinfo=UTC).astimezone()
            cells = (
                record.inspection_name,
                record.aircraft_name,
                flights.get(record.flight_id or "", record.flight_id),
                (seal and seal.executor) or record.executor_name,
                *((None,) * 3 if counters is None else (counters.items, counters.judged, counters.detected)),
                *(("", "") if seal is None else (labels[seal.record_state], labels[seal.state])),
                *_seal_cells(None if seal is None else seal.newest),
                modified_at.isoformat(timespec="seconds"),
            )
            rows.append(cells)
        total += len(records)
        if number >= listing.page.pagination.total_pages:
            break
    write_csv(path, rows)
    return total


def _seal_cells(newest: Edition | None) -> tuple[object, ...]:
    """The edition, its seal, and who finished and released it and when; None for what did not happen."""
    if newest is None:
        return (None,) * 6
    finished_at, released_at = newest.finished_at, newest.released_at
    return (
        newest.edition,
        newest.seal,
        newest.finished_by_name or newest.finished_by,
        finished_at.astimezone().isoformat(timespec="seconds"),
        newest.released_by_name or newest.released_by,
        None if released_at is None else released_at.astimezone().isoformat(timespec="seconds"),
    )
