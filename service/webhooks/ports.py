"""Declares what webhooks need from other domains; `service.app` provides it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from sqlmodel import Session


class EditionFacts(NamedTuple):
    """The facts about an edition in a message. `total`, `passed` and `failed` count items."""

    task_id: str
    outcome: str
    needs_release: bool
    total: int
    passed: int
    failed: int


class ItemFacts(NamedTuple):
    """The facts about an item in a message: the record and the task it belongs to."""

    inspection_id: str
    task_id: str


@dataclass(frozen=True, slots=True)
class Ports:
    """Queries of other domains, which run inside the session's transaction.

    `edition` finds an edition by the record's id and its number, `item` an item by its id. Both return None
    if it does not exist.
    """

    edition: Callable[[Session, str, int], EditionFacts | None]
    item: Callable[[Session, str], ItemFacts | None]
