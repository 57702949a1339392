"""Declares what statistics needs from other domains; `service.app` provides it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlmodel import Session

Mark = tuple[dt.datetime, str]
"""The creation time and the id of a record."""


class RecordFacts(NamedTuple):
    """The current facts of a record.

    `moment` is its start, or its creation if it has no start, in UTC without a time zone. `seconds` is the
    duration from start to end; None if either is missing or the record is cancelled.
    """

    inspection_id: str
    moment: dt.datetime
    aircraft_id: str
    executor_id: str
    state: str
    seconds: int | None


class ItemFacts(NamedTuple):
    """The current facts of an item; `result` is the JSON text of its entries."""

    item_id: str
    inspection_id: str
    item_name: str
    result: str


@dataclass(frozen=True, slots=True)
class Ports:
    """Queries of other domains, which run inside the transactions of statistics.

    `records` and `items` return the facts of the ids that exist. `record_ids_of_tasks`, `task_ids_of_flights`
    and `item_ids_of_records` return the ids of records, tasks and items. `next_records` returns at most a
    number of records after a mark, in the order of their creation. `aircraft` and `models` return names by
    id.
    """

    records: Callable[[Session, Collection[str]], Sequence[RecordFacts]]
    items: Callable[[Session, Collection[str]], Sequence[ItemFacts]]
    record_ids_of_tasks: Callable[[Session, Collection[str]], Collection[str]]
    task_ids_of_flights: Callable[[Session, Collection[str]], Collection[str]]
    next_records: Callable[[Session, Mark | None, int], Sequence[Mark]]
    item_ids_of_records: Callable[[Session, Collection[str]], Collection[str]]
    aircraft: Callable[[Session, Collection[str]], Mapping[str, str]]
    models: Callable[[Session, Collection[str]], Mapping[str, str]]
