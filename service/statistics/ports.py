"""Declares what statistics needs of other domains; `service.app` provides it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlmodel import Session

Mark = tuple[dt.datetime, str]
"""When a record was created, and its id."""


class RecordFacts(NamedTuple):
    """A record as it is: `moment` is its start, or its creation where it has none, in UTC without a zone.

    `seconds`: from its start to its end; None where it lacks one or is cancelled.
    """

    inspection_id: str
    moment: dt.datetime
    aircraft_id: str
    executor_id: str
    state: str
    seconds: int | None


class ItemFacts(NamedTuple):
    """An item as it is; `result` is the JSON text of its entries."""

    item_id: str
    inspection_id: str
    item_name: str
    result: str


@dataclass(frozen=True, slots=True)
class Ports:
    """The sides of other domains that statistics uses, inside its transactions.

    `records` and `items`: those of these ids that exist. `of_tasks`, `of_flights`: the ids of the records of
    these tasks, of the tasks of these flights. `next_records`: a number of records behind a mark, in the
    order of their creation, and `items_of` the ids of the items of records.
    `aircraft`, `models`: the names of these ids.
    """

    records: Callable[[Session, Collection[str]], Sequence[RecordFacts]]
    items: Callable[[Session, Collection[str]], Sequence[ItemFacts]]
    of_tasks: Callable[[Session, Collection[str]], Collection[str]]
    of_flights: Callable[[Session, Collection[str]], Collection[str]]
    next_records: Callable[[Session, Mark | None, int], Sequence[Mark]]
    items_of: Callable[[Session, Collection[str]], Collection[str]]
    aircraft: Callable[[Session, Collection[str]], Mapping[str, str]]
    models: Callable[[Session, Collection[str]], Mapping[str, str]]
