"""Exports the list of records as CSV, with flight numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path

from desktop.client.api.inspection import RecordFilter
from desktop.client.http.errors import Forbidden, NotFound
from desktop.client.session import Session
from desktop.pages.common.files.spreadsheet import write_csv
from shared.codes import SealState, Status
from shared.wire.common import Page
from shared.wire.inspection import Record
from shared.wire.seal import Edition, RecordSeal

_EXPORT_PAGE = 200


def flight_numbers(session: Session, flight_ids: Iterable[str]) -> dict[str, str]:
    """The numbers of flights by their IDs; a flight that no longer exists has its ID as the number."""
    numbers = {}
    for flight_id in flight_ids:
        try:
            numbers[flight_id] = session.catalogue.flights.get(flight_id).flight_number
        except (NotFound, Forbidden):
            numbers[flight_id] = flight_id
    return numbers


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of the list: the records, and their seals and progress by ID."""

    page: Page[Record]
    seals: Mapping[str, RecordSeal]


def read_listing(session: Session, where: RecordFilter, number: int, size: int) -> Listing:
    """A page of the records that match `where`. Raises ClientError."""
    page = session.records.search(where, number, size)
    return Listing(page, read_seals(session, [record.inspection_id for record in page.data]))


def read_seals(session: Session, record_ids: Sequence[str]) -> dict[str, RecordSeal]:
    """Seal and progress of these records by their IDs; one that no longer exists is left out."""
    return {summary.inspection_id: summary for summary in session.records.summaries(record_ids)}


def export_list(
    session: Session,
    where: RecordFilter,
    heads: list[str],
    labels: dict[Status | SealState, str],
    flights: dict[str, str],
    path: Path,
) -> int:
    """Write every record that matches `where` to `path`; gives how many. Raises ClientError, OSError.

    `heads` are the titles of the columns, `labels` the texts of statuses and seal states,
    `flights` the flight numbers by ID.
    """
    rows: list[Sequence[object]] = [heads]
    number = total = 0
    while True:
        number += 1
        listing = read_listing(session, where, number, _EXPORT_PAGE)
        records = listing.page.data
        unnamed = {record.flight_id for record in records if record.flight_id} - flights.keys()
        flights = flights | flight_numbers(session, unnamed)
        for record in records:
            seal = listing.seals.get(record.inspection_id)
            tally = None if seal is None else seal.counters
            updated = record.updated_at.replace(tzinfo=UTC).astimezone()
            cells = (
                record.inspection_name,
                record.aircraft_name,
                flights.get(record.flight_id or "", record.flight_id),
                record.executor_name,
                *((None,) * 3 if tally is None else (tally.items, tally.judged, tally.detected)),
                *(("", "") if seal is None else (labels[seal.record_state], labels[seal.state])),
                *_seal_cells(None if seal is None else seal.newest),
                updated.isoformat(timespec="seconds"),
            )
            rows.append(cells)
        total += len(records)
        if number >= listing.page.pagination.total_pages:
            break
    write_csv(path, rows)
    return total


def _seal_cells(newest: Edition | None) -> tuple[object, ...]:
    """Edition, seal, who finished it when, who released it when; empty for what did not happen."""
    if newest is None:
        return (None,) * 6
    finished, released = newest.finished_at, newest.released_at
    return (
        newest.edition,
        newest.seal,
        newest.finished_by_name or newest.finished_by,
        finished.astimezone().isoformat(timespec="seconds"),
        newest.released_by_name or newest.released_by,
        None if released is None else released.astimezone().isoformat(timespec="seconds"),
    )
