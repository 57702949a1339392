"""Keeps the catalogue of labels with their severities."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TypeVar

from sqlalchemy import Table, delete, select
from sqlmodel import Session

from service.changes import ObjectChange, announce
from service.db.database import Database, now
from service.db.upsert import insert_or_update
from service.detection.tables import LabelRow
from shared.record.entries import EntryBox
from shared.wire.detection import LabelSeverity, Severity

T = TypeVar("T")

_LABEL: Table = LabelRow.__table__
_AT_ONCE = 2000
"""The most labels of one statement, whose number of parameters is limited."""


class Labels:
    """The severities of labels. A label without a severity is not in the table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def every(self) -> list[LabelSeverity]:
        """Every label that has a severity, by name."""
        return await self._database.read(_read_severities)

    async def change(self, changes: Sequence[LabelSeverity], actor: str, address: str) -> list[LabelSeverity]:
        """Change the severities of these labels; None removes a severity. Returns all severities."""

        def write(session: Session) -> list[LabelSeverity]:
            _write_changes(session, changes, actor)
            details = {"labels": {change.label: change.severity for change in changes}}
            announce(session, ObjectChange("update", "finding_label", None, actor, address, details))
            return _read_severities(session)

        return await self._database.write(write)


def _read_severities(session: Session) -> list[LabelSeverity]:
    rows = session.execute(select(_LABEL.c.label, _LABEL.c.severity).order_by(_LABEL.c.label))
    return [LabelSeverity(label=row.label, severity=Severity(row.severity)) for row in rows]


def _write_changes(session: Session, changes: Sequence[LabelSeverity], actor: str) -> None:
    """Write the changes in few statements, because a long write blocks all other writers."""
    # If a label is named twice, the last severity counts.
    severities = {change.label: change.severity for change in changes}
    removed = sorted(label for label, severity in severities.items() if severity is None)
    for labels in _statement_parts(removed):
        session.execute(delete(_LABEL).where(_LABEL.c.label.in_(labels)))
    at = now()
    named_severities = sorted(
        (label, severity.value) for label, severity in severities.items() if severity is not None
    )
    rows = [
        {"label": label, "severity": severity, "changed_by": actor, "updated_at": at}
        for label, severity in named_severities
    ]
    if rows:
        insert_or_update(session, _LABEL, rows, ["label"])


def _statement_parts(whole: Sequence[T]) -> Iterator[Sequence[T]]:
    """Split `whole` into parts that fit into one statement."""
    for start in range(0, len(whole), _AT_ONCE):
        yield whole[start : start + _AT_ONCE]


def severities(session: Session, labels: Collection[str]) -> dict[str, str]:
    """The present severities of these labels; a label without a severity is left out."""
    severity_of: dict[str, str] = {}
    for part in _statement_parts(sorted(labels)):
        rows = session.execute(select(_LABEL.c.label, _LABEL.c.severity).where(_LABEL.c.label.in_(part)))
        severity_of.update((row.label, row.severity) for row in rows)
    return severity_of


def with_severities(session: Session, boxes: Sequence[EntryBox]) -> list[EntryBox]:
    """Add the present severity of its label to each of the `boxes` of a new result entry.

    The severity is stored with the finding, so a report does not change with the catalogue.
    """
    severity_of = severities(session, {box["label"] for box in boxes})
    return [
        {**box, "severity": severity_of[box["label"]]} if box["label"] in severity_of else box
        for box in boxes
    ]
