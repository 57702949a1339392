"""Reads the records and items of webhook messages."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import func, select
from sqlmodel import Session

from service.inspection.tables import EDITION, ITEM, RECORD
from shared.record.codes import Verdict


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


def edition_facts(session: Session, inspection_id: str, edition: int) -> EditionFacts | None:
    """An edition with the verdicts of its record's items; None if there is no such edition.

    The verdicts are the record's current ones. They are the edition's, because a sealed record cannot change.
    """
    row = session.execute(
        select(RECORD.c.task_id, EDITION.c.outcome, EDITION.c.needs_release)
        .join(RECORD, RECORD.c.inspection_id == EDITION.c.inspection_id)
        .where(EDITION.c.inspection_id == inspection_id, EDITION.c.edition == edition)
    ).one_or_none()
    if row is None:
        return None
    verdicts = session.execute(
        select(ITEM.c.verdict, func.count().label("items"))
        .where(ITEM.c.inspection_id == inspection_id)
        .group_by(ITEM.c.verdict)
    )
    counts: dict[str, int] = {row.verdict: row.items for row in verdicts}
    return EditionFacts(
        row.task_id,
        row.outcome,
        row.needs_release,
        sum(counts.values()),
        counts.get(Verdict.PASSED, 0),
        counts.get(Verdict.FAILED, 0),
    )


def item_facts(session: Session, item_id: str) -> ItemFacts | None:
    """The record and the task of an item; None if the item was deleted."""
    row = session.execute(
        select(ITEM.c.inspection_id, RECORD.c.task_id)
        .join(RECORD, RECORD.c.inspection_id == ITEM.c.inspection_id)
        .where(ITEM.c.item_id == item_id)
    ).one_or_none()
    return None if row is None else ItemFacts(row.inspection_id, row.task_id)
