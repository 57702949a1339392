"""Declares what webhooks need of other domains; `service.app` provides it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from sqlmodel import Session


class EditionFacts(NamedTuple):
    """What a message says of an edition; the counts are of items."""

    task_id: str
    outcome: str
    needs_release: bool
    total: int
    passed: int
    failed: int


class ItemFacts(NamedTuple):
    """What a message says of an item's place."""

    inspection_id: str
    task_id: str


@dataclass(frozen=True, slots=True)
class Ports:
    """Questions to other domains, asked inside the transaction of the session.

    `edition`: a record's edition by its ids; `item`: an item by its id. None when it is not there.
    """

    edition: Callable[[Session, str, int], EditionFacts | None]
    item: Callable[[Session, str], ItemFacts | None]
